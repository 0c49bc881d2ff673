//! The failures of a call so far: what the attempts told, kept for the error at the end.

use std::pin::Pin;
use std::time::Duration;

use retry_policy::Policy;

use crate::call::Call;
use crate::error::Journal;
use crate::session::{Inner, Outcome, Session};
use crate::view::View;

/// Allocated at the first failure.
pub struct Log<E>(Option<Box<Journal<E>>>);

impl<E> Log<E> {
    pub(crate) const EMPTY: Self = Self(None);

    /// The body returned an error: is there another attempt?
    pub fn error(
        &mut self,
        policy: &Policy,
        call: Pin<&mut Call>,
        error: E,
        view: View<E>,
        inner: Inner,
        transient: bool,
        hint: Option<Duration>,
    ) -> bool {
        let session = call.session();
        self.push_error(policy, session, error, view, inner, transient, hint)
    }

    /// A call inside was cut with the attempt: is there another one?
    pub fn cut_inside(&mut self, policy: &Policy, call: Pin<&mut Call>) -> bool {
        let session = call.session();
        self.push(policy, session, Outcome::CutInside, None)
    }

    /// The body returned a value that is worth another attempt: is there one?
    pub fn value(&mut self, policy: &Policy, call: Pin<&mut Call>, hint: Option<Duration>) -> bool {
        let session = call.session();
        self.push(policy, session, Outcome::Value, hint)
    }

    /// The attempt was cut, or not started: is there another one?
    pub fn cut(&mut self, policy: &Policy, call: Pin<&mut Call>) -> bool {
        let session = call.session();
        self.push_cut(policy, session)
    }

    pub(crate) fn close(&mut self, policy: &Policy, call: Pin<&mut Call>) -> Box<Journal<E>> {
        let session = call.session();
        self.finish(policy, &session)
    }

    #[allow(clippy::too_many_arguments)] // Each of them is one fact about the attempt.
    pub(crate) fn push_error(
        &mut self,
        policy: &Policy,
        session: Pin<&mut Session>,
        error: E,
        view: View<E>,
        inner: Inner,
        transient: bool,
        hint: Option<Duration>,
    ) -> bool {
        self.journal().push(error, view);
        let outcome = match inner {
            Inner::GaveUp => Outcome::InnerGaveUp,
            _ if transient => Outcome::Transient,
            _ => Outcome::Final,
        };
        self.push(policy, session, outcome, hint)
    }

    pub(crate) fn push_cut(&mut self, policy: &Policy, session: Pin<&mut Session>) -> bool {
        !session.was_refused() && self.push(policy, session, Outcome::Cut, None)
    }

    #[inline]
    pub(crate) fn push(
        &mut self,
        policy: &Policy,
        session: Pin<&mut Session>,
        outcome: Outcome,
        hint: Option<Duration>,
    ) -> bool {
        session.record(policy, self.journal().report(), outcome, hint)
    }

    pub(crate) fn finish(&mut self, policy: &Policy, session: &Session) -> Box<Journal<E>> {
        let mut journal = self.0.take().unwrap_or_default();
        session.close(policy, journal.report());
        journal
    }

    fn journal(&mut self) -> &mut Journal<E> {
        self.0.get_or_insert_with(Box::default)
    }
}
