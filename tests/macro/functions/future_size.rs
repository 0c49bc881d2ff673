//! Futures of nested functions grow by a constant a level.

use retry_runtime::{RetryError, retry};

use crate::ConnectionError;

macro_rules! level {
    ($f:ident $($inner:ident)?) => {
        #[retry(total = "1s", per_attempt = "200ms", attempts = 3, on = ConnectionError)]
        async fn $f(k: &str) -> Result<usize, RetryError<ConnectionError>> {
            tokio::task::yield_now().await;
            $( let _ = $inner(k).await; )?
            Ok(k.len())
        }
    };
}

level!(a);
level!(b a);
level!(c b);
level!(d c);
level!(e d);
level!(f e);
level!(g f);
level!(h g);

#[tokio::test]
async fn eight_levels_are_small_enough_to_spawn() {
    let (one, eight) = (size_of_val(&a("")), size_of_val(&h("")));
    assert!(eight <= one * 12, "{one} -> {eight}");
    assert_eq!(tokio::spawn(async { h("x").await.unwrap() }).await.unwrap(), 1);
}
