//! An `io::Result`, told apart by its kind: waiting until a database accepts connections.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::retry;

static DIALS: AtomicU32 = AtomicU32::new(0);

#[derive(Debug)]
pub struct Link(String);

async fn dial(addr: &str) -> io::Result<Link> {
    tokio::task::yield_now().await;
    match DIALS.fetch_add(1, Ordering::SeqCst) {
        0 => Err(io::ErrorKind::ConnectionRefused.into()),
        _ => Ok(Link(addr.to_owned())),
    }
}

#[retry(
    total = "1s",
    per_attempt = "200ms",
    attempts = 3,
    when = |e: &io::Error| e.kind() == io::ErrorKind::ConnectionRefused,
)]
pub async fn wait_for_backend(host: &str, port: u16) -> io::Result<Link> {
    let addr = format!("{host}:{port}");
    dial(&addr).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn refused_once_then_connected() {
        let got = wait_for_backend("db", 5432).await;
        assert_eq!(got.unwrap().0, "db:5432");
    }
}
