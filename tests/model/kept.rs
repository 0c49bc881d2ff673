//! Cases in which the runtime and the reference once differed, as simple as they got.

use crate::agrees::difference;
use crate::case::*;

const CALL: Call = Call {
    form: Form::Run,
    total: Some(10_000_000),
    per_attempt: Limit::Share,
    attempts: Some(3),
    backoff: Backoff::Default,
    factor: 2.0,
    max_backoff: None,
    min_attempt: None,
    margin: 0,
    idempotent: true,
    nested: false,
    deadline: None,
    on_give_up: true,
    breaker: true,
    throttle: true,
    script: Vec::new(),
};

const FAILS: Attempt = Attempt {
    asks_at_once: false,
    calls: Vec::new(),
    pause: 0,
    end: End::Error { transient: true, hint: None },
};

const HANGS: Attempt = Attempt { asks_at_once: false, calls: Vec::new(), pause: 0, end: End::Hang };

const INNER: Inner =
    Inner { pause: 0, call: CALL, scope: Scope::OfAttempt, held: Held::ToItsEnd, caught: false };

fn calls(inner: Inner, end: End) -> Attempt {
    Attempt { calls: vec![inner], end, ..FAILS }
}

#[track_caller]
fn agree(call: Call) {
    agree_on(Case { breaker: None, throttle: None, turns: vec![turn(call)] });
}

fn turn(call: Call) -> Turn {
    Turn { pause: 0, by_hand: None, call, cancelled: 30_000_000 }
}

/// In every form of the outermost calls.
#[track_caller]
fn agree_on(case: Case) {
    let mut case = case;
    for form in [Form::Run, Form::Typed, Form::Bare, Form::Fallback, Form::TypedKeys, Form::BareKeys] {
        for turn in &mut case.turns {
            turn.call.form = form;
        }
        if let Some(difference) = difference(&case) {
            panic!("{form:?}: {difference}");
        }
    }
}

#[test]
fn the_timer_of_a_shortened_wait_is_late() {
    let fails = Attempt { pause: 10_000, ..FAILS };
    agree(Call { total: Some(12_345), script: vec![fails], ..CALL });
}

#[test]
fn an_inner_call_is_forgotten_in_its_second_attempt() {
    for form in [Form::Run, Form::Typed] {
        let call = Call {
            form,
            backoff: Backoff::None,
            per_attempt: Limit::Of(10_000),
            script: vec![HANGS],
            ..CALL
        };
        let inner = Inner { call, held: Held::ForgottenAfter(15_000), ..INNER };
        agree(Call { script: vec![calls(inner, End::PassOn)], ..CALL });
    }
}

#[test]
fn an_inner_call_is_forgotten_in_the_wait_before_its_third_attempt() {
    for form in [Form::Run, Form::Typed] {
        let inner = Inner {
            call: Call { form, script: vec![FAILS], ..CALL },
            held: Held::ForgottenAfter(100_000),
            ..INNER
        };
        agree(Call { script: vec![calls(inner, End::PassOn)], ..CALL });
    }
}

#[test]
fn a_detached_call_is_cut_in_its_second_attempt() {
    let call = Call { per_attempt: Limit::Of(2_000_000), script: vec![HANGS], ..CALL };
    let inner = Inner { call, scope: Scope::Detached, ..INNER };
    agree(Call { script: vec![calls(inner, End::PassOn)], ..CALL });
}

#[test]
fn the_margin_of_an_inner_call_is_longer_than_what_is_left() {
    for deadline in [None, Some(1_000_000), Some(5_000_000)] {
        let call = Call { margin: 10_000_000, deadline, script: vec![FAILS], ..CALL };
        agree(Call { script: vec![calls(Inner { call, ..INNER }, End::PassOn)], ..CALL });
    }
}

#[test]
fn an_inner_call_passes_a_cut_on_after_a_value() {
    let call = Call { attempts: Some(1), script: vec![HANGS], ..CALL };
    let busy = Attempt { end: End::Value { worth_another: true, hint: None }, ..FAILS };
    agree(Call { script: vec![busy, calls(Inner { call, ..INNER }, End::PassOn)], ..CALL });
}

#[test]
fn a_panic_is_caught_after_a_give_up_inside_of_it() {
    for scope in [Scope::OfAttempt, Scope::Within(50_000), Scope::LimitedTo(50_000)] {
        let innermost = Inner { call: Call { backoff: Backoff::None, script: vec![FAILS], ..CALL }, ..INNER };
        let call = Call { script: vec![calls(innermost, End::Panic)], ..CALL };
        let inner = Inner { call, scope, caught: true, ..INNER };
        agree(Call { script: vec![calls(inner, End::Hang)], ..CALL });
    }
}

/// The call starts when the attempt around is over, under a deadline that was over even before.
#[test]
fn a_deadline_is_over_when_the_time_of_the_attempt_is_up() {
    let call = Call { deadline: Some(-1_000), script: vec![FAILS], ..CALL };
    let inner = Inner { pause: 500_000, call, ..INNER };
    agree(Call {
        total: Some(1_000_000),
        attempts: Some(2),
        script: vec![calls(inner, End::PassOn)],
        ..CALL
    });
}
