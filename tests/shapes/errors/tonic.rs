//! A `tonic::Status`, told apart by its code; the message goes into a new request at each attempt.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::retry;
use tonic::{Code, Request, Response, Status};

#[derive(Clone, Debug, PartialEq)]
pub struct GetPage {
    pub block: u32,
}

fn retryable(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::Unavailable | Code::ResourceExhausted | Code::Aborted | Code::DeadlineExceeded
    )
}

#[derive(Clone, Default)]
pub struct PageClient {
    calls: std::sync::Arc<AtomicU32>,
}

impl PageClient {
    async fn get_page(&mut self, request: Request<GetPage>) -> Result<Response<u32>, Status> {
        match self.calls.fetch_add(1, Ordering::SeqCst) {
            0 => Err(Status::unavailable("restarting")),
            _ => Ok(Response::new(request.into_inner().block)),
        }
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, when = retryable)]
pub async fn page(client: &PageClient, query: GetPage) -> tonic::Result<u32> {
    let mut client = client.clone();
    let mut request = Request::new(query);
    request.metadata_mut().insert("x-tenant", "t1".parse().expect("ascii"));
    Ok(client.get_page(request).await?.into_inner())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use retry_runtime::CircuitBreaker;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_page_is_asked_for_again() {
        let got = page(&PageClient::default(), GetPage { block: 9 }).await;
        assert_eq!(got.unwrap(), 9);
    }

    #[tokio::test(start_paused = true)]
    async fn an_open_breaker_is_a_service_that_is_not_available() {
        static DOWN: CircuitBreaker = CircuitBreaker::consecutive(1, Duration::from_secs(60));
        #[retry(total = "1s", breaker = DOWN, when = retryable)]
        async fn guarded(client: &PageClient) -> tonic::Result<u32> {
            client.clone().get_page(Request::new(GetPage { block: 9 })).await?;
            std::future::pending().await
        }
        // The first answer opens it.
        let last = guarded(&PageClient::default()).await.unwrap_err();
        assert_eq!(last.code(), Code::Unavailable);
        let refused = guarded(&PageClient::default()).await.unwrap_err();
        assert_eq!(refused.code(), Code::Unavailable);
        assert!(refused.message().starts_with("gave up before the first attempt"));
        // Without a breaker, no answer in time is what there is to tell.
        DOWN.reset();
        let answered_once = PageClient::default();
        answered_once.calls.store(1, Ordering::SeqCst);
        let hung = guarded(&answered_once).await.unwrap_err();
        assert_eq!(hung.code(), Code::DeadlineExceeded);
    }
}
