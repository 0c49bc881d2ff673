//! Timed-out attempts are transient by default: a timeout does not mean that nothing was done.

use retry_runtime::{AttemptOutcome, AttemptTimedOut, Reason, RetryError, retry};

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn a_timed_out_attempt_is_repeated() {
    #[retry(per_attempt = "100ms", attempts = 3, backoff = "none", on = ConnectionError)]
    async fn charge(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::hung();
    let error = charge(&server).await.unwrap_err();
    assert_eq!((server.calls(), error.reason()), (3, Reason::AttemptsExhausted));
    assert_eq!(charge(&Server::new([Step::Hang, Step::Hang, Step::Succeed])).await.unwrap(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_timed_out_attempt_that_is_not_idempotent_is_final() {
    #[retry(per_attempt = "100ms", attempts = 3, backoff = "none", idempotent = false, on = ConnectionError)]
    async fn charge(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::hung();
    let error = charge(&server).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(100), Reason::AttemptTimedOut));
    assert_eq!(server.calls(), 1);
    assert!(error.timed_out());
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.downcast_ref::<AttemptTimedOut>().unwrap().limit(), ms(100));
}

#[tokio::test(start_paused = true)]
async fn a_share_that_runs_out_is_final_too_where_not_idempotent() {
    #[retry(total = "900ms", idempotent = false, on = ConnectionError)]
    async fn charge(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = charge(&Server::hung()).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(300), Reason::AttemptTimedOut));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_says_it_failed_is_repeated_all_the_same() {
    #[retry(per_attempt = "100ms", backoff = "none", idempotent = false, on = ConnectionError)]
    async fn charge(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(charge(&Server::new([Step::Fail, Step::Fail, Step::Succeed])).await.unwrap(), 3);
    let error = charge(&Server::new([Step::Fail, Step::Hang])).await.unwrap_err();
    assert_eq!(error.end(), (2, ms(100), Reason::AttemptTimedOut));
    assert_eq!(error.last(), Some(&ConnectionError));
}

#[tokio::test(start_paused = true)]
async fn what_on_names_does_not_matter_to_a_timed_out_attempt() {
    #[retry(per_attempt = "100ms", backoff = "none", when = |_: &ConnectionError| false)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::hung()).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(300), Reason::AttemptsExhausted));
    assert!(error.history().iter().all(|attempt| attempt.outcome() == AttemptOutcome::TimedOut));
}
