//! What generated code holds of a call: its session beside its policy.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use retry_policy::{Nested, Policy};

use crate::deadline::{Deadline, Scope};
use crate::session::{Inner, Session, poll_attempt};
use crate::view::View;

pin_project! {
    /// One call of an annotated function.
    pub struct Call<'p> {
        policy: &'p Policy,
        #[pin]
        session: Session,
    }
}

impl<'p> Call<'p> {
    /// Starts the call: reads the clock, and finds the deadline that it inherits.
    #[inline]
    pub fn new(policy: &'p Policy, deadline: Option<Deadline>) -> Self {
        let session = match deadline {
            None => Session::new(policy),
            Some(deadline) => Session::under(policy, deadline),
        };
        Self { policy, session }
    }

    /// Waits as was decided, then runs an attempt to its end or its limit. `None`: it was cut, or not
    /// started. One future for both, as each point of suspension costs code in every function.
    #[inline]
    pub fn attempt<'a, F: Future>(self: Pin<&'a mut Self>, attempt: Pin<&'a mut F>) -> RunAttempt<'a, 'p, F> {
        RunAttempt { call: self, attempt }
    }

    /// Runs what follows a give-up under the deadline of the call.
    pub fn in_scope<F: Future>(self: Pin<&mut Self>, future: F) -> Scope<F> {
        self.session.deadline(self.policy).scope(future)
    }

    /// What the error of an attempt tells about a call inside.
    pub fn inner<E>(&self, error: &E, view: View<E>) -> Inner {
        self.session.inner(self.policy, error, view)
    }

    /// Whether the give-up of an inner call is an error like any other.
    pub(crate) fn repeats_give_ups(&self) -> bool {
        self.policy.nested() == Nested::Retry
    }

    pub(crate) fn parts(self: Pin<&mut Self>) -> (&'p Policy, Pin<&mut Session>) {
        let this = self.project();
        (this.policy, this.session)
    }
}

/// [`Call::attempt`].
#[must_use = "futures do nothing unless polled"]
pub struct RunAttempt<'a, 'p, F> {
    call: Pin<&'a mut Call<'p>>,
    attempt: Pin<&'a mut F>,
}

impl<F: Future> Future for RunAttempt<'_, '_, F> {
    type Output = Option<F::Output>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let (policy, session) = this.call.as_mut().parts();
        poll_attempt(policy, session, this.attempt.as_mut(), cx)
    }
}
