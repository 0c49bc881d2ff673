//! What a body learns of the attempt that it runs in.

use std::collections::HashSet;
use std::sync::Mutex;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use retry_runtime::{Attempt, Deadline, IdempotencyKey, RetryError, retry};
use tokio::time::sleep;

use crate::support::*;

type Seen<T> = Mutex<Vec<T>>;

fn current() -> Attempt {
    Attempt::current().expect("in an attempt")
}

#[tokio::test(start_paused = true)]
async fn outside_of_a_call_there_is_none() {
    assert!(Attempt::current().is_none());
    Deadline::within(ms(1)).scope(async { assert!(Attempt::current().is_none()) }).await;
}

#[tokio::test(start_paused = true)]
async fn attempts_are_numbered_from_one() {
    #[retry(attempts = 4, backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server, seen: &Seen<(u32, bool)>) -> Result<u32, RetryError<ConnectionError>> {
        seen.lock().unwrap().push((current().number(), current().is_retry()));
        server.call().await
    }
    let seen = Seen::default();
    fetch(&Server::failing(), &seen).await.unwrap_err();
    assert_eq!(*seen.lock().unwrap(), [(1, false), (2, true), (3, true), (4, true)]);
    assert!(Attempt::current().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_limit_stays_and_the_remaining_time_shrinks() {
    #[retry(total = "1s", per_attempt = "200ms", margin = "0ms", on = ConnectionError)]
    async fn fetch() -> Result<(), RetryError<ConnectionError>> {
        let attempt = current();
        assert_eq!((attempt.limit(), attempt.remaining()), (ms(200), ms(200)));
        sleep(ms(150)).await;
        assert_eq!((attempt.limit(), attempt.remaining()), (ms(200), ms(50)));
        assert_eq!((current().limit(), current().remaining()), (ms(200), ms(50)));
        Ok(())
    }
    fetch().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn one_key_serves_all_attempts_of_a_call_and_no_other_call() {
    #[retry(attempts = 5, backoff = "10ms", on = ConnectionError)]
    async fn pay(server: &Server, keys: &Seen<IdempotencyKey>) -> Result<u32, RetryError<ConnectionError>> {
        keys.lock().unwrap().push(current().idempotency_key());
        sleep(ms(1)).await;
        keys.lock().unwrap().push(current().idempotency_key());
        server.call().await
    }
    let mut all = HashSet::new();
    for call in 1..=100 {
        let keys = Seen::default();
        pay(&Server::failing(), &keys).await.unwrap_err();
        let keys = keys.into_inner().unwrap();
        assert_eq!(keys.len(), 10);
        assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
        all.insert(keys[0]);
        assert_eq!(all.len(), call);
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_asked_for_late_is_the_same_in_later_attempts() {
    #[retry(attempts = 4, backoff = "none", on = ConnectionError)]
    async fn pay(server: &Server, keys: &Seen<IdempotencyKey>) -> Result<u32, RetryError<ConnectionError>> {
        if current().number() >= 3 {
            keys.lock().unwrap().push(current().idempotency_key());
        }
        server.call().await
    }
    let keys = Seen::default();
    pay(&Server::failing(), &keys).await.unwrap_err();
    let keys = keys.into_inner().unwrap();
    assert_eq!((keys.len(), keys[0]), (2, keys[1]));
}

#[tokio::test(start_paused = true)]
async fn a_key_is_shown_like_a_uuid() {
    #[retry(attempts = 1)]
    async fn key() -> Result<IdempotencyKey, RetryError<ConnectionError>> {
        Ok(current().idempotency_key())
    }
    let key = key().await.unwrap();
    let text = key.to_string();
    let groups: Vec<_> = text.split('-').map(str::len).collect();
    assert_eq!(groups, [8, 4, 4, 4, 12], "{text}");
    assert!(text.chars().all(|c| c == '-' || c.is_ascii_digit() || ('a'..='f').contains(&c)), "{text}");
    assert_eq!(text.as_bytes()[14], b'4', "{text}");
    assert!("89ab".contains(char::from(text.as_bytes()[19])), "{text}");
    let digits: String = key.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digits, text.replace('-', ""));
}

#[tokio::test(start_paused = true)]
async fn it_is_seen_by_everything_below() {
    #[retry(backoff = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<Vec<u32>, RetryError<ConnectionError>> {
        async fn deep() -> u32 {
            sleep(ms(1)).await;
            current().number()
        }
        let number = server.call().await?;
        let (a, b) = tokio::join!(deep(), deep());
        let c = tokio::select! { number = deep() => number, () = sleep(secs(1)) => 0 };
        let some: FuturesUnordered<_> = (0..3).map(|_| deep()).collect();
        let mut numbers = some.collect::<Vec<_>>().await;
        numbers.extend([a, b, c, number]);
        Ok(numbers)
    }
    let numbers = fetch(&Server::new([Step::Fail, Step::Succeed])).await.unwrap();
    assert_eq!(numbers, [2; 7]);
}

#[tokio::test(start_paused = true)]
async fn the_innermost_attempt_is_the_current_one() {
    #[retry(attempts = 2, backoff = "none", on = ConnectionError)]
    async fn inner(
        server: &Server,
        seen: &Seen<(u32, IdempotencyKey)>,
    ) -> Result<u32, RetryError<ConnectionError>> {
        seen.lock().unwrap().push((current().number(), current().idempotency_key()));
        server.call().await
    }
    #[retry(attempts = 2, backoff = "none", on = _)]
    async fn outer(server: &Server, seen: &Seen<(u32, IdempotencyKey)>) -> Result<u32, StoreError> {
        let before = (current().number(), current().idempotency_key());
        let result = inner(server, seen).await;
        assert_eq!((current().number(), current().idempotency_key()), before);
        seen.lock().unwrap().push(before);
        result.map_err(|_| StoreError::Connection(ConnectionError))
    }
    let seen = Seen::default();
    outer(&Server::failing(), &seen).await.unwrap_err();
    let seen = seen.into_inner().unwrap();
    let numbers: Vec<_> = seen.iter().map(|entry| entry.0).collect();
    assert_eq!(numbers, [1, 2, 1, 1, 2, 2]);
    assert_eq!(seen[0].1, seen[1].1);
    assert_ne!(seen[0].1, seen[3].1);
    assert_eq!(seen[2].1, seen[5].1);
    assert_ne!(seen[0].1, seen[2].1);
}

#[tokio::test(start_paused = true)]
async fn a_spawned_task_and_detached_work_have_none() {
    use retry_runtime::DeadlineExt;
    #[retry(attempts = 1)]
    async fn fetch() -> Result<[bool; 3], RetryError<ConnectionError>> {
        let none = async || Attempt::current().is_none();
        let spawned = tokio::spawn(async { Attempt::current().is_none() }).await.unwrap();
        let carried =
            tokio::spawn(async { Attempt::current().is_none() }.in_current_deadline()).await.unwrap();
        Ok([spawned, carried, Deadline::detached(none()).await])
    }
    assert_eq!(fetch().await.unwrap(), [true; 3]);
}

#[tokio::test(start_paused = true)]
async fn calls_side_by_side_have_attempts_of_their_own() {
    #[retry(attempts = 3, backoff = "10ms", jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<(u32, IdempotencyKey), RetryError<ConnectionError>> {
        let before = (current().number(), current().idempotency_key());
        sleep(ms(5)).await;
        assert_eq!((current().number(), current().idempotency_key()), before);
        server.call().await?;
        Ok(before)
    }
    let servers = [Server::ready(), Server::new([Step::Fail, Step::Fail, Step::Succeed])];
    let (a, b) = tokio::join!(fetch(&servers[0]), fetch(&servers[1]));
    let (a, b) = (a.unwrap(), b.unwrap());
    assert_eq!((a.0, b.0), (1, 3));
    assert_ne!(a.1, b.1);
}
