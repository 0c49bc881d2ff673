//! The value wins: a result that is ready at the limit is the result.

use retry_runtime::{Reason, RetryError, retry};
use tokio::sync::Semaphore;
use tokio::time::{Instant, advance, sleep};

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn a_value_ready_exactly_at_the_limit_is_the_result() {
    #[retry(total = "1s", per_attempt = "200ms", jitter = "none", on = ConnectionError)]
    async fn limited(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "200ms", per_attempt = "none", on = ConnectionError)]
    async fn whole(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(limited(&Server::new([Step::SucceedAfter(200)])).await.unwrap(), 1);
    assert_eq!(whole(&Server::new([Step::SucceedAfter(200)])).await.unwrap(), 1);
    let server = Server::new([Step::SucceedAfter(201), Step::SucceedAfter(200)]);
    assert_eq!(limited(&server).await.unwrap(), 2);
    assert_eq!(whole(&Server::new([Step::SucceedAfter(201)])).await.unwrap_err().elapsed(), ms(200));
}

#[tokio::test(start_paused = true)]
async fn an_error_ready_exactly_at_the_limit_is_the_outcome() {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 1)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::new([Step::FailAfter(200)])).await.unwrap_err();
    assert_eq!(error.last(), Some(&ConnectionError));
    assert!(!error.timed_out());
}

/// Blocks in real time, because that is what cannot be cut.
#[tokio::test]
async fn a_body_that_blocks_the_thread_keeps_its_late_value() {
    #[retry(per_attempt = "10ms", attempts = 3, on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        std::thread::sleep(ms(50));
        server.call().await
    }
    assert_eq!(fetch(&Server::ready()).await.unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_late_value_after_a_jump_of_the_clock_is_the_result() {
    #[retry(total = "1s", attempts = 3, on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        advance(secs(60)).await;
        server.call().await
    }
    let server = Server::ready();
    assert_eq!(fetch(&server).await.unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_late_error_is_kept_and_the_total_is_named() {
    #[retry(total = "1s", attempts = 3, on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        advance(secs(60)).await;
        server.call().await
    }
    let error = fetch(&Server::failing()).await.unwrap_err();
    assert_eq!(error.end(), (1, secs(60), Reason::TotalElapsed));
    assert_eq!(error.last(), Some(&ConnectionError));
}

/// On the real clock: a paused one does not move while a task is busy.
#[tokio::test]
async fn a_body_that_spends_the_cooperative_budget_is_cut() {
    #[retry(total = "60ms", per_attempt = "20ms", backoff = "none", on = ConnectionError)]
    async fn spin(permits: &Semaphore) -> Result<u32, RetryError<ConnectionError>> {
        loop {
            // Always ready, but every acquisition spends budget.
            drop(permits.acquire().await);
        }
    }
    let start = Instant::now();
    let error = spin(&Semaphore::new(1)).await.unwrap_err();
    assert!(error.timed_out() && error.attempts() >= 2, "{error}");
    assert!(start.elapsed() >= ms(59) && start.elapsed() < secs(2), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_value_at_the_deadline_of_the_caller_is_the_result() {
    #[retry(total = "1s", per_attempt = "none", on = ConnectionError)]
    async fn inner(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "100ms", attempts = 1)]
    async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
        inner(server).await
    }
    assert_eq!(outer(&Server::new([Step::SucceedAfter(100)])).await.unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn two_timers_at_the_same_instant_end_with_the_value() {
    #[retry(total = "100ms", per_attempt = "none", on = ConnectionError)]
    async fn fetch() -> Result<&'static str, RetryError<ConnectionError>> {
        tokio::select! {
            biased;
            () = sleep(ms(100)) => Ok("from the body"),
            () = sleep(ms(200)) => Ok("too late"),
        }
    }
    assert_eq!(fetch().await.unwrap(), "from the body");
}
