//! The future of an annotated function is at most 272 bytes larger than the plain one, and layers add up.

use retry_runtime::{RetryError, retry};
use tokio::time::sleep;

use crate::support::*;

const MOST: usize = 272;

/// An annotated function and its plain twin.
macro_rules! pair {
    ($name:ident, $plain:ident, [$($key:tt)*], ($($arg:tt)*) -> $ret:ty, $plain_ret:ty, $body:block) => {
        #[retry($($key)*)]
        async fn $name($($arg)*) -> $ret $body
        async fn $plain($($arg)*) -> $plain_ret $body
    };
}

pair!(
    typed, plain_typed, [on = ConnectionError],
    (server: &Server) -> Result<u32, RetryError<ConnectionError>>, Result<u32, ConnectionError>,
    { server.call().await }
);

pair!(
    bare, plain_bare, [total = "1s", per_attempt = "200ms", attempts = 5, on = StoreError::Connection(_)],
    (server: &Server) -> Result<u32, StoreError>, Result<u32, StoreError>,
    {
        sleep(ms(1)).await;
        Ok(server.call().await?)
    }
);

pair!(
    opaque, plain_opaque, [on = ConnectionError, when = |_: &anyhow::Error| true, idempotent = false],
    (server: &Server, text: &str, out: &mut [u64; 64]) -> anyhow::Result<u32>, anyhow::Result<u32>,
    {
        let copy = *out;
        sleep(ms(1)).await;
        out[0] = copy[1] + text.len() as u64;
        Ok(server.call().await?)
    }
);

pair!(
    once, plain_once, [attempts = 1],
    (server: &Server) -> Result<u32, StoreError>, Result<u32, StoreError>,
    { Ok(server.call().await?) }
);

pair!(
    ready, plain_ready, [on = ConnectionError],
    (number: u32) -> Result<u32, RetryError<ConnectionError>>, Result<u32, ConnectionError>,
    { if number > 0 { Ok(number) } else { Err(ConnectionError) } }
);

fn more<A, B>(annotated: &A, plain: &B) -> usize {
    size_of_val(annotated).saturating_sub(size_of_val(plain))
}

#[tokio::test(start_paused = true)]
async fn an_annotated_future_is_a_little_larger_than_the_plain_one() {
    let server = Server::ready();
    let mut sizes = [0; 5];
    sizes[0] = more(&typed(&server), &plain_typed(&server));
    sizes[1] = more(&bare(&server), &plain_bare(&server));
    let (mut a, mut b) = ([0; 64], [0; 64]);
    sizes[2] = more(&opaque(&server, "", &mut a), &plain_opaque(&server, "", &mut b));
    sizes[3] = more(&once(&server), &plain_once(&server));
    sizes[4] = more(&ready(1), &plain_ready(1));
    assert!(sizes.iter().all(|size| *size <= MOST), "{sizes:?}");
}

macro_rules! layers {
    ($($name:ident calls $below:ident;)*) => {$(
        #[retry(total = "1s", attempts = 3, on = StoreError::Connection(_))]
        async fn $name(server: &Server) -> Result<u32, StoreError> {
            $below(server).await
        }
    )*};
}

layers! {
    eight calls seven;
    seven calls six;
    six calls five;
    five calls four;
    four calls three;
    three calls two;
    two calls one;
}

#[retry(total = "1s", attempts = 3, on = StoreError::Connection(_))]
async fn one(server: &Server) -> Result<u32, StoreError> {
    Ok(server.call().await?)
}

#[tokio::test(start_paused = true)]
async fn layers_add_up_and_do_not_multiply() {
    let server = Server::ready();
    let sizes = [
        size_of_val(&one(&server)),
        size_of_val(&two(&server)),
        size_of_val(&four(&server)),
        size_of_val(&eight(&server)),
    ];
    assert!(sizes[3] <= 12 * sizes[0], "{sizes:?}");
    // Each layer adds the same: what two add to one, and twice that, and four times that.
    let layer = sizes[1] - sizes[0];
    assert!(layer <= MOST + 64, "{sizes:?}");
    assert!(sizes[2] - sizes[1] <= 2 * layer + 32, "{sizes:?}");
    assert!(sizes[3] - sizes[2] <= 4 * layer + 64, "{sizes:?}");
}
