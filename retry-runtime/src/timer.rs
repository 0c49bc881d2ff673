//! One timer for a whole call: made when first needed, moved on for every attempt and wait after that.

use std::future::Future;
use std::pin::Pin;
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
    struct Armed {
        #[pin]
        sleep: Sleep,
        // The waker that it will wake; `None`: it must be polled whatever the waker is.
        waker: Option<Waker>,
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
        if this.sleep.deadline() != at {
            this.sleep.as_mut().reset(at);
            *this.waker = None;
        }
        let is_registered = this.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker()));
        if is_registered && !this.sleep.is_elapsed() {
            // Polling again would only store the same waker once more.
            return Poll::Pending;
        }
        // A body that has spent the task's coop budget must not hide the limit.
        let mut unconstrained = coop::unconstrained(this.sleep);
        let fired = Pin::new(&mut unconstrained).poll(cx);
        *this.waker = if fired.is_pending() { Some(cx.waker().clone()) } else { None };
        fired
    }
}
