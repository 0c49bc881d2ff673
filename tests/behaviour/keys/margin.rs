use std::time::Duration;

use retry_runtime::{Deadline, Reason, RetryError, retry};

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn a_literal_a_constant_and_an_expression() {
    const KEEP: Duration = Duration::from_millis(30);
    #[retry(per_attempt = "none", margin = "20ms", on = ConnectionError)]
    async fn literal(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(per_attempt = "none", margin = KEEP, on = ConnectionError)]
    async fn constant(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(per_attempt = "none", margin = keep, on = ConnectionError)]
    async fn run_time(server: &Server, keep: Option<Duration>) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::hung();
    let error = Deadline::within(ms(200)).scope(literal(&server)).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(180), Reason::InheritedDeadline));
    let error = Deadline::within(ms(200)).scope(constant(&server)).await.unwrap_err();
    assert_eq!(error.elapsed(), ms(170));
    let error = Deadline::within(ms(200)).scope(run_time(&server, Some(ms(40)))).await.unwrap_err();
    assert_eq!(error.elapsed(), ms(160));
    let error = Deadline::within(ms(200)).scope(run_time(&server, None)).await.unwrap_err();
    assert_eq!(error.elapsed(), ms(200));
}

#[tokio::test(start_paused = true)]
async fn it_is_taken_off_an_explicit_deadline_and_not_off_the_own_total() {
    #[retry(total = "1s", per_attempt = "none", margin = "20ms", deadline = deadline, on = ConnectionError)]
    async fn fetch(server: &Server, deadline: Option<Deadline>) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let error = fetch(&Server::hung(), Some(Deadline::within(ms(200)))).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(180), Reason::InheritedDeadline));
    let error = fetch(&Server::hung(), None).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(1000), Reason::TotalElapsed));
}

#[tokio::test(start_paused = true)]
async fn a_margin_longer_than_what_is_left_allows_no_attempt() {
    #[retry(margin = "200ms", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    for left in [100, 200] {
        let server = Server::ready();
        let error = Deadline::within(ms(left)).scope(fetch(&server)).await.unwrap_err();
        assert_eq!((error.end(), server.calls()), ((0, ms(0), Reason::InheritedDeadline), 0));
    }
    assert_eq!(Deadline::within(ms(201)).scope(fetch(&Server::ready())).await.unwrap(), 1);
}
