//! A trait with generic parameters, implemented for every type that can do it: a wrapper that repeats what it wraps.

use std::error::Error;

use retry_runtime::{RetryError, retry};

#[allow(async_fn_in_trait)]
pub trait Handle<Request> {
    type Response;
    type Error;

    async fn handle(&mut self, request: Request) -> Result<Self::Response, Self::Error>;
}

pub struct Repeated<H>(pub H);

impl<H, Request> Handle<Request> for Repeated<H>
where
    H: Handle<Request>,
    H::Error: Error + 'static,
    Request: Clone,
{
    type Response = H::Response;
    type Error = RetryError<H::Error>;

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = _)]
    async fn handle(&mut self, request: Request) -> Result<Self::Response, RetryError<H::Error>> {
        self.0.handle(request).await
    }
}

#[derive(Debug, thiserror::Error)]
#[error("overloaded")]
pub struct Overloaded;

#[derive(Default)]
pub struct Service(pub u32);

impl<'a> Handle<&'a str> for Service {
    type Response = &'a str;
    type Error = Overloaded;

    async fn handle(&mut self, request: &'a str) -> Result<&'a str, Overloaded> {
        self.0 += 1;
        if self.0 < 3 { Err(Overloaded) } else { Ok(request) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_wrapped_service_is_asked_again() {
        let mut repeated = Repeated(Service::default());
        assert_eq!(repeated.handle("r").await.unwrap(), "r");
        assert_eq!(repeated.0.0, 3);
    }
}
