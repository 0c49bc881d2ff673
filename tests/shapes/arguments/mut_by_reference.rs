//! `mut` arguments of which the body takes `&mut`: a reader passed to a generic function, an iterator in a `for`, a
//! guard behind `*`, an option that is matched. Where they are not `Clone`, the next attempt goes on with them.

use std::io::{self, Read};

use retry_runtime::{RetryError, retry};
use tokio::sync::MutexGuard;

use crate::counted::Counted;

#[derive(Debug, thiserror::Error)]
#[error("incomplete")]
pub struct Incomplete;

fn read_some<R: Read>(reader: &mut R) -> io::Result<usize> {
    let mut buffer = [0; 2];
    reader.read(&mut buffer)
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Incomplete)]
pub async fn read(mut reader: impl Read, seen: &mut Vec<usize>) -> Result<usize, RetryError<Incomplete>> {
    let read = read_some(&mut reader).map_err(|_| Incomplete)?;
    seen.push(read);
    if read > 0 {
        return Err(Incomplete);
    }
    Ok(seen.iter().sum())
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Incomplete)]
pub async fn each<I: Iterator<Item = u32>>(mut numbers: I) -> Result<u32, RetryError<Incomplete>> {
    let mut sum = 0;
    for number in &mut numbers {
        sum += number;
        if number == 2 {
            Err(Incomplete)?;
        }
    }
    Ok(sum)
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Incomplete)]
pub async fn count(mut guard: MutexGuard<'_, u32>) -> Result<u32, RetryError<Incomplete>> {
    *guard += 1;
    if *guard == 1 {
        return Err(Incomplete);
    }
    if *guard == 2 {
        std::future::pending::<()>().await;
    }
    Ok(*guard)
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Incomplete)]
pub async fn swap(
    mut list: Vec<Counted>,
    mut last: Option<Counted>,
) -> Result<usize, RetryError<Incomplete>> {
    let first = std::mem::take(&mut list);
    match &mut last {
        Some(last) if last == "x" && first.len() == 1 => last.text = "y",
        _ => return Ok(0),
    }
    Err(Incomplete)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::Clones;
    use std::time::Duration;
    use tokio::sync::Mutex;
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn what_is_not_clone_goes_on() {
        let mut seen = vec![];
        assert_eq!(read(&b"abc"[..], &mut seen).await.unwrap(), 3);
        assert_eq!(seen, [2, 1, 0]);
        assert_eq!(each((1..5).inspect(|_| ())).await.unwrap(), 7);
    }

    #[tokio::test(start_paused = true)]
    async fn it_comes_back_from_an_attempt_that_is_cut() {
        let counter = Mutex::new(0);
        let start = Instant::now();
        assert_eq!(count(counter.lock().await).await.unwrap(), 3);
        assert!(start.elapsed() > Duration::from_millis(200));
        assert_eq!(*counter.lock().await, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_clone_starts_afresh() {
        let clones = Clones::default();
        let x = || Counted::new("x", &clones);
        assert_eq!(swap(vec![x()], Some(x())).await.unwrap_err().attempts(), 3);
        assert_eq!(clones.take(), 6);
    }
}
