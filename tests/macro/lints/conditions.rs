//! A body in the head of a `match` is a block in a condition.

#![deny(warnings, clippy::all)]

use std::future::Future;

use retry_runtime::{RetryError, retry};

use crate::ConnectionError;

pub trait Store {
    fn get(&self, k: &str) -> impl Future<Output = Result<u32, RetryError<ConnectionError>>> + Send;
}

pub struct Mem;

impl Store for Mem {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ConnectionError)]
    async fn get(&self, k: &str) -> Result<u32, RetryError<ConnectionError>> {
        let n = k.len() as u32;
        if n == 0 {
            return Err(ConnectionError);
        }
        Ok(n)
    }
}
