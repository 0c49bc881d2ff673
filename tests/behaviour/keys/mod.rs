//! One module a key: what it does as a literal, as a constant and at run time, each in a test that would fail if
//! the key did nothing.

mod attempts;
mod backoff;
mod breaker;
mod crate_path;
mod deadline;
mod factor;
mod fallback;
mod hedge;
mod hedge_in_layers;
mod idempotent;
mod jitter;
mod margin;
mod max_backoff;
mod min_attempt;
mod nested;
mod on;
mod per_attempt;
mod policy;
mod questions;
mod retry_after;
mod throttle;
mod total;
mod when;
mod when_ok;
