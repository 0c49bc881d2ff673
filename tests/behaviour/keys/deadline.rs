use retry_runtime::{Deadline, Reason, RetryError, retry};
use tokio::time::{Instant, sleep};

use crate::support::*;

struct Request {
    deadline: Option<Deadline>,
}

#[retry(total = "1s", per_attempt = "none", deadline = request.deadline, on = ConnectionError)]
async fn handle(server: &Server, request: &Request) -> Result<u32, RetryError<ConnectionError>> {
    server.call().await
}

#[tokio::test(start_paused = true)]
async fn it_tightens_the_call_and_is_named() {
    let request = Request { deadline: Some(Deadline::within(ms(300))) };
    sleep(ms(100)).await;
    let error = handle(&Server::hung(), &request).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(200), Reason::InheritedDeadline));
}

#[tokio::test(start_paused = true)]
async fn it_never_extends_a_call() {
    let request = Request { deadline: Some(Deadline::within(secs(60))) };
    let error = handle(&Server::hung(), &request).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(1000), Reason::TotalElapsed));
    let scoped = Deadline::within(ms(50)).scope(handle(&Server::hung(), &request)).await.unwrap_err();
    assert_eq!(scoped.end(), (1, ms(50), Reason::InheritedDeadline));
}

#[tokio::test(start_paused = true)]
async fn none_is_no_deadline() {
    let error = handle(&Server::hung(), &Request { deadline: None }).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(1000), Reason::TotalElapsed));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_itself_and_an_expression_of_it() {
    #[retry(per_attempt = "none", deadline = Deadline::at(at).reserve(ms(10)), on = ConnectionError)]
    async fn fetch(server: &Server, at: Instant) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::hung(), Instant::now() + ms(110)).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(100), Reason::InheritedDeadline));
}

#[tokio::test(start_paused = true)]
async fn it_holds_for_calls_below() {
    #[retry(per_attempt = "none", on = ConnectionError)]
    async fn below(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(attempts = 1, deadline = deadline)]
    async fn above(server: &Server, deadline: Deadline) -> Result<u128, RetryError<ConnectionError>> {
        Ok(below(server).await.unwrap_err().elapsed().as_millis())
    }
    assert_eq!(above(&Server::hung(), Deadline::within(ms(123))).await.unwrap(), 123);
}
