//! Lints that strict crates deny. Some of them want the opposite of the default ones.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_in_result
)]
#![deny(
    clippy::implicit_return,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::shadow_unrelated
)]
#![deny(
    clippy::shadow_reuse,
    clippy::shadow_same,
    clippy::as_conversions,
    clippy::exhaustive_enums,
    clippy::default_numeric_fallback,
    clippy::else_if_without_else,
    clippy::let_underscore_untyped,
    clippy::missing_assert_message,
    clippy::pattern_type_mismatch,
    clippy::wildcard_enum_match_arm,
    clippy::if_then_some_else_none,
    clippy::integer_division,
    clippy::mem_forget,
    clippy::redundant_type_annotations,
    clippy::rest_pat_in_fully_bound_structs,
    clippy::same_name_method,
    clippy::semicolon_outside_block,
    clippy::str_to_string,
    clippy::undocumented_unsafe_blocks,
    clippy::unneeded_field_pattern,
    clippy::verbose_file_reads
)]
#![allow(clippy::needless_return)]

use retry_runtime::{RetryError, retry};

use crate::{ConnectionError, ServiceError};

#[retry(total = "1s", attempts = 3, on = ConnectionError)]
pub async fn f(n: u32) -> Result<u32, RetryError<ConnectionError>> {
    return Ok(n);
}

#[retry(attempts = 1)]
pub async fn one_attempt(n: u32) -> Result<u32, RetryError<ConnectionError>> {
    return Ok(n);
}

#[retry(
    attempts = n,
    on = ServiceError::Down,
    when = |e| { return matches!(*e, ServiceError::Down); },
    when_ok = |v| { return *v == 0; },
    retry_after = |_| { return None; },
    fallback = |gave_up| { return Err(gave_up); }
)]
pub async fn every_key(n: u32, text: String, mut count: u32) -> Result<u32, RetryError<ServiceError>> {
    count = count.saturating_add(n);
    drop(text);
    return Ok(count);
}

#[derive(Clone)]
pub struct Client {
    pub name: String,
}

#[retry(total = "1s", attempts = 3, on = ConnectionError)]
impl Client {
    pub async fn rename(&mut self, name: String) -> Result<(), RetryError<ConnectionError>> {
        self.name = name;
        return Ok(());
    }

    pub async fn finish(self) -> Result<Self, RetryError<ConnectionError>> {
        return Ok(self);
    }
}
