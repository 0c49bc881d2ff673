//! Give-ups as errors of well-known clients, each behind the feature of its name.

#[cfg(any(feature = "redis", feature = "sqlx", feature = "tonic"))]
use crate::error::GaveUp;

/// Feature `tonic`. The code is `DeadlineExceeded` where time ran out or no attempt returned an error, else that of
/// the last `Status`; the give-up is the source.
#[cfg(feature = "tonic")]
impl From<GaveUp> for tonic::Status {
    fn from(gave_up: GaveUp) -> Self {
        let code = match gave_up.downcast_last::<Self>() {
            Some(last) if !gave_up.out_of_time() => last.code(),
            _ => tonic::Code::DeadlineExceeded,
        };
        let mut status = Self::new(code, gave_up.to_string());
        status.set_source(std::sync::Arc::new(gave_up));
        status
    }
}

/// Feature `sqlx`. An `Error::Io` whose payload is the give-up.
#[cfg(feature = "sqlx")]
impl From<GaveUp> for sqlx_core::Error {
    fn from(gave_up: GaveUp) -> Self {
        Self::Io(gave_up.into())
    }
}

/// Feature `redis`. An I/O error whose payload is the give-up.
#[cfg(feature = "redis")]
impl From<GaveUp> for redis::RedisError {
    fn from(gave_up: GaveUp) -> Self {
        std::io::Error::from(gave_up).into()
    }
}
