//! What the test targets share. The tests are in `behaviour/`, `cheap/`, `model/` and `ui/`.

use std::error::Error;
use std::fmt;

/// The failure that is worth another attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionError;

impl fmt::Display for ConnectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("connection refused")
    }
}

impl Error for ConnectionError {}

/// The code in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
