//! One timer for a whole call: made when first needed, moved on for every attempt and wait after that.

use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::task::{Context, Poll, RawWakerVTable, Waker};

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
    struct Armed {
        #[pin]
        sleep: Sleep,
        // The waker that it will wake; `None`: it must be polled whatever the waker is.
        waker: Option<Address>,
    }
}

/// A waker's addresses. As long as the timer is armed it holds a clone of the waker, so no other one has them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Address {
    vtable: NonZeroUsize,
    data: usize,
}

impl Address {
    fn of(waker: &Waker) -> Self {
        let vtable: *const RawWakerVTable = waker.vtable();
        // A reference is never null.
        Self {
            vtable: NonZeroUsize::new(vtable.addr()).unwrap_or(NonZeroUsize::MIN),
            data: waker.data().addr(),
        }
    }
}

impl Timer {
    #[inline]
    pub(crate) const fn new() -> Self {
        Self { armed: None }
    }

    /// Ready when `at` is over. To wait for another instant, just name that.
    pub(crate) fn poll_until(self: Pin<&mut Self>, cx: &mut Context<'_>, at: Instant) -> Poll<()> {
        let mut armed = self.project().armed;
        if armed.is_none() {
            armed.set(Some(Armed { sleep: sleep_until(at), waker: None }));
        }
        match armed.as_pin_mut() {
            Some(armed) => armed.poll_until(cx, at),
            None => Poll::Pending,
        }
    }
}

impl Armed {
    fn poll_until(self: Pin<&mut Self>, cx: &mut Context<'_>, at: Instant) -> Poll<()> {
        let mut this = self.project();
        let waker = Some(Address::of(cx.waker()));
        if this.sleep.deadline() != at {
            this.sleep.as_mut().reset(at);
        } else if *this.waker == waker && !this.sleep.is_elapsed() {
            // Polling again would only store the same waker once more.
            return Poll::Pending;
        }
        // A body that has spent the task's coop budget must not hide the limit.
        let mut unconstrained = coop::unconstrained(this.sleep);
        let fired = Pin::new(&mut unconstrained).poll(cx);
        *this.waker = if fired.is_pending() { waker } else { None };
        fired
    }
}
