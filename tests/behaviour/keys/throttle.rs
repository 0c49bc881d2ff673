//! When a call pays and when it is paid back; the throttle itself is tested in `throttle_by_hand`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use retry_runtime::{CircuitBreaker, Policy, PolicyExt, Reason, RetryError, RetryThrottle, retry};
use tokio::time::timeout;

use crate::support::*;

type Fetched = Result<u32, RetryError<ConnectionError>>;

#[tokio::test(start_paused = true)]
async fn sixty_percent_are_sixty_percent() {
    static W: RetryThrottle = RetryThrottle::ratio(60, 0);
    static CALLS: AtomicU32 = AtomicU32::new(0);
    #[retry(attempts = 20, backoff = "none", throttle = W, on = ConnectionError)]
    async fn f(ok: bool) -> Result<(), RetryError<ConnectionError>> {
        CALLS.fetch_add(1, SeqCst);
        if ok { Ok(()) } else { Err(ConnectionError) }
    }
    for _ in 0..10 {
        f(true).await.unwrap();
    }
    CALLS.store(0, SeqCst);
    let error = f(false).await.unwrap_err();
    assert_eq!(
        (error.reason(), error.attempts(), error.last()),
        (Reason::Throttled, 7, Some(&ConnectionError))
    );
    assert_eq!(
        error.to_string(),
        "gave up after 7 attempts in 0ms: the retry throttle grants no more retries"
    );
    assert_eq!(CALLS.load(SeqCst), 1 + 6);
}

#[tokio::test(start_paused = true)]
async fn one_without_a_retry_left_gives_up_without_a_wait() {
    let throttle = RetryThrottle::tokens(10, 5, 1);
    #[retry(attempts = 9, backoff = "100ms", jitter = "none", throttle = throttle, on = ConnectionError)]
    async fn f(server: &Server, throttle: &RetryThrottle) -> Fetched {
        server.call().await
    }
    let server = Server::failing();
    assert_eq!(f(&server, &throttle).await.unwrap_err().end(), (3, ms(300), Reason::Throttled));
    // The first attempt is always free.
    assert_eq!(f(&server, &throttle).await.unwrap_err().end(), (1, ms(0), Reason::Throttled));
    assert_eq!(server.starts(), [0, 100, 300, 300]);
}

#[tokio::test(start_paused = true)]
async fn what_a_success_pays_back() {
    let throttle = RetryThrottle::tokens(30, 14, 1).hint_cost(5);
    #[retry(attempts = 3, backoff = "none", throttle = throttle, on = ConnectionError, retry_after = |_| hint)]
    async fn f(server: &Server, throttle: &RetryThrottle, hint: Option<std::time::Duration>) -> Fetched {
        server.call().await
    }
    let tokens = || {
        // As many as retries at 1 each would be.
        let text = format!("{throttle:?}");
        let (_, tokens) = text.split_once("tokens: ").unwrap();
        tokens.split(',').next().unwrap().parse::<u32>().unwrap()
    };
    let twice = [Step::Fail, Step::Fail, Step::Succeed];
    f(&Server::new(twice), &throttle, None).await.unwrap();
    assert_eq!(tokens(), 16); // 30 - 14 - 14 + 14
    f(&Server::new(twice), &throttle, Some(ms(1))).await.unwrap();
    assert_eq!(tokens(), 11); // - 5 - 5 + 5
    f(&Server::ready(), &throttle, None).await.unwrap();
    assert_eq!(tokens(), 12);
    assert_eq!(
        f(&Server::failing(), &throttle, Some(ms(1))).await.unwrap_err().reason(),
        Reason::AttemptsExhausted
    );
    assert_eq!(tokens(), 2); // a call that fails gets nothing back
    assert_eq!(
        f(&Server::failing(), &throttle, Some(ms(1))).await.unwrap_err().end(),
        (1, ms(0), Reason::Throttled)
    );
    assert_eq!(tokens(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_retry_that_is_not_made_costs_nothing() {
    let throttle = RetryThrottle::tokens(10, 10, 1);
    #[retry(attempts = 3, backoff = "1s", jitter = "none", throttle = throttle, on = ConnectionError)]
    async fn f(server: &Server, throttle: &RetryThrottle) -> Fetched {
        server.call().await
    }
    let server = Server::new([Step::Fail, Step::Fail, Step::Hang]);
    // Dropped during the wait.
    assert!(timeout(ms(500), f(&server, &throttle)).await.is_err());
    assert_eq!((server.calls(), throttle.available()), (1, 1));
    let mut call = Box::pin(f(&server, &throttle));
    assert!(timeout(ms(500), &mut call).await.is_err());
    assert_eq!(throttle.available(), 0, "nobody else may take it");
    // The attempt starts: it is spent, also when it is dropped then.
    assert!(timeout(ms(501), &mut call).await.is_err());
    assert_eq!(server.calls(), 3);
    drop(call);
    assert_eq!(throttle.available(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_breaker_that_is_open_leaves_the_throttle_alone() {
    let throttle = RetryThrottle::tokens(10, 10, 1);
    let breaker = CircuitBreaker::consecutive(1, secs(60));
    #[retry(attempts = 3, backoff = "1s", throttle = throttle, breaker = breaker, on = ConnectionError)]
    async fn f(server: &Server, throttle: &RetryThrottle, breaker: &CircuitBreaker) -> Fetched {
        server.call().await
    }
    let error = f(&Server::failing(), &throttle, &breaker).await.unwrap_err();
    assert_eq!((error.end(), throttle.available()), ((1, ms(0), Reason::CircuitOpen), 1));
    // Opened by another call during the wait.
    breaker.reset();
    let breaker = CircuitBreaker::consecutive(2, secs(60));
    let server = Server::failing();
    let (error, ()) = tokio::join!(f(&server, &throttle, &breaker), async {
        tokio::time::sleep(ms(100)).await;
        breaker.force_open();
    });
    assert_eq!((error.unwrap_err().reason(), throttle.available()), (Reason::CircuitOpen, 1));
}

#[tokio::test(start_paused = true)]
async fn limits_that_strike_first_leave_it_alone() {
    let throttle = RetryThrottle::tokens(10, 10, 1);
    #[retry(attempts = 2, backoff = "none", throttle = throttle, on = ConnectionError)]
    async fn f(server: &Server, throttle: &RetryThrottle) -> Fetched {
        server.call().await
    }
    let server = Server::failing();
    assert_eq!(f(&server, &throttle).await.unwrap_err().end(), (2, ms(0), Reason::AttemptsExhausted));
    assert_eq!(f(&server, &throttle).await.unwrap_err().end(), (1, ms(0), Reason::Throttled));
    #[retry(throttle = throttle, on = ConnectionError, retry_after = |_| Some(secs(3600)))]
    async fn told(server: &Server, throttle: &RetryThrottle) -> Fetched {
        server.call().await
    }
    let full = RetryThrottle::tokens(10, 10, 1);
    assert_eq!(told(&server, &full).await.unwrap_err().reason(), Reason::RetryAfterTooLong);
    assert_eq!(full.available(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_arc_on_a_block_and_without_the_attribute() {
    struct Client {
        throttle: Arc<RetryThrottle>,
    }
    #[retry(attempts = 9, backoff = "none", throttle = self.throttle.clone(), on = ConnectionError)]
    impl Client {
        async fn get(&mut self, server: &Server) -> Fetched {
            server.call().await
        }
    }
    const POLICY: Policy = Policy::builder().attempts(9).no_backoff().build();
    let throttle = Arc::new(RetryThrottle::tokens(30, 10, 1));
    let server = Server::failing();
    let mut client = Client { throttle: Arc::clone(&throttle) };
    assert_eq!(client.get(&server).await.unwrap_err().end(), (4, ms(0), Reason::Throttled));
    let run = POLICY.run(|| server.call()).throttle(throttle);
    assert_eq!(run.await.unwrap_err().end(), (1, ms(0), Reason::Throttled));
}
