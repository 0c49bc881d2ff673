//! TCP servers on loopback, each with one bad habit.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicU32>,
}

impl Server {
    /// Accepts and never answers.
    pub(crate) async fn silent() -> io::Result<Self> {
        Self::start(async |_, stream| hold(stream).await).await
    }

    /// Resets the first two connections, then answers.
    pub(crate) async fn recovering() -> io::Result<Self> {
        Self::start(
            async |number, stream| {
                if number <= 2 { reset(stream).await } else { answer(stream, b"Ada Lovelace\n").await }
            },
        )
        .await
    }

    /// Resets every connection.
    pub(crate) async fn resetting() -> io::Result<Self> {
        Self::start(async |_, stream| reset(stream).await).await
    }

    /// Answers slowly, then not at all: a timeout that each received byte renews would never end the call.
    pub(crate) async fn dripping() -> io::Result<Self> {
        Self::start(async |_, mut stream| {
            for byte in b"Ada" {
                stream.write_all(&[*byte]).await?;
                tokio::time::sleep(Duration::from_millis(30)).await;
            }
            hold(stream).await
        })
        .await
    }

    /// Answers that there is no such user.
    pub(crate) async fn without_users() -> io::Result<Self> {
        Self::start(async |_, stream| answer(stream, b"no such user\n").await).await
    }

    /// How many connections were made since this was last asked.
    pub(crate) fn take_connections(&self) -> u32 {
        self.connections.swap(0, Relaxed)
    }

    async fn start<F, Fut>(habit: F) -> io::Result<Self>
    where
        F: Fn(u32, TcpStream) -> Fut + Send + 'static,
        Fut: Future<Output = io::Result<()>> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let connections = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let number = counter.fetch_add(1, Relaxed) + 1;
                tokio::spawn(habit(number, stream));
            }
        });
        Ok(Self { address, connections })
    }
}

/// Keeps the connection open until the client goes away.
async fn hold(stream: TcpStream) -> io::Result<()> {
    let mut ignored = [0; 64];
    loop {
        stream.readable().await?;
        match stream.try_read(&mut ignored) {
            Ok(0) => return Ok(()),
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
            _ => {}
        }
    }
}

/// To close a socket that holds unread data resets the connection.
async fn reset(stream: TcpStream) -> io::Result<()> {
    stream.peek(&mut [0]).await.map(drop)
}

async fn answer(mut stream: TcpStream, text: &[u8]) -> io::Result<()> {
    stream.write_all(text).await?;
    hold(stream).await
}
