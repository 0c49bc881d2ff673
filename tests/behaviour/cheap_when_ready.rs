//! Cheap when ready: no timer where none is needed. Allocations and instructions are counted in `cheap/`.

use retry_runtime::{Reason, RetryError, retry};
use tokio::time::Instant;

use crate::support::*;

#[retry(total = "1s", per_attempt = "200ms", attempts = 5, on = ConnectionError)]
async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
    server.call().await
}

fn without_timers<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(test)
}

#[test]
fn a_first_attempt_that_is_ready_needs_no_timer() {
    without_timers(async {
        assert_eq!(fetch(&Server::ready()).await.unwrap(), 1);
    });
}

#[test]
fn a_call_needs_no_runtime_at_all_while_it_is_ready() {
    let server = Server::ready();
    let mut call = std::pin::pin!(fetch(&server));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(matches!(call.as_mut().poll(&mut context), std::task::Poll::Ready(Ok(1))));
}

#[test]
fn a_permanent_failure_needs_no_timer() {
    #[retry(when = |_: &ConnectionError| false)]
    async fn permanent(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    without_timers(async {
        assert_eq!(permanent(&Server::failing()).await.unwrap_err().reason(), Reason::NotRetryable);
    });
}

#[test]
fn a_wait_of_zero_needs_no_timer() {
    #[retry(attempts = 100, backoff = "none", on = ConnectionError)]
    async fn none(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(attempts = 100, backoff = ms(0), on = ConnectionError)]
    async fn zero(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    without_timers(async {
        assert_eq!(none(&Server::failing()).await.unwrap_err().attempts(), 100);
        assert_eq!(zero(&Server::failing()).await.unwrap_err().attempts(), 100);
    });
}

/// On the real clock: `sleep(0)` would cost a millisecond for each of the waits.
#[tokio::test]
async fn a_thousand_waits_of_zero_do_not_take_a_second() {
    #[retry(attempts = 1000, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let start = Instant::now();
    assert_eq!(fetch(&Server::failing()).await.unwrap_err().attempts(), 1000);
    assert!(start.elapsed() < ms(500), "{:?}", start.elapsed());
}
