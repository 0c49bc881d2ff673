//! A number for every contestant in every scenario.

use std::sync::Mutex;
use std::thread;

use crate::contestants::Contestant;
use crate::scenario::Scenario;
use crate::table::{Table, number};

pub(crate) struct Counts(Vec<(Scenario, Contestant, f64)>);

impl Counts {
    /// Counts on all processors at once, so for what does not depend on their load.
    pub(crate) fn of(count: impl Fn(Scenario, Contestant) -> f64 + Sync) -> Self {
        let all = Scenario::ALL.into_iter().flat_map(|scenario| {
            let contestants = Contestant::ALL.iter().copied();
            contestants.filter(move |contestant| scenario.is_for(*contestant)).map(move |one| (scenario, one))
        });
        let (todo, done) = (Mutex::new(all), Mutex::new(Vec::new()));
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    let next = || todo.lock().expect("no panic").next();
                    while let Some((scenario, contestant)) = next() {
                        let count = count(scenario, contestant);
                        done.lock().expect("no panic").push((scenario, contestant, count));
                    }
                });
            }
        });
        Self(done.into_inner().expect("no panic"))
    }

    pub(crate) fn get(&self, scenario: Scenario, contestant: Contestant) -> Option<f64> {
        self.0.iter().find(|(s, c, _)| (*s, *c) == (scenario, contestant)).map(|(_, _, count)| *count)
    }

    /// A row a contestant, a column a scenario.
    pub(crate) fn table(&self) -> Table {
        let mut head = vec![""];
        head.extend(Scenario::ALL.map(Scenario::name));
        let mut table = Table::new(&head);
        for contestant in Contestant::ALL {
            let mut row = vec![contestant.name().to_owned()];
            row.extend(
                Scenario::ALL
                    .map(|scenario| self.get(scenario, *contestant).map_or_else(|| "-".to_owned(), number)),
            );
            table.row(row);
        }
        table
    }
}
