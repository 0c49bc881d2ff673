//! A count of what happened in one slice of time. The number of the slice is kept in the same word, so that one
//! compare-and-swap changes both, and a thread that was asleep for long cannot count into a slice of another time.

use crate::sync::{AtomicU64, Ordering, const_fn};

#[derive(Debug)]
pub(super) struct Tally(AtomicU64);

/// What a [`Tally`] holds. A later slice is greater, and of one slice the higher count: as the word itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) slice: u32,
    pub(super) count: u32,
}

impl Count {
    const fn from_word(word: u64) -> Self {
        Self { slice: (word >> 32) as u32, count: word as u32 }
    }

    const fn word(self) -> u64 {
        (self.slice as u64) << 32 | self.count as u64
    }
}

impl Tally {
    const_fn! {
    /// Nothing, in slice 0.
    pub(super) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }
    }

    #[inline]
    pub(super) fn load(&self, ordering: Ordering) -> Count {
        Count::from_word(self.0.load(ordering))
    }

    /// Counts one more in this slice, and forgets an earlier one. A slice that is forgotten already stays so.
    #[inline]
    pub(super) fn add(&self, slice: u32) {
        let word = self.0.load(Ordering::Relaxed);
        let next = word.wrapping_add(1);
        // The slice is the same, and its count can grow: a full one would run over into the slice.
        let same = (next >> 32) as u32 == slice && next as u32 != 0;
        if !same || self.0.compare_exchange(word, next, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            self.add_again(slice);
        }
    }

    #[cold]
    #[inline(never)]
    fn add_again(&self, slice: u32) {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let Count { slice: counted, count } = Count::from_word(word);
            if counted > slice {
                return;
            }
            let count = if counted == slice { count.saturating_add(1) } else { 1 };
            let next = Count { slice, count }.word();
            match self.0.compare_exchange_weak(word, next, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return,
                Err(changed) => word = changed,
            }
        }
    }

    /// Holds at least `count` from now on.
    pub(super) fn raise(&self, count: Count) {
        self.0.fetch_max(count.word(), Ordering::Relaxed);
    }

    /// Puts `next` in the place of `held`, if that is still there.
    ///
    /// As slices and their counts only grow, a word never comes back: nothing has changed in between.
    pub(super) fn replace(&self, held: Count, next: Count) -> bool {
        self.0.compare_exchange(held.word(), next.word(), Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}
