//! `mut` parameters: every attempt starts from what the caller passed.

use retry_runtime::{RetryError, retry};

use crate::ConnectionError;

#[retry(attempts = 5, backoff = "none", on = ConnectionError)]
async fn count(mut n: u32) -> Result<u32, RetryError<ConnectionError>> {
    n += 1;
    if n < 3 {
        return Err(ConnectionError);
    }
    Ok(n)
}

#[retry(attempts = 3, backoff = "none", on = ConnectionError)]
async fn fill(mut list: Vec<u32>, seen: &mut Vec<usize>) -> Result<u32, RetryError<ConnectionError>> {
    list.push(1);
    seen.push(list.len());
    Err(ConnectionError)
}

#[retry(attempts = 3, backoff = "none", on = ConnectionError)]
async fn through(mut list: &mut Vec<u32>, more: &mut Vec<u32>) -> Result<u32, RetryError<ConnectionError>> {
    if !list.is_empty() {
        list = more;
    }
    list.push(1);
    Err(ConnectionError)
}

#[tokio::test(start_paused = true)]
async fn an_attempt_never_sees_what_another_counted() {
    assert_eq!(count(0).await.unwrap_err().attempts(), 5);
    assert_eq!(count(2).await.unwrap(), 3);
}

#[tokio::test(start_paused = true)]
async fn what_is_owned_starts_afresh_and_what_is_behind_a_reference_stays() {
    let mut seen = vec![];
    assert_eq!(fill(vec![0], &mut seen).await.unwrap_err().attempts(), 3);
    assert_eq!(seen, [2, 2, 2]);
    let (mut list, mut more) = (vec![], vec![]);
    assert_eq!(through(&mut list, &mut more).await.unwrap_err().attempts(), 3);
    assert_eq!((list, more), (vec![1], vec![1, 1]));
}
