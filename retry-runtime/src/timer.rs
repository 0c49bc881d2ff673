//! One timer for a whole call: made when first needed, moved on for every attempt and wait after that.

use std::future::Future;
use std::pin::Pin;
use std::ptr;
use std::task::{Context, Poll, Waker};

use pin_project_lite::pin_project;
use tokio::task::coop;
use tokio::time::{Instant, Sleep, sleep_until};

pin_project! {
    pub(crate) struct Timer {
        #[pin]
        sleep: Option<Sleep>,
        // The waker that it will wake; `None`: it must be polled whatever the waker is.
        waker: Option<Waker>,
    }
}

impl Timer {
    #[inline]
    pub(crate) const fn new() -> Self {
        Self { sleep: None, waker: None }
    }

    /// To be called when the time to wait for has changed.
    #[inline]
    pub(crate) fn forget(self: Pin<&mut Self>) {
        *self.project().waker = None;
    }

    /// Ready when `at` is over, which is asked only where it is not known yet; `None` never is.
    pub(crate) fn poll_until(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        at: impl FnOnce() -> Option<Instant>,
    ) -> Poll<()> {
        if self.will_wake(cx.waker()) {
            // Polling again would only store the same waker once more.
            return Poll::Pending;
        }
        match at() {
            Some(at) => self.poll_anew(cx, at),
            None => Poll::Pending,
        }
    }

    fn will_wake(&self, waker: &Waker) -> bool {
        let (Some(sleep), Some(known)) = (&self.sleep, &self.waker) else { return false };
        is_same(known, waker) && !sleep.is_elapsed()
    }

    fn poll_anew(self: Pin<&mut Self>, cx: &mut Context<'_>, at: Instant) -> Poll<()> {
        let mut this = self.project();
        match this.sleep.as_mut().as_pin_mut() {
            None => this.sleep.set(Some(sleep_until(at))),
            Some(sleep) if sleep.deadline() != at => sleep.reset(at),
            Some(_) => {}
        }
        let Some(sleep) = this.sleep.as_pin_mut() else { return Poll::Pending };
        let fired = if coop::has_budget_remaining() {
            sleep.poll(cx)
        } else {
            // A body that has spent the task's coop budget must not hide the limit.
            Pin::new(&mut coop::unconstrained(sleep)).poll(cx)
        };
        *this.waker = if fired.is_pending() { Some(cx.waker().clone()) } else { None };
        fired
    }
}

/// Like `Waker::will_wake`, but also where the compiler has made several copies of one table.
fn is_same(a: &Waker, b: &Waker) -> bool {
    a.data() == b.data() && (ptr::eq(a.vtable(), b.vtable()) || a.vtable() == b.vtable())
}
