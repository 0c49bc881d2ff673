//! The failures of a call so far: what the attempts told, kept for the error at the end.

use std::pin::Pin;
use std::time::Duration;

use retry_policy::{Nested, Policy};

use crate::call::Call;
use crate::chain;
use crate::error::Journal;
use crate::session::{Outcome, Session};
use crate::view::View;

/// Allocated at the first failure.
pub struct Log<E>(Option<Box<Journal<E>>>);

impl<E> Log<E> {
    pub(crate) const EMPTY: Self = Self(None);

    /// The body returned an error: is there another attempt?
    pub fn error(
        &mut self,
        call: Pin<&mut Call<'_>>,
        error: E,
        view: View<E>,
        transient: bool,
        hint: Option<Duration>,
    ) -> bool {
        let (policy, session) = call.parts();
        self.push_error(policy, session, error, view, transient, hint)
    }

    /// The body returned a value that is worth another attempt: is there one?
    pub fn value(&mut self, call: Pin<&mut Call<'_>>, hint: Option<Duration>) -> bool {
        let (policy, session) = call.parts();
        self.push(policy, session, &Outcome::Value, hint)
    }

    /// The attempt was cut, or not started: is there another one?
    pub fn cut(&mut self, call: Pin<&mut Call<'_>>) -> bool {
        let (policy, session) = call.parts();
        self.push_cut(policy, session)
    }

    pub(crate) fn close(&mut self, call: Pin<&mut Call<'_>>) -> Box<Journal<E>> {
        let (policy, session) = call.parts();
        self.finish(policy, &session)
    }

    pub(crate) fn push_error(
        &mut self,
        policy: &Policy,
        session: Pin<&mut Session>,
        error: E,
        view: View<E>,
        transient: bool,
        hint: Option<Duration>,
    ) -> bool {
        let inner = match policy.nested() {
            Nested::Stop => view.error(&error).and_then(chain::give_up_in),
            Nested::Retry => None,
        };
        if inner.is_some_and(|inner| session.is_own_cut(&inner)) {
            return self.push_cut(policy, session);
        }
        self.journal(policy).push(error, view);
        self.push(policy, session, &Outcome::Error { transient, inner }, hint)
    }

    pub(crate) fn push_cut(&mut self, policy: &Policy, session: Pin<&mut Session>) -> bool {
        !session.was_refused() && self.push(policy, session, &Outcome::Cut, None)
    }

    pub(crate) fn push(
        &mut self,
        policy: &Policy,
        session: Pin<&mut Session>,
        outcome: &Outcome,
        hint: Option<Duration>,
    ) -> bool {
        session.record(policy, self.journal(policy).report(), outcome, hint)
    }

    pub(crate) fn finish(&mut self, policy: &Policy, session: &Session) -> Box<Journal<E>> {
        let mut journal = self.0.take().unwrap_or_else(|| Journal::new(policy));
        session.close(policy, journal.report());
        journal
    }

    fn journal(&mut self, policy: &Policy) -> &mut Journal<E> {
        self.0.get_or_insert_with(|| Journal::new(policy))
    }
}
