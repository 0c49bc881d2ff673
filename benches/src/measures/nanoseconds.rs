//! Time of one call. The contestants take turns, so that a disturbance meets all of them.

use std::time::Duration;

use crate::contestants::Contestant;
use crate::drive;
use crate::scenario::Scenario;
use crate::table::{Table, number};

const ROUNDS: usize = 25;

/// How long one turn takes.
const TURN: Duration = Duration::from_millis(4);

/// A time for each round.
pub(crate) struct Nanoseconds(Vec<(Scenario, Contestant, [f64; ROUNDS])>);

pub(crate) fn measure() -> Nanoseconds {
    let mut all = Vec::new();
    for scenario in Scenario::ALL {
        let contestants = Contestant::ALL.iter().copied().filter(|contestant| scenario.is_for(*contestant));
        let mut turns: Vec<_> = contestants
            .map(|contestant| (contestant, calls_of_a_turn(scenario, contestant), [0.0; ROUNDS]))
            .collect();
        for round in 0..ROUNDS {
            for (contestant, calls, nanos) in &mut turns {
                let time = drive::run(scenario, *contestant, *calls);
                nanos[round] = time.as_nanos() as f64 / f64::from(*calls);
            }
        }
        all.extend(turns.into_iter().map(|(contestant, _, nanos)| (scenario, contestant, nanos)));
    }
    Nanoseconds(all)
}

fn calls_of_a_turn(scenario: Scenario, contestant: Contestant) -> u32 {
    let mut calls = 1;
    while drive::run(scenario, contestant, calls) < TURN {
        calls *= 2;
    }
    calls
}

impl Nanoseconds {
    fn get(&self, scenario: Scenario, contestant: Contestant) -> Option<[f64; ROUNDS]> {
        let found = self.0.iter().find(|(s, c, _)| (*s, *c) == (scenario, contestant));
        found.map(|(_, _, nanos)| *nanos)
    }

    /// Medians, and the fastest turn in brackets.
    pub(crate) fn table(&self) -> Table {
        let mut head = vec![""];
        head.extend(Scenario::ALL.map(Scenario::name));
        let mut table = Table::new(&head);
        for contestant in Contestant::ALL {
            let mut row = vec![contestant.name().to_owned()];
            row.extend(Scenario::ALL.map(|scenario| match self.get(scenario, *contestant) {
                Some(nanos) => format!("{} ({})", number(median(nanos)), number(least(nanos))),
                None => "-".to_owned(),
            }));
            table.row(row);
        }
        table
    }

    /// `#[retry]` against others: the fastest turns, and the median of the ratios of the rounds.
    pub(crate) fn ratios(&self) -> Table {
        let mut table = Table::new(&["#[retry]", "fastest turns", "median round"]);
        for (scenario, to) in [
            (Scenario::Ready, Contestant::Timeout),
            (Scenario::Ready, Contestant::Nested),
            (Scenario::Yields, Contestant::Timeout),
            (Scenario::Yields, Contestant::Nested),
            (Scenario::Poll, Contestant::Timeout),
            (Scenario::TwoRefusals, Contestant::HandLoop),
            (Scenario::FourRefusals, Contestant::HandLoop),
            (Scenario::TimesOut, Contestant::HandLoop),
        ] {
            let nanos = (self.get(scenario, Contestant::Attribute), self.get(scenario, to));
            let (Some(ours), Some(theirs)) = nanos else { continue };
            let rounds = std::array::from_fn(|round| ours[round] / theirs[round]);
            table.row(vec![
                format!("{}, to {}", scenario.name(), to.name()),
                format!("{:.2}", least(ours) / least(theirs)),
                format!("{:.2}", median(rounds)),
            ]);
        }
        table
    }
}

fn median(mut values: [f64; ROUNDS]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[ROUNDS / 2]
}

fn least(values: [f64; ROUNDS]) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}
