//! No overflow and no panic, for any duration and any number of attempts; jitter stays in its bounds.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use retry_runtime::{Deadline, Reason, RetryError, retry};
use tokio::time::Instant;

use crate::support::*;

const FOR_EVER: Duration = Duration::MAX;

#[tokio::test(start_paused = true)]
async fn two_hundred_capped_waits_do_not_overflow() {
    #[retry(
        total = "1h",
        attempts = 200,
        backoff = "10ms",
        max_backoff = "10ms",
        jitter = "none",
        on = ConnectionError
    )]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::failing()).await.unwrap_err();
    assert_eq!(error.end(), (200, ms(1990), Reason::AttemptsExhausted));
}

#[tokio::test(start_paused = true)]
async fn no_jitter_exceeds_the_longest_backoff() {
    #[retry(
        total = "30d",
        attempts = 300,
        backoff = "500ms",
        max_backoff = "500ms",
        jitter = "full",
        on = ConnectionError
    )]
    async fn full(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(
        total = "30d",
        attempts = 300,
        backoff = "500ms",
        max_backoff = "500ms",
        jitter = "equal",
        on = ConnectionError
    )]
    async fn equal(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(
        total = "30d",
        attempts = 300,
        backoff = "500ms",
        max_backoff = "500ms",
        jitter = "none",
        on = ConnectionError
    )]
    async fn none(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    // The timer rounds up to the next millisecond, hence 501.
    let server = Server::failing();
    full(&server).await.unwrap_err();
    let gaps = server.gaps();
    assert!(gaps.len() == 299 && gaps.iter().all(|gap| *gap <= ms(501)), "{gaps:?}");
    assert!(gaps.iter().any(|gap| *gap < ms(100)) && gaps.iter().any(|gap| *gap > ms(400)), "{gaps:?}");

    let server = Server::failing();
    equal(&server).await.unwrap_err();
    let gaps = server.gaps();
    assert!(gaps.iter().all(|gap| (ms(250)..=ms(501)).contains(gap)), "{gaps:?}");
    assert!(gaps.iter().any(|gap| *gap < ms(300)) && gaps.iter().any(|gap| *gap > ms(450)), "{gaps:?}");

    let server = Server::failing();
    none(&server).await.unwrap_err();
    assert!(server.gaps().iter().all(|gap| *gap == ms(500)), "{:?}", server.gaps());
}

#[tokio::test(start_paused = true)]
async fn jitter_is_not_fed_back_into_the_next_wait() {
    #[retry(total = "1h", attempts = 8, backoff = "100ms", max_backoff = "1m", on = ConnectionError)]
    async fn equal(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    for _ in 0..20 {
        let server = Server::failing();
        equal(&server).await.unwrap_err();
        for (doublings, gap) in server.gaps().into_iter().enumerate() {
            let backoff = ms(100 << doublings);
            assert!((backoff / 2..=backoff + ms(1)).contains(&gap), "{doublings}: {gap:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn two_calls_and_two_tasks_draw_differently() {
    #[retry(total = "1h", attempts = 4, backoff = "10s", max_backoff = "1m", jitter = "full", on = ConnectionError)]
    async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
        Err(ConnectionError)
    }
    let one_after_another = [fetch().await.unwrap_err().elapsed(), fetch().await.unwrap_err().elapsed()];
    assert_ne!(one_after_another[0], one_after_another[1]);

    let (a, b) = (tokio::spawn(fetch()), tokio::spawn(fetch()));
    let (a, b) = (a.await.unwrap().unwrap_err(), b.await.unwrap().unwrap_err());
    assert_ne!(a.elapsed(), b.elapsed());
}

#[tokio::test(start_paused = true)]
async fn zero_and_tiny_waits_do_not_panic() {
    #[retry(attempts = 3, backoff = ms(0), jitter = "full", on = ConnectionError)]
    async fn zero() -> Result<(), RetryError<ConnectionError>> {
        Err(ConnectionError)
    }
    #[retry(attempts = 3, backoff = "1ns", jitter = "full", on = ConnectionError)]
    async fn tiny() -> Result<(), RetryError<ConnectionError>> {
        Err(ConnectionError)
    }
    #[retry(attempts = 3, backoff = "1ns", jitter = "equal", on = ConnectionError)]
    async fn halved() -> Result<(), RetryError<ConnectionError>> {
        Err(ConnectionError)
    }
    assert_eq!(zero().await.unwrap_err().end(), (3, ms(0), Reason::AttemptsExhausted));
    for error in [tiny().await.unwrap_err(), halved().await.unwrap_err()] {
        assert_eq!(error.attempts(), 3);
        assert!(error.elapsed() <= ms(2), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_longest_durations_are_no_limit() {
    #[retry(
        total = FOR_EVER,
        per_attempt = FOR_EVER,
        max_backoff = FOR_EVER,
        margin = ms(0),
        on = ConnectionError
    )]
    async fn patient(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::new([Step::FailAfter(86_400_000), Step::SucceedAfter(86_400_000)]);
    assert_eq!(patient(&server).await.unwrap(), 2);
    assert_eq!(patient(&Server::failing()).await.unwrap_err().reason(), Reason::AttemptsExhausted);
}

#[tokio::test(start_paused = true)]
async fn a_wait_as_long_as_the_universe_is_shortened_to_the_total() {
    #[retry(total = "1s", backoff = FOR_EVER, max_backoff = FOR_EVER, jitter = "equal", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.reason(), Reason::TotalElapsed);
    assert!(error.elapsed() <= ms(1000) && server.calls() == 2, "{error}");
}

#[tokio::test(start_paused = true)]
async fn any_factor_is_survived() {
    #[retry(total = "1h", attempts = 40, backoff = "1ms", factor = factor, jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server, factor: f64) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    for factor in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 0.0, -1.0, 1e-300, 1e300] {
        let server = Server::failing();
        let error = fetch(&server, factor).await.unwrap_err();
        assert_eq!(error.end().0, 40, "{factor}");
        assert!(
            server.gaps().iter().all(|gap| (ms(1)..=ms(5000)).contains(gap)),
            "{factor}: {:?}",
            server.gaps()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn impossible_values_at_run_time_are_clamped() {
    #[derive(Clone, Copy)]
    struct Config {
        total: Duration,
        per_attempt: Duration,
        attempts: i64,
        backoff: Duration,
        max_backoff: Duration,
        min_attempt: Duration,
        margin: Duration,
    }
    #[retry(
        total = config.total,
        per_attempt = config.per_attempt,
        attempts = config.attempts,
        backoff = config.backoff,
        max_backoff = config.max_backoff,
        min_attempt = config.min_attempt,
        margin = config.margin,
        on = ConnectionError
    )]
    async fn fetch(server: &Server, config: Config) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let durations = [Duration::ZERO, Duration::from_nanos(1), ms(10), secs(1), FOR_EVER];
    // Every pair of values in every pair of neighbouring keys; the others stay harmless.
    let harmless = Config {
        total: secs(2),
        per_attempt: ms(50),
        attempts: 4,
        backoff: ms(10),
        max_backoff: ms(20),
        min_attempt: ms(1),
        margin: ms(1),
    };
    let set: [fn(&mut Config, Duration); 6] = [
        |config, value| config.total = value,
        |config, value| config.per_attempt = value,
        |config, value| config.backoff = value,
        |config, value| config.max_backoff = value,
        |config, value| config.min_attempt = value,
        |config, value| config.margin = value,
    ];
    let mut calls = 0;
    for (i, first) in set.iter().enumerate() {
        for second in &set[i..] {
            for a in durations {
                for b in durations {
                    for attempts in [i64::MIN, 0, 1, 4] {
                        let mut config = Config { attempts, ..harmless };
                        first(&mut config, a);
                        second(&mut config, b);
                        let (start, server) = (Instant::now(), Server::new([Step::Fail, Step::Hang]));
                        // The scope keeps the pairs without any limit of their own finite.
                        let call = Deadline::within(secs(5)).scope(fetch(&server, config));
                        call.await.unwrap_err();
                        assert!(start.elapsed() <= secs(5) + ms(1));
                        calls += 1;
                    }
                }
            }
        }
    }
    assert_eq!(calls, 21 * 25 * 4);
}

#[tokio::test(start_paused = true)]
async fn attempts_beyond_any_count_are_no_panic() {
    #[retry(total = "1s", attempts = attempts, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server, attempts: u64) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    // The share of four thousand million attempts would be nothing, so the shortest attempt counts.
    let server = Server::hung();
    let error = fetch(&server, u64::MAX).await.unwrap_err();
    assert_eq!(error.reason(), Reason::TotalElapsed);
    assert!((900..=1000).contains(&error.attempts()), "{error}");
    assert_eq!(fetch(&Server::failing(), 0).await.unwrap_err().attempts(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_endless_hint_is_too_long_or_never_comes() {
    fn hint(_: &ConnectionError) -> Option<Duration> {
        Some(FOR_EVER)
    }
    #[retry(jitter = "equal", retry_after = hint, on = ConnectionError)]
    async fn limited(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "none", per_attempt = "1s", retry_after = hint, on = ConnectionError)]
    async fn background(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = limited(&Server::failing()).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(0), Reason::RetryAfterTooLong));
    assert_eq!(error.retry_after(), Some(FOR_EVER));

    let server = Server::failing();
    let patience = tokio::time::timeout(secs(86_400), background(&server)).await;
    assert!(patience.is_err(), "a hint must be waited for: {patience:?}");
    assert_eq!(server.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn deadlines_at_the_ends_of_the_clock_saturate() {
    #[retry(deadline = deadline, on = ConnectionError)]
    async fn fetch(server: &Server, deadline: Deadline) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    // Too far to be represented: no deadline, so the default total holds.
    let error = fetch(&Server::hung(), Deadline::within(FOR_EVER)).await.unwrap_err();
    assert_eq!((error.reason(), error.elapsed().as_secs()), (Reason::TotalElapsed, 10));
    // Moved back beyond the clock's range: expired.
    let over = Deadline::within(secs(1)).reserve(FOR_EVER);
    assert!(over.is_expired());
    assert_eq!(fetch(&Server::ready(), over).await.unwrap_err().end(), (0, ms(0), Reason::InheritedDeadline));
}

#[tokio::test(start_paused = true)]
async fn an_endless_margin_leaves_no_attempt() {
    #[retry(margin = FOR_EVER, on = ConnectionError)]
    async fn fetch(calls: &AtomicU32) -> Result<u32, RetryError<ConnectionError>> {
        Ok(calls.fetch_add(1, SeqCst))
    }
    let calls = AtomicU32::new(0);
    // Clamped to just below the total of 10 s, which is still more than what is left.
    let error = Deadline::within(secs(5)).scope(fetch(&calls)).await.unwrap_err();
    assert_eq!((error.attempts(), calls.load(SeqCst)), (0, 0));
    // No deadline is inherited, so there is nothing to take it from.
    fetch(&calls).await.unwrap();
}
