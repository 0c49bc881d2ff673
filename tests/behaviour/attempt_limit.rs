//! Every attempt is limited to the smaller of its own limit and what is left.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

use cooked_waker::{IntoWaker, Wake, WakeRef};

use retry_runtime::{Attempt, Deadline, Reason, RetryError, retry};

use crate::support::*;

type Limits = Mutex<Vec<Duration>>;

fn note(limits: &Limits) {
    limits.lock().unwrap().push(Attempt::current().unwrap().limit());
}

#[tokio::test(start_paused = true)]
async fn a_limit_lets_one_hung_server_be_tried_again() {
    #[retry(total = "1s", per_attempt = "none", attempts = 10, backoff = "none", on = ConnectionError)]
    async fn alone(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "1s", per_attempt = "200ms", attempts = 10, backoff = "none", on = ConnectionError)]
    async fn limited(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "1s", attempts = 10, backoff = "none", on = ConnectionError)]
    async fn shared(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::hung();
    let error = alone(&server).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(1000), Reason::TotalElapsed));
    let text = error.to_string();
    assert!(text.contains("total of 1s") && text.contains("1 attempt"), "{text}");
    assert_eq!(limited(&server).await.unwrap_err().end(), (5, ms(1000), Reason::TotalElapsed));
    assert_eq!(shared(&server).await.unwrap_err().end(), (10, ms(1000), Reason::TotalElapsed));
}

#[tokio::test(start_paused = true)]
async fn a_limit_is_clipped_to_what_is_left() {
    #[retry(total = "500ms", per_attempt = "200ms", attempts = 9, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server, limits: &Limits) -> Result<u32, RetryError<ConnectionError>> {
        note(limits);
        server.call().await
    }
    let limits = Limits::default();
    fetch(&Server::hung(), &limits).await.unwrap_err();
    assert_eq!(*limits.lock().unwrap(), [ms(200), ms(200), ms(100)]);
}

#[tokio::test(start_paused = true)]
async fn a_limit_is_clipped_to_an_inherited_deadline() {
    #[retry(total = "5s", per_attempt = "200ms", attempts = 9, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server, limits: &Limits) -> Result<u32, RetryError<ConnectionError>> {
        note(limits);
        server.call().await
    }
    let limits = Limits::default();
    let server = Server::hung();
    let call = fetch(&server, &limits);
    let error = Deadline::within(ms(250)).scope(call).await.unwrap_err();
    assert_eq!(error.end(), (2, ms(250), Reason::InheritedDeadline));
    assert_eq!(*limits.lock().unwrap(), [ms(200), ms(50)]);
}

#[tokio::test(start_paused = true)]
async fn time_that_an_attempt_did_not_use_goes_to_the_others() {
    #[retry(total = "1s", attempts = 4, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server, limits: &Limits) -> Result<u32, RetryError<ConnectionError>> {
        note(limits);
        server.call().await
    }
    let limits = Limits::default();
    let server = Server::new([Step::FailAfter(100), Step::Hang, Step::FailAfter(100), Step::Hang]);
    let error = fetch(&server, &limits).await.unwrap_err();
    assert_eq!(*limits.lock().unwrap(), [ms(250), ms(300), ms(300), ms(500)]);
    assert_eq!((error.attempts(), error.elapsed()), (4, ms(1000)));
}

#[tokio::test(start_paused = true)]
async fn a_share_is_never_below_the_shortest_attempt() {
    #[retry(
        total = "1s",
        attempts = 1000,
        min_attempt = "300ms",
        backoff = "none",
        on = ConnectionError
    )]
    async fn fetch(server: &Server, limits: &Limits) -> Result<u32, RetryError<ConnectionError>> {
        note(limits);
        server.call().await
    }
    let limits = Limits::default();
    let error = fetch(&Server::hung(), &limits).await.unwrap_err();
    assert_eq!(*limits.lock().unwrap(), [ms(300), ms(300), ms(300)]);
    assert_eq!(error.end(), (3, ms(900), Reason::TotalElapsed));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_without_any_deadline_has_no_limit() {
    #[retry(total = "none", per_attempt = "1m", attempts = 2, on = ConnectionError)]
    async fn limited(limits: &Limits) -> Result<u32, RetryError<ConnectionError>> {
        note(limits);
        Ok(1)
    }
    #[retry(per_attempt = "none", on = ConnectionError)]
    async fn unlimited(limits: &Limits) -> Result<u32, RetryError<ConnectionError>> {
        note(limits);
        Ok(1)
    }
    let limits = Limits::default();
    limited(&limits).await.unwrap();
    unlimited(&limits).await.unwrap();
    assert_eq!(*limits.lock().unwrap(), [secs(60), secs(10)]);
}

#[tokio::test(start_paused = true)]
async fn the_attempt_after_a_shortened_wait_has_all_that_is_left() {
    #[retry(total = "1s", backoff = "700ms", attempts = 10, jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server, limits: &Limits) -> Result<u32, RetryError<ConnectionError>> {
        note(limits);
        server.call().await
    }
    let limits = Limits::default();
    let server = Server::new([Step::Fail, Step::Fail, Step::Hang]);
    let error = fetch(&server, &limits).await.unwrap_err();
    assert_eq!(limits.lock().unwrap()[2], ms(150));
    assert_eq!(error.end(), (3, ms(1000), Reason::TotalElapsed));
    assert_eq!(server.starts(), [0, 700, 850]);
}

/// A waker in a box of its own: its clones have other addresses, and its address is soon that of another one.
#[derive(Clone, Default)]
struct Boxed(Arc<AtomicU32>);

impl WakeRef for Boxed {
    fn wake_by_ref(&self) {
        self.0.fetch_add(1, SeqCst);
    }
}

impl Wake for Boxed {}

impl Boxed {
    fn waker(&self) -> Waker {
        Box::new(self.clone()).into_waker()
    }

    fn woken(&self) -> bool {
        self.0.load(SeqCst) > 0
    }
}

#[tokio::test(start_paused = true)]
async fn the_limit_wakes_the_task_that_polled_last_though_its_waker_took_the_place_of_another() {
    #[retry(total = "50ms", attempts = 1)]
    async fn fetch() -> Result<(), RetryError<ConnectionError>> {
        std::future::pending().await
    }
    let mut call = Box::pin(fetch());
    let (first, last) = (Boxed::default(), Boxed::default());
    let waker = first.waker();
    let place = waker.data();
    assert!(call.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    drop(waker);
    let others: Vec<_> = std::iter::repeat_with(|| last.waker()).take(1000).collect();
    let waker = others.iter().find(|waker| waker.data() == place).or(others.first()).unwrap();
    assert!(call.as_mut().poll(&mut Context::from_waker(waker)).is_pending());
    tokio::time::sleep(ms(60)).await;
    assert!(last.woken() && !first.woken());
    assert!(call.as_mut().poll(&mut Context::from_waker(waker)).is_ready());
}
