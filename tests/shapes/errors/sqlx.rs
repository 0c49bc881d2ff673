//! The error of `sqlx`, told apart by pattern and by a function.

use retry_runtime::retry;
use sqlx::Error;

fn is_transient(error: &Error) -> bool {
    matches!(error, Error::Io(_) | Error::PoolTimedOut | Error::WorkerCrashed)
}

#[derive(Debug, Default)]
pub struct Pool {
    pub failures: Vec<Error>,
    pub queries: u32,
}

impl Pool {
    async fn fetch_one(&mut self, sql: &str) -> Result<usize, Error> {
        self.queries += 1;
        match self.failures.pop() {
            Some(error) => Err(error),
            None => Ok(sql.len()),
        }
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Error::Io(_) | Error::PoolTimedOut)]
pub async fn count(pool: &mut Pool, table: &str) -> Result<usize, Error> {
    let sql = format!("SELECT count(*) FROM {table}");
    pool.fetch_one(&sql).await
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, when = is_transient)]
pub async fn delete(pool: &mut Pool, table: String) -> Result<bool, Error> {
    let rows = pool.fetch_one(&table).await?;
    Ok(rows > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_exhausted_pool_is_asked_again() {
        let mut pool = Pool { failures: vec![Error::PoolTimedOut], queries: 0 };
        assert_eq!(count(&mut pool, "users").await.unwrap(), 26);
        pool.failures = vec![Error::WorkerCrashed, Error::WorkerCrashed];
        assert!(delete(&mut pool, "users".to_owned()).await.unwrap());
        assert_eq!(pool.queries, 5);
    }

    #[tokio::test(start_paused = true)]
    async fn a_missing_row_is_final() {
        let mut pool = Pool { failures: vec![Error::RowNotFound], queries: 0 };
        assert!(matches!(count(&mut pool, "users").await, Err(Error::RowNotFound)));
        assert_eq!(pool.queries, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_give_up_is_an_error_of_the_client() {
        let failures = || (0..9).map(|_| Error::PoolTimedOut).collect();
        let mut pool = Pool { failures: failures(), queries: 0 };
        assert!(matches!(count(&mut pool, "users").await, Err(Error::Io(_))));
        assert_eq!(pool.queries, 3);
    }
}
