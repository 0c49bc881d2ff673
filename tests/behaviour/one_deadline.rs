//! One deadline: the earliest of own total, inherited and explicit; nothing restarts the countdown.

use std::sync::Mutex;
use std::time::Duration;

use retry_runtime::{Deadline, Reason, RetryError, retry};
use tokio::time::{Instant, sleep};

use crate::support::*;

type Log = Mutex<Vec<(Duration, Reason)>>;

#[tokio::test(start_paused = true)]
async fn the_default_total_is_ten_seconds_and_the_text_says_so() {
    #[retry(backoff = "none", on = ConnectionError)]
    async fn job(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::new([Step::FailAfter(3_600_000)]);
    let error = job(&server).await.unwrap_err();
    assert_eq!((error.attempts(), error.elapsed().as_secs()), (3, 10));
    assert_eq!(error.reason(), Reason::TotalElapsed);
    assert!(error.to_string().contains("total of 10s"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_callee_never_outlives_its_caller() {
    #[retry(total = "10s", on = ConnectionError)]
    async fn long(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "100ms", on = ConnectionError)]
    async fn short(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "300ms", attempts = 1)]
    async fn outer(server: &Server, log: &Log) -> Result<u32, RetryError<ConnectionError>> {
        for error in [short(server).await.unwrap_err(), long(server).await.unwrap_err()] {
            log.lock().unwrap().push((error.elapsed(), error.reason()));
        }
        Err(ConnectionError)
    }
    let (server, log) = (Server::hung(), Log::default());
    let error = outer(&server, &log).await.unwrap_err();
    assert_eq!(*log.lock().unwrap(), [(ms(100), Reason::TotalElapsed), (ms(200), Reason::InheritedDeadline)]);
    assert_eq!(error.elapsed(), ms(300));
}

#[tokio::test(start_paused = true)]
async fn the_earliest_of_three_deadlines_holds() {
    #[retry(total = own, deadline = explicit, per_attempt = "none", on = ConnectionError)]
    async fn fetch(
        server: &Server,
        own: Duration,
        explicit: Deadline,
    ) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let earliest = [
        (100, 200, 300, Reason::TotalElapsed),
        (200, 100, 300, Reason::InheritedDeadline),
        (300, 200, 100, Reason::InheritedDeadline),
        (100, 300, 200, Reason::TotalElapsed),
    ];
    for (own, explicit, inherited, reason) in earliest {
        let server = Server::hung();
        let call = fetch(&server, ms(own), Deadline::within(ms(explicit)));
        let error = Deadline::within(ms(inherited)).scope(call).await.unwrap_err();
        assert_eq!(error.end(), (1, ms(100), reason), "{own} {explicit} {inherited}");
    }
}

#[tokio::test(start_paused = true)]
async fn slow_attempts_count_towards_the_total() {
    #[retry(total = "1s", per_attempt = "none", attempts = 10, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::new([Step::FailAfter(400)]);
    let error = fetch(&server).await.unwrap_err();
    assert_eq!(error.end(), (3, ms(1000), Reason::TotalElapsed));
    assert_eq!(server.starts(), [0, 400, 800]);
}

#[tokio::test(start_paused = true)]
async fn time_spent_before_the_call_is_gone() {
    #[retry(total = "1s", per_attempt = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::hung();
    let handler = async {
        sleep(ms(150)).await;
        fetch(&server).await.unwrap_err()
    };
    let start = Instant::now();
    let error = Deadline::within(ms(200)).scope(handler).await;
    assert_eq!((error.elapsed(), start.elapsed()), (ms(50), ms(200)));
    assert_eq!(error.reason(), Reason::InheritedDeadline);
}

#[tokio::test(start_paused = true)]
async fn a_wider_scope_inside_a_narrow_one_changes_nothing() {
    #[retry(total = "1s", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::hung();
    let wide = Deadline::within(secs(60)).scope(fetch(&server));
    let error = Deadline::within(ms(200)).scope(wide).await.unwrap_err();
    assert_eq!((error.elapsed(), error.reason()), (ms(200), Reason::InheritedDeadline));
}

#[tokio::test(start_paused = true)]
async fn each_level_takes_off_its_own_margin() {
    #[retry(per_attempt = "none", attempts = 1, margin = "10ms")]
    async fn inner(server: &Server, log: &Log) -> Result<u32, RetryError<ConnectionError>> {
        log.lock().unwrap().push((left(), Reason::InheritedDeadline));
        server.call().await
    }
    #[retry(per_attempt = "none", attempts = 1, margin = "20ms")]
    async fn outer(server: &Server, log: &Log) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
        log.lock().unwrap().push((left(), Reason::InheritedDeadline));
        let error = inner(server, log).await.unwrap_err();
        log.lock().unwrap().push((error.elapsed(), error.reason()));
        Err(error)
    }
    fn left() -> Duration {
        Deadline::current().unwrap().remaining()
    }
    let (server, log) = (Server::hung(), Log::default());
    let error = Deadline::within(ms(200)).scope(outer(&server, &log)).await.unwrap_err();
    let times: Vec<_> = log.lock().unwrap().iter().map(|entry| entry.0).collect();
    assert_eq!(times, [ms(180), ms(170), ms(170)]);
    assert_eq!(error.elapsed(), ms(170));
}

#[tokio::test(start_paused = true)]
async fn the_attempts_of_an_outer_call_do_not_restart_the_total() {
    #[retry(total = "500ms", per_attempt = "200ms", backoff = "none", attempts = 9, on = ConnectionError)]
    async fn outer(server: &Server, log: &Mutex<Vec<Duration>>) -> Result<u32, RetryError<ConnectionError>> {
        log.lock().unwrap().push(Deadline::current().unwrap().remaining());
        server.call().await
    }
    let log = Mutex::default();
    outer(&Server::hung(), &log).await.unwrap_err();
    assert_eq!(*log.lock().unwrap(), [ms(200), ms(200), ms(100)]);
}
