use std::sync::Mutex;

use retry_runtime::{AttemptOutcome, Policy, PolicyExt, Reason, RetryError, retry};
use tokio::time::Instant;

use crate::support::*;

/// A response that is no error, whatever its status.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Reply(u16);

impl Reply {
    fn is_unavailable(&self) -> bool {
        self.0 == 503
    }
}

/// What the server does: a status, 0 for a refused connection, 1 for silence.
async fn ask(script: &Mutex<Vec<u16>>) -> Result<Reply, ConnectionError> {
    let next = script.lock().unwrap().remove(0);
    match next {
        0 => Err(ConnectionError),
        1 => std::future::pending().await,
        status => Ok(Reply(status)),
    }
}

#[retry(
    per_attempt = "100ms",
    backoff = "10ms",
    jitter = "none",
    when_ok = Reply::is_unavailable,
    on = ConnectionError
)]
async fn fetch(script: &Mutex<Vec<u16>>) -> Result<Reply, RetryError<ConnectionError>> {
    ask(script).await
}

async fn play(script: &[u16]) -> Result<Reply, RetryError<ConnectionError>> {
    fetch(&Mutex::new(script.to_vec())).await
}

#[tokio::test(start_paused = true)]
async fn a_value_worth_another_attempt_is_asked_for_again() {
    let start = Instant::now();
    assert_eq!(play(&[503, 503, 200]).await.unwrap(), Reply(200));
    assert_eq!(start.elapsed(), ms(30));
    assert_eq!(play(&[404]).await.unwrap(), Reply(404));
}

#[tokio::test(start_paused = true)]
async fn the_last_value_comes_back_as_it_is() {
    let start = Instant::now();
    assert_eq!(play(&[503, 503, 503]).await.unwrap(), Reply(503));
    assert_eq!(start.elapsed(), ms(30));
    assert_eq!(play(&[0, 0, 503]).await.unwrap(), Reply(503));
}

#[tokio::test(start_paused = true)]
async fn the_last_error_comes_back_as_a_give_up() {
    let error = play(&[503, 503, 0]).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(30), Reason::AttemptsExhausted));
    assert_eq!(error.last(), Some(&ConnectionError));
    let outcomes: Vec<_> = error.history().iter().map(|attempt| attempt.outcome()).collect();
    assert_eq!(outcomes, [AttemptOutcome::Value, AttemptOutcome::Value, AttemptOutcome::Failed]);
}

#[tokio::test(start_paused = true)]
async fn a_cut_attempt_has_no_outcome() {
    assert_eq!(play(&[503, 503, 1]).await.unwrap(), Reply(503));
    assert_eq!(play(&[503, 1, 1]).await.unwrap(), Reply(503));
    assert_eq!(play(&[1, 503, 1]).await.unwrap(), Reply(503));
    assert_eq!(play(&[503, 0, 1]).await.unwrap_err().last(), Some(&ConnectionError));
    assert_eq!(play(&[0, 503, 1]).await.unwrap(), Reply(503));
    assert!(play(&[1, 1, 1]).await.unwrap_err().last().is_none());
    assert_eq!(play(&[1, 1, 200]).await.unwrap(), Reply(200));
}

#[tokio::test(start_paused = true)]
async fn a_permanent_error_after_a_value_is_the_end() {
    #[derive(Debug, PartialEq)]
    enum Failure {
        Transient,
        Permanent,
    }
    #[retry(backoff = "none", when_ok = Reply::is_unavailable, on = Failure::Transient)]
    async fn fetch(script: &Mutex<Vec<u16>>) -> Result<Reply, RetryError<Failure>> {
        match ask(script).await {
            Ok(Reply(400)) => Err(Failure::Permanent),
            Ok(reply) => Ok(reply),
            Err(_) => Err(Failure::Transient),
        }
    }
    let error = fetch(&Mutex::new(vec![503, 0, 400])).await.unwrap_err();
    assert_eq!((error.attempts(), error.reason()), (3, Reason::NotRetryable));
    assert_eq!((error.first(), error.last()), (Some(&Failure::Transient), Some(&Failure::Permanent)));
}

#[tokio::test(start_paused = true)]
async fn alone_it_repeats_values_and_cut_attempts_only() {
    #[retry(per_attempt = "100ms", backoff = "none", when_ok = |reply| reply.is_unavailable())]
    async fn fetch(script: &Mutex<Vec<u16>>) -> Result<Reply, RetryError<ConnectionError>> {
        ask(script).await
    }
    assert_eq!(fetch(&Mutex::new(vec![503, 1, 200])).await.unwrap(), Reply(200));
    let error = fetch(&Mutex::new(vec![503, 0])).await.unwrap_err();
    assert_eq!((error.attempts(), error.reason()), (2, Reason::NotRetryable));
}

#[tokio::test(start_paused = true)]
async fn it_works_in_the_bare_form() {
    #[retry(backoff = "none", when_ok = Reply::is_unavailable, on = StoreError::Connection(_))]
    async fn fetch(script: &Mutex<Vec<u16>>) -> Result<Reply, StoreError> {
        Ok(ask(script).await?)
    }
    assert_eq!(fetch(&Mutex::new(vec![503, 0, 200])).await.unwrap(), Reply(200));
    assert_eq!(fetch(&Mutex::new(vec![0, 0, 503])).await.unwrap(), Reply(503));
    let gave_up = fetch(&Mutex::new(vec![503, 503, 0])).await.unwrap_err().gave_up();
    assert_eq!(gave_up.end(), (3, ms(0), Reason::AttemptsExhausted));
}

#[tokio::test(start_paused = true)]
async fn a_value_kept_at_the_deadline_comes_back() {
    #[retry(total = "100ms", per_attempt = "none", backoff = "50ms", jitter = "none", when_ok = Reply::is_unavailable)]
    async fn fetch(script: &Mutex<Vec<u16>>) -> Result<Reply, RetryError<ConnectionError>> {
        ask(script).await
    }
    let start = Instant::now();
    assert_eq!(fetch(&Mutex::new(vec![503, 1])).await.unwrap(), Reply(503));
    assert_eq!(start.elapsed(), ms(100));
}

/// The cut comes as an error of the inner call, which only passes it on.
#[tokio::test(start_paused = true)]
async fn a_cut_attempt_has_no_outcome_through_an_inner_call_either() {
    type Passed = RetryError<RetryError<ConnectionError>>;
    #[retry(attempts = 1)]
    async fn once(script: &Mutex<Vec<u16>>) -> Result<Reply, RetryError<ConnectionError>> {
        ask(script).await
    }
    #[retry(per_attempt = "100ms", backoff = "none", when_ok = Reply::is_unavailable, on = _)]
    async fn typed(script: &Mutex<Vec<u16>>) -> Result<Reply, Passed> {
        once(script).await
    }
    #[retry(attempts = 1)]
    async fn bare_once(script: &Mutex<Vec<u16>>) -> Result<Reply, StoreError> {
        Ok(ask(script).await?)
    }
    #[retry(per_attempt = "100ms", backoff = "none", when_ok = Reply::is_unavailable, on = _)]
    async fn bare(script: &Mutex<Vec<u16>>) -> Result<Reply, StoreError> {
        bare_once(script).await
    }
    let policy = Policy::builder().per_attempt(ms(100)).no_backoff().build();
    for script in [[503, 1, 1], [1, 503, 1], [503, 503, 1]] {
        let start = Instant::now();
        let hung = script.iter().filter(|status| **status == 1).count() as u64;
        let script = || Mutex::new(script.to_vec());
        assert_eq!(typed(&script()).await.unwrap(), Reply(503));
        assert_eq!(bare(&script()).await.unwrap(), Reply(503));
        let script = script();
        let run = policy.run(|| once(&script)).when_ok(Reply::is_unavailable);
        assert_eq!(run.await.unwrap(), Reply(503));
        assert_eq!(start.elapsed(), ms(300) * hung as u32);
    }
}

/// The value is kept through the wait, and dropped when a later attempt has an outcome of its own.
#[tokio::test(start_paused = true)]
async fn only_the_last_value_is_kept() {
    use std::rc::Rc;
    #[retry(attempts = 4, backoff = "10ms", jitter = "none", when_ok = |_| true)]
    async fn fetch(
        held: &Rc<()>,
        most: &std::cell::Cell<usize>,
    ) -> Result<Rc<()>, RetryError<ConnectionError>> {
        most.set(most.get().max(Rc::strong_count(held)));
        Ok(Rc::clone(held))
    }
    let (held, most) = (Rc::new(()), std::cell::Cell::new(0));
    let value = fetch(&held, &most).await.unwrap();
    assert_eq!(most.get(), 2);
    assert_eq!(Rc::strong_count(&value), 2);
}
