//! A thousand clients, an outage, and what became of them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use crate::client::Client;
use crate::server::{Outage, Server};

const CLIENTS: u64 = 1_000;

/// A client begins a call every one to three seconds, whatever became of the last one: 500 calls a second in all, the
/// same ones for every kind of client. That is the offered load, three quarters of what the server can do.
const INTERVAL: u64 = 1_000_000;
const INTERVAL_SPREAD: u64 = 2_000_000;

/// Longer than what a throttle remembers: it has all that it will ever have when the outage begins.
const BEFORE: Duration = Duration::from_secs(12);
const OUTAGE: Duration = Duration::from_secs(20);

/// A server that is not well again so long after the outage is given up.
pub(crate) const AFTER: Duration = Duration::from_secs(20);

/// Calls are counted by the tenth of a second in which they began.
const BIN: Duration = Duration::from_millis(100);
const SECOND: usize = 10;

#[derive(Clone, Copy)]
pub(crate) struct Scenario {
    pub(crate) outage: Outage,
    /// The outage begins so much later: whole tenths of a second.
    pub(crate) phase: Duration,
    /// When the clients call. The waits between attempts are drawn by the crate, anew in each run.
    pub(crate) seed: u64,
}

pub(crate) struct Outcome {
    /// Calls that began during the outage.
    pub(crate) offered: u32,
    /// Requests that reached the server during it.
    pub(crate) requests: u32,
    /// From its end to the first second in which 99 % of the calls succeed, and no queue is longer than before it.
    pub(crate) recovery: Option<Duration>,
    /// Calls that began after the outage, before the recovery, and failed.
    pub(crate) failed_after: u32,
}

impl Outcome {
    /// Requests during the outage for each call that was made: the load, in units of the offered one.
    pub(crate) fn load(&self) -> f64 {
        f64::from(self.requests) / f64::from(self.offered)
    }
}

struct Storm {
    born: Instant,
    client: Client,
    server: Server,
    bins: Mutex<Vec<Bin>>,
}

#[derive(Clone, Copy, Default)]
struct Bin {
    calls: u32,
    ok: u32,
    longest_queue: usize,
}

pub(crate) async fn run(client: Client, scenario: Scenario) -> Outcome {
    let born = Instant::now();
    let begins = BEFORE + scenario.phase;
    let ends = begins + OUTAGE;
    let server = Server::new(scenario.outage, born + begins, born + ends);
    let storm = Arc::new(Storm { born, client, server, bins: Mutex::default() });
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let draws = Draws(scenario.seed << 32 | number << 16);
        clients.spawn(Arc::clone(&storm).client(draws));
    }
    sleep(ends).await;
    let requests = storm.server.during_outage();
    // The calls that begin in a second have ended two seconds after its begin.
    sleep(BIN * 2 * SECOND as u32).await;
    let mut later = Duration::ZERO;
    while later < AFTER && !storm.is_well(bin(begins), bin(ends + later)) {
        sleep(BIN).await;
        later += BIN;
    }
    assert!(clients.try_join_next().is_none(), "a client has panicked");
    Outcome {
        offered: storm.count(begins, ends, |bin| bin.calls),
        requests,
        recovery: (later < AFTER).then_some(later),
        failed_after: storm.count(ends, ends + later, |bin| bin.calls - bin.ok),
    }
}

fn bin(time: Duration) -> usize {
    (time.as_millis() / BIN.as_millis()) as usize
}

impl Storm {
    async fn client(self: Arc<Self>, mut draws: Draws) {
        let mut next = self.born + Duration::from_micros(draws.below(INTERVAL + INTERVAL_SPREAD / 2));
        loop {
            sleep_until(next).await;
            let began = self.born.elapsed();
            let queued = self.server.queued();
            self.note(began, |bin| {
                bin.calls += 1;
                bin.longest_queue = bin.longest_queue.max(queued);
            });
            if self.client.call(&self.server).await.is_ok() {
                self.note(began, |bin| bin.ok += 1);
            }
            next += Duration::from_micros(INTERVAL + draws.below(INTERVAL_SPREAD));
            assert!(Instant::now() < next, "a call took so long that its client is late for the next one");
        }
    }

    fn note(&self, began: Duration, change: impl FnOnce(&mut Bin)) {
        let mut bins = self.bins.lock().unwrap();
        let at = bin(began);
        if at >= bins.len() {
            bins.resize(at + 1, Bin::default());
        }
        change(&mut bins[at]);
    }

    fn count(&self, from: Duration, to: Duration, what: impl Fn(&Bin) -> u32) -> u32 {
        self.bins.lock().unwrap()[bin(from)..bin(to)].iter().map(what).sum()
    }

    /// Whether the second that begins with this bin is as one before the outage.
    fn is_well(&self, begins: usize, at: usize) -> bool {
        let bins = self.bins.lock().unwrap();
        let longest = |bins: &[Bin]| bins.iter().map(|bin| bin.longest_queue).max();
        let second = &bins[at..at + SECOND];
        let calls: u32 = second.iter().map(|bin| bin.calls).sum();
        let ok: u32 = second.iter().map(|bin| bin.ok).sum();
        ok * 100 >= calls * 99 && longest(second) <= longest(&bins[..begins])
    }
}

/// SplitMix64.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % end
    }
}
