//! Methods that the trait itself provides, with a body; and one that overrides it.

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    #[error("try later")]
    Later,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[allow(async_fn_in_trait)]
pub trait BlobStore {
    async fn raw(&mut self, key: &str) -> Result<Vec<u8>, BlobError>;

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = BlobError::Later)]
    async fn text(&mut self, key: &str) -> Result<String, BlobError> {
        let bytes = self.raw(key).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = BlobError::Later)]
    async fn length<K>(&mut self, key: K) -> Result<usize, BlobError>
    where
        K: AsRef<str>,
        Self: Sized,
    {
        self.raw(key.as_ref()).await.map(|bytes| bytes.len())
    }
}

#[derive(Default)]
pub struct Disk(pub u32);

impl BlobStore for Disk {
    async fn raw(&mut self, key: &str) -> Result<Vec<u8>, BlobError> {
        self.0 += 1;
        if self.0 % 2 == 1 { Err(BlobError::Later) } else { Ok(key.into()) }
    }
}

#[derive(Default)]
pub struct Memory(pub u32);

impl BlobStore for Memory {
    async fn raw(&mut self, _: &str) -> Result<Vec<u8>, BlobError> {
        self.0 += 1;
        Err(BlobError::Later)
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 5, on = BlobError::Later)]
    async fn text(&mut self, key: &str) -> Result<String, BlobError> {
        self.raw(key).await?;
        Ok(String::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_provided_body_is_repeated() {
        let mut disk = Disk::default();
        assert_eq!(disk.text("k").await.unwrap(), "k");
        assert_eq!(disk.length("key").await.unwrap(), 3);
        assert_eq!(disk.0, 4);
    }

    #[tokio::test(start_paused = true)]
    async fn an_override_has_its_own_numbers() {
        let mut memory = Memory::default();
        assert!(matches!(memory.text("k").await, Err(BlobError::GaveUp(_))));
        assert_eq!(memory.0, 5);
    }
}
