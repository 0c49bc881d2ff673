//! The runtime does what the reference says, in every case that is drawn.
//!
//! `MODEL_CASES` says how many cases, `MODEL_SEED` which; 10,000 of one seed unless they are set. A case that fails
//! is made as simple as it gets and printed: it belongs into `kept.rs`.

use crate::case::{Case, Event};
use crate::draws::{Draws, shrink};
use crate::{drawn, reference, subject};

pub(crate) fn number_of(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("the variable is a number"))
}

/// How the two differ.
pub(crate) fn difference(case: &Case) -> Option<String> {
    let trace = reference::expect(case)?;
    let real_trace = subject::play(case);
    if trace == real_trace {
        return None;
    }
    let same = trace.iter().zip(&real_trace).take_while(|(a, b)| a == b).count();
    let lines = |events: &[Event]| events.iter().map(|event| format!("{event:?}\n")).collect::<String>();
    Some(format!(
        "both:\n{}\nthen the reference:\n{}\nand the runtime:\n{}",
        lines(&trace[..same]),
        lines(&trace[same..]),
        lines(&real_trace[same..]),
    ))
}

/// Tries a third of the cases.
fn agree(depth: u32) {
    let (cases, seed) = (number_of("MODEL_CASES", 10_000), number_of("MODEL_SEED", 1));
    for number in 0..cases.div_ceil(3) {
        let mut draws = Draws::from_seed(((seed * 4 + u64::from(depth)) << 32) + number);
        let case = drawn::case(&mut draws, depth);
        if difference(&case).is_some() {
            let simplest = shrink(&draws, |draws| drawn::case(draws, depth), difference);
            let (case, difference) = simplest.expect("the same draws fail again");
            panic!("{case:#?}\n\n{difference}");
        }
    }
}

#[test]
fn for_calls_by_themselves() {
    agree(1);
}

#[test]
fn for_calls_in_calls() {
    agree(2);
}

#[test]
fn for_three_levels_of_calls() {
    agree(3);
}
