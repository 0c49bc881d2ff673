//! Heap allocations of one call.

use crate::contestants::Contestant;
use crate::counts::Counts;
use crate::scenario::Scenario;
use crate::table::Table;
use crate::valgrind;

/// Of every contestant.
pub(crate) struct Allocations(Counts);

pub(crate) fn count() -> Allocations {
    Allocations(Counts::of(valgrind::allocations))
}

impl Allocations {
    /// The most that `#[retry]` makes in any of the scenarios.
    pub(crate) fn most(&self, scenarios: &[Scenario]) -> f64 {
        let counts = scenarios.iter().filter_map(|scenario| self.0.get(*scenario, Contestant::Attribute));
        counts.fold(0.0, f64::max)
    }

    pub(crate) fn table(&self) -> Table {
        self.0.table()
    }
}
