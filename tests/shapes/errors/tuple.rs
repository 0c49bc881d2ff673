//! An error that is a tuple and gives the record back; it is no `Error` and has no `Display`.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{RetryError, retry};

#[derive(Debug, PartialEq)]
pub enum KafkaError {
    QueueFull,
    TooLarge,
}

#[derive(Debug)]
pub struct OwnedMessage(pub Vec<u8>);

#[derive(Clone)]
pub struct Record<'a, K: ?Sized, P: ?Sized> {
    pub topic: &'a str,
    pub key: &'a K,
    pub payload: &'a P,
}

#[derive(Default)]
pub struct Producer(AtomicU32);

impl Producer {
    #[retry(
        total = "1s",
        per_attempt = "200ms",
        attempts = 3,
        when = |e: &(KafkaError, OwnedMessage)| e.0 == KafkaError::QueueFull,
    )]
    pub async fn send<K, P>(
        &self,
        record: Record<'_, K, P>,
    ) -> Result<(i32, i64), RetryError<(KafkaError, OwnedMessage)>>
    where
        K: AsRef<[u8]> + ?Sized,
        P: AsRef<[u8]> + ?Sized,
    {
        let bytes = record.payload.as_ref();
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Err((KafkaError::QueueFull, OwnedMessage(bytes.to_vec()))),
            _ => Ok((record.key.as_ref().len() as i32, bytes.len() as i64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_full_queue_is_tried_again() {
        let record = Record { topic: "t", key: "k1", payload: "hello" };
        let got = Producer::default().send(record).await;
        assert_eq!(got.unwrap(), (2, 5));
    }
}
