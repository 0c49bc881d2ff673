//! A panic of the body unwinds through the call unchanged; a missing timer panics with tokio's own words.

use std::any::Any;
use std::panic::{AssertUnwindSafe, panic_any};
use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Waker};

use futures_util::FutureExt;
use retry_runtime::{
    Attempt, Deadline, IdempotencyKey, Jitter, Policy, PolicyExt, Reason, RetryError, retry,
};
use tokio::time::{sleep, timeout};

use crate::support::*;

#[derive(Debug, PartialEq)]
struct Payload(u32);

async fn caught<T>(call: impl Future<Output = T>) -> Box<dyn Any + Send> {
    AssertUnwindSafe(call).catch_unwind().await.map(drop).unwrap_err()
}

#[tokio::test(start_paused = true)]
async fn the_payload_of_a_panicking_body_arrives_and_nothing_is_repeated() {
    #[retry(backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server, at: u32) -> Result<u32, RetryError<ConnectionError>> {
        let result = server.call().await;
        if server.calls() == at {
            panic_any(Payload(at));
        }
        result
    }
    for at in 1..=3 {
        let server = Server::failing();
        let payload = caught(fetch(&server, at)).await;
        assert_eq!(payload.downcast_ref(), Some(&Payload(at)));
        assert_eq!(server.calls(), at);
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_after_an_await_arrives_too() {
    #[retry(per_attempt = "1s", on = ConnectionError)]
    async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
        sleep(ms(10)).await;
        panic_any(Payload(7))
    }
    assert_eq!(caught(fetch()).await.downcast_ref(), Some(&Payload(7)));
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_expression_of_a_key_arrives_too() {
    #[retry(when = |_: &ConnectionError| panic_any(Payload(8)))]
    async fn when(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = if server.calls() == 0 { panic_any(Payload(9)) } else { secs(1) }, on = ConnectionError)]
    async fn total(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(caught(when(&Server::failing())).await.downcast_ref(), Some(&Payload(8)));
    assert_eq!(caught(total(&Server::failing())).await.downcast_ref(), Some(&Payload(9)));
}

#[tokio::test(start_paused = true)]
async fn the_scope_of_a_panicking_attempt_is_left() {
    #[retry(attempts = 1)]
    async fn inner() -> Result<u32, RetryError<ConnectionError>> {
        assert!(Attempt::current().is_some());
        panic_any(Payload(1))
    }
    Deadline::within(ms(300))
        .scope(async {
            caught(inner()).await;
            assert_eq!(Deadline::current().map(Deadline::remaining), Some(ms(300)));
            assert!(Attempt::current().is_none());
        })
        .await;
    assert_eq!(Deadline::current(), None);
}

#[tokio::test(start_paused = true)]
async fn a_guard_that_panics_when_its_attempt_is_cut_arrives_too() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic_any(Payload(3));
        }
    }
    #[retry(per_attempt = "100ms", on = ConnectionError)]
    async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
        let _bomb = Bomb;
        std::future::pending().await
    }
    assert_eq!(caught(fetch()).await.downcast_ref(), Some(&Payload(3)));
    assert_eq!(Deadline::current(), None);
}

#[tokio::test(start_paused = true)]
async fn a_panic_caught_inside_of_a_scope_does_not_lose_the_key() {
    type Keys = Mutex<Vec<IdempotencyKey>>;
    fn note(keys: &Keys) {
        keys.lock().unwrap().push(Attempt::current().unwrap().idempotency_key());
    }
    #[retry(attempts = 2, backoff = "none", on = ConnectionError)]
    async fn fetch(keys: &Keys, scope: fn() -> Deadline) -> Result<u32, RetryError<ConnectionError>> {
        // The first to ask is the one that panics.
        let inside = async {
            note(keys);
            panic_any(Payload(4))
        };
        caught(scope().scope(inside)).await;
        note(keys);
        Err(ConnectionError)
    }
    for scope in [|| Deadline::within(ms(10)), || Deadline::within(secs(60)), || Deadline::NEVER] {
        let keys = Keys::default();
        fetch(&keys, scope).await.unwrap_err();
        let keys = keys.into_inner().unwrap();
        assert_eq!(keys, [keys[0]; 4]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_caught_inside_of_a_scope_does_not_lose_that_an_inner_call_gave_up() {
    #[retry(backoff = "none", on = ConnectionError)]
    async fn inner(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(per_attempt = "100ms", backoff = "none", on = ConnectionError)]
    async fn outer(server: &Server, how: u32) -> Result<u32, RetryError<ConnectionError>> {
        #[retry(attempts = 1)]
        async fn once(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            let _ = inner(server).await;
            panic_any(Payload(5))
        }
        match how {
            0 => drop(caught(once(server)).await),
            1 => drop(caught(Deadline::within(ms(50)).scope(once(server))).await),
            _ => drop(caught(Deadline::within(ms(50)).limit(once(server))).await),
        }
        std::future::pending().await
    }
    for how in 0..3 {
        let server = Server::failing();
        let error = outer(&server, how).await.unwrap_err();
        assert_eq!(error.end(), (1, ms(100), Reason::InnerGaveUp), "{how}");
        assert_eq!(server.calls(), 3);
    }
}

/// The next call on the thread sees nothing of it, nor does the one after a call that was dropped meanwhile.
#[tokio::test(start_paused = true)]
async fn a_guard_that_panics_when_its_attempt_is_cut_leaves_the_thread_clean() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic_any(Payload(6));
        }
    }
    #[retry(per_attempt = "100ms", on = ConnectionError)]
    async fn bomb() -> Result<u32, RetryError<ConnectionError>> {
        let _bomb = Bomb;
        std::future::pending().await
    }
    #[retry(attempts = 9, backoff = "10ms", jitter = "none", on = ConnectionError)]
    async fn repeats(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(attempts = 1, min_attempt = "1s")]
    async fn once(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(per_attempt = "100ms", backoff = "none", on = _)]
    async fn outer(server: &Server) -> Result<u32, RetryError<RetryError<ConnectionError>>> {
        once(server).await
    }
    assert_eq!(caught(bomb()).await.downcast_ref(), Some(&Payload(6)));
    assert!(Deadline::current().is_none() && Attempt::current().is_none());
    let server = Server::failing();
    assert!(timeout(ms(25), repeats(&server)).await.is_err());
    let policy = Policy::builder().attempts(9).backoff(ms(10)).jitter(Jitter::None).build();
    assert!(timeout(ms(25), policy.run(|| server.call())).await.is_err());
    assert_eq!(server.calls(), 4);
    for _ in 0..2 {
        let error = outer(&Server::hung()).await.unwrap_err();
        assert_eq!(error.end(), (3, ms(0), Reason::AttemptsExhausted));
    }
}

#[tokio::test(start_paused = true)]
async fn a_spawned_call_that_panics_is_a_join_error() {
    #[retry(on = ConnectionError)]
    async fn fetch() -> Result<u32, RetryError<ConnectionError>> {
        panic_any(Payload(5))
    }
    let error = tokio::spawn(fetch()).await.unwrap_err();
    assert_eq!(error.into_panic().downcast_ref(), Some(&Payload(5)));
}

fn text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).expect("a text")
}

#[test]
fn a_runtime_without_timers_panics_with_tokios_words_where_one_is_needed() {
    #[retry(total = "1s", on = ConnectionError)]
    async fn hung(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(backoff = "1s", on = ConnectionError)]
    async fn waits(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let tokios = text(&*runtime.block_on(caught(async { sleep(ms(1)).await })));
    assert_eq!(text(&*runtime.block_on(async { caught(hung(&Server::hung())).await })), tokios);
    assert_eq!(text(&*runtime.block_on(async { caught(waits(&Server::failing())).await })), tokios);
}

#[test]
fn outside_of_a_runtime_the_words_are_tokios_too() {
    #[retry(total = "1s", on = ConnectionError)]
    async fn hung(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    fn poll<T>(future: impl Future<Output = T>) -> String {
        let panic = std::panic::catch_unwind(AssertUnwindSafe(|| {
            let _ = pin!(future).poll(&mut Context::from_waker(Waker::noop()));
        }));
        text(&*panic.unwrap_err())
    }
    let server = Server::hung();
    assert_eq!(poll(hung(&server)), poll(async { sleep(ms(1)).await }));
}

#[test]
fn a_runtime_without_timers_is_enough_where_none_is_needed() {
    #[retry(attempts = 3, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        assert_eq!(fetch(&Server::new([Step::Fail, Step::Fail, Step::Succeed])).await.unwrap(), 3);
        assert_eq!(fetch(&Server::failing()).await.unwrap_err().attempts(), 3);
        let over = Deadline::within(ms(0));
        assert_eq!(over.scope(fetch(&Server::hung())).await.unwrap_err().attempts(), 0);
    });
}
