//! `return` and `?` leave the attempt, not the function: else a body that fails through `?` is never repeated.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use retry_runtime::{RetryError, retry};

use crate::ConnectionError;

#[derive(Clone, Copy)]
enum By {
    QuestionMark,
    Return,
    Tail,
    QuestionMarkInAMacro,
    ReturnInABlock,
}

#[retry(attempts = 3, backoff = "none", on = ConnectionError)]
async fn fail(s: &str, calls: &AtomicU32, by: By) -> Result<u32, RetryError<ConnectionError>> {
    calls.fetch_add(1, SeqCst);
    match by {
        By::QuestionMark => {
            let n: u32 = s.parse().map_err(|_| ConnectionError)?;
            Ok(n)
        }
        By::Return => {
            if s == "x" {
                return Err(ConnectionError);
            }
            Ok(0)
        }
        By::Tail => Err(ConnectionError),
        By::QuestionMarkInAMacro => {
            let list: Vec<u32> = vec![s.parse().map_err(|_| ConnectionError)?];
            Ok(list.len() as u32)
        }
        By::ReturnInABlock => {
            let n = 'n: {
                if s.is_empty() {
                    break 'n 0;
                }
                return Err(ConnectionError);
            };
            Ok(n)
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_way_out_is_an_attempt() {
    for by in [By::QuestionMark, By::Return, By::Tail, By::QuestionMarkInAMacro, By::ReturnInABlock] {
        let calls = AtomicU32::new(0);
        assert_eq!(fail("x", &calls, by).await.unwrap_err().attempts(), 3);
        assert_eq!(calls.load(SeqCst), 3);
    }
}
