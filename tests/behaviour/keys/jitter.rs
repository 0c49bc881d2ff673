use retry_runtime::{RetryError, retry};

use crate::support::*;

/// The shortest and the longest of two hundred waits of a second.
fn spread(server: &Server) -> (u64, u64) {
    let gaps: Vec<_> = server.gaps().iter().map(|gap| gap.as_millis() as u64).collect();
    assert_eq!(gaps.len(), 200);
    (*gaps.iter().min().unwrap(), *gaps.iter().max().unwrap())
}

#[tokio::test(start_paused = true)]
async fn none_waits_exactly() {
    #[retry(total = "1h", attempts = 201, backoff = "1s", factor = 1, jitter = "none", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    fetch(&server).await.unwrap_err();
    assert_eq!(spread(&server), (1000, 1000));
}

#[tokio::test(start_paused = true)]
async fn equal_varies_the_upper_half_and_is_the_default() {
    #[retry(total = "1h", attempts = 201, backoff = "1s", factor = 1, jitter = "equal", on = ConnectionError)]
    async fn written(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(total = "1h", attempts = 201, backoff = "1s", factor = 1, on = ConnectionError)]
    async fn default(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let servers = [Server::failing(), Server::failing()];
    written(&servers[0]).await.unwrap_err();
    default(&servers[1]).await.unwrap_err();
    for server in &servers {
        let (least, most) = spread(server);
        // Of two hundred draws one is in the lowest tenth of the range, and one in the highest.
        assert!((500..550).contains(&least) && (950..=1001).contains(&most), "{least} {most}");
    }
}

#[tokio::test(start_paused = true)]
async fn full_varies_all_of_it() {
    #[retry(total = "1h", attempts = 201, backoff = "1s", factor = 1, jitter = "full", on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    fetch(&server).await.unwrap_err();
    let (least, most) = spread(&server);
    assert!(least < 100 && (900..=1001).contains(&most), "{least} {most}");
}
