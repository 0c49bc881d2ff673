//! The error of a client that has no public constructor: it needs a type around it for the give-up.

use retry_runtime::{RetryError, retry};

#[retry(
    total = "1s",
    per_attempt = "200ms",
    attempts = 3,
    when = |e: &reqwest::Error| e.is_connect() || e.is_timeout(),
)]
pub async fn fetch_text(client: &reqwest::Client, url: &str) -> Result<String, RetryError<reqwest::Error>> {
    let response = client.get(url).send().await?.error_for_status()?;
    response.text().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn refused_at_every_attempt() {
        // Bind and drop a loopback listener, so nothing answers there.
        let port = {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            listener.local_addr().unwrap().port()
        };
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let got = fetch_text(&client, &format!("http://127.0.0.1:{port}/")).await;
        let error = got.unwrap_err();
        assert_eq!(error.attempts(), 3);
        assert!(error.last().unwrap().is_connect());
    }
}
