use retry_runtime::{RetryError, retry};

use crate::support::*;

type Twice = Result<u32, RetryError<RetryError<ConnectionError>>>;

#[retry(backoff = "none", on = ConnectionError)]
async fn inner(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
    server.call().await
}

#[tokio::test(start_paused = true)]
async fn stop_is_the_default_and_retry_multiplies() {
    #[retry(backoff = "none", nested = "stop", on = _)]
    async fn written(server: &Server) -> Twice {
        inner(server).await
    }
    #[retry(backoff = "none", on = _)]
    async fn default(server: &Server) -> Twice {
        inner(server).await
    }
    #[retry(backoff = "none", nested = "retry", on = _)]
    async fn multiplied(server: &Server) -> Twice {
        inner(server).await
    }
    let server = Server::failing();
    written(&server).await.unwrap_err();
    assert_eq!(server.calls(), 3);
    let server = Server::failing();
    default(&server).await.unwrap_err();
    assert_eq!(server.calls(), 3);
    let server = Server::failing();
    multiplied(&server).await.unwrap_err();
    assert_eq!(server.calls(), 9);
}
