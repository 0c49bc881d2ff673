//! How late a hung call ends, against its total: on an idle machine, and with 10,000 others in flight.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::time::{interval, sleep};

use crate::contestants::{Answer, Contestant, Numbers, Visitor};
use crate::preset::{Preset, Short};
use crate::table::Table;
use retry_benches::service::{Script, Service};

/// How many calls start in each of how many milliseconds; each is in flight for 50 of them.
const STARTS: usize = 200;
const MILLIS: usize = 400;

pub(crate) fn table() -> Table {
    let mut table = Table::new(&[
        "",
        "idle, 1 thread",
        "idle, 2 threads",
        "10,000 in flight, 1 thread",
        "10,000 in flight, 2 threads",
    ]);
    for contestant in Contestant::ALL.iter().filter(|contestant| contestant.has_limits()) {
        let mut row = vec![contestant.name().to_owned()];
        for load in [Load::Idle, Load::Many] {
            for threads in [1, 2] {
                let runtime = match threads {
                    1 => Builder::new_current_thread().enable_time().build(),
                    _ => Builder::new_multi_thread().worker_threads(threads).enable_time().build(),
                };
                let visitor = Lateness { runtime: runtime.expect("a runtime"), load };
                let mut micros = contestant.visit(Numbers::Short, Service::new(Script::Hangs), visitor);
                micros.sort_unstable();
                let at = |part: f64| micros[((micros.len() - 1) as f64 * part) as usize];
                row.push(format!("{} / {} / {}", at(0.0), at(0.5), at(0.99)));
            }
        }
        table.row(row);
    }
    table
}

#[derive(Clone, Copy)]
enum Load {
    Idle,
    Many,
}

struct Lateness {
    runtime: Runtime,
    load: Load,
}

impl Visitor for Lateness {
    /// Microseconds; negative: too early.
    type Output = Vec<i64>;

    fn visit<F, Fut>(self, call: F) -> Vec<i64>
    where
        F: Fn(u64) -> Fut + Clone + Send + 'static,
        Fut: Future<Output: Answer + Send> + Send + 'static,
    {
        let measure = move |call: F| async move {
            let start = Instant::now();
            assert_eq!(call(1).await.value(), None, "it hangs");
            start.elapsed().as_micros() as i64 - Short::TOTAL.as_micros() as i64
        };
        match self.load {
            Load::Idle => self.runtime.block_on(async move {
                let mut all = Vec::new();
                for _ in 0..40 {
                    all.push(tokio::spawn(measure(call.clone())).await.expect("no panic"));
                }
                all
            }),
            Load::Many => self.runtime.block_on(async move {
                let all = Arc::new(Mutex::new(Vec::new()));
                let mut ticks = interval(Duration::from_millis(1));
                for _ in 0..MILLIS {
                    ticks.tick().await;
                    for _ in 0..STARTS {
                        let (all, late) = (all.clone(), measure(call.clone()));
                        tokio::spawn(async move {
                            let late = late.await;
                            all.lock().expect("no panic").push(late);
                        });
                    }
                }
                while Arc::strong_count(&all) > 1 {
                    sleep(Duration::from_millis(10)).await;
                }
                all.lock().expect("no panic").clone()
            }),
        }
    }
}
