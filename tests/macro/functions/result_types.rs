//! The declared type reaches into the body, so that values become trait objects; where it names an `impl Trait`, too.

use std::fmt::{self, Display};

use retry_runtime::{RetryError, retry};

use crate::ConnectionError;

type Job = Box<dyn Fn() -> u32 + Send + Sync>;

#[retry(attempts = 2, on = ConnectionError)]
async fn job(k: bool) -> Result<Job, RetryError<ConnectionError>> {
    if k {
        return Ok(Box::new(|| 2));
    }
    Ok(Box::new(|| 1))
}

#[retry(attempts = 2, on = ConnectionError)]
async fn numbers(n: u32) -> Result<impl Iterator<Item = u32> + Send, RetryError<ConnectionError>> {
    Ok((0..n).map(|x| x + 1))
}

#[retry(attempts = 2, on = ConnectionError)]
async fn both(k: bool) -> Result<(Vec<Box<dyn Display>>, impl Fn(u32) -> u32), RetryError<ConnectionError>> {
    if k {
        Err(ConnectionError)?;
    }
    Ok((vec![Box::new(1), Box::new("two")], |x| x * 2))
}

#[retry(attempts = 2, on = ConnectionError)]
async fn slice() -> Result<&'static [u32], RetryError<ConnectionError>> {
    Ok(&[1, 2])
}

#[retry(attempts = 2, on = fmt::Error)]
async fn function() -> Result<fn(u32) -> u32, RetryError<fmt::Error>> {
    Ok(|x| x + 1)
}

#[tokio::test]
async fn coerced_or_opaque() {
    assert_eq!(job(false).await.unwrap()(), 1);
    assert_eq!(job(true).await.unwrap()(), 2);
    assert_eq!(numbers(3).await.unwrap().collect::<Vec<_>>(), [1, 2, 3]);
    let (shown, double) = both(false).await.unwrap();
    assert_eq!(shown.iter().map(ToString::to_string).collect::<String>(), "1two");
    assert_eq!(double(4), 8);
    assert_eq!(slice().await.unwrap(), [1, 2]);
    assert_eq!(function().await.unwrap()(1), 2);
}
