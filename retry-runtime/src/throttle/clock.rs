//! Instants to numbered slices of time.
//!
//! An instant can be subtracted from another one and compared with it, and the subtraction costs more than all else
//! that a call does here. So each thread notes until when it need not subtract.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

#[derive(Debug)]
pub(super) struct Clock {
    /// The length of a slice, in nanoseconds.
    slice: u64,
    /// The first time that was seen: slice 0 begins.
    origin: OnceLock<Instant>,
    /// From 1, never used again; 0: no time was seen yet.
    id: AtomicU64,
}

/// When a slice ends that the clock of this number has come to.
#[repr(align(32))]
struct Noted {
    id: Cell<u64>,
    end: Cell<Option<Instant>>,
}

/// How many clocks a thread notes; a power of two. Two that meet in one place only cost time.
const PLACES: usize = 8;

// A constant at the start that needs no drop, so that access is a plain load or store.
thread_local! {
    static NOTED: [Noted; PLACES] =
        const { [const { Noted { id: Cell::new(u64::MAX), end: Cell::new(None) } }; PLACES] };
}

impl Clock {
    pub(super) const fn new(slice: Duration) -> Self {
        Self { slice: slice.as_nanos() as u64, origin: OnceLock::new(), id: AtomicU64::new(0) }
    }

    /// Whether this thread knows that the slice has not ended that it noted last. False where it does not know.
    #[inline]
    pub(super) fn is_before_end(&self, now: Instant) -> bool {
        let id = self.id.load(Ordering::Relaxed);
        NOTED.with(|all| {
            let noted = &all[id as usize % PLACES];
            noted.id.get() == id && noted.end.get().is_some_and(|end| now < end)
        })
    }

    /// Notes that time has come to this slice.
    pub(super) fn note(&self, slice: u32) {
        let Some(origin) = self.origin.get() else { return };
        let end = Duration::from_nanos(self.slice.saturating_mul(u64::from(slice) + 1));
        let id = self.id.load(Ordering::Relaxed);
        NOTED.with(|all| {
            let noted = &all[id as usize % PLACES];
            noted.id.set(id);
            noted.end.set(origin.checked_add(end));
        });
    }

    /// The slice of an instant. After some years the last one never ends.
    pub(super) fn slice_of(&self, now: Instant) -> u32 {
        let origin = self.origin.get().copied().unwrap_or_else(|| self.begin(now));
        let slice = now.saturating_duration_since(origin).as_nanos() / u128::from(self.slice);
        u32::try_from(slice).unwrap_or(u32::MAX)
    }

    fn begin(&self, now: Instant) -> Instant {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let origin = *self.origin.get_or_init(|| now);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        // Of threads that begin at the same time, one names it.
        _ = self.id.compare_exchange(0, id, Ordering::Relaxed, Ordering::Relaxed);
        origin
    }
}
