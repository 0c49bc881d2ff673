//! The client, as a service would write it: plain functions, an attribute, one error enum.

use std::io;
use std::net::SocketAddr;

use retry_runtime::{GaveUp, retry};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::timeline::Watch;

#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("the connection failed")]
    Connection(#[from] io::Error),
    #[error("no such user")]
    NoSuchUser,
    /// Where "out of time" and "out of attempts" go.
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

pub(crate) struct Store {
    pub(crate) address: SocketAddr,
    pub(crate) watch: Watch,
}

impl Store {
    pub(crate) fn at(address: SocketAddr) -> Self {
        Self { address, watch: Watch::start() }
    }

    /// One limit around everything: the first hung attempt takes it all.
    #[retry(total = "1s", per_attempt = "none", attempts = 5, jitter = "none", on = StoreError::Connection(_))]
    pub(crate) async fn with_one_timeout(&self) -> Result<String, StoreError> {
        self.ask().await
    }

    /// A limit for each attempt, and one for all of them together with the waits.
    #[retry(total = "1s", per_attempt = "200ms", attempts = 5, jitter = "none", on = StoreError::Connection(_))]
    pub(crate) async fn with_two_limits(&self) -> Result<String, StoreError> {
        self.ask().await
    }

    /// Far more attempts than fit: the count is a safety net, the total governs.
    #[retry(total = "1s", per_attempt = "200ms", attempts = 20, jitter = "none", on = StoreError::Connection(_))]
    pub(crate) async fn with_many_attempts(&self) -> Result<String, StoreError> {
        self.ask().await
    }

    /// Leaves 20 ms of the caller's time for an answer to the caller.
    #[retry(
        total = "1s",
        per_attempt = "300ms",
        margin = "20ms",
        jitter = "none",
        on = StoreError::Connection(_)
    )]
    pub(crate) async fn for_a_request(&self) -> Result<String, StoreError> {
        self.ask().await
    }

    #[retry(jitter = "none", on = StoreError::Connection(_))]
    pub(crate) async fn page(&self) -> Result<String, StoreError> {
        Ok(format!("<h1>{}</h1>", self.profile().await?))
    }

    #[retry(jitter = "none", on = StoreError::Connection(_))]
    async fn profile(&self) -> Result<String, StoreError> {
        Ok(format!("Name: {}", self.user().await?))
    }

    #[retry(jitter = "none", on = StoreError::Connection(_))]
    async fn user(&self) -> Result<String, StoreError> {
        self.ask().await
    }

    /// One request over one connection.
    async fn ask(&self) -> Result<String, StoreError> {
        self.watch.attempt(self.request()).await
    }

    async fn request(&self) -> Result<String, StoreError> {
        let mut stream = TcpStream::connect(self.address).await?;
        stream.write_all(b"user 7\n").await?;
        let mut line = String::new();
        if BufReader::new(stream).read_line(&mut line).await? == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        match line.trim_end() {
            "no such user" => Err(StoreError::NoSuchUser),
            name => Ok(name.to_owned()),
        }
    }
}
