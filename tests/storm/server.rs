//! A server with so many workers, a queue, and an outage.

use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

const WORKERS: usize = 10;

/// What a worker needs for a request: the server can do 667 a second.
const WORK: Duration = Duration::from_millis(15);

/// What finds so many before it is refused. They are a second and a half of work, more than a client waits.
const QUEUE: usize = 1_000;

/// What the server does while it is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outage {
    /// It answers each request with an error, at once, and queues none.
    Refuses,
    /// Its workers stand still, so that the queue fills; what finds it full is refused.
    Hangs,
}

#[derive(Debug)]
pub(crate) struct Unavailable;

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unavailable")
    }
}

impl Error for Unavailable {}

/// It works off requests in the order in which they came, also those whose client has left: it does not know.
pub(crate) struct Server {
    outage: Outage,
    begins: Instant,
    ends: Instant,
    load: Mutex<Load>,
}

struct Load {
    /// When each worker will be free, the first one first.
    free: VecDeque<Instant>,
    /// When the requests in the queue will get a worker.
    queue: VecDeque<Instant>,
    during_outage: u32,
}

impl Server {
    pub(crate) fn new(outage: Outage, begins: Instant, ends: Instant) -> Self {
        let free = [Instant::now(); WORKERS].into();
        let load = Load { free, queue: VecDeque::new(), during_outage: 0 };
        Self { outage, begins, ends, load: Mutex::new(load) }
    }

    /// One request. Who leaves before the answer changes nothing: the time of a worker is given away already.
    pub(crate) async fn ask(&self) -> Result<(), Unavailable> {
        let done = self.accept()?;
        sleep_until(done).await;
        Ok(())
    }

    /// When the request that comes now will be done.
    fn accept(&self) -> Result<Instant, Unavailable> {
        let now = Instant::now();
        let is_down = (self.begins..self.ends).contains(&now);
        let queued = self.queued();
        let mut load = self.load.lock().unwrap();
        load.during_outage += u32::from(is_down);
        if queued == QUEUE || is_down && self.outage == Outage::Refuses {
            return Err(Unavailable);
        }
        let free = load.free.pop_front().unwrap();
        let (start, done) = self.work(free.max(now));
        load.free.push_back(done);
        load.queue.push_back(start);
        Ok(done)
    }

    /// Start and end of a request that a worker could start then.
    fn work(&self, start: Instant) -> (Instant, Instant) {
        let done = start + WORK;
        match self.outage {
            Outage::Hangs if (self.begins..self.ends).contains(&start) => (self.ends, self.ends + WORK),
            Outage::Hangs if start < self.begins && self.begins < done => {
                (start, done + (self.ends - self.begins))
            }
            _ => (start, done),
        }
    }

    /// Requests that wait for a worker.
    pub(crate) fn queued(&self) -> usize {
        let now = Instant::now();
        let queue = &mut self.load.lock().unwrap().queue;
        while queue.front().is_some_and(|start| *start <= now) {
            queue.pop_front();
        }
        queue.len()
    }

    /// Requests that came while it was down, refused ones included.
    pub(crate) fn during_outage(&self) -> u32 {
        self.load.lock().unwrap().during_outage
    }
}
