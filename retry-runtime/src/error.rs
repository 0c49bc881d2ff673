//! What a call that failed tells: why it gave up, after how many attempts, and what really went wrong.

use std::any::Any;
use std::error::Error;
use std::fmt::{self, Debug, Display, Formatter};
use std::io;
use std::time::Duration;

use retry_policy::duration::human;
use tokio::time::Instant;

use crate::any_error::AnyError;
use crate::chain;
use crate::history::History;
use crate::view::{Shown, View};

/// Why a call ended with an error.
///
/// Where more than one holds, the first in this order is named: not retryable (or given up inside), deadline
/// reached, timed out and not idempotent, attempts used up, the server's hint too long, no room for the wait, throttled,
/// circuit open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The last error was not transient. No give-up: the error is final at the attempt that returned it.
    NotRetryable,
    /// Every allowed attempt was made.
    AttemptsExhausted,
    /// The call's own `total` was reached, or leaves no time for another attempt.
    TotalElapsed,
    /// The same of a deadline that came from the caller: the enclosing scope, or the `deadline` key.
    InheritedDeadline,
    /// An attempt was cut and `idempotent = false`: what the server did is unknown.
    AttemptTimedOut,
    /// The server asked for a wait that leaves no time for another attempt.
    RetryAfterTooLong,
    /// An annotated function called by the body had given up already: repeating it would multiply its attempts.
    ///
    /// A function that returns the error of the inner one as it is says the inner one's reason; this one is of a
    /// [`RetryError`] around it, and of an attempt that was cut while an inner call made its second attempt or a later
    /// one.
    InnerGaveUp,
    /// The [breaker](crate::CircuitBreaker) is open: before the first attempt, or since the last one failed.
    CircuitOpen,
    /// The [throttle](crate::RetryThrottle) grants no more retries.
    Throttled,
}

impl Reason {
    pub(crate) const fn is_deadline(self) -> bool {
        matches!(self, Self::TotalElapsed | Self::InheritedDeadline)
    }
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)] // Leaves no gap in a record, so that five of them are written at one stroke.
pub enum AttemptOutcome {
    /// The body returned an error.
    Failed,
    /// The attempt was cut at its limit.
    TimedOut,
    /// The body returned a value that `when_ok` took for worth another attempt.
    Value,
}

/// One attempt of a call that failed, as [`RetryError::history`] and [`GaveUp::history`] list them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct AttemptRecord {
    number: u32,
    outcome: AttemptOutcome,
    /// In nanoseconds, like the duration.
    start: u64,
    duration: u64,
}

impl AttemptRecord {
    pub(crate) const fn new(number: u32, start: u64, duration: u64, outcome: AttemptOutcome) -> Self {
        Self { number, outcome, start, duration }
    }

    /// The number of the attempt, from 1.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// When it started, from the start of the call.
    #[must_use]
    pub const fn start(&self) -> Duration {
        Duration::from_nanos(self.start)
    }

    /// How long it took.
    #[must_use]
    pub const fn duration(&self) -> Duration {
        Duration::from_nanos(self.duration)
    }

    /// How it ended.
    #[must_use]
    pub const fn outcome(&self) -> AttemptOutcome {
        self.outcome
    }
}

impl Debug for AttemptRecord {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttemptRecord")
            .field("number", &self.number)
            .field("outcome", &self.outcome)
            .field("start", &self.start())
            .field("duration", &self.duration())
            .finish()
    }
}

/// An attempt was cut at its limit: the source of a give-up where no attempt ever returned an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptTimedOut {
    limit: Duration,
}

impl AttemptTimedOut {
    pub(crate) const fn new(limit: Duration) -> Self {
        Self { limit }
    }

    /// How long the attempt was allowed to take.
    #[must_use]
    pub const fn limit(&self) -> Duration {
        self.limit
    }
}

impl Display for AttemptTimedOut {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "attempt timed out after {}", human(rounded(self.limit)))
    }
}

impl Error for AttemptTimedOut {}

/// A text needs no nanoseconds.
fn rounded(duration: Duration) -> Duration {
    if duration < Duration::from_millis(1) {
        return duration;
    }
    duration
        .checked_sub(Duration::from_nanos(u64::from(duration.subsec_nanos() % 1_000_000)))
        .unwrap_or(duration)
}

/// What an attempt that brought no answer home says about its server; of a call, the most of what its attempts say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Says {
    /// It was not asked.
    Nothing,
    /// It did not answer within what the caller has left: that says something to a caller with more time only.
    Hurried,
    /// It failed, or took longer than it may.
    Failed,
}

/// All of a failed call that does not depend on the type of its error.
pub struct Report {
    pub(crate) reason: Reason,
    pub(crate) attempts: u32,
    /// In nanoseconds.
    pub(crate) elapsed: u64,
    pub(crate) hint: Option<Duration>,
    pub(crate) says: Says,
    pub(crate) cut: Option<AttemptTimedOut>,
    pub(crate) total: Option<Duration>,
    /// The instant of the deadline that ended the call, before any margin.
    pub(crate) struck: Option<Instant>,
    pub(crate) history: History,
}

impl Report {
    #[inline]
    fn new() -> Self {
        Self {
            reason: Reason::NotRetryable,
            attempts: 0,
            elapsed: 0,
            hint: None,
            says: Says::Nothing,
            cut: None,
            total: None,
            struck: None,
            history: History::new(),
        }
    }

    const fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.elapsed)
    }

    /// Whether the last attempt was cut.
    pub(crate) fn is_last_cut(&self) -> bool {
        self.history.as_slice().last().is_some_and(|last| last.outcome == AttemptOutcome::TimedOut)
    }

    fn timed_out(&self) -> bool {
        self.is_last_cut() || self.reason.is_deadline()
    }

    fn timed_out_attempt(&self) -> Option<&(dyn Error + 'static)> {
        self.cut.as_ref().map(|cut| cut as &(dyn Error + 'static))
    }

    fn describe(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.reason == Reason::NotRetryable {
            return write!(f, "attempt {} failed with an error that is not retryable", self.attempts);
        }
        match self.attempts {
            0 => f.write_str("gave up before the first attempt: ")?,
            1 => write!(f, "gave up after 1 attempt in {}: ", human(rounded(self.elapsed())))?,
            n => write!(f, "gave up after {n} attempts in {}: ", human(rounded(self.elapsed())))?,
        }
        match self.reason {
            Reason::NotRetryable => Ok(()),
            Reason::AttemptsExhausted => f.write_str("attempts exhausted"),
            Reason::TotalElapsed => match self.total {
                Some(total) if self.elapsed() < total => {
                    write!(f, "total of {} leaves no time for another attempt", human(total))
                }
                Some(total) => write!(f, "total of {} is used up", human(total)),
                None => f.write_str("the total is used up"),
            },
            Reason::InheritedDeadline => f.write_str("the deadline of the caller leaves no more time"),
            Reason::AttemptTimedOut => f.write_str("an attempt that may not be repeated timed out"),
            Reason::RetryAfterTooLong => match self.hint {
                Some(hint) => {
                    write!(f, "the server asked for a wait of {}, longer than is left", human(hint))
                }
                None => f.write_str("the server asked for a wait longer than is left"),
            },
            Reason::InnerGaveUp => f.write_str("a call inside it had given up"),
            Reason::CircuitOpen => f.write_str("the circuit breaker is open"),
            Reason::Throttled => f.write_str("the retry throttle grants no more retries"),
        }
    }
}

/// The errors of a call beside its report.
pub struct Journal<E> {
    report: Report,
    /// Only where it is not the last one, too.
    first: Option<E>,
    last: Option<E>,
    view: Option<View<E>>,
}

// So that `Box::default` writes it where it stays.
impl<E> Default for Journal<E> {
    #[inline]
    fn default() -> Self {
        Self { report: Report::new(), first: None, last: None, view: None }
    }
}

impl<E> Journal<E> {
    pub(crate) fn report(&mut self) -> &mut Report {
        &mut self.report
    }

    pub(crate) fn push(&mut self, error: E, view: View<E>) {
        let before = self.last.replace(error);
        if before.is_none() {
            self.view = Some(view);
        } else if self.first.is_none() {
            self.first = before;
        }
    }

    pub(crate) fn take_last(&mut self) -> Option<E> {
        self.last.take()
    }

    fn shown(&self) -> Option<Shown<'_, E>> {
        Some(Shown { error: self.last.as_ref()?, view: self.view? })
    }

    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match (&self.last, &self.view) {
            (Some(error), Some(view)) => view.error(error),
            _ => self.report.timed_out_attempt(),
        }
    }

    fn display(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.report.describe(f)?;
        // Who prints a chain of sources prints the error there; one that is no `Error` has no other place.
        match self.shown() {
            Some(shown) if self.source().is_none() => write!(f, ": {shown}"),
            _ => Ok(()),
        }
    }

    fn debug(&self, f: &mut Formatter<'_>, name: &str) -> fmt::Result {
        let mut all = f.debug_struct(name);
        all.field("reason", &self.report.reason)
            .field("attempts", &self.report.attempts)
            .field("elapsed", &self.report.elapsed());
        match (self.shown(), &self.report.cut) {
            (Some(shown), _) => all.field("last", &shown),
            (None, Some(cut)) => all.field("last", cut),
            (None, None) => &mut all,
        };
        all.finish_non_exhaustive()
    }
}

/// Both errors read their report the same way.
macro_rules! report_accessors {
    () => {
        /// Why the call ended.
        #[must_use]
        pub fn reason(&self) -> Reason {
            self.report().reason
        }

        /// How many attempts were made, the first one included; 0 when there was no time for one, or the breaker was
        /// open.
        #[must_use]
        pub fn attempts(&self) -> u32 {
            self.report().attempts
        }

        /// How long the call took, from its first poll to the decision to end it.
        #[must_use]
        pub fn elapsed(&self) -> Duration {
            self.report().elapsed()
        }

        /// Whether the last attempt was cut at its limit, or the time of the call ran out.
        #[must_use]
        pub fn timed_out(&self) -> bool {
            self.report().timed_out()
        }

        /// The wait that the server asked for with the last failure (`retry_after`, `retry_after_ok`); of
        /// [`Reason::CircuitOpen`], how long until the breaker will probe, if that is known.
        #[must_use]
        pub fn retry_after(&self) -> Option<Duration> {
            self.report().hint
        }

        /// The attempts in their order: all of them, or the first 16 and the last 16.
        #[must_use]
        pub fn history(&self) -> &[AttemptRecord] {
            self.report().history.as_slice()
        }
    };
}

/// The typed failure of a call: why it ended, with the errors of the body inside.
///
/// The return type `Result<T, RetryError<E>>` is for an `E` that is not yours to extend; the body yields
/// `Result<T, E>`. `RetryError` alone is `RetryError<AnyError>`, for a body that mixes errors of several libraries.
/// `E` may be any type. [`source`](Error::source) is the last error that the body returned, or the timed-out attempt
/// where none ever was.
///
/// One pointer wide.
///
/// ```
/// use retry_runtime::{Reason, RetryError, retry};
///
/// #[retry(attempts = 3, backoff = "none", on = std::fmt::Error)]
/// async fn fails() -> Result<(), RetryError<std::fmt::Error>> {
///     Err(std::fmt::Error)
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let error = fails().await.unwrap_err();
/// assert_eq!(error.reason(), Reason::AttemptsExhausted);
/// assert_eq!(error.attempts(), 3);
/// assert_eq!(error.into_last(), Some(std::fmt::Error));
/// # });
/// ```
pub struct RetryError<E = AnyError>(Box<Journal<E>>);

impl<E> RetryError<E> {
    pub(crate) fn new(journal: Box<Journal<E>>) -> Self {
        Self(journal)
    }

    fn report(&self) -> &Report {
        &self.0.report
    }

    report_accessors!();

    /// The first error that the body returned.
    #[must_use]
    pub fn first(&self) -> Option<&E> {
        self.0.first.as_ref().or(self.0.last.as_ref())
    }

    /// The last error that the body returned; a cut attempt returns none.
    #[must_use]
    pub fn last(&self) -> Option<&E> {
        self.0.last.as_ref()
    }

    /// The last error that the body returned.
    #[must_use]
    pub fn into_last(mut self) -> Option<E> {
        self.0.take_last()
    }
}

impl<E> Display for RetryError<E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.display(f)
    }
}

impl<E> Debug for RetryError<E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.debug(f, "RetryError")
    }
}

impl<E> Error for RetryError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        chain::announce(&self.0.report);
        self.0.source()
    }
}

/// A journal whose error type is forgotten.
trait Erased: Send + Sync {
    fn report(&self) -> &Report;
    fn last(&self) -> Option<&(dyn Any + Send + Sync)>;
    fn source(&self) -> Option<&(dyn Error + 'static)>;
    fn display(&self, f: &mut Formatter<'_>) -> fmt::Result;
    fn debug(&self, f: &mut Formatter<'_>) -> fmt::Result;
}

impl<E: Send + Sync + 'static> Erased for Journal<E> {
    fn report(&self) -> &Report {
        &self.report
    }

    fn last(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.last.as_ref().map(|error| error as &(dyn Any + Send + Sync))
    }

    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source()
    }

    fn display(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.display(f)
    }

    fn debug(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.debug(f, "GaveUp")
    }
}

/// The failure of a call that gave up, for an error type of your own: give it a place by `#[from]`.
///
/// Functions that return `Result<T, E>` with `E: From<GaveUp>` need nothing else; `anyhow::Error`, `eyre::Report`,
/// `Box<dyn Error + Send + Sync>` and `std::io::Error` have that place already. [`source`](Error::source) is the last
/// error that the body returned, itself and not a conversion of it, or the timed-out attempt where none ever was.
///
/// One pointer wide.
///
/// ```
/// use retry_runtime::{GaveUp, Reason, retry};
///
/// #[derive(Debug, PartialEq)]
/// struct Refused;
///
/// #[derive(Debug)]
/// enum StoreError {
///     Refused(Refused),
///     GaveUp(GaveUp),
/// }
///
/// impl From<GaveUp> for StoreError {
///     fn from(gave_up: GaveUp) -> Self {
///         Self::GaveUp(gave_up)
///     }
/// }
///
/// #[retry(attempts = 2, backoff = "none", on = StoreError::Refused(_))]
/// async fn load() -> Result<(), StoreError> {
///     Err(StoreError::Refused(Refused))
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let Err(StoreError::GaveUp(gave_up)) = load().await else { panic!("gives up") };
/// assert_eq!(gave_up.reason(), Reason::AttemptsExhausted);
/// assert!(matches!(gave_up.downcast_last(), Some(StoreError::Refused(Refused))));
/// # });
/// ```
// Boxed twice: a pointer to a trait object is two words wide, and every `Result` of every caller carries it.
pub struct GaveUp(Box<Box<dyn Erased>>);

impl GaveUp {
    fn report(&self) -> &Report {
        self.0.report()
    }

    report_accessors!();

    /// The last error that the body returned, if it is an `E`.
    ///
    /// `E` is the error type of the function that gave up, so `anyhow::Error` for one that returns `anyhow::Result`;
    /// for what is inside of that, walk [`source`](Error::source).
    #[must_use]
    pub fn downcast_last<E: Send + Sync + 'static>(&self) -> Option<&E> {
        self.0.last().and_then(|error| error.downcast_ref())
    }

    /// Whether time ran out, or no attempt returned an error: then a timeout is all there is to tell.
    pub(crate) fn out_of_time(&self) -> bool {
        self.report().reason.is_deadline() || self.0.last().is_none()
    }
}

impl Display for GaveUp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.display(f)
    }
}

impl Debug for GaveUp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.debug(f)
    }
}

impl Error for GaveUp {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        chain::announce(self.report());
        self.0.source()
    }
}

impl<E: Send + Sync + 'static> From<RetryError<E>> for GaveUp {
    fn from(error: RetryError<E>) -> Self {
        Self(Box::new(error.0))
    }
}

/// The kind is `TimedOut` where time ran out or no attempt returned an error, else that of the last `io::Error`.
impl From<GaveUp> for io::Error {
    fn from(gave_up: GaveUp) -> Self {
        let kind = match gave_up.downcast_last::<Self>() {
            _ if gave_up.out_of_time() => io::ErrorKind::TimedOut,
            Some(last) => last.kind(),
            None => io::ErrorKind::Other,
        };
        Self::new(kind, gave_up)
    }
}

/// A `fallback` that hands back the last error of the body as it was, for callers that match on it.
///
/// Where no attempt returned an error, the give-up itself is the error. An error that comes back unchanged tells an
/// annotated caller of no give-up, so such a caller repeats it: leave the retries to one of the two.
///
/// # Errors
///
/// Always: the last error.
///
/// ```
/// use std::io;
/// use retry_runtime::{last_error, retry};
///
/// #[retry(attempts = 2, backoff = "none", on = _, fallback = last_error)]
/// async fn read() -> io::Result<u8> {
///     Err(io::ErrorKind::ConnectionReset.into())
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let error = read().await.unwrap_err();
/// assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
/// assert!(error.get_ref().is_none());
/// # });
/// ```
pub fn last_error<T, E>(mut give_up: RetryError<E>) -> Result<T, E>
where
    E: From<GaveUp> + Send + Sync + 'static,
{
    match give_up.0.take_last() {
        Some(error) => Err(error),
        None => Err(E::from(GaveUp::from(give_up))),
    }
}
