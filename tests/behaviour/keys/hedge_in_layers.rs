//! Hedged calls in hedged calls: what multiplies, and what does not.

use retry_runtime::{GaveUp, retry};
use tokio::time::Instant;

use crate::support::*;

#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[retry(total = "1s", attempts = 3, hedge = "50ms", on = Failed::Connection(_))]
async fn inner(server: &Server) -> Result<u32, Failed> {
    Ok(server.call().await?)
}

#[retry(total = "1s", attempts = 3, hedge = "50ms", on = Failed::Connection(_))]
async fn middle(server: &Server) -> Result<u32, Failed> {
    inner(server).await
}

#[retry(total = "1s", attempts = 3, hedge = "50ms", on = Failed::Connection(_))]
async fn outer(server: &Server) -> Result<u32, Failed> {
    middle(server).await
}

#[tokio::test(start_paused = true)]
async fn in_every_layer_they_multiply_against_a_hung_server() {
    let server = Server::hung();
    let start = Instant::now();
    assert!(outer(&server).await.is_err());
    assert_eq!(start.elapsed(), secs(1));
    assert_eq!((server.calls(), server.most_open(), server.open()), (27, 27, 0));
}

#[tokio::test(start_paused = true)]
async fn in_the_innermost_one_they_do_not() {
    #[retry(total = "1s", attempts = 3, on = Failed::Connection(_))]
    async fn plain(server: &Server) -> Result<u32, Failed> {
        inner(server).await
    }
    let server = Server::hung();
    assert!(plain(&server).await.is_err());
    assert_eq!((server.calls(), server.most_open()), (3, 3));
}

#[tokio::test(start_paused = true)]
async fn what_fails_is_given_up_once() {
    let server = Server::failing();
    assert!(outer(&server).await.is_err());
    assert_eq!(server.calls(), 3);
}
