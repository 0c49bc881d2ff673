//! Methods that `macro_rules!` writes from a table: names, types, bodies and the number of attempts come from the
//! caller.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{RetryError, retry};

#[derive(Debug, thiserror::Error)]
#[error("meta node unavailable")]
pub struct MetaUnavailable;

#[derive(Clone, Debug, PartialEq)]
pub struct Heartbeat(pub u32);
#[derive(Clone, Debug, PartialEq)]
pub struct Report(pub String);

#[derive(Default)]
pub struct MetaClient {
    calls: AtomicU32,
}

impl MetaClient {
    async fn unary<T>(&self, req: T) -> Result<T, MetaUnavailable> {
        match self.calls.fetch_add(1, Ordering::SeqCst) {
            n if n % 2 == 0 => Err(MetaUnavailable),
            _ => Ok(req),
        }
    }
}

macro_rules! rpc_methods {
    ($attempts:expr; $( $(#[$meta:meta])* $vis:vis fn $name:ident($this:ident, $req:ident: $ty:ty) $body:block )*) => {
        impl MetaClient {
            $(
                $(#[$meta])*
                #[retry(total = "1s", per_attempt = "200ms", attempts = $attempts, on = MetaUnavailable)]
                $vis async fn $name(&self, $req: $ty) -> Result<$ty, RetryError<MetaUnavailable>> {
                    let $this = self;
                    $body
                }
            )*
        }
    };
}

rpc_methods! { 3;
    /// Keeps the lease.
    pub fn heartbeat(this, req: Heartbeat) {
        let reply = this.unary(req).await?;
        Ok(reply)
    }

    pub(crate) fn report(this, req: Report) { this.unary(req).await }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn both_methods_are_repeated() {
        let client = MetaClient::default();
        let beat = client.heartbeat(Heartbeat(1)).await;
        let client = MetaClient::default();
        let report = client.report(Report("r".into())).await;
        assert_eq!(beat.unwrap(), Heartbeat(1));
        assert_eq!(report.unwrap(), Report("r".into()));
    }
}
