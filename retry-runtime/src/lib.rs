//! `#[retry]`: an `async fn` whose caller waits no longer than promised, whatever the server does, and learns what
//! really went wrong.

mod any_error;
mod attempt;
mod call;
mod chain;
mod classify;
mod deadline;
mod error;
mod foreign;
mod form;
mod fresh;
mod log;
mod run;
mod scope;
mod session;
mod timer;
mod values;
mod view;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use any_error::AnyError;
pub use attempt::{Attempt, IdempotencyKey};
pub use deadline::{Deadline, DeadlineExceeded, DeadlineExt, Detached, Limit, Scope};
pub use error::{AttemptOutcome, AttemptRecord, AttemptTimedOut, GaveUp, Reason, RetryError, last_error};
#[cfg(feature = "macros")]
pub use retry_macros::retry;
pub use retry_policy::{
    AttemptLimit, Course, CourseEnd, Jitter, Nested, Plan, Policy, PolicyBuilder, PolicyError, Step,
};
pub use run::{Always, BodyError, Hint, Never, NoHint, PolicyExt, Predicate, Run};
