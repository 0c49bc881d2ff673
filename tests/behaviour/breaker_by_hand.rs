//! A circuit breaker without the attribute: every transition, the window to the slice, probes, forces and reports.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use retry_runtime::CircuitState::{Closed, HalfOpen, Open};
use retry_runtime::{CircuitBreaker, CircuitOpen, Permit, StateChange};
use tokio::time::{Instant, advance, sleep};

use crate::support::{assert_send, ms, secs};

fn succeed(breaker: &CircuitBreaker) {
    breaker.try_acquire().expect("admitted").success();
}

fn fail(breaker: &CircuitBreaker) {
    breaker.try_acquire().expect("admitted").failure();
}

/// How long a refused attempt is told to wait.
fn refused(breaker: &CircuitBreaker) -> Option<Duration> {
    breaker.try_acquire().expect_err("refused").retry_after()
}

/// Opened now, for one second.
fn opened(probes: u32) -> CircuitBreaker {
    let breaker = CircuitBreaker::consecutive(1, secs(1)).probes(probes);
    fail(&breaker);
    breaker
}

/// Half-open, no probe running.
async fn half_open(probes: u32) -> CircuitBreaker {
    let breaker = opened(probes);
    advance(secs(1)).await;
    drop(breaker.try_acquire());
    breaker
}

#[tokio::test(start_paused = true)]
async fn failures_in_a_row_open_it() {
    let breaker = CircuitBreaker::consecutive(3, secs(30));
    for _ in 0..2 {
        fail(&breaker);
    }
    assert_eq!(breaker.state(), Closed);
    fail(&breaker);
    assert_eq!((breaker.state(), refused(&breaker)), (Open, Some(secs(30))));
}

#[tokio::test(start_paused = true)]
async fn a_success_starts_the_row_anew() {
    let breaker = CircuitBreaker::consecutive(3, secs(30));
    for _ in 0..5 {
        fail(&breaker);
        fail(&breaker);
        succeed(&breaker);
    }
    fail(&breaker);
    fail(&breaker);
    assert_eq!(breaker.state(), Closed);
    fail(&breaker);
    assert_eq!(breaker.state(), Open);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_without_an_outcome_counts_as_nothing() {
    let breaker = CircuitBreaker::consecutive(2, secs(30));
    fail(&breaker);
    drop(breaker.try_acquire());
    fail(&breaker);
    assert_eq!(breaker.state(), Open, "it was no success");

    let breaker = CircuitBreaker::consecutive(1, secs(30));
    drop(breaker.try_acquire());
    assert_eq!(breaker.state(), Closed, "it was no failure");
}

#[tokio::test(start_paused = true)]
async fn it_is_open_for_exactly_so_long() {
    let breaker = opened(1);
    advance(ms(999)).await;
    assert_eq!((breaker.state(), refused(&breaker)), (Open, Some(ms(1))));
    advance(Duration::from_nanos(999_999)).await;
    assert_eq!((breaker.state(), refused(&breaker)), (Open, Some(Duration::from_nanos(1))));
    advance(Duration::from_nanos(1)).await;
    assert_eq!(breaker.state(), HalfOpen, "before a probe has come");
    let probe = breaker.try_acquire().unwrap();
    assert!(probe.is_probe());
    assert_eq!((breaker.state(), refused(&breaker)), (HalfOpen, None));
}

#[tokio::test(start_paused = true)]
async fn a_successful_probe_closes_it_with_nothing_counted() {
    let breaker = CircuitBreaker::consecutive(2, secs(1));
    fail(&breaker);
    fail(&breaker);
    advance(secs(1)).await;
    succeed(&breaker);
    assert_eq!(breaker.state(), Closed);
    fail(&breaker);
    assert_eq!(breaker.state(), Closed);
    fail(&breaker);
    assert_eq!(breaker.state(), Open);
}

#[tokio::test(start_paused = true)]
async fn a_failed_probe_opens_it_for_the_whole_time_again() {
    let breaker = half_open(1).await;
    let probe = breaker.try_acquire().unwrap();
    advance(ms(300)).await;
    probe.failure();
    assert_eq!(refused(&breaker), Some(secs(1)));
    advance(secs(1)).await;
    succeed(&breaker);
    assert_eq!(breaker.state(), Closed);
}

#[tokio::test(start_paused = true)]
async fn so_many_probes_run_at_once_and_so_many_successes_close_it() {
    let breaker = half_open(3).await;
    let [a, b, c] = [(); 3].map(|()| breaker.try_acquire().unwrap());
    assert_eq!(refused(&breaker), None);
    a.success();
    assert_eq!(refused(&breaker), None, "three are enough");
    drop(b);
    let d = breaker.try_acquire().expect("the slot of the dropped one");
    c.success();
    assert_eq!((breaker.state(), refused(&breaker)), (HalfOpen, None));
    d.success();
    assert_eq!(breaker.state(), Closed);
}

#[tokio::test(start_paused = true)]
async fn one_failed_probe_is_enough_and_the_others_are_late() {
    let breaker = half_open(3).await;
    let [a, b, c] = [(); 3].map(|()| breaker.try_acquire().unwrap());
    a.success();
    b.failure();
    assert_eq!(refused(&breaker), Some(secs(1)));
    advance(ms(400)).await;
    c.failure();
    assert_eq!(refused(&breaker), Some(ms(600)), "not opened anew");
}

#[tokio::test(start_paused = true)]
async fn of_ten_waiting_callers_one_becomes_the_probe() {
    let breaker = Arc::new(opened(1));
    sleep(secs(1)).await;
    let callers: Vec<_> = (0..10)
        .map(|_| {
            let breaker = Arc::clone(&breaker);
            tokio::spawn(async move {
                let Ok(permit) = breaker.try_acquire() else { return false };
                sleep(ms(100)).await;
                permit.success();
                true
            })
        })
        .collect();
    let mut probes = 0;
    for caller in callers {
        probes += u32::from(caller.await.unwrap());
    }
    assert_eq!((probes, breaker.state()), (1, Closed));
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_is_cancelled_or_panics_gives_its_slot_back() {
    let breaker = Arc::new(half_open(1).await);
    let probe = async {
        let _permit = breaker.try_acquire().unwrap();
        std::future::pending::<()>().await;
    };
    tokio::time::timeout(ms(10), probe).await.unwrap_err();

    let panics = Arc::clone(&breaker);
    let panicked = tokio::spawn(async move {
        let _permit = panics.try_acquire().unwrap();
        panic!("a probe");
    });
    assert!(panicked.await.unwrap_err().is_panic());

    succeed(&breaker);
    assert_eq!(breaker.state(), Closed);
}

#[tokio::test(start_paused = true)]
async fn a_late_outcome_changes_nothing() {
    let breaker = CircuitBreaker::consecutive(1, secs(1));
    let late: Vec<_> = (0..5).map(|_| breaker.try_acquire().unwrap()).collect();
    let mut late = late.into_iter();
    fail(&breaker);

    advance(ms(500)).await;
    late.next().unwrap().success();
    assert_eq!(refused(&breaker), Some(ms(500)), "does not close an open one");
    late.next().unwrap().failure();
    assert_eq!(refused(&breaker), Some(ms(500)), "does not prolong it");

    advance(ms(500)).await;
    let probe = breaker.try_acquire().unwrap();
    late.next().unwrap().success();
    assert_eq!((breaker.state(), refused(&breaker)), (HalfOpen, None), "is no probe");
    drop(late.next());
    assert_eq!(refused(&breaker), None, "has no slot to give back");

    probe.success();
    late.next().unwrap().failure();
    assert_eq!(breaker.state(), Closed, "does not open a newer one");
}

#[tokio::test(start_paused = true)]
async fn a_late_probe_has_no_slot_in_the_next_half_open_time() {
    let breaker = half_open(2).await;
    let [late, other] = [(); 2].map(|()| breaker.try_acquire().unwrap());
    other.failure();
    advance(secs(1)).await;
    let _probes = [(); 2].map(|()| breaker.try_acquire().unwrap());
    drop(late);
    assert_eq!(refused(&breaker), None);
}

/// Opens at ten in a hundred of at least 100 calls within 30 s, for 5 s: the defaults of Polly 8.
#[tokio::test(start_paused = true)]
async fn the_numbers_of_polly() {
    static BREAKER: CircuitBreaker = CircuitBreaker::rate(10, 100, secs(30), secs(5));
    for _ in 0..90 {
        succeed(&BREAKER);
    }
    for _ in 0..9 {
        fail(&BREAKER);
    }
    assert_eq!(BREAKER.state(), Closed, "nine of 99");
    fail(&BREAKER);
    assert_eq!((BREAKER.state(), refused(&BREAKER)), (Open, Some(secs(5))), "ten of a hundred");
}

/// Opens at half of at least 100 calls, for 60 s, and closes by ten probes: the defaults of resilience4j 2.
#[tokio::test(start_paused = true)]
async fn the_numbers_of_resilience4j() {
    let breaker = CircuitBreaker::rate(50, 100, secs(60), secs(60)).probes(10);
    for _ in 0..50 {
        succeed(&breaker);
    }
    for _ in 0..49 {
        fail(&breaker);
    }
    assert_eq!(breaker.state(), Closed);
    fail(&breaker);
    assert_eq!(refused(&breaker), Some(secs(60)));
    advance(secs(60)).await;
    for _ in 0..9 {
        succeed(&breaker);
    }
    assert_eq!(breaker.state(), HalfOpen);
    succeed(&breaker);
    assert_eq!(breaker.state(), Closed);
}

#[tokio::test(start_paused = true)]
async fn the_minimum_of_calls_counts_successes_too() {
    let breaker = CircuitBreaker::rate(50, 4, secs(10), secs(30));
    for _ in 0..3 {
        fail(&breaker);
    }
    assert_eq!(breaker.state(), Closed, "three calls");
    succeed(&breaker);
    assert_eq!(breaker.state(), Closed, "a success never opens it");
    fail(&breaker);
    assert_eq!(breaker.state(), Open);
}

#[tokio::test(start_paused = true)]
async fn a_percentage_is_not_truncated() {
    let open = |percent, successes, failures| {
        let breaker = CircuitBreaker::rate(percent, 1, secs(10), secs(30));
        (0..successes).for_each(|_| succeed(&breaker));
        (0..failures - 1).for_each(|_| fail(&breaker));
        let before = breaker.state();
        fail(&breaker);
        (before, breaker.state())
    };
    assert_eq!(open(60, 4, 6), (Closed, Open));
    assert_eq!(open(33, 4, 2), (Closed, Open)); // 33.3 %
    assert_eq!(open(34, 4, 2), (Closed, Closed));
    assert_eq!(open(99, 1, 99), (Closed, Open));
    assert_eq!(open(100, 1, 999), (Closed, Closed));
    assert_eq!(open(1, 199, 2), (Closed, Closed)); // 0.995 %
    assert_eq!(open(1, 198, 2), (Closed, Open));
}

/// With a window of ten seconds, slices of one second since the first outcome.
#[tokio::test(start_paused = true)]
async fn an_outcome_leaves_the_window_with_its_slice() {
    for (wait, state) in [(9_999, Open), (10_000, Closed)] {
        let breaker = CircuitBreaker::rate(100, 2, secs(10), secs(30));
        fail(&breaker);
        advance(ms(wait)).await;
        fail(&breaker);
        assert_eq!(breaker.state(), state, "{wait} ms");
    }
    // In the last millisecond of its slice: nine seconds and a millisecond.
    for (wait, state) in [(9_000, Open), (9_001, Closed)] {
        let breaker = CircuitBreaker::rate(100, 3, secs(10), secs(30));
        fail(&breaker);
        advance(ms(999)).await;
        fail(&breaker);
        advance(ms(wait)).await;
        fail(&breaker);
        assert_eq!(breaker.state(), state, "{wait} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn old_successes_leave_the_window_too() {
    let breaker = CircuitBreaker::rate(50, 2, secs(10), secs(30));
    for _ in 0..100 {
        succeed(&breaker);
    }
    advance(secs(5)).await;
    fail(&breaker);
    advance(ms(4_999)).await;
    fail(&breaker);
    assert_eq!(breaker.state(), Closed, "two of 102");
    advance(ms(1)).await;
    assert_eq!(breaker.state(), Closed, "time alone does not open it");
    fail(&breaker);
    assert_eq!(breaker.state(), Open, "three of three");
}

#[tokio::test(start_paused = true)]
async fn a_window_slides_for_a_long_time() {
    let breaker = CircuitBreaker::rate(50, 10, secs(10), secs(30));
    // Four failures in ten seconds, and four successes: 50 %, but never ten calls.
    for _ in 0..1_000 {
        fail(&breaker);
        advance(ms(1_250)).await;
        succeed(&breaker);
        advance(ms(1_250)).await;
    }
    assert_eq!(breaker.state(), Closed);
    fail(&breaker);
    succeed(&breaker);
    fail(&breaker);
    assert_eq!(breaker.state(), Open);
}

#[tokio::test(start_paused = true)]
async fn a_rate_starts_empty_when_it_closes() {
    for close in [succeed, CircuitBreaker::reset] {
        let breaker = CircuitBreaker::rate(100, 3, secs(60), secs(1));
        for _ in 0..3 {
            fail(&breaker);
        }
        advance(secs(1)).await;
        close(&breaker);
        fail(&breaker);
        fail(&breaker);
        assert_eq!(breaker.state(), Closed);
        fail(&breaker);
        assert_eq!(breaker.state(), Open);
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_probe_of_a_rate_opens_it_whatever_the_minimum() {
    let breaker = CircuitBreaker::rate(100, 3, secs(60), secs(1));
    for _ in 0..3 {
        fail(&breaker);
    }
    advance(secs(1)).await;
    fail(&breaker);
    assert_eq!(refused(&breaker), Some(secs(1)));
}

/// As two tests see a static whose clock was paused by each.
#[test]
fn a_reset_makes_it_good_for_a_clock_that_was_set_back() {
    let consecutive = CircuitBreaker::consecutive(2, secs(5));
    let rate = CircuitBreaker::rate(100, 2, secs(10), secs(5));
    for breaker in [&consecutive, &rate] {
        for hours in [1, 0] {
            breaker.reset();
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
            runtime.unwrap().block_on(async {
                succeed(breaker);
                for second in 0..60 {
                    advance(secs(hours * 3600 + second)).await;
                    succeed(breaker);
                }
                advance(secs(10)).await;
                fail(breaker);
                fail(breaker);
                assert_eq!(refused(breaker), Some(secs(5)));
                advance(secs(5)).await;
                succeed(breaker);
                assert_eq!(breaker.state(), Closed);
            });
        }
    }
}

#[tokio::test(start_paused = true)]
async fn forced_open_it_stays_so() {
    let breaker = CircuitBreaker::consecutive(1, secs(1));
    let running = breaker.try_acquire().unwrap();
    breaker.force_open();
    running.success();
    advance(secs(3600)).await;
    assert_eq!((breaker.state(), refused(&breaker)), (Open, None));
    breaker.reset();
    assert_eq!(breaker.state(), Closed);
    succeed(&breaker);
}

#[tokio::test(start_paused = true)]
async fn forced_closed_it_stays_so() {
    let breaker = opened(1);
    breaker.force_closed();
    for _ in 0..10 {
        fail(&breaker);
    }
    assert_eq!(breaker.state(), Closed);
    breaker.reset();
    assert_eq!(breaker.state(), Closed, "nothing was counted");
    fail(&breaker);
    assert_eq!(refused(&breaker), Some(secs(1)));
}

#[tokio::test(start_paused = true)]
async fn every_state_can_be_forced_and_reset() {
    async fn each() -> [CircuitBreaker; 5] {
        let [forced_open, forced_closed] = [(); 2].map(|()| opened(1));
        forced_open.force_open();
        forced_closed.force_closed();
        let half_open = half_open(1).await;
        [CircuitBreaker::consecutive(1, secs(1)), opened(1), half_open, forced_open, forced_closed]
    }
    for breaker in each().await {
        breaker.force_open();
        assert_eq!((breaker.state(), refused(&breaker)), (Open, None));
    }
    for breaker in each().await {
        breaker.force_closed();
        fail(&breaker);
        assert_eq!(breaker.state(), Closed);
    }
    for breaker in each().await {
        breaker.reset();
        assert_eq!(breaker.state(), Closed);
        fail(&breaker);
        assert_eq!(refused(&breaker), Some(secs(1)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_reset_forgets_what_was_counted_and_what_runs() {
    let breaker = CircuitBreaker::consecutive(2, secs(1));
    fail(&breaker);
    let running = breaker.try_acquire().unwrap();
    breaker.reset();
    running.failure();
    fail(&breaker);
    assert_eq!(breaker.state(), Closed);
    fail(&breaker);
    assert_eq!(breaker.state(), Open);
}

#[tokio::test(start_paused = true)]
async fn each_change_is_reported_once() {
    static LOG: Mutex<Vec<StateChange>> = Mutex::new(Vec::new());
    static BREAKER: CircuitBreaker = CircuitBreaker::consecutive(2, secs(30))
        .probes(2)
        .named("users-db")
        .on_change(|change| LOG.lock().unwrap().push(*change));

    let lines =
        || -> Vec<String> { LOG.lock().unwrap().drain(..).map(|change| change.to_string()).collect() };

    fail(&BREAKER);
    assert!(lines().is_empty());
    fail(&BREAKER);
    assert_eq!(lines(), ["users-db: closed -> open for 30s"]);
    advance(secs(30)).await;
    assert_eq!(BREAKER.state(), HalfOpen);
    assert!(lines().is_empty(), "looking is no change");
    succeed(&BREAKER);
    assert_eq!(lines(), ["users-db: open -> half-open"]);
    fail(&BREAKER);
    assert_eq!(lines(), ["users-db: half-open -> open for 30s"]);
    advance(secs(30)).await;
    succeed(&BREAKER);
    succeed(&BREAKER);
    assert_eq!(lines(), ["users-db: open -> half-open", "users-db: half-open -> closed"]);

    BREAKER.force_open();
    BREAKER.force_open();
    assert_eq!(lines(), ["users-db: closed -> open (by hand)"]);
    BREAKER.force_closed();
    assert_eq!(lines(), ["users-db: open -> closed (by hand)"]);
    BREAKER.reset();
    assert!(lines().is_empty(), "closed it was");
}

#[tokio::test(start_paused = true)]
async fn a_report_says_everything_that_a_log_needs() {
    static LOG: Mutex<Vec<StateChange>> = Mutex::new(Vec::new());
    let breaker =
        CircuitBreaker::consecutive(1, secs(30)).on_change(|change| LOG.lock().unwrap().push(*change));
    fail(&breaker);
    breaker.reset();
    let log = LOG.lock().unwrap();
    let parts = |change: &StateChange| (change.name(), change.from(), change.to(), change.is_by_hand());
    assert_eq!(
        log.iter().map(parts).collect::<Vec<_>>(),
        [(None, Closed, Open, false), (None, Open, Closed, true)]
    );
    assert_eq!(log.iter().map(StateChange::number).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(log.iter().map(StateChange::retry_after).collect::<Vec<_>>(), [Some(secs(30)), None]);
    assert_eq!(log[0].to_string(), "circuit breaker: closed -> open for 30s");
}

#[tokio::test(start_paused = true)]
async fn a_callback_may_use_the_breaker() {
    static BREAKER: CircuitBreaker = CircuitBreaker::consecutive(1, secs(30)).on_change(|change| {
        assert_eq!(BREAKER.state(), change.to());
        if change.to() == Open {
            BREAKER.reset();
        }
    });
    fail(&BREAKER);
    assert_eq!(BREAKER.state(), Closed);
}

#[tokio::test(start_paused = true)]
async fn a_callback_that_panics_does_no_harm() {
    let breaker = CircuitBreaker::consecutive(1, secs(1)).on_change(|change| panic!("{change}"));
    let panics = |run: &dyn Fn()| {
        let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it goes on to the caller");
        panic.downcast_ref::<String>().cloned().unwrap_or_default()
    };
    assert_eq!(panics(&|| fail(&breaker)), "circuit breaker: closed -> open for 1s");
    assert_eq!(refused(&breaker), Some(secs(1)));

    advance(secs(1)).await;
    assert_eq!(panics(&|| drop(breaker.try_acquire())), "circuit breaker: open -> half-open");
    let probe = breaker.try_acquire().expect("the slot has come back");
    let probe = Mutex::new(Some(probe));
    assert_eq!(
        panics(&|| probe.lock().unwrap().take().unwrap().success()),
        "circuit breaker: half-open -> closed"
    );
    assert_eq!(breaker.state(), Closed);
    assert_eq!(panics(&|| breaker.force_open()), "circuit breaker: closed -> open (by hand)");
    assert_eq!(refused(&breaker), None);
}

#[tokio::test(start_paused = true)]
async fn what_is_refused_says_so() {
    let named = CircuitBreaker::consecutive(1, secs(90)).named("store");
    fail(&named);
    advance(Duration::from_nanos(1)).await;
    let error: CircuitOpen = named.try_acquire().unwrap_err();
    assert_eq!(error.to_string(), "the circuit breaker `store` is open for another 1m 30s");
    assert_eq!(
        (error.name(), error.retry_after()),
        (Some("store"), Some(secs(90) - Duration::from_nanos(1)))
    );
    named.force_open();
    assert_eq!(named.try_acquire().unwrap_err().to_string(), "the circuit breaker `store` is open");

    let unnamed = opened(1);
    let error: Box<dyn std::error::Error + Send + Sync> = unnamed.try_acquire().unwrap_err().into();
    assert_eq!(error.to_string(), "the circuit breaker is open for another 1s");
    assert!(error.source().is_none());
}

#[tokio::test(start_paused = true)]
async fn debug_shows_the_state() {
    let breaker = opened(1);
    assert_eq!(format!("{breaker:?}"), "CircuitBreaker { state: Open, .. }");
    advance(secs(1)).await;
    let breaker = breaker.named("store");
    assert_eq!(format!("{breaker:?}"), r#"CircuitBreaker { name: "store", state: HalfOpen, .. }"#);
    assert_eq!(format!("{:?}", breaker.try_acquire()), "Ok(Permit { is_probe: true, .. })");
}

#[test]
fn it_is_made_anywhere_and_lives_anywhere() {
    const fn made() -> CircuitBreaker {
        CircuitBreaker::rate(50, 20, secs(10), secs(30)).probes(3).named("anywhere").on_change(|_| {})
    }
    static IN_A_STATIC: CircuitBreaker = made();
    struct Client {
        breaker: CircuitBreaker,
    }
    let shared = Arc::new(Client { breaker: made() });
    let other = Arc::clone(&shared);
    thread::spawn(move || succeed(&other.breaker)).join().unwrap();
    succeed(&IN_A_STATIC);
    drop(assert_send(shared.breaker.try_acquire()));
    assert_eq!(size_of::<Permit<'_>>(), 16);
}

#[tokio::test(start_paused = true)]
async fn durations_without_end_are_no_trouble() {
    for breaker in [
        CircuitBreaker::consecutive(1, Duration::MAX),
        CircuitBreaker::rate(1, 1, Duration::MAX, Duration::MAX),
    ] {
        advance(secs(1)).await;
        succeed(&breaker);
        fail(&breaker);
        advance(secs(1_000_000)).await;
        assert_eq!(breaker.state(), Open);
        assert!(refused(&breaker) > Some(secs(13_000_000_000)));
    }
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    type Make = fn() -> CircuitBreaker;
    let text = |make: Make| {
        let panic = catch_unwind(make).expect_err("a panic");
        panic.downcast_ref::<&str>().map(ToString::to_string).or(panic.downcast_ref::<String>().cloned())
    };
    let cases: [(Make, &str); 10] = [
        (|| CircuitBreaker::consecutive(0, secs(1)), "`failures` is zero"),
        (|| CircuitBreaker::consecutive(1 << 29, secs(1)), "`failures` is more than 536870911"),
        (|| CircuitBreaker::consecutive(1, ms(0)), "`open_for` is zero"),
        (|| CircuitBreaker::rate(0, 1, secs(1), secs(1)), "`percent` is not from 1 to 100"),
        (|| CircuitBreaker::rate(101, 1, secs(1), secs(1)), "`percent` is not from 1 to 100"),
        (|| CircuitBreaker::rate(1, 0, secs(1), secs(1)), "`minimum_calls` is zero"),
        (|| CircuitBreaker::rate(1, 1, ms(99), secs(1)), "`window` is shorter than 100 ms"),
        (|| CircuitBreaker::rate(1, 1, secs(1), ms(0)), "`open_for` is zero"),
        (|| CircuitBreaker::consecutive(1, secs(1)).probes(0), "`probes` is zero"),
        (|| CircuitBreaker::consecutive(1, secs(1)).probes(1 << 14), "`probes` is more than 16383"),
    ];
    for (make, start) in cases {
        let text = text(make).unwrap();
        assert!(text.starts_with(start), "{text}");
    }
    // The limits themselves are good.
    _ = CircuitBreaker::consecutive((1 << 29) - 1, Duration::from_nanos(1)).probes((1 << 14) - 1);
    _ = CircuitBreaker::rate(100, u32::MAX, ms(100), Duration::from_nanos(1));
}

/// Two threads, each so many times.
fn hammer(times: u32, run: impl Fn(u32) + Sync) {
    let start = Barrier::new(2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                start.wait();
                (0..times).for_each(&run);
            });
        }
    });
}

#[test]
fn two_threads_lose_no_failure_in_a_row() {
    const TIMES: u32 = 200_000;
    let breaker = CircuitBreaker::consecutive(2 * TIMES + 1, secs(30));
    hammer(TIMES, |_| fail(&breaker));
    assert_eq!(breaker.state(), Closed);
    fail(&breaker);
    assert_eq!(breaker.state(), Open);
}

/// On the real clock, with a window that outlasts the test.
#[test]
fn two_threads_lose_no_outcome_in_a_window() {
    const TIMES: u32 = 100_000;
    // Of each four attempts, one fails; the last failure of all makes it a quarter of exactly so many.
    let breaker = CircuitBreaker::rate(25, 2 * TIMES + 4, secs(36_000), secs(30));
    hammer(TIMES, |n| if n % 4 == 0 { fail(&breaker) } else { succeed(&breaker) });
    (0..3).for_each(|_| succeed(&breaker));
    assert_eq!(breaker.state(), Closed);
    fail(&breaker);
    assert_eq!(breaker.state(), Open, "a call or a failure is missing");
}

#[test]
fn two_threads_never_run_more_probes_than_there_are() {
    let (running, most, probes) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
    let breaker = CircuitBreaker::consecutive(1, Duration::from_nanos(1)).probes(1);
    let born = Instant::now();
    fail(&breaker);
    while born == Instant::now() {}
    hammer(100_000, |n| {
        let Ok(permit) = breaker.try_acquire() else { return };
        assert!(permit.is_probe());
        most.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
        probes.fetch_add(1, SeqCst);
        running.fetch_sub(1, SeqCst);
        if n % 2 == 0 { permit.failure() } else { drop(permit) }
    });
    assert_eq!(most.load(SeqCst), 1);
    assert!(probes.load(SeqCst) > 1_000);
}

#[test]
fn two_threads_report_each_change_once() {
    static OPENED: AtomicU32 = AtomicU32::new(0);
    static CLOSED: AtomicU32 = AtomicU32::new(0);
    static LAST: AtomicU32 = AtomicU32::new(0);
    let breaker = CircuitBreaker::consecutive(1, secs(3600)).on_change(|change| {
        let counter = if change.to() == Open { &OPENED } else { &CLOSED };
        counter.fetch_add(1, SeqCst);
        LAST.fetch_max(change.number(), SeqCst);
    });
    hammer(50_000, |_| {
        if let Ok(permit) = breaker.try_acquire() {
            permit.failure();
        }
        breaker.reset();
    });
    assert_eq!(breaker.state(), Closed);
    assert_eq!(OPENED.load(SeqCst), CLOSED.load(SeqCst), "each opening was followed by one closing");
    assert!(OPENED.load(SeqCst) > 1_000);
    let generations = OPENED.load(SeqCst) + 100_000; // each reset starts one
    assert!(LAST.load(SeqCst) <= generations, "{LAST:?} of {generations}");
}
