//! A scripted server, and short names for what every test needs.

use std::error::Error;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use retry_runtime::{GaveUp, Reason, RetryError};
use tokio::time::{Instant, sleep};

pub(crate) use retry_tests::ConnectionError;

pub(crate) const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

pub(crate) const fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// A failure that another attempt would only repeat.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such user")]
pub(crate) struct Missing;

/// An error enum as a service writes it: bare form, one `#[from]` line for the give-up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("the store is unreachable")]
    Connection(#[from] ConnectionError),
    #[error(transparent)]
    Missing(#[from] Missing),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

impl StoreError {
    pub(crate) fn gave_up(self) -> GaveUp {
        match self {
            StoreError::GaveUp(gave_up) => gave_up,
            other => panic!("not a give-up: {other:?}"),
        }
    }
}

/// What one call of the server does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Succeed,
    Fail,
    Hang,
    SucceedAfter(u64),
    FailAfter(u64),
}

/// Plays its script, repeats the last step for ever, and notes when it was called.
#[derive(Debug)]
pub(crate) struct Server {
    script: Vec<Step>,
    born: Instant,
    starts: Mutex<Vec<Duration>>,
    open: AtomicU32,
    most_open: AtomicU32,
}

impl Server {
    pub(crate) fn new(script: impl Into<Vec<Step>>) -> Self {
        Self {
            script: script.into(),
            born: Instant::now(),
            starts: Mutex::default(),
            open: AtomicU32::new(0),
            most_open: AtomicU32::new(0),
        }
    }

    pub(crate) fn failing() -> Self {
        Self::new([Step::Fail])
    }

    pub(crate) fn hung() -> Self {
        Self::new([Step::Hang])
    }

    pub(crate) fn ready() -> Self {
        Self::new([Step::Succeed])
    }

    /// Answers with the number of the call.
    pub(crate) async fn call(&self) -> Result<u32, ConnectionError> {
        let number = {
            let mut starts = self.starts.lock().unwrap();
            starts.push(self.born.elapsed());
            starts.len()
        };
        self.most_open.fetch_max(self.open.fetch_add(1, SeqCst) + 1, SeqCst);
        let _connection = Connection(self);
        let step = self.script.get(number - 1).or(self.script.last()).copied().unwrap_or(Step::Hang);
        match step {
            Step::Succeed => Ok(number as u32),
            Step::Fail => Err(ConnectionError),
            Step::Hang => std::future::pending().await,
            Step::SucceedAfter(n) => {
                sleep(ms(n)).await;
                Ok(number as u32)
            }
            Step::FailAfter(n) => {
                sleep(ms(n)).await;
                Err(ConnectionError)
            }
        }
    }

    pub(crate) fn calls(&self) -> u32 {
        self.starts.lock().unwrap().len() as u32
    }

    /// When the calls began, in milliseconds since the server was made.
    pub(crate) fn starts(&self) -> Vec<u64> {
        self.starts.lock().unwrap().iter().map(|start| start.as_millis() as u64).collect()
    }

    /// The pauses between the starts of calls that fail at once, which are the waits.
    pub(crate) fn gaps(&self) -> Vec<Duration> {
        self.starts.lock().unwrap().windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    /// Connections that are open at this moment.
    pub(crate) fn open(&self) -> u32 {
        self.open.load(SeqCst)
    }

    pub(crate) fn most_open(&self) -> u32 {
        self.most_open.load(SeqCst)
    }
}

struct Connection<'a>(&'a Server);

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, SeqCst);
    }
}

/// How a call ended, as the rows of a table: attempts, elapsed, reason.
pub(crate) trait End {
    fn end(&self) -> (u32, Duration, Reason);
}

impl<E> End for RetryError<E> {
    fn end(&self) -> (u32, Duration, Reason) {
        (self.attempts(), self.elapsed(), self.reason())
    }
}

impl End for GaveUp {
    fn end(&self) -> (u32, Duration, Reason) {
        (self.attempts(), self.elapsed(), self.reason())
    }
}

/// The texts of an error and of all its sources, outermost first.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> Vec<String> {
    std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (*error).source())
        .map(ToString::to_string)
        .collect()
}

/// Finds a type in the chain below an error.
pub(crate) fn in_chain<T: Error + 'static>(error: &(dyn Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (*error).source())
        .any(|error| error.is::<T>())
}

pub(crate) fn assert_send<T: Send>(value: T) -> T {
    value
}
