use std::time::Duration;

use retry_runtime::{Deadline, Reason, RetryError, retry};

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn a_literal_a_constant_and_an_expression() {
    const LEAST: Duration = Duration::from_millis(700);
    #[retry(total = "1s", backoff = "1s", min_attempt = "600ms", jitter = "none", on = ConnectionError)]
    async fn literal(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "1s", backoff = "1s", min_attempt = LEAST, jitter = "none", on = ConnectionError)]
    async fn constant(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "1s", backoff = "1s", min_attempt = least, jitter = "none", on = ConnectionError)]
    async fn run_time(server: &Server, least: Option<Duration>) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    literal(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 400]);
    let server = Server::failing();
    constant(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 300]);
    let server = Server::failing();
    run_time(&server, Some(ms(800))).await.unwrap_err();
    assert_eq!(server.starts(), [0, 200]);
    let server = Server::failing();
    run_time(&server, None).await.unwrap_err();
    assert_eq!(server.starts(), [0, 500]);
}

#[tokio::test(start_paused = true)]
async fn the_default_is_a_millisecond_or_the_limit_where_that_is_shorter() {
    #[retry(on = ConnectionError)]
    async fn default(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "500us", attempts = 1)]
    async fn tiny(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let left = Duration::from_micros(999);
    let error = Deadline::within(left).scope(default(&Server::ready())).await.unwrap_err();
    assert_eq!((error.attempts(), error.reason()), (0, Reason::InheritedDeadline));
    assert_eq!(Deadline::within(ms(1)).scope(default(&Server::ready())).await.unwrap(), 1);
    assert_eq!(tiny(&Server::ready()).await.unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn zero_still_needs_some_time() {
    #[retry(min_attempt = "0ms", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let left = Duration::from_micros(1);
    assert_eq!(Deadline::within(left).scope(fetch(&Server::ready())).await.unwrap(), 1);
    let error = Deadline::within(Duration::ZERO).scope(fetch(&Server::ready())).await.unwrap_err();
    assert_eq!(error.attempts(), 0);
}
