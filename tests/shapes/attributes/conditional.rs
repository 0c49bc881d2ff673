//! The attribute behind a `cfg_attr`, and on functions that a `cfg` takes away.

use retry_runtime::RetryError;

#[derive(Debug, thiserror::Error)]
#[error("again")]
pub struct Again;

#[cfg_attr(all(), retry_runtime::retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Again))]
pub async fn on(tries: &mut u32, #[cfg(any(unix, windows))] least: u32) -> Result<u32, RetryError<Again>> {
    *tries += 1;
    if *tries < least { Err(Again) } else { Ok(*tries) }
}

#[cfg_attr(any(), retry_runtime::retry(on = Again))]
pub async fn off(tries: &mut u32) -> Result<u32, Again> {
    *tries += 1;
    Err(Again)
}

pub struct Client;

#[retry_runtime::retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Again)]
impl Client {
    #[cfg(any())]
    pub async fn gone(&self) -> Missing {}

    #[cfg(any(unix, windows))]
    pub async fn here(&self, tries: &mut u32) -> Result<u32, RetryError<Again>> {
        *tries += 1;
        #[cfg(any())]
        return Missing;
        if *tries < 2 { Err(Again) } else { Ok(*tries) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_where_it_is_switched_on() {
        assert_eq!(on(&mut 0, 3).await.unwrap(), 3);
        let mut tries = 0;
        assert!(off(&mut tries).await.is_err());
        assert_eq!(tries, 1);
        assert_eq!(Client.here(&mut tries).await.unwrap(), 2);
    }
}
