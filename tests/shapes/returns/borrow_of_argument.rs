//! A result that borrows from one argument, and not from the other: picking a node from a list.

use std::sync::atomic::{AtomicU32, Ordering};

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    #[error("no healthy node")]
    NoneHealthy,
    #[error("{0} unknown")]
    Unknown(String),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

pub struct Node {
    pub id: String,
    pub up_after: AtomicU32,
}

async fn healthy(node: &Node) -> bool {
    tokio::task::yield_now().await;
    node.up_after.fetch_sub(1, Ordering::SeqCst) <= 1
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ProbeError::NoneHealthy)]
pub async fn pick_node<'n>(nodes: &'n [Node], id: &str) -> Result<&'n Node, ProbeError> {
    let node = nodes.iter().find(|n| n.id == id).ok_or_else(|| ProbeError::Unknown(id.to_owned()))?;
    if healthy(node).await { Ok(node) } else { Err(ProbeError::NoneHealthy) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_node_outlives_the_name() {
        let nodes = [Node { id: "a".into(), up_after: AtomicU32::new(2) }];
        let got = {
            let wanted = String::from("a");
            pick_node(&nodes, &wanted).await
        };
        assert_eq!(got.unwrap().id, "a");
    }
}
