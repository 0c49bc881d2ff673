//! No hopeless attempt: with less than `min_attempt` left the body is not polled, not even once.

use std::error::Error;

use retry_runtime::{Deadline, GaveUp, Reason, RetryError, retry};
use tokio::time::sleep;

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn a_wait_that_reaches_the_deadline_leaves_room_for_an_attempt() {
    #[retry(total = "1s", backoff = "1s", attempts = 5, jitter = "none", on = ConnectionError)]
    async fn half(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(
        total = "1s",
        backoff = "1s",
        attempts = 5,
        jitter = "none",
        per_attempt = "none",
        min_attempt = "600ms",
        on = ConnectionError
    )]
    async fn most(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    half(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 500]);

    let server = Server::failing();
    most(&server).await.unwrap_err();
    assert_eq!(server.starts(), [0, 400]);
}

#[tokio::test(start_paused = true)]
async fn giving_up_before_the_first_attempt_has_no_source_and_a_readable_text() {
    #[retry(total = "10s", attempts = 3, on = ConnectionError)]
    async fn inner(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::ready();
    let error = Deadline::within(ms(0)).scope(inner(&server)).await.unwrap_err();
    assert_eq!(error.end(), (0, ms(0), Reason::InheritedDeadline));
    assert_eq!(server.calls(), 0);
    assert!(error.source().is_none() && error.first().is_none() && error.last().is_none());
    assert!(error.history().is_empty() && error.timed_out());
    let text = error.to_string();
    assert!(!text.is_empty() && !text.contains("1 attempt"), "{text}");
    assert!(!format!("{error:?}").is_empty());
    let gave_up = GaveUp::from(error);
    assert_eq!(gave_up.end(), (0, ms(0), Reason::InheritedDeadline));
    assert!(gave_up.source().is_none() && gave_up.downcast_last::<ConnectionError>().is_none());
}

#[tokio::test(start_paused = true)]
async fn less_than_the_shortest_attempt_is_not_started() {
    #[retry(total = "1s", min_attempt = "300ms", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::ready();
    let error = Deadline::within(ms(299)).scope(fetch(&server)).await.unwrap_err();
    assert_eq!(error.end(), (0, ms(0), Reason::InheritedDeadline));
    assert_eq!(server.calls(), 0);
    assert_eq!(Deadline::within(ms(300)).scope(fetch(&server)).await.unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_failure_at_the_end_of_the_total_is_not_followed_by_a_hopeless_attempt() {
    #[retry(total = "1s", per_attempt = "none", backoff = "none", attempts = 10, on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    for (last, attempts) in [(998, 2), (999, 2), (1000, 1)] {
        // A second attempt that has a millisecond left is allowed; one with nothing left is not.
        let server = Server::new([Step::FailAfter(last), Step::Hang]);
        let error = fetch(&server).await.unwrap_err();
        assert_eq!((server.calls(), error.attempts()), (attempts, attempts), "{last}");
        assert_eq!(error.elapsed(), ms(1000), "{last}");
        assert_eq!(error.reason(), Reason::TotalElapsed);
        assert_eq!(error.last(), Some(&ConnectionError));
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_passes_before_the_first_poll_allows_no_attempt() {
    #[retry(on = ConnectionError, deadline = deadline)]
    async fn fetch(server: &Server, deadline: Deadline) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::ready();
    let call = fetch(&server, Deadline::within(ms(100)));
    sleep(ms(100)).await;
    assert_eq!(call.await.unwrap_err().end(), (0, ms(0), Reason::InheritedDeadline));
    assert_eq!(server.calls(), 0);
}

/// The body is not even entered: what stands before its first await does not run either.
#[tokio::test(start_paused = true)]
async fn an_expired_deadline_runs_no_line_of_the_body() {
    #[retry(on = ConnectionError)]
    async fn fetch(entered: &std::cell::Cell<bool>) -> Result<(), RetryError<ConnectionError>> {
        entered.set(true);
        Ok(())
    }
    let entered = std::cell::Cell::new(false);
    Deadline::within(ms(0)).scope(fetch(&entered)).await.unwrap_err();
    assert!(!entered.get());
}

#[tokio::test(start_paused = true)]
async fn with_one_attempt_an_expired_deadline_allows_none() {
    #[retry(attempts = 1)]
    async fn fetch(server: &Server) -> Result<u32, StoreError> {
        Ok(server.call().await?)
    }
    let server = Server::ready();
    let error = Deadline::within(ms(0)).scope(fetch(&server)).await.unwrap_err().gave_up();
    assert_eq!(error.end(), (0, ms(0), Reason::InheritedDeadline));
    assert_eq!(server.calls(), 0);
}

/// On the real clock, because only there a timer is late: by a millisecond or so, which must not take away the attempt
/// that the wait was shortened for. A busy machine may be later than that, hence one success of many is enough.
#[tokio::test]
async fn a_wait_that_leaves_exactly_the_shortest_attempt_gets_it_though_its_timer_is_late() {
    #[retry(
        total = "20ms",
        min_attempt = "15ms",
        backoff = "19ms",
        attempts = 9,
        jitter = "none",
        on = ConnectionError
    )]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    for _ in 0..100 {
        if fetch(&Server::new([Step::Fail, Step::Succeed])).await.is_ok() {
            return;
        }
    }
    panic!("the last attempt never came");
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_is_later_than_a_tick_leaves_too_little() {
    #[retry(
        total = "100ms",
        min_attempt = "60ms",
        backoff = "90ms",
        attempts = 9,
        jitter = "none",
        on = ConnectionError
    )]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    // The wait is shortened to 40 ms, and the clock jumps over its end.
    for (jump, attempts) in [(40, 2), (41, 2), (42, 2), (43, 1), (99, 1), (1000, 1)] {
        let server = Server::failing();
        let (result, ()) = tokio::join!(fetch(&server), tokio::time::advance(ms(jump)));
        let error = result.unwrap_err();
        assert_eq!(error.end(), (attempts, ms(jump), Reason::TotalElapsed));
        assert_eq!(server.calls(), attempts);
    }
}
