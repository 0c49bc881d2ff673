//! Waits count: they fit, or are shortened once, or the call ends.

use retry_runtime::{Reason, RetryError, retry};
use tokio::time::Instant;

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn a_wait_never_runs_past_the_total() {
    #[retry(total = "1s", attempts = 10, backoff = "700ms", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let (server, start) = (Server::failing(), Instant::now());
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(850), Reason::TotalElapsed));
    assert_eq!((start.elapsed(), server.starts()), (ms(850), vec![0, 700, 850]));
}

#[tokio::test(start_paused = true)]
async fn no_wait_before_the_first_attempt_and_none_after_the_last() {
    #[retry(attempts = 3, backoff = "100ms", jitter = "none", on = ConnectionError)]
    async fn exhausted(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(attempts = 3, backoff = "100ms", jitter = "none", on = source(ConnectionError))]
    async fn permanent() -> Result<u8, RetryError<std::num::ParseIntError>> {
        "x".parse()
    }
    let server = Server::failing();
    assert_eq!(exhausted(&server).await.unwrap_err().end(), (3, ms(300), Reason::AttemptsExhausted));
    assert_eq!(server.starts(), [0, 100, 300]);
    assert_eq!(permanent().await.unwrap_err().end(), (1, ms(0), Reason::NotRetryable));
}

#[tokio::test(start_paused = true)]
async fn a_success_is_not_followed_by_a_wait() {
    #[retry(attempts = 3, backoff = "100ms", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let start = Instant::now();
    assert_eq!(fetch(&Server::new([Step::Fail, Step::Succeed])).await.unwrap(), 2);
    assert_eq!(start.elapsed(), ms(100));
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_leaves_exactly_the_shortest_attempt_is_taken_whole() {
    #[retry(
        total = "1s",
        backoff = "900ms",
        min_attempt = "100ms",
        attempts = 10,
        jitter = "none",
        on = ConnectionError
    )]
    async fn fits(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(
        total = "1s",
        backoff = "901ms",
        min_attempt = "100ms",
        attempts = 10,
        jitter = "none",
        on = ConnectionError
    )]
    async fn does_not(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    // At 900 ms nothing is left of which an attempt of 100 ms could follow a wait.
    assert_eq!(fits(&server).await.unwrap_err().end(), (2, ms(900), Reason::TotalElapsed));
    assert_eq!(server.starts(), [0, 900]);

    let server = Server::failing();
    assert_eq!(does_not(&server).await.unwrap_err().end(), (2, ms(500), Reason::TotalElapsed));
    assert_eq!(server.starts(), [0, 500]);
}

#[tokio::test(start_paused = true)]
async fn the_room_of_the_last_attempt_is_its_limit_where_that_is_short() {
    #[retry(
        total = "1s",
        per_attempt = "100ms",
        backoff = "1s",
        attempts = 10,
        jitter = "none",
        on = ConnectionError
    )]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    assert_eq!(fetch(&server).await.unwrap_err().end(), (2, ms(900), Reason::TotalElapsed));
    assert_eq!(server.starts(), [0, 900]);

    let server = Server::hung();
    // 100 ms for the first attempt, 800 of the wanted 1000 ms of wait, 100 ms for the last one.
    assert_eq!(fetch(&server).await.unwrap_err().end(), (2, ms(1000), Reason::TotalElapsed));
    assert_eq!(server.starts(), [0, 900]);
}

#[tokio::test(start_paused = true)]
async fn the_attempt_after_a_shortened_wait_is_the_last_whatever_attempts_says() {
    #[retry(
        total = "1s",
        per_attempt = "10ms",
        backoff = "600ms",
        factor = 1,
        attempts = "unlimited",
        jitter = "none",
        on = ConnectionError
    )]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    // 390 ms of the second wait: room for 10 ms, of which nothing is used.
    assert_eq!(fetch(&server).await.unwrap_err().end(), (3, ms(990), Reason::TotalElapsed));
    assert_eq!(server.starts(), [0, 600, 990]);
}

#[tokio::test(start_paused = true)]
async fn an_inherited_deadline_shortens_a_wait_too() {
    #[retry(total = "10s", backoff = "700ms", attempts = 10, jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    let deadline = retry_runtime::Deadline::within(ms(1000));
    let error = deadline.scope(fetch(&server)).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(850), Reason::InheritedDeadline));
    assert_eq!(server.starts(), [0, 700, 850]);
}

#[tokio::test(start_paused = true)]
async fn a_timed_out_attempt_is_followed_by_its_wait() {
    #[retry(per_attempt = "100ms", backoff = "100ms", attempts = 3, jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::hung();
    fetch(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 200, 500]);
}

#[tokio::test(start_paused = true)]
async fn no_wait_means_no_time_at_all() {
    #[retry(attempts = 500, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::failing()).await.unwrap_err();
    assert_eq!(error.end(), (500, ms(0), Reason::AttemptsExhausted));
}
