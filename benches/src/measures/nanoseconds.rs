//! Time of one call. The contestants take turns, so that a disturbance meets all of them.

use std::time::Duration;

use crate::contestants::Contestant;
use crate::drive;
use crate::scenario::Scenario;
use crate::table::{Table, number};

const ROUNDS: usize = 25;

/// How long one turn takes.
const TURN: Duration = Duration::from_millis(4);

/// Medians, and the fastest turn in brackets.
pub(crate) fn table() -> Table {
    let mut head = vec![""];
    head.extend(Scenario::ALL.map(Scenario::name));
    let mut table = Table::new(&head);
    let mut rows: Vec<Vec<String>> =
        Contestant::ALL.iter().map(|contestant| vec![contestant.name().to_owned()]).collect();
    for scenario in Scenario::ALL {
        for (row, cell) in rows.iter_mut().zip(measure(scenario)) {
            row.push(cell);
        }
    }
    rows.into_iter().for_each(|row| table.row(row));
    table
}

fn measure(scenario: Scenario) -> Vec<String> {
    let mut turns: Vec<(Contestant, u32, Vec<f64>)> = Vec::new();
    for contestant in Contestant::ALL.iter().copied().filter(|contestant| scenario.is_for(*contestant)) {
        turns.push((contestant, calls_of_a_turn(scenario, contestant), Vec::new()));
    }
    for _ in 0..ROUNDS {
        for (contestant, calls, nanos) in &mut turns {
            let time = drive::run(scenario, *contestant, *calls);
            nanos.push(time.as_nanos() as f64 / f64::from(*calls));
        }
    }
    let cell = |contestant: &Contestant| {
        let (_, _, nanos) = turns.iter().find(|(one, _, _)| one == contestant)?;
        let mut sorted = nanos.clone();
        sorted.sort_by(f64::total_cmp);
        Some(format!("{} ({})", number(sorted[ROUNDS / 2]), number(sorted[0])))
    };
    Contestant::ALL.iter().map(|contestant| cell(contestant).unwrap_or_else(|| "-".to_owned())).collect()
}

fn calls_of_a_turn(scenario: Scenario, contestant: Contestant) -> u32 {
    let mut calls = 1;
    while drive::run(scenario, contestant, calls) < TURN {
        calls *= 2;
    }
    calls
}
