//! The rule `ratio`: retries in a share of the calls of a sliding window of time.

use std::time::Duration;

use tokio::time::Instant;

use super::clock::Clock;
use super::ledger::{Ledger, SLICES, Sum};
use crate::sync::const_fn;

/// Amounts are hundredths of a retry: a call brings `percent` of them.
const RETRY: i64 = 100;

#[derive(Debug)]
pub(super) struct Window {
    pub(super) percent: u32,
    pub(super) min_per_second: u32,
    pub(super) length: Duration,
    /// What is there without any call.
    reserve: i64,
    clock: Clock,
    ledger: Ledger,
}

impl Window {
    const_fn! {
    /// `length` is from a second to a minute.
    pub(super) const fn new(percent: u32, min_per_second: u32, length: Duration) -> Self {
        let nanos = length.as_nanos();
        Self {
            percent,
            min_per_second,
            length,
            reserve: (min_per_second as u128 * RETRY as u128 * nanos / 1_000_000_000) as i64,
            clock: Clock::new(Duration::from_nanos(nanos as u64 / SLICES as u64)),
            ledger: Ledger::new(),
        }
    }
    }

    #[inline]
    pub(super) fn call(&self, now: Instant) {
        self.ledger.call(self.turn(now));
    }

    /// Grants a retry. Returns the slice in which it counts.
    pub(super) fn grant(&self, now: Instant) -> Option<u32> {
        self.turn(now);
        self.ledger.grant(|sum| self.balance(sum) >= RETRY)
    }

    pub(super) fn give_back(&self, slice: u32) {
        self.ledger.give_back(slice);
    }

    /// How many retries would be granted.
    pub(super) fn available(&self, now: Instant) -> u32 {
        let sum = self.ledger.sum_at(self.clock.slice_of(now));
        u32::try_from((self.balance(sum) / RETRY).max(0)).unwrap_or(u32::MAX)
    }

    /// Sums have less than 2^36 of each, so nothing overflows.
    fn balance(&self, sum: Sum) -> i64 {
        let Sum { calls, granted, returned } = sum;
        self.reserve + calls as i64 * i64::from(self.percent) + (returned as i64 - granted as i64) * RETRY
    }

    /// The current slice.
    #[inline]
    fn turn(&self, now: Instant) -> u32 {
        // The ledger has come to the slice that was noted, or further.
        if self.clock.is_before_end(now) { self.ledger.slice() } else { self.turn_to(now) }
    }

    #[cold]
    #[inline(never)]
    fn turn_to(&self, now: Instant) -> u32 {
        let slice = self.ledger.turn(self.clock.slice_of(now));
        self.clock.note(slice);
        slice
    }
}
