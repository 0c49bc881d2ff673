//! What `macro_rules!` passes on comes in invisible groups.

use retry_runtime::{RetryError, retry};

use crate::ConnectionError;

macro_rules! make {
    ($name:ident, $t:ty, $n:literal, $body:block) => {
        #[retry(total = "1s", attempts = $n, on = ConnectionError)]
        async fn $name() -> Result<$t, RetryError<ConnectionError>> $body
    };
}

make!(one, u32, 2, { Ok(1) });
make!(two, Vec<&'static str>, 3, {
    let v = vec!["a"];
    Ok(v)
});
make!(three, u32, 3, { Err(ConnectionError) });

macro_rules! make_from_expressions {
    ($name:ident, $result:ty, $n:expr, $total:expr, $on:ty) => {
        #[retry(total = $total, attempts = $n, on = $on)]
        async fn $name() -> $result {
            Err(ConnectionError)
        }
    };
}

make_from_expressions!(four, Result<u32, RetryError<ConnectionError>>, 2 + 2, "1s", ConnectionError);

#[tokio::test(start_paused = true)]
async fn literals_types_blocks_and_expressions() {
    assert_eq!((one().await.unwrap(), two().await.unwrap().len()), (1, 1));
    assert_eq!(three().await.unwrap_err().attempts(), 3);
    assert_eq!(four().await.unwrap_err().attempts(), 4);
}
