use retry_runtime::{RetryError, retry};

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn literals_constants_and_expressions() {
    const TRIPLE: f64 = 3.0;
    #[retry(attempts = 4, backoff = "10ms", factor = 1, jitter = "none", on = ConnectionError)]
    async fn constant_wait(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(attempts = 4, backoff = "10ms", factor = 1.5, jitter = "none", on = ConnectionError)]
    async fn decimal(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(attempts = 4, backoff = "10ms", factor = TRIPLE, jitter = "none", on = ConnectionError)]
    async fn constant(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(attempts = 4, backoff = "10ms", factor = factor, jitter = "none", on = ConnectionError)]
    async fn run_time(server: &Server, factor: u32) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    constant_wait(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 10, 20, 30]);
    let server = Server::failing();
    decimal(&server).await.unwrap_err();
    // 10, 15 and 22.5 ms; the timer rounds up.
    assert_eq!(server.starts(), [0, 10, 25, 48]);
    let server = Server::failing();
    constant(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 10, 40, 130]);
    let server = Server::failing();
    run_time(&server, 4).await.unwrap_err();
    assert_eq!(server.starts(), [0, 10, 50, 210]);
}

#[tokio::test(start_paused = true)]
async fn the_default_doubles() {
    #[retry(attempts = 5, backoff = "10ms", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    fetch(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 10, 30, 70, 150]);
}

#[tokio::test(start_paused = true)]
async fn a_factor_below_one_at_run_time_counts_as_one() {
    #[retry(attempts = 4, backoff = "10ms", factor = factor, jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server, factor: f64) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    for factor in [0.5, 0.0, -3.0, f64::NAN, f64::NEG_INFINITY] {
        let server = Server::failing();
        fetch(&server, factor).await.unwrap_err();
        assert!(
            server.starts()[..2] == [0, 10] && server.starts()[2] >= 20,
            "{factor}: {:?}",
            server.starts()
        );
    }
}
