//! Items, attributes and macros within the body: they mean what they mean without ours.

use retry_runtime::{RetryError, retry};

#[derive(Debug, thiserror::Error)]
#[error("checksum differs")]
pub struct Differs;

#[derive(Clone)]
pub struct Blob {
    pub bytes: Vec<u8>,
}

impl Blob {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = Differs)]
    pub async fn check(self, tries: &mut u32) -> Result<u64, RetryError<Differs>> {
        #![allow(clippy::items_after_statements)]
        use std::collections::BTreeMap as Map;
        const SEED: u64 = 7;
        static NAMES: [&str; 2] = ["a", "b"];
        type Counts = Map<u8, u64>;

        struct Sum(u64);

        impl Sum {
            fn of(self, more: u64) -> Self {
                Self(self.0 + more)
            }
        }

        fn fold(counts: Counts) -> Sum {
            counts.into_values().fold(Sum(SEED), Sum::of)
        }

        macro_rules! count {
            ($counts:ident, $byte:expr) => {
                *$counts.entry($byte).or_default() += 1
            };
        }

        *tries += 1;
        if *tries == 1 {
            return Err(Differs);
        }
        let mut counts = Counts::new();
        for byte in self.bytes {
            count!(counts, byte);
        }
        let add = async |sum: Sum| -> Result<u64, Differs> { Ok(sum.0 + NAMES.len() as u64) };
        #[cfg(any())]
        compile_error!("never");
        add(fold(counts)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn counted_again() {
        assert_eq!(Blob { bytes: vec![1, 2, 2] }.check(&mut 0).await.unwrap(), 12);
    }
}
