//! Attempts beside one another: when they start, which one wins, what becomes of the others.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use retry_runtime::{
    Attempt, CircuitBreaker, CircuitState, Deadline, Reason, RetryError, RetryThrottle, retry,
};
use tokio::time::{Instant, sleep, timeout};

use crate::support::*;

type Fetched = Result<u32, RetryError<ConnectionError>>;

#[retry(total = "1s", attempts = 3, hedge = "50ms", on = ConnectionError)]
async fn fetch(server: &Server) -> Fetched {
    server.call().await
}

async fn timed<T>(call: impl Future<Output = T>) -> (T, Duration) {
    let start = Instant::now();
    (call.await, start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn the_next_one_starts_beside_one_that_is_slow_and_the_first_answer_wins() {
    let server = Server::new([Step::SucceedAfter(400), Step::SucceedAfter(100), Step::Hang]);
    let (answer, elapsed) = timed(fetch(&server)).await;
    assert_eq!((answer.unwrap(), elapsed), (2, ms(150)));
    assert_eq!(server.starts(), [0, 50, 100]);
    assert_eq!((server.most_open(), server.open()), (3, 0), "the others are dropped");
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_time_is_the_only_attempt() {
    let server = Server::new([Step::SucceedAfter(49)]);
    assert_eq!(timed(fetch(&server)).await.1, ms(49));
    // A value that is there when the next one would start wins.
    assert_eq!(fetch(&Server::new([Step::SucceedAfter(50)])).await.unwrap(), 1);
    assert_eq!(fetch(&Server::ready()).await.unwrap(), 1);
    assert_eq!(server.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_transient_failure_starts_the_next_one_at_once() {
    let server = Server::new([Step::FailAfter(10), Step::FailAfter(10), Step::SucceedAfter(10)]);
    let (answer, elapsed) = timed(fetch(&server)).await;
    assert_eq!((answer.unwrap(), elapsed), (3, ms(30)));
    assert_eq!((server.starts(), server.most_open()), (vec![0, 10, 20], 1));
}

#[tokio::test(start_paused = true)]
async fn a_failure_beside_one_that_runs() {
    // The second fails at 70 ms, so the third starts then, not at 100 ms.
    let server = Server::new([Step::SucceedAfter(200), Step::FailAfter(20), Step::Hang]);
    let (answer, elapsed) = timed(fetch(&server)).await;
    assert_eq!((answer.unwrap(), elapsed), (1, ms(200)));
    assert_eq!(server.starts(), [0, 50, 70]);
}

#[tokio::test(start_paused = true)]
async fn used_up_attempts_wait_for_those_that_run() {
    let server = Server::new([Step::SucceedAfter(300), Step::FailAfter(10), Step::FailAfter(10)]);
    assert_eq!(timed(fetch(&server)).await.1, ms(300));
    let server = Server::new([Step::FailAfter(300), Step::FailAfter(10), Step::FailAfter(10)]);
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(300), Reason::AttemptsExhausted));
    let history: Vec<_> =
        error.history().iter().map(|one| (one.number(), one.start(), one.duration())).collect();
    // In the order in which they ended.
    assert_eq!(history, [(2, ms(50), ms(10)), (3, ms(60), ms(10)), (1, ms(0), ms(300))]);
}

#[tokio::test(start_paused = true)]
async fn a_final_error_wins_too() {
    #[retry(attempts = 3, hedge = "50ms", on = StoreError::Connection(_))]
    async fn load(server: &Server) -> Result<u32, StoreError> {
        match server.call().await? {
            2 => Err(Missing)?,
            number => Ok(number),
        }
    }
    let server = Server::new([Step::Hang, Step::SucceedAfter(10)]);
    let (answer, elapsed) = timed(load(&server)).await;
    assert!(matches!(answer, Err(StoreError::Missing(Missing))));
    assert_eq!((elapsed, server.open()), (ms(60), 0));
}

#[tokio::test(start_paused = true)]
async fn one_deadline_for_all_and_a_limit_for_each() {
    let server = Server::hung();
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (3, secs(1), Reason::TotalElapsed));
    assert_eq!((server.starts(), server.open()), (vec![0, 50, 100], 0));
    #[retry(total = "1s", per_attempt = "200ms", attempts = 5, hedge = "80ms", on = ConnectionError)]
    async fn limited(server: &Server) -> Fetched {
        server.call().await
    }
    // 0 to 200, 80 to 280, 160 to 360; one that is cut starts the next one at once: 200 to 400, 280 to 480.
    let server = Server::hung();
    let error = limited(&server).await.unwrap_err();
    assert_eq!(error.end(), (5, ms(480), Reason::AttemptsExhausted));
    assert!(error.timed_out());
    assert_eq!((server.starts(), server.most_open()), (vec![0, 80, 160, 200, 280], 3));
}

#[tokio::test(start_paused = true)]
async fn each_has_a_number_a_limit_and_a_scope_of_its_own() {
    type Seen = (u32, Duration, Duration, Option<Duration>);
    #[retry(total = "1s", per_attempt = "300ms", attempts = 2, hedge = "100ms", on = ConnectionError)]
    async fn look(seen: &Mutex<Vec<Seen>>, keys: &Mutex<Vec<String>>) -> Fetched {
        let note = || {
            let attempt = Attempt::current().unwrap();
            let inherited = Deadline::current().map(|deadline| deadline.remaining());
            seen.lock().unwrap().push((attempt.number(), attempt.limit(), attempt.remaining(), inherited));
            keys.lock().unwrap().push(attempt.idempotency_key().to_string());
        };
        note();
        sleep(ms(150)).await;
        note();
        std::future::pending().await
    }
    let (seen, keys) = (Mutex::default(), Mutex::default());
    look(&seen, &keys).await.unwrap_err();
    let row = |number, left| (number, ms(300), ms(left), Some(ms(left)));
    assert_eq!(*seen.lock().unwrap(), [row(1, 300), row(2, 300), row(1, 150), row(2, 150)]);
    let keys = keys.into_inner().unwrap();
    assert!(keys.iter().all(|key| *key == keys[0]), "one call, one key");
}

#[tokio::test(start_paused = true)]
async fn a_share_is_what_is_left() {
    let limits = Mutex::default();
    #[retry(total = "1s", attempts = 3, hedge = "100ms", on = ConnectionError)]
    async fn look(limits: &Mutex<Vec<Duration>>) -> Fetched {
        limits.lock().unwrap().push(Attempt::current().unwrap().limit());
        std::future::pending().await
    }
    look(&limits).await.unwrap_err();
    assert_eq!(*limits.lock().unwrap(), [ms(1000), ms(900), ms(800)]);
}

#[tokio::test(start_paused = true)]
async fn no_attempt_starts_without_time_for_it() {
    #[retry(total = "1s", attempts = 3, min_attempt = "100ms", hedge = "450ms", on = ConnectionError)]
    async fn slow(server: &Server) -> Fetched {
        server.call().await
    }
    // 0, 450, and not at 900: 100 ms are just enough; with the third the time is used up.
    let server = Server::hung();
    assert_eq!(slow(&server).await.unwrap_err().end(), (3, secs(1), Reason::TotalElapsed));
    assert_eq!(server.starts(), [0, 450, 900]);
    let server = Server::hung();
    let error = Deadline::within(ms(999)).scope(slow(&server)).await.unwrap_err();
    assert_eq!(error.end(), (2, ms(999), Reason::InheritedDeadline));
    let server = Server::hung();
    let error = Deadline::within(ms(99)).scope(slow(&server)).await.unwrap_err();
    assert_eq!((error.end(), server.calls()), ((0, ms(0), Reason::InheritedDeadline), 0));
}

#[tokio::test(start_paused = true)]
async fn a_hint_puts_the_next_one_off_and_never_ends_one_that_runs() {
    #[retry(total = "1s", attempts = 4, hedge = "50ms", jitter = "none", on = ConnectionError, retry_after = |_| Some(hint))]
    async fn told(server: &Server, hint: Duration) -> Fetched {
        server.call().await
    }
    let server = Server::new([Step::FailAfter(10), Step::SucceedAfter(10)]);
    assert_eq!(timed(told(&server, ms(200))).await.1, ms(220));
    assert_eq!(server.starts(), [0, 210]);
    // Too long, while the first one runs: no other starts any more.
    let server = Server::new([Step::SucceedAfter(400), Step::FailAfter(10)]);
    assert_eq!(timed(told(&server, secs(5))).await.1, ms(400));
    assert_eq!(server.starts(), [0, 50]);
    let error = told(&Server::failing(), secs(5)).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(0), Reason::RetryAfterTooLong));
}

#[tokio::test(start_paused = true)]
async fn a_denied_hedge_never_ends_those_that_run() {
    #[retry(total = "1s", attempts = 5, hedge = "50ms", throttle = throttle, on = ConnectionError)]
    async fn f(server: &Server, throttle: &RetryThrottle) -> Fetched {
        server.call().await
    }
    let throttle = RetryThrottle::tokens(10, 10, 1);
    let server = Server::new([Step::SucceedAfter(500), Step::Hang]);
    assert_eq!(timed(f(&server, &throttle)).await.1, ms(500));
    assert_eq!(server.starts(), [0, 50]);
    // Nobody runs, nothing is left.
    let server = Server::new([Step::FailAfter(60), Step::FailAfter(20)]);
    let throttle = RetryThrottle::tokens(10, 10, 1);
    assert_eq!(f(&server, &throttle).await.unwrap_err().end(), (2, ms(70), Reason::Throttled));
    // It is asked again a delay later.
    let throttle = RetryThrottle::tokens(10, 10, 10);
    let taken = throttle.start();
    let mut taken = taken;
    let reserved = taken.try_retry().unwrap();
    let server = Server::hung();
    let (_, ()) = tokio::join!(timeout(ms(200), f(&server, &throttle)), async {
        sleep(ms(120)).await;
        drop(reserved);
    });
    assert_eq!(server.starts(), [0, 150]);
}

#[tokio::test(start_paused = true)]
async fn an_open_breaker_denies_a_hedge_and_the_losers_count_as_nothing() {
    #[retry(total = "1s", attempts = 3, hedge = "50ms", breaker = breaker, on = ConnectionError)]
    async fn f(server: &Server, breaker: &CircuitBreaker) -> Fetched {
        server.call().await
    }
    let breaker = CircuitBreaker::consecutive(1, secs(60));
    let server = Server::new([Step::SucceedAfter(500), Step::FailAfter(10)]);
    // The failure of the second one opens it; the first goes on, and its late success changes nothing.
    assert_eq!(timed(f(&server, &breaker)).await.1, ms(500));
    assert_eq!((server.starts(), breaker.state()), (vec![0, 50], CircuitState::Open));
    let error = f(&server, &breaker).await.unwrap_err();
    assert_eq!(error.end(), (0, ms(0), Reason::CircuitOpen));
    // Half-open: there is one slot, so there is one attempt, and a dropped call gives it back.
    sleep(secs(60)).await;
    let server = Server::new([Step::Hang]);
    assert!(timeout(ms(300), f(&server, &breaker)).await.is_err());
    assert_eq!((server.calls(), breaker.state()), (1, CircuitState::HalfOpen));
    assert_eq!(f(&Server::ready(), &breaker).await.unwrap(), 1);
    assert_eq!(breaker.state(), CircuitState::Closed);
    // Two lost, one won.
    let server = Server::new([Step::Hang, Step::Hang, Step::SucceedAfter(10)]);
    assert_eq!(f(&server, &breaker).await.unwrap(), 3);
    assert_eq!(breaker.state(), CircuitState::Closed);
}

#[tokio::test(start_paused = true)]
async fn two_probes_of_one_call() {
    #[retry(total = "1s", attempts = 3, hedge = "50ms", breaker = breaker, on = ConnectionError)]
    async fn f(server: &Server, breaker: &CircuitBreaker) -> Fetched {
        server.call().await
    }
    let breaker = CircuitBreaker::consecutive(1, secs(1)).probes(2);
    f(&Server::failing(), &breaker).await.unwrap_err();
    sleep(secs(1)).await;
    // The first is slow: the second probe wins, the slot of the first is free again.
    let server = Server::new([Step::Hang, Step::SucceedAfter(10)]);
    assert_eq!(f(&server, &breaker).await.unwrap(), 2);
    assert_eq!(breaker.state(), CircuitState::HalfOpen);
    assert_eq!(f(&Server::ready(), &breaker).await.unwrap(), 1);
    assert_eq!(breaker.state(), CircuitState::Closed);
}

#[tokio::test(start_paused = true)]
async fn owned_arguments_are_cloned_for_each_and_lent_where_they_can_be() {
    struct Big(#[allow(dead_code)] [u8; 64]);
    #[retry(total = "1s", attempts = 3, hedge = "50ms", on = ConnectionError)]
    async fn f(
        server: &Server,
        name: String,
        mut list: Vec<u32>,
        big: Big,
        number: u32,
        mut text: &str,
    ) -> Result<(String, Vec<u32>, u32), RetryError<ConnectionError>> {
        list.push(number);
        text = &text[1..];
        let _ = &big;
        let owned = format!("{name}{text}");
        drop(name);
        server.call().await?;
        Ok((owned, list, number))
    }
    let server = Server::new([Step::Hang, Step::FailAfter(10), Step::SucceedAfter(10)]);
    let answer = f(&server, "a".to_owned(), vec![1], Big([0; 64]), 2, "xbc").await;
    assert_eq!(answer.unwrap(), ("abc".to_owned(), vec![1, 2], 2));
}

#[tokio::test(start_paused = true)]
async fn methods_generics_and_results_that_borrow() {
    #[derive(Clone)]
    struct Client<T> {
        server: T,
        name: String,
    }
    #[retry(total = "1s", attempts = 3, hedge = "50ms", on = ConnectionError)]
    impl<T: AsRef<Server> + Clone> Client<T> {
        async fn name(&self) -> Result<&str, RetryError<ConnectionError>> {
            self.server.as_ref().call().await?;
            Ok(&self.name)
        }
        async fn consumed(self) -> Result<String, RetryError<ConnectionError>> {
            self.server.as_ref().call().await?;
            Ok(self.name)
        }
    }
    let server = std::sync::Arc::new(Server::new([Step::Hang, Step::SucceedAfter(10)]));
    let client = Client { server, name: "n".to_owned() };
    assert_eq!(client.name().await.unwrap(), "n");
    assert_eq!(client.consumed().await.unwrap(), "n");
}

#[tokio::test(start_paused = true)]
async fn values_worth_another_attempt() {
    #[retry(total = "1s", attempts = 3, hedge = "50ms", when_ok = |number: &u32| *number < 3)]
    async fn f(server: &Server) -> Fetched {
        server.call().await
    }
    let server = Server::new([Step::SucceedAfter(10), Step::SucceedAfter(10), Step::SucceedAfter(10)]);
    assert_eq!((f(&server).await.unwrap(), server.calls()), (3, 3));
    let server = Server::new([Step::SucceedAfter(300), Step::SucceedAfter(10), Step::Hang]);
    // The last one that had an outcome decides; the third one, which hangs, had none.
    let (answer, elapsed) = timed(f(&server)).await;
    assert_eq!((answer.unwrap(), elapsed), (1, secs(1)));
}

#[tokio::test(start_paused = true)]
async fn a_run_time_delay() {
    #[retry(total = "1s", attempts = 2, hedge = delay, on = ConnectionError)]
    async fn f(server: &Server, delay: Duration) -> Fetched {
        server.call().await
    }
    for delay in [20, 500] {
        let server = Server::hung();
        f(&server, ms(delay)).await.unwrap_err();
        assert_eq!(server.starts(), [0, delay]);
    }
    // Zero: both at once.
    let server = Server::hung();
    f(&server, ms(0)).await.unwrap_err();
    assert_eq!(server.starts(), [0, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_drops_all() {
    let server = Server::hung();
    assert!(timeout(ms(120), fetch(&server)).await.is_err());
    assert_eq!((server.calls(), server.open()), (3, 0));
}

#[tokio::test(start_paused = true)]
async fn it_can_be_spawned() {
    let task = tokio::spawn(async {
        let server = Server::new([Step::Hang, Step::SucceedAfter(10)]);
        fetch(&server).await.map_err(|error| error.reason())
    });
    assert_eq!(task.await.unwrap(), Ok(2));
}

#[tokio::test(start_paused = true)]
async fn a_call_inside_that_gave_up_ends_it() {
    #[retry(attempts = 2, backoff = "none", on = ConnectionError)]
    async fn inner(server: &Server) -> Fetched {
        server.call().await
    }
    #[retry(total = "1s", attempts = 3, hedge = "50ms", on = ConnectionError)]
    async fn outer(server: &Server) -> Result<u32, RetryError> {
        Ok(inner(server).await?)
    }
    let server = Server::failing();
    assert_eq!(outer(&server).await.unwrap_err().end(), (1, ms(0), Reason::InnerGaveUp));
    assert_eq!(server.calls(), 2);
    // One that passes on the end of the attempt's own time is a cut attempt.
    #[retry(attempts = 1)]
    async fn once(server: &Server) -> Fetched {
        server.call().await
    }
    #[retry(total = "1s", per_attempt = "100ms", attempts = 3, hedge = "60ms", on = ConnectionError)]
    async fn around(server: &Server) -> Result<u32, RetryError> {
        Ok(once(server).await?)
    }
    let server = Server::hung();
    assert_eq!(around(&server).await.unwrap_err().end(), (3, ms(200), Reason::AttemptsExhausted));
    assert_eq!(server.starts(), [0, 60, 100]);
}

#[tokio::test(start_paused = true)]
async fn the_fallback_runs_when_no_attempt_runs_any_more() {
    #[retry(total = "1s", attempts = 2, hedge = "50ms", on = ConnectionError, fallback = async |_| {
        assert_eq!(server.open(), 0);
        Ok(7)
    })]
    async fn f(server: &Server) -> Result<u32, ConnectionError> {
        server.call().await
    }
    assert_eq!(f(&Server::hung()).await, Ok(7));
}

#[tokio::test]
async fn many_that_fail_without_an_await_leave_the_thread_to_others() {
    #[retry(attempts = 100_000, hedge = "50ms", total = "60s", on = ConnectionError)]
    async fn f(calls: &AtomicU32) -> Fetched {
        calls.fetch_add(1, SeqCst);
        Err(ConnectionError)
    }
    let calls = AtomicU32::new(0);
    // Real time: the paused clock would not move while the call is busy. It ends as soon as it gives way.
    let others_ran = Cell::new(false);
    tokio::select! {
        biased;
        _ = f(&calls) => {}
        () = async { others_ran.set(true) } => {}
    }
    assert!(others_ran.get() && calls.load(SeqCst) < 1000);
}

#[tokio::test(start_paused = true)]
async fn the_same_without_the_attribute() {
    use retry_runtime::{Policy, PolicyExt};
    const POLICY: Policy = Policy::builder().total(secs(1)).attempts(3).build();
    let server = Server::new([Step::SucceedAfter(400), Step::SucceedAfter(100), Step::Hang]);
    let (answer, elapsed) = timed(POLICY.run(|| server.call()).hedge(ms(50))).await;
    assert_eq!((answer.unwrap(), elapsed), (2, ms(150)));
    assert_eq!((server.starts(), server.open()), (vec![0, 50, 100], 0));
    let throttle = RetryThrottle::tokens(10, 10, 1);
    let server = Server::hung();
    let run = POLICY.run(|| server.call()).throttle(&throttle).hedge(ms(50)).when(|_| true);
    assert_eq!(run.await.unwrap_err().end(), (2, secs(1), Reason::TotalElapsed));
}

/// Every point in time at which something may happen, and those between.
#[tokio::test(start_paused = true)]
async fn a_call_dropped_at_any_time_leaves_nothing_behind() {
    #[retry(
        total = "300ms", per_attempt = "100ms", attempts = 4, hedge = "30ms", breaker = breaker, throttle = throttle,
        jitter = "none", on = ConnectionError, retry_after = |_| Some(ms(20))
    )]
    async fn f(server: &Server, breaker: &CircuitBreaker, throttle: &RetryThrottle) -> Fetched {
        server.call().await
    }
    for script in [
        vec![Step::Hang],
        vec![Step::FailAfter(40), Step::FailAfter(5), Step::Hang],
        vec![Step::Fail, Step::Hang, Step::FailAfter(25)],
        vec![Step::FailAfter(10), Step::Fail, Step::Fail, Step::Fail],
    ] {
        for end in (0..=310).step_by(5) {
            let breaker = CircuitBreaker::consecutive(1, secs(1)).probes(4);
            breaker.try_acquire().unwrap().failure();
            sleep(secs(1)).await;
            let throttle = RetryThrottle::tokens(100, 10, 1);
            let server = Server::new(script.clone());
            let ended = timeout(ms(end), f(&server, &breaker, &throttle)).await;
            assert_eq!(server.open(), 0, "{script:?} after {end} ms");
            // Every attempt but the first one has cost 10, and what was not made costs nothing.
            let made = server.calls().saturating_sub(1);
            assert_eq!(throttle.available(), 10 - made, "{script:?} after {end} ms");
            if ended.is_err() && breaker.state() == CircuitState::HalfOpen {
                // All probes' slots are free.
                let permits: Vec<_> = (0..4).map(|_| breaker.try_acquire()).collect();
                assert!(permits.iter().all(Result::is_ok), "{script:?} after {end} ms");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_is_not_idempotent_starts_none_beside_another() {
    use retry_runtime::{Policy, PolicyExt};
    const POLICY: Policy = Policy::builder().total(secs(1)).attempts(3).idempotent(false).build();
    #[retry(policy = POLICY, hedge = "50ms", on = ConnectionError)]
    async fn f(server: &Server) -> Fetched {
        server.call().await
    }
    for by_attribute in [true, false] {
        let server = Server::new([Step::FailAfter(100), Step::Hang]);
        let error = match by_attribute {
            true => f(&server).await.unwrap_err(),
            false => POLICY.run(|| server.call()).hedge(ms(50)).await.unwrap_err(),
        };
        assert_eq!((error.attempts(), error.reason()), (2, Reason::TotalElapsed));
        assert_eq!((server.starts(), server.most_open()), (vec![0, 100], 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_denied_hedge_without_a_delay_is_asked_for_again_a_millisecond_later() {
    #[retry(total = "100ms", attempts = 3, hedge = delay, throttle = throttle, on = ConnectionError)]
    async fn f(server: &Server, throttle: &RetryThrottle, delay: Duration) -> Fetched {
        server.call().await
    }
    let throttle = RetryThrottle::tokens(10, 10, 1);
    let mut other = throttle.start();
    let reserved = other.try_retry().unwrap();
    let server = Server::hung();
    let (error, ()) = tokio::join!(f(&server, &throttle, ms(0)), async {
        sleep(Duration::from_micros(20_500)).await;
        drop(reserved);
    });
    assert_eq!(error.unwrap_err().end(), (2, ms(100), Reason::TotalElapsed));
    assert_eq!(server.starts(), [0, 21]);
}

#[tokio::test(start_paused = true)]
async fn all_that_the_total_cuts_are_judged_and_listed() {
    #[retry(total = "1s", attempts = 3, hedge = "50ms", breaker = breaker, on = ConnectionError)]
    async fn f(server: &Server, breaker: &CircuitBreaker) -> Fetched {
        server.call().await
    }
    for (failures, state) in [(3, CircuitState::Open), (4, CircuitState::Closed)] {
        let breaker = CircuitBreaker::consecutive(failures, secs(60));
        let error = f(&Server::hung(), &breaker).await.unwrap_err();
        assert_eq!(error.end(), (3, secs(1), Reason::TotalElapsed));
        let listed: Vec<_> = error.history().iter().map(|one| (one.number(), one.start())).collect();
        assert_eq!(listed, [(1, ms(0)), (2, ms(50)), (3, ms(100))]);
        assert_eq!(breaker.state(), state);
    }
}

#[tokio::test(start_paused = true)]
async fn a_value_that_is_there_at_the_deadline_wins_beside_a_failure() {
    let server = Server::new([Step::FailAfter(1000), Step::SucceedAfter(950), Step::Hang]);
    let (answer, elapsed) = timed(fetch(&server)).await;
    assert_eq!((answer.unwrap(), elapsed), (2, secs(1)));
}

#[tokio::test(start_paused = true)]
async fn two_that_fail_at_the_same_time_are_followed_by_two() {
    #[retry(total = "1s", attempts = 4, hedge = "50ms", on = ConnectionError)]
    async fn f(server: &Server) -> Fetched {
        server.call().await
    }
    let server = Server::new([Step::FailAfter(80), Step::FailAfter(30), Step::Hang]);
    f(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 50, 80, 80]);
}

#[tokio::test(start_paused = true)]
async fn the_oldest_wins_where_two_answer_at_the_same_time() {
    // The first ends, so the third takes its place; the second is older.
    let server = Server::new([Step::FailAfter(60), Step::SucceedAfter(110), Step::SucceedAfter(100)]);
    assert_eq!(timed(fetch(&server)).await.0.unwrap(), 2);
    assert_eq!(server.starts(), [0, 50, 60]);
}

#[tokio::test(start_paused = true)]
async fn a_hint_holds_for_all_that_follow() {
    #[retry(
        total = total, attempts = 4, hedge = "50ms", jitter = "none", throttle = throttle, on = Told,
        retry_after = |error: &Told| error.0
    )]
    async fn f(
        script: &Mutex<Vec<(u64, Option<u64>)>>,
        starts: &Mutex<Vec<u64>>,
        born: Instant,
        throttle: &RetryThrottle,
        total: Duration,
    ) -> Result<u32, RetryError<Told>> {
        starts.lock().unwrap().push(born.elapsed().as_millis() as u64);
        let step = script.lock().unwrap().pop();
        let Some((after, hint)) = step else { return std::future::pending().await };
        sleep(ms(after)).await;
        Err(Told(hint.map(ms)))
    }
    #[derive(Debug)]
    struct Told(Option<Duration>);
    let full = RetryThrottle::tokens(100, 10, 1).hint_cost(30);
    let run = async |script: &[(u64, Option<u64>)], throttle: &RetryThrottle, total: u64| {
        let script = Mutex::new(script.iter().rev().copied().collect());
        let starts = Mutex::default();
        let error = f(&script, &starts, Instant::now(), throttle, ms(total)).await.unwrap_err();
        (starts.into_inner().unwrap(), error.end(), error.retry_after())
    };
    // The second fails at 60 with a hint of 500 ms; the first fails at 100, with none: the hint holds.
    let (starts, ..) = run(&[(100, None), (10, Some(500))], &full, 1000).await;
    assert_eq!(starts, [0, 50, 560, 560]);
    // One that is too long is not forgotten when the last one that runs fails.
    let (starts, end, hint) = run(&[(100, None), (10, Some(5000))], &full, 1000).await;
    assert_eq!((starts, end), (vec![0, 50], (2, ms(100), Reason::RetryAfterTooLong)));
    assert_eq!(hint, Some(ms(4960)));
    // A denied attempt is asked for again when the hint is over, at the price of a hint.
    let throttle = RetryThrottle::tokens(40, 20, 1).hint_cost(30);
    let (starts, ..) = run(&[(2000, None), (10, Some(500))], &throttle, 1000).await;
    assert_eq!((starts, throttle.available()), (vec![0, 50], 1));
}

#[tokio::test(start_paused = true)]
async fn hints_are_spread() {
    #[retry(total = "10s", attempts = 2, hedge = "50ms", on = ConnectionError, retry_after = |_| Some(secs(1)))]
    async fn f(server: &Server) -> Fetched {
        server.call().await
    }
    let mut waits = Vec::new();
    for _ in 0..20 {
        let server = Server::new([Step::Fail, Step::Succeed]);
        waits.push(timed(f(&server)).await.1);
    }
    assert!(waits.iter().all(|wait| (secs(1)..=ms(1101)).contains(wait)), "{waits:?}");
    waits.dedup();
    assert!(waits.len() > 10);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_held_when_the_call_has_ended() {
    use retry_runtime::{Policy, PolicyExt};
    #[retry(total = "200ms", attempts = 2, hedge = "50ms", breaker = breaker, on = ConnectionError, fallback = async |_| {
        let free = [breaker.try_acquire(), breaker.try_acquire()];
        assert!(free.iter().all(Result::is_ok));
        Ok(0)
    })]
    async fn f(server: &Server, breaker: &CircuitBreaker) -> Result<u32, ConnectionError> {
        server.call().await
    }
    let half_open = async || {
        let breaker = CircuitBreaker::consecutive(1, secs(1)).probes(2);
        breaker.try_acquire().unwrap().failure();
        sleep(secs(1)).await;
        breaker
    };
    let breaker = half_open().await;
    Deadline::within(ms(100)).scope(f(&Server::hung(), &breaker)).await.unwrap();
    // A future that is kept after it has answered.
    const POLICY: Policy = Policy::builder().total(secs(1)).attempts(3).build();
    let breaker = half_open().await;
    let throttle = RetryThrottle::tokens(30, 10, 1);
    let server = Server::new([Step::Hang, Step::SucceedAfter(10)]);
    let mut run =
        std::pin::pin!(POLICY.run(|| server.call()).breaker(&breaker).throttle(&throttle).hedge(ms(50)));
    assert_eq!(run.as_mut().await.unwrap(), 2);
    assert_eq!((server.open(), throttle.available()), (0, 3));
    assert!(breaker.try_acquire().is_ok());
    let server = Server::new([Step::SucceedAfter(60), Step::Hang]);
    let mut run = std::pin::pin!(POLICY.run(|| server.call()).when_ok(|_| true).hedge(ms(50)));
    assert_eq!(run.as_mut().await.unwrap(), 1);
    assert_eq!(server.open(), 0);
}

#[tokio::test(start_paused = true)]
async fn one_that_spends_the_tasks_budget_does_not_starve_the_others() {
    #[retry(total = "1s", attempts = 2, hedge = "50ms", on = ConnectionError)]
    async fn f(busy: &tokio::sync::Semaphore) -> Fetched {
        if Attempt::current().unwrap().is_retry() {
            sleep(ms(10)).await;
            return Ok(2);
        }
        loop {
            drop(busy.acquire().await);
            // Some time has to pass: the paused clock stands still while the task is busy.
            tokio::time::advance(ms(1)).await;
        }
    }
    let (answer, elapsed) = timed(f(&tokio::sync::Semaphore::new(1))).await;
    assert_eq!(answer.unwrap(), 2);
    assert!(elapsed < ms(200), "{elapsed:?}");
}

#[tokio::test(start_paused = true)]
async fn unlimited_attempts_of_a_policy_do_not_follow_at_once() {
    use retry_runtime::Policy;
    const POLICY: Policy = Policy::builder().total(ms(200)).per_attempt(ms(100)).unlimited_attempts().build();
    #[retry(policy = POLICY, hedge = "20ms", on = ConnectionError)]
    async fn f(server: &Server) -> Fetched {
        server.call().await
    }
    let server = Server::failing();
    let error = f(&server).await.unwrap_err();
    assert_eq!((error.attempts(), server.starts()), (10, vec![0, 20, 40, 60, 80, 100, 120, 140, 160, 180]));
}

#[tokio::test(start_paused = true)]
async fn a_backoff_of_none_says_what_is_so_anyway() {
    #[retry(total = "none", per_attempt = "100ms", attempts = 2, hedge = "50ms", backoff = "none", on = ConnectionError)]
    async fn f(server: &Server) -> Fetched {
        server.call().await
    }
    let server = Server::hung();
    assert_eq!(f(&server).await.unwrap_err().end(), (2, ms(150), Reason::AttemptsExhausted));
    assert_eq!(server.starts(), [0, 50]);
}
