//! The failures of a call so far: what the attempts told, kept for the error at the end.

use std::marker::PhantomData;
use std::pin::Pin;
use std::time::Duration;

use retry_policy::Policy;

use crate::error::{Journal, Report};
use crate::session::{Inner, Outcome};
use crate::view::View;

/// A call that attempts are recorded with.
pub trait Recorder {
    /// Decides what follows an attempt that has ended: true for another one, or to wait for those that run.
    fn record(
        self: Pin<&mut Self>,
        policy: &Policy,
        report: &mut Report,
        outcome: Outcome,
        hint: Option<Duration>,
    ) -> bool;

    /// The call ends with the value of the attempt that has just ended.
    fn succeed(self: Pin<&mut Self>);

    /// What the error of that attempt tells about a call inside.
    fn inner<E>(&self, policy: &Policy, error: &E, view: View<E>) -> Inner;

    /// Whether an attempt was cut; else none was started any more.
    fn was_cut(&self) -> bool;

    /// Completes the report of a call that has ended with an error.
    fn close(self: Pin<&mut Self>, policy: &Policy, report: &mut Report);
}

/// Allocated at the first failure. `V` tells how errors are looked at, where that is known.
pub struct Log<E, V = ()>(Option<Box<Journal<E>>>, PhantomData<fn() -> V>);

impl<E, V> Log<E, V> {
    pub(crate) const EMPTY: Self = Self(None, PhantomData);

    /// The body returned an error: is there another attempt?
    #[allow(clippy::too_many_arguments)] // Each of them is one fact about the attempt.
    pub fn error(
        &mut self,
        policy: &Policy,
        call: Pin<&mut impl Recorder>,
        error: E,
        view: View<E>,
        inner: Inner,
        transient: bool,
        hint: Option<Duration>,
    ) -> bool {
        self.journal().push(error, view);
        let outcome = match inner {
            Inner::GaveUp(says) => Outcome::InnerGaveUp(says),
            _ if transient => Outcome::Transient,
            _ => Outcome::Final,
        };
        self.push(policy, call, outcome, hint)
    }

    /// A call inside was cut with the attempt: is there another one?
    pub fn cut_inside(&mut self, policy: &Policy, call: Pin<&mut impl Recorder>) -> bool {
        self.push(policy, call, Outcome::CutInside, None)
    }

    /// The body returned a value that is worth another attempt: is there one?
    pub fn value(&mut self, policy: &Policy, call: Pin<&mut impl Recorder>, hint: Option<Duration>) -> bool {
        self.push(policy, call, Outcome::Value, hint)
    }

    /// The attempt was cut, or not started: is there another one?
    pub fn cut(&mut self, policy: &Policy, call: Pin<&mut impl Recorder>) -> bool {
        call.was_cut() && self.push(policy, call, Outcome::Cut, None)
    }

    pub(crate) fn close(&mut self, policy: &Policy, call: Pin<&mut impl Recorder>) -> Box<Journal<E>> {
        let mut journal = self.0.take().unwrap_or_default();
        call.close(policy, journal.report());
        journal
    }

    #[inline]
    fn push(
        &mut self,
        policy: &Policy,
        call: Pin<&mut impl Recorder>,
        outcome: Outcome,
        hint: Option<Duration>,
    ) -> bool {
        call.record(policy, self.journal().report(), outcome, hint)
    }

    fn journal(&mut self) -> &mut Journal<E> {
        self.0.get_or_insert_with(Box::default)
    }
}
