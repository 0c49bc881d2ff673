//! A deterministic failure is final: at once, and never dressed up as exhaustion.

use std::error::Error;
use std::num::ParseIntError;

use retry_runtime::{AttemptOutcome, GaveUp, Reason, RetryError, retry};
use tokio::time::Instant;

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn a_permanent_error_names_no_limit_that_was_not_reached() {
    #[retry(total = "3m", attempts = 10, on = source(ConnectionError))]
    async fn parse() -> Result<u8, RetryError<ParseIntError>> {
        "x".parse()
    }
    let error = parse().await.unwrap_err();
    assert_eq!(error.end(), (1, ms(0), Reason::NotRetryable));
    let text = error.to_string().to_lowercase();
    for word in ["exhausted", "10", "3m", "gave up"] {
        assert!(!text.contains(word), "{text}");
    }
    assert!(!error.timed_out());
    assert!(error.source().unwrap().is::<ParseIntError>());
}

#[derive(Debug, PartialEq)]
enum Failure {
    Transient,
    Permanent(u32),
}

#[tokio::test(start_paused = true)]
async fn a_permanent_error_ends_the_call_at_its_attempt_without_a_wait() {
    #[retry(total = "1m", attempts = 10, backoff = "100ms", jitter = "none", on = Failure::Transient)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<Failure>> {
        match server.call().await {
            Ok(number) => Err(Failure::Permanent(number)),
            Err(_) => Err(Failure::Transient),
        }
    }
    let (start, server) = (Instant::now(), Server::new([Step::Fail, Step::Fail, Step::Succeed]));
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(300), Reason::NotRetryable));
    assert_eq!((start.elapsed(), server.calls()), (ms(300), 3));
    assert_eq!((error.first(), error.last()), (Some(&Failure::Transient), Some(&Failure::Permanent(3))));
    assert!(error.history().iter().all(|attempt| attempt.outcome() == AttemptOutcome::Failed));
    assert_eq!(error.into_last(), Some(Failure::Permanent(3)));
}

#[tokio::test(start_paused = true)]
async fn in_the_bare_form_the_error_comes_back_as_it_was() {
    #[retry(on = StoreError::Connection(_))]
    async fn enumerated(server: &Server) -> Result<u32, StoreError> {
        server.call().await?;
        Err(Missing)?
    }
    #[retry(on = ConnectionError)]
    async fn opaque(server: &Server) -> anyhow::Result<u32> {
        server.call().await?;
        Err(anyhow::Error::new(Missing).context("looking for 7"))
    }
    #[retry(on = ConnectionError)]
    async fn boxed(server: &Server) -> Result<u32, Box<dyn Error + Send + Sync>> {
        server.call().await?;
        Err(Box::new(Missing))
    }
    let server = Server::new([Step::Fail, Step::Succeed]);
    assert!(matches!(enumerated(&server).await.unwrap_err(), StoreError::Missing(Missing)));
    assert_eq!(server.calls(), 2);

    let error = opaque(&Server::ready()).await.unwrap_err();
    assert_eq!(error.to_string(), "looking for 7");
    assert!(error.downcast_ref::<Missing>().is_some() && error.downcast_ref::<GaveUp>().is_none());

    let error = boxed(&Server::ready()).await.unwrap_err();
    assert!(error.is::<Missing>());
}

#[tokio::test(start_paused = true)]
async fn the_last_permitted_attempt_can_fail_for_good_too() {
    #[retry(attempts = 2, backoff = "none", on = Failure::Transient)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<Failure>> {
        match server.call().await {
            Ok(number) => Err(Failure::Permanent(number)),
            Err(_) => Err(Failure::Transient),
        }
    }
    let error = fetch(&Server::new([Step::Fail, Step::Succeed])).await.unwrap_err();
    assert_eq!((error.attempts(), error.reason()), (2, Reason::NotRetryable));
}

#[tokio::test(start_paused = true)]
async fn with_one_attempt_an_error_that_nothing_calls_transient_is_final() {
    #[retry(attempts = 1)]
    async fn unclassified(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(attempts = 1, when = |_: &ConnectionError| false)]
    async fn permanent(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    for error in [
        unclassified(&Server::failing()).await.unwrap_err(),
        permanent(&Server::failing()).await.unwrap_err(),
    ] {
        assert_eq!(error.end(), (1, ms(0), Reason::NotRetryable));
    }
}
