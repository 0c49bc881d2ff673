//! Arguments taken apart in the signature. Each variable follows its own use.

use std::net::SocketAddr;

use retry_runtime::{RetryError, retry};

use crate::counted::Counted;

#[derive(Debug, thiserror::Error)]
#[error("leader unknown")]
pub struct NoLeader;

pub struct Append {
    pub topic: Counted,
    pub rows: Vec<u32>,
    pub sync: bool,
}

pub struct Tag(pub Counted);

fn ship(topic: Counted, rows: Vec<u32>) -> usize {
    topic.text.len() + rows.len()
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = NoLeader)]
pub async fn append(
    tries: &mut u32,
    (host, port): (Counted, u16),
    Append { topic, mut rows, sync: flush }: Append,
    Tag(tag): Tag,
    &limit: &usize,
    [first, .., last]: [u32; 3],
    _: SocketAddr,
) -> Result<(usize, String), RetryError<NoLeader>> {
    *tries += 1;
    rows.push(first + last);
    if *tries == 1 || !flush {
        return Err(NoLeader);
    }
    Ok((ship(topic, rows).min(limit), format!("{}:{port}{}", host.text, tag.text)))
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = NoLeader)]
pub async fn lend(
    (count, name): (&mut u32, &str),
    whole @ (_, _): (u8, u8),
) -> Result<usize, RetryError<NoLeader>> {
    *count += 1;
    let more = count;
    if *more < 2 { Err(NoLeader) } else { Ok(name.len() + usize::from(whole.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::Clones;

    #[tokio::test(start_paused = true)]
    async fn only_the_parts_that_are_used_up_are_cloned() {
        let [host, topic, tag] = [Clones::default(), Clones::default(), Clones::default()];
        let mut tries = 0;
        let append = append(
            &mut tries,
            (Counted::new("h", &host), 80),
            Append { topic: Counted::new("t", &topic), rows: vec![7], sync: true },
            Tag(Counted::new("?", &tag)),
            &99,
            [1, 2, 3],
            ([127, 0, 0, 1], 1).into(),
        );
        assert_eq!(append.await.unwrap(), (3, "h:80?".to_owned()));
        assert_eq!(topic.take(), 2);
        // They occur in a macro call, of which one cannot see what it does with them, but for a field of theirs.
        assert!(host.take() <= 2 && tag.take() <= 2);
    }

    #[tokio::test(start_paused = true)]
    async fn references_in_a_pattern_are_lent() {
        let mut count = 0;
        assert_eq!(lend((&mut count, "ab"), (1, 2)).await.unwrap(), 3);
        assert_eq!(count, 2);
    }
}
