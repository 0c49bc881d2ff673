//! `#[retry]` turns an `async fn` into a call that keeps a time promise: the caller waits no longer than `total`,
//! whatever the server does, and learns what really went wrong.
//!
//! ```
//! use retry_runtime::retry;
//! # #[derive(Clone, Debug, PartialEq)]
//! # pub struct ConnectionError;
//! # impl std::fmt::Display for ConnectionError {
//! #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("connection refused") }
//! # }
//! # impl std::error::Error for ConnectionError {}
//! # struct Client(std::sync::atomic::AtomicU32);
//! # impl Client {
//! #     async fn get(&self, id: u64) -> Result<String, ConnectionError> {
//! #         match self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
//! #             0 => Err(ConnectionError),
//! #             _ => Ok(format!("user {id}")),
//! #         }
//! #     }
//! # }
//!
//! #[retry(total = "1s", per_attempt = "200ms", attempts = 5, on = ConnectionError)]
//! async fn fetch(client: &Client, id: u64) -> anyhow::Result<String> {
//!     Ok(client.get(id).await?)
//! }
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! # let client = Client(Default::default());
//! assert_eq!(fetch(&client, 7).await.unwrap(), "user 7");
//! # }
//! ```
//!
//! The body runs once per attempt. An attempt that fails with a `ConnectionError`, or that has no answer after 200 ms,
//! is followed by a wait and another attempt, five in all at the most; and one second after the call began it is over,
//! in the middle of an attempt if need be. Every key has a section in the [reference](macro@retry).
//!
//! # Repeat only what may be repeated
//!
//! An attempt that timed out may have done its work all the same: the answer was lost, not the request. A body that
//! charges a card must therefore be idempotent: pass the server the [idempotency key](Attempt::idempotency_key) of the
//! call, which is the same in all its attempts, or say `idempotent = false`, and an attempt that is cut ends the call.
//!
//! # Why two limits
//!
//! One timeout around a retry loop makes one attempt against a hung server, and gives up. A timeout per attempt alone
//! runs for the sum of all attempts and waits, long after the caller has left. So there are both, and they are one
//! budget: each attempt gets `min(per_attempt, what is left)`, waits count too, and the end is one instant on tokio's
//! monotonic clock that nothing below moves. An attempt that cannot finish is not started; a wait that does not fit is
//! shortened once, for a last attempt.
//!
//! Without a `per_attempt`, each attempt gets its share of what is left: three attempts in `total = "9s"` against a
//! hung server get three seconds each. `attempts` is the safety net and the budget governs: 20 attempts with a total of
//! one second are made only if they fail fast enough.
//!
//! # Which errors
//!
//! What is repeated is always said: by `on`, by `when`, or by `when_ok`.
//!
//! - `on = ConnectionError` where the error of the function *is* that type, or is opaque (`anyhow::Error`,
//!   `Box<dyn Error + Send + Sync>`, [`AnyError`]) and has one anywhere in its source chain.
//! - `on = StoreError::Connection(_) | StoreError::Status(500..=599)`: patterns, matched against the error itself.
//! - `on = source(ConnectionError)` searches the source chain of any error. A `#[error(transparent)]` variant hides the
//!   value that it wraps from the chain, so for those name the variant.
//! - `on = _` is every error.
//! - `when = |e: &MyError| e.is_transient()`, or the path of such a function, decides alone or refines `on`.
//! - `when_ok = |r: &Response| r.status() == 503` is about an `Ok` value that is worth another attempt. The last one
//!   comes back as it is.
//!
//! - An error kind, or something inside of an opaque error, is for `when`: `when = |e| e.kind() ==
//!   io::ErrorKind::TimedOut`, or `when = |e| matches!(e.downcast_ref(), Some(StoreError::Busy))`.
//!
//! An attempt that is cut counts as transient. Any other failure ends the call at once, as it is (in a [`RetryError`] it
//! is [`Reason::NotRetryable`]).
//!
//! # What comes back
//!
//! Two endings have no error of yours to return: out of time, out of attempts. They are a [`GaveUp`], which says
//! [why](Reason), after [how many attempts](GaveUp::attempts), and keeps the last error of the body as its source. Give
//! it a place in your error type, and functions that call one another just use `?`:
//!
//! ```
//! use retry_runtime::{GaveUp, Reason, retry};
//!
//! #[derive(Debug, thiserror::Error)]
//! enum StoreError {
//!     #[error("connection refused")]
//!     Connection,
//!     #[error("no such user")]
//!     Missing,
//!     #[error(transparent)]
//!     GaveUp(#[from] GaveUp),
//! }
//!
//! #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = StoreError::Connection)]
//! async fn load(id: u64) -> Result<String, StoreError> {
//!     if id == 0 { Err(StoreError::Missing) } else { Err(StoreError::Connection) }
//! }
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! // Not transient: one attempt, and the error as it was.
//! assert!(matches!(load(0).await, Err(StoreError::Missing)));
//!
//! let Err(StoreError::GaveUp(error)) = load(1).await else { panic!("gives up") };
//! assert_eq!((error.reason(), error.attempts()), (Reason::AttemptsExhausted, 3));
//! assert!(matches!(error.downcast_last(), Some(StoreError::Connection)));
//! # }
//! ```
//!
//! `anyhow::Error`, `eyre::Report`, `Box<dyn Error + Send + Sync>` and `std::io::Error` have that place already; the
//! errors of `tonic`, `sqlx` and `redis` have it with the feature of their name. Who must know asks them for it:
//! `error.downcast_ref::<GaveUp>()`. What the body returned is then in the source chain, no longer on top of it.
//!
//! For an error type that is not yours to extend, return `Result<T, `[`RetryError<E>`](RetryError)`>` and let the body
//! yield `Result<T, E>`. [`RetryError`] alone takes any error by `?`:
//!
//! ```
//! use retry_runtime::{RetryError, retry};
//!
//! #[retry(attempts = 2, backoff = "none", on = std::num::ParseIntError)]
//! async fn parse(text: &str) -> Result<u32, RetryError<std::num::ParseIntError>> {
//!     text.parse()
//! }
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! let error = parse("x").await.unwrap_err();
//! assert_eq!(error.to_string(), "gave up after 2 attempts in 0ms: attempts exhausted");
//! assert_eq!(error.last().unwrap().to_string(), "invalid digit found in string");
//! # }
//! ```
//!
//! Or let `fallback` turn the give-up into a result: a cached value, an error of your own, or with
//! `fallback = retry_runtime::last_error` the last error unchanged.
//!
//! From one function to another: into an error type of your own by `?` if both return it, else by
//! `.map_err(GaveUp::from)?`; into `anyhow::Result` or `Result<T, RetryError>` by `?`. A function that returns
//! `RetryError<E>` is a leaf: its body yields `Result<T, E>`, and so cannot pass on the `RetryError<E>` of another one.
//! `anyhow::Error` becomes an [`AnyError`] by `?` too, but keeps to itself what it wraps without a context, so a type
//! named in `on` is not found in it: return `anyhow::Result` there.
//!
//! # Nesting
//!
//! The body runs in the scope of its attempt's limit, and whatever it awaits inherits that: an annotated function with a
//! total of ten seconds that is called with 300 ms left has 300 ms, and says [`Reason::InheritedDeadline`] when they are
//! over. [`Deadline::current`] is what is left, for clients with a timeout of their own; the `deadline` key takes one
//! that came with a request, and `margin` keeps time back to answer it.
//!
//! Retries do not multiply. The give-up of an inner annotated function is not repeated by the outer one, so three
//! layers of three attempts make 3 calls, not 27, whether the server fails or hangs (without [`hedging`], which
//! multiplies). The outer function returns the inner error as it was; only a `RetryError` of its own says
//! [`Reason::InnerGaveUp`]. What to know about that:
//!
//! - A give-up is found as the error or in its source chain. One that was turned into a text, or put into a type that does
//!   not show it as its `source`, is an error like any other, and multiplies.
//! - An inner error that was not transient is no give-up: the outer function judges it by its own `on`.
//! - An outer function hands down what *its attempt* may take. With the default share of three attempts, the inner call
//!   has a third of the budget, and as its give-up is final, the rest is not used. A function whose body is little more
//!   than other annotated functions should say `attempts = 1` or `per_attempt = "none"`.
//! - `nested = "retry"` opts out. `on` or `when` must then match what the inner call gives back.
//!
//! # Protection
//!
//! Retries are dangerous to the server that they depend on: one that is slow is often down, and each client that asks
//! again makes it worse. Three pieces bound that; each has a page of its own.
//!
//! - [`CircuitBreaker`] (key `breaker`): a server that is down is left alone for a time, and calls fail at once.
//! - [`RetryThrottle`] (key `throttle`): all calls to one dependency share what may be retried.
//! - [`hedging`] (key `hedge`): a further attempt beside one that is slow, for those that only read.
//!
//! A bulkhead needs no key: a `tokio::sync::Semaphore` that the body acquires counts the attempts at a time, and the wait
//! for it is a part of the attempt's limit.
//!
//! The order is fixed, and cannot be got wrong:
//!
//! ```text
//!            +-----------------------------------------------------------------------+
//!            v                                                                       |
//! call -> deadline -> breaker -> (hedge) -> limit of the attempt -> body -> classify |
//!                                                                              |     |
//!                                    value, or an error that is final  <-------+     |
//!                                                                              v     |
//!               attempts left -> does the wait fit -> throttle -> breaker -> wait ---+
//! ```
//!
//! ```
//! use std::time::Duration;
//! use retry_runtime::{CircuitBreaker, Reason, RetryError, RetryThrottle, retry};
//!
//! static BREAKER: CircuitBreaker = CircuitBreaker::consecutive(5, Duration::from_secs(30));
//! static THROTTLE: RetryThrottle = RetryThrottle::ratio(20, 10);
//!
//! #[retry(total = "2s", breaker = BREAKER, throttle = THROTTLE, on = std::fmt::Error)]
//! async fn load() -> Result<u32, RetryError<std::fmt::Error>> {
//!     Err(std::fmt::Error)
//! }
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! assert_eq!(load().await.unwrap_err().reason(), Reason::AttemptsExhausted);
//! assert_eq!(load().await.unwrap_err().reason(), Reason::CircuitOpen); // five failures in a row
//! let error = load().await.unwrap_err();
//! assert_eq!((error.attempts(), error.retry_after()), (0, Some(Duration::from_secs(30))));
//! # }
//! ```
//!
//! # Logging
//!
//! The body knows its attempt: `Attempt::current()` has the [number](Attempt::number) for a log line. With
//! `#[tracing::instrument]` *above* `#[retry]` each attempt has a span of its own; with `#[retry]` above there is one span
//! round all of them. A failed call lists its attempts in its [history](GaveUp::history).
//!
//! # Tests
//!
//! All time is `tokio::time`, so under the paused clock (tokio's feature `test-util`) a test of ten seconds takes no time
//! and is exact to the millisecond. Switch the jitter off to know the waits:
//!
//! ```
//! use std::time::Duration;
//! use retry_runtime::{Reason, RetryError, retry};
//!
//! #[retry(total = "1s", per_attempt = "200ms", attempts = 5, jitter = "none", on = std::fmt::Error)]
//! async fn hung() -> Result<(), RetryError<std::fmt::Error>> {
//!     std::future::pending().await
//! }
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! let error = hung().await.unwrap_err(); // attempts at 0, 250, 550 and 950 ms
//! assert_eq!((error.attempts(), error.elapsed()), (4, Duration::from_secs(1)));
//! assert_eq!(error.reason(), Reason::TotalElapsed);
//! # }
//! ```
//!
//! A paused clock jumps to the next timer whenever the runtime is idle, so real I/O inside an attempt times out at once
//! there: give the body a fake server, or use the real clock.
//!
//! # What a limit can cut
//!
//! An attempt is cut where it awaits: its future is dropped, and with it connections, permits and guards, before the wait
//! begins. That has edges which no library can file off:
//!
//! - **A body that blocks its thread or computes for long** cannot be cut. Its value is late, and is returned all the
//!   same. Blocking calls belong into `tokio::task::spawn_blocking`; a long loop can ask [`Deadline::check`] now and then.
//! - **A body that panics** unwinds through the call unchanged; a panic is not repeated.
//! - **Spawned work outlives its attempt.** Dropping a `tokio::task::JoinHandle` detaches the task, so after three
//!   attempts three copies may run. A `tokio::task::JoinSet` aborts its tasks when it is dropped. A spawned task starts
//!   without a deadline; [`in_current_deadline`](DeadlineExt::in_current_deadline) carries it over.
//! - **Clean-up that must be done although time is up** runs without a deadline in [`Deadline::detached`].
//! - **Timers fire late, never early**, by tokio's tick: 1.2 ms in the median on an idle machine, as for every user of
//!   tokio. Where the clock of the machine stands still while it is suspended, limits do too.
//!
//! # Shutdown
//!
//! Dropping a call drops everything of it, at any point, and nothing runs on. So a shutdown needs no key:
//!
//! ```
//! # use retry_runtime::{RetryError, retry};
//! # #[retry(total = "1h", per_attempt = "1s", attempts = 9, on = std::fmt::Error)]
//! # async fn sync() -> Result<(), RetryError<std::fmt::Error>> { std::future::pending().await }
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! # let (stop, mut stopped) = tokio::sync::watch::channel(false);
//! # stop.send(true).unwrap();
//! tokio::select! {
//!     result = sync() => println!("{result:?}"),
//!     _ = stopped.wait_for(|stopped| *stopped) => println!("shutting down"),
//! }
//! # }
//! ```
//!
//! # Map
//!
//! | item | what it is |
//! | --- | --- |
//! | [`retry`](macro@retry) | the attribute, with a section for every key |
//! | [`RetryError`], [`GaveUp`], [`Reason`] | how a call ended |
//! | [`Deadline`], [`DeadlineExt`] | the instant at which a budget ends |
//! | [`Attempt`], [`IdempotencyKey`] | what a body can learn of its attempt |
//! | [`Policy`], [`PolicyExt`] | every number in one constant, and retries without the attribute |
//! | [`CircuitBreaker`], [`RetryThrottle`], [`hedging`] | what protects the server |
//! | [`AnyError`] | any error, for bodies that mix them |
//!
//! | feature | default | what it does |
//! | --- | --- | --- |
//! | `macros` | yes | the attribute |
//! | `serde` | no | a [`Policy`] from a config file, with durations such as `"200ms"` |
//! | `redis`, `sqlx`, `tonic` | no | give-ups become errors of these clients |

mod any_error;
mod attempt;
mod breaker;
mod call;
mod chain;
mod classify;
mod deadline;
mod error;
mod foreign;
mod form;
mod fresh;
mod guards;
mod history;
mod jitter;
mod log;
mod run;
mod scope;
mod session;
mod settle;
mod sync;
mod throttle;
mod timer;
mod values;
mod view;

#[doc = include_str!("hedging.md")]
pub mod hedging {}

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use any_error::AnyError;
pub use attempt::{Attempt, IdempotencyKey};
pub use breaker::{CircuitBreaker, CircuitOpen, CircuitState, Permit, StateChange};
pub use deadline::{Deadline, DeadlineExceeded, DeadlineExt, Detached, Limit, Scope};
pub use error::{AttemptOutcome, AttemptRecord, AttemptTimedOut, GaveUp, Reason, RetryError, last_error};
pub use guards::Shared;
#[cfg(feature = "macros")]
pub use retry_macros::retry;
pub use retry_policy::{
    AttemptLimit, Course, CourseEnd, Jitter, Nested, Plan, Policy, PolicyBuilder, PolicyError, Step,
};
pub use run::{Always, BodyError, Hint, Never, NoHint, PolicyExt, Predicate, Run};
pub use throttle::{ReservedRetry, RetryThrottle, ThrottledCall};
