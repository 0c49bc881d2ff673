//! The rules of breaker and throttle in a straight line, for one caller at a time: everything that happened is kept,
//! and looked through when a question comes. Times in nanoseconds since the start of the case.

use retry_runtime::CircuitState;

use crate::case::{self, Event, Hand, Opens};

const SECOND: i64 = 1_000_000_000;

pub(crate) struct Breaker {
    keys: case::Breaker,
    mode: Mode,
    /// An outcome counts only in the era that admitted its attempt.
    era: u32,
    slices: Slices,
    pub(crate) changes: Vec<Event>,
}

enum Mode {
    /// The slice of each attempt, and whether it failed.
    Closed(Vec<(i64, bool)>),
    ForcedClosed,
    Open {
        until: i64,
    },
    ForcedOpen,
    HalfOpen {
        running: u32,
        succeeded: u32,
    },
}

/// What an admitted attempt holds.
pub(crate) struct Permit {
    era: u32,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    Answered,
    Failed,
    Nothing,
}

/// A window moves on in tenths of its length, counted from the first time that somebody looks at the clock.
struct Slices {
    length: i64,
    origin: Option<i64>,
}

impl Slices {
    fn of(window: i64) -> Self {
        Self { length: window / 10, origin: None }
    }

    fn at(&mut self, now: i64) -> i64 {
        (now - *self.origin.get_or_insert(now)) / self.length
    }
}

fn is_in_window(slice: i64, now: i64) -> bool {
    now - slice < 10
}

impl Breaker {
    pub(crate) fn new(keys: &case::Breaker) -> Self {
        let window = if let Opens::Rate { window, .. } = keys.rule { window * 1_000 } else { SECOND };
        Self {
            keys: keys.clone(),
            mode: Mode::Closed(Vec::new()),
            era: 0,
            slices: Slices::of(window),
            changes: Vec::new(),
        }
    }

    /// An attempt wants to start; if it must not, for how long, where that is known.
    pub(crate) fn admit(&mut self, now: i64) -> Result<Permit, Option<i64>> {
        if let Some(retry_after) = self.refuses(now) {
            return Err(retry_after);
        }
        if let Mode::Open { .. } = self.mode {
            self.turn(Mode::HalfOpen { running: 0, succeeded: 0 }, now, false);
        }
        if let Mode::HalfOpen { running, .. } = &mut self.mode {
            *running += 1;
        }
        Ok(Permit { era: self.era })
    }

    pub(crate) fn refuses(&mut self, now: i64) -> Option<Option<i64>> {
        if !matches!(self.mode, Mode::Closed(_) | Mode::ForcedClosed) {
            self.slices.at(now);
        }
        match self.mode {
            Mode::Closed(_) | Mode::ForcedClosed => None,
            Mode::Open { until } => (now < until).then_some(Some(until - now)),
            Mode::ForcedOpen => Some(None),
            Mode::HalfOpen { running, succeeded } => {
                (running + succeeded >= self.keys.probes).then_some(None)
            }
        }
    }

    /// The attempt is over.
    pub(crate) fn end(&mut self, permit: Permit, verdict: Verdict, now: i64) {
        if permit.era != self.era {
            return;
        }
        let opens = match &mut self.mode {
            Mode::Closed(seen) if verdict != Verdict::Nothing => {
                let slice = self.slices.at(now);
                let failed = verdict == Verdict::Failed;
                seen.push((slice, failed));
                failed && is_too_much(self.keys.rule, seen, slice)
            }
            Mode::HalfOpen { running, succeeded } => {
                *running -= 1;
                *succeeded += u32::from(verdict == Verdict::Answered);
                if *succeeded == self.keys.probes {
                    self.turn(Mode::Closed(Vec::new()), now, false);
                }
                verdict == Verdict::Failed
            }
            _ => false,
        };
        if opens {
            self.turn(Mode::Open { until: now + self.keys.open_for * 1_000 }, now, false);
        }
    }

    pub(crate) fn by_hand(&mut self, hand: Hand, now: i64) {
        match (hand, &self.mode) {
            (Hand::Open, Mode::ForcedOpen) | (Hand::Close, Mode::ForcedClosed) => {}
            (Hand::Open, _) => self.turn(Mode::ForcedOpen, now, true),
            (Hand::Close, _) => self.turn(Mode::ForcedClosed, now, true),
            (Hand::Reset, _) => self.turn(Mode::Closed(Vec::new()), now, true),
        }
    }

    pub(crate) fn state(&mut self, now: i64) -> CircuitState {
        match self.mode {
            Mode::Open { until } if until <= now => CircuitState::HalfOpen,
            _ => self.settled(),
        }
    }

    fn settled(&self) -> CircuitState {
        match self.mode {
            Mode::Closed(_) | Mode::ForcedClosed => CircuitState::Closed,
            Mode::Open { .. } | Mode::ForcedOpen => CircuitState::Open,
            Mode::HalfOpen { .. } => CircuitState::HalfOpen,
        }
    }

    fn turn(&mut self, mode: Mode, now: i64, by_hand: bool) {
        let from = self.settled();
        let retry_after = matches!(mode, Mode::Open { .. }).then_some(self.keys.open_for * 1_000);
        self.mode = mode;
        self.era += 1;
        let to = self.settled();
        if from != to {
            self.changes.push(Event::Change { at: now, from, to, by_hand, retry_after });
        }
    }
}

fn is_too_much(rule: Opens, seen: &[(i64, bool)], slice: i64) -> bool {
    match rule {
        Opens::Consecutive { failures } => {
            seen.iter().rev().take_while(|(_, failed)| *failed).count() >= failures as usize
        }
        Opens::Rate { percent, minimum_calls, .. } => {
            let window: Vec<_> = seen.iter().filter(|(at, _)| is_in_window(*at, slice)).collect();
            let failed = window.iter().filter(|(_, failed)| *failed).count();
            window.len() >= minimum_calls as usize && failed * 100 >= percent as usize * window.len()
        }
    }
}

pub(crate) struct Throttle {
    keys: case::Throttle,
    tokens: u32,
    /// The slices in which calls started, and in which retries were granted.
    calls: Vec<i64>,
    granted: Vec<i64>,
    slices: Slices,
}

/// What was taken for a retry.
#[derive(Clone, Copy)]
pub(crate) enum Grant {
    Tokens(u32),
    InSlice(i64),
}

impl Throttle {
    pub(crate) fn new(keys: &case::Throttle) -> Self {
        let (window, tokens) = match *keys {
            case::Throttle::Ratio { window, .. } => (window.map_or(10 * SECOND, |micros| micros * 1_000), 0),
            case::Throttle::Tokens { capacity, .. } => (10 * SECOND, capacity),
        };
        Self { keys: *keys, tokens, calls: Vec::new(), granted: Vec::new(), slices: Slices::of(window) }
    }

    /// The first attempt of a call starts.
    pub(crate) fn call(&mut self, now: i64) {
        let slice = self.slices.at(now);
        self.calls.push(slice);
    }

    pub(crate) fn grant(&mut self, hinted: bool, now: i64) -> Option<Grant> {
        match self.keys {
            case::Throttle::Ratio { .. } => {
                let slice = self.slices.at(now);
                (self.hundredths(slice) >= 100).then(|| {
                    self.granted.push(slice);
                    Grant::InSlice(slice)
                })
            }
            case::Throttle::Tokens { cost, hint_cost, .. } => {
                let cost = hint_cost.filter(|_| hinted).unwrap_or(cost);
                self.tokens = self.tokens.checked_sub(cost)?;
                Some(Grant::Tokens(cost))
            }
        }
    }

    pub(crate) fn give_back(&mut self, grant: Grant) {
        match grant {
            Grant::Tokens(cost) => self.put(cost),
            Grant::InSlice(slice) => {
                let at = self.granted.iter().position(|granted| *granted == slice);
                self.granted.remove(at.expect("it was granted"));
            }
        }
    }

    /// A call succeeded; what its last retry took, if it made one.
    pub(crate) fn succeeded(&mut self, last: Option<Grant>) {
        match (self.keys, last) {
            (_, Some(Grant::Tokens(cost))) => self.put(cost),
            (case::Throttle::Tokens { refund, .. }, _) => self.put(refund),
            (case::Throttle::Ratio { .. }, _) => {}
        }
    }

    pub(crate) fn available(&mut self, now: i64) -> u32 {
        match self.keys {
            case::Throttle::Ratio { .. } => {
                let slice = self.slices.at(now);
                u32::try_from(self.hundredths(slice) / 100).unwrap_or(0)
            }
            case::Throttle::Tokens { cost, .. } => self.tokens / cost,
        }
    }

    fn put(&mut self, tokens: u32) {
        if let case::Throttle::Tokens { capacity, .. } = self.keys {
            self.tokens = (self.tokens + tokens).min(capacity);
        }
    }

    /// What is left of the floor and of the share of the calls, in hundredths of a retry.
    fn hundredths(&self, slice: i64) -> i64 {
        let case::Throttle::Ratio { percent, min_per_second, window } = self.keys else { return 0 };
        let floor = i64::from(min_per_second) * window.unwrap_or(10_000_000) / 10_000;
        let count = |slices: &[i64]| slices.iter().filter(|at| is_in_window(**at, slice)).count() as i64;
        floor + count(&self.calls) * i64::from(percent) - count(&self.granted) * 100
    }
}
