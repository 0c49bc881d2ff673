//! A body that is moved into a function of its own would lose `Self`, generics and `where`.

use retry_runtime::{RetryError, retry};

use crate::ConnectionError;

struct Pool<T, const N: usize> {
    items: [T; N],
}

impl<T: Clone + Send + Sync, const N: usize> Pool<T, N> {
    const LIM: usize = N;

    #[retry(attempts = 2, on = ConnectionError)]
    async fn get<U>(&self, u: U) -> Result<(T, usize), RetryError<ConnectionError>>
    where
        U: AsRef<str> + Send,
    {
        let Self { items } = self;
        Ok((items[0].clone(), Self::LIM + u.as_ref().len()))
    }
}

trait Source {
    type Item: Clone;
    const FIRST: Self::Item;

    async fn first(&self) -> Result<Self::Item, RetryError<ConnectionError>>;
}

impl<T: Clone, const N: usize> Source for Pool<Option<T>, N> {
    type Item = Option<T>;
    const FIRST: Self::Item = None;

    #[retry(attempts = 2, on = ConnectionError)]
    async fn first(&self) -> Result<Self::Item, RetryError<ConnectionError>> {
        let [first, ..] = self.items.as_slice() else { return Ok(<Self as Source>::FIRST) };
        Ok::<Self::Item, _>(first.clone())
    }
}

#[tokio::test]
async fn they_keep_their_meaning() {
    assert_eq!(Pool { items: [5_u8, 6] }.get("abc").await.unwrap(), (5, 5));
    assert_eq!(Pool { items: [Some(5_u8)] }.first().await.unwrap(), Some(5));
    assert_eq!(Pool::<Option<u8>, 0> { items: [] }.first().await.unwrap(), None);
}
