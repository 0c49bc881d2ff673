//! `&mut` arguments, changed in place and passed on: a connection that the caller lends.

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum DbError {
    #[error("database unavailable")]
    Unavailable,
    #[error("syntax")]
    Syntax,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Default)]
pub struct Handle {
    outages: u32,
    pub statements: Vec<String>,
}

async fn run(handle: &mut Handle, sql: &str) -> Result<usize, DbError> {
    handle.statements.push(sql.to_owned());
    if handle.outages > 0 {
        handle.outages -= 1;
        return Err(DbError::Unavailable);
    }
    Ok(handle.statements.len())
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = DbError::Unavailable)]
pub async fn expunge(handle: &mut Handle, tries: &mut u32, name: &str) -> Result<usize, DbError> {
    *tries += 1;
    let sql = format!("DELETE {name}");
    run(handle, &sql).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn both_attempts_used_the_handle() {
        let mut handle = Handle { outages: 1, ..Default::default() };
        let mut tries = 0;
        let got = expunge(&mut handle, &mut tries, "cpu").await;
        assert_eq!((got.unwrap(), tries), (2, 2));
    }
}
