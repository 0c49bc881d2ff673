//! Makes calls, one after the other.

use std::future::poll_fn;
use std::hint::black_box;
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::task::coop::unconstrained;

use crate::contestants::{Contestant, Visitor};
use crate::scenario::Scenario;
use retry_benches::service::Service;

/// Takes a contestant through a scenario `times` times; how long that took.
pub(crate) fn run(scenario: Scenario, contestant: Contestant, times: u32) -> Duration {
    let service = Service::new(scenario.script());
    let runtime = runtime(scenario.is_paused());
    let drive = match scenario {
        Scenario::Poll => Drive { runtime, calls: 1, polls: Some(times) },
        _ => Drive { runtime, calls: times, polls: None },
    };
    contestant.visit(scenario.numbers(), service, drive)
}

pub(crate) fn runtime(paused: bool) -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(paused).build().expect("a runtime")
}

/// Makes calls, in a task, as a service does. `polls` are for a call that hangs: it is polled so often without a
/// wake-up, then dropped.
///
/// One visitor for both, and one place in it that polls: what is used in one place is always inlined. Otherwise some
/// contestants would be, and others not.
struct Drive {
    runtime: Runtime,
    calls: u32,
    polls: Option<u32>,
}

impl Visitor for Drive {
    type Output = Duration;

    fn visit<F, Fut>(self, call: F) -> Duration
    where
        F: Fn(u64) -> Fut + Send + 'static,
        Fut: Future<Output: Send> + Send,
    {
        let Self { runtime, calls, polls } = self;
        let all = async move {
            let start = Instant::now();
            for number in 0..calls {
                let mut call = pin!(call(black_box(u64::from(number))));
                let output = poll_fn(|cx| {
                    for _ in 0..polls.unwrap_or(1) {
                        if let Poll::Ready(output) = call.as_mut().poll(cx) {
                            return Poll::Ready(Some(output));
                        }
                    }
                    if polls.is_none() { Poll::Pending } else { Poll::Ready(None) }
                });
                black_box(output.await);
            }
            start.elapsed()
        };
        let task = match polls {
            None => runtime.spawn(all),
            // Or it would have to give way after some polls.
            Some(_) => runtime.spawn(unconstrained(all)),
        };
        runtime.block_on(task).expect("no panic")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contestants::Answer;

    struct Value(Runtime);

    impl Visitor for Value {
        type Output = Option<u64>;

        fn visit<F, Fut>(self, call: F) -> Option<u64>
        where
            F: Fn(u64) -> Fut,
            Fut: Future<Output: Answer>,
        {
            self.0.block_on(async { call(1).await.value() })
        }
    }

    #[test]
    fn every_contestant_gets_to_the_end_of_its_scenarios() {
        for scenario in Scenario::ALL {
            if scenario == Scenario::Poll {
                continue;
            }
            let expected = if scenario == Scenario::TimesOut { None } else { Some(2) };
            for contestant in Contestant::ALL {
                if scenario.is_for(*contestant) {
                    let (service, visitor) = (Service::new(scenario.script()), Value(runtime(true)));
                    let value = contestant.visit(scenario.numbers(), service, visitor);
                    assert_eq!(value, expected, "{contestant:?} {scenario:?}");
                }
            }
        }
    }
}
