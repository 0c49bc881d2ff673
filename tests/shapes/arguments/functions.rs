//! An `impl Fn` that is neither `Clone` nor `Copy`, and a function pointer: a transaction is built again, then sent.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    #[error("stale epoch")]
    StaleEpoch,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Default, Debug, PartialEq)]
pub struct Manifest {
    steps: Vec<String>,
}

#[derive(Default)]
pub struct Provider {
    epoch: AtomicU32,
}

impl Provider {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ChainError::StaleEpoch)]
    pub async fn send_tx(
        &self,
        build: impl Fn(&mut Manifest, u32),
        fee: fn(&Manifest) -> usize,
    ) -> Result<usize, ChainError> {
        let epoch = self.epoch.fetch_add(1, Ordering::SeqCst);
        let mut manifest = Manifest::default();
        build(&mut manifest, epoch);
        if epoch == 0 {
            return Err(ChainError::StaleEpoch);
        }
        Ok(fee(&manifest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_closure_is_called_at_each_attempt() {
        let built = AtomicU32::new(0);
        struct NotClone;
        let guard = NotClone;
        let got = Provider::default()
            .send_tx(
                |m, epoch| {
                    let _keep = &guard;
                    built.fetch_add(1, Ordering::SeqCst);
                    m.steps.push(format!("withdraw@{epoch}"));
                },
                |m| m.steps.len(),
            )
            .await;
        assert_eq!(got.unwrap(), 1);
        assert_eq!(built.load(Ordering::SeqCst), 2);
    }
}
