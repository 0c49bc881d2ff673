//! Who is compared: each a way to call the service, all with the same limits.

mod attribute;
mod backon;
mod bare;
mod hand_loop;
mod nested;
mod policy_run;
mod timeout;
mod tokio_retry2;
mod tower;
mod tower_resilience;

pub(crate) use self::bare::Answer;

use crate::preset::{AtOnce, Long, Short, Waits};
use retry_benches::service::Service;

/// Something that is done with a way to call the service. The future is one type for each contestant, so that the
/// compiler sees through it as in a real program.
pub(crate) trait Visitor {
    type Output;

    fn visit<F, Fut>(self, call: F) -> Self::Output
    where
        F: Fn(u64) -> Fut + Clone + Send + 'static,
        Fut: Future<Output: Answer + Send> + Send + 'static;
}

/// The names of the presets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    Waits,
    AtOnce,
    Long,
    Short,
}

macro_rules! contestants {
    ($($contestant:ident, $module:ident, $name:literal, $retries:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Contestant {
            $($contestant,)*
        }

        impl Contestant {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$contestant,)*];

            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$contestant => $name,)*
                }
            }

            /// Whether it makes a second attempt.
            pub(crate) const fn retries(self) -> bool {
                match self {
                    $(Self::$contestant => $retries,)*
                }
            }

            pub(crate) fn visit<V: Visitor>(self, numbers: Numbers, service: &'static Service, visitor: V) -> V::Output {
                match (self, numbers) {
                    $(
                        (Self::$contestant, Numbers::Waits) => $module::visit::<Waits, V>(service, visitor),
                        (Self::$contestant, Numbers::AtOnce) => $module::visit::<AtOnce, V>(service, visitor),
                        (Self::$contestant, Numbers::Long) => $module::visit::<Long, V>(service, visitor),
                        (Self::$contestant, Numbers::Short) => $module::visit::<Short, V>(service, visitor),
                    )*
                }
            }
        }
    };
}

contestants! {
    Bare, bare, "bare", false;
    Timeout, timeout, "timeout", false;
    Nested, nested, "nested timeouts", false;
    HandLoop, hand_loop, "hand-written loop", true;
    Backon, backon, "backon", true;
    BackonTimeouts, backon_timeouts, "backon, 2 timeouts", true;
    TokioRetry2, tokio_retry2, "tokio-retry2, 2 timeouts", true;
    Tower, tower, "tower", true;
    TowerResilience, tower_resilience, "tower-resilience", true;
    Attribute, attribute, "#[retry]", true;
    PolicyRun, policy_run, "policy.run", true;
}

use self::backon::with_timeouts as backon_timeouts;

impl Contestant {
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|contestant| contestant.name() == name)
    }

    /// Whether it ends a call that hangs.
    pub(crate) const fn has_limits(self) -> bool {
        !matches!(self, Self::Bare | Self::Backon)
    }
}
