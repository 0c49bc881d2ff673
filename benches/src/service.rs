//! The operation that every contestant runs: an async method with a reference and an argument, and a future of 48
//! bytes.

use std::error::Error;
use std::fmt;
use std::future::pending;
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use tokio::task::yield_now;

/// What a service does when it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Answers at once.
    Ready,
    /// Answers when it is polled again.
    Yields,
    /// Refuses so many calls, then answers one, and so on.
    Refuses(u32),
    /// Never answers.
    Hangs,
}

/// A service that keeps to its script.
#[derive(Debug)]
pub struct Service {
    script: Script,
    refused: AtomicU32,
}

impl Service {
    /// A service for the rest of the process.
    pub fn new(script: Script) -> &'static Self {
        Box::leak(Box::new(Self { script, refused: AtomicU32::new(0) }))
    }

    /// The operation.
    pub async fn get(&self, number: u64) -> Result<u64, Refused> {
        match self.script {
            Script::Ready => {}
            Script::Yields => yield_now().await,
            Script::Refuses(times) => {
                let refused = self.refused.load(Relaxed);
                let again = refused < times;
                self.refused.store(if again { refused + 1 } else { 0 }, Relaxed);
                if again {
                    return Err(Refused { times: refused });
                }
            }
            Script::Hangs => {
                // What a request keeps while it waits.
                let kept = black_box([number; 2]);
                pending::<()>().await;
                return Ok(kept.iter().sum());
            }
        }
        Ok(black_box(number) + 1)
    }
}

/// The failure that is worth another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    times: u32,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused {} times before", self.times)
    }
}

impl Error for Refused {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_future_of_the_operation_is_48_bytes() {
        assert_eq!(size_of_val(&Service::new(Script::Ready).get(1)), 48);
    }
}
