//! The circuit breaker: attempts at a server that is down are refused here, for a time.
//!
//! Its state is one word (`word.rs`, which also holds every transition), changed by compare-and-exchange only, so there
//! is no lock in any state. Closed, an admission is one load. A breaker that counts failures in a row writes nothing on
//! success; one that counts a rate writes one word (`window.rs`).
//!
//! Other crates were looked at first. `failsafe` 1.3.0 and `recloser` 1.4.0 read `std`'s clock, which a paused tokio
//! does not stop, let every call pass while half-open, and are built at run time only; the first takes a mutex for each
//! call, the second learns outcomes through its own wrappers alone. `tower-resilience-circuitbreaker` 0.14.0 has probes
//! that survive cancellation, but `std`'s clock, an async mutex around each call, and a `tower` service as its only
//! door.

mod change;
#[cfg(all(test, retry_loom))]
mod loom;
mod permit;
mod window;
mod word;

use std::fmt;
use std::num::NonZeroU64;
use std::sync::OnceLock;
use std::time::Duration;

use retry_policy::nanos;
use tokio::time::Instant;

use crate::sync::{AtomicU64, Ordering, const_fn};

pub use change::{CircuitState, StateChange};
pub use permit::{CircuitOpen, Permit};
pub(crate) use word::Stamp;

use window::{SLICES, Slice, Window};
use word::{MOST_FAILURES, MOST_PROBES, Refusal, Word};

const SHORTEST_WINDOW: u64 = 100_000_000;

/// Room for 146 years before the first reading of the clock, and thrice as much after it.
const ZERO: u64 = 1 << 62;

#[doc = include_str!("breaker.md")]
pub struct CircuitBreaker {
    word: AtomicU64,
    /// When an open one will probe, in nanoseconds, `base` being at `zero`. It is there before the word says open.
    until: AtomicU64,
    /// The first reading of the clock; a clock of a later test may be behind it.
    base: OnceLock<Instant>,
    zero: u64,
    open_for: u64,
    probes: u32,
    name: Option<&'static str>,
    on_change: Option<fn(&StateChange)>,
    rule: Rule,
}

#[expect(clippy::large_enum_variant, reason = "a constant can hold no box")]
enum Rule {
    Consecutive { failures: u32 },
    Rate { percent: u32, minimum_calls: u32, slice: NonZeroU64, window: Window },
}

impl CircuitBreaker {
    const_fn! {
        /// Opens, for `open_for`, when `failures` attempts in a row have failed; a success starts the count anew.
        ///
        /// For a server that works or does not. Where a part of the answers may fail for long, it never opens.
        ///
        /// # Panics
        ///
        /// In a constant or a static, at compile time: if `failures` is 0 or more than 536 870 911, or `open_for` is
        /// zero.
        ///
        /// ```
        /// use std::time::Duration;
        /// use retry_runtime::{CircuitBreaker, CircuitState};
        ///
        /// static STORE: CircuitBreaker = CircuitBreaker::consecutive(2, Duration::from_secs(30));
        ///
        /// for _ in 0..2 {
        ///     STORE.try_acquire()?.failure();
        /// }
        /// assert_eq!(STORE.state(), CircuitState::Open);
        /// # Ok::<(), retry_runtime::CircuitOpen>(())
        /// ```
        #[must_use]
        #[track_caller]
        pub const fn consecutive(failures: u32, open_for: Duration) -> Self {
            assert!(failures > 0, "`failures` is zero: a breaker that opens after none is never closed");
            assert!(failures <= MOST_FAILURES, "`failures` is more than 536870911");
            Self::new(Rule::Consecutive { failures }, open_for)
        }
    }

    const_fn! {
        /// Opens, for `open_for`, when at least `percent` in a hundred of the attempts in the last `window` have
        /// failed, and there were at least `minimum_calls` of them.
        ///
        /// The window moves on in tenths of its length. It is looked at when a failure is counted: a success never
        /// opens the breaker, nor does the passing of time.
        ///
        /// # Panics
        ///
        /// In a constant or a static, at compile time: if `percent` is not from 1 to 100, `minimum_calls` is 0,
        /// `window` is below 100 ms, or `open_for` is zero.
        ///
        /// ```
        /// use std::time::Duration;
        /// use retry_runtime::{CircuitBreaker, CircuitState};
        ///
        /// // Half of at least four attempts within ten seconds.
        /// static STORE: CircuitBreaker =
        ///     CircuitBreaker::rate(50, 4, Duration::from_secs(10), Duration::from_secs(30));
        ///
        /// for _ in 0..2 {
        ///     STORE.try_acquire()?.success();
        ///     STORE.try_acquire()?.failure();
        /// }
        /// assert_eq!(STORE.state(), CircuitState::Open);
        /// # Ok::<(), retry_runtime::CircuitOpen>(())
        /// ```
        #[must_use]
        #[track_caller]
        pub const fn rate(percent: u32, minimum_calls: u32, window: Duration, open_for: Duration) -> Self {
            assert!(percent > 0 && percent <= 100, "`percent` is not from 1 to 100");
            assert!(minimum_calls > 0, "`minimum_calls` is zero: a rate of no calls is none");
            let window = nanos(window);
            let slice = match NonZeroU64::new(window / SLICES) {
                Some(slice) if window >= SHORTEST_WINDOW => slice,
                _ => panic!("`window` is shorter than 100 ms"),
            };
            Self::new(Rule::Rate { percent, minimum_calls, slice, window: Window::new() }, open_for)
        }
    }

    const_fn! {
        const fn new(rule: Rule, open_for: Duration) -> Self {
            let open_for = nanos(open_for);
            assert!(open_for > 0, "`open_for` is zero: the breaker would never refuse an attempt");
            // The first slice begins at the first reading.
            let zero = match rule {
                Rule::Consecutive { .. } => ZERO,
                Rule::Rate { slice, .. } => ZERO - ZERO % slice.get(),
            };
            Self {
                word: AtomicU64::new(Word::NEW.0),
                until: AtomicU64::new(0),
                base: OnceLock::new(),
                zero,
                open_for,
                probes: 1,
                name: None,
                on_change: None,
                rule,
            }
        }
    }

    /// When half-open, `n` attempts may pass as probes, all at once if they come so; if `n` of them succeed it closes,
    /// the first one that fails opens it again. By default 1.
    ///
    /// A probe that ends without an outcome makes room for another one.
    ///
    /// # Panics
    ///
    /// In a constant or a static, at compile time: if `n` is not from 1 to 16383.
    #[must_use]
    #[track_caller]
    pub const fn probes(mut self, n: u32) -> Self {
        assert!(n > 0, "`probes` is zero: the breaker would never close again");
        assert!(n <= MOST_PROBES, "`probes` is more than 16383");
        self.probes = n;
        self
    }

    /// What [`StateChange`], [`CircuitOpen`] and `Debug` call it. For breakers made at run time, such as one for each
    /// host, `String::leak` makes a name that lasts.
    #[must_use]
    pub const fn named(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// Calls `callback` once for each change of the state, after it, in the thread that made it and with no lock held:
    /// it may ask and change the breaker. Reports of different threads may come out of order; their
    /// [number](StateChange::number) tells it.
    ///
    /// An open breaker reports that it is half-open when it admits the first probe. What an operator forces on a
    /// breaker that is in that state already is no change. A panic of the callback goes on to who made the change; the
    /// breaker is not harmed.
    ///
    /// ```
    /// use std::time::Duration;
    /// use retry_runtime::CircuitBreaker;
    ///
    /// static STORE: CircuitBreaker = CircuitBreaker::consecutive(1, Duration::from_secs(30))
    ///     .named("store")
    ///     .on_change(|change| eprintln!("{change}"));
    ///
    /// STORE.try_acquire()?.failure(); // store: closed -> open for 30s
    /// STORE.reset(); // store: open -> closed (by hand)
    /// # Ok::<(), retry_runtime::CircuitOpen>(())
    /// ```
    #[must_use]
    pub const fn on_change(mut self, callback: fn(&StateChange)) -> Self {
        self.on_change = Some(callback);
        self
    }

    /// The name, if it has one.
    #[must_use]
    pub const fn name(&self) -> Option<&'static str> {
        self.name
    }

    /// Whether attempts pass at this moment. An open breaker whose time is over is half-open, whether a probe has come
    /// or not.
    #[must_use]
    pub fn state(&self) -> CircuitState {
        let word = self.load();
        word.state(|| self.until() <= self.time(Instant::now()))
    }

    /// Opens it, until [`reset`](Self::reset) or [`force_closed`](Self::force_closed): for a server that is being
    /// repaired. Attempts that run go on, and count as nothing.
    pub fn force_open(&self) {
        self.change_by_hand(Word::force_open);
    }

    /// Closes it, and counts nothing until [`reset`](Self::reset) or [`force_open`](Self::force_open): for a breaker
    /// that is itself the trouble.
    pub fn force_closed(&self) {
        self.change_by_hand(Word::force_closed);
    }

    /// Back to normal work: closed, nothing counted. Attempts that run count as nothing. Also for a static at the start
    /// of a test: the paused clock of the one before may have been ahead.
    pub fn reset(&self) {
        if let Rule::Rate { window, .. } = &self.rule {
            window.clear();
        }
        self.change_by_hand(Word::reset);
    }

    /// Admits an attempt, to be reported by hand; `#[retry(breaker = ..)]` does all of this by itself.
    ///
    /// # Errors
    ///
    /// [`CircuitOpen`] while it is open, or half-open with all its probes running.
    ///
    /// ```
    /// use std::time::Duration;
    /// use retry_runtime::CircuitBreaker;
    /// # async fn ask() -> Result<u32, std::io::Error> { Ok(7) }
    ///
    /// static STORE: CircuitBreaker = CircuitBreaker::consecutive(5, Duration::from_secs(30));
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let permit = STORE.try_acquire()?;
    /// let answer = ask().await; // cancelled here, the permit is dropped and nothing is counted
    /// match &answer {
    ///     Ok(_) => permit.success(),
    ///     Err(_) => permit.failure(),
    /// }
    /// # assert_eq!(answer?, 7);
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn try_acquire(&self) -> Result<Permit<'_>, CircuitOpen> {
        self.admit(Instant::now).map_err(|retry_after| CircuitOpen { name: self.name, retry_after })
    }

    /// For the session: the attempt passes, as the breaker is closed.
    #[inline]
    pub(crate) fn admit_closed(&self) -> Option<Stamp> {
        let word = self.load();
        word.lets_pass().then(|| word.stamp())
    }

    /// For the session: the clock is read only where it is not closed.
    #[inline]
    pub(crate) fn admit(&self, now: impl FnOnce() -> Instant) -> Result<Permit<'_>, Option<Duration>> {
        let word = self.load();
        if word.lets_pass() { Ok(Permit::new(self, word.stamp())) } else { self.admit_probe(word, now()) }
    }

    /// For the session: whether it would refuse an attempt, and for how long if that is known. Reserves nothing.
    #[inline]
    pub(crate) fn refuses(&self, now: impl FnOnce() -> Instant) -> Option<Option<Duration>> {
        let word = self.load();
        if word.lets_pass() { None } else { self.consider(word, now()).err() }
    }

    #[cold]
    #[inline(never)]
    fn admit_probe(&self, mut word: Word, now: Instant) -> Result<Permit<'_>, Option<Duration>> {
        loop {
            let next = self.consider(word, now)?;
            match self.exchange(word, next) {
                Ok(()) => {
                    // Before the callback, whose panic must give the slot back.
                    let permit = Permit::new(self, next.stamp());
                    self.report(word, next, false);
                    return Ok(permit);
                }
                Err(other) => word = other,
            }
        }
    }

    /// The word after one more attempt was admitted.
    #[cold]
    #[inline(never)]
    fn consider(&self, word: Word, now: Instant) -> Result<Word, Option<Duration>> {
        let (now, until) = (self.time(now), self.until());
        word.admit(self.probes, until <= now).map_err(|refusal| match refusal {
            Refusal::Open => Some(Duration::from_nanos(until.saturating_sub(now))),
            Refusal::Indefinite => None,
        })
    }

    /// The attempt that got the stamp succeeded; the clock is read only where it is needed.
    #[inline]
    pub(crate) fn succeed(&self, stamp: Stamp, now: impl FnOnce() -> Instant) {
        if matches!(self.rule, Rule::Rate { .. }) || !self.load().is_plain(stamp) {
            self.count_success(stamp, now);
        }
    }

    #[inline(never)]
    fn count_success(&self, stamp: Stamp, now: impl FnOnce() -> Instant) {
        match &self.rule {
            Rule::Rate { slice, window, .. } if stamp.is_closed() => {
                if self.load().is_plain(stamp) {
                    window.succeeded(self.slice(*slice, stamp, now()));
                }
            }
            _ => self.step(stamp, now, |word| word.succeed(self.probes)),
        }
    }

    /// It failed.
    #[cold]
    #[inline(never)]
    pub(crate) fn fail(&self, stamp: Stamp, now: impl FnOnce() -> Instant) {
        let most = match &self.rule {
            Rule::Consecutive { failures } => *failures,
            Rule::Rate { percent, minimum_calls, slice, window } if stamp.is_closed() => {
                if self.load().is_plain(stamp) {
                    let now = now();
                    if window.failed(self.slice(*slice, stamp, now), *percent, *minimum_calls) {
                        self.step(stamp, || now, |word| word.fail(1));
                    }
                }
                return;
            }
            Rule::Rate { .. } => 1,
        };
        self.step(stamp, now, |word| word.fail(most));
    }

    /// It ended without an outcome.
    #[inline]
    pub(crate) fn release(&self, stamp: Stamp) {
        if stamp.is_probe() {
            self.free_slot(stamp);
        }
    }

    #[cold]
    #[inline(never)]
    fn free_slot(&self, stamp: Stamp) {
        let mut word = self.load();
        while word.stamp() == stamp {
            match self.exchange(word, word.release()) {
                Ok(()) => return,
                Err(other) => word = other,
            }
        }
    }

    /// What an outcome does, as long as the generation that admitted the attempt lasts.
    #[cold]
    #[inline(never)]
    fn step(&self, stamp: Stamp, now: impl FnOnce() -> Instant, next: impl Fn(Word) -> Word) {
        let mut now = Some(now);
        let mut until = 0;
        loop {
            // Read before the word, so that an exchange fails where a later generation has set a time of its own.
            let other_until = self.until();
            let word = self.load();
            if word.stamp() != stamp {
                return;
            }
            let next = next(word);
            if next == word {
                return;
            }
            if next.is_timed() {
                if let Some(now) = now.take() {
                    until = self.time(now()).saturating_add(self.open_for);
                    // The clock takes its time: look again.
                    continue;
                }
                if self
                    .until
                    .compare_exchange(other_until, until, Ordering::AcqRel, Ordering::Acquire)
                    .is_err()
                {
                    continue;
                }
            }
            if self.exchange(word, next).is_ok() {
                return self.report(word, next, false);
            }
        }
    }

    fn change_by_hand(&self, next: impl Fn(Word) -> Word) {
        let mut word = self.load();
        loop {
            let next = next(word);
            match self.exchange(word, next) {
                Ok(()) => return self.report(word, next, true),
                Err(other) => word = other,
            }
        }
    }

    #[inline]
    fn report(&self, from: Word, to: Word, by_hand: bool) {
        if from.stamp() != to.stamp() {
            self.report_change(from, to, by_hand);
        }
    }

    #[cold]
    #[inline(never)]
    fn report_change(&self, before: Word, after: Word, by_hand: bool) {
        let (from, to) = (before.settled_state(), after.settled_state());
        if let Some(callback) = self.on_change.filter(|_| from != to) {
            let retry_after = after.is_timed().then(|| Duration::from_nanos(self.open_for));
            let number = after.stamp().generation().saturating_sub(1);
            callback(&StateChange { name: self.name, from, to, by_hand, number, retry_after });
        }
    }

    #[inline]
    fn load(&self) -> Word {
        Word(self.word.load(Ordering::Acquire))
    }

    fn until(&self) -> u64 {
        self.until.load(Ordering::Acquire)
    }

    fn exchange(&self, word: Word, next: Word) -> Result<(), Word> {
        let done = self.word.compare_exchange_weak(word.0, next.0, Ordering::AcqRel, Ordering::Acquire);
        done.map(|_| ()).map_err(Word)
    }

    #[inline]
    fn time(&self, now: Instant) -> u64 {
        let base = *self.base.get_or_init(|| now);
        match now.checked_duration_since(base) {
            Some(since) => self.zero.saturating_add(nanos(since)),
            None => self.zero.saturating_sub(nanos(base.saturating_duration_since(now))),
        }
    }

    #[inline]
    fn slice(&self, length: NonZeroU64, stamp: Stamp, now: Instant) -> Slice {
        Slice::new(self.time(now) / length, stamp.generation())
    }
}

impl fmt::Debug for CircuitBreaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("CircuitBreaker");
        if let Some(name) = self.name {
            shown.field("name", &name);
        }
        shown.field("state", &self.state()).finish_non_exhaustive()
    }
}

#[cfg(all(test, not(retry_loom)))]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn no_clock() -> Instant {
        panic!("the clock was read")
    }

    #[test]
    fn a_closed_one_reads_no_clock() {
        let breaker = CircuitBreaker::consecutive(3, SECOND);
        for _ in 0..2 {
            breaker.admit(no_clock).unwrap().fail_at(no_clock);
        }
        breaker.admit(no_clock).unwrap().succeed_at(no_clock);
        breaker.admit(no_clock).unwrap().succeed_at(no_clock);
        assert_eq!(breaker.refuses(no_clock), None);
        assert_eq!(breaker.state(), CircuitState::Closed);
        assert!(breaker.base.get().is_none());

        let breaker = CircuitBreaker::rate(50, 3, SECOND, SECOND);
        drop(breaker.admit(no_clock));
        breaker.force_closed();
        breaker.admit(no_clock).unwrap().fail_at(no_clock);
        breaker.admit(no_clock).unwrap().succeed_at(no_clock);
    }

    #[test]
    fn whether_it_refuses_reserves_nothing() {
        let now = Instant::now();
        let breaker = CircuitBreaker::consecutive(1, SECOND);
        breaker.admit(no_clock).unwrap().fail_at(|| now);
        assert_eq!(breaker.refuses(|| now + SECOND / 4), Some(Some(SECOND * 3 / 4)));
        for _ in 0..2 {
            assert_eq!(breaker.refuses(|| now + SECOND), None);
        }
        let probe = breaker.admit(|| now + SECOND).unwrap();
        assert_eq!(breaker.refuses(|| now + SECOND), Some(None));
        drop(probe);
        assert_eq!(breaker.refuses(|| now + SECOND), None);
        breaker.force_open();
        assert_eq!(breaker.refuses(|| now + SECOND), Some(None));
    }
}
