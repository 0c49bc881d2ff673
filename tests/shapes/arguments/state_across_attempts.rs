//! State that goes on from attempt to attempt behind `&mut`: only the keys that failed are tried again, and the fee
//! grows.

use retry_runtime::{RetryError, retry};

#[derive(Debug, thiserror::Error)]
#[error("{0} keys left")]
pub struct Partial(usize);

#[derive(Default)]
pub struct Bucket {
    pub calls: Vec<Vec<u32>>,
}

impl Bucket {
    async fn delete(&mut self, keys: &[u32]) -> Vec<u32> {
        self.calls.push(keys.to_vec());
        if self.calls.len() == 1 { keys.iter().copied().filter(|k| k % 2 == 1).collect() } else { vec![] }
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Partial)]
pub async fn delete_batch(
    bucket: &mut Bucket,
    keys: &mut Vec<u32>,
    fee: &mut u64,
) -> Result<u64, RetryError<Partial>> {
    *fee += *fee / 8;
    let failed = bucket.delete(keys).await;
    *keys = failed;
    if keys.is_empty() { Ok(*fee) } else { Err(Partial(keys.len())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_what_failed_is_tried_again() {
        let mut bucket = Bucket::default();
        let (mut keys, mut fee) = (vec![1, 2, 3], 64);
        let got = delete_batch(&mut bucket, &mut keys, &mut fee).await;
        assert_eq!(got.unwrap(), 81);
        assert_eq!(bucket.calls, [vec![1, 2, 3], vec![1, 3]]);
    }
}
