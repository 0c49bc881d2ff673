//! Arguments and variables with the names that generated code likes to use, and names that shadow those of the prelude.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::retry;

mod tokio {
    pub fn time() -> u32 {
        7
    }
}

#[derive(Debug)]
pub struct Error(pub u32);
type Result<T> = std::result::Result<T, Error>;

#[allow(non_camel_case_types)]
pub struct Some_(u32);
#[allow(non_snake_case)]
fn Some(n: u32) -> Some_ {
    Some_(n)
}

pub struct Policy {
    pub calls: AtomicU32,
}

#[retry(
    total = "1s",
    per_attempt = "200ms",
    attempts = 3,
    on = Error,
    fallback = |gave_up| Err(gave_up.into_last().unwrap_or(Error(0))),
)]
pub async fn run(policy: &Policy, attempt: u32, deadline: u32, timeout: u32, r#type: u32) -> Result<u32> {
    let start = policy.calls.fetch_add(1, Ordering::SeqCst);
    let result = if start == 0 { Err(Error(start)) } else { Ok(attempt) };
    let fut = async { result };
    let retry = match fut.await {
        Ok(e) => e,
        Err(err) => return Err(err),
    };
    Ok(retry + deadline + timeout + r#type + tokio::time() + Some(1).0)
}

#[cfg(test)]
mod tests {
    use super::{AtomicU32, Policy, run};

    #[tokio::test(start_paused = true)]
    async fn every_name_keeps_its_meaning() {
        let policy = Policy { calls: AtomicU32::new(0) };
        let got = run(&policy, 1, 10, 100, 1000).await;
        assert_eq!(got.unwrap(), 1119);
    }
}
