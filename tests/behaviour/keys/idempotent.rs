use retry_runtime::{Reason, RetryError, retry};

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn true_is_the_default_and_false_makes_a_cut_attempt_final() {
    #[retry(per_attempt = "100ms", backoff = "none", idempotent = true, on = ConnectionError)]
    async fn written(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(per_attempt = "100ms", backoff = "none", on = ConnectionError)]
    async fn default(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(per_attempt = "100ms", backoff = "none", idempotent = false, on = ConnectionError)]
    async fn once(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(written(&Server::hung()).await.unwrap_err().attempts(), 3);
    assert_eq!(default(&Server::hung()).await.unwrap_err().attempts(), 3);
    let error = once(&Server::hung()).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(100), Reason::AttemptTimedOut));
}
