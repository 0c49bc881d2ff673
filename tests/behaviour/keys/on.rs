use std::error::Error;
use std::io;

use retry_runtime::{AnyError, Reason, RetryError, retry};

use crate::support::*;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("busy for {0} ms")]
struct Busy(u32);

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
enum FetchError {
    #[error("status {0}")]
    Status(u16),
    #[error("connection reset after {bytes} bytes")]
    Reset { bytes: usize },
    #[error("closed")]
    Closed,
    #[error("refused")]
    Refused(#[from] ConnectionError),
    #[error("busy")]
    Busy(#[source] Busy),
}

mod a_type {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn matches_where_the_error_is_that_type() {
        #[retry(backoff = "none", on = ConnectionError)]
        async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        assert_eq!(fetch(&Server::failing()).await.unwrap_err().attempts(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn by_its_path() {
        #[retry(backoff = "none", on = io::Error)]
        async fn read() -> Result<u32, RetryError<io::Error>> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
        #[retry(backoff = "none", on = std::io::Error)]
        async fn bare() -> io::Result<u32> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
        #[retry(backoff = "none", on = crate::support::ConnectionError)]
        async fn local(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        assert_eq!(read().await.unwrap_err().attempts(), 3);
        let error = bare().await.unwrap_err();
        assert!(error.get_ref().unwrap().is::<retry_runtime::GaveUp>());
        assert_eq!(local(&Server::failing()).await.unwrap_err().attempts(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn by_an_alias_and_with_arguments() {
        type Alias = ConnectionError;
        #[derive(Debug, PartialEq)]
        struct Wrapped<T>(T);
        #[retry(backoff = "none", on = Alias)]
        async fn alias(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        #[retry(backoff = "none", on = Wrapped<u8>)]
        async fn generic() -> Result<u32, RetryError<Wrapped<u8>>> {
            Err(Wrapped(1))
        }
        assert_eq!(alias(&Server::failing()).await.unwrap_err().attempts(), 3);
        assert_eq!(generic().await.unwrap_err().attempts(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn of_a_type_parameter_or_of_self() {
        trait Backend {
            type Error: Error + Send + Sync + 'static;
            async fn call(&self) -> Result<u32, Self::Error>;
            #[retry(backoff = "none", on = Self::Error)]
            async fn patient(&self) -> Result<u32, RetryError<Self::Error>> {
                self.call().await
            }
        }
        struct Down<'a>(&'a Server);
        impl Backend for Down<'_> {
            type Error = ConnectionError;
            async fn call(&self) -> Result<u32, ConnectionError> {
                self.0.call().await
            }
        }
        #[retry(backoff = "none", on = T::Error)]
        async fn through<T: Backend>(backend: &T) -> Result<u32, RetryError<T::Error>> {
            backend.call().await
        }
        let server = Server::failing();
        assert_eq!(through(&Down(&server)).await.unwrap_err().attempts(), 3);
        assert_eq!(Down(&server).patient().await.unwrap_err().attempts(), 3);
    }

    /// One `.context("…")` must not turn retries off.
    #[tokio::test(start_paused = true)]
    async fn is_found_in_the_chain_of_an_opaque_error() {
        #[retry(backoff = "none", on = ConnectionError)]
        async fn with_anyhow(server: &Server) -> anyhow::Result<u32> {
            use anyhow::Context;
            server.call().await.context("connecting").context("loading the profile")
        }
        #[retry(backoff = "none", on = ConnectionError)]
        async fn with_eyre(server: &Server) -> eyre::Result<u32> {
            use eyre::WrapErr;
            server.call().await.wrap_err("connecting").wrap_err("loading the profile")
        }
        #[retry(backoff = "none", on = ConnectionError)]
        async fn boxed(server: &Server) -> Result<u32, Box<dyn Error + Send + Sync>> {
            Ok(server.call().await.map_err(FetchError::from)?)
        }
        #[retry(backoff = "none", on = ConnectionError)]
        async fn any(server: &Server) -> Result<u32, RetryError> {
            Ok(server.call().await.map_err(FetchError::from)?)
        }
        for number in 0..4 {
            let server = Server::new([Step::Fail, Step::Fail, Step::Succeed]);
            let value = match number {
                0 => with_anyhow(&server).await.unwrap(),
                1 => with_eyre(&server).await.unwrap(),
                2 => boxed(&server).await.unwrap(),
                _ => any(&server).await.unwrap(),
            };
            assert_eq!((value, server.calls()), (3, 3));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn that_is_nowhere_in_the_chain_is_permanent() {
        #[retry(backoff = "none", on = Busy)]
        async fn with_anyhow(server: &Server) -> anyhow::Result<u32> {
            Ok(server.call().await?)
        }
        #[retry(backoff = "none", on = Busy)]
        async fn any(server: &Server) -> Result<u32, RetryError<AnyError>> {
            Ok(server.call().await?)
        }
        let server = Server::failing();
        assert!(with_anyhow(&server).await.unwrap_err().is::<ConnectionError>());
        assert_eq!(server.calls(), 1);
        assert_eq!(any(&Server::failing()).await.unwrap_err().reason(), Reason::NotRetryable);
    }
}

#[tokio::test(start_paused = true)]
async fn several_types_of_an_opaque_error() {
    #[retry(backoff = "none", on = ConnectionError | Busy)]
    async fn fetch(number: u8, server: &Server) -> anyhow::Result<u32> {
        match number {
            0 => Ok(server.call().await?),
            1 => server.call().await.map_err(|_| Busy(1).into()),
            _ => server.call().await.map_err(|_| Missing.into()),
        }
    }
    for (number, calls) in [(0, 3), (1, 3), (2, 1)] {
        let server = Server::failing();
        fetch(number, &server).await.unwrap_err();
        assert_eq!(server.calls(), calls, "{number}");
    }
}

mod a_pattern {
    use super::*;

    impl FetchError {
        #[retry(backoff = "none", on = FetchError::Closed | Self::Busy(_))]
        async fn again(&self) -> Result<(), RetryError<Self>> {
            Err(self.clone())
        }
    }

    async fn attempts_of(error: FetchError, which: u8) -> u32 {
        #[retry(backoff = "none", on = FetchError::Status(500..=599) | FetchError::Reset { .. })]
        async fn ranges(error: FetchError) -> Result<(), RetryError<FetchError>> {
            Err(error)
        }
        #[retry(backoff = "none", on = FetchError::Closed)]
        async fn unit(error: FetchError) -> Result<(), RetryError<FetchError>> {
            Err(error)
        }
        #[retry(backoff = "none", on = FetchError::Status(429 | 503) | FetchError::Busy(Busy(1)))]
        async fn inside(error: FetchError) -> Result<(), RetryError<FetchError>> {
            Err(error)
        }
        match which {
            0 => ranges(error).await,
            1 => unit(error).await,
            _ => inside(error).await,
        }
        .unwrap_err()
        .attempts()
    }

    #[tokio::test(start_paused = true)]
    async fn is_matched_against_the_error_itself() {
        for (error, ranges, unit, inside) in [
            (FetchError::Status(503), 3, 1, 3),
            (FetchError::Status(500), 3, 1, 1),
            (FetchError::Status(429), 1, 1, 3),
            (FetchError::Status(404), 1, 1, 1),
            (FetchError::Reset { bytes: 7 }, 3, 1, 1),
            (FetchError::Closed, 1, 3, 1),
            (FetchError::Busy(Busy(1)), 1, 1, 3),
            (FetchError::Busy(Busy(2)), 1, 1, 1),
        ] {
            assert_eq!(attempts_of(error.clone(), 0).await, ranges, "{error}");
            assert_eq!(attempts_of(error.clone(), 1).await, unit, "{error}");
            assert_eq!(attempts_of(error.clone(), 2).await, inside, "{error}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn of_a_variant_of_self() {
        assert_eq!(FetchError::Closed.again().await.unwrap_err().attempts(), 3);
        assert_eq!(FetchError::Busy(Busy(9)).again().await.unwrap_err().attempts(), 3);
        assert_eq!(FetchError::Status(1).again().await.unwrap_err().attempts(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn of_an_option_a_tuple_or_a_literal() {
        #[retry(backoff = "none", on = Some(1..=9) | Option::None)]
        async fn option(code: Option<u8>) -> Result<(), RetryError<Option<u8>>> {
            Err(code)
        }
        #[retry(backoff = "none", on = (_, true))]
        async fn tuple(transient: bool) -> Result<(), RetryError<(u8, bool)>> {
            Err((1, transient))
        }
        assert_eq!(option(Some(5)).await.unwrap_err().attempts(), 3);
        assert_eq!(option(None).await.unwrap_err().attempts(), 3);
        assert_eq!(option(Some(50)).await.unwrap_err().attempts(), 1);
        assert_eq!(tuple(true).await.unwrap_err().attempts(), 3);
        assert_eq!(tuple(false).await.unwrap_err().attempts(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_underscore_is_every_error() {
    #[retry(backoff = "none", on = _)]
    async fn fetch(error: FetchError) -> Result<(), RetryError<FetchError>> {
        Err(error)
    }
    for error in [FetchError::Status(404), FetchError::Closed, FetchError::Refused(ConnectionError)] {
        assert_eq!(fetch(error).await.unwrap_err().attempts(), 3);
    }
}

mod source {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn searches_the_chain_of_any_error() {
        #[retry(backoff = "none", on = source(ConnectionError))]
        async fn fetch(error: FetchError) -> Result<(), RetryError<FetchError>> {
            Err(error)
        }
        assert_eq!(fetch(FetchError::Refused(ConnectionError)).await.unwrap_err().attempts(), 3);
        assert_eq!(fetch(FetchError::Busy(Busy(1))).await.unwrap_err().attempts(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn begins_with_the_error_itself() {
        #[retry(backoff = "none", on = source(ConnectionError))]
        async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
            server.call().await
        }
        assert_eq!(fetch(&Server::failing()).await.unwrap_err().attempts(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn looks_into_the_payload_of_an_io_error() {
        #[retry(backoff = "none", on = source(ConnectionError))]
        async fn payload() -> Result<(), RetryError<io::Error>> {
            Err(io::Error::other(ConnectionError))
        }
        #[retry(backoff = "none", on = source(ConnectionError))]
        async fn deep() -> Result<(), RetryError<io::Error>> {
            Err(io::Error::other(io::Error::other(FetchError::Refused(ConnectionError))))
        }
        #[retry(backoff = "none", on = source(ConnectionError))]
        async fn empty() -> Result<(), RetryError<io::Error>> {
            Err(io::ErrorKind::ConnectionRefused.into())
        }
        assert_eq!(payload().await.unwrap_err().attempts(), 3);
        assert_eq!(deep().await.unwrap_err().attempts(), 3);
        assert_eq!(empty().await.unwrap_err().attempts(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn joins_with_patterns_and_types() {
        #[retry(backoff = "none", on = source(ConnectionError) | FetchError::Closed | source(Busy))]
        async fn fetch(error: FetchError) -> Result<(), RetryError<FetchError>> {
            Err(error)
        }
        for (error, attempts) in [
            (FetchError::Refused(ConnectionError), 3),
            (FetchError::Busy(Busy(1)), 3),
            (FetchError::Closed, 3),
            (FetchError::Status(503), 1),
        ] {
            assert_eq!(fetch(error).await.unwrap_err().attempts(), attempts);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn of_an_opaque_error() {
        #[retry(backoff = "none", on = source(ConnectionError))]
        async fn fetch(server: &Server) -> anyhow::Result<u32> {
            use anyhow::Context;
            server.call().await.context("connecting")
        }
        let server = Server::failing();
        fetch(&server).await.unwrap_err();
        assert_eq!(server.calls(), 3);
    }
}
