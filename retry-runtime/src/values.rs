//! Run-time values in the attribute: the types that each key takes. An impossible value is moved to the nearest
//! possible one, never a panic.
//!
//! The message of each trait names the types it takes, so its implementations are not listed once more.

use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8, NonZeroU16,
    NonZeroU32, NonZeroU64, NonZeroU128, NonZeroUsize,
};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use retry_policy::{Policy, PolicyBuilder};

use crate::breaker::CircuitBreaker;
use crate::deadline::Deadline;
use crate::throttle::RetryThrottle;

/// A duration key: `Duration` or `Option<Duration>`; `None` stands for the default.
pub fn duration(value: impl DurationValue) -> Option<Duration> {
    value.into_duration()
}

/// What a duration key takes.
#[diagnostic::on_unimplemented(
    message = "expected a `Duration` or an `Option<Duration>`, found `{Self}`: write a literal such as \"200ms\", or an expression of one of these types",
    label = "`{Self}` is no duration"
)]
pub trait DurationValue {
    /// The duration.
    fn into_duration(self) -> Option<Duration>;
}

#[diagnostic::do_not_recommend]
impl DurationValue for Duration {
    fn into_duration(self) -> Option<Duration> {
        Some(self)
    }
}

#[diagnostic::do_not_recommend]
impl DurationValue for Option<Duration> {
    fn into_duration(self) -> Option<Duration> {
        self
    }
}

/// The key `hedge`: a `Duration`. There is no value for "no hedging": the key itself takes the waits and shares away.
pub fn hedge(value: impl HedgeValue) -> Duration {
    value.into_delay()
}

/// What the key `hedge` takes.
#[diagnostic::on_unimplemented(
    message = "expected a `Duration`, found `{Self}`: `hedge` has no value that means none; leave the key out for calls without it",
    label = "`{Self}` is no `Duration`"
)]
pub trait HedgeValue {
    /// The delay.
    fn into_delay(self) -> Duration;
}

#[diagnostic::do_not_recommend]
impl HedgeValue for Duration {
    fn into_delay(self) -> Duration {
        self
    }
}

/// The key `attempts`: any integer; less than 1 counts as 1, more than `u32::MAX` as no limit.
pub fn attempts(value: impl AttemptsValue) -> u32 {
    value.into_attempts()
}

/// What the key `attempts` takes.
#[diagnostic::on_unimplemented(
    message = "expected an integer, found `{Self}`: `attempts` takes a whole number, which counts the first attempt too",
    label = "`{Self}` is no integer"
)]
pub trait AttemptsValue {
    /// The number.
    fn into_attempts(self) -> u32;
}

/// The key `factor`: any number; less than 1 counts as 1.
pub fn factor(value: impl FactorValue) -> f64 {
    value.into_factor()
}

/// What the key `factor` takes.
#[diagnostic::on_unimplemented(
    message = "expected a number, found `{Self}`: `factor` takes a number of at least 1, such as `2` to double each wait",
    label = "`{Self}` is no number"
)]
pub trait FactorValue {
    /// The number.
    fn into_factor(self) -> f64;
}

macro_rules! integers {
    ($($int:ty, $non_zero:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
impl AttemptsValue for $int {
            fn into_attempts(self) -> u32 {
                // Out of range below: 1. Above: no limit.
                u32::try_from(self).unwrap_or(if self < 1 { 1 } else { u32::MAX }).max(1)
            }
        }

        #[diagnostic::do_not_recommend]
impl AttemptsValue for $non_zero {
            fn into_attempts(self) -> u32 {
                self.get().into_attempts()
            }
        }
    )*};
}

integers! {
    u8, NonZeroU8; u16, NonZeroU16; u32, NonZeroU32; u64, NonZeroU64; u128, NonZeroU128; usize, NonZeroUsize;
    i8, NonZeroI8; i16, NonZeroI16; i32, NonZeroI32; i64, NonZeroI64; i128, NonZeroI128; isize, NonZeroIsize;
}

macro_rules! numbers {
    ($($exact:ty)*) => {$(
        #[diagnostic::do_not_recommend]
impl FactorValue for $exact {
            fn into_factor(self) -> f64 {
                f64::from(self)
            }
        }
    )*};
}

numbers!(u8 u16 u32 i8 i16 i32 f32 f64);

macro_rules! wide_numbers {
    ($($wide:ty)*) => {$(
        #[diagnostic::do_not_recommend]
impl FactorValue for $wide {
            #[allow(clippy::cast_precision_loss)] // No factor of that size needs its last digits.
            fn into_factor(self) -> f64 {
                self as f64
            }
        }
    )*};
}

wide_numbers!(u64 i64 usize isize);

/// The key `policy`: `Policy` or `&Policy`.
pub fn policy(value: impl PolicyValue) -> PolicyBuilder {
    value.into_builder()
}

/// What the key `policy` takes.
#[diagnostic::on_unimplemented(
    message = "expected a `Policy` or a `&Policy`, found `{Self}`: make one with `Policy::builder()`, its setters and `build()`",
    label = "`{Self}` is no policy"
)]
pub trait PolicyValue {
    /// The policy, to be overridden by the other keys.
    fn into_builder(self) -> PolicyBuilder;
}

#[diagnostic::do_not_recommend]
impl PolicyValue for Policy {
    fn into_builder(self) -> PolicyBuilder {
        self.to_builder()
    }
}

#[diagnostic::do_not_recommend]
impl PolicyValue for &Policy {
    fn into_builder(self) -> PolicyBuilder {
        self.to_builder()
    }
}

/// The key `deadline`: `Deadline` or `Option<Deadline>`; `None` stands for no deadline of that kind.
pub fn deadline(value: impl DeadlineValue) -> Option<Deadline> {
    value.into_deadline()
}

/// What the key `deadline` takes.
#[diagnostic::on_unimplemented(
    message = "expected a `Deadline` or an `Option<Deadline>`, found `{Self}`: make one with `Deadline::within(..)` or `Deadline::at(..)`",
    label = "`{Self}` is no deadline"
)]
pub trait DeadlineValue {
    /// The deadline.
    fn into_deadline(self) -> Option<Deadline>;
}

#[diagnostic::do_not_recommend]
impl DeadlineValue for Deadline {
    fn into_deadline(self) -> Option<Deadline> {
        Some(self)
    }
}

#[diagnostic::do_not_recommend]
impl DeadlineValue for Option<Deadline> {
    fn into_deadline(self) -> Option<Deadline> {
        self
    }
}

/// The key `breaker`: the breaker itself, a reference, a `Box`, an `Rc`, an `Arc` or a `LazyLock`.
pub fn breaker<T: BreakerValue + ?Sized>(value: &T) -> &CircuitBreaker {
    value.as_breaker()
}

/// What the key `breaker` takes.
#[diagnostic::on_unimplemented(
    message = "expected a `CircuitBreaker`, found `{Self}`: name a static, a field, a reference or an `Arc` of it",
    label = "`{Self}` is no circuit breaker"
)]
pub trait BreakerValue {
    /// The breaker.
    fn as_breaker(&self) -> &CircuitBreaker;
}

#[diagnostic::do_not_recommend]
impl BreakerValue for CircuitBreaker {
    fn as_breaker(&self) -> &CircuitBreaker {
        self
    }
}

/// The key `throttle`: the throttle itself, a reference, a `Box`, an `Rc`, an `Arc` or a `LazyLock`.
pub fn throttle<T: ThrottleValue + ?Sized>(value: &T) -> &RetryThrottle {
    value.as_throttle()
}

/// What the key `throttle` takes.
#[diagnostic::on_unimplemented(
    message = "expected a `RetryThrottle`, found `{Self}`: name a static, a field, a reference or an `Arc` of it",
    label = "`{Self}` is no retry throttle"
)]
pub trait ThrottleValue {
    /// The throttle.
    fn as_throttle(&self) -> &RetryThrottle;
}

#[diagnostic::do_not_recommend]
impl ThrottleValue for RetryThrottle {
    fn as_throttle(&self) -> &RetryThrottle {
        self
    }
}

macro_rules! pointers {
    ($($pointer:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
impl<T: BreakerValue> BreakerValue for $pointer {
            fn as_breaker(&self) -> &CircuitBreaker {
                (**self).as_breaker()
            }
        }

        #[diagnostic::do_not_recommend]
impl<T: ThrottleValue> ThrottleValue for $pointer {
            fn as_throttle(&self) -> &RetryThrottle {
                (**self).as_throttle()
            }
        }
    )*};
}

pointers!(&T; Box<T>; Rc<T>; Arc<T>; LazyLock<T>;);
