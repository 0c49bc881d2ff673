//! Trait objects behind every kind of pointer.

use std::sync::Arc;

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum ShipError {
    #[error("carrier busy")]
    Busy,
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

pub trait Carrier: Send + Sync {
    fn ship(&self, parcel: u32) -> Result<u32, ShipError>;
}

pub trait Ledger: Send {
    fn note(&mut self, line: &str) -> usize;
}

impl Ledger for Vec<String> {
    fn note(&mut self, line: &str) -> usize {
        self.push(line.to_owned());
        self.len()
    }
}

fn keep(carrier: Arc<dyn Carrier>) -> usize {
    Arc::strong_count(&carrier)
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ShipError::Busy)]
pub async fn ship(
    carrier: &dyn Carrier,
    spare: Arc<dyn Carrier>,
    boxed: Box<dyn Carrier>,
    ledger: &mut dyn Ledger,
    fee: Box<dyn Fn(u32) -> u32 + Send + Sync>,
) -> Result<(u32, usize), ShipError> {
    let line = ledger.note("try");
    let first = boxed.ship(line as u32)?;
    let second = carrier.ship(first)?;
    tokio::task::yield_now().await;
    Ok((fee(second), keep(spare)))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fast;

    impl Carrier for Fast {
        fn ship(&self, parcel: u32) -> Result<u32, ShipError> {
            if parcel == 1 { Err(ShipError::Busy) } else { Ok(parcel) }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_arc_is_cloned_and_a_box_is_lent() {
        let spare = Arc::new(Fast);
        let mut ledger = vec![];
        let call = ship(&Fast, spare, Box::new(Fast), &mut ledger, Box::new(|n| n * 10));
        let call = tokio::task::unconstrained(call);
        assert_eq!(call.await.unwrap(), (20, 2));
        assert_eq!(ledger, ["try", "try"]);
    }
}
