//! The numbers of `#[retry]`: durations, backoff, the rules between keys, the plan.
//!
//! Use `retry-runtime`, which re-exports what its users need. This package is a package of its own because the
//! attribute and the runtime must agree: what the macro refuses, [`PolicyBuilder::build`] refuses, and what
//! [`Policy::plan`] foretells, the running call does. It is pure: it reads no clock, draws no random number,
//! starts no task.
//!
//! | file | its one idea |
//! | --- | --- |
//! | `duration.rs` | text to [`Duration`](core::time::Duration) and back |
//! | `defaults.rs` | what holds for a key that is not given |
//! | `settings.rs` | the slots: a key that is given, not given, or not known |
//! | `rules.rs` | what is refused, each mistake with its sentence |
//! | `builder.rs` | slots to a policy, checked |
//! | `policy.rs` | a policy: what was given, and the values that hold |
//! | `holds.rs` | the values that hold: made possible where they are not |
//! | `backoff.rs` | how long to wait, jitter included |
//! | `limit.rs` | how long an attempt may take, and whether there is time for another |
//! | `plan.rs` | what a call can come to, worked out beforehand |
//! | `config.rs` | a policy from a config file and back (feature `serde`) |
//!
//! ```
//! use retry_policy::{Policy, Wait};
//! use std::time::Duration;
//!
//! const POLICY: Policy = Policy::builder()
//!     .total(Duration::from_secs(1))
//!     .per_attempt(Duration::from_millis(200))
//!     .attempts(5)
//!     .build();
//!
//! let remaining = Some(Duration::from_millis(50));
//! assert_eq!(POLICY.limit(4, false, remaining), remaining);
//! assert_eq!(POLICY.next_wait(4, Some(Duration::ZERO), None, false, || 0), Wait::OutOfTime);
//! ```

mod backoff;
mod builder;
#[cfg(feature = "serde")]
mod config;
pub mod defaults;
pub mod duration;
mod holds;
mod limit;
mod plan;
mod policy;
mod rules;
mod settings;

pub use builder::{PolicyBuilder, PolicyError};
pub use holds::{NEVER, Nanos, nanos};
pub use limit::Wait;
pub use plan::{Course, CourseEnd, Plan, Step};
pub use policy::Policy;
pub use rules::{Key, Problem};
pub use settings::{AttemptLimit, Jitter, Nested, Settings, Slot};
