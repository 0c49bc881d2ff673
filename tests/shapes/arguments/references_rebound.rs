//! `mut` references that the body moves along: a slice that is eaten from the front, a list that is walked. And an
//! optional `&mut`.

use retry_runtime::{RetryError, retry};

#[derive(Debug, thiserror::Error)]
#[error("short by {0}")]
pub struct Short(pub usize);

#[derive(Default)]
pub struct Link {
    pub hits: u32,
    pub next: Option<Box<Link>>,
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Short)]
pub async fn count(mut rest: &[u8], tries: &mut usize) -> Result<usize, RetryError<Short>> {
    let mut words = 0;
    while let [first, tail @ ..] = rest {
        words += usize::from(*first == b' ');
        rest = tail;
    }
    *tries += 1;
    if *tries == 1 { Err(Short(rest.len())) } else { Ok(words + 1) }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Short)]
pub async fn walk(mut link: &mut Link) -> Result<u32, RetryError<Short>> {
    let mut length = 1;
    link.hits += 1;
    while let Some(next) = &mut link.next {
        link = next;
        link.hits += 1;
        length += 1;
    }
    if link.hits == 1 { Err(Short(length)) } else { Ok(link.hits) }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Short)]
pub async fn fill(mut out: Option<&mut Vec<u32>>, tries: &mut usize) -> Result<usize, RetryError<Short>> {
    *tries += 1;
    if let Some(out) = out.as_deref_mut() {
        out.push(1);
    }
    match &mut out {
        Some(out) if out.len() < 2 => Err(Short(2 - out.len())),
        Some(out) => Ok(out.len()),
        None if *tries == 1 => Err(Short(2)),
        None => Ok(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_attempt_starts_at_the_front() {
        assert_eq!(count(b"a b c", &mut 0).await.unwrap(), 3);
        let mut list = Link { hits: 0, next: Some(Box::default()) };
        assert_eq!(walk(&mut list).await.unwrap(), 2);
        assert_eq!(list.hits, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_put_through_an_optional_reference_stays() {
        let mut out = vec![];
        assert_eq!(fill(Some(&mut out), &mut 0).await.unwrap(), 2);
        assert_eq!(fill(None, &mut 0).await.unwrap(), 0);
        assert_eq!(out, [1, 1]);
    }
}
