//! The promises in a straight line: no futures, no timers, and a clock that is a number.
//!
//! Nothing here is taken from the code that is tested. Times in nanoseconds since the start of the case.

use retry_runtime::{AttemptOutcome, Reason};

use crate::case::*;
use crate::guards::{self, Grant, Permit, Verdict};

const MS: i64 = 1_000_000;

/// What is cut later than this never is.
const NEVER: i64 = i64::MAX;

/// A case with more events than this is not worth its time.
const MOST_EVENTS: usize = 600;

pub(crate) struct Reference {
    now: i64,
    /// When what runs now is cut; what is ready at that instant still counts.
    cut_at: i64,
    /// How many calls gave up after more than one attempt.
    repeated: u32,
    /// What stands still because it is not polled any more: attempts, innermost first, and whether one of their
    /// calls was at it for the second time or more.
    still: Vec<u64>,
    still_repeating: bool,
    /// What those calls have of breaker and throttle.
    still_held: Vec<Holds>,
    breaker: Option<guards::Breaker>,
    throttle: Option<guards::Throttle>,
    trace: Vec<Event>,
}

/// What a call has of breaker and throttle.
#[derive(Default)]
struct Holds {
    /// While an attempt runs.
    permit: Option<Permit>,
    /// During the wait, for the attempt after it.
    grant: Option<Grant>,
    /// What the last retry took.
    spent: Option<Grant>,
}

/// Why a line of the script is left half way.
enum Left {
    Cut,
    Panicked,
    /// The case is too long.
    Abandoned,
}

#[derive(Clone)]
enum Error {
    Plain { id: u64, transient: bool, hint: Option<i64> },
    GaveUp { told: Box<GiveUp>, struck: Option<i64>, last: Option<Box<Error>>, says: Says },
}

/// What an attempt that brought no answer home says about its server, and a give-up: the most of what its attempts
/// have said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    /// It was not asked.
    Nothing,
    /// It did not answer within what the caller has left: that says something to a caller with more time only.
    Hurried,
    Failed,
}

#[derive(Clone)]
struct Value {
    id: u64,
    worth_another: bool,
    hint: Option<i64>,
}

/// The trace of the case; `None` where it is too long.
pub(crate) fn expect(case: &Case) -> Option<Vec<Event>> {
    let mut world = Reference {
        now: 0,
        cut_at: NEVER,
        repeated: 0,
        still: vec![],
        still_repeating: false,
        still_held: vec![],
        breaker: case.breaker.as_ref().map(guards::Breaker::new),
        throttle: case.throttle.as_ref().map(guards::Throttle::new),
        trace: vec![],
    };
    for (turn, path) in case.turns.iter().zip(1..) {
        if world.turn(turn, path).is_err() {
            return None;
        }
    }
    Some(world.trace)
}

impl Reference {
    fn turn(&mut self, turn: &Turn, path: u64) -> Result<(), Left> {
        self.pass(self.now + turn.pause * 1_000)?;
        if let (Some(breaker), Some(hand)) = (&mut self.breaker, turn.by_hand) {
            breaker.by_hand(hand, self.now);
        }
        let end = self.now + turn.cancelled * 1_000;
        let told = match self.until(end, |world| world.call(&turn.call, path, None)) {
            Ok(Some(answer)) => tell(&answer),
            Ok(None) => {
                self.drop_what_stands_still();
                Told::Dropped
            }
            Err(Left::Panicked) => Told::Panicked,
            Err(left) => return Err(left),
        };
        self.answer(path, told)
    }

    fn call(&mut self, call: &Call, path: u64, inherited: Option<i64>) -> Result<Result<Value, Error>, Left> {
        let Numbers { total, per_attempt, attempts, backoff, factor, max_backoff, min_attempt } =
            numbers(call);
        let start = self.now;

        // One deadline: the own total, or what the caller says, less the margin.
        let own = total.map(|total| start + total);
        let callers = earlier(inherited, call.deadline.map(|after| start + after * 1_000));
        let callers_less_margin = callers.map(|at| at - call.margin * 1_000);
        let is_callers = earlier(own, callers_less_margin) == callers_less_margin && callers.is_some();
        let deadline = if is_callers { callers_less_margin } else { own };
        let out_of_time = if is_callers { Reason::InheritedDeadline } else { Reason::TotalElapsed };

        let (mut number, mut shortened, mut late, mut next_wait) = (0, false, 0, backoff as f64);
        let (mut kept, mut errors, mut history) = (None, Vec::new(), Vec::new());
        let (mut was_cut, mut cut_limit, mut hint) = (false, None, None);
        let (mut holds, mut says) = (Holds::default(), Says::Nothing);
        let reason = loop {
            // No hopeless attempt. That the timer of a wait was late takes none away.
            let left = deadline.map(|deadline| deadline - self.now);
            if left.is_some_and(|left| left <= 0 || left + late < min_attempt) {
                break out_of_time;
            }

            // The breaker lets it pass, and the throttle is told: a retry was paid for before its wait.
            if let Some(breaker) = self.breaker.as_mut().filter(|_| call.breaker) {
                match breaker.admit(self.now) {
                    Ok(permit) => holds.permit = Some(permit),
                    Err(retry_after) => {
                        hint = retry_after;
                        break Reason::CircuitOpen;
                    }
                }
            }
            if let Some(throttle) = self.throttle.as_mut().filter(|_| call.throttle) {
                match holds.grant.take() {
                    Some(grant) => holds.spent = Some(grant),
                    None => throttle.call(self.now),
                }
            }

            // Every attempt is limited.
            number += 1;
            let attempts_left = i64::from(attempts.unwrap_or(u32::MAX) - (number - 1));
            let limit = match (per_attempt, left) {
                (Limit::Of(limit), Some(left)) => Some(limit.min(left)),
                (Limit::Of(limit), None) => Some(limit),
                (Limit::Share, Some(left)) if !shortened => {
                    Some((left / attempts_left).max(min_attempt).min(left))
                }
                (_, left) => left,
            };
            let (began, end) = (self.now, limit.map(|limit| self.now + limit));
            let (id, repeated_before) = (attempt_id(path, number), self.repeated);
            self.note(Event::Start { id, at: began, limit })?;
            let script = &call.script[(number as usize - 1).min(call.script.len() - 1)];
            let outcome = self.until(end.unwrap_or(NEVER), |world| world.attempt(script, id, end));
            let mut inner_repeated = self.repeated > repeated_before;
            match outcome {
                Err(Left::Cut) => {
                    self.still.push(id);
                    self.still_repeating |= number > 1;
                    self.still_held.push(holds);
                    return Err(Left::Cut);
                }
                Ok(None) => {
                    inner_repeated |= self.still_repeating;
                    self.drop_what_stands_still();
                }
                _ => {}
            }
            self.note(Event::End { id, at: self.now })?;

            // What came of it. Retries do not multiply; a cut that an inner call passed on is a cut.
            let mut final_reason = None;
            (was_cut, hint) = (false, None);
            // A caller in a hurry must not open the breaker for all.
            let is_own_limit = matches!(per_attempt, Limit::Of(_)) && end != deadline;
            let said_by_a_cut = if is_callers && !is_own_limit { Says::Hurried } else { Says::Failed };
            let mut said = Some(said_by_a_cut);
            let outcome = match outcome {
                Err(left) => {
                    self.give_back(holds);
                    return Err(left);
                }
                Ok(None) => AttemptOutcome::TimedOut,
                Ok(Some(Ok(value))) if !value.worth_another => {
                    self.judge(&mut holds, Verdict::Answered);
                    if let Some(throttle) = self.throttle.as_mut().filter(|_| call.throttle) {
                        throttle.succeeded(holds.spent);
                    }
                    return Ok(Ok(value));
                }
                Ok(Some(Ok(value))) => {
                    said = Some(Says::Failed);
                    hint = value.hint.filter(|_| call.form != Form::Run);
                    kept = Some(value);
                    AttemptOutcome::Value
                }
                Ok(Some(Err(error))) => match give_up_in(&error).filter(|_| !call.nested) {
                    Some((1 | 0, Some(struck), _)) if end.is_some_and(|end| struck >= end) => {
                        AttemptOutcome::TimedOut
                    }
                    found => {
                        kept = None;
                        let (transient, wanted) = match &error {
                            Error::Plain { transient, hint, .. } => (*transient, *hint),
                            Error::GaveUp { .. } => (call.on_give_up, None),
                        };
                        hint = wanted.filter(|_| transient);
                        said = match found {
                            Some((_, _, Says::Hurried)) => Some(said_by_a_cut),
                            Some((_, _, says)) => Some(says),
                            None => transient.then_some(Says::Failed),
                        };
                        final_reason = match found {
                            Some(_) => Some(Reason::InnerGaveUp),
                            None if !transient => Some(Reason::NotRetryable),
                            None => None,
                        };
                        errors.push(error);
                        AttemptOutcome::Failed
                    }
                },
            };
            let verdict = match said {
                None => Verdict::Answered,
                Some(Says::Failed) => Verdict::Failed,
                Some(Says::Hurried | Says::Nothing) => Verdict::Nothing,
            };
            says = says.max(said.unwrap_or(Says::Nothing));
            self.judge(&mut holds, verdict);
            let (start, duration) = (began - start, self.now - began);
            history.push(Record { number, start, duration, outcome });
            let mut reached = self.now;
            if outcome == AttemptOutcome::TimedOut {
                (was_cut, cut_limit) = (true, limit);
                reached = reached.max(end.unwrap_or(NEVER));
            }

            // Which limit.
            if let Some(reason) = final_reason {
                break reason;
            }
            if deadline.is_some_and(|deadline| reached >= deadline) {
                break out_of_time;
            }
            if was_cut && inner_repeated && !call.nested {
                break Reason::InnerGaveUp;
            }
            if was_cut && !call.idempotent {
                break Reason::AttemptTimedOut;
            }
            if attempts == Some(number) {
                break Reason::AttemptsExhausted;
            }

            // Waits count, and a server's hint is never shortened.
            let left = deadline.map_or(NEVER, |deadline| deadline - self.now);
            let fits = |wait: i64| wait < left && left - wait >= min_attempt;
            let hinted = hint.unwrap_or(0);
            if hinted > 0 && !fits(hinted) {
                break Reason::RetryAfterTooLong;
            }
            if shortened {
                break out_of_time;
            }
            let mut wait = (next_wait.round() as i64).clamp(backoff, max_backoff).max(hinted);
            next_wait = (next_wait * factor).min(max_backoff as f64);
            if !fits(wait) {
                let half_or_limit =
                    if let Limit::Of(limit) = per_attempt { limit.min(left / 2) } else { left / 2 };
                let room = half_or_limit.max(min_attempt).max(1);
                wait = (left - room).max(hinted);
                if wait <= 0 {
                    break out_of_time;
                }
                shortened = true;
            }

            // What the next attempt needs is made sure of before the wait.
            if let Some(throttle) = self.throttle.as_mut().filter(|_| call.throttle) {
                holds.grant = throttle.grant(hint.is_some(), self.now);
                if holds.grant.is_none() {
                    break Reason::Throttled;
                }
            }
            if let Some(breaker) = self.breaker.as_mut().filter(|_| call.breaker) {
                if let Some(retry_after) = breaker.refuses(self.now) {
                    hint = retry_after;
                    break Reason::CircuitOpen;
                }
            }
            let planned = self.now + wait;
            if let Err(why) = self.pass(planned) {
                self.still_repeating |= number > 1;
                self.still_held.push(holds);
                return Err(why);
            }
            late = (self.now - planned).min(2 * MS);
        };

        self.give_back(holds);
        if let Some(value) = kept {
            return Ok(Ok(value));
        }
        if number > 1 && reason != Reason::NotRetryable {
            self.repeated += 1;
        }
        let comes_back_as_it_was = match call.form {
            Form::Run | Form::Typed | Form::TypedKeys => false,
            Form::Fallback => reason == Reason::NotRetryable,
            Form::Bare | Form::BareKeys => {
                reason == Reason::NotRetryable || (reason == Reason::InnerGaveUp && !was_cut)
            }
        };
        if comes_back_as_it_was && !errors.is_empty() {
            return Ok(Err(errors.swap_remove(errors.len() - 1)));
        }
        if history.len() > 32 {
            history.drain(16..history.len() - 16);
        }
        let is_bare = matches!(call.form, Form::Bare | Form::BareKeys);
        let told = GiveUp {
            reason,
            attempts: number,
            elapsed: self.now - start,
            timed_out: was_cut || reason == out_of_time,
            hint,
            first: errors.first().filter(|_| !is_bare).map(show),
            last: errors.last().map(show),
            source: match (errors.last(), cut_limit) {
                (Some(_), _) => Source::LastError,
                (None, Some(limit)) => Source::CutAt(limit),
                (None, None) => Source::None,
            },
            history,
        };
        // A deadline that was over before the call strikes at its start.
        let due = if is_callers { callers } else { own };
        let struck = due.filter(|_| reason == out_of_time).map(|due| due.max(start));
        Ok(Err(Error::GaveUp { told: Box::new(told), struck, last: errors.pop().map(Box::new), says }))
    }

    fn attempt(&mut self, script: &Attempt, id: u64, end: Option<i64>) -> Result<Result<Value, Error>, Left> {
        let mut passed_on = None;
        for (index, inner) in script.calls.iter().enumerate() {
            self.pass(self.now + inner.pause * 1_000)?;
            passed_on = self.inner(inner, inner_path(id, index), end)?;
        }
        self.pass(self.now + script.pause * 1_000)?;
        let nanos = |hint: Option<i64>| hint.map(|hint| hint * 1_000);
        let value = |worth_another, hint| Ok(Value { id, worth_another, hint });
        match script.end {
            End::Value { worth_another, hint } => Ok(value(worth_another, nanos(hint))),
            End::Error { transient, hint } => Ok(Err(Error::Plain { id, transient, hint: nanos(hint) })),
            End::PassOn => Ok(match passed_on {
                Some(Ok(Value { worth_another, hint, .. })) => value(worth_another, hint),
                Some(Err(error)) => Err(error),
                None => value(false, None),
            }),
            End::Hang => self.hang(),
            End::Panic => Err(Left::Panicked),
        }
    }

    fn inner(
        &mut self,
        inner: &Inner,
        path: u64,
        end: Option<i64>,
    ) -> Result<Option<Result<Value, Error>>, Left> {
        let after = |micros: i64| self.now + micros * 1_000;
        let (inherited, limit) = match inner.scope {
            Scope::OfAttempt => (end, NEVER),
            Scope::Detached => (None, NEVER),
            Scope::Within(micros) => (earlier(end, Some(after(micros))), NEVER),
            Scope::LimitedTo(micros) => (earlier(end, Some(after(micros))), after(micros)),
        };
        let patience = match inner.held {
            Held::ToItsEnd => NEVER,
            Held::DroppedAfter(micros) | Held::ForgottenAfter(micros) => after(micros),
        };
        let before = (self.repeated, self.still_repeating);
        let answer = self
            .until(patience, |world| world.until(limit, |world| world.call(&inner.call, path, inherited)));
        if inner.scope == Scope::Detached {
            (self.repeated, self.still_repeating) = before;
        }
        let answer = match (answer, inner.held) {
            (Ok(None), Held::ForgottenAfter(_)) => return self.hang(),
            (Ok(answer), _) => answer.flatten(),
            (Err(Left::Panicked), _) if inner.caught => {
                self.answer(path, Told::Panicked)?;
                return Ok(None);
            }
            (Err(left), _) => return Err(left),
        };
        if answer.is_none() {
            self.drop_what_stands_still();
        }
        self.answer(path, answer.as_ref().map_or(Told::Dropped, tell))?;
        Ok(answer)
    }

    fn answer(&mut self, path: u64, told: Told) -> Result<(), Left> {
        let at = self.now;
        self.note(Event::Answer { path, at, told })?;
        let state = self.breaker.as_mut().map(|breaker| breaker.state(at));
        let available = self.throttle.as_mut().map(|throttle| throttle.available(at));
        if state.is_some() || available.is_some() {
            self.note(Event::Guards { state, available })?;
        }
        Ok(())
    }

    /// The attempt is over.
    fn judge(&mut self, holds: &mut Holds, verdict: Verdict) {
        if let (Some(breaker), Some(permit)) = (&mut self.breaker, holds.permit.take()) {
            breaker.end(permit, verdict, self.now);
        }
    }

    /// The call is over, or dropped.
    fn give_back(&mut self, mut holds: Holds) {
        self.judge(&mut holds, Verdict::Nothing);
        if let (Some(throttle), Some(grant)) = (&mut self.throttle, holds.grant) {
            throttle.give_back(grant);
        }
    }

    /// Runs `script` and cuts it at an instant: `None`.
    fn until<T>(
        &mut self,
        at: i64,
        script: impl FnOnce(&mut Self) -> Result<T, Left>,
    ) -> Result<Option<T>, Left> {
        let (own, outer) = (to_tick(at), self.cut_at);
        self.cut_at = own.min(outer);
        let result = script(self);
        self.cut_at = outer;
        match result {
            Err(Left::Cut) if own <= outer => Ok(None),
            result => result.map(Some),
        }
    }

    fn pass(&mut self, to: i64) -> Result<(), Left> {
        let to = to_tick(to);
        if to > self.cut_at {
            self.now = self.cut_at;
            return Err(Left::Cut);
        }
        self.now = to;
        Ok(())
    }

    fn hang<T>(&mut self) -> Result<T, Left> {
        self.now = self.cut_at;
        Err(Left::Cut)
    }

    fn drop_what_stands_still(&mut self) {
        let at = self.now;
        self.trace.extend(self.still.drain(..).map(|id| Event::End { id, at }));
        self.still_repeating = false;
        for holds in std::mem::take(&mut self.still_held) {
            self.give_back(holds);
        }
    }

    fn note(&mut self, event: Event) -> Result<(), Left> {
        if let Some(breaker) = &mut self.breaker {
            self.trace.append(&mut breaker.changes);
        }
        self.trace.push(event);
        if self.trace.len() > MOST_EVENTS { Err(Left::Abandoned) } else { Ok(()) }
    }
}

/// Tokio's timers fire at whole milliseconds.
fn to_tick(at: i64) -> i64 {
    if at == NEVER { NEVER } else { (at + MS - 1).div_euclid(MS) * MS }
}

fn earlier(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a.into_iter().chain(b).min()
}

/// The give-up that an error tells of: its attempts, when the deadline that ended it was due, and what
/// it says about its server.
fn give_up_in(error: &Error) -> Option<(u32, Option<i64>, Says)> {
    match error {
        Error::Plain { .. } => None,
        Error::GaveUp { told, last, .. } if told.reason == Reason::NotRetryable => {
            give_up_in(last.as_deref()?)
        }
        Error::GaveUp { told, struck, says, .. } => Some((told.attempts, *struck, *says)),
    }
}

fn tell(answer: &Result<Value, Error>) -> Told {
    match answer {
        Ok(value) => Told::Value(value.id),
        Err(error) => Told::Error(show(error)),
    }
}

fn show(error: &Error) -> Failure {
    match error {
        Error::Plain { id, .. } => Failure::Plain(*id),
        Error::GaveUp { told, .. } => Failure::GaveUp(told.clone()),
    }
}

/// The keys of a call: the defaults, and the nearest possible values for the impossible ones.
struct Numbers {
    total: Option<i64>,
    per_attempt: Limit,
    attempts: Option<u32>,
    /// Zero: no wait.
    backoff: i64,
    factor: f64,
    max_backoff: i64,
    min_attempt: i64,
}

fn numbers(call: &Call) -> Numbers {
    let nanos = |micros: i64| micros * 1_000;
    let total = call.total.map(nanos);
    let most = total.unwrap_or(NEVER);
    let mut min_attempt = call.min_attempt.map_or(MS, nanos).min(most);
    let per_attempt = match call.per_attempt {
        Limit::Of(limit) => {
            let limit = if limit == 0 { min_attempt.max(1) } else { nanos(limit) };
            min_attempt = min_attempt.min(limit);
            Limit::Of(limit.min(most))
        }
        other => other,
    };
    let given = match call.backoff {
        Backoff::Default => 50 * MS,
        Backoff::None => 0,
        Backoff::Of(micros) => nanos(micros),
    };
    let max_backoff = call.max_backoff.map_or(given.max(5_000 * MS), nanos);
    let max_backoff = if given == 0 { 0 } else { max_backoff };
    Numbers {
        total,
        per_attempt,
        attempts: call.attempts.map(|attempts| attempts.max(1)),
        backoff: given.min(max_backoff),
        factor: if call.factor >= 1.0 { call.factor } else { 1.0 },
        max_backoff,
        min_attempt,
    }
}
