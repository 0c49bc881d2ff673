use retry_runtime::{Reason, RetryError, retry};

use crate::support::*;

#[derive(Debug, Clone, PartialEq)]
enum Failure {
    Status(u16),
    Refused,
}

impl Failure {
    fn is_transient(&self) -> bool {
        !matches!(self, Self::Status(400..=499))
    }
}

async fn answer(status: u16) -> Result<(), Failure> {
    Err(if status == 0 { Failure::Refused } else { Failure::Status(status) })
}

#[tokio::test(start_paused = true)]
async fn alone_it_decides() {
    fn transient(failure: &Failure) -> bool {
        failure.is_transient()
    }
    #[retry(backoff = "none", when = transient)]
    async fn function(status: u16) -> Result<(), RetryError<Failure>> {
        answer(status).await
    }
    #[retry(backoff = "none", when = Failure::is_transient)]
    async fn method(status: u16) -> Result<(), RetryError<Failure>> {
        answer(status).await
    }
    #[retry(backoff = "none", when = |failure| failure.is_transient())]
    async fn closure(status: u16) -> Result<(), RetryError<Failure>> {
        answer(status).await
    }
    for (status, attempts, reason) in [
        (404, 1, Reason::NotRetryable),
        (503, 3, Reason::AttemptsExhausted),
        (0, 3, Reason::AttemptsExhausted),
    ] {
        for error in [
            function(status).await.unwrap_err(),
            method(status).await.unwrap_err(),
            closure(status).await.unwrap_err(),
        ] {
            assert_eq!(error.end(), (attempts, ms(0), reason), "{status}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn beside_on_both_must_hold() {
    #[retry(
        backoff = "none",
        on = Failure::Status(_),
        when = |failure: &Failure| *failure != Failure::Status(501)
    )]
    async fn fetch(status: u16) -> Result<(), RetryError<Failure>> {
        answer(status).await
    }
    assert_eq!(fetch(503).await.unwrap_err().attempts(), 3);
    assert_eq!(fetch(501).await.unwrap_err().attempts(), 1);
    assert_eq!(fetch(0).await.unwrap_err().attempts(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_closure_may_use_the_arguments() {
    #[retry(backoff = "none", when = |failure| *failure == Failure::Status(worth))]
    async fn fetch(status: u16, worth: u16) -> Result<(), RetryError<Failure>> {
        answer(status).await
    }
    assert_eq!(fetch(503, 503).await.unwrap_err().attempts(), 3);
    assert_eq!(fetch(503, 502).await.unwrap_err().attempts(), 1);
}

#[tokio::test(start_paused = true)]
async fn it_sees_the_error_of_the_body_in_the_bare_form_too() {
    #[retry(backoff = "none", when = |error: &StoreError| matches!(error, StoreError::Connection(_)))]
    async fn enumerated(server: &Server) -> Result<u32, StoreError> {
        Ok(server.call().await?)
    }
    #[retry(backoff = "none", when = |error: &anyhow::Error| error.is::<ConnectionError>())]
    async fn opaque(server: &Server) -> anyhow::Result<u32> {
        Ok(server.call().await?)
    }
    let server = Server::new([Step::Fail, Step::Fail, Step::Succeed]);
    assert_eq!(enumerated(&server).await.unwrap(), 3);
    let server = Server::new([Step::Fail, Step::Fail, Step::Succeed]);
    assert_eq!(opaque(&server).await.unwrap(), 3);
}

#[tokio::test(start_paused = true)]
async fn it_is_asked_once_for_each_failure() {
    use std::cell::Cell;
    #[retry(attempts = 4, backoff = "none", when = |_: &ConnectionError| { asked.set(asked.get() + 1); true })]
    async fn fetch(server: &Server, asked: &Cell<u32>) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let asked = Cell::new(0);
    fetch(&Server::failing(), &asked).await.unwrap_err();
    assert_eq!(asked.get(), 4);
}
