//! The rule `tokens`: a bucket that retries empty and calls that go well fill.

use crate::sync::{AtomicU64, Ordering, const_fn};

#[derive(Debug)]
pub(super) struct Bucket {
    pub(super) capacity: u32,
    pub(super) cost: u32,
    pub(super) hint_cost: u32,
    pub(super) refund: u32,
    /// Never more than the capacity.
    tokens: AtomicU64,
}

impl Bucket {
    const_fn! {
    /// Starts full.
    pub(super) const fn new(capacity: u32, cost: u32, hint_cost: u32, refund: u32) -> Self {
        Self { capacity, cost, hint_cost, refund, tokens: AtomicU64::new(capacity as u64) }
    }
    }

    /// How many retries there are, at the plain cost.
    pub(super) fn retries(&self) -> u32 {
        u32::try_from(self.tokens() / u64::from(self.cost)).unwrap_or(u32::MAX)
    }

    #[inline]
    pub(super) fn tokens(&self) -> u64 {
        self.tokens.load(Ordering::Relaxed)
    }

    /// Returns what was taken.
    pub(super) fn take(&self, hinted: bool) -> Option<u32> {
        let cost = if hinted { self.hint_cost } else { self.cost };
        let mut tokens = self.tokens();
        loop {
            let rest = tokens.checked_sub(u64::from(cost))?;
            match self.tokens.compare_exchange_weak(tokens, rest, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(cost),
                Err(changed) => tokens = changed,
            }
        }
    }

    #[inline]
    pub(super) fn put(&self, amount: u32) {
        if self.tokens() < u64::from(self.capacity) {
            self.fill(amount);
        }
    }

    #[cold]
    #[inline(never)]
    fn fill(&self, amount: u32) {
        let mut tokens = self.tokens();
        loop {
            let more = (tokens + u64::from(amount)).min(u64::from(self.capacity));
            match self.tokens.compare_exchange_weak(tokens, more, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return,
                Err(changed) => tokens = changed,
            }
        }
    }
}
