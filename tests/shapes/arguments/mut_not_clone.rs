//! A `mut` argument that is not `Clone` is lent: what an attempt changes in it stays changed.

use retry_runtime::{RetryError, retry};
use tokio::sync::mpsc;

#[derive(Debug, thiserror::Error)]
#[error("incomplete")]
pub struct Incomplete;

/// Not `Clone`.
pub struct Reader {
    pub chunks: Vec<&'static str>,
}

impl Reader {
    async fn next(&mut self) -> Option<&'static str> {
        tokio::task::yield_now().await;
        self.chunks.pop()
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Incomplete)]
pub async fn read_to_end(mut reader: Reader) -> Result<usize, RetryError<Incomplete>> {
    let chunk = reader.next().await;
    match chunk {
        Some("end") => Ok(reader.chunks.len()),
        _ => Err(Incomplete),
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Incomplete)]
pub async fn receive(mut inbox: mpsc::Receiver<u32>) -> Result<u32, RetryError<Incomplete>> {
    let received = tokio::select! {
        Some(number) = inbox.recv() => number,
        else => 0,
    };
    if received < 2 { Err(Incomplete) } else { Ok(received) }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Incomplete)]
pub async fn drain<I: Iterator<Item = u32>>(mut numbers: I) -> Result<u32, RetryError<Incomplete>> {
    let next = numbers.next();
    for number in numbers.by_ref().take(1) {
        if number > 3 {
            return Ok(number);
        }
    }
    next.filter(|next| *next > 9).ok_or(Incomplete)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_second_attempt_goes_on_where_the_first_stopped() {
        assert_eq!(read_to_end(Reader { chunks: vec!["rest", "end", "start"] }).await.unwrap(), 1);
        assert_eq!(drain((1..9).inspect(|_| ())).await.unwrap(), 4);
        let (sender, inbox) = mpsc::channel(4);
        for number in [1, 2] {
            sender.send(number).await.unwrap();
        }
        assert_eq!(receive(inbox).await.unwrap(), 2);
    }
}
