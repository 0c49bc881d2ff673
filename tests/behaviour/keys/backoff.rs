use std::time::Duration;

use retry_runtime::{RetryError, retry};

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn a_literal_a_constant_and_an_expression() {
    const PAUSE: Duration = Duration::from_millis(30);
    #[retry(backoff = "20ms", jitter = "none", on = ConnectionError)]
    async fn literal(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(backoff = PAUSE, jitter = "none", on = ConnectionError)]
    async fn constant(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(backoff = pause, jitter = "none", on = ConnectionError)]
    async fn run_time(server: &Server, pause: Option<Duration>) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    literal(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 20, 60]);
    let server = Server::failing();
    constant(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 30, 90]);
    let server = Server::failing();
    run_time(&server, Some(ms(40))).await.unwrap_err();
    assert_eq!(server.starts(), [0, 40, 120]);
    let server = Server::failing();
    run_time(&server, None).await.unwrap_err();
    assert_eq!(server.starts(), [0, 50, 150]);
}

#[tokio::test(start_paused = true)]
async fn the_default_is_fifty_milliseconds_or_the_longest_allowed() {
    #[retry(jitter = "none", on = ConnectionError)]
    async fn default(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(max_backoff = "20ms", jitter = "none", on = ConnectionError)]
    async fn capped(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    default(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 50, 150]);
    let server = Server::failing();
    capped(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 20, 40]);
}

#[tokio::test(start_paused = true)]
async fn none_retries_at_once() {
    #[retry(backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    fetch(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_first_wait_above_the_default_cap_raises_the_cap() {
    #[retry(total = "1m", attempts = 4, backoff = "7s", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    fetch(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 7_000, 14_000, 21_000]);
}
