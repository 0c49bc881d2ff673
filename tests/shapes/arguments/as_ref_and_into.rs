//! `impl AsRef<str>`, which need not be `Clone`, `impl Into<String>`, which the body uses up, and `impl IntoIterator`.

use retry_runtime::{RetryError, retry};

#[derive(Debug, thiserror::Error)]
#[error("no route")]
pub struct NoRoute;

#[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = NoRoute)]
pub async fn resolve(
    tries: &mut u32,
    host: impl AsRef<str>,
    zone: impl Into<String> + Clone,
    ports: impl IntoIterator<Item = u16> + Clone,
) -> Result<Vec<String>, RetryError<NoRoute>> {
    *tries += 1;
    let zone: String = zone.into();
    let mut found = Vec::new();
    for port in ports {
        found.push(format!("{}.{zone}:{port}", host.as_ref()));
    }
    if *tries == 1 { Err(NoRoute) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::{Clones, Counted};

    /// Not `Clone`.
    struct Host(&'static str);

    impl AsRef<str> for Host {
        fn as_ref(&self) -> &str {
            self.0
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_used_up_is_cloned_and_nothing_else() {
        let clones = Clones::default();
        let found = resolve(&mut 0, Host("db"), Counted::new("eu", &clones), [1, 2]).await.unwrap();
        assert_eq!(found, ["db.eu:1", "db.eu:2"]);
        assert_eq!(clones.take(), 2);
    }
}
