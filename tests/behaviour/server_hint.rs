//! A server's hint is never shortened: it is waited for whole, or ends the call.

use std::time::Duration;

use retry_runtime::{Deadline, Reason, RetryError, retry};
use tokio::time::Instant;

use crate::support::*;

/// The server asks to come back after so many milliseconds.
#[derive(Debug, PartialEq)]
struct Busy(u64);

fn hint(busy: &Busy) -> Option<Duration> {
    Some(ms(busy.0))
}

#[tokio::test(start_paused = true)]
async fn the_longer_of_backoff_and_hint_is_waited_for() {
    #[retry(attempts = 2, backoff = "10ms", jitter = "none", retry_after = hint, on = Busy)]
    async fn fetch(wait: u64) -> Result<(), RetryError<Busy>> {
        Err(Busy(wait))
    }
    assert_eq!(fetch(2000).await.unwrap_err().elapsed(), ms(2000));
    assert_eq!(fetch(10).await.unwrap_err().elapsed(), ms(10));
    assert_eq!(fetch(1).await.unwrap_err().elapsed(), ms(10));
    assert_eq!(fetch(0).await.unwrap_err().elapsed(), ms(10));
}

#[tokio::test(start_paused = true)]
async fn come_back_in_an_hour_ends_the_call_at_once_and_tells_the_caller() {
    #[retry(total = "5s", backoff = "10ms", jitter = "none", retry_after = hint, on = Busy)]
    async fn fetch(wait: u64) -> Result<(), RetryError<Busy>> {
        Err(Busy(wait))
    }
    let (start, error) = (Instant::now(), fetch(3_600_000).await.unwrap_err());
    assert_eq!(error.end(), (1, ms(0), Reason::RetryAfterTooLong));
    assert_eq!(start.elapsed(), ms(0));
    assert_eq!((error.retry_after(), error.last()), (Some(secs(3600)), Some(&Busy(3_600_000))));
    assert!(!error.timed_out());
    assert!(error.to_string().contains("1h"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_hint_may_exceed_the_longest_backoff() {
    #[retry(
        total = "1m",
        attempts = 2,
        backoff = "10ms",
        max_backoff = "20ms",
        jitter = "none",
        retry_after = hint,
        on = Busy
    )]
    async fn fetch(wait: u64) -> Result<(), RetryError<Busy>> {
        Err(Busy(wait))
    }
    assert_eq!(fetch(7000).await.unwrap_err().end(), (2, ms(7000), Reason::AttemptsExhausted));
}

#[tokio::test(start_paused = true)]
async fn a_hint_that_leaves_the_shortest_attempt_fits_and_one_more_millisecond_does_not() {
    #[retry(
        total = "1s",
        backoff = "10ms",
        min_attempt = "100ms",
        jitter = "none",
        retry_after = hint,
        on = Busy
    )]
    async fn fetch(wait: u64, server: &Server) -> Result<(), RetryError<Busy>> {
        server.call().await.map(drop).map_err(|_| Busy(wait))
    }
    let server = Server::new([Step::Fail, Step::Succeed]);
    fetch(900, &server).await.unwrap();
    assert_eq!(server.starts(), [0, 900]);

    let error = fetch(901, &Server::failing()).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(0), Reason::RetryAfterTooLong));
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_shortened_down_to_the_hint_but_not_below() {
    #[retry(total = "1s", backoff = secs(2), jitter = "none", retry_after = hint, on = Busy)]
    async fn fetch(wait: u64, server: &Server) -> Result<(), RetryError<Busy>> {
        server.call().await.map(drop).map_err(|_| Busy(wait))
    }
    let server = Server::failing();
    assert_eq!(fetch(300, &server).await.unwrap_err().reason(), Reason::TotalElapsed);
    assert_eq!(server.starts(), [0, 500]);

    let server = Server::failing();
    assert_eq!(fetch(800, &server).await.unwrap_err().elapsed(), ms(800));
    assert_eq!(server.starts(), [0, 800]);
}

#[tokio::test(start_paused = true)]
async fn jitter_lengthens_a_hint_by_up_to_a_tenth_and_never_shortens_it() {
    #[retry(total = "1h", attempts = 200, backoff = "1ms", jitter = "full", retry_after = hint, on = Busy)]
    async fn full(server: &Server) -> Result<(), RetryError<Busy>> {
        server.call().await.map(drop).map_err(|_| Busy(1000))
    }
    #[retry(total = "1h", attempts = 200, backoff = "1ms", retry_after = hint, on = Busy)]
    async fn equal(server: &Server) -> Result<(), RetryError<Busy>> {
        server.call().await.map(drop).map_err(|_| Busy(1000))
    }
    let server = Server::failing();
    full(&server).await.unwrap_err();
    // A backoff beyond the hint governs from its tenth doubling on, up to the 5 s of `max_backoff`.
    assert!(server.gaps()[..9].iter().all(|gap| (ms(1000)..=ms(1101)).contains(gap)), "{:?}", server.gaps());
    assert!(server.gaps().iter().all(|gap| (ms(1000)..=ms(5001)).contains(gap)), "{:?}", server.gaps());

    let server = Server::failing();
    equal(&server).await.unwrap_err();
    assert!(server.gaps()[..9].iter().all(|gap| (ms(1000)..=ms(1101)).contains(gap)), "{:?}", server.gaps());
    assert!(server.gaps().iter().all(|gap| (ms(1000)..=ms(5001)).contains(gap)), "{:?}", server.gaps());
}

#[tokio::test(start_paused = true)]
async fn clients_told_the_same_do_not_return_together() {
    #[retry(attempts = 2, backoff = "1ms", retry_after = hint, on = Busy)]
    async fn fetch() -> Result<(), RetryError<Busy>> {
        Err(Busy(2000))
    }
    let mut ends = Vec::new();
    for _ in 0..20 {
        ends.push(fetch().await.unwrap_err().elapsed());
    }
    ends.sort();
    ends.dedup();
    assert!(ends.len() > 5, "{ends:?}");
}

#[tokio::test(start_paused = true)]
async fn the_random_part_of_a_hint_only_fills_what_fits() {
    #[retry(total = "1s", backoff = "1ms", min_attempt = "5ms", retry_after = hint, on = Busy)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<Busy>> {
        server.call().await.map_err(|_| Busy(995))
    }
    for _ in 0..50 {
        let server = Server::new([Step::Fail, Step::Succeed]);
        assert_eq!(fetch(&server).await.unwrap(), 2);
        assert_eq!(server.starts(), [0, 995]);
    }
}

#[tokio::test(start_paused = true)]
async fn no_hint_leaves_the_backoff_alone() {
    fn none(_: &Busy) -> Option<Duration> {
        None
    }
    #[retry(attempts = 2, backoff = "10ms", jitter = "none", retry_after = none, on = Busy)]
    async fn fetch() -> Result<(), RetryError<Busy>> {
        Err(Busy(1))
    }
    let error = fetch().await.unwrap_err();
    assert_eq!((error.elapsed(), error.retry_after()), (ms(10), None));
}

#[tokio::test(start_paused = true)]
async fn a_hint_works_without_a_backoff() {
    #[retry(attempts = 2, backoff = "none", retry_after = hint, on = Busy)]
    async fn fetch() -> Result<(), RetryError<Busy>> {
        Err(Busy(500))
    }
    let elapsed = fetch().await.unwrap_err().elapsed();
    assert!((ms(500)..=ms(551)).contains(&elapsed), "{elapsed:?}");
}

#[tokio::test(start_paused = true)]
async fn an_inherited_deadline_bounds_a_hint_too() {
    #[retry(backoff = "1ms", jitter = "none", retry_after = hint, on = Busy)]
    async fn fetch(wait: u64) -> Result<(), RetryError<Busy>> {
        Err(Busy(wait))
    }
    let error = Deadline::within(ms(500)).scope(fetch(500)).await.unwrap_err();
    assert_eq!(error.end(), (1, ms(0), Reason::RetryAfterTooLong));
}

#[tokio::test(start_paused = true)]
async fn used_up_attempts_come_before_a_hint() {
    #[retry(attempts = 1, retry_after = hint, on = Busy)]
    async fn once() -> Result<(), RetryError<Busy>> {
        Err(Busy(3_600_000))
    }
    assert_eq!(once().await.unwrap_err().end(), (1, ms(0), Reason::AttemptsExhausted));
}

/// A hint beside an error that is not transient is not even asked for.
#[tokio::test(start_paused = true)]
async fn a_permanent_error_has_no_hint() {
    fn never(_: &Busy) -> Option<Duration> {
        panic!("asked for the hint of a permanent error")
    }
    #[retry(retry_after = never, when = |_: &Busy| false)]
    async fn fetch() -> Result<(), RetryError<Busy>> {
        Err(Busy(1))
    }
    let error = fetch().await.unwrap_err();
    assert_eq!((error.reason(), error.retry_after()), (Reason::NotRetryable, None));
}
