//! The attribute of `retry-runtime`; depend on that crate instead, which re-exports it as
//! `retry_runtime::retry`.
//!
//! The way of the tokens: `expand.rs` reads the arguments (`args.rs`, by the table in `keys.rs`, value by
//! value in `values.rs`) and the item (`function.rs`, `block.rs`, `boxed.rs`), has the numbers checked
//! (`spec.rs`) and the arguments of the function sorted (`capture.rs`, by `usage.rs`), and writes the code of
//! a call (`call.rs`). `hedge.rs` knows what cannot run beside another. `async_trait.rs`, `tracing.rs` and `fragment.rs` know what other macros leave behind.

#![forbid(unsafe_code)]

mod args;
mod async_trait;
mod block;
mod borrow;
mod boxed;
mod call;
mod capture;
mod classify;
mod errors;
mod expand;
mod fragment;
mod function;
#[cfg(test)]
mod half_typed;
mod hedge;
mod keys;
mod receiver;
mod site;
#[cfg(test)]
mod snapshots;
mod spec;
mod tracing;
mod usage;
mod values;

use proc_macro::TokenStream;

/// Runs the body of an async function once per attempt, and returns within the time that it promises.
///
/// ```
/// use retry_runtime::{GaveUp, retry};
///
/// #[derive(Debug, thiserror::Error)]
/// enum StoreError {
///     #[error("connection refused")]
///     Refused,
///     #[error("no such user")]
///     Missing,
///     #[error(transparent)]
///     GaveUp(#[from] GaveUp),
/// }
///
/// #[retry(total = "1s", per_attempt = "200ms", attempts = 5, on = StoreError::Refused)]
/// async fn load(id: u64) -> Result<String, StoreError> {
///     match id {
///         0 => Err(StoreError::Missing),
///         _ => Ok(format!("user {id}")),
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// assert_eq!(load(7).await.unwrap(), "user 7");
/// // Not transient: returned at once, as it is.
/// assert!(matches!(load(0).await, Err(StoreError::Missing)));
/// # }
/// ```
///
/// An attempt is one run of the body. It is cut when it takes longer than `per_attempt`, or longer than what
/// is left of `total`. After an error that `on` or `when` calls transient, or after a cut, the function waits
/// and runs the body again. The last error, or a give-up that says why there was no further attempt, is what
/// the caller gets.
///
/// # Where it may stand
///
/// - On an `async fn`: free, method or trait method, with any arguments, generics and attributes.
/// - On a `fn` that returns the future of one `async` block: `impl Future<Output = Result<..>>` with `async
///   move { .. }` as its last expression, or a boxed future with `Box::pin(async move { .. })` or `async move
///   { .. }.boxed()`. What stands before the block runs once, when the function is called; the block runs
///   once per attempt.
/// - On a method below `#[async_trait]`, or on the `impl` block, in either order.
/// - On an `impl` block: it then holds for every async method in it. A method's own `#[retry(..)]` takes the
///   place of the block's, `#[retry(skip)]` leaves the method alone, and methods that are not async are left
///   alone anyway.
///
/// ```
/// # use retry_runtime::{GaveUp, retry};
/// # #[derive(Debug)]
/// # enum Error { Busy, GaveUp(GaveUp) }
/// # impl From<GaveUp> for Error { fn from(gave_up: GaveUp) -> Self { Self::GaveUp(gave_up) } }
/// struct Client;
///
/// #[retry(total = "2s", on = Error::Busy)]
/// impl Client {
///     async fn get(&self, key: &str) -> Result<usize, Error> {
///         Ok(key.len())
///     }
///
///     #[retry(total = "10s", attempts = 5, on = Error::Busy)]
///     async fn get_slowly(&self, key: &str) -> Result<usize, Error> {
///         self.get(key).await
///     }
///
///     #[retry(skip)]
///     async fn close(self) {}
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # assert_eq!(Client.get_slowly("key").await.unwrap(), 3);
/// # Client.close().await;
/// # }
/// ```
///
/// It must stand above `#[tokio::test]` and `#[tokio::main]`, which make the function synchronous. Above
/// `#[tracing::instrument]` there is one span round all attempts; with `#[tracing::instrument]` above it, there is one
/// span for each attempt.
///
/// # What the function returns
///
/// The signature stays as it is; the body yields what an attempt yields.
///
/// | declared | the body yields | a give-up is |
/// | --- | --- | --- |
/// | `Result<T, E>`, `E: From<GaveUp> + Send + Sync + 'static` | `Result<T, E>` | made into an `E`; all other errors come back as they were |
/// | `Result<T, RetryError<E>>` | `Result<T, E>` | a `RetryError<E>`, and so is any other error |
/// | `Result<T, RetryError>` | `Result<T, AnyError>`, which takes any error by `?` | a `RetryError` |
/// | `Result<T, E>` with `fallback` | `Result<T, E>` | what the fallback makes of it |
///
/// `anyhow::Error`, `eyre::Report`, `Box<dyn Error + Send + Sync>` and `std::io::Error` take a give-up as
/// they are. Aliases such as `io::Result<T>` work: types are asked, not names.
///
/// # What an attempt starts from
///
/// Each attempt starts from the arguments as they were passed.
///
/// - An owned argument that the body uses by value is cloned for each attempt: its bare name as an argument,
///   in `let`, `return`, `?` or `.await`, as an operand, in a struct, tuple or array, matched against a
///   pattern that takes something out of it, as the receiver of `into()` or `into_..()`, or anywhere in a
///   `move` closure or `async move` block. It must be `Clone`.
/// - A `mut` argument is cloned where it is `Clone`; otherwise it is lent, and what an attempt changes stays
///   changed. With [`hedge`](#hedge) each attempt owns it, so it must be `Clone`.
/// - An argument that appears inside a macro call, or as the receiver of a method that usually consumes it, such
///   as `unwrap_or_default`, is cloned where it is `Clone`, and otherwise lent.
/// - An argument of which a field is used by value is cloned where that takes the field out of it; where the field is
///   copied, the argument is borrowed.
/// - All other owned arguments are borrowed: field reads, comparisons, indexing, calls and method calls do
///   that. They must be `Sync` for the future to be `Send`. A method of your own that takes `self` needs a
///   `.clone()` before it.
/// - References are left alone, `&mut` ones are reborrowed: what the body changes through them stays changed.
/// - With `attempts = 1` nothing is cloned.
///
/// ```
/// # use retry_runtime::{RetryError, retry};
/// # #[derive(Debug)]
/// # struct Busy;
/// #[retry(attempts = 3, backoff = "none", on = Busy)]
/// async fn push(log: &mut Vec<u32>, mut number: u32) -> Result<u32, RetryError<Busy>> {
///     number += 1;
///     log.push(number);
///     Err(Busy)
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut log = vec![];
/// push(&mut log, 1).await.unwrap_err();
/// assert_eq!(log, [2, 2, 2]);
/// # }
/// ```
///
/// A result that borrows from `&mut self` or a `&mut` argument is refused: one attempt would hold the borrow
/// that the next one needs. Split the function into a retried `ensure(&mut self) -> Result<(), E>` and a
/// plain getter.
///
/// # Keys
///
/// | key | value | default |
/// | --- | --- | --- |
/// | [`total`](#total) | duration, `"none"` | `"10s"` |
/// | [`per_attempt`](#per_attempt) | duration, `"share"`, `"none"` | `"share"` |
/// | [`attempts`](#attempts) | integer, `"unlimited"` | `3` |
/// | [`on`](#on) | types, `source(Type)` and patterns joined by `\|`, or `_` | one of `on`, `when`, `when_ok` is required, except with `attempts = 1` and no `breaker` |
/// | [`when`](#when) | `fn(&E) -> bool` or closure | |
/// | [`when_ok`](#when_ok) | `fn(&T) -> bool` or closure | |
/// | [`backoff`](#backoff) | duration, `"none"` | `"50ms"`, or `max_backoff` if that is shorter |
/// | [`factor`](#factor) | number | `2` |
/// | [`max_backoff`](#max_backoff) | duration | `"5s"`, or `backoff` if that is longer |
/// | [`jitter`](#jitter) | `"equal"`, `"full"`, `"none"` | `"equal"` |
/// | [`retry_after`](#retry_after) | `fn(&E) -> Option<Duration>` or closure | |
/// | [`retry_after_ok`](#retry_after_ok) | `fn(&T) -> Option<Duration>` or closure | |
/// | [`idempotent`](#idempotent) | `true`, `false` | `true` |
/// | [`nested`](#nested) | `"stop"`, `"retry"` | `"stop"` |
/// | [`min_attempt`](#min_attempt) | duration | `"1ms"`, or the attempt's limit if that is shorter |
/// | [`margin`](#margin) | duration | `"0ms"` |
/// | [`deadline`](#deadline) | `Deadline` or `Option<Deadline>` | |
/// | [`policy`](#policy) | `Policy` or `&Policy` | |
/// | [`breaker`](#breaker) | `CircuitBreaker` | |
/// | [`throttle`](#throttle) | `RetryThrottle` | |
/// | [`hedge`](#hedge) | duration | attempts run one after the other |
/// | [`fallback`](#fallback) | function, closure or `async` closure | |
/// | [`crate`](#crate) | path | `::retry_runtime` |
///
/// A duration is a literal (`"1s"`, `"200ms"`, `"1m 30s"`; units `ns`, `us`, `ms`, `s`, `m`, `h`, `d`; no
/// decimals), or an expression of type `Duration` or `Option<Duration>`, where `None` stands for the default (`hedge`
/// has none, and takes a `Duration` only).
/// Expressions may name the function's arguments. They are evaluated once a call, at its first poll, in the
/// order written. A literal that makes no sense is a compile error; a value that is known at run time only is
/// moved to the nearest possible one, and never a panic.
///
/// In the code below, `run(body, limit)` stands for one attempt, cut after `limit`; `time_is_up` for the
/// give-up.
///
/// ## total
///
/// The budget of the whole call: attempts, waits, everything. Default `"10s"`. `"none"` is for background
/// loops: it needs a `per_attempt` duration, more than one attempt and, without [`hedge`](#hedge), a wait; an
/// inherited deadline still holds.
///
/// ```text
/// let deadline = start + total;                     // or an inherited deadline, if that is earlier
/// loop {
///     let remaining = deadline - now();
///     if remaining < min_attempt { return Err(time_is_up) }
///     let result = run(body, min(per_attempt, remaining)).await;
///     ..
/// }
/// ```
///
/// ## per_attempt
///
/// How long one attempt may take, if that much is left. Default `"share"`: a fair part of what is left, so
/// that one hung attempt does not eat the budget of the others. `"none"`: an attempt may use up all that is
/// left. A duration longer than `total`, or equal to it with more than one attempt, is refused.
///
/// ```text
/// limit = match per_attempt {
///     "share" => max(remaining / attempts_left, min_attempt),
///     "none" => remaining,
///     duration => min(duration, remaining),
/// };
/// ```
///
/// ## attempts
///
/// How often the body runs at most, the first time included. Default `3`. An expression may have any integer
/// type; less than 1 counts as 1. With the literal `1` there is no loop and no wait, and the function has a
/// deadline only: its errors come back as they are, but for those that a given `on` or `when` calls transient, which
/// are a give-up. `"unlimited"` leaves it to `total`, and needs a `per_attempt` and a wait. The count is a
/// safety net: `attempts = 20` with `total = "1s"` is no mistake.
///
/// ```text
/// for number in 1..=attempts {
///     ..
/// }
/// return Err(attempts_exhausted);
/// ```
///
/// ## on
///
/// The errors that are worth another attempt: types and patterns, joined by `|`, or `_` for every error.
/// Errors that are not among them end the call at that attempt.
///
/// - A **type** (`ConnectionError`, `io::Error`, `T::Error`, `Self::Error`) matches where the function's
///   error is that type, and where it is opaque (`anyhow::Error`, `eyre::Report`, `Box<dyn Error + Send +
///   Sync>`, `AnyError`) and has one anywhere in its source chain. For another error type it is a compile
///   error.
/// - A **pattern** is a path whose last segment but one begins with a capital (`StoreError::Busy`), and is
///   neither `Self` nor a type parameter, or anything else with parentheses or braces:
///   `FetchError::Status(500..=599)`, `FetchError::Reset { .. }`. It is matched against the error itself. One
///   name alone is a type: a variant stands behind its enum, also where it is imported.
/// - `source(Type)` searches the source chain of any error, the payload of an `io::Error` included. It does
///   not find what `#[error(transparent)]` wraps: that hides the value itself and shows the value's own
///   source. Name the variant there.
///
/// Functions and closures go to [`when`](#when).
///
/// ```text
/// let transient = match &error {
///     FetchError::Status(500..=599) | FetchError::Reset { .. } => true,
///     _ => false,
/// };
/// if !transient { return Err(error) }
/// ```
///
/// ```
/// # use retry_runtime::retry;
/// #[retry(attempts = 3, on = std::io::Error)]
/// async fn read(path: &str) -> anyhow::Result<u32> {
///     let text = std::fs::read_to_string(path)?; // tried again: an `io::Error` is in the chain
///     Ok(text.trim().parse()?) // final
/// }
/// # let _ = read;
/// ```
///
/// ## when
///
/// A function or closure from `&E` to `bool`. Beside `on`, both must hold; alone, it decides. It is not asked
/// about attempts that were cut: see [`idempotent`](#idempotent).
///
/// ```text
/// let transient = on(&error) && when(&error);
/// ```
///
/// ```
/// # use retry_runtime::retry;
/// # use std::io;
/// #[retry(when = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionRefused)]
/// async fn connect() -> io::Result<u32> {
///     Ok(1)
/// }
/// # let _ = connect;
/// ```
///
/// ## when_ok
///
/// A function or closure from `&T` to `bool`: a value that is worth another attempt, such as a response with
/// status 503. The outcome of the last attempt that had one decides how the call ends: a value comes back as
/// it is, an error as a give-up. The value is kept through the wait, so a response keeps its connection, and
/// the future is `Send` only if the value is. Where neither `on` nor `when` stands beside it, every error is final.
///
/// ```text
/// Ok(value) if !when_ok(&value) => return Ok(value),
/// Ok(value) => kept = Some(value),        // and another attempt; returned if there is none
/// ```
///
/// ## backoff
///
/// The first wait. Default `"50ms"`. The next ones grow by [`factor`](#factor). `"none"`: no wait. A wait
/// that does not fit into what is left of `total` is shortened once, so that a last attempt has room: half of what is
/// left, or `per_attempt` if that is less.
///
/// ```text
/// wait = jitter(min(backoff * factor.powi(number - 1), max_backoff));
/// ```
///
/// ## factor
///
/// By how much each wait is longer than the one before: a number of at least 1. Default `2`; `1` for waits
/// that stay the same.
///
/// ```text
/// waits = [50ms, 100ms, 200ms, 400ms, ..];        // backoff = "50ms", factor = 2, jitter = "none"
/// ```
///
/// ## max_backoff
///
/// The longest wait. Default `"5s"`. A server's hint may be longer, see [`retry_after`](#retry_after).
///
/// ```text
/// wait = min(wait, max_backoff);
/// ```
///
/// ## jitter
///
/// How much of each wait is left to chance, so that callers that failed together do not return together.
/// Default `"equal"`.
///
/// ```text
/// wait = match jitter {
///     "equal" => wait / 2 + random(0..=wait / 2),
///     "full" => random(0..=wait),
///     "none" => wait,
/// };
/// ```
///
/// ## retry_after
///
/// A function or closure from `&E` to `Option<Duration>`: how long the server asked to wait. Such a wait is
/// never shortened, and `max_backoff` does not hold for it; up to a tenth is added at random, unless `jitter
/// = "none"`. One that does not fit into what is left ends the call at once, and the error carries it. It is
/// asked for where [`on`](#on) or [`when`](#when) calls the error transient, so one of them is there too.
///
/// ```text
/// let hint = retry_after(&error);
/// if hint > Some(remaining - min_attempt) { return Err(retry_after_too_long) }
/// wait = max(wait, hint);
/// ```
///
/// ## retry_after_ok
///
/// The same for a value that [`when_ok`](#when_ok) sends back: a function or closure from `&T` to
/// `Option<Duration>`. It stands beside `when_ok`.
///
/// ```text
/// let hint = retry_after_ok(&value);
/// ```
///
/// ## idempotent
///
/// Whether an attempt that was cut may be made again. Default `true`. That an answer did not come in time
/// does not mean that the server did nothing: write `false` where a second request would do harm. Errors that
/// the body returns are judged by `on` and `when` either way.
///
/// ```text
/// if timed_out && !idempotent { return Err(attempt_timed_out) }
/// ```
///
/// ## nested
///
/// What the give-up of an annotated function that the body calls is. Default `"stop"`: no further attempt, since the
/// inner function has made its own; without hedging, three layers of three attempts make 3 calls, not 27. The inner
/// error comes back as it was, and only a `RetryError` around it says `Reason::InnerGaveUp`. An inner error that was
/// not transient is no give-up. `"retry"`: a give-up is an error like any other, so `on` or `when` must match it:
/// `on = StoreError::Busy | StoreError::GaveUp(_)`.
///
/// ```text
/// if nested == "stop" && contains_give_up(&error) { return Err(inner_gave_up) }
/// ```
///
/// ## min_attempt
///
/// The shortest attempt worth starting. Default `"1ms"`. If less is left, the body is not polled, not even
/// once. (Where the timer of the wait before it was late, that lateness is forgiven, up to 2 ms of it.)
///
/// ```text
/// if remaining < min_attempt { return Err(time_is_up) }
/// ```
///
/// ## margin
///
/// How much earlier than an inherited deadline, or than [`deadline`](#deadline), the call ends, to leave the
/// caller time to answer. Default `"0ms"`. It is not taken off `total`.
///
/// ```text
/// let deadline = min(start + total, inherited - margin, explicit - margin);
/// ```
///
/// ## deadline
///
/// An expression of type `Deadline` or `Option<Deadline>`: when the request at hand must be answered. It can
/// only make the call shorter. A deadline that an annotated function around this one has is inherited without
/// it.
///
/// ```
/// # use retry_runtime::{Deadline, RetryError, retry};
/// # struct Request { deadline: Option<Deadline> }
/// # #[derive(Debug)]
/// # struct Busy;
/// #[retry(total = "2s", on = Busy, deadline = request.deadline, margin = "20ms")]
/// async fn answer(request: &Request) -> Result<u32, RetryError<Busy>> {
///     Ok(1)
/// }
/// # let _ = answer;
/// ```
///
/// ## policy
///
/// An expression of type `Policy` or `&Policy`, with the numbers for this call; keys that stand beside it
/// override it. What the macro refuses in literals, `Policy::builder()` refuses too, in a `const` at compile
/// time; a contradiction between the policy and a key beside it is settled at run time, like other run-time values.
/// `jitter`, `idempotent` and `nested` take literals only: a policy is the way to choose them at run time.
///
/// ```
/// # use retry_runtime::{Policy, RetryError, retry};
/// # use std::time::Duration;
/// # #[derive(Debug)]
/// # struct Busy;
/// const PATIENT: Policy = Policy::builder().total(Duration::from_secs(60)).attempts(10).build();
///
/// #[retry(policy = PATIENT, per_attempt = "2s", on = Busy)]
/// async fn import() -> Result<u32, RetryError<Busy>> {
///     Ok(1)
/// }
/// # let _ = import;
/// ```
///
/// ## breaker
///
/// A `CircuitBreaker`: the name of a static, a field, a reference, an `Arc`, `Box`, `Rc` or `LazyLock`; of a type of
/// your own that dereferences to one, `&*breaker`. With `attempts = 1` too it needs an `on` or a `when`.
///
/// It counts attempts: transient failures and attempts cut by the call's own limits against the server, values and
/// other errors as its answers, attempts cut by a deadline of the caller as nothing. Open, it ends the call with
/// `Reason::CircuitOpen`: before the first attempt, or in place of a wait, and then with the last real error. The
/// expression is borrowed for as long as the call lasts, so a `&mut self` method clones an `Arc`:
/// `breaker = self.breaker.clone()`. State is only ever what you name: a static in a generic function is shared by all
/// its types, a field (`breaker = self.breaker`) is one for each instance. The page of `CircuitBreaker` in the runtime
/// crate says when to use one, and which mistakes to avoid.
///
/// ```
/// # use retry_runtime::{CircuitBreaker, RetryError, retry};
/// # use std::time::Duration;
/// # #[derive(Debug)]
/// # struct Busy;
/// static STORE: CircuitBreaker = CircuitBreaker::consecutive(5, Duration::from_secs(30));
///
/// #[retry(total = "2s", on = Busy, breaker = STORE)]
/// async fn load() -> Result<u32, RetryError<Busy>> {
///     Ok(1)
/// }
/// # let _ = load;
/// ```
///
/// ```text
/// if !breaker.admits() { return Err(circuit_open) }       // before each attempt, and before each wait
/// ```
///
/// ## throttle
///
/// A `RetryThrottle`, the retry budget that all calls to one dependency share; it is named as a [`breaker`](#breaker)
/// is. The first attempt is free; what a retry costs is taken before the wait, and put back if the call is dropped
/// before that attempt starts. Where there is nothing left the call ends at once with `Reason::Throttled` and the last
/// real error. The page of `RetryThrottle` in the runtime crate says which rule to choose.
///
/// ```
/// # use retry_runtime::{RetryError, RetryThrottle, retry};
/// # #[derive(Debug)]
/// # struct Busy;
/// /// One retry in five calls, and ten a second in any case.
/// static STORE: RetryThrottle = RetryThrottle::ratio(20, 10);
///
/// #[retry(total = "2s", on = Busy, throttle = STORE)]
/// async fn load() -> Result<u32, RetryError<Busy>> {
///     Ok(1)
/// }
/// # let _ = load;
/// ```
///
/// ```text
/// if !throttle.grants() { return Err(throttled) }         // before each wait
/// ```
///
/// ## hedge
///
/// A duration: when an attempt has not answered by then, the next one starts beside it, up to `attempts`. The first
/// success or final error wins, and the others are dropped. A transient failure starts the next one at once, so the
/// keys of waits have no place beside it; a share is all that is left. Not with `idempotent = false`, nor with a `&mut`
/// receiver or argument. For calls without it, leave the key out: no value means none. The module `hedging` of the
/// runtime crate says when it helps, and when it does harm.
///
/// ```
/// # use retry_runtime::{RetryError, retry};
/// # #[derive(Debug)]
/// # struct Busy;
/// #[retry(total = "1s", attempts = 2, hedge = "50ms", on = Busy)]
/// async fn read(key: &str) -> Result<usize, RetryError<Busy>> {
///     Ok(key.len())
/// }
/// # let _ = read;
/// ```
///
/// ```text
/// answer = first_of(attempt(1), after(hedge, attempt(2)), ..);
/// ```
///
/// ## fallback
///
/// What makes the function's result of a give-up (a `RetryError<E>`, `E` being the body's error): a cached
/// value, the last error unchanged (`retry_runtime::last_error`), a foreign error type. It is called for
/// every give-up, but not for an error that was not transient. With it, no `From<GaveUp>` is asked for, except by
/// `last_error`: a call that was cut has no last error. An `async` closure runs in the scope of the call's deadline,
/// but is not cut.
///
/// ```
/// # use retry_runtime::retry;
/// # #[derive(Debug)]
/// # struct Busy;
/// #[retry(attempts = 2, backoff = "none", on = Busy, fallback = async |_| Ok(cached().await))]
/// async fn rate() -> Result<u32, Busy> {
///     Err(Busy)
/// }
///
/// async fn cached() -> u32 {
///     7
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// assert_eq!(rate().await.unwrap(), 7);
/// # }
/// ```
///
/// ## crate
///
/// The path of the runtime crate, where it is not `::retry_runtime`: for crates that re-export it.
///
/// ```
/// mod prelude {
///     pub use retry_runtime;
/// }
/// # #[derive(Debug)]
/// # struct Busy;
///
/// #[retry_runtime::retry(attempts = 1, crate = crate::prelude::retry_runtime)]
/// async fn once() -> Result<u32, prelude::retry_runtime::RetryError<Busy>> {
///     Ok(1)
/// }
/// # fn main() { let _ = once; }
/// ```
///
/// # What it stands for
///
/// `#[retry(total = "1s", on = Busy)] async fn call(x: String) -> R { BODY }` becomes, in outline:
///
/// ```text
/// async fn call(x: String) -> R {
///     let mut call = Call::new(const { &POLICY }, None);
///     loop {
///         let outcome = {
///             let x = x.clone();                      // only if BODY uses it by value
///             call.attempt(async { BODY }).await      // waits, if it is not the first one; cut when its time is up
///         };
///         match outcome {
///             Some(Ok(value)) => return Ok(value),
///             Some(Err(error)) if call.is_worth_another(&error, transient(&error)) => {}
///             None if call.is_worth_another_after_a_cut() => {}
///             _ => return Err(call.give_up()),
///         }
///     }
/// }
/// ```
///
/// No task is spawned, and nothing is boxed but an attempt that runs beside another: dropping the future drops the
/// attempts and all that they hold.
///
/// # Mistakes
///
/// All mistakes in an attribute are reported at once, each at what is to be changed, and the function is
/// expanded with the keys that are good, so that nothing else breaks.
///
/// ```compile_fail
/// # use retry_runtime::{RetryError, retry};
/// # #[derive(Debug)]
/// # struct Busy;
/// #[retry(total = "1s", attemps = 5, on = Busy)]
/// //                    ^^^^^^^ unknown key `attemps`: did you mean `attempts`?
/// async fn call() -> Result<u32, RetryError<Busy>> {
///     Ok(1)
/// }
/// ```
#[proc_macro_attribute]
pub fn retry(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::attribute(args.into(), item.into()).into()
}
