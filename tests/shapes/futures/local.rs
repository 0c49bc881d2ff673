//! A future that is not `Send`, on a `LocalSet`: an `Rc`, and a `RefCell` borrowed across an await.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use retry_runtime::{RetryError, retry};

#[derive(Debug)]
pub struct LockLost(pub Rc<str>);

#[derive(Clone, Default)]
pub struct Session {
    log: Rc<RefCell<Vec<u32>>>,
    turns: Rc<Cell<u32>>,
}

impl Session {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = LockLost)]
    #[allow(clippy::await_holding_refcell_ref)]
    pub async fn step(self, n: u32) -> Result<usize, RetryError<LockLost>> {
        let turn = self.turns.replace(self.turns.get() + 1);
        let mut log = self.log.borrow_mut();
        tokio::task::yield_now().await;
        log.push(n);
        if turn == 0 {
            return Err(LockLost(Rc::from("stolen")));
        }
        Ok(log.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn both_turns_on_one_thread() {
        let local = tokio::task::LocalSet::new();
        let got = local
            .run_until(async { tokio::task::spawn_local(Session::default().step(7)).await.unwrap() })
            .await;
        assert_eq!(got.unwrap(), 2);
    }
}
