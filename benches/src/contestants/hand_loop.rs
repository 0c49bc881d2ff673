//! The loop that a careful author writes: a deadline, attempts clipped to it, jitter, an error that tells.

use std::time::Duration;

use rand::random_range;
use tokio::time::{Instant, sleep, timeout_at};

use crate::contestants::Visitor;
use crate::preset::Preset;
use retry_benches::service::{Refused, Service};

/// Why a call failed.
#[derive(Debug)]
#[expect(dead_code, reason = "a caller would read it")]
struct Failed {
    attempts: u32,
    elapsed: Duration,
    last: Option<Refused>,
}

async fn get<P: Preset>(service: &Service, number: u64) -> Result<u64, Failed> {
    let start = Instant::now();
    let deadline = start + P::TOTAL;
    let mut last = None;
    let mut backoff = P::BACKOFF;
    let mut attempts = 0;
    loop {
        attempts += 1;
        let limit = deadline.min(Instant::now() + P::PER_ATTEMPT);
        match timeout_at(limit, service.get(number)).await {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(error)) => last = Some(error),
            Err(_) => {}
        }
        let now = Instant::now();
        let wait = if backoff.is_zero() { backoff } else { random_range(backoff / 2..=backoff) };
        if attempts == P::ATTEMPTS || now + wait >= deadline {
            return Err(Failed { attempts, elapsed: now - start, last });
        }
        if !wait.is_zero() {
            sleep(wait).await;
        }
        backoff *= 2;
    }
}

pub(crate) fn visit<P: Preset, V: Visitor>(service: &'static Service, visitor: V) -> V::Output {
    visitor.visit(move |number| get::<P>(service, number))
}
