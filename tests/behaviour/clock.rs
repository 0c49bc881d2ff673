//! One clock: tokio's, read when the call is first polled.

use std::time::Duration;

use retry_runtime::{Reason, RetryError, retry};
use tokio::time::{Instant, advance, sleep};

use crate::support::*;

#[retry(total = "1s", per_attempt = "200ms", attempts = 5, jitter = "none", on = ConnectionError)]
async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
    server.call().await
}

#[tokio::test(start_paused = true)]
async fn the_countdown_starts_at_the_first_poll() {
    let server = Server::hung();
    let call = fetch(&server);
    sleep(secs(5)).await;
    let start = Instant::now();
    let error = call.await.unwrap_err();
    assert_eq!(error.end(), (4, ms(1000), Reason::TotalElapsed));
    assert_eq!(start.elapsed(), ms(1000));
}

#[tokio::test(start_paused = true)]
async fn an_hour_of_retries_takes_no_real_time() {
    #[retry(
        total = "1h",
        per_attempt = "1m",
        attempts = 500,
        backoff = "10s",
        max_backoff = "10s",
        jitter = "none",
        on = ConnectionError
    )]
    async fn patient(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let real = std::time::Instant::now();
    let server = Server::failing();
    let error = patient(&server).await.unwrap_err();
    assert_eq!(error.end(), (361, secs(3595), Reason::TotalElapsed));
    assert_eq!(server.starts().last(), Some(&3_595_000));
    assert!(real.elapsed() < secs(2));
}

#[tokio::test(start_paused = true)]
async fn real_time_does_not_count() {
    #[retry(total = "10ms", on = ConnectionError)]
    async fn slow_machine(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        // Real time has to pass here while tokio's clock stands still.
        std::thread::sleep(ms(30));
        server.call().await
    }
    assert_eq!(slow_machine(&Server::ready()).await.unwrap(), 1);

    let server = Server::failing();
    let error = slow_machine(&server).await.unwrap_err();
    assert!(error.attempts() > 1, "the 10 ms were used up by real time: {error}");
    assert!(error.elapsed() <= ms(10));
}

/// A suspended laptop: the clock jumps, and nothing overflows.
#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_ends_the_call() {
    let server = Server::hung();
    let call = fetch(&server);
    let jump = async {
        sleep(ms(10)).await;
        advance(secs(3600)).await;
    };
    let (result, ()) = tokio::join!(call, jump);
    let error = result.unwrap_err();
    assert_eq!((error.attempts(), error.reason()), (1, Reason::TotalElapsed));
    assert!(error.elapsed() >= secs(3600));
}

/// A clock that stands still: nothing elapses, nothing divides by zero.
#[tokio::test(start_paused = true)]
async fn a_clock_that_stands_still_does_not_end_the_call() {
    #[retry(total = "1s", attempts = 50, backoff = "none", on = ConnectionError)]
    async fn quick(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = quick(&Server::failing()).await.unwrap_err();
    assert_eq!(error.end(), (50, Duration::ZERO, Reason::AttemptsExhausted));
    assert!(error.history().iter().all(|attempt| attempt.duration().is_zero()));
}

/// On the real clock, because the paused one is exact: timers fire late, never early.
#[tokio::test]
async fn no_limit_strikes_early_on_the_real_clock() {
    #[retry(total = "40ms", per_attempt = "15ms", attempts = 9, backoff = "1ms", on = ConnectionError)]
    async fn short(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    for _ in 0..5 {
        let (start, server) = (std::time::Instant::now(), Server::hung());
        let error = short(&server).await.unwrap_err();
        // A last attempt needs its millisecond, so the call may end that much before its total.
        assert!(start.elapsed() >= ms(39), "{:?}", start.elapsed());
        assert!(start.elapsed() < secs(2), "{:?}", start.elapsed());
        assert!(error.timed_out());
        for attempt in error.history().iter().filter(|attempt| attempt.number() < error.attempts()) {
            assert!(attempt.duration() >= ms(15), "{attempt:?}");
        }
    }
}
