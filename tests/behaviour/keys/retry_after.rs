use std::time::Duration;

use retry_runtime::{Reason, RetryError, retry};

use crate::support::*;

#[derive(Debug)]
struct Busy {
    wait: Option<u64>,
}

impl Busy {
    fn retry_after(&self) -> Option<Duration> {
        self.wait.map(ms)
    }
}

#[tokio::test(start_paused = true)]
async fn a_path_and_a_closure() {
    #[retry(attempts = 2, backoff = "10ms", jitter = "none", retry_after = Busy::retry_after, on = Busy)]
    async fn path(wait: Option<u64>) -> Result<(), RetryError<Busy>> {
        Err(Busy { wait })
    }
    #[retry(attempts = 2, backoff = "10ms", jitter = "none", retry_after = |busy| busy.wait.map(ms), on = Busy)]
    async fn closure(wait: Option<u64>) -> Result<(), RetryError<Busy>> {
        Err(Busy { wait })
    }
    #[retry(
        attempts = 2,
        backoff = "10ms",
        jitter = "none",
        retry_after = |busy: &Busy| busy.wait.map(|wait| ms(wait) * factor),
        on = Busy
    )]
    async fn capturing(wait: Option<u64>, factor: u32) -> Result<(), RetryError<Busy>> {
        Err(Busy { wait })
    }
    assert_eq!(path(Some(70)).await.unwrap_err().elapsed(), ms(70));
    assert_eq!(path(None).await.unwrap_err().elapsed(), ms(10));
    assert_eq!(closure(Some(80)).await.unwrap_err().elapsed(), ms(80));
    assert_eq!(capturing(Some(30), 3).await.unwrap_err().elapsed(), ms(90));
}

#[derive(Debug, PartialEq)]
struct Reply {
    status: u16,
    wait: u64,
}

#[tokio::test(start_paused = true)]
async fn its_twin_reads_the_hint_of_a_value() {
    fn hint(reply: &Reply) -> Option<Duration> {
        (reply.wait > 0).then(|| ms(reply.wait))
    }
    #[retry(
        attempts = 2,
        backoff = "10ms",
        jitter = "none",
        when_ok = |reply: &Reply| reply.status == 503,
        retry_after_ok = hint
    )]
    async fn path(status: u16, wait: u64) -> Result<Reply, RetryError<ConnectionError>> {
        Ok(Reply { status, wait })
    }
    #[retry(
        attempts = 2,
        backoff = "10ms",
        jitter = "none",
        when_ok = |reply| reply.status == 503,
        retry_after_ok = |reply| Some(ms(reply.wait * 2))
    )]
    async fn closure(status: u16, wait: u64) -> Result<Reply, RetryError<ConnectionError>> {
        Ok(Reply { status, wait })
    }
    let start = tokio::time::Instant::now();
    assert_eq!(path(503, 70).await.unwrap(), Reply { status: 503, wait: 70 });
    assert_eq!(start.elapsed(), ms(70));
    path(503, 0).await.unwrap();
    assert_eq!(start.elapsed(), ms(80));
    path(200, 70).await.unwrap();
    assert_eq!(start.elapsed(), ms(80));
    closure(503, 50).await.unwrap();
    assert_eq!(start.elapsed(), ms(180));
}

/// The value comes back as it is, however long the server wants to be left alone.
#[tokio::test(start_paused = true)]
async fn a_hint_of_a_value_that_does_not_fit_returns_the_value() {
    #[retry(
        when_ok = |reply: &Reply| reply.status == 503,
        retry_after_ok = |reply: &Reply| Some(ms(reply.wait)),
        on = ConnectionError
    )]
    async fn fetch() -> Result<Reply, RetryError<ConnectionError>> {
        Ok(Reply { status: 503, wait: 3_600_000 })
    }
    let start = tokio::time::Instant::now();
    assert_eq!(fetch().await.unwrap().status, 503);
    assert_eq!(start.elapsed(), ms(0));
}

#[tokio::test(start_paused = true)]
async fn errors_and_values_have_hints_of_their_own() {
    #[retry(
        attempts = 3,
        backoff = "10ms",
        jitter = "none",
        on = Busy,
        retry_after = |busy| busy.wait.map(ms),
        when_ok = |reply: &Reply| reply.status == 503,
        retry_after_ok = |reply: &Reply| Some(ms(reply.wait))
    )]
    async fn fetch(server: &Server) -> Result<Reply, RetryError<Busy>> {
        match server.call().await {
            Ok(_) => Ok(Reply { status: 503, wait: 300 }),
            Err(_) => Err(Busy { wait: Some(100) }),
        }
    }
    let server = Server::new([Step::Fail, Step::Succeed, Step::Fail]);
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 100, 400]);
    assert_eq!((error.reason(), error.retry_after()), (Reason::AttemptsExhausted, Some(ms(100))));
}
