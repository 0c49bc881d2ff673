//! No state is hidden: a call knows nothing of the calls before it or beside it.

use std::sync::Arc;

use retry_runtime::{Deadline, Reason, RetryError, retry};

use crate::support::*;

#[retry(total = "1s", per_attempt = "200ms", attempts = 5, jitter = "none", on = ConnectionError)]
async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
    server.call().await
}

#[tokio::test(start_paused = true)]
async fn a_hundred_failed_calls_leave_the_next_one_as_it_was() {
    for _ in 0..100 {
        assert_eq!(fetch(&Server::hung()).await.unwrap_err().end(), (4, ms(1000), Reason::TotalElapsed));
    }
    assert_eq!(fetch(&Server::new([Step::Fail, Step::Succeed])).await.unwrap(), 2);
    assert_eq!(fetch(&Server::failing()).await.unwrap_err().end(), (5, ms(750), Reason::AttemptsExhausted));
}

#[tokio::test(start_paused = true)]
async fn calls_at_the_same_time_do_not_share_attempts_or_time() {
    let mut tasks = Vec::new();
    for i in 0..50_u64 {
        tasks.push(tokio::spawn(async move {
            tokio::time::sleep(ms(i)).await;
            fetch(&Server::hung()).await.unwrap_err().end()
        }));
    }
    for task in tasks {
        assert_eq!(task.await.unwrap(), (4, ms(1000), Reason::TotalElapsed));
    }
}

#[tokio::test(start_paused = true)]
async fn the_deadline_of_one_task_is_not_seen_by_another() {
    let server = Arc::new(Server::hung());
    let other = Arc::clone(&server);
    let hurried =
        tokio::spawn(async move { Deadline::within(ms(50)).scope(fetch(&other)).await.unwrap_err().end() });
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (4, ms(1000), Reason::TotalElapsed));
    assert_eq!(hurried.await.unwrap(), (1, ms(50), Reason::InheritedDeadline));
}

#[test]
fn one_function_serves_any_number_of_runtimes() {
    for _ in 0..3 {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let error = runtime.block_on(async { fetch(&Server::hung()).await.unwrap_err() });
        assert_eq!(error.end(), (4, ms(1000), Reason::TotalElapsed));
    }
}

/// A generated `static` could not mention the type parameter.
#[tokio::test(start_paused = true)]
async fn each_instance_of_a_generic_function_stands_alone() {
    #[retry(attempts = 2, backoff = "none", on = ConnectionError)]
    async fn fetch<T: Default>(server: &Server) -> Result<T, RetryError<ConnectionError>> {
        server.call().await.map(|_| T::default())
    }
    let server = Server::new([Step::Fail, Step::Succeed]);
    assert_eq!(fetch::<u8>(&server).await.unwrap(), 0);
    assert_eq!(fetch::<String>(&Server::failing()).await.unwrap_err().attempts(), 2);
}
