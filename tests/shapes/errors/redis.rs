//! A `RedisResult` of a type that the caller chooses, on a connection that the caller lends.

use redis::{ErrorKind, FromRedisValue, RedisError, RedisResult, ServerErrorKind, Value};
use retry_runtime::retry;

pub trait Connection {
    fn exec(&mut self, cmd: &str) -> impl std::future::Future<Output = RedisResult<Value>> + Send;
}

pub struct Fake {
    pub drops: u32,
}

impl Connection for Fake {
    async fn exec(&mut self, _cmd: &str) -> RedisResult<Value> {
        if self.drops > 0 {
            self.drops -= 1;
            return Err(RedisError::from(std::io::Error::from(std::io::ErrorKind::BrokenPipe)));
        }
        Ok(Value::Int(42))
    }
}

#[retry(
    total = "1s",
    per_attempt = "200ms",
    attempts = 3,
    when = |e: &RedisError| {
        e.is_io_error()
            || matches!(e.kind(), ErrorKind::Server(ServerErrorKind::BusyLoading | ServerErrorKind::TryAgain))
    },
)]
pub async fn query<T: FromRedisValue>(con: &mut (impl Connection + Send), cmd: &str) -> RedisResult<T> {
    let value = con.exec(cmd).await?;
    Ok(T::from_redis_value(value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_broken_pipe_is_tried_again() {
        let got: RedisResult<i64> = query(&mut Fake { drops: 1 }, "GET hits").await;
        assert_eq!(got.unwrap(), 42);
    }
}
