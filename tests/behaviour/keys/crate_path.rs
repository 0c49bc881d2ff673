use retry_runtime::{Reason, RetryError, retry};

use crate::support::*;

/// A crate that re-exports the runtime under a name of its own, with a default total of its own, so that one can
/// see which of the two the attribute names.
mod reexport {
    pub(crate) use retry_runtime::{__private, PolicyBuilder, RetryError};

    pub(crate) struct Policy;

    impl Policy {
        pub(crate) const fn builder() -> PolicyBuilder {
            retry_runtime::Policy::builder().total(super::ms(1234))
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_path_replaces_the_runtime_crate() {
    #[retry(crate = crate::keys::crate_path::reexport, per_attempt = "none", attempts = 2, on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, reexport::RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(fetch(&Server::hung()).await.unwrap_err().end(), (1, ms(1234), Reason::TotalElapsed));
}

#[tokio::test(start_paused = true)]
async fn the_default_is_the_runtime_crate_whatever_is_in_scope() {
    #[allow(dead_code)]
    mod retry_runtime {}
    #[allow(dead_code)]
    mod core {}
    #[retry(per_attempt = "none", attempts = 2, on = ConnectionError)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(fetch(&Server::hung()).await.unwrap_err().elapsed(), secs(10));
}
