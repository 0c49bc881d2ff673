//! Draws cases. The first choice is the simplest each time.

use crate::case::*;
use crate::draws::Draws;

const MS: i64 = 1_000;

/// A case whose calls are nested up to this depth; 1: there is no inner call.
pub(crate) fn case(draws: &mut Draws, depth: u32) -> Case {
    let breaker = draws.chance(45).then(|| breaker(draws));
    let throttle = draws.chance(45).then(|| throttle(draws));
    let shared = breaker.is_some() || throttle.is_some();
    let turns = if shared { 1 + draws.below(5) } else { 1 };
    let turns = (0..turns).map(|_| turn(draws, depth)).collect();
    Case { breaker, throttle, turns }
}

fn turn(draws: &mut Draws, depth: u32) -> Turn {
    let pause = draws.pick(&[0, 0, 0, 10, 1, 50, 100, 333, 1_000, 1_700, 10_000, 60_000]) * MS;
    let by_hand = draws.chance(10).then(|| draws.pick(&[Hand::Reset, Hand::Open, Hand::Close]));
    let call = call(draws, depth);
    // Later than all that ends by itself, but for a tenth of them.
    let cancelled = if draws.chance(10) {
        draws.pick(&[1_000, 333, 200, 150, 100, 50, 20, 7, 1]) * MS
    } else {
        30_000 * MS
    };
    Turn { pause, by_hand, call, cancelled }
}

fn breaker(draws: &mut Draws) -> Breaker {
    let rule = if draws.chance(50) {
        Opens::Rate {
            percent: draws.pick(&[50, 100, 1, 34, 67]),
            minimum_calls: draws.pick(&[2, 1, 3, 5, 10]),
            window: draws.pick(&[10_000, 1_000, 100, 500, 60_000]) * MS,
        }
    } else {
        Opens::Consecutive { failures: draws.pick(&[2, 1, 3, 5, 8]) }
    };
    let open_for = draws.pick(&[1_000_000, 100_000, 10_000, 1_000, 50_000, 333_400, 5_000_000, 60_000_000]);
    Breaker { rule, open_for, probes: draws.pick(&[1, 1, 2, 3]) }
}

fn throttle(draws: &mut Draws) -> Throttle {
    if draws.chance(50) {
        let percent = draws.pick(&[20, 100, 0, 60, 250, 1_000]);
        let min_per_second = draws.pick(&[1, 0, 0, 2, 10]);
        let window = draws.chance(60).then(|| draws.pick(&[1_000, 2_500, 1_001, 60_000]) * MS);
        // Both zero is refused.
        Throttle::Ratio { percent, min_per_second: min_per_second.max(u32::from(percent == 0)), window }
    } else {
        let capacity = draws.pick(&[10, 1, 3, 30, 500]);
        let cost = draws.pick(&[1, 5, 14, 2]).min(capacity);
        let hint_cost = draws.chance(40).then(|| draws.pick(&[1, 5, 14]).min(capacity));
        Throttle::Tokens { capacity, cost, refund: draws.pick(&[1, 2, 20]), hint_cost }
    }
}

fn call(draws: &mut Draws, depth: u32) -> Call {
    let form =
        draws.pick(&[Form::Run, Form::Typed, Form::Bare, Form::Fallback, Form::TypedKeys, Form::BareKeys]);
    let total = match draws.below(20) {
        0..=8 => Some(draws.pick(&[10_000, 1_000, 2_000]) * MS),
        9..=15 => Some(draws.pick(&[500, 777, 180, 100, 50]) * MS),
        16 => Some(draws.pick(&[10, 3, 2, 1, 0]) * MS),
        17 => Some(draws.pick(&[12_345, 1_500, 999, 1])),
        _ => None,
    };
    let per_attempt = match draws.below(8) {
        0..=2 => Limit::Share,
        3 => Limit::None,
        4 => Limit::Of(draws.pick(&[30_000_000, 1, 500, 7_777, 0])),
        _ => Limit::Of(draws.pick(&[100, 200, 20, 5, 1, 333]) * MS),
    };
    // Not so many that a call without a wait has to let other tasks have their turn.
    let attempts = draws.pick(&[3, 1, 2, 4, 5, 7, 20, 40, 0, -1]);
    let attempts = u32::try_from(attempts).ok();
    let backoff = match draws.below(4) {
        0 => Backoff::Default,
        1 if attempts.is_some() => Backoff::None,
        _ => Backoff::Of(
            draws.pick(&[10_000, 50_000, 1_000, 20_000, 100_000, 333_000, 700_000, 999_000, 7_000_000, 500]),
        ),
    };
    let factor = draws.pick(&[2.0, 1.0, 1.5, 3.0, 0.0, f64::INFINITY]);
    let max_backoff =
        draws.chance(30).then(|| draws.pick(&[100_000, 10_000, 50_000, 400_000, 1_000_000, 1_500]));
    let min_attempt = draws.chance(25).then(|| draws.pick(&[10, 0, 1, 5, 25, 100, 300, 5_000]) * MS);
    let margin =
        if draws.chance(20) { draws.pick(&[10, 1, 5, 20, 50, 150, 400, 1_000_000_000]) * MS } else { 0 };
    let idempotent = !draws.chance(15);
    let nested = draws.chance(20);
    let deadline = draws
        .chance(20)
        .then(|| draws.pick(&[100, 1, 10, 30, 0, 200, 450, 1_000, 5_000, 100_000, -1, -50]) * MS);
    let on_give_up = !draws.chance(20);
    let (breaker, throttle) = (!draws.chance(20), !draws.chance(20));
    let script = (0..=draws.below(4)).map(|_| attempt(draws, depth)).collect();
    Call {
        form,
        total,
        per_attempt,
        attempts,
        backoff,
        factor,
        max_backoff,
        min_attempt,
        margin,
        idempotent,
        nested,
        deadline,
        on_give_up,
        breaker,
        throttle,
        script,
    }
}

fn attempt(draws: &mut Draws, depth: u32) -> Attempt {
    let calls = if depth > 1 { draws.pick(&[0, 1, 1, 2]) } else { 0 };
    let calls: Vec<_> = (0..calls).map(|_| inner(draws, depth - 1)).collect();
    let pause = pause(draws);
    let end = match draws.below(if calls.is_empty() { 10 } else { 20 }) {
        0..=3 => End::Error { transient: true, hint: hint(draws) },
        4 => End::Error { transient: false, hint: hint(draws) },
        5 => End::Value { worth_another: false, hint: None },
        6 | 7 => End::Value { worth_another: true, hint: hint(draws) },
        8 => End::Hang,
        9 if draws.chance(50) => End::Panic,
        9 => End::Hang,
        _ => End::PassOn,
    };
    Attempt { asks_at_once: draws.chance(50), calls, pause, end }
}

fn inner(draws: &mut Draws, depth: u32) -> Inner {
    let pause = pause(draws);
    let call = call(draws, depth);
    let time = |draws: &mut Draws| draws.pick(&[25, 1, 5, 50, 100, 200, 333, 1_000]) * MS;
    let scope = match draws.below(10) {
        0..=6 => Scope::OfAttempt,
        7 => Scope::Detached,
        8 => Scope::Within(time(draws)),
        _ => Scope::LimitedTo(time(draws)),
    };
    let held = match draws.below(10) {
        0..=6 => Held::ToItsEnd,
        7 => Held::DroppedAfter(time(draws)),
        _ => Held::ForgottenAfter(time(draws)),
    };
    Inner { pause, call, scope, held, caught: draws.chance(50) }
}

fn pause(draws: &mut Draws) -> i64 {
    if draws.chance(50) {
        return 0;
    }
    draws.pick(&[10, 1, 7, 20, 50, 99, 100, 200, 333, 500, 1_000]) * MS + draws.pick(&[0, 0, 0, 400])
}

fn hint(draws: &mut Draws) -> Option<i64> {
    draws.chance(35).then(|| draws.pick(&[30, 0, 1, 70, 150, 333, 900, 2_000, 3_600_000]) * MS)
}
