//! One measure a file; each makes its tables.

pub(crate) mod allocations;
pub(crate) mod compile;
pub(crate) mod instructions;
pub(crate) mod lateness;
pub(crate) mod million;
pub(crate) mod nanoseconds;
pub(crate) mod sizes;
