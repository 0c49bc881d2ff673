//! Type parameters that are functions: one that makes a future, an `AsyncFn`, one that changes what it holds, one that
//! can be called once.

use std::future::Future;

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum StepError {
    #[error("conflict at {0}")]
    Conflict(u32),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = StepError::Conflict(_))]
pub async fn with_future<F, Fut, T>(turn: &mut u32, op: F) -> Result<T, StepError>
where
    F: Fn(u32) -> Fut,
    Fut: Future<Output = Result<T, StepError>>,
{
    *turn += 1;
    op(*turn).await
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = StepError::Conflict(_))]
pub async fn with_async_fn<T>(
    turn: &mut u32,
    op: impl AsyncFn(u32) -> Result<T, StepError>,
) -> Result<T, StepError> {
    *turn += 1;
    op(*turn).await
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = StepError::Conflict(_))]
pub async fn with_state<F: FnMut(u32) -> Result<usize, StepError>>(mut op: F) -> Result<usize, StepError> {
    op(1)?;
    op(2)
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = StepError::Conflict(_))]
pub async fn with_last_word<F>(turn: &mut u32, done: F) -> Result<usize, StepError>
where
    F: FnOnce(u32) -> usize + Clone,
{
    *turn += 1;
    if *turn == 1 {
        return Err(StepError::Conflict(*turn));
    }
    Ok(done(*turn))
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = StepError::Conflict(_))]
pub async fn with_a_reference<F>(turn: &mut u32, op: &F) -> Result<u32, StepError>
where
    F: Fn(u32) -> Result<u32, StepError> + ?Sized,
{
    *turn += 1;
    op(*turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::{Clones, Counted};

    async fn second(turn: u32) -> Result<u32, StepError> {
        if turn == 1 { Err(StepError::Conflict(turn)) } else { Ok(turn) }
    }

    #[tokio::test(start_paused = true)]
    async fn each_attempt_calls_the_one_function() {
        let clones = Clones::default();
        let held = Counted::new("held", &clones);
        assert_eq!(with_future(&mut 0, second).await.unwrap(), 2);
        let op = async |turn| second(turn).await.map(|turn| (held.text, turn));
        assert_eq!(with_async_fn(&mut 0, op).await.unwrap(), ("held", 2));
        let conflicts = |turn| if turn == 1 { Err(StepError::Conflict(1)) } else { Ok(turn) };
        assert_eq!(with_a_reference(&mut 0, &conflicts).await.unwrap(), 2);
        assert_eq!(with_a_reference::<dyn Fn(u32) -> _>(&mut 0, &conflicts).await.unwrap(), 2);
        assert_eq!(clones.take(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_function_that_is_not_clone_changes_stays_changed() {
        let mut log = vec![];
        let got = with_state(|step| {
            log.push(step);
            if log.len() == 2 { Err(StepError::Conflict(step)) } else { Ok(log.len()) }
        });
        assert_eq!(got.await.unwrap(), 4);
        assert_eq!(log, [1, 2, 1, 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_can_be_called_once_is_cloned() {
        let clones = Clones::default();
        let held = Counted::new("held", &clones);
        let done = move |turn| {
            let held = held;
            held.text.len() + turn as usize
        };
        assert_eq!(with_last_word(&mut 0, done).await.unwrap(), 6);
        assert_eq!(clones.take(), 2);
    }
}
