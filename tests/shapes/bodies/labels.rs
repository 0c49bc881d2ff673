//! Loops with labels, blocks with values, `break` and `continue` through several of them.

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum PageError {
    #[error("page moved")]
    Moved,
    #[error("page {0} is corrupt")]
    Corrupt(u32),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = PageError::Moved)]
pub async fn scan(pages: &[&[u32]], tries: &mut u32) -> Result<u32, PageError> {
    *tries += 1;
    let mut sum = 0;
    'pages: for page in pages {
        for row in *page {
            tokio::task::yield_now().await;
            match row {
                0 => continue 'pages,
                1 if *tries == 1 => return Err(PageError::Moved),
                99 => break 'pages,
                other => sum += other,
            }
        }
        sum += 100;
    }
    let bonus = 'found: {
        if sum > 1000 {
            break 'found 1;
        }
        0
    };
    loop {
        if sum == 0 {
            break Err(PageError::Corrupt(0));
        }
        sum += bonus;
        if sum > 100 {
            break Ok(sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn labels_stay_within_their_attempt() {
        let mut tries = 0;
        assert_eq!(scan(&[&[0, 5], &[1, 2], &[99, 7], &[9]], &mut tries).await.unwrap(), 103);
        assert_eq!(tries, 2);
        assert!(matches!(scan(&[], &mut tries).await, Err(PageError::Corrupt(0))));
        assert_eq!(tries, 3);
    }
}
