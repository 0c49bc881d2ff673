//! The state of a breaker in one word, and what may follow it, as pure functions.
//!
//! From the top: 32 bits of generation, 3 of mode, 29 of counts. While closed, the counts are the failures in a row;
//! while half-open, 14 bits of probes that succeeded and 14 of probes that run. Every change of mode, and every reset,
//! starts a new generation; generation and mode together are the stamp that an admitted attempt carries, so that its
//! outcome counts in the generation that admitted it and in no other.

use super::CircuitState;

const COUNT_BITS: u32 = 29;
const COUNTS: u64 = (1 << COUNT_BITS) - 1;
const MODE_BITS: u32 = 3;
const GENERATION_AT: u32 = COUNT_BITS + MODE_BITS;
const PROBE_BITS: u32 = 14;

pub(super) const MOST_FAILURES: u32 = COUNTS as u32;
pub(super) const MOST_PROBES: u32 = (1 << PROBE_BITS) - 1;

const ONE_RUNNING: u64 = 1;
const ONE_SUCCEEDED: u64 = 1 << PROBE_BITS;

// The two that let every attempt pass are the lowest ones, so that one comparison tells.
const CLOSED: u64 = 0;
const FORCED_CLOSED: u64 = 1;
const OPEN: u64 = 2;
const FORCED_OPEN: u64 = 3;
const HALF_OPEN: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word(pub(super) u64);

/// Generation and mode of the word that admitted an attempt: that word with counts of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp(u64);

/// Why an attempt is not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Until the time is over.
    Open,
    /// Until somebody says so, or a probe has ended.
    Indefinite,
}

impl Stamp {
    /// Of no attempt: no word has generation 0, so that nothing comes of it.
    pub(crate) const NONE: Self = Self(0);

    #[inline]
    pub(super) const fn generation(self) -> u32 {
        (self.0 >> GENERATION_AT) as u32
    }

    #[inline]
    const fn mode(self) -> u64 {
        Word(self.0).mode()
    }

    /// Whether the attempt holds the slot of a probe.
    #[inline]
    pub(crate) const fn is_probe(self) -> bool {
        self.mode() == HALF_OPEN
    }

    /// Whether the outcome of the attempt is one to be counted.
    #[inline]
    pub(super) const fn is_closed(self) -> bool {
        self.mode() == CLOSED
    }
}

impl Word {
    /// Closed, nothing counted.
    pub(super) const NEW: Self = Self(1 << GENERATION_AT | CLOSED << COUNT_BITS);

    #[inline]
    const fn mode(self) -> u64 {
        (self.0 >> COUNT_BITS) & ((1 << MODE_BITS) - 1)
    }

    #[inline]
    pub(super) const fn stamp(self) -> Stamp {
        Stamp(self.0 & !COUNTS)
    }

    /// Whether it is the word that gave the stamp, with nothing counted.
    #[inline]
    pub(super) const fn is_plain(self, stamp: Stamp) -> bool {
        self.0 == stamp.0
    }

    /// Whether every attempt passes.
    #[inline]
    pub(super) const fn lets_pass(self) -> bool {
        self.mode() <= FORCED_CLOSED
    }

    const fn running(self) -> u64 {
        self.0 & (ONE_SUCCEEDED - 1)
    }

    const fn succeeded(self) -> u64 {
        (self.0 & COUNTS) >> PROBE_BITS
    }

    /// The next generation, with nothing counted.
    const fn change(self, mode: u64) -> Self {
        let generation = match self.stamp().generation() {
            u32::MAX => 1,
            generation => generation as u64 + 1,
        };
        Self(generation << GENERATION_AT | mode << COUNT_BITS)
    }

    /// As an operator sees it. Open becomes half-open when its time is over.
    pub(super) fn state(self, is_over: impl FnOnce() -> bool) -> CircuitState {
        match self.mode() {
            CLOSED | FORCED_CLOSED => CircuitState::Closed,
            HALF_OPEN => CircuitState::HalfOpen,
            OPEN if is_over() => CircuitState::HalfOpen,
            _ => CircuitState::Open,
        }
    }

    /// As a change reports it: open until a probe was admitted.
    pub(super) fn settled_state(self) -> CircuitState {
        self.state(|| false)
    }

    /// Whether it opened by itself, and will probe.
    pub(super) const fn is_timed(self) -> bool {
        self.mode() == OPEN
    }

    /// One more attempt starts. The same word: it needs no probe's slot.
    pub(super) const fn admit(self, probes: u32, is_over: bool) -> Result<Self, Refusal> {
        match self.mode() {
            CLOSED | FORCED_CLOSED => Ok(self),
            OPEN if is_over => Ok(Self(self.change(HALF_OPEN).0 + ONE_RUNNING)),
            OPEN => Err(Refusal::Open),
            HALF_OPEN if self.running() + self.succeeded() < probes as u64 => Ok(Self(self.0 + ONE_RUNNING)),
            _ => Err(Refusal::Indefinite),
        }
    }

    /// An attempt of this generation succeeded.
    pub(super) const fn succeed(self, probes: u32) -> Self {
        match self.mode() {
            CLOSED => Self(self.0 & !COUNTS),
            HALF_OPEN if self.succeeded() + 1 >= probes as u64 => self.change(CLOSED),
            HALF_OPEN => Self(self.0 + ONE_SUCCEEDED - ONE_RUNNING),
            _ => self,
        }
    }

    /// An attempt of this generation failed; so many in a row open a closed one.
    pub(super) const fn fail(self, most: u32) -> Self {
        match self.mode() {
            CLOSED if (self.0 & COUNTS) + 1 < most as u64 => Self(self.0 + 1),
            CLOSED | HALF_OPEN => self.change(OPEN),
            _ => self,
        }
    }

    /// A probe of this generation ended without an outcome.
    pub(super) const fn release(self) -> Self {
        if self.mode() == HALF_OPEN { Self(self.0 - ONE_RUNNING) } else { self }
    }

    pub(super) const fn force_open(self) -> Self {
        if self.mode() == FORCED_OPEN { self } else { self.change(FORCED_OPEN) }
    }

    pub(super) const fn force_closed(self) -> Self {
        if self.mode() == FORCED_CLOSED { self } else { self.change(FORCED_CLOSED) }
    }

    pub(super) const fn reset(self) -> Self {
        self.change(CLOSED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [u64; 5] = [CLOSED, FORCED_CLOSED, OPEN, FORCED_OPEN, HALF_OPEN];

    fn word(generation: u64, mode: u64, counts: u64) -> Word {
        Word(generation << GENERATION_AT | mode << COUNT_BITS | counts)
    }

    /// Running and succeeded probes.
    fn half_open(running: u64, succeeded: u64) -> Word {
        word(7, HALF_OPEN, succeeded << PROBE_BITS | running)
    }

    #[test]
    fn every_mode_admits_as_it_should() {
        let admitted = |word: Word, is_over| word.admit(2, is_over);
        assert_eq!(admitted(word(7, CLOSED, 3), false), Ok(word(7, CLOSED, 3)));
        assert_eq!(admitted(word(7, FORCED_CLOSED, 0), false), Ok(word(7, FORCED_CLOSED, 0)));
        assert_eq!(admitted(word(7, OPEN, 0), false), Err(Refusal::Open));
        assert_eq!(admitted(word(6, OPEN, 0), true), Ok(half_open(1, 0)));
        assert_eq!(admitted(word(7, FORCED_OPEN, 0), true), Err(Refusal::Indefinite));
        assert_eq!(admitted(half_open(0, 0), true), Ok(half_open(1, 0)));
        assert_eq!(admitted(half_open(1, 0), true), Ok(half_open(2, 0)));
        assert_eq!(admitted(half_open(2, 0), true), Err(Refusal::Indefinite));
        assert_eq!(admitted(half_open(0, 1), true), Ok(half_open(1, 1)));
        assert_eq!(admitted(half_open(1, 1), true), Err(Refusal::Indefinite));
    }

    #[test]
    fn every_mode_takes_a_success_as_it_should() {
        assert_eq!(word(7, CLOSED, 3).succeed(2), word(7, CLOSED, 0));
        assert_eq!(half_open(2, 0).succeed(2), half_open(1, 1));
        assert_eq!(half_open(1, 1).succeed(2), word(8, CLOSED, 0));
        for mode in [FORCED_CLOSED, OPEN, FORCED_OPEN] {
            assert_eq!(word(7, mode, 0).succeed(1), word(7, mode, 0));
        }
    }

    #[test]
    fn every_mode_takes_a_failure_as_it_should() {
        assert_eq!(word(7, CLOSED, 0).fail(3), word(7, CLOSED, 1));
        assert_eq!(word(7, CLOSED, 1).fail(3), word(7, CLOSED, 2));
        assert_eq!(word(7, CLOSED, 2).fail(3), word(8, OPEN, 0));
        assert_eq!(word(7, CLOSED, 0).fail(1), word(8, OPEN, 0));
        assert_eq!(half_open(2, 1).fail(3), word(8, OPEN, 0));
        for mode in [FORCED_CLOSED, OPEN, FORCED_OPEN] {
            assert_eq!(word(7, mode, 0).fail(1), word(7, mode, 0));
        }
    }

    #[test]
    fn only_a_probe_gives_a_slot_back() {
        assert_eq!(half_open(2, 1).release(), half_open(1, 1));
        for mode in [CLOSED, FORCED_CLOSED, OPEN, FORCED_OPEN] {
            assert_eq!(word(7, mode, 0).release(), word(7, mode, 0));
        }
    }

    #[test]
    fn an_operator_gets_to_every_state_from_every_other() {
        for mode in MODES {
            let now = word(7, mode, 1);
            assert_eq!(now.reset(), word(8, CLOSED, 0));
            let closed = if mode == FORCED_CLOSED { now } else { word(8, FORCED_CLOSED, 0) };
            assert_eq!(now.force_closed(), closed);
            let open = if mode == FORCED_OPEN { now } else { word(8, FORCED_OPEN, 0) };
            assert_eq!(now.force_open(), open);
        }
    }

    #[test]
    fn the_state_shown_is_open_until_the_time_is_over() {
        let shown = |mode, is_over| word(7, mode, 1).state(|| is_over);
        for is_over in [false, true] {
            assert_eq!(shown(CLOSED, is_over), CircuitState::Closed);
            assert_eq!(shown(FORCED_CLOSED, is_over), CircuitState::Closed);
            assert_eq!(shown(FORCED_OPEN, is_over), CircuitState::Open);
            assert_eq!(shown(HALF_OPEN, is_over), CircuitState::HalfOpen);
        }
        assert_eq!((shown(OPEN, false), shown(OPEN, true)), (CircuitState::Open, CircuitState::HalfOpen));
    }

    #[test]
    fn the_counts_stay_in_their_bits_at_their_limits() {
        let full = half_open(MOST_PROBES.into(), 0);
        assert_eq!(full.admit(MOST_PROBES, true), Err(Refusal::Indefinite));
        let mut probing = full;
        for succeeded in 1..MOST_PROBES {
            probing = probing.succeed(MOST_PROBES);
            assert_eq!(probing, half_open((MOST_PROBES - succeeded).into(), succeeded.into()));
        }
        assert_eq!(probing.succeed(MOST_PROBES), word(8, CLOSED, 0));
        let last = word(7, CLOSED, COUNTS - 1);
        assert_eq!(last.fail(MOST_FAILURES), word(8, OPEN, 0));
        assert_eq!(word(u32::MAX.into(), CLOSED, 0).reset(), Word::NEW);
    }
}
