use std::cell::Cell;
use std::time::Duration;

use retry_runtime::{Deadline, Reason, RetryError, retry};
use tokio::time::sleep;

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn a_literal_in_any_unit() {
    #[retry(total = "250000000ns", per_attempt = "none", on = ConnectionError)]
    async fn nanoseconds(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "250000us", per_attempt = "none", on = ConnectionError)]
    async fn microseconds(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "250ms", per_attempt = "none", on = ConnectionError)]
    async fn milliseconds(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "1m 30s", per_attempt = "none", on = ConnectionError)]
    async fn mixed(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "2h", per_attempt = "none", on = ConnectionError)]
    async fn hours(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "3d", per_attempt = "none", on = ConnectionError)]
    async fn days(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::hung();
    assert_eq!(nanoseconds(&server).await.unwrap_err().elapsed(), ms(250));
    assert_eq!(microseconds(&server).await.unwrap_err().elapsed(), ms(250));
    assert_eq!(milliseconds(&server).await.unwrap_err().elapsed(), ms(250));
    assert_eq!(mixed(&server).await.unwrap_err().elapsed(), secs(90));
    assert_eq!(hours(&server).await.unwrap_err().elapsed(), secs(7_200));
    assert_eq!(days(&server).await.unwrap_err().elapsed(), secs(259_200));
}

#[tokio::test(start_paused = true)]
async fn a_constant() {
    const LIMIT: Duration = Duration::from_millis(300);
    #[retry(total = LIMIT, per_attempt = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::hung()).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(300), Reason::TotalElapsed));
    assert!(error.to_string().contains("total of 300ms"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_expression_of_an_argument() {
    #[retry(total = limit * 2, per_attempt = "none", on = ConnectionError)]
    async fn fetch(server: &Server, limit: Duration) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(fetch(&Server::hung(), ms(50)).await.unwrap_err().elapsed(), ms(100));
    assert_eq!(fetch(&Server::hung(), ms(70)).await.unwrap_err().elapsed(), ms(140));
}

#[tokio::test(start_paused = true)]
async fn an_expression_of_self() {
    struct Client {
        patience: Option<Duration>,
    }
    impl Client {
        #[retry(total = self.patience, per_attempt = "none", on = ConnectionError)]
        async fn fetch(&self, server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
    }
    let (patient, default) = (Client { patience: Some(ms(700)) }, Client { patience: None });
    assert_eq!(patient.fetch(&Server::hung()).await.unwrap_err().elapsed(), ms(700));
    assert_eq!(default.fetch(&Server::hung()).await.unwrap_err().elapsed(), secs(10));
}

#[tokio::test(start_paused = true)]
async fn none_runs_until_the_attempts_are_used_up_or_the_caller_has_no_more_time() {
    #[retry(
        total = "none",
        per_attempt = "100ms",
        attempts = 50,
        backoff = "1m",
        max_backoff = "1m",
        jitter = "none",
        on = ConnectionError
    )]
    async fn background(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = background(&Server::hung()).await.unwrap_err();
    assert_eq!(error.end(), (50, ms(50 * 100 + 49 * 60_000), Reason::AttemptsExhausted));

    let error = Deadline::within(ms(90)).scope(background(&Server::hung())).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(90), Reason::InheritedDeadline));
}

#[tokio::test(start_paused = true)]
async fn an_expression_is_evaluated_once_at_the_first_poll() {
    #[retry(total = patience(evaluated), per_attempt = "50ms", backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server, evaluated: &Cell<u32>) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    fn patience(evaluated: &Cell<u32>) -> Duration {
        evaluated.set(evaluated.get() + 1);
        secs(1)
    }
    let (server, evaluated) = (Server::failing(), Cell::new(0));
    let call = fetch(&server, &evaluated);
    assert_eq!(evaluated.get(), 0);
    call.await.unwrap_err();
    assert_eq!((server.calls(), evaluated.get()), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn expressions_are_evaluated_in_the_order_written() {
    use std::cell::RefCell;
    #[retry(
        per_attempt = note(order, "per_attempt", 50),
        total = note(order, "total", 1000),
        backoff = note(order, "backoff", 10),
        attempts = { order.borrow_mut().push("attempts"); 2 },
        on = ConnectionError
    )]
    async fn fetch(order: &RefCell<Vec<&'static str>>) -> Result<u32, RetryError<ConnectionError>> {
        order.borrow_mut().push("body");
        Err(ConnectionError)
    }
    fn note(order: &RefCell<Vec<&'static str>>, key: &'static str, value: u64) -> Duration {
        order.borrow_mut().push(key);
        ms(value)
    }
    let order = RefCell::default();
    fetch(&order).await.unwrap_err();
    assert_eq!(*order.borrow(), ["per_attempt", "total", "backoff", "attempts", "body", "body"]);
}

#[tokio::test(start_paused = true)]
async fn zero_at_run_time_is_no_panic() {
    #[retry(total = Duration::ZERO, on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::hung()).await.unwrap_err();
    assert_eq!(error.reason(), Reason::TotalElapsed);
    assert!(error.elapsed() <= ms(1), "{error}");
}

#[tokio::test(start_paused = true)]
async fn twenty_attempts_in_a_second_are_a_safety_net_not_a_mistake() {
    #[retry(total = "1s", attempts = 20, on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        sleep(ms(300)).await;
        server.call().await
    }
    let error = fetch(&Server::failing()).await.unwrap_err();
    assert_eq!(error.reason(), Reason::TotalElapsed);
    assert!(error.elapsed() <= secs(1) && error.attempts() < 20, "{error}");
}

#[tokio::test(start_paused = true)]
async fn none_needs_no_wait_beside_hedge() {
    #[retry(total = "none", per_attempt = "1s", attempts = 2, hedge = "50ms", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::hung()).await.unwrap_err();
    assert_eq!(error.end(), (2, ms(1_050), Reason::AttemptsExhausted));
}
