//! Arguments inside macro calls, of which one cannot always see what they do with them: cloned where they are `Clone`,
//! else lent, to format strings, patterns, and `&mut` in a `select!`.

use retry_runtime::{GaveUp, retry};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::counted::Counted;

#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    #[error("not done")]
    NotDone,
    #[error(transparent)]
    Join(#[from] tokio::task::JoinError),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

/// Not `Clone`.
#[derive(Debug, Default, PartialEq)]
pub struct Mode {
    pub level: u32,
    pub tags: Vec<u32>,
}

fn step(tries: &mut u32) -> Result<(), TaskError> {
    *tries += 1;
    if *tries == 1 { Err(TaskError::NotDone) } else { Ok(()) }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = TaskError::NotDone)]
pub async fn select(
    mut inbox: mpsc::Receiver<u32>,
    mut task: JoinHandle<u32>,
    mut stop: oneshot::Receiver<()>,
) -> Result<u32, TaskError> {
    tokio::select! {
        biased;
        Some(number) = inbox.recv() => match number {
            0 => Err(TaskError::NotDone),
            number => Ok(number),
        },
        joined = &mut task => Ok(joined?),
        _ = &mut stop => Ok(0),
    }
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = TaskError::NotDone)]
pub async fn compare(
    tries: &mut u32,
    mode: Mode,
    other: Mode,
    maybe: Option<Mode>,
) -> Result<u32, TaskError> {
    step(tries)?;
    assert_eq!(&mode, &other);
    assert!(mode.level == other.level && mode.tags.is_empty(), "{mode:?}");
    if matches!(&maybe, Some(mode) if mode.level > 7) || matches!(maybe, Some(Mode { level: 3, .. })) {
        return Ok(3);
    }
    Ok(mode.level)
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = TaskError::NotDone)]
pub async fn show(tries: &mut u32, mode: Mode, name: String, width: usize) -> Result<String, TaskError> {
    step(tries)?;
    tracing::debug!(?mode, level = mode.level, %name, "showing {}", name);
    let mut text = format!("{name:>width$}|{0:?}|{shown}", mode.tags, shown = mode.level);
    std::fmt::Write::write_fmt(&mut text, format_args!("|{name}")).map_err(|_| TaskError::NotDone)?;
    Ok(text)
}

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = TaskError::NotDone)]
pub async fn used_up(tries: &mut u32, x: Counted, y: Counted) -> Result<usize, TaskError> {
    step(tries)?;
    let mut list = vec![x, y];
    list.truncate(1);
    Ok(list.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::Clones;

    #[tokio::test(start_paused = true)]
    async fn what_is_lent_to_select_goes_on_from_attempt_to_attempt() {
        let (sender, inbox) = mpsc::channel(2);
        let (_keep, stop) = oneshot::channel();
        sender.send(0).await.unwrap();
        drop(sender);
        let task = tokio::spawn(async { 7 });
        assert_eq!(select(inbox, task, stop).await.unwrap(), 7);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_lent_can_be_compared_matched_and_shown() {
        let mode = |level| Mode { level, tags: vec![] };
        assert_eq!(compare(&mut 0, mode(1), mode(1), Some(mode(2))).await.unwrap(), 1);
        assert_eq!(compare(&mut 0, mode(1), mode(1), Some(mode(3))).await.unwrap(), 3);
        assert_eq!(show(&mut 0, mode(5), "n".to_owned(), 3).await.unwrap(), "  n|[]|5|n");
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_macro_uses_up_is_cloned() {
        let clones = Clones::default();
        assert_eq!(used_up(&mut 0, Counted::new("x", &clones), Counted::new("y", &clones)).await.unwrap(), 1);
        assert_eq!(clones.take(), 4);
    }
}
