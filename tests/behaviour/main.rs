//! One module a promise, all under tokio's paused clock unless a comment says why not.

mod support;

mod attempt;
mod attempt_limit;
mod breaker_by_hand;
mod cancellation;
mod cheap_when_ready;
mod clock;
mod deadline;
mod deterministic_failure;
mod forms;
mod give_up;
mod golden;
mod keys;
mod nested;
mod no_hidden_state;
mod no_hopeless_attempt;
mod no_overflow;
mod one_deadline;
mod panics;
mod run;
mod send;
mod server_hint;
mod sizes;
mod throttle_by_hand;
mod timed_out_attempts;
mod value_wins;
mod waits_count;
mod which_limit;
