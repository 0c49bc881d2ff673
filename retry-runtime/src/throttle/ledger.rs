//! Calls and retries by slices of time, without a lock.
//!
//! Every grant of a retry goes through one word, `current`: the slice that time has come to, and the retries granted
//! in it. A grant adds up the other words and then replaces `current`, if nobody has changed it meanwhile. So of two
//! threads after the last retry one gets it. What else changes in between can only be calls and retries given back,
//! which make the true balance better than the one that was added up.
//!
//! Before `current` moves on, its count is written to the place of its slice. The thread that loses the race to move
//! it has written the same count or a lower one, and [`Tally::raise`] keeps the highest. So the counts of the slices
//! before `current` never change, and a grant that is decided by them cannot be one too many, wherever the slices
//! turn.

use super::tally::{Count, Tally};
use crate::sync::{Ordering, const_fn};

/// How many slices count: the current one and those before it.
pub(super) const SLICES: u32 = if MODEL { 2 } else { 10 };

/// A power of two above [`SLICES`].
const SLOTS: usize = if MODEL { 4 } else { 16 };

/// loom runs a small one, in bearable time.
const MODEL: bool = cfg!(all(test, retry_loom));

/// One place for each slice; the words of a place turn to its next slice one by one.
type Slots = [Tally; SLOTS];

#[derive(Debug)]
pub(super) struct Ledger {
    current: Tally,
    calls: Slots,
    /// The retries granted, when the slice is over.
    granted: Slots,
    /// Those of them that were not made.
    returned: Slots,
}

/// What is counted in the last [`SLICES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) calls: u64,
    pub(super) granted: u64,
    pub(super) returned: u64,
}

impl Ledger {
    const_fn! {
    pub(super) const fn new() -> Self {
        Self { current: Tally::new(), calls: slots(), granted: slots(), returned: slots() }
    }
    }

    /// The slice that time has come to.
    #[inline]
    pub(super) fn slice(&self) -> u32 {
        self.current.load(Ordering::Relaxed).slice
    }

    /// Time has come to this slice. It never goes back: returns the slice that is the current one now.
    pub(super) fn turn(&self, slice: u32) -> u32 {
        loop {
            let current = self.current.load(Ordering::Acquire);
            if current.slice >= slice {
                return current.slice;
            }
            if current.count > 0 {
                slot(&self.granted, current.slice).raise(current);
            }
            if self.current.replace(current, Count { slice, count: 0 }) {
                return slice;
            }
        }
    }

    /// A call began in this slice.
    #[inline]
    pub(super) fn call(&self, slice: u32) {
        slot(&self.calls, slice).add(slice);
    }

    /// Grants a retry in the current slice, if `allows` finds the sum good enough. Returns the slice.
    pub(super) fn grant(&self, allows: impl Fn(Sum) -> bool) -> Option<u32> {
        loop {
            let current = self.current.load(Ordering::Acquire);
            let Count { slice, count } = current;
            if count == u32::MAX || !allows(self.sum(current, slice)) {
                return None;
            }
            if self.current.replace(current, Count { slice, count: count + 1 }) {
                return Some(slice);
            }
        }
    }

    /// A retry granted in this slice will not be made. Once the slice has expired, so has the grant.
    pub(super) fn give_back(&self, slice: u32) {
        slot(&self.returned, slice).add(slice);
    }

    /// The sum as of this slice, or as of the current one if that is later.
    pub(super) fn sum_at(&self, slice: u32) -> Sum {
        let current = self.current.load(Ordering::Acquire);
        self.sum(current, slice.max(current.slice))
    }

    fn sum(&self, current: Count, at: u32) -> Sum {
        let counts = |slice: u32| slice <= at && at - slice < SLICES;
        let add_up = |slots: &Slots, counts: &dyn Fn(u32) -> bool| -> u64 {
            let held = slots.iter().map(|tally| tally.load(Ordering::Relaxed));
            held.filter(|held| counts(held.slice)).map(|held| u64::from(held.count)).sum()
        };
        // Another thread may be about to move on from the current slice: its count is taken from `current`.
        let before = add_up(&self.granted, &|slice| slice < current.slice && counts(slice));
        let current = if counts(current.slice) { current.count } else { 0 };
        Sum {
            calls: add_up(&self.calls, &counts),
            granted: before + u64::from(current),
            returned: add_up(&self.returned, &counts),
        }
    }
}

#[cfg(not(all(test, retry_loom)))]
const fn slots() -> Slots {
    [const { Tally::new() }; SLOTS]
}

#[cfg(all(test, retry_loom))]
fn slots() -> Slots {
    std::array::from_fn(|_| Tally::new())
}

#[inline]
fn slot(slots: &Slots, slice: u32) -> &Tally {
    // Never out of bounds, and the compiler sees that.
    &slots[slice as usize % SLOTS]
}
