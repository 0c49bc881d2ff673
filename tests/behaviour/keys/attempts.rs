use retry_runtime::{Reason, RetryError, retry};

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn the_first_attempt_counts_too() {
    #[retry(attempts = 5, backoff = "none", on = ConnectionError)]
    async fn five(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(attempts = 1, on = ConnectionError)]
    async fn once(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(backoff = "none", on = ConnectionError)]
    async fn default(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    let server = Server::failing();
    assert_eq!((five(&server).await.unwrap_err().attempts(), server.calls()), (5, 5));
    let server = Server::failing();
    assert_eq!((once(&server).await.unwrap_err().attempts(), server.calls()), (1, 1));
    let server = Server::failing();
    assert_eq!((default(&server).await.unwrap_err().attempts(), server.calls()), (3, 3));
}

#[tokio::test(start_paused = true)]
async fn a_constant_and_an_expression() {
    const FEW: u8 = 2;
    #[retry(attempts = FEW, backoff = "none", on = ConnectionError)]
    async fn constant(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    #[retry(attempts = hosts.len() + 1, backoff = "none", on = ConnectionError)]
    async fn run_time(server: &Server, hosts: &[&str]) -> Result<u32, RetryError<ConnectionError>> {
        let _ = hosts;
        server.call().await
    }
    assert_eq!(constant(&Server::failing()).await.unwrap_err().attempts(), 2);
    assert_eq!(run_time(&Server::failing(), &["a", "b", "c"]).await.unwrap_err().attempts(), 4);
}

#[tokio::test(start_paused = true)]
async fn any_integer_type_and_never_less_than_one() {
    macro_rules! of_type {
        ($($name:ident: $int:ty = [$($value:expr => $attempts:expr),*];)*) => {$(
            #[retry(attempts = attempts, backoff = "none", on = ConnectionError)]
            async fn $name(server: &Server, attempts: $int) -> Result<u32, RetryError<ConnectionError>> {
                server.call().await
            }
            for (value, attempts) in [$(($value, $attempts)),*] {
                let error = $name(&Server::failing(), value).await.unwrap_err();
                assert_eq!(error.end(), (attempts, ms(0), Reason::AttemptsExhausted));
            }
        )*};
    }
    of_type! {
        a: u8 = [0 => 1, 1 => 1, 255 => 255];
        b: u16 = [0 => 1, 4 => 4];
        c: u32 = [0 => 1, 4 => 4];
        d: u64 = [0 => 1, 4 => 4];
        e: u128 = [0 => 1, 4 => 4];
        f: usize = [0 => 1, 4 => 4];
        g: i8 = [i8::MIN => 1, -1 => 1, 0 => 1, 4 => 4];
        h: i16 = [i16::MIN => 1, 4 => 4];
        i: i32 = [i32::MIN => 1, 4 => 4];
        j: i64 = [i64::MIN => 1, 4 => 4];
        k: i128 = [i128::MIN => 1, 4 => 4];
        l: isize = [isize::MIN => 1, 4 => 4];
    }
}

#[tokio::test(start_paused = true)]
async fn unlimited_attempts_end_with_the_total() {
    #[retry(
        total = "1s",
        per_attempt = "200ms",
        attempts = "unlimited",
        backoff = "50ms",
        max_backoff = "50ms",
        jitter = "none",
        on = ConnectionError
    )]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    // At 0, 50, .. 950, then half of the last 50 ms.
    let error = fetch(&Server::failing()).await.unwrap_err();
    assert_eq!(error.end(), (21, ms(975), Reason::TotalElapsed));
}

#[tokio::test(start_paused = true)]
async fn one_is_a_deadline_only() {
    #[retry(total = "1s", attempts = 1)]
    async fn fetch(server: &Server) -> Result<u32, RetryError<ConnectionError>> {
        server.call().await
    }
    assert_eq!(fetch(&Server::hung()).await.unwrap_err().end(), (1, ms(1000), Reason::TotalElapsed));
    assert_eq!(fetch(&Server::failing()).await.unwrap_err().attempts(), 1);
    assert_eq!(fetch(&Server::new([Step::SucceedAfter(999)])).await.unwrap(), 1);
}
