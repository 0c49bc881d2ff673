//! The atomics of what threads share: those of the standard library, and in the unit tests under `--cfg retry_loom`
//! those of loom, which runs a model through every order in which its threads can take turns.

#[cfg(all(test, retry_loom))]
pub(crate) use loom::sync::atomic::{AtomicU64, Ordering, fence};
#[cfg(not(all(test, retry_loom)))]
pub(crate) use std::sync::atomic::{AtomicU64, Ordering, fence};

/// A `const fn` that makes atomics; loom's cannot be made in a constant.
#[cfg(not(all(test, retry_loom)))]
macro_rules! const_fn {
    ($($function:tt)*) => { $($function)* };
}
#[cfg(all(test, retry_loom))]
macro_rules! const_fn {
    ($(#[$attribute:meta])* $vis:vis const fn $($function:tt)*) => { $(#[$attribute])* $vis fn $($function)* };
}
pub(crate) use const_fn;

#[cfg(not(all(test, retry_loom)))]
pub(crate) const fn zeroes<const N: usize>() -> [AtomicU64; N] {
    [const { AtomicU64::new(0) }; N]
}
#[cfg(all(test, retry_loom))]
pub(crate) fn zeroes<const N: usize>() -> [AtomicU64; N] {
    std::array::from_fn(|_| AtomicU64::new(0))
}
