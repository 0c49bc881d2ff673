//! What happens to a call, and how often it is made to measure it.

use crate::contestants::{Contestant, Numbers};
use retry_benches::service::Script;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scenario {
    /// The first attempt is ready at once.
    Ready,
    /// It is ready when it is polled again.
    Yields,
    /// One more poll of a call that hangs.
    Poll,
    /// Two attempts fail at once, there is no wait.
    TwoRefusals,
    /// Four attempts fail at once, with waits; paused clock.
    FourRefusals,
    /// Hangs until the limits have ended it; paused clock.
    TimesOut,
}

impl Scenario {
    pub(crate) const ALL: [Self; 6] =
        [Self::Ready, Self::Yields, Self::Poll, Self::TwoRefusals, Self::FourRefusals, Self::TimesOut];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Yields => "one yield",
            Self::Poll => "further poll",
            Self::TwoRefusals => "2 failures, no wait",
            Self::FourRefusals => "4 failures, waits",
            Self::TimesOut => "times out",
        }
    }

    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scenario| scenario.name() == name)
    }

    pub(crate) const fn script(self) -> Script {
        match self {
            Self::Ready => Script::Ready,
            Self::Yields => Script::Yields,
            Self::Poll | Self::TimesOut => Script::Hangs,
            Self::TwoRefusals => Script::Refuses(2),
            Self::FourRefusals => Script::Refuses(4),
        }
    }

    pub(crate) const fn numbers(self) -> Numbers {
        match self {
            Self::TwoRefusals => Numbers::AtOnce,
            _ => Numbers::Waits,
        }
    }

    /// Whether time stands still but for the waits.
    pub(crate) const fn is_paused(self) -> bool {
        matches!(self, Self::FourRefusals | Self::TimesOut)
    }

    /// Whether the contestant gets to the end of it.
    pub(crate) const fn is_for(self, contestant: Contestant) -> bool {
        match self {
            Self::Ready | Self::Yields | Self::Poll => true,
            Self::TwoRefusals | Self::FourRefusals => contestant.retries(),
            Self::TimesOut => contestant.has_limits(),
        }
    }

    /// How many calls (or polls) make a short run and a long one, under valgrind.
    pub(crate) const fn lengths(self) -> (u32, u32) {
        match self {
            Self::Ready | Self::Poll => (1_000, 6_000),
            Self::Yields => (1_000, 11_000),
            Self::FourRefusals | Self::TimesOut => (500, 2_500),
            // Some contestants sleep here.
            Self::TwoRefusals => (100, 500),
        }
    }
}
