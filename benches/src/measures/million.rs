//! A million calls in flight, a task each, all of them hung until their limit: memory, and the time to arm and to
//! drain. Each contestant has a process of its own.

use std::env;
use std::future::poll_fn;
use std::pin::pin;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep;

use crate::contestants::{Contestant, Numbers, Visitor};
use crate::preset::{Long, Preset};
use crate::process;
use crate::table::{Table, number};
use retry_benches::service::{Script, Service};

const CALLS: usize = 1_000_000;

static ARMED: AtomicUsize = AtomicUsize::new(0);
static ENDED: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn table(threads: usize) -> Table {
    let mut table = Table::new(&[
        "",
        "bytes a call",
        "over one timeout",
        "arm, ns of CPU",
        "drain, ms",
        "drain, ns of CPU",
    ]);
    let mut timeout = 0.0;
    for contestant in Contestant::ALL.iter().filter(|contestant| contestant.has_limits()) {
        let output = Command::new(env::current_exe().expect("a path"))
            .args(["million", contestant.name(), &threads.to_string()])
            .output()
            .expect("runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [bytes, arm, drain, drain_cpu] = numbers.as_slice() else {
            panic!("{contestant:?} told: {text}")
        };
        if *contestant == Contestant::Timeout {
            timeout = *bytes;
        }
        table.row(vec![
            contestant.name().to_owned(),
            number(*bytes),
            format!("{:+.0}", bytes - timeout),
            number(*arm),
            number(*drain),
            number(*drain_cpu),
        ]);
    }
    table
}

/// The process of one contestant: prints bytes a call, nanoseconds to arm one, milliseconds to drain all, nanoseconds
/// to drain one.
pub(crate) fn run(contestant: Contestant, threads: usize) {
    let runtime = match threads {
        1 => Builder::new_current_thread().enable_time().build(),
        _ => Builder::new_multi_thread().worker_threads(threads).enable_time().build(),
    };
    let runtime = runtime.expect("a runtime");
    contestant.visit(Numbers::Long, Service::new(Script::Hangs), Million { runtime, threads });
}

struct Million {
    runtime: Runtime,
    threads: usize,
}

impl Visitor for Million {
    type Output = ();

    fn visit<F, Fut>(self, call: F)
    where
        F: Fn(u64) -> Fut + Clone + Send + 'static,
        Fut: Future<Output: Send> + Send + 'static,
    {
        self.runtime.block_on(async {
            let (memory, cpu, start) = (process::memory(), process::own_cpu(), Instant::now());
            for number in 0..CALLS {
                let call = call.clone();
                tokio::spawn(async move {
                    let mut call = pin!(call(number as u64));
                    let mut is_armed = false;
                    let _ = poll_fn(|cx| {
                        let polled = call.as_mut().poll(cx);
                        if !is_armed {
                            is_armed = true;
                            ARMED.fetch_add(1, Relaxed);
                        }
                        polled
                    })
                    .await;
                    ENDED.fetch_add(1, Relaxed);
                });
            }
            while ARMED.load(Relaxed) < CALLS {
                sleep(Duration::from_millis(1)).await;
            }
            assert_eq!(ENDED.load(Relaxed), 0, "a slow machine: some have ended before the last was armed");
            let bytes = process::memory().saturating_sub(memory) as f64 / CALLS as f64;
            let arm = (process::own_cpu() - cpu).as_nanos() as f64 / CALLS as f64;
            // All limits pass while nobody looks.
            let end = start + Long::TOTAL + Duration::from_secs(1) + start.elapsed();
            if self.threads == 1 {
                sleep_until(end);
            } else {
                let workers: Vec<_> =
                    (0..self.threads).map(|_| tokio::spawn(async move { sleep_until(end) })).collect();
                for worker in workers {
                    worker.await.expect("no panic");
                }
            }
            let (cpu, start) = (process::own_cpu(), Instant::now());
            while ENDED.load(Relaxed) < CALLS {
                sleep(Duration::from_millis(1)).await;
            }
            let drain = start.elapsed().as_secs_f64() * 1e3;
            let drain_cpu = (process::own_cpu() - cpu).as_nanos() as f64 / CALLS as f64;
            println!("{bytes} {arm} {drain} {drain_cpu}");
        });
    }
}

fn sleep_until(end: Instant) {
    thread::sleep(end.saturating_duration_since(Instant::now()));
}
