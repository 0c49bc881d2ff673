use retry_runtime::{RetryError, retry};
use retry_tests::ConnectionError;

macro_rules! bad {
    ($($name:ident $duration:literal),*) => {$(
        #[retry(total = $duration, attempts = 2, on = ConnectionError)]
        async fn $name() -> Result<u32, RetryError<ConnectionError>> {
            Ok(1)
        }
    )*};
}

bad!(a "1h30", b "s", c "1", d "-5s", e "", f "584554530873y", g "1 s", h "1.5.2s");

fn main() {}
