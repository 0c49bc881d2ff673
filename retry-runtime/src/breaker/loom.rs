//! Models that loom runs through every order in which their threads can take turns:
//!
//! ```sh
//! RUSTFLAGS="--cfg retry_loom" cargo test -p retry-runtime --lib --release loom
//! ```

use std::sync::OnceLock;
use std::time::Duration;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, Ordering::SeqCst};
use loom::thread::{self, JoinHandle};
use tokio::time::Instant;

use super::{CircuitBreaker, CircuitState};

const SECOND: Duration = Duration::from_secs(1);

/// So many seconds after an instant that is the same in every run.
fn at(seconds: u32) -> Instant {
    static BASE: OnceLock<Instant> = OnceLock::new();
    *BASE.get_or_init(Instant::now) + SECOND * seconds
}

fn consecutive(failures: u32) -> Arc<CircuitBreaker> {
    let breaker = CircuitBreaker::consecutive(failures, SECOND);
    breaker.time(at(0));
    Arc::new(breaker)
}

/// Opened at second 0, so that it probes at second 1.
fn opened(probes: u32) -> Arc<CircuitBreaker> {
    let breaker = CircuitBreaker::consecutive(1, SECOND).probes(probes);
    breaker.admit(|| at(0)).unwrap().fail_at(|| at(0));
    Arc::new(breaker)
}

fn spawn(breaker: &Arc<CircuitBreaker>, run: impl FnOnce(&CircuitBreaker) + 'static) -> JoinHandle<()> {
    let breaker = Arc::clone(breaker);
    thread::spawn(move || run(&breaker))
}

fn state(breaker: &CircuitBreaker, now: Instant) -> CircuitState {
    let (until, now) = (breaker.until(), breaker.time(now));
    breaker.load().state(|| until <= now)
}

fn join(threads: impl IntoIterator<Item = JoinHandle<()>>) {
    for thread in threads {
        thread.join().unwrap();
    }
}

/// All orders with at most so many preemptions, for models too long for every order.
fn bounded(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

/// Tries to probe; counts the probes that run at once.
fn probe(breaker: &CircuitBreaker, running: &AtomicU32, most: u32) -> bool {
    let Ok(permit) = breaker.admit(|| at(1)) else { return false };
    assert!(permit.is_probe());
    assert!(running.fetch_add(1, SeqCst) < most, "more probes than slots");
    running.fetch_sub(1, SeqCst);
    drop(permit);
    true
}

#[test]
fn never_more_probes_than_slots() {
    loom::model(|| {
        let (breaker, running) = (opened(1), Arc::new(AtomicU32::new(0)));
        let other = Arc::clone(&running);
        let thread = spawn(&breaker, move |breaker| _ = probe(breaker, &other, 1));
        probe(&breaker, &running, 1);
        join([thread]);
        assert!(breaker.load().admit(1, false).is_ok(), "every slot is free again");
    });
}

#[test]
fn never_more_probes_than_two_slots_of_three_threads() {
    bounded(3, || {
        let (breaker, running) = (opened(2), Arc::new(AtomicU32::new(0)));
        let threads = [(); 2].map(|()| {
            let running = Arc::clone(&running);
            spawn(&breaker, move |breaker| _ = probe(breaker, &running, 2))
        });
        probe(&breaker, &running, 2);
        join(threads);
    });
}

#[test]
fn exactly_one_becomes_the_probe() {
    loom::model(|| {
        let (breaker, probes) = (opened(1), Arc::new(AtomicU32::new(0)));
        let ask = |breaker: &CircuitBreaker, probes: &AtomicU32| {
            if let Ok(permit) = breaker.admit(|| at(1)) {
                probes.fetch_add(1, SeqCst);
                std::mem::forget(permit);
            }
        };
        let other = Arc::clone(&probes);
        let thread = spawn(&breaker, move |breaker| ask(breaker, &other));
        ask(&breaker, &probes);
        join([thread]);
        assert_eq!(probes.load(SeqCst), 1);
    });
}

#[test]
fn the_slot_of_a_dropped_probe_comes_back() {
    loom::model(|| {
        let breaker = opened(1);
        let thread = spawn(&breaker, |breaker| drop(breaker.admit(|| at(1))));
        drop(breaker.admit(|| at(1)));
        join([thread]);
        breaker.admit(|| at(1)).expect("a free slot").succeed_at(|| at(1));
        assert_eq!(state(&breaker, at(1)), CircuitState::Closed);
    });
}

#[test]
fn no_failure_is_lost_while_closed() {
    bounded(3, || {
        let breaker = consecutive(4);
        let fail = |breaker: &CircuitBreaker| breaker.admit(|| at(0)).unwrap().fail_at(|| at(0));
        let threads = [(); 2].map(|()| spawn(&breaker, fail));
        fail(&breaker);
        join(threads);
        assert_eq!(state(&breaker, at(0)), CircuitState::Closed);
        fail(&breaker);
        assert_eq!(state(&breaker, at(0)), CircuitState::Open);
    });
}

#[test]
fn no_failure_is_lost_in_a_window() {
    bounded(2, || {
        let breaker = CircuitBreaker::rate(100, 2, SECOND, SECOND);
        breaker.time(at(0));
        let breaker = Arc::new(breaker);
        let fail = |breaker: &CircuitBreaker, now| breaker.admit(|| now).unwrap().fail_at(|| now);
        // In two slices, so in two words: neither may miss the other's.
        let thread = spawn(&breaker, move |breaker| fail(breaker, at(0) + SECOND / 10));
        let permit = breaker.admit(|| at(0)).map(|permit| permit.fail_at(|| at(0)));
        join([thread]);
        // The other one may have opened it already, but only with both counted: it is open either way.
        assert!(permit.is_ok());
        assert_eq!(state(&breaker, at(0)), CircuitState::Open);
    });
}

#[test]
fn no_success_is_lost_in_a_window() {
    bounded(2, || {
        let breaker = CircuitBreaker::rate(34, 3, SECOND, SECOND);
        breaker.time(at(0));
        let breaker = Arc::new(breaker);
        let succeed = |breaker: &CircuitBreaker| breaker.admit(|| at(0)).unwrap().succeed_at(|| at(0));
        let thread = spawn(&breaker, succeed);
        succeed(&breaker);
        join([thread]);
        breaker.admit(|| at(0)).unwrap().fail_at(|| at(0)); // one of three: 33 %
        assert_eq!(state(&breaker, at(0)), CircuitState::Closed);
        breaker.admit(|| at(0)).unwrap().fail_at(|| at(0)); // two of four
        assert_eq!(state(&breaker, at(0)), CircuitState::Open);
    });
}

#[test]
fn a_breaker_is_never_seen_open_without_its_time() {
    loom::model(|| {
        let breaker = consecutive(1);
        let thread = spawn(&breaker, |breaker| {
            if let Ok(permit) = breaker.admit(|| at(5)) {
                permit.fail_at(|| at(5));
            }
        });
        match breaker.admit(|| at(5)) {
            Ok(permit) => assert!(!permit.is_probe()),
            Err(retry_after) => assert_eq!(retry_after, Some(SECOND)),
        }
        join([thread]);
    });
}

#[test]
fn two_that_open_it_open_it_once() {
    loom::model(|| {
        let breaker = consecutive(1);
        let before = breaker.load().stamp().generation();
        let permit = breaker.admit(|| at(0)).unwrap();
        let thread = spawn(&breaker, |breaker| {
            if let Ok(permit) = breaker.admit(|| at(0)) {
                permit.fail_at(|| at(0));
            }
        });
        permit.fail_at(|| at(0));
        join([thread]);
        assert_eq!(breaker.load().stamp().generation(), before + 1);
        assert_eq!(breaker.refuses(|| at(0)), Some(Some(SECOND)));
    });
}

#[test]
fn a_success_does_not_undo_what_was_forced() {
    loom::model(|| {
        let breaker = consecutive(3);
        breaker.admit(|| at(0)).unwrap().fail_at(|| at(0));
        let permit = breaker.admit(|| at(0)).unwrap();
        let thread = spawn(&breaker, CircuitBreaker::force_open);
        permit.succeed_at(|| at(0));
        join([thread]);
        assert_eq!(breaker.refuses(|| at(9)), Some(None));
    });
}

#[test]
fn neither_does_the_success_or_the_end_of_a_probe() {
    for succeeds in [true, false] {
        loom::model(move || {
            let breaker = opened(1);
            let permit = breaker.admit(|| at(1)).unwrap();
            let thread = spawn(&breaker, CircuitBreaker::force_open);
            if succeeds {
                permit.succeed_at(|| at(1))
            } else {
                drop(permit)
            }
            join([thread]);
            assert_eq!(breaker.refuses(|| at(9)), Some(None));
        });
    }
}

#[test]
fn an_outcome_from_before_a_reset_is_not_counted_after_it() {
    let model = |breaker: CircuitBreaker| {
        breaker.time(at(0));
        let breaker = Arc::new(breaker);
        let permit = breaker.admit(|| at(0)).unwrap();
        let thread = spawn(&breaker, CircuitBreaker::reset);
        permit.fail_at(|| at(0));
        join([thread]);
        assert_eq!(state(&breaker, at(0)), CircuitState::Closed);
    };
    bounded(3, move || model(CircuitBreaker::consecutive(1, SECOND)));
    bounded(2, move || model(CircuitBreaker::rate(100, 1, SECOND, SECOND)));
}

#[test]
fn a_late_failure_leaves_the_time_of_a_newer_opening_alone() {
    bounded(3, || {
        let breaker = consecutive(1);
        let late = breaker.admit(|| at(0)).unwrap();
        let thread = spawn(&breaker, |breaker| {
            breaker.reset();
            if let Ok(permit) = breaker.admit(|| at(5)) {
                permit.fail_at(|| at(5));
            }
        });
        late.fail_at(|| at(0));
        join([thread]);
        // The reset came last to the late one or undid it: the newer failure governs.
        assert_eq!(breaker.refuses(|| at(5)), Some(Some(SECOND)));
    });
}
