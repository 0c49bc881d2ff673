//! One timer for a whole call: made when first needed, moved on for every attempt and wait after that.

use std::cell::Cell;
use std::future::Future;
use std::num::NonZeroU64;
use std::pin::Pin;
use std::ptr;
use std::task::{Context, Poll, Waker};

use pin_project_lite::pin_project;
use tokio::task::coop;
use tokio::time::{Instant, Sleep, sleep_until};

pin_project! {
    pub(crate) struct Timer {
        #[pin]
        armed: Option<Armed>,
    }
}

pin_project! {
    #[project = Projected]
    struct Armed {
        #[pin]
        sleep: Sleep,
        // What it was given; `None`: nothing yet, or it is to wait for another instant.
        waker: Option<NonZeroU64>,
    }
}

impl Timer {
    #[inline]
    pub(crate) const fn new() -> Self {
        Self { armed: None }
    }

    /// Whether there was something to wait for.
    #[inline]
    pub(crate) fn is_armed(&self) -> bool {
        self.armed.is_some()
    }

    /// To be called when the time to wait for has changed: the next poll is one for another instant.
    #[inline]
    pub(crate) fn forget(self: Pin<&mut Self>) {
        if let Some(armed) = self.project().armed.as_pin_mut() {
            *armed.project().waker = None;
        }
    }

    /// Ready when `at` is over, which is asked only where it has changed. `None` never is.
    #[inline]
    pub(crate) fn poll_until(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        at: impl FnOnce() -> Option<Instant>,
    ) -> Poll<()> {
        match &self.armed {
            // Polling it would only store the same waker once more.
            Some(Armed { waker: known @ Some(_), sleep }) if *known == mark(cx.waker()) => {
                if sleep.is_elapsed() { Poll::Ready(()) } else { Poll::Pending }
            }
            _ => self.poll_anew(cx, at),
        }
    }

    #[inline(never)]
    fn poll_anew(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        at: impl FnOnce() -> Option<Instant>,
    ) -> Poll<()> {
        let Some(at) = at() else { return Poll::Pending };
        let mut armed = self.project().armed;
        match armed.as_mut().as_pin_mut() {
            None => armed.set(Some(Armed { sleep: sleep_until(at), waker: None })),
            Some(armed) if armed.sleep.deadline() != at => armed.project().sleep.reset(at),
            Some(_) => {}
        }
        let Some(armed) = armed.as_pin_mut() else { return Poll::Pending };
        let Projected { sleep, waker } = armed.project();
        // A body that has spent the task's coop budget must not hide the limit.
        let fired = if coop::has_budget_remaining() {
            sleep.poll(cx)
        } else {
            Pin::new(&mut coop::unconstrained(sleep)).poll(cx)
        };
        if fired.is_pending() && shares_data(cx.waker()) {
            *waker = mark(cx.waker());
        }
        fired
    }
}

thread_local! {
    /// The address of a table whose wakers share their data with their clones.
    static SHARING: Cell<usize> = const { Cell::new(0) };
}

/// Whether a clone has the same data, as with all wakers that count references. A waker may also be a box of its own,
/// whose address is free for another one when it is dropped.
#[inline]
fn shares_data(waker: &Waker) -> bool {
    SHARING.get() == table(waker) || learn(waker)
}

#[cold]
#[inline(never)]
fn learn(waker: &Waker) -> bool {
    let clone = waker.clone();
    let shares = clone.data() == waker.data() && table(&clone) == table(waker);
    if shares {
        SHARING.set(table(waker));
    }
    shares
}

fn table(waker: &Waker) -> usize {
    ptr::from_ref(waker.vtable()).addr()
}

/// Tells wakers that share their data with their clones apart by their addresses, without keeping one: until it fires,
/// the timer has a clone of the one that it was given, so that no other can have its data. Half the room of both
/// addresses. Exact for wakers of one table, as the factor is odd; those of two tables have the same mark where their
/// data differ by one number out of 2^64, most of which are no difference of addresses.
#[inline]
fn mark(waker: &Waker) -> Option<NonZeroU64> {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    NonZeroU64::new((waker.data().addr() as u64).wrapping_mul(ODD) ^ table(waker) as u64)
}
