//! What the closures of the attribute may do: move, borrow and change the function's arguments, and infer their types.

use std::fmt;

use retry_runtime::{Reason, RetryError, retry};

#[derive(Clone, Debug, PartialEq)]
struct Status(u32);

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "status {}", self.0)
    }
}

impl std::error::Error for Status {}

async fn ask(number: u32) -> Result<u32, Status> {
    if number == 0 { Err(Status(1)) } else { Ok(number) }
}

fn is_send<T: Send>(call: T) -> T {
    call
}

#[tokio::test(start_paused = true)]
async fn with_one_attempt_a_closure_may_consume() {
    #[retry(attempts = 1, when = move |error: &Status| { drop(name); error.0 == 1 })]
    async fn f(name: String) -> Result<u32, RetryError<Status>> {
        ask(0).await
    }
    let error = is_send(f("a".to_owned())).await.unwrap_err();
    assert_eq!(error.reason(), Reason::AttemptsExhausted);
}

#[tokio::test(start_paused = true)]
async fn it_may_change_an_argument() {
    #[retry(attempts = 3, backoff = "none", when = |error| { *count += 1; error.0 == 1 })]
    async fn f(count: &mut u32) -> Result<u32, RetryError<Status>> {
        ask(0).await
    }
    let mut count = 0;
    assert_eq!(is_send(f(&mut count)).await.unwrap_err().attempts(), 3);
    assert_eq!(count, 3);
}

#[tokio::test(start_paused = true)]
async fn all_questions_and_an_async_fallback() {
    #[retry(
        attempts = 3, backoff = "none", on = _, when_ok = |value| *value == limit,
        retry_after = |error| { let _ = error.0; None }, retry_after_ok = |value| { let _ = *value; None },
        fallback = async |give_up| { tokio::task::yield_now().await; Ok(give_up.attempts()) }
    )]
    async fn f(limit: u32, number: u32) -> Result<u32, RetryError<Status>> {
        ask(number).await
    }
    assert_eq!(is_send(f(3, 3)).await.unwrap(), 3, "the value that was kept");
    assert_eq!(is_send(f(4, 5)).await.unwrap(), 5);
    assert_eq!(is_send(f(9, 0)).await.unwrap(), 3, "the attempts that the fallback was told");
}

#[tokio::test(start_paused = true)]
async fn a_generic_error_and_an_argument_that_is_compared() {
    #[retry(attempts = 2, backoff = "none", when = |error| error.to_string() == *tag)]
    async fn f<X: fmt::Display + fmt::Debug + Clone>(error: X, tag: &str) -> Result<u32, RetryError<X>> {
        Err(error.clone())
    }
    assert_eq!(is_send(f("x", "x")).await.unwrap_err().attempts(), 2);
    assert_eq!(is_send(f("x", "y")).await.unwrap_err().reason(), Reason::NotRetryable);
}
