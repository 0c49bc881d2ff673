//! Which limit struck: own total, inherited deadline and attempt limit are told apart, in a fixed order.

use std::sync::Mutex;
use std::time::Duration;

use retry_runtime::{Deadline, Reason, RetryError, retry};

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn the_deadline_of_the_caller_is_not_the_total_of_the_callee() {
    #[retry(total = "10s", attempts = 1)]
    async fn inner(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "100ms", attempts = 1, on = ConnectionError)]
    async fn outer(
        server: &Server,
        seen: &Mutex<Option<(Reason, String)>>,
    ) -> Result<u32, RetryError<ConnectionError>> {
        let error = inner(server).await.unwrap_err();
        *seen.lock().unwrap() = Some((error.reason(), error.to_string()));
        Err(ConnectionError)
    }
    let seen = Mutex::default();
    let error = outer(&Server::hung(), &seen).await.unwrap_err();
    let (reason, text) = seen.lock().unwrap().take().unwrap();
    assert_eq!(reason, Reason::InheritedDeadline);
    assert!(!text.contains("10s"), "{text}");
    assert_eq!((error.elapsed(), error.reason()), (ms(100), Reason::TotalElapsed));
}

#[tokio::test(start_paused = true)]
async fn attempts_cut_by_their_own_limit_are_used_up_not_out_of_total() {
    #[retry(per_attempt = "100ms", backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::hung()).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(300), Reason::AttemptsExhausted));
    assert!(error.timed_out());
    let error = fetch(&Server::failing()).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(0), Reason::AttemptsExhausted));
    assert!(!error.timed_out());
}

#[tokio::test(start_paused = true)]
async fn of_two_deadlines_at_one_instant_the_inherited_one_is_named() {
    #[retry(total = total, per_attempt = "none", on = ConnectionError)]
    async fn fetch(server: &Server, total: Duration) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let reason = async |total: u64, inherited: u64| {
        let server = Server::hung();
        let call = fetch(&server, ms(total));
        Deadline::within(ms(inherited)).scope(call).await.unwrap_err().reason()
    };
    assert_eq!(reason(100, 100).await, Reason::InheritedDeadline);
    assert_eq!(reason(99, 100).await, Reason::TotalElapsed);
    assert_eq!(reason(100, 99).await, Reason::InheritedDeadline);
}

#[tokio::test(start_paused = true)]
async fn an_explicit_deadline_at_the_instant_of_the_total_is_named() {
    #[retry(total = "100ms", deadline = deadline, per_attempt = "none", on = ConnectionError)]
    async fn fetch(server: &Server, deadline: Deadline) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::hung(), Deadline::within(ms(100))).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(100), Reason::InheritedDeadline));
}

#[tokio::test(start_paused = true)]
async fn a_margin_moves_the_tie() {
    #[retry(total = "100ms", margin = "20ms", per_attempt = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    for (inherited, elapsed, reason) in [
        (119, 99, Reason::InheritedDeadline),
        (120, 100, Reason::InheritedDeadline),
        (121, 100, Reason::TotalElapsed),
    ] {
        let server = Server::hung();
        let error = Deadline::within(ms(inherited)).scope(fetch(&server)).await.unwrap_err();
        assert_eq!(error.end(), (1, ms(elapsed), reason), "{inherited}");
    }
}

#[tokio::test(start_paused = true)]
async fn not_transient_comes_before_the_deadline() {
    #[retry(total = "100ms", per_attempt = "none", when = |_: &ConnectionError| false)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::new([Step::FailAfter(100)])).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(100), Reason::NotRetryable));
}

#[tokio::test(start_paused = true)]
async fn the_deadline_comes_before_used_up_attempts() {
    #[retry(total = "300ms", per_attempt = "100ms", backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::hung()).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(300), Reason::TotalElapsed));
    let server = Server::new([Step::FailAfter(100)]);
    assert_eq!(fetch(&server).await.unwrap_err().end(), (3, ms(300), Reason::TotalElapsed));
}

#[tokio::test(start_paused = true)]
async fn the_deadline_comes_before_a_cut_that_must_not_be_repeated() {
    #[retry(total = "100ms", per_attempt = "none", idempotent = false, on = ConnectionError)]
    async fn whole(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "100ms", per_attempt = "99ms", idempotent = false, on = ConnectionError)]
    async fn limited(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(whole(&Server::hung()).await.unwrap_err().reason(), Reason::TotalElapsed);
    assert_eq!(limited(&Server::hung()).await.unwrap_err().reason(), Reason::AttemptTimedOut);
}

#[tokio::test(start_paused = true)]
async fn a_cut_that_must_not_be_repeated_comes_before_used_up_attempts() {
    #[retry(per_attempt = "100ms", attempts = 1, idempotent = false)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(fetch(&Server::hung()).await.unwrap_err().reason(), Reason::AttemptTimedOut);
}

#[tokio::test(start_paused = true)]
async fn used_up_attempts_come_before_the_hint_and_the_hint_before_the_wait() {
    fn hint(_: &ConnectionError) -> Option<Duration> {
        Some(secs(3600))
    }
    #[retry(total = "1s", attempts = 1, retry_after = hint, on = ConnectionError)]
    async fn used_up(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "1s", backoff = "999ms", factor = 1, jitter = "none", retry_after = hint, on = ConnectionError)]
    async fn neither_fits(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(used_up(&Server::failing()).await.unwrap_err().reason(), Reason::AttemptsExhausted);
    assert_eq!(neither_fits(&Server::failing()).await.unwrap_err().reason(), Reason::RetryAfterTooLong);
}

#[tokio::test(start_paused = true)]
async fn the_attempt_after_a_shortened_wait_is_out_of_time() {
    #[retry(total = "1s", backoff = "700ms", attempts = attempts, jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server, attempts: u32) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::failing(), 10).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(850), Reason::TotalElapsed));
    assert!(error.timed_out());
    // Used up at the same attempt: time ran out all the same.
    let error = fetch(&Server::failing(), 3).await.unwrap_err();
    assert_eq!((error.attempts(), error.elapsed()), (3, ms(850)));
}

#[tokio::test(start_paused = true)]
async fn the_attempt_after_a_shortened_wait_can_fail_for_good() {
    #[retry(total = "1s", backoff = "700ms", jitter = "none", when = |error: &Option<ConnectionError>| error.is_some())]
    async fn fetch(server: &Server) -> Result<u32, RetryError<Option<ConnectionError>>> {
        match server.call().await {
            Ok(_) => Err(None),
            Err(error) => Err(Some(error)),
        }
    }
    let error = fetch(&Server::new([Step::Fail, Step::Fail, Step::Succeed])).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(850), Reason::NotRetryable));
    assert!(!error.timed_out());
}
