//! A string that the body passes on, beside a number that is `Copy`; the error is an `anyhow::Error`.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::retry;

static CONNECTS: AtomicU32 = AtomicU32::new(0);

#[derive(Clone, Copy, Debug)]
pub struct WorkerId(pub u64);

#[derive(Debug)]
pub struct Channel {
    target: String,
}

async fn open_channel(target: String) -> anyhow::Result<Channel> {
    if CONNECTS.fetch_add(1, Ordering::SeqCst) == 0 {
        anyhow::bail!("worker not listening yet");
    }
    Ok(Channel { target })
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, when = |_: &anyhow::Error| true)]
pub async fn connect_to_worker(id: WorkerId, addr: String) -> anyhow::Result<(u64, Channel)> {
    if addr.is_empty() {
        anyhow::bail!("worker {id:?} has no address");
    }
    let channel = open_channel(addr).await?;
    Ok((id.0, channel))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_address_is_there_for_the_second_attempt() {
        let got = connect_to_worker(WorkerId(4), "w4:5114".to_string()).await;
        let (id, channel) = got.unwrap();
        assert_eq!((id, channel.target.as_str()), (4, "w4:5114"));
    }
}
