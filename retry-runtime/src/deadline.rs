//! The instant at which a budget ends, and how code runs under it.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::Instant;

use crate::scope;
use crate::timer::Timer;

/// The instant at which a budget ends, on tokio's monotonic clock.
///
/// A deadline is one point in time: whoever inherits it gets what is left, never a new countdown. An annotated
/// function runs its body in the scope of its attempt's limit, so the calls below find it by
/// [`Deadline::current`] with no argument.
///
/// A deadline too far away to be represented is none at all ([`Deadline::NEVER`]). On systems whose monotonic clock
/// stands still while the machine is suspended, deadlines stand still with it.
///
/// ```
/// use std::time::Duration;
/// use retry_runtime::Deadline;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let deadline = Deadline::within(Duration::from_secs(1));
/// tokio::time::sleep(Duration::from_millis(300)).await;
/// assert_eq!(deadline.remaining(), Duration::from_millis(700));
/// # });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// The deadline that never comes; later than every other one.
    pub const NEVER: Self = Self(None);

    /// The deadline `budget` from now.
    #[must_use]
    pub fn within(budget: Duration) -> Self {
        Self::after(Instant::now(), budget)
    }

    /// The deadline at `instant`.
    #[must_use]
    pub const fn at(instant: Instant) -> Self {
        Self(Some(instant))
    }

    pub(crate) fn after(start: Instant, span: Duration) -> Self {
        Self(start.checked_add(span))
    }

    /// The deadline of the enclosing attempt or [scope](Self::scope); `None` outside of both, and where the only
    /// deadline is one that never comes.
    ///
    /// A task started by `tokio::spawn` starts outside: see [`DeadlineExt::in_current_deadline`].
    ///
    /// ```
    /// use retry_runtime::Deadline;
    ///
    /// assert_eq!(Deadline::current(), None);
    /// ```
    #[must_use]
    pub fn current() -> Option<Self> {
        let deadline = scope::deadline();
        deadline.0.map(|_| deadline)
    }

    /// The instant itself; `None` where it never comes.
    #[must_use]
    pub const fn instant(self) -> Option<Instant> {
        self.0
    }

    /// What is left until the deadline: zero when it is over, [`Duration::MAX`] when it never comes.
    #[must_use]
    pub fn remaining(self) -> Duration {
        self.0.map_or(Duration::MAX, |at| at.saturating_duration_since(Instant::now()))
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_expired(self) -> bool {
        self.0.is_some_and(|at| at <= Instant::now())
    }

    /// For loops that compute for long without an await, where no limit can act: call it now and then, and leave
    /// with `?`.
    ///
    /// # Errors
    ///
    /// [`DeadlineExceeded`] when nothing is left.
    ///
    /// ```
    /// use std::time::Duration;
    /// use retry_runtime::{Deadline, DeadlineExceeded};
    ///
    /// fn checksum(blocks: &[Vec<u8>], deadline: Deadline) -> Result<u64, DeadlineExceeded> {
    ///     let mut sum = 0;
    ///     for block in blocks {
    ///         deadline.check()?;
    ///         sum += block.iter().map(|&byte| u64::from(byte)).sum::<u64>();
    ///     }
    ///     Ok(sum)
    /// }
    ///
    /// # let _rt = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    /// assert_eq!(checksum(&[vec![1, 2]], Deadline::NEVER), Ok(3));
    /// assert!(checksum(&[vec![1, 2]], Deadline::within(Duration::ZERO)).is_err());
    /// ```
    pub fn check(self) -> Result<(), DeadlineExceeded> {
        if self.is_expired() { Err(DeadlineExceeded { deadline: self }) } else { Ok(()) }
    }

    /// The earlier of the two.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some(a), Some(b)) => Self(Some(a.min(b))),
            (at, None) | (None, at) => Self(at),
        }
    }

    /// The deadline earlier by `time`: what must be kept for later, such as writing the answer.
    ///
    /// One moved back beyond the range of the clock is expired.
    #[must_use]
    pub fn reserve(self, time: Duration) -> Self {
        match self.0 {
            None => Self::NEVER,
            Some(at) => Self(Some(at.checked_sub(time).unwrap_or_else(Instant::now))),
        }
    }

    /// Now plus a fair part of what is left, for `parts` calls made one after the other; 0 counts as 1.
    ///
    /// Calls made side by side need no shares: they all have the same deadline.
    ///
    /// ```
    /// use std::time::Duration;
    /// use retry_runtime::Deadline;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// let request = Deadline::within(Duration::from_millis(900));
    /// assert_eq!(request.share(3).remaining(), Duration::from_millis(300));
    /// # });
    /// ```
    #[must_use]
    pub fn share(self, parts: u32) -> Self {
        let Some(at) = self.0 else { return Self::NEVER };
        let now = Instant::now();
        let part = at.saturating_duration_since(now) / parts.max(1);
        Self::after(now, part)
    }

    /// Runs `future` under this deadline: calls below inherit it, where it is earlier than what they inherit
    /// already. Nothing is cut by it; [`Deadline::limit`] cuts.
    ///
    /// # Cancel safety
    ///
    /// As cancel safe as `future`: it is dropped with the returned future.
    ///
    /// ```
    /// use std::time::Duration;
    /// use retry_runtime::Deadline;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// let deadline = Deadline::within(Duration::from_secs(1));
    /// let seen = deadline.scope(async { Deadline::current() }).await;
    /// assert_eq!(seen, Some(deadline));
    /// # });
    /// ```
    pub fn scope<F: Future>(self, future: F) -> Scope<F> {
        Scope { deadline: self, future }
    }

    /// Runs `future` under this deadline and cuts it there. A value that is ready at the deadline is the result.
    ///
    /// # Errors
    ///
    /// [`DeadlineExceeded`] when the deadline came first.
    ///
    /// # Panics
    ///
    /// Where a timer is needed and the tokio runtime has none (`enable_time`), with tokio's message.
    ///
    /// # Cancel safety
    ///
    /// As cancel safe as `future`: it is dropped with the returned future.
    ///
    /// ```
    /// use std::time::Duration;
    /// use retry_runtime::Deadline;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// let deadline = Deadline::within(Duration::from_millis(50));
    /// let hung = std::future::pending::<()>();
    /// assert!(deadline.limit(hung).await.is_err());
    /// # });
    /// ```
    pub fn limit<F: Future>(self, future: F) -> Limit<F> {
        Limit { scope: self.scope(future), timer: Timer::new() }
    }

    /// Runs `future` with no deadline and outside of any attempt: for clean-up that must be done though the time
    /// is up.
    ///
    /// The attempt around can still be cut, and its future with it; work that must outlive the attempt needs a task
    /// of its own, which starts without a deadline anyway.
    ///
    /// # Cancel safety
    ///
    /// As cancel safe as `future`: it is dropped with the returned future.
    ///
    /// ```
    /// use std::time::Duration;
    /// use retry_runtime::Deadline;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let over = Deadline::within(Duration::ZERO);
    /// let seen = over.scope(Deadline::detached(async { Deadline::current() })).await;
    /// assert_eq!(seen, None);
    /// # });
    /// ```
    pub fn detached<F: Future>(future: F) -> Detached<F> {
        Detached { future: Some(future) }
    }
}

impl fmt::Debug for Deadline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(at) => f.debug_tuple("Deadline").field(&at).finish(),
            None => f.write_str("Deadline(never)"),
        }
    }
}

impl PartialOrd for Deadline {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The earlier deadline is the smaller one; [`Deadline::NEVER`] is the greatest.
impl Ord for Deadline {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0.is_none(), self.0).cmp(&(other.0.is_none(), other.0))
    }

    fn min(self, other: Self) -> Self {
        Deadline::min(self, other)
    }
}

impl From<Instant> for Deadline {
    fn from(instant: Instant) -> Self {
        Self::at(instant)
    }
}

/// The time was up.
///
/// What [`Deadline::check`] and [`Deadline::limit`] answer. It is no give-up of a call: a function that returns it
/// from an attempt decides by `on` or `when` whether it is transient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadlineExceeded {
    deadline: Deadline,
}

impl DeadlineExceeded {
    /// The deadline that is over.
    #[must_use]
    pub const fn deadline(&self) -> Deadline {
        self.deadline
    }
}

impl fmt::Display for DeadlineExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("deadline exceeded")
    }
}

impl Error for DeadlineExceeded {}

/// Carries the deadline of the code that calls it to where a future runs.
pub trait DeadlineExt: Future + Sized {
    /// Runs this future under the deadline that holds where this method is called, whatever task polls it.
    ///
    /// `tokio::spawn` starts a task without a deadline, for the work that shall outlive its caller. Work that the
    /// caller waits for wants the caller's deadline:
    ///
    /// ```
    /// use std::time::Duration;
    /// use retry_runtime::{Deadline, DeadlineExt};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// let deadline = Deadline::within(Duration::from_secs(1));
    /// let seen = deadline.scope(async {
    ///     let bare = tokio::spawn(async { Deadline::current() });
    ///     let carried = tokio::spawn(async { Deadline::current() }.in_current_deadline());
    ///     (bare.await.unwrap(), carried.await.unwrap())
    /// });
    /// assert_eq!(seen.await, (None, Some(deadline)));
    /// # });
    /// ```
    ///
    /// # Cancel safety
    ///
    /// As cancel safe as the future itself.
    fn in_current_deadline(self) -> Scope<Self> {
        scope::deadline().scope(self)
    }
}

impl<F: Future> DeadlineExt for F {}

pin_project! {
    /// A future under a deadline that cuts nothing: [`Deadline::scope`], [`DeadlineExt::in_current_deadline`].
    #[must_use = "futures do nothing unless polled"]
    pub struct Scope<F> {
        deadline: Deadline,
        #[pin]
        future: F,
    }
}

impl<F: Future> Future for Scope<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        scope::enter_deadline(*this.deadline, || this.future.poll(cx))
    }
}

pin_project! {
    /// A future that is cut at a deadline: [`Deadline::limit`].
    #[must_use = "futures do nothing unless polled"]
    pub struct Limit<F> {
        #[pin]
        scope: Scope<F>,
        #[pin]
        timer: Timer,
    }
}

impl<F: Future> Future for Limit<F> {
    type Output = Result<F::Output, DeadlineExceeded>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let deadline = this.scope.deadline;
        if let Poll::Ready(value) = this.scope.poll(cx) {
            return Poll::Ready(Ok(value));
        }
        ready!(this.timer.poll_until(cx, || deadline.instant()));
        Poll::Ready(Err(DeadlineExceeded { deadline }))
    }
}

pin_project! {
    /// A future without a deadline: [`Deadline::detached`].
    #[must_use = "futures do nothing unless polled"]
    pub struct Detached<F> {
        // Taken out to be dropped.
        #[pin]
        future: Option<F>,
    }

    impl<F> PinnedDrop for Detached<F> {
        fn drop(this: Pin<&mut Self>) {
            scope::drop_detached(|| this.project().future.set(None));
        }
    }
}

impl<F: Future> Future for Detached<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        scope::enter_nothing(|| match self.project().future.as_pin_mut() {
            Some(future) => future.poll(cx),
            None => Poll::Pending,
        })
    }
}
