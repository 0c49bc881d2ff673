//! At most two requests at a time: a bulkhead is a semaphore of tokio, acquired in the body.
//!
//! There is no key for it, as none is needed. The wait for a place is a part of the attempt, so the limit of the
//! attempt and the total count it; and an attempt that is cut gives its place back before the wait for the next one.
//!
//! `cargo run --example bulkhead`. The clock is paused: what takes seconds on it takes none of yours.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use retry_runtime::{Attempt, Reason, RetryError, retry};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, sleep_until};

static PLACES: Semaphore = Semaphore::const_new(2);

/// Returns the number of the attempt that succeeded.
#[retry(total = "1s", per_attempt = "250ms", attempts = 2, jitter = "none", on = io::Error)]
async fn report(server: &Server) -> Result<u32, RetryError> {
    let _place = PLACES.acquire().await?;
    server.request().await?;
    Ok(Attempt::current().map_or(1, |attempt| attempt.number()))
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    println!("six calls at once, each request takes 100 ms");
    let server = Server::answering_after(ms(100));
    let calls = [(); 6].map(|()| timed(report(&server)));
    let [a, b, c, d, e, f] = calls;
    let (a, b, c, d, e, f) = tokio::join!(a, b, c, d, e, f);
    let ends = [a, b, c, d, e, f].map(|(result, time)| (result.unwrap(), time));
    for (attempt, time) in ends {
        println!("  {:>3} ms: answered, attempt {attempt}", time.as_millis());
    }
    println!("  never more than {} requests at a time", server.most.load(Relaxed));
    assert_eq!(server.most.load(Relaxed), 2);
    // The last two had waited 200 of their 250 ms for a place, so they were cut at work, and came again.
    assert_eq!(ends, [(1, ms(100)), (1, ms(100)), (1, ms(200)), (1, ms(200)), (2, ms(400)), (2, ms(400))]);

    println!("two calls to a server that hangs");
    let server = Server::answering_after(Duration::MAX);
    let start = Instant::now();
    let (_, _, ()) = tokio::join!(report(&server), report(&server), async {
        for (time, places) in [(240, 0), (260, 2), (310, 0)] {
            sleep_until(start + ms(time)).await;
            println!("  {time} ms: {} places are free", PLACES.available_permits());
            assert_eq!(PLACES.available_permits(), places);
        }
    });
    assert_eq!(PLACES.available_permits(), 2);

    println!("a call while others hold both places");
    let server = Server::answering_after(ms(100));
    let _others = PLACES.acquire_many(2).await.unwrap();
    let error = report(&server).await.unwrap_err();
    println!("  {error}");
    assert_eq!((error.reason(), error.attempts()), (Reason::AttemptsExhausted, 2));
    assert_eq!(error.elapsed(), ms(250 + 50 + 250));
    assert_eq!(server.most.load(Relaxed), 0, "the server was never asked");
}

struct Server {
    takes: Duration,
    open: AtomicUsize,
    most: AtomicUsize,
}

impl Server {
    fn answering_after(takes: Duration) -> Self {
        Self { takes, open: AtomicUsize::new(0), most: AtomicUsize::new(0) }
    }

    async fn request(&self) -> io::Result<()> {
        let open = self.open.fetch_add(1, Relaxed) + 1;
        self.most.fetch_max(open, Relaxed);
        let _closed = Closes(&self.open);
        sleep(self.takes).await;
        Ok(())
    }
}

/// Also when the request is dropped.
struct Closes<'a>(&'a AtomicUsize);

impl Drop for Closes<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

async fn timed<T>(call: impl Future<Output = T>) -> (T, Duration) {
    let start = Instant::now();
    (call.await, start.elapsed())
}

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}
