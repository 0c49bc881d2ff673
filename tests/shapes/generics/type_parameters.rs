//! Values of a type that the caller chooses: used up where it is `Clone`, looked at where it is not, unsized behind a
//! reference.

use std::fmt::{Debug, Display};
use std::marker::PhantomData;

use retry_runtime::{GaveUp, retry};

#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    #[error("{0} is down")]
    Down(String),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

pub struct Cache<K: ?Sized, V = String> {
    pub outages: u32,
    pub kept: Vec<V>,
    pub keys: PhantomData<fn(&K)>,
}

impl<K, V> Cache<K, V>
where
    K: Display + ?Sized,
{
    fn reach(&mut self, key: &K) -> Result<(), CacheError> {
        if self.outages > 0 {
            self.outages -= 1;
            return Err(CacheError::Down(key.to_string()));
        }
        Ok(())
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = CacheError::Down(_))]
    pub async fn put(&mut self, key: &K, value: V) -> Result<usize, CacheError>
    where
        V: Clone,
    {
        self.kept.push(value);
        self.reach(key)?;
        Ok(self.kept.len())
    }

    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = CacheError::Down(_))]
    pub async fn look<T>(&mut self, key: &K, value: T) -> Result<String, CacheError>
    where
        for<'a> &'a T: Debug,
        T: PartialEq<V>,
    {
        self.reach(key)?;
        let known = self.kept.iter().filter(|kept| value == **kept).count();
        Ok(format!("{:?} {known}", &value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::{Clones, Counted};

    /// Not `Clone`.
    #[derive(Debug)]
    struct Probe;

    impl PartialEq<Counted> for Probe {
        fn eq(&self, other: &Counted) -> bool {
            *other == *"v"
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_value_that_is_used_up_is_cloned_and_others_are_lent() {
        let clones = Clones::default();
        let mut cache = Cache::<str, Counted> { outages: 1, kept: vec![], keys: PhantomData };
        assert_eq!(cache.put("k", Counted::new("v", &clones)).await.unwrap(), 2);
        assert_eq!(clones.take(), 2);
        cache.outages = 1;
        assert_eq!(cache.look("k", Probe).await.unwrap(), "Probe 2");
    }
}
