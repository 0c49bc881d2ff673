//! What generated code holds of a call.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;
use retry_policy::Policy;

use crate::deadline::{Deadline, Scope};
use crate::session::{Inner, Session, poll_attempt};
use crate::view::View;

pin_project! {
    /// One call of an annotated function. It is handed its policy whenever it needs it: a constant takes no room.
    pub struct Call {
        #[pin]
        session: Session,
    }
}

impl Call {
    /// Starts the call: reads the clock, and finds the deadline that it inherits.
    #[inline]
    pub fn new(policy: &Policy, deadline: Option<Deadline>) -> Self {
        let session = match deadline {
            None => Session::new(policy),
            Some(deadline) => Session::under(policy, deadline),
        };
        Self { session }
    }

    /// Waits as was decided, then runs an attempt to its end or its limit. `None`: it was cut, or not
    /// started. One future for both, as each point of suspension costs code in every function; it holds the call
    /// until it is ready, as what is kept twice costs room.
    #[inline]
    pub fn attempt<'p, F, P>(self: Pin<&mut Self>, policy: P, attempt: F) -> RunAttempt<'_, F, P>
    where
        F: Future,
        P: Fn() -> &'p Policy,
    {
        RunAttempt { call: Some(self), policy, attempt }
    }

    /// Runs what follows a give-up under the deadline of the call.
    pub fn in_scope<F: Future>(self: Pin<&mut Self>, policy: &Policy, future: F) -> Scope<F> {
        self.session.deadline(policy).scope(future)
    }

    /// What the error of an attempt tells about a call inside.
    pub fn inner<E>(&self, policy: &Policy, error: &E, view: View<E>) -> Inner {
        self.session.inner(policy, error, view)
    }

    pub(crate) fn session(self: Pin<&mut Self>) -> Pin<&mut Session> {
        self.project().session
    }
}

pin_project! {
    /// [`Call::attempt`].
    #[must_use = "futures do nothing unless polled"]
    pub struct RunAttempt<'a, F, P> {
        // Given back with the outcome.
        call: Option<Pin<&'a mut Call>>,
        policy: P,
        #[pin]
        attempt: F,
    }
}

impl<'a, 'p, F, P> Future for RunAttempt<'a, F, P>
where
    F: Future,
    P: Fn() -> &'p Policy,
{
    type Output = (Pin<&'a mut Call>, Option<F::Output>);

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let Some(call) = this.call else { return Poll::Pending };
        let outcome = ready!(poll_attempt((this.policy)(), call.as_mut().session(), this.attempt, cx));
        match this.call.take() {
            Some(call) => Poll::Ready((call, outcome)),
            None => Poll::Pending,
        }
    }
}
