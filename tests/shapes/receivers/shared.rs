//! A method on `&self`, whose error says itself whether it is worth another attempt.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    #[error("catalog unreachable")]
    Unreachable,
    #[error("no plan for table {0}")]
    NoPlan(u64),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

impl CatalogError {
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable)
    }
}

#[derive(Debug, PartialEq)]
pub struct Plan {
    pub table: u64,
}

#[derive(Default)]
pub struct CatalogClient {
    calls: AtomicU32,
}

impl CatalogClient {
    async fn rpc(&self, table: u64) -> Result<Plan, CatalogError> {
        match self.calls.fetch_add(1, Ordering::SeqCst) {
            0 => Err(CatalogError::Unreachable),
            _ if table == 0 => Err(CatalogError::NoPlan(table)),
            _ => Ok(Plan { table }),
        }
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, when = CatalogError::is_transient)]
    pub async fn replace_plan(&self, table: u64) -> Result<Plan, CatalogError> {
        let plan = self.rpc(table).await?;
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_second_plan_is_the_answer() {
        let client = CatalogClient::default();
        let got = client.replace_plan(7).await;
        assert_eq!(got.unwrap(), Plan { table: 7 });
        assert_eq!(client.calls.load(Ordering::SeqCst), 2);
        assert!(matches!(client.replace_plan(0).await, Err(CatalogError::NoPlan(0))));
        assert_eq!(client.calls.load(Ordering::SeqCst), 3);
    }
}
