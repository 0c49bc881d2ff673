//! Functions that come whole out of a macro: as an item, as tokens, from fragments of every kind, with the attribute
//! inside the macro and outside.

use retry_runtime::{GaveUp, RetryError, retry};

#[derive(Debug, thiserror::Error)]
pub enum WireError {
    #[error("reset {0}")]
    Reset(u32),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

macro_rules! as_item {
    ($($item:item)*) => { $($item)* };
}

macro_rules! as_tokens {
    ($($token:tt)*) => { $($token)* };
}

as_item! {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = WireError::Reset(_))]
    pub async fn item(tries: &mut u32, name: String) -> Result<String, WireError> {
        reset_once(tries)?;
        Ok(name)
    }
}

as_tokens! {
    #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = WireError::Reset(_))]
    pub async fn tokens(tries: &mut u32, name: String) -> Result<String, WireError> {
        reset_once(tries)?;
        Ok(name)
    }
}

macro_rules! from_fragments {
    (
        $(#[$meta:meta])*
        $vis:vis $name:ident<$life:lifetime, $param:ident: $bound:path>($tries:ident, $arg:ident: $ty:ty) -> $ret:ty;
        $total:literal, $attempts:expr, $on:pat, $hint:expr;
        $first:stmt;
        $value:expr
    ) => {
        $(#[$meta])*
        #[retry(total = $total, attempts = $attempts, on = $on, retry_after = $hint)]
        $vis async fn $name<$life, $param: $bound>($tries: &$life mut u32, $arg: $ty) -> $ret {
            $first;
            Ok($value)
        }
    };
}

from_fragments! {
    /// Passes a name on.
    #[must_use = "it is a name"]
    pub named<'a, T: Clone>(tries, name: T) -> Result<T, RetryError<WireError>>;
    "1s", 2 + 1, WireError::Reset(1..=9), |_| None;
    reset_once(tries)?;
    name
}

/// The macro's `name` and the caller's are two variables.
macro_rules! two_of_a_name {
    ($name:ident, $arg:ident: $ty:ty) => {
        #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = WireError::Reset(_))]
        pub async fn $name(
            tries: &mut u32,
            $arg: $ty,
            mut name: Vec<u32>,
        ) -> Result<($ty, usize), WireError> {
            name.push(*tries);
            reset_once(tries)?;
            Ok(($arg, name.len()))
        }
    };
}

two_of_a_name!(twice, name: String);

macro_rules! pair {
    ($type:ident, $error:ty, $name:ident) => {
        pub struct $type;

        #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = $error)]
        impl $type {
            pub async fn $name(self, tries: &mut u32) -> Result<Self, RetryError<$error>> {
                *tries += 1;
                if *tries == 1 { Err(Default::default()) } else { Ok(self) }
            }
        }

        impl Clone for $type {
            fn clone(&self) -> Self {
                Self
            }
        }
    };
}

pair!(Both, std::fmt::Error, both);

pub fn reset_once(tries: &mut u32) -> Result<(), WireError> {
    *tries += 1;
    if *tries == 1 { Err(WireError::Reset(*tries)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::{Clones, Counted};

    #[tokio::test(start_paused = true)]
    async fn all_are_repeated() {
        assert_eq!(item(&mut 0, "n".to_owned()).await.unwrap(), "n");
        assert_eq!(tokens(&mut 0, "n".to_owned()).await.unwrap(), "n");
        let clones = Clones::default();
        assert_eq!(named(&mut 0, Counted::new("n", &clones)).await.unwrap().text, "n");
        assert_eq!(clones.take(), 2);
        assert_eq!(twice(&mut 0, "n".to_owned(), vec![]).await.unwrap(), ("n".to_owned(), 1));
        let mut tries = 0;
        assert!(Both.both(&mut tries).await.is_ok());
        assert_eq!(tries, 2);
    }
}
