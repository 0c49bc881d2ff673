//! A function that calls itself through `Box::pin`, as an `async fn` and as one that returns the boxed future.

use std::future::Future;
use std::pin::Pin;

use retry_runtime::{RetryError, retry};

#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    #[error("node is being split")]
    Split,
    #[error("deeper than {0}")]
    Deep(u32),
}

#[derive(Default)]
pub struct Node {
    pub children: Vec<Node>,
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = TreeError::Split)]
pub async fn depth(node: &Node, tries: &mut u32) -> Result<u32, RetryError<TreeError>> {
    *tries += 1;
    if *tries == 2 {
        return Err(TreeError::Split);
    }
    let mut deepest = 0;
    for child in &node.children {
        let below = Box::pin(depth(child, tries)).await.map_err(|_| TreeError::Deep(1))?;
        deepest = deepest.max(below);
    }
    Ok(deepest + 1)
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = TreeError::Split)]
pub fn total<'a>(
    node: &'a Node,
    tries: &'a mut u32,
) -> Pin<Box<dyn Future<Output = Result<u32, RetryError<TreeError>>> + Send + 'a>> {
    Box::pin(async move {
        *tries += 1;
        if *tries == 2 {
            return Err(TreeError::Split);
        }
        let mut sum = 1;
        for child in &node.children {
            sum += total(child, tries).await.map_err(|_| TreeError::Deep(1))?;
        }
        Ok(sum)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf() -> Node {
        Node::default()
    }

    #[tokio::test(start_paused = true)]
    async fn only_the_level_that_failed_is_repeated() {
        let tree = Node { children: vec![Node { children: vec![leaf()] }, leaf()] };
        let mut tries = 0;
        assert_eq!(depth(&tree, &mut tries).await.unwrap(), 3);
        assert_eq!(tries, 5);
        let mut tries = 0;
        assert_eq!(tokio::spawn(async move { total(&tree, &mut tries).await }).await.unwrap().unwrap(), 4);
    }
}
