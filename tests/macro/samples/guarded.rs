// fires: unused_mut, clippy::ptr_arg, clippy::needless_return, clippy::clone_on_copy, clippy::shadow_reuse, unused_variables

use std::sync::Arc;
use std::time::Duration;

use retry_runtime::{CircuitBreaker, RetryThrottle};

/// Of one server.
pub static BREAKER: CircuitBreaker = CircuitBreaker::consecutive(5, Duration::from_secs(30));
/// Of one server.
pub static THROTTLE: RetryThrottle = RetryThrottle::ratio(20, 10);

/// Asks.
///
/// # Errors
///
/// When the server is down.
#[retry(total = "1s", attempts = 3, breaker = BREAKER, throttle = &THROTTLE, on = Down)]
pub async fn guarded(url: &str, body: Option<String>) -> Result<usize, Error> {
    tick().await?;
    Ok(url.len().saturating_add(body.map_or(0, |body| body.len())))
}

/// Asks twice, perhaps.
///
/// # Errors
///
/// When the server is down.
#[retry(total = "1s", attempts = 3, hedge = "50ms", on = Down)]
pub async fn beside(url: &str, body: Option<String>, mut extra: Vec<String>, id: u64) -> Result<usize, Error> {
    extra.extend(body);
    tick().await?;
    drop(id.checked_add(1));
    Ok(url.len().saturating_add(extra.len()))
}

#[retry(total = "1s", attempts = 3, hedge = delay, breaker = Arc::clone(breaker), on = Down, fallback = retry_runtime::last_error)]
pub async fn at_run_time(list: &Vec<u32>, delay: Duration, breaker: &Arc<CircuitBreaker>) -> Result<u32, Error> {
    tick().await?;
    drop((delay, breaker));
    let n = list.len();
    let n = n.clone();
    return Ok(n as u32);
}

#[retry(attempts = 3, hedge = "50ms", on = Down)]
pub async fn needless(mut list: Vec<u32>, mut text: &str, unused: u32) -> Result<usize, Error> {
    tick().await?;
    Ok(list.len() + text.len())
}

impl Token {
    #[retry(attempts = 3, hedge = "50ms", breaker = BREAKER, on = Down)]
    pub async fn lent(&self, n: u32) -> Result<u32, Error> {
        tick().await?;
        Ok(self.0 + n)
    }

    #[retry(attempts = 3, hedge = "50ms", throttle = THROTTLE, on = Down)]
    pub async fn counted(self: Arc<Self>, n: u32) -> Result<u32, Error> {
        tick().await?;
        Ok(self.0 + n) // only plain: clippy::arithmetic_side_effects
    }
}
