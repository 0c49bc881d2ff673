use std::time::Duration;

use retry_runtime::{RetryError, retry};

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn a_literal_a_constant_and_an_expression() {
    const CAP: Duration = Duration::from_millis(25);
    #[retry(attempts = 4, backoff = "10ms", max_backoff = "15ms", jitter = "none", on = ConnectionError)]
    async fn literal(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(attempts = 4, backoff = "10ms", max_backoff = CAP, jitter = "none", on = ConnectionError)]
    async fn constant(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(attempts = 4, backoff = "10ms", max_backoff = cap, jitter = "none", on = ConnectionError)]
    async fn run_time(server: &Server, cap: Option<Duration>) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    literal(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 10, 25, 40]);
    let server = Server::failing();
    constant(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 10, 30, 55]);
    let server = Server::failing();
    run_time(&server, Some(ms(30))).await.unwrap_err();
    assert_eq!(server.starts(), [0, 10, 30, 60]);
    let server = Server::failing();
    run_time(&server, None).await.unwrap_err();
    assert_eq!(server.starts(), [0, 10, 30, 70]);
}

#[tokio::test(start_paused = true)]
async fn the_default_is_five_seconds() {
    #[retry(total = "1m", attempts = 6, backoff = "1s", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    fetch(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 1_000, 3_000, 7_000, 12_000, 17_000]);
}
