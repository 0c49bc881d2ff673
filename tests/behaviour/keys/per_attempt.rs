use std::time::Duration;

use retry_runtime::{Reason, RetryError, retry};

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn a_literal_a_constant_and_an_expression() {
    const LIMIT: Duration = Duration::from_millis(200);
    #[retry(total = "1s", per_attempt = "100ms", attempts = 20, backoff = "none", on = ConnectionError)]
    async fn literal(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "1s", per_attempt = LIMIT, attempts = 20, backoff = "none", on = ConnectionError)]
    async fn constant(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "1s", per_attempt = limit, attempts = 20, backoff = "none", on = ConnectionError)]
    async fn run_time(server: &Server, limit: Duration) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::hung();
    assert_eq!(literal(&server).await.unwrap_err().attempts(), 10);
    assert_eq!(constant(&server).await.unwrap_err().attempts(), 5);
    assert_eq!(run_time(&server, ms(500)).await.unwrap_err().attempts(), 2);
}

#[tokio::test(start_paused = true)]
async fn share_is_the_default() {
    #[retry(total = "900ms", per_attempt = "share", backoff = "none", on = ConnectionError)]
    async fn written(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "900ms", backoff = "none", on = ConnectionError)]
    async fn default(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "900ms", per_attempt = limit, backoff = "none", on = ConnectionError)]
    async fn absent(server: &Server, limit: Option<Duration>) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    for number in 0..3 {
        let server = Server::hung();
        let error = match number {
            0 => written(&server).await,
            1 => default(&server).await,
            _ => absent(&server, None).await,
        };
        assert_eq!(error.unwrap_err().end(), (3, ms(900), Reason::TotalElapsed));
        assert_eq!(server.starts(), [0, 300, 600]);
    }
}

#[tokio::test(start_paused = true)]
async fn none_gives_an_attempt_all_that_is_left() {
    #[retry(total = "900ms", per_attempt = "none", backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(fetch(&Server::new([Step::SucceedAfter(899)])).await.unwrap(), 1);
    let server = Server::new([Step::FailAfter(400), Step::Hang]);
    assert_eq!(fetch(&server).await.unwrap_err().end(), (2, ms(900), Reason::TotalElapsed));
}

#[tokio::test(start_paused = true)]
async fn a_share_sets_no_time_aside_for_waits() {
    #[retry(total = "1s", attempts = 2, backoff = "100ms", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::hung();
    let error = fetch(&server).await.unwrap_err();
    let limits: Vec<_> = error.history().iter().map(|attempt| attempt.duration()).collect();
    assert_eq!(limits, [ms(500), ms(400)]);
}

#[tokio::test(start_paused = true)]
async fn impossible_values_at_run_time_are_clamped() {
    #[retry(total = "300ms", per_attempt = limit, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server, limit: Duration) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    // Longer than the total: the total holds.
    let error = fetch(&Server::hung(), secs(5)).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(300), Reason::TotalElapsed));
    // Zero: as short as it gets, and no panic.
    let error = fetch(&Server::hung(), ms(0)).await.unwrap_err();
    assert!(error.elapsed() <= ms(3), "{error}");
    assert!(fetch(&Server::ready(), ms(0)).await.is_ok());
}
