// fires: clippy::await_holding_lock, clippy::await_holding_refcell_ref, clippy::let_underscore_future, clippy::async_yields_async, clippy::large_futures, unused_must_use, let_underscore_drop

use std::cell::RefCell;
use std::sync::Mutex;

#[retry(attempts = 3, on = Down)]
pub async fn holds_a_lock(lock: &Mutex<u32>) -> Result<u32, Error> {
    let guard = lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    tick().await?;
    Ok(*guard)
}

#[retry(attempts = 3, on = Down)]
pub async fn holds_a_borrow(cell: &RefCell<u32>) -> Result<u32, Error> {
    let borrowed = cell.borrow();
    tick().await?;
    Ok(*borrowed)
}

#[retry(attempts = 3, on = Down)]
pub async fn forgets(lock: &Mutex<u32>) -> Result<u32, Error> {
    let _ = tick();
    let _ = lock.lock();
    tick().await?;
    number(1);
    Ok(1)
}

#[retry(attempts = 3, on = Down)]
pub async fn blocks_for_nothing(n: u32) -> Result<u32, Error> {
    tick().await?;
    let future = async { number(n).await };
    let nested = async { number(n) };
    let _ = nested.await.await?;
    future.await
}

async fn large() -> Result<u32, Error> {
    let buffer = [1_u8; 20_000];
    tick().await?;
    Ok(u32::from(buffer[7]))
}

#[retry(attempts = 3, on = Down)]
pub async fn awaits_a_large_one(n: u32) -> Result<u32, Error> {
    let m = large().await?;
    Ok(n + m)
}

#[retry(attempts = 3, on = Down)]
pub async fn is_a_large_one(n: u32) -> Result<u32, Error> {
    let buffer = [1_u8; 20_000];
    tick().await?;
    Ok(n + u32::from(buffer[7]))
}
