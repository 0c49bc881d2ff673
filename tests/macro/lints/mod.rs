//! Lints that generated code trips elsewhere, denied; the functions are as a user would write them.

pub mod braces_and_returns;
pub mod conditions;
pub mod never_falls_through;
pub mod pedantic;
pub mod restriction;
