//! What counts and what does not; the breaker itself is tested in `breaker_by_hand`.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use retry_runtime::{CircuitBreaker, CircuitState, Deadline, Policy, PolicyExt, Reason, RetryError, retry};
use tokio::time::{sleep, timeout};

use crate::support::*;

type Fetched = Result<u32, RetryError<ConnectionError>>;

#[tokio::test(start_paused = true)]
async fn of_ten_waiting_callers_one_is_the_probe() {
    static B: CircuitBreaker = CircuitBreaker::consecutive(1, secs(1));
    static CALLS: AtomicU32 = AtomicU32::new(0);
    #[retry(attempts = 1, breaker = B, on = ConnectionError)]
    async fn f(ok: bool) -> Result<(), RetryError<ConnectionError>> {
        CALLS.fetch_add(1, SeqCst);
        sleep(ms(100)).await;
        if ok { Ok(()) } else { Err(ConnectionError) }
    }
    f(false).await.unwrap_err();
    sleep(secs(1)).await;
    CALLS.store(0, SeqCst);
    let calls: Vec<_> = (0..10).map(|_| tokio::spawn(f(true))).collect();
    let mut ok = 0;
    for call in calls {
        match call.await.unwrap() {
            Ok(()) => ok += 1,
            Err(error) => {
                assert_eq!(error.end(), (0, ms(0), Reason::CircuitOpen));
                assert_eq!(error.retry_after(), None);
            }
        }
    }
    assert_eq!((ok, CALLS.load(SeqCst)), (1, 1));
    assert_eq!(B.state(), CircuitState::Closed);
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_is_dropped_or_panics_gives_its_slot_back() {
    static B: CircuitBreaker = CircuitBreaker::consecutive(1, secs(1));
    #[retry(attempts = 1, breaker = B, on = ConnectionError)]
    async fn f(mode: u8) -> Result<(), RetryError<ConnectionError>> {
        match mode {
            0 => Err(ConnectionError),
            1 => std::future::pending().await,
            2 => panic!("probe"),
            _ => Ok(()),
        }
    }
    f(0).await.unwrap_err();
    sleep(secs(1)).await;
    assert!(timeout(ms(10), f(1)).await.is_err());
    assert!(tokio::spawn(f(2)).await.is_err());
    f(3).await.unwrap();
    assert_eq!(B.state(), CircuitState::Closed);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_opens_it_stops_at_once_and_keeps_its_error() {
    static B: CircuitBreaker = CircuitBreaker::consecutive(2, secs(60));
    #[retry(attempts = 5, backoff = "100ms", jitter = "none", breaker = B, on = ConnectionError)]
    async fn f(server: &Server) -> Fetched {
        server.call().await
    }
    let server = Server::failing();
    let error = f(&server).await.unwrap_err();
    assert_eq!(error.end(), (2, ms(100), Reason::CircuitOpen));
    assert_eq!(error.last(), Some(&ConnectionError));
    assert_eq!(error.retry_after(), Some(secs(60)));
    assert!(!error.timed_out());
    sleep(secs(10)).await;
    let error = f(&server).await.unwrap_err();
    assert_eq!(error.end(), (0, ms(0), Reason::CircuitOpen));
    assert_eq!((error.last(), error.retry_after()), (None, Some(secs(50))));
    assert_eq!(error.to_string(), "gave up before the first attempt: the circuit breaker is open");
    assert!(std::error::Error::source(&error).is_none());
    assert_eq!(server.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn one_that_another_call_opens_during_the_wait_stops_the_call_after_it() {
    let breaker = CircuitBreaker::consecutive(2, secs(60));
    #[retry(attempts = 5, backoff = "100ms", jitter = "none", breaker = breaker, on = ConnectionError)]
    async fn f(server: &Server, breaker: &CircuitBreaker) -> Fetched {
        server.call().await
    }
    let server = Server::failing();
    let (error, ()) = tokio::join!(f(&server, &breaker), async {
        sleep(ms(50)).await;
        breaker.force_open();
    });
    let error = error.unwrap_err();
    assert_eq!(error.end(), (1, ms(100), Reason::CircuitOpen));
    assert_eq!((error.last(), error.retry_after()), (Some(&ConnectionError), None));
    assert_eq!(server.calls(), 1);
}

/// Attempts until the breaker, which opens after so many, is open.
macro_rules! opens_after {
    ($failures:expr, [$($key:tt)*], $server:expr, $around:expr) => {{
        let breaker = CircuitBreaker::consecutive($failures, secs(60));
        #[retry($($key)*, breaker = breaker, on = ConnectionError)]
        async fn f(server: &Server, breaker: &CircuitBreaker) -> Fetched {
            server.call().await
        }
        let server = $server;
        let call = f(&server, &breaker);
        let around: fn(_) -> _ = $around;
        _ = around(call).await;
        breaker.state() == CircuitState::Open
    }};
}

#[tokio::test(start_paused = true)]
async fn attempts_cut_by_their_limit_or_by_the_own_total_count_once_each() {
    // Three attempts, cut at 100 ms each.
    assert!(opens_after!(3, [per_attempt = "100ms", attempts = 3], Server::hung(), |call| call));
    assert!(!opens_after!(4, [per_attempt = "100ms", attempts = 3], Server::hung(), |call| call));
    // Cut by the total.
    assert!(opens_after!(1, [total = "100ms", per_attempt = "none"], Server::hung(), |call| call));
    assert!(!opens_after!(2, [total = "100ms", per_attempt = "none"], Server::hung(), |call| call));
    // By a share of it.
    assert!(opens_after!(3, [total = "3s", attempts = 3, backoff = "none"], Server::hung(), |call| call));
}

#[tokio::test(start_paused = true)]
async fn a_caller_in_a_hurry_does_not_open_it_for_all() {
    fn hurried<F: Future>(call: F) -> impl Future<Output = F::Output> {
        Deadline::within(ms(50)).scope(call)
    }
    assert!(!opens_after!(1, [attempts = 1], Server::hung(), hurried));
    // The shares of a short deadline are short.
    assert!(!opens_after!(1, [attempts = 3], Server::hung(), hurried));
    assert!(!opens_after!(1, [per_attempt = "50ms", attempts = 3], Server::hung(), hurried));
    // A limit that is the call's own counts under it as well.
    assert!(opens_after!(1, [per_attempt = "20ms", attempts = 3], Server::hung(), hurried));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_counts_as_nothing() {
    let dropped = opens_after!(1, [attempts = 3], Server::hung(), |call| timeout(ms(50), call));
    assert!(!dropped);
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_errors_are_answers() {
    static B: CircuitBreaker = CircuitBreaker::consecutive(2, secs(60));
    #[retry(attempts = 1, breaker = B, on = StoreError::Connection(_))]
    async fn f(missing: bool) -> Result<(), StoreError> {
        if missing { Err(Missing)? } else { Err(ConnectionError)? }
    }
    // Each answer starts the count anew.
    for _ in 0..3 {
        f(false).await.unwrap_err();
        f(true).await.unwrap_err();
    }
    assert_eq!(B.state(), CircuitState::Closed);
    f(false).await.unwrap_err();
    f(false).await.unwrap_err();
    assert_eq!(B.state(), CircuitState::Open);
}

#[tokio::test(start_paused = true)]
async fn a_value_worth_another_attempt_counts_as_a_failure() {
    static B: CircuitBreaker = CircuitBreaker::consecutive(2, secs(60));
    #[retry(attempts = 5, backoff = "100ms", jitter = "none", breaker = B, when_ok = |status: &u32| *status == 503)]
    async fn f(calls: &AtomicU32) -> Result<u32, RetryError<ConnectionError>> {
        calls.fetch_add(1, SeqCst);
        Ok(503)
    }
    let calls = AtomicU32::new(0);
    assert_eq!(f(&calls).await.unwrap(), 503);
    assert_eq!((calls.load(SeqCst), B.state()), (2, CircuitState::Open));
    assert_eq!(f(&calls).await.unwrap_err().reason(), Reason::CircuitOpen);
}

#[tokio::test(start_paused = true)]
async fn a_give_up_inside_counts_unless_it_says_nothing_about_the_server() {
    #[retry(attempts = 2, backoff = "none", on = ConnectionError)]
    async fn inner(server: &Server) -> Fetched {
        server.call().await
    }
    #[retry(attempts = 2, backoff = "none", breaker = inner_breaker, on = ConnectionError)]
    async fn refused(server: &Server, inner_breaker: &CircuitBreaker) -> Fetched {
        server.call().await
    }
    #[retry(attempts = 3, breaker = breaker, on = ConnectionError)]
    async fn outer(server: &Server, breaker: &CircuitBreaker) -> Result<u32, RetryError> {
        Ok(inner(server).await?)
    }
    #[retry(attempts = 3, breaker = breaker, on = ConnectionError)]
    async fn outer_of_refused(
        server: &Server,
        breaker: &CircuitBreaker,
        open: &CircuitBreaker,
    ) -> Result<u32, RetryError> {
        Ok(refused(server, open).await?)
    }
    let server = Server::failing();
    let breaker = CircuitBreaker::consecutive(1, secs(60));
    assert_eq!(outer(&server, &breaker).await.unwrap_err().reason(), Reason::InnerGaveUp);
    assert_eq!(breaker.state(), CircuitState::Open);
    let (breaker, open) =
        (CircuitBreaker::consecutive(1, secs(60)), CircuitBreaker::consecutive(1, secs(60)));
    open.force_open();
    let error = outer_of_refused(&server, &breaker, &open).await.unwrap_err();
    assert_eq!((error.reason(), breaker.state()), (Reason::InnerGaveUp, CircuitState::Closed));
}

#[tokio::test(start_paused = true)]
async fn the_deadline_is_named_before_the_breaker() {
    static B: CircuitBreaker = CircuitBreaker::consecutive(1, secs(60));
    B.force_open();
    #[retry(attempts = 3, breaker = B, on = ConnectionError)]
    async fn f(server: &Server) -> Fetched {
        server.call().await
    }
    let server = Server::ready();
    let error = Deadline::within(ms(0)).scope(f(&server)).await.unwrap_err();
    assert_eq!(error.end(), (0, ms(0), Reason::InheritedDeadline));
    let error = Deadline::within(secs(1)).scope(f(&server)).await.unwrap_err();
    assert_eq!(error.end(), (0, ms(0), Reason::CircuitOpen));
    assert_eq!(server.calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn attempts_used_up_is_named_before_the_breaker() {
    static B: CircuitBreaker = CircuitBreaker::consecutive(1, secs(60));
    #[retry(attempts = 1, breaker = B, on = ConnectionError)]
    async fn f(server: &Server) -> Fetched {
        server.call().await
    }
    let error = f(&Server::failing()).await.unwrap_err();
    assert_eq!((error.reason(), B.state()), (Reason::AttemptsExhausted, CircuitState::Open));
}

#[tokio::test(start_paused = true)]
async fn a_rate_counts_successes_too() {
    static B: CircuitBreaker = CircuitBreaker::rate(50, 4, secs(10), secs(60));
    #[retry(attempts = 1, breaker = B, on = ConnectionError)]
    async fn f(server: &Server) -> Fetched {
        server.call().await
    }
    for script in [Step::Succeed, Step::SucceedAfter(10), Step::Fail] {
        _ = f(&Server::new([script])).await;
    }
    assert_eq!(B.state(), CircuitState::Closed);
    f(&Server::failing()).await.unwrap_err();
    assert_eq!(B.state(), CircuitState::Open);
}

#[tokio::test(start_paused = true)]
async fn a_static_a_field_an_arc_and_a_lazy_one() {
    static LAZY: LazyLock<CircuitBreaker> = LazyLock::new(|| CircuitBreaker::consecutive(1, secs(60)));
    struct Client {
        breaker: CircuitBreaker,
        shared: Arc<CircuitBreaker>,
        calls: u32,
    }
    #[retry(attempts = 3, backoff = "none", breaker = self.breaker, on = ConnectionError)]
    impl Client {
        async fn own(&self, server: &Server) -> Fetched {
            server.call().await
        }
        #[retry(attempts = 3, backoff = "none", breaker = self.shared.clone(), on = ConnectionError)]
        async fn exclusive(&mut self, server: &Server) -> Fetched {
            self.calls += 1;
            server.call().await
        }
        #[retry(attempts = 3, backoff = "none", breaker = &self.shared, on = ConnectionError)]
        async fn shared(&self, server: &Server) -> Fetched {
            server.call().await
        }
    }
    #[retry(attempts = 3, backoff = "none", breaker = LAZY, on = ConnectionError)]
    async fn lazy(server: &Server) -> Fetched {
        server.call().await
    }
    #[retry(attempts = 3, backoff = "none", breaker = &LAZY, on = ConnectionError)]
    async fn borrowed(server: &Server) -> Fetched {
        server.call().await
    }
    let mut client = Client {
        breaker: CircuitBreaker::consecutive(1, secs(60)),
        shared: Arc::new(CircuitBreaker::consecutive(2, secs(60))),
        calls: 0,
    };
    let server = Server::failing();
    assert_eq!(client.own(&server).await.unwrap_err().end(), (1, ms(0), Reason::CircuitOpen));
    assert_eq!(client.exclusive(&server).await.unwrap_err().end(), (2, ms(0), Reason::CircuitOpen));
    assert_eq!(client.shared(&server).await.unwrap_err().end(), (0, ms(0), Reason::CircuitOpen));
    assert_eq!(lazy(&server).await.unwrap_err().end(), (1, ms(0), Reason::CircuitOpen));
    assert_eq!(borrowed(&server).await.unwrap_err().end(), (0, ms(0), Reason::CircuitOpen));
    assert_eq!((server.calls(), client.calls), (4, 2));
}

#[tokio::test(start_paused = true)]
async fn state_is_what_the_user_names_also_in_a_generic_function() {
    trait Service {
        async fn get(&self) -> Result<u32, ConnectionError>;
    }
    struct Broken;
    struct Healthy;
    impl Service for Broken {
        async fn get(&self) -> Result<u32, ConnectionError> {
            Err(ConnectionError)
        }
    }
    impl Service for Healthy {
        async fn get(&self) -> Result<u32, ConnectionError> {
            Ok(1)
        }
    }
    static B: CircuitBreaker = CircuitBreaker::consecutive(1, secs(1));
    #[retry(attempts = 1, breaker = B, on = ConnectionError)]
    async fn call<S: Service>(service: &S) -> Fetched {
        service.get().await
    }
    call(&Broken).await.unwrap_err();
    assert_eq!(call(&Healthy).await.unwrap_err().reason(), Reason::CircuitOpen);
}

#[tokio::test(start_paused = true)]
async fn the_same_without_the_attribute() {
    const POLICY: Policy = Policy::builder().attempts(5).no_backoff().build();
    static B: CircuitBreaker = CircuitBreaker::consecutive(2, secs(60));
    let shared = Arc::new(CircuitBreaker::consecutive(3, secs(60)));
    let server = Server::failing();
    let error = POLICY.run(|| server.call()).breaker(&B).await.unwrap_err();
    assert_eq!(error.end(), (2, ms(0), Reason::CircuitOpen));
    let error = POLICY.run(|| server.call()).breaker(&shared).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(0), Reason::CircuitOpen));
    // It may be the last one that keeps it alive, and go to another task.
    let run = POLICY.run(|| async { Err::<u32, _>(ConnectionError) }).when(|_| true).breaker(shared);
    assert_eq!(tokio::spawn(run).await.unwrap().unwrap_err().end(), (0, ms(0), Reason::CircuitOpen));
    sleep(secs(60)).await;
    let answer = POLICY.run(|| async { Ok::<_, ConnectionError>(7) }).breaker(&B).await;
    assert_eq!((answer.unwrap(), B.state()), (7, CircuitState::Closed));
}

#[tokio::test(start_paused = true)]
async fn the_fallback_answers_for_an_open_one() {
    static B: CircuitBreaker = CircuitBreaker::consecutive(1, secs(60));
    B.force_open();
    #[retry(breaker = B, on = ConnectionError, fallback = |give_up| {
        assert_eq!(give_up.reason(), Reason::CircuitOpen);
        Ok(42)
    })]
    async fn f(server: &Server) -> Result<u32, ConnectionError> {
        server.call().await
    }
    assert_eq!(f(&Server::ready()).await, Ok(42));
}

#[tokio::test(start_paused = true)]
async fn probes_run_one_after_the_other_until_enough_have_succeeded() {
    let breaker = CircuitBreaker::consecutive(1, secs(1)).probes(2);
    #[retry(attempts = 1, breaker = breaker, on = ConnectionError)]
    async fn f(server: &Server, breaker: &CircuitBreaker) -> Fetched {
        server.call().await
    }
    let after = async |time: Duration, step: Step| {
        sleep(time).await;
        _ = f(&Server::new([step]), &breaker).await;
        breaker.state()
    };
    assert_eq!(after(ms(0), Step::Fail).await, CircuitState::Open);
    assert_eq!(after(secs(1), Step::Succeed).await, CircuitState::HalfOpen);
    assert_eq!(after(ms(0), Step::Fail).await, CircuitState::Open);
    assert_eq!(after(secs(1), Step::Succeed).await, CircuitState::HalfOpen);
    assert_eq!(after(ms(0), Step::Succeed).await, CircuitState::Closed);
}
