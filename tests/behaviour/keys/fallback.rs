use std::cell::RefCell;
use std::io;
use std::time::Duration;

use retry_runtime::{Deadline, GaveUp, Reason, RetryError, last_error, retry};
use tokio::time::{Instant, sleep};

use crate::support::*;

type Typed = Result<u32, RetryError<ConnectionError>>;

#[tokio::test(start_paused = true)]
async fn it_runs_once_after_the_last_attempt_with_the_whole_error() {
    fn cached(error: RetryError<ConnectionError>) -> Typed {
        Ok(error.attempts() * 10)
    }
    #[retry(backoff = "none", fallback = cached, on = ConnectionError)]
    async fn fetch(server: &Server) -> Typed {
        server.call().await
    }
    let server = Server::failing();
    assert_eq!((fetch(&server).await.unwrap(), server.calls()), (30, 3));
    assert_eq!(fetch(&Server::ready()).await.unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn it_is_not_asked_about_a_permanent_error() {
    #[retry(fallback = |_: RetryError<ConnectionError>| unreachable!("not a give-up"), when = |_: &ConnectionError| false)]
    async fn fetch(server: &Server) -> Typed {
        server.call().await
    }
    assert_eq!(fetch(&Server::failing()).await.unwrap_err().reason(), Reason::NotRetryable);
}

#[tokio::test(start_paused = true)]
async fn every_kind_of_give_up_goes_to_it() {
    fn long_hint(_: &ConnectionError) -> Option<Duration> {
        Some(secs(3600))
    }
    fn note(error: RetryError<ConnectionError>) -> Result<Reason, RetryError<ConnectionError>> {
        Ok(error.reason())
    }
    #[retry(backoff = "none", fallback = note, on = ConnectionError)]
    async fn exhausted(server: &Server) -> Result<Reason, RetryError<ConnectionError>> {
        server.call().await.map(|_| Reason::NotRetryable)
    }
    #[retry(total = "1s", per_attempt = "none", fallback = note, on = ConnectionError)]
    async fn elapsed(server: &Server) -> Result<Reason, RetryError<ConnectionError>> {
        server.call().await.map(|_| Reason::NotRetryable)
    }
    #[retry(idempotent = false, fallback = note, on = ConnectionError)]
    async fn once(server: &Server) -> Result<Reason, RetryError<ConnectionError>> {
        server.call().await.map(|_| Reason::NotRetryable)
    }
    #[retry(retry_after = long_hint, fallback = note, on = ConnectionError)]
    async fn later(server: &Server) -> Result<Reason, RetryError<ConnectionError>> {
        server.call().await.map(|_| Reason::NotRetryable)
    }
    assert_eq!(exhausted(&Server::failing()).await.unwrap(), Reason::AttemptsExhausted);
    assert_eq!(elapsed(&Server::hung()).await.unwrap(), Reason::TotalElapsed);
    assert_eq!(once(&Server::hung()).await.unwrap(), Reason::AttemptTimedOut);
    assert_eq!(later(&Server::failing()).await.unwrap(), Reason::RetryAfterTooLong);
    let scope = Deadline::within(ms(0));
    assert_eq!(scope.scope(elapsed(&Server::hung())).await.unwrap(), Reason::InheritedDeadline);
}

#[tokio::test(start_paused = true)]
async fn the_give_up_of_an_inner_call_goes_to_it_too() {
    #[retry(backoff = "none", on = ConnectionError)]
    async fn inner(server: &Server) -> Typed {
        server.call().await
    }
    fn note(
        error: RetryError<RetryError<ConnectionError>>,
    ) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
        assert_eq!(error.reason(), Reason::InnerGaveUp);
        Ok(error.into_last().unwrap().attempts() * 100)
    }
    #[retry(backoff = "none", fallback = note, on = _)]
    async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
        inner(server).await
    }
    assert_eq!(outer(&Server::failing()).await.unwrap(), 300);
}

#[tokio::test(start_paused = true)]
async fn a_closure_may_use_the_arguments() {
    #[retry(backoff = "none", fallback = |_| Ok(*stale), on = ConnectionError)]
    async fn fetch(server: &Server, stale: &u32) -> Typed {
        server.call().await
    }
    assert_eq!(fetch(&Server::failing(), &77).await.unwrap(), 77);
}

#[tokio::test(start_paused = true)]
async fn it_maps_into_a_foreign_error_that_has_no_place_for_a_give_up() {
    #[derive(Debug, PartialEq)]
    enum Foreign {
        Refused,
        OutOfTime(u32),
    }
    #[retry(
        per_attempt = "100ms",
        backoff = "none",
        on = Foreign::Refused,
        fallback = |error| Err(Foreign::OutOfTime(error.attempts()))
    )]
    async fn fetch(server: &Server) -> Result<u32, Foreign> {
        server.call().await.map_err(|_| Foreign::Refused)
    }
    assert_eq!(fetch(&Server::hung()).await.unwrap_err(), Foreign::OutOfTime(3));
    assert_eq!(fetch(&Server::new([Step::Fail, Step::Succeed])).await.unwrap(), 2);
}

#[tokio::test(start_paused = true)]
async fn in_the_bare_form_it_gets_the_bodys_error_typed() {
    fn cached(error: RetryError<StoreError>) -> Result<u32, StoreError> {
        match error.last() {
            Some(StoreError::Connection(_)) => Ok(5),
            _ => Err(GaveUp::from(error).into()),
        }
    }
    #[retry(per_attempt = "100ms", backoff = "none", fallback = cached, on = StoreError::Connection(_))]
    async fn fetch(server: &Server) -> Result<u32, StoreError> {
        Ok(server.call().await?)
    }
    assert_eq!(fetch(&Server::failing()).await.unwrap(), 5);
    assert_eq!(fetch(&Server::hung()).await.unwrap_err().gave_up().attempts(), 3);
}

mod last {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_last_error_comes_back_unchanged() {
        #[retry(backoff = "none", fallback = last_error, on = StoreError::Connection(_))]
        async fn fetch(server: &Server) -> Result<u32, StoreError> {
            Ok(server.call().await?)
        }
        #[retry(backoff = "none", fallback = retry_runtime::last_error, on = _)]
        async fn read() -> io::Result<u32> {
            Err(io::Error::from_raw_os_error(104))
        }
        let server = Server::failing();
        assert!(matches!(fetch(&server).await.unwrap_err(), StoreError::Connection(ConnectionError)));
        assert_eq!(server.calls(), 3);
        assert_eq!(read().await.unwrap_err().raw_os_error(), Some(104));
    }

    #[tokio::test(start_paused = true)]
    async fn without_any_error_the_give_up_comes_back() {
        #[retry(per_attempt = "100ms", backoff = "none", fallback = last_error, on = StoreError::Connection(_))]
        async fn fetch(server: &Server) -> Result<u32, StoreError> {
            Ok(server.call().await?)
        }
        let gave_up = fetch(&Server::hung()).await.unwrap_err().gave_up();
        assert_eq!(gave_up.end(), (3, ms(300), Reason::AttemptsExhausted));
    }
}

mod asynchronous {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_closure_is_awaited() {
        #[retry(
            backoff = "none",
            on = ConnectionError,
            fallback = async |error: RetryError<ConnectionError>| {
                sleep(ms(20)).await;
                match other.call().await {
                    Ok(number) => Ok(number + error.attempts()),
                    Err(_) => Err(error),
                }
            }
        )]
        async fn fetch(server: &Server, other: &Server) -> Typed {
            server.call().await
        }
        let start = Instant::now();
        assert_eq!(fetch(&Server::failing(), &Server::ready()).await.unwrap(), 4);
        assert_eq!(start.elapsed(), ms(20));
        let error = fetch(&Server::failing(), &Server::failing()).await.unwrap_err();
        assert_eq!(error.end(), (3, ms(0), Reason::AttemptsExhausted));
    }

    #[tokio::test(start_paused = true)]
    async fn it_runs_in_the_scope_of_the_call_but_is_not_cut() {
        #[retry(
            total = "100ms",
            per_attempt = "none",
            on = ConnectionError,
            fallback = async |_: RetryError<ConnectionError>| {
                let left = Deadline::current().unwrap();
                seen.borrow_mut().push((left.is_expired(), left.remaining()));
                sleep(ms(500)).await;
                Ok(9)
            }
        )]
        async fn fetch(server: &Server, seen: &RefCell<Vec<(bool, Duration)>>) -> Typed {
            let _ = &seen;
            server.call().await
        }
        let (seen, start) = (RefCell::default(), Instant::now());
        assert_eq!(fetch(&Server::hung(), &seen).await.unwrap(), 9);
        assert_eq!(start.elapsed(), ms(600));
        assert_eq!(*seen.borrow(), [(true, ms(0))]);
    }

    #[tokio::test(start_paused = true)]
    async fn calls_in_it_see_what_is_left_of_the_time() {
        #[retry(per_attempt = "none", on = ConnectionError)]
        async fn replica(server: &Server) -> Typed {
            server.call().await
        }
        #[retry(
            total = "300ms",
            per_attempt = "50ms",
            attempts = 2,
            backoff = "none",
            on = ConnectionError,
            fallback = async move |_: RetryError<ConnectionError>| replica(server).await
        )]
        async fn fetch(server: &Server) -> Typed {
            server.call().await
        }
        let error = fetch(&Server::hung()).await.unwrap_err();
        assert_eq!(error.end(), (1, ms(200), Reason::InheritedDeadline));
    }

    #[tokio::test(start_paused = true)]
    async fn under_an_expired_deadline_it_runs_all_the_same() {
        #[retry(
            on = ConnectionError,
            fallback = async |error: RetryError<ConnectionError>| {
                assert!(Deadline::current().unwrap().is_expired());
                Ok(error.attempts() + 40)
            }
        )]
        async fn fetch(server: &Server) -> Typed {
            server.call().await
        }
        let server = Server::ready();
        assert_eq!(Deadline::within(ms(0)).scope(fetch(&server)).await.unwrap(), 40);
        assert_eq!(server.calls(), 0);
    }
}
