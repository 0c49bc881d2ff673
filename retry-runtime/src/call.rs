//! What generated code holds of a call.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use retry_policy::Policy;

use crate::deadline::{Deadline, Scope};
use crate::error::Report;
use crate::guards::{Guard, Unguarded, Watch};
use crate::log::Recorder;
use crate::scope::Around;
use crate::session::{Inner, Outcome, Session};
use crate::view::View;

pin_project! {
    /// One call of an annotated function. It is handed its policy whenever it needs it: a constant takes no room.
    pub struct Call<G = Unguarded> {
        #[pin]
        session: Session,
        guards: G,
    }
}

impl<G: Guard> Call<G> {
    /// Starts the call: reads the clock, and finds the deadline that it inherits.
    #[inline]
    pub fn new(policy: &Policy, deadline: Option<Deadline>, guards: impl FnOnce() -> G) -> Self {
        let session = match deadline {
            None => Session::new(policy),
            Some(deadline) => Session::under(policy, deadline),
        };
        // Made where they stay.
        Self { session, guards: guards() }
    }

    /// Waits as was decided, then runs an attempt to its end or its limit. `None`: it was cut, or not
    /// started. One future for both, as each point of suspension costs code in every function; it holds the call
    /// until it is ready, as what is kept twice costs room.
    #[inline]
    pub fn attempt<'p, F, P>(self: Pin<&mut Self>, policy: P, attempt: F) -> RunAttempt<'_, G, F, P>
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

    #[inline]
    fn parts(self: Pin<&mut Self>) -> (Pin<&mut Session>, Option<&mut dyn Watch>) {
        let this = self.project();
        (this.session, this.guards.guards())
    }

    /// Ready when an attempt runs, or (false) there is none any more.
    #[inline(always)]
    pub(crate) fn poll_admitted(
        mut self: Pin<&mut Self>,
        policy: &Policy,
        cx: &mut Context<'_>,
    ) -> Poll<bool> {
        let this = self.as_mut().project();
        let mut session = this.session;
        if !session.is_running() && !ready!(session.as_mut().poll_start(policy, cx)) {
            // The attempt that was paid for is not made.
            if let Some(guards) = this.guards.guards() {
                guards.give_back();
            }
            return Poll::Ready(false);
        }
        Poll::Ready(session.pass(this.guards))
    }

    /// Waits as was decided, starts the attempt, polls it, then its limit. `None`: it was cut, or not started; either way
    /// it must be dropped before the outcome is recorded, so that what it holds is free during the wait.
    #[inline]
    pub(crate) fn poll_attempt<F: Future>(
        mut self: Pin<&mut Self>,
        policy: &Policy,
        attempt: Pin<&mut F>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<F::Output>> {
        if !ready!(self.as_mut().poll_admitted(policy, cx)) {
            return Poll::Ready(None);
        }
        self.project().session.poll_running(attempt, cx)
    }

    /// Runs `make` as a part of the attempt.
    pub(crate) fn inside<T>(self: Pin<&mut Self>, make: impl FnOnce() -> T) -> T {
        let mut session = self.project().session;
        let mut around = Around::nothing();
        session.enter(&mut around);
        let made = make();
        session.as_mut().leave(&around);
        made
    }
}

impl<G: Guard> Recorder for Call<G> {
    #[inline]
    fn record(
        self: Pin<&mut Self>,
        policy: &Policy,
        report: &mut Report,
        outcome: Outcome,
        hint: Option<Duration>,
    ) -> bool {
        let (session, guards) = self.parts();
        session.record(policy, guards, report, outcome, hint)
    }

    #[inline]
    fn succeed(self: Pin<&mut Self>) {
        let this = self.project();
        this.session.succeed(this.guards);
    }

    fn inner<E>(&self, policy: &Policy, error: &E, view: View<E>) -> Inner {
        self.session.inner(policy, error, view)
    }

    fn was_cut(&self) -> bool {
        self.session.was_cut()
    }

    fn close(self: Pin<&mut Self>, policy: &Policy, report: &mut Report) {
        let (session, guards) = self.parts();
        session.close(policy, guards, report);
    }
}

pin_project! {
    /// [`Call::attempt`].
    #[must_use = "futures do nothing unless polled"]
    pub struct RunAttempt<'a, G, F, P> {
        // Given back with the outcome.
        call: Option<Pin<&'a mut Call<G>>>,
        policy: P,
        #[pin]
        attempt: F,
    }
}

impl<'a, 'p, G, F, P> Future for RunAttempt<'a, G, F, P>
where
    G: Guard,
    F: Future,
    P: Fn() -> &'p Policy,
{
    type Output = (Pin<&'a mut Call<G>>, Option<F::Output>);

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let Some(call) = this.call else { return Poll::Pending };
        let outcome = ready!(call.as_mut().poll_attempt((this.policy)(), this.attempt, cx));
        match this.call.take() {
            Some(call) => Poll::Ready((call, outcome)),
            None => Poll::Pending,
        }
    }
}
