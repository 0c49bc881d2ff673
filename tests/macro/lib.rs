//! What went wrong for users of other attribute macros, tried on this one.
//!
//! The package `retry-macro-cases-2021` compiles the same files in edition 2021.

#![deny(warnings)]

use std::fmt;

use retry_runtime::GaveUp;

#[cfg(test)]
mod functions;
pub mod lints;

/// The failure that is worth another attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionError;

impl fmt::Display for ConnectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("connection refused")
    }
}

impl std::error::Error for ConnectionError {}

/// The error of a service.
#[derive(Debug)]
pub enum ServiceError {
    /// Worth another attempt.
    Down,
    /// Not worth it.
    Broken,
    /// Where a give-up goes.
    GaveUp(GaveUp),
}

impl From<GaveUp> for ServiceError {
    fn from(gave_up: GaveUp) -> Self {
        Self::GaveUp(gave_up)
    }
}
