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
        armed: Option<Armed>,
    }
}

pin_project! {
    struct Armed {
        #[pin]
        sleep: Sleep,
        // The waker that it was given; `None`: none yet, or it is to wait for another instant.
        waker: Option<Waker>,
    }
}

impl Timer {
    #[inline]
    pub(crate) const fn new() -> Self {
        Self { armed: None }
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
            Some(Armed { waker: Some(waker), sleep }) if is_same(waker, cx.waker()) => {
                if sleep.is_elapsed() {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
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
        if armed.is_none() {
            armed.set(Some(Armed { sleep: sleep_until(at), waker: None }));
        }
        let Some(armed) = armed.as_pin_mut() else { return Poll::Pending };
        let armed = armed.project();
        let mut sleep = armed.sleep;
        if sleep.deadline() != at {
            sleep.as_mut().reset(at);
        }
        let fired = if coop::has_budget_remaining() {
            sleep.poll(cx)
        } else {
            // A body that has spent the task's coop budget must not hide the limit.
            Pin::new(&mut coop::unconstrained(sleep)).poll(cx)
        };
        *armed.waker = fired.is_pending().then(|| cx.waker().clone());
        fired
    }
}

/// Like `Waker::will_wake`, but also where the compiler has made several copies of one table.
#[inline]
fn is_same(a: &Waker, b: &Waker) -> bool {
    a.data() == b.data() && (ptr::eq(a.vtable(), b.vtable()) || a.vtable() == b.vtable())
}
