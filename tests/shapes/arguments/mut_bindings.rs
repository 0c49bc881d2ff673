//! `mut` arguments that the body changes: a commit that is rebuilt after a conflict.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    #[error("version mismatch")]
    Conflict,
    #[error("fatal")]
    Fatal,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Clone, Default)]
pub struct CommitReq {
    pub tables: Vec<u64>,
}

#[derive(Default)]
pub struct Meta(AtomicU32);

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = CommitError::Conflict)]
pub async fn commit(meta: &Meta, mut req: CommitReq, mut left: u32) -> Result<usize, CommitError> {
    for table in 0..left {
        req.tables.push(u64::from(table));
    }
    left += 1;
    match meta.0.fetch_add(1, Ordering::SeqCst) {
        0 => Err(CommitError::Conflict),
        _ => Ok(req.tables.len() * 10 + left as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn nothing_is_left_over_from_the_first_attempt() {
        let got = commit(&Meta::default(), CommitReq::default(), 3).await;
        assert_eq!(got.unwrap(), 34, "3 tables and left = 4, nothing kept from attempt 1");
    }
}
