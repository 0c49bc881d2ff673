//! An `eyre::Report` with a message round the error that is worth another attempt.

use eyre::WrapErr as _;
use retry_runtime::retry;

#[derive(Debug, thiserror::Error)]
#[error("broker unreachable")]
pub struct Unreachable;

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Unreachable)]
pub async fn offsets(tries: &mut u32, text: &str) -> eyre::Result<u64> {
    *tries += 1;
    let offset = text.parse().wrap_err("not a number")?;
    if *tries == 1 {
        Err(Unreachable).wrap_err("reading offsets")?;
    }
    eyre::ensure!(offset > 0, "no offset");
    Ok(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_the_unreachable_broker_is_asked_again() {
        let mut tries = 0;
        assert_eq!(offsets(&mut tries, "7").await.unwrap(), 7);
        assert_eq!(tries, 2);
        assert_eq!(offsets(&mut tries, "many").await.unwrap_err().to_string(), "not a number");
        assert_eq!(offsets(&mut tries, "0").await.unwrap_err().to_string(), "no offset");
        assert_eq!(tries, 4);
    }
}
