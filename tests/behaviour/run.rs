//! `Policy::run`: the same promises for code without the attribute.

use std::cell::Cell;
use std::time::Duration;

use retry_runtime::{
    AnyError, Attempt, AttemptOutcome, AttemptTimedOut, Deadline, DeadlineExt, GaveUp, Jitter, Policy,
    PolicyExt, Reason, RetryError, retry,
};
use tokio::time::{Instant, sleep};

use crate::support::*;

const POLICY: Policy =
    Policy::builder().total(secs(1)).per_attempt(ms(200)).attempts(5).jitter(Jitter::None).build();

#[tokio::test(start_paused = true)]
async fn a_hung_server_gets_the_golden_four_attempts() {
    let (server, start) = (Server::hung(), Instant::now());
    let error = POLICY.run(|| server.call()).await.unwrap_err();
    assert_eq!(error.end(), (4, ms(1000), Reason::TotalElapsed));
    assert_eq!((server.starts(), start.elapsed()), (vec![0, 250, 550, 950], ms(1000)));
    assert!(error.timed_out() && in_chain::<AttemptTimedOut>(&error));
}

#[tokio::test(start_paused = true)]
async fn without_when_every_error_is_transient() {
    let server = Server::new([Step::Fail, Step::Fail, Step::Succeed]);
    assert_eq!(POLICY.run(|| server.call()).await.unwrap(), 3);
    assert_eq!(server.starts(), [0, 50, 150]);
    let error = POLICY.run(|| async { Err::<(), _>(Missing) }).await.unwrap_err();
    assert_eq!(error.end(), (5, ms(750), Reason::AttemptsExhausted));
}

#[tokio::test(start_paused = true)]
async fn when_decides() {
    let server = Server::failing();
    let error = POLICY.run(|| server.call()).when(|_| false).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(0), Reason::NotRetryable));
    assert_eq!(error.last(), Some(&ConnectionError));
}

#[tokio::test(start_paused = true)]
async fn when_ok_asks_again_and_hands_back_the_last_value() {
    let server = Server::ready();
    let value = POLICY.run(|| server.call()).when_ok(|number| *number < 3).await.unwrap();
    assert_eq!((value, server.starts()), (3, vec![0, 50, 150]));
    let server = Server::ready();
    assert_eq!(POLICY.run(|| server.call()).when_ok(|_| true).await.unwrap(), 5);
    let server = Server::new([Step::Succeed, Step::Fail]);
    let error = POLICY.run(|| server.call()).when_ok(|_| true).await.unwrap_err();
    assert_eq!(error.history()[0].outcome(), AttemptOutcome::Value);
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_the_servers_hint() {
    let server = Server::new([Step::Fail, Step::Succeed]);
    POLICY.run(|| server.call()).retry_after(|_| Some(ms(300))).await.unwrap();
    assert_eq!(server.starts(), [0, 300]);
    let server = Server::failing();
    let error = POLICY.run(|| server.call()).retry_after(|_| Some(secs(3600))).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(0), Reason::RetryAfterTooLong));
    assert_eq!(error.retry_after(), Some(secs(3600)));
}

#[tokio::test(start_paused = true)]
async fn all_questions_at_once_and_in_any_order() {
    let server = Server::new([Step::Fail, Step::Succeed, Step::Succeed]);
    let asked = Cell::new(0);
    let value = POLICY
        .run(|| server.call())
        .retry_after(|_: &ConnectionError| None)
        .when_ok(|number| *number == 2)
        .when(|_| {
            asked.set(asked.get() + 1);
            true
        })
        .await
        .unwrap();
    assert_eq!((value, asked.get()), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn the_operation_is_called_once_for_each_attempt() {
    let mut calls = 0;
    let error = POLICY
        .run(|| {
            calls += 1;
            async { Err::<(), _>(ConnectionError) }
        })
        .await
        .unwrap_err();
    assert_eq!((error.attempts(), calls), (5, 5));
}

/// Not only the future that the operation returns: what the closure itself does belongs to the attempt too.
#[tokio::test(start_paused = true)]
async fn the_operation_is_called_inside_of_its_attempt() {
    let current = || Attempt::current().map(|attempt| (attempt.number(), attempt.idempotency_key()));
    let mut seen = Vec::new();
    let error = POLICY
        .run(|| {
            seen.push(current());
            assert_eq!(Deadline::current().map(Deadline::remaining), Some(ms(200)));
            let called = current();
            async move {
                assert_eq!(current(), called);
                Err::<(), _>(ConnectionError)
            }
        })
        .await
        .unwrap_err();
    assert_eq!(error.attempts(), 5);
    let (numbers, keys): (Vec<_>, Vec<_>) = seen.into_iter().map(Option::unwrap).unzip();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    assert_eq!(keys, [keys[0]; 5]);
    assert!(current().is_none());
}

#[tokio::test(start_paused = true)]
async fn an_operation_called_in_another_attempt_has_its_own() {
    let key = || Attempt::current().unwrap().idempotency_key();
    POLICY
        .run(|| async {
            let outer = key();
            let inner = POLICY.run(|| std::future::ready(Ok::<_, ConnectionError>(key()))).await?;
            assert_ne!(inner, outer);
            assert_eq!(key(), outer);
            Ok::<_, RetryError<ConnectionError>>(())
        })
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_task_spawned_by_the_operation_can_take_the_deadline_along() {
    let left = || async { Ok::<_, ConnectionError>(Deadline::current().map(Deadline::remaining)) };
    let carried = POLICY.run(|| {
        let task = tokio::spawn(left().in_current_deadline());
        async { task.await.unwrap() }
    });
    assert_eq!(carried.await.unwrap(), Some(ms(200)));
}

#[tokio::test(start_paused = true)]
async fn an_expired_deadline_does_not_call_the_operation() {
    let calls = Cell::new(0);
    let run = POLICY.run(|| {
        calls.set(calls.get() + 1);
        async { Ok::<_, ConnectionError>(()) }
    });
    let error = Deadline::within(ms(0)).scope(run).await.unwrap_err();
    assert_eq!(error.end(), (0, ms(0), Reason::InheritedDeadline));
    assert_eq!(calls.get(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_clock_starts_at_the_first_poll() {
    let server = Server::hung();
    let run = POLICY.run(|| server.call());
    sleep(secs(60)).await;
    assert_eq!(run.await.unwrap_err().elapsed(), ms(1000));
}

#[tokio::test(start_paused = true)]
async fn it_inherits_and_hands_down() {
    #[retry(per_attempt = "none", on = ConnectionError)]
    async fn inner(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::hung();
    let run = POLICY.run(|| async {
        assert_eq!(Deadline::current().map(Deadline::remaining), Attempt::current().map(|a| a.remaining()));
        inner(&server).await
    });
    let error = Deadline::within(ms(500)).scope(run).await.unwrap_err();
    // 200 ms, 50 ms of wait, 200 ms, half of the last 50 ms, and what is left.
    assert_eq!(error.end(), (3, ms(500), Reason::InheritedDeadline));
    assert_eq!(server.starts(), [0, 250, 475]);
}

#[tokio::test(start_paused = true)]
async fn opaque_errors_pass_through_any_error() {
    let server = Server::failing();
    let error = POLICY
        .run(|| async { Ok::<_, AnyError>(anyhow::Context::context(server.call().await, "connecting")?) })
        .when(|error| error.source().is_some_and(|source| source.is::<ConnectionError>()))
        .await
        .unwrap_err();
    assert_eq!((error.attempts(), error.reason()), (5, Reason::AttemptsExhausted));
    assert_eq!(chain(&error)[1..], ["connecting", "connection refused"]);
}

#[tokio::test(start_paused = true)]
async fn a_give_up_flows_into_an_error_of_ones_own() {
    async fn load(server: &Server) -> Result<u32, StoreError> {
        Ok(POLICY.run(|| server.call()).await.map_err(GaveUp::from)?)
    }
    assert_eq!(load(&Server::failing()).await.unwrap_err().gave_up().attempts(), 5);
}

#[tokio::test]
async fn it_can_be_spawned() {
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        let policy = POLICY.to_builder().backoff(Duration::from_millis(1)).build();
        policy.run(|| server.call()).when(|_| true).await
    }
    let task = tokio::spawn(async {
        let server = Server::new([Step::Fail, Step::Succeed]);
        assert_send(fetch(&server)).await
    });
    assert_eq!(task.await.unwrap().unwrap(), 2);
}
