//! Give-ups as errors of well-known clients, each behind the feature of its name.

#[cfg(any(feature = "redis", feature = "sqlx", feature = "tonic"))]
use crate::error::GaveUp;
#[cfg(feature = "tonic")]
use crate::error::Reason;

/// Feature `tonic`. The code is that of the last `Status`; `DeadlineExceeded` where time ran out or no attempt returned
/// an error, but `Unavailable` where an open breaker let no attempt start. The give-up is the source.
#[cfg(feature = "tonic")]
impl From<GaveUp> for tonic::Status {
    fn from(gave_up: GaveUp) -> Self {
        let code = match gave_up.downcast_last::<Self>() {
            Some(last) if !gave_up.out_of_time() => last.code(),
            // An open breaker has let none start.
            _ if gave_up.attempts() == 0 && gave_up.reason() == Reason::CircuitOpen => {
                tonic::Code::Unavailable
            }
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
