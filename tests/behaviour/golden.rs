//! The golden numbers: exact under the paused clock and without jitter.

use retry_runtime::{AttemptTimedOut, Deadline, Reason, RetryError, retry};
use tokio::time::Instant;

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn one_hung_attempt_without_a_limit_takes_the_whole_total() {
    #[retry(total = "1s", per_attempt = "none", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let (server, start) = (Server::hung(), Instant::now());
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(1000), Reason::TotalElapsed));
    assert_eq!((start.elapsed(), server.starts()), (ms(1000), vec![0]));
    assert!(error.timed_out());
}

#[tokio::test(start_paused = true)]
async fn a_hung_server_gets_four_attempts_and_the_last_is_cut_short() {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 5, jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let (server, start) = (Server::hung(), Instant::now());
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (4, ms(1000), Reason::TotalElapsed));
    assert_eq!((start.elapsed(), server.starts()), (ms(1000), vec![0, 250, 550, 950]));
    let history: Vec<_> = error.history().iter().map(|a| (a.start(), a.duration())).collect();
    assert_eq!(history, [(ms(0), ms(200)), (ms(250), ms(200)), (ms(550), ms(200)), (ms(950), ms(50))]);
}

#[tokio::test(start_paused = true)]
async fn without_waits_hung_attempts_follow_one_another() {
    #[retry(total = "500ms", per_attempt = "200ms", attempts = 9, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let (server, start) = (Server::hung(), Instant::now());
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(500), Reason::TotalElapsed));
    assert_eq!((start.elapsed(), server.starts()), (ms(500), vec![0, 200, 400]));
}

#[tokio::test(start_paused = true)]
async fn hung_attempts_share_the_total() {
    #[retry(total = "1s", attempts = 5, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let (server, start) = (Server::hung(), Instant::now());
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (5, ms(1000), Reason::TotalElapsed));
    assert_eq!((start.elapsed(), server.starts()), (ms(1000), vec![0, 200, 400, 600, 800]));
}

#[tokio::test(start_paused = true)]
async fn hung_attempts_are_used_up_before_a_long_total() {
    #[retry(total = "10s", per_attempt = "100ms", attempts = 3, backoff = "50ms", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let (server, start) = (Server::hung(), Instant::now());
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(450), Reason::AttemptsExhausted));
    assert_eq!((start.elapsed(), server.starts()), (ms(450), vec![0, 150, 350]));
    assert!(error.timed_out());
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.downcast_ref::<AttemptTimedOut>().unwrap().limit(), ms(100));
}

#[tokio::test(start_paused = true)]
async fn a_transient_failure_recovers_at_the_third_attempt() {
    #[retry(total = "1s", per_attempt = "200ms", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let (server, start) = (Server::new([Step::Fail, Step::Fail, Step::Succeed]), Instant::now());
    assert_eq!(fetch(&server).await.unwrap(), 3);
    assert_eq!((start.elapsed(), server.starts()), (ms(150), vec![0, 50, 150]));
}

#[tokio::test(start_paused = true)]
async fn the_budget_stops_twenty_attempts() {
    #[retry(total = "1s", attempts = 20, per_attempt = "200ms", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let (server, start) = (Server::failing(), Instant::now());
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (6, ms(875), Reason::TotalElapsed));
    assert_eq!((start.elapsed(), server.starts()), (ms(875), vec![0, 50, 150, 350, 750, 875]));
    assert_eq!(error.last(), Some(&ConnectionError));
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_does_not_fit_is_shortened_once() {
    #[retry(total = "1s", backoff = "700ms", attempts = 10, jitter = "none", on = ConnectionError)]
    async fn shared(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(
        total = "1s",
        backoff = "700ms",
        attempts = 10,
        per_attempt = "200ms",
        jitter = "none",
        on = ConnectionError
    )]
    async fn limited(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let (server, start) = (Server::failing(), Instant::now());
    let error = shared(&server).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(850), Reason::TotalElapsed));
    assert_eq!((start.elapsed(), server.starts()), (ms(850), vec![0, 700, 850]));

    let (server, start) = (Server::failing(), Instant::now());
    let error = limited(&server).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(850), Reason::TotalElapsed));
    assert_eq!((start.elapsed(), server.starts()), (ms(850), vec![0, 700, 850]));
}

#[tokio::test(start_paused = true)]
async fn no_attempt_follows_a_wait_shortened_to_nothing() {
    #[retry(total = "1s", backoff = "999ms", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let (server, start) = (Server::failing(), Instant::now());
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (2, ms(999), Reason::TotalElapsed));
    assert_eq!((start.elapsed(), server.starts()), (ms(999), vec![0, 999]));
}

#[tokio::test(start_paused = true)]
async fn a_hundred_attempts_wait_at_most_ten_seconds_each() {
    #[retry(
        attempts = 100,
        total = "1h",
        per_attempt = "1s",
        backoff = "1s",
        max_backoff = "10s",
        jitter = "none",
        on = ConnectionError
    )]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let (server, start) = (Server::failing(), Instant::now());
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (100, secs(965), Reason::AttemptsExhausted));
    assert_eq!(start.elapsed(), secs(965));
    assert_eq!(server.starts()[..6], [0, 1_000, 3_000, 7_000, 15_000, 25_000]);
}

#[tokio::test(start_paused = true)]
async fn a_hung_first_attempt_without_a_limit_leaves_nothing_for_the_others() {
    #[retry(total = "1s", attempts = 5, per_attempt = "none", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let (server, start) = (Server::hung(), Instant::now());
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(1000), Reason::TotalElapsed));
    assert_eq!(start.elapsed(), ms(1000));
}

#[tokio::test(start_paused = true)]
async fn a_request_with_little_time_left_gets_one_short_attempt() {
    #[retry(total = "1s", per_attempt = "300ms", margin = "20ms", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let (server, start) = (Server::hung(), Instant::now());
    let error = Deadline::within(ms(200)).scope(fetch(&server)).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(180), Reason::InheritedDeadline));
    assert_eq!((start.elapsed(), server.calls()), (ms(180), 1));
}

#[tokio::test(start_paused = true)]
async fn an_inherited_deadline_that_is_over_allows_no_attempt() {
    #[retry(jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::ready();
    let error = Deadline::within(ms(0)).scope(fetch(&server)).await.unwrap_err();
    assert_eq!(error.end(), (0, ms(0), Reason::InheritedDeadline));
    assert_eq!(server.calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_hint_beyond_the_total_ends_the_call_at_once() {
    fn hint(_: &ConnectionError) -> Option<std::time::Duration> {
        Some(secs(3600))
    }
    #[retry(total = "5s", jitter = "none", retry_after = hint, on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::failing()).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(0), Reason::RetryAfterTooLong));
    assert_eq!(error.retry_after(), Some(secs(3600)));
}

mod three_layers_of_three {
    use super::*;

    type Typed<E> = Result<u32, RetryError<E>>;

    #[retry(jitter = "none", on = ConnectionError)]
    async fn innermost(server: &Server) -> Typed<ConnectionError> {
        server.call().await
    }
    #[retry(jitter = "none", on = source(ConnectionError))]
    async fn middle(server: &Server) -> Typed<RetryError<ConnectionError>> {
        innermost(server).await
    }
    #[retry(jitter = "none", on = _)]
    async fn outermost(server: &Server) -> Typed<RetryError<RetryError<ConnectionError>>> {
        middle(server).await
    }

    #[retry(jitter = "none", on = StoreError::Connection(_))]
    async fn bare_innermost(server: &Server) -> Result<u32, StoreError> {
        Ok(server.call().await?)
    }
    #[retry(jitter = "none", on = _)]
    async fn bare_middle(server: &Server) -> Result<u32, StoreError> {
        bare_innermost(server).await
    }
    #[retry(jitter = "none", on = source(ConnectionError))]
    async fn bare_outermost(server: &Server) -> Result<u32, StoreError> {
        bare_middle(server).await
    }

    #[tokio::test(start_paused = true)]
    async fn failing_typed_makes_three_calls() {
        let server = Server::failing();
        let error = outermost(&server).await.unwrap_err();
        assert_eq!(server.calls(), 3);
        assert_eq!((error.attempts(), error.reason()), (1, Reason::InnerGaveUp));
        let middle = error.last().unwrap();
        assert_eq!((middle.attempts(), middle.reason()), (1, Reason::InnerGaveUp));
        let innermost = middle.last().unwrap();
        assert_eq!(innermost.end(), (3, ms(150), Reason::AttemptsExhausted));
    }

    #[tokio::test(start_paused = true)]
    async fn failing_bare_hands_up_the_innermost_give_up() {
        let server = Server::failing();
        let error = bare_outermost(&server).await.unwrap_err().gave_up();
        assert_eq!(server.calls(), 3);
        assert_eq!(error.end(), (3, ms(150), Reason::AttemptsExhausted));
        assert!(matches!(error.downcast_last::<StoreError>(), Some(StoreError::Connection(ConnectionError))));
    }

    #[tokio::test(start_paused = true)]
    async fn hung_typed_ends_within_a_share_of_a_share() {
        let (server, start) = (Server::hung(), Instant::now());
        let error = outermost(&server).await.unwrap_err();
        assert_eq!((server.calls(), error.reason()), (3, Reason::InnerGaveUp));
        assert!(start.elapsed() <= ms(1112), "{:?}", start.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn hung_bare_ends_within_a_share_of_a_share() {
        let (server, start) = (Server::hung(), Instant::now());
        bare_outermost(&server).await.unwrap_err().gave_up();
        assert_eq!(server.calls(), 3);
        assert!(start.elapsed() <= ms(1112), "{:?}", start.elapsed());
    }
}

mod three_attempts_around_one {
    use super::*;

    #[retry(attempts = 1)]
    async fn inner(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }

    #[tokio::test(start_paused = true)]
    async fn hung_attempts_end_with_the_outer_total() {
        #[retry(jitter = "none", on = source(ConnectionError))]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            inner(server).await
        }
        let server = Server::hung();
        let error = outer(&server).await.unwrap_err();
        assert_eq!(server.calls(), 3);
        assert_eq!((error.attempts(), error.reason()), (3, Reason::TotalElapsed));
    }

    #[tokio::test(start_paused = true)]
    async fn hung_attempts_are_used_up() {
        #[retry(per_attempt = "100ms", jitter = "none", on = source(ConnectionError))]
        async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
            inner(server).await
        }
        let server = Server::hung();
        let error = outer(&server).await.unwrap_err();
        assert_eq!(server.calls(), 3);
        assert_eq!(error.end(), (3, ms(450), Reason::AttemptsExhausted));
    }
}
