//! What may be at most: ratios in this binary, so that they hold on any machine.

use crate::contestants::Contestant;
use crate::measures::allocations::Allocations;
use crate::measures::instructions::Instructions;
use crate::measures::sizes;
use crate::scenario::Scenario;
use crate::table::Table;

struct Promise {
    what: &'static str,
    measured: f64,
    /// A bound is meant as exactly as it is written, and what was measured is rounded to as many digits.
    at_most: &'static str,
    aim: &'static str,
}

/// A table of all, and how many are missed.
pub(crate) fn check(instructions: &Instructions, allocations: &Allocations) -> (Table, usize) {
    let ratio = |scenario, to| instructions.ratio(scenario, to);
    let allocated = |scenarios: &[Scenario]| allocations.most(scenarios);
    use Contestant::{HandLoop, Nested, Timeout};
    use Scenario::{FourRefusals, Poll, Ready, TimesOut, TwoRefusals, Yields};
    let promises = [
        Promise {
            what: "instructions, ready, to one timeout",
            measured: ratio(Ready, Timeout),
            at_most: "0.80",
            aim: "0.65",
        },
        Promise {
            what: "instructions, one yield, to one timeout",
            measured: ratio(Yields, Timeout),
            at_most: "1.05",
            aim: "1.02",
        },
        Promise {
            what: "instructions, one yield, to nested timeouts",
            measured: ratio(Yields, Nested),
            at_most: "0.82",
            aim: "0.82",
        },
        Promise {
            what: "instructions, further poll, to one timeout",
            measured: ratio(Poll, Timeout),
            at_most: "0.60",
            aim: "0.40",
        },
        Promise {
            what: "instructions, 2 failures, to the hand-written loop",
            measured: ratio(TwoRefusals, HandLoop),
            at_most: "1.20",
            aim: "0.60",
        },
        Promise {
            what: "instructions, 4 failures, to the hand-written loop",
            measured: ratio(FourRefusals, HandLoop),
            at_most: "1.0",
            aim: "0.90",
        },
        Promise {
            what: "allocations where no attempt fails",
            measured: allocated(&[Ready, Yields, Poll]),
            at_most: "0",
            aim: "0",
        },
        Promise {
            what: "allocations where attempts fail",
            measured: allocated(&[TwoRefusals, FourRefusals, TimesOut]),
            at_most: "2",
            aim: "1",
        },
        Promise {
            what: "bytes of the future beyond the operation's",
            measured: sizes::beyond_operation(Contestant::Attribute) as f64,
            at_most: "256",
            aim: "216",
        },
    ];
    let mut table = Table::new(&["#[retry]", "measured", "at most", "aim", ""]);
    let mut missed = 0;
    for Promise { what, measured, at_most, aim } in promises {
        // Not a number is a miss, too.
        let verdict = if is_within(measured, aim) {
            "aim reached"
        } else if is_within(measured, at_most) {
            "holds"
        } else {
            missed += 1;
            "MISSED"
        };
        table.row(vec![
            what.to_owned(),
            exact(measured),
            at_most.to_owned(),
            aim.to_owned(),
            verdict.to_owned(),
        ]);
    }
    (table, missed)
}

fn is_within(measured: f64, bound: &str) -> bool {
    let digits = bound.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let parse = |text: &str| text.parse::<f64>().expect("a number");
    parse(&format!("{measured:.digits$}")) <= parse(bound)
}

/// Enough digits to tell a ratio from its bound.
fn exact(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}
