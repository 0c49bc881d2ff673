//! What came of the attempts of the last while: successes and failures in slices of time.
//!
//! Each count is a word of its own with the number of its slice (36 bits) over the count (28 bits, where it stops), so
//! that an outcome is one exchange of one word, and a slice that comes up for reuse starts from zero in the same
//! exchange. A new generation of the breaker skips as many slices as there are words, so what an older one counted is
//! out of its window.

use crate::sync::{AtomicU64, Ordering, const_fn, fence, zeroes};

/// So many make a window.
pub(super) const SLICES: u64 = 10;

/// As a power of two, since a remainder of ten costs more than six words.
const WORDS: usize = 16;

const COUNT_BITS: u32 = 28;
const MOST: u64 = (1 << COUNT_BITS) - 1;
const SLICE_MASK: u64 = u64::MAX >> COUNT_BITS;

/// Slices that a thread may be behind another one. Numbers further ahead are old ones: they wrap around.
const AHEAD: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Window {
    successes: [AtomicU64; WORDS],
    failures: [AtomicU64; WORDS],
}

/// The number of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice(u64);

impl Slice {
    /// The slice of that number, as seen by a generation of the breaker.
    #[inline]
    pub(super) const fn new(number: u64, generation: u32) -> Self {
        // 2^32 generations of 16 slices are 2^36 slices: both wrap at once.
        Self(number.wrapping_add(generation as u64 * WORDS as u64) & SLICE_MASK)
    }

    #[inline]
    const fn since(self, other: Self) -> u64 {
        self.0.wrapping_sub(other.0) & SLICE_MASK
    }

    #[inline]
    const fn counted(self, count: u64) -> u64 {
        self.0 << COUNT_BITS | count
    }
}

const fn unpack(word: u64) -> (Slice, u64) {
    (Slice(word >> COUNT_BITS), word & MOST)
}

impl Window {
    const_fn! {
        pub(super) const fn new() -> Self {
            Self { successes: zeroes(), failures: zeroes() }
        }
    }

    /// Forgets everything: by its generation and slice alone, what was counted would be in the way of a clock that was
    /// set back, as that of the next test is.
    pub(super) fn clear(&self) {
        for word in self.successes.iter().chain(&self.failures) {
            // A store to each one would be more than a model of it can bear.
            if word.load(Ordering::Acquire) != 0 {
                word.store(0, Ordering::Release);
            }
        }
    }

    #[inline]
    pub(super) fn succeeded(&self, slice: Slice) {
        count(&self.successes, slice);
    }

    /// Counts the failure. True: among the attempts in the window, `minimum` or more, at least `percent` in a hundred
    /// have failed. Of threads that count at once, the last one sees all.
    pub(super) fn failed(&self, slice: Slice, percent: u32, minimum: u32) -> bool {
        count(&self.failures, slice);
        fence(Ordering::SeqCst);
        self.is_over(slice, percent, minimum)
    }

    fn is_over(&self, slice: Slice, percent: u32, minimum: u32) -> bool {
        let read =
            |words: &[AtomicU64; WORDS]| words.each_ref().map(|word| unpack(word.load(Ordering::Relaxed)));
        let (successes, failures) = (read(&self.successes), read(&self.failures));
        // Another thread's clock may be ahead, and both must not miss what the other one counted.
        let ahead = successes.iter().chain(&failures).filter(|&&(_, count)| count > 0);
        let ahead = ahead.map(|(at, _)| at.since(slice)).filter(|&ahead| ahead < AHEAD).max().unwrap_or(0);
        let latest = Slice::new(slice.0.wrapping_add(ahead), 0);
        let sum = |words: &[(Slice, u64)]| -> u64 {
            words.iter().filter(|(at, _)| latest.since(*at) < SLICES).map(|(_, count)| count).sum()
        };
        let (successes, failures) = (sum(&successes), sum(&failures));
        let calls = successes + failures;
        calls >= minimum.into() && failures * 100 >= u64::from(percent) * calls
    }
}

/// One more in this slice. What is late, by its clock or its generation, finds a newer slice in its word and leaves it.
#[inline]
fn count(words: &[AtomicU64; WORDS], slice: Slice) {
    let Some(word) = words.get(slice.0 as usize % WORDS) else { return };
    let mut seen = word.load(Ordering::Acquire);
    loop {
        let (at, so_far) = unpack(seen);
        let next = match at.since(slice) {
            _ if so_far == 0 => slice.counted(1),
            0 if so_far < MOST => seen + 1,
            0..AHEAD => return,
            _ => slice.counted(1),
        };
        match word.compare_exchange_weak(seen, next, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return,
            Err(now) => seen = now,
        }
    }
}

#[cfg(all(test, not(retry_loom)))]
mod tests {
    use super::*;

    fn at(number: u64) -> Slice {
        Slice::new(number, 0)
    }

    fn fail(window: &Window, slice: Slice) {
        window.failed(slice, 100, 1);
    }

    /// What is in the window, found out through the smallest minimum that is not reached.
    fn calls(window: &Window, slice: Slice) -> u32 {
        (0..).take_while(|&minimum| window.is_over(slice, 0, minimum)).count() as u32 - 1
    }

    #[test]
    fn a_percentage_is_not_truncated() {
        let window = Window::new();
        for _ in 0..2 {
            window.succeeded(at(0));
        }
        fail(&window, at(0)); // 1 of 3
        assert!(window.is_over(at(0), 33, 3));
        assert!(!window.is_over(at(0), 34, 3));
        assert!(!window.is_over(at(0), 33, 4));
    }

    #[test]
    fn a_count_leaves_with_its_slice() {
        let window = Window::new();
        fail(&window, at(5));
        window.succeeded(at(6));
        assert_eq!((calls(&window, at(14)), calls(&window, at(15)), calls(&window, at(16))), (2, 1, 0));
    }

    #[test]
    fn a_word_starts_from_zero_when_it_comes_up_again() {
        let window = Window::new();
        fail(&window, at(3));
        fail(&window, at(3));
        fail(&window, at(3 + WORDS as u64));
        assert_eq!(calls(&window, at(3 + WORDS as u64)), 1);
    }

    #[test]
    fn a_late_outcome_does_not_undo_a_newer_slice() {
        let window = Window::new();
        fail(&window, at(3 + WORDS as u64));
        fail(&window, at(3));
        assert_eq!(calls(&window, at(3 + WORDS as u64)), 1);
    }

    #[test]
    fn a_thread_that_is_behind_sees_the_counts_of_one_ahead() {
        let window = Window::new();
        fail(&window, at(7));
        fail(&window, at(6));
        assert_eq!(calls(&window, at(6)), 2);
    }

    #[test]
    fn a_new_generation_starts_empty_in_the_same_slice() {
        let window = Window::new();
        for generation in [0, 1, 2, u32::MAX, 0] {
            fail(&window, Slice::new(4, generation));
            assert_eq!(calls(&window, Slice::new(4, generation)), 1, "{generation}");
        }
    }

    #[test]
    fn a_clock_that_was_set_back_is_no_obstacle_once_cleared() {
        let window = Window::new();
        fail(&window, at(60));
        fail(&window, at(12));
        assert_eq!(calls(&window, at(12)), 1, "the word of slice 60 is in the way");
        window.clear();
        fail(&window, at(12));
        fail(&window, at(12));
        assert_eq!(calls(&window, at(12)), 2);
    }

    #[test]
    fn a_count_stops_at_its_limit_and_stays_in_its_bits() {
        let window = Window::new();
        if let Some(word) = window.failures.first() {
            word.store(at(WORDS as u64).counted(MOST), Ordering::Relaxed);
        }
        fail(&window, at(WORDS as u64));
        assert!(window.is_over(at(WORDS as u64), 100, MOST as u32));
        assert!(!window.is_over(at(WORDS as u64), 100, MOST as u32 + 1));
    }
}
