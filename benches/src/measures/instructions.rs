//! Instructions of one call, and whether the ratios hold.

use crate::contestants::Contestant;
use crate::counts::Counts;
use crate::scenario::Scenario;
use crate::table::Table;
use crate::valgrind;

/// Of every contestant.
pub(crate) struct Instructions(Counts);

pub(crate) fn count() -> Instructions {
    Instructions(Counts::of(valgrind::instructions))
}

impl Instructions {
    /// `#[retry]` against another contestant.
    pub(crate) fn ratio(&self, scenario: Scenario, to: Contestant) -> f64 {
        match (self.0.get(scenario, Contestant::Attribute), self.0.get(scenario, to)) {
            (Some(ours), Some(theirs)) => ours / theirs,
            _ => f64::NAN,
        }
    }

    pub(crate) fn table(&self) -> Table {
        self.0.table()
    }
}
