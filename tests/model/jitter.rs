//! With jitter on, waits cannot be foretold: their bounds and how they are spread are checked instead.
//!
//! The draws are new in every run, so each bound is one that fair draws break less than once in a million runs.

use std::cell::RefCell;
use std::time::Duration;

use retry_runtime::{Jitter, Policy, PolicyExt};
use retry_tests::ConnectionError;
use tokio::time::Instant;

use crate::subject::paused;

/// Attempts of one call: waits of 100 s, 200 s, 400 s, and 500 s at the cap. Long ones, as timers round to a
/// millisecond.
const ATTEMPTS: u32 = 6;
const BACKOFFS: [f64; 5] = [100.0, 200.0, 400.0, 500.0, 500.0];
const CALLS: usize = 1_500;

/// As far from the mean, in standard deviations, as nothing gets by chance.
const FAR: f64 = 5.5;

fn policy(jitter: Jitter) -> Policy {
    Policy::builder()
        .total(Duration::from_secs(86_400))
        .attempts(ATTEMPTS)
        .backoff(Duration::from_secs(100))
        .max_backoff(Duration::from_secs(500))
        .jitter(jitter)
        .build()
}

/// The waits of one call, in seconds.
async fn waits(policy: Policy, hint: Option<Duration>) -> Vec<f64> {
    let starts = RefCell::new(Vec::new());
    let run = policy.run(async || {
        starts.borrow_mut().push(Instant::now());
        Err::<(), _>(ConnectionError)
    });
    run.retry_after(|_| hint).await.unwrap_err();
    starts.into_inner().windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64()).collect()
}

/// Where in its range each wait of each call lies, from 0 to 1.
fn places(jitter: Jitter) -> Vec<Vec<f64>> {
    let lowest = if jitter == Jitter::Equal { 0.5 } else { 0.0 };
    let calls = paused(async {
        let mut calls = Vec::new();
        for _ in 0..CALLS {
            calls.push(waits(policy(jitter), None).await);
        }
        calls
    });
    for call in &calls {
        assert_eq!(call.len(), BACKOFFS.len());
        for (wait, backoff) in call.iter().zip(BACKOFFS) {
            // Never early, and late by the rounding of the timer.
            assert!((lowest * backoff..=backoff + 0.001).contains(wait), "{jitter:?}: {wait} of {backoff}");
        }
    }
    let place = |(wait, backoff): (&f64, f64)| (wait / backoff - lowest) / (1.0 - lowest);
    calls.iter().map(|call| call.iter().zip(BACKOFFS).map(place).collect()).collect()
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// Pearson's correlation: near 0 where the two have nothing to do with each other.
fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let (mean_one, mean_other) = (mean(one), mean(other));
    let pairs = || one.iter().zip(other).map(|(a, b)| (a - mean_one, b - mean_other));
    let squares = pairs().fold((0.0, 0.0), |sum, (a, b)| (sum.0 + a * a, sum.1 + b * b));
    pairs().map(|(a, b)| a * b).sum::<f64>() / (squares.0 * squares.1).sqrt()
}

fn assert_independent(one: &[f64], other: &[f64]) {
    let correlation = correlation(one, other);
    assert!(correlation.abs() < FAR / (one.len() as f64).sqrt(), "{correlation}");
}

/// Even: the right mean, and as many in each sixteenth of the range.
fn assert_even(places: &[f64]) {
    let count = places.len() as f64;
    let away = (mean(places) - 0.5) * (12.0 * count).sqrt();
    assert!(away.abs() < FAR, "the mean is {away} standard deviations away");
    let mut parts = [0.0; 16];
    for place in places {
        parts[((place * 16.0) as usize).min(15)] += 1.0;
    }
    let expected = count / 16.0;
    let chi_square: f64 = parts.iter().map(|part| (part - expected) * (part - expected) / expected).sum();
    // 15 degrees of freedom: above 60 once in some millions.
    assert!(chi_square < 62.0, "{chi_square}: {parts:?}");
    let (least, most) =
        places.iter().fold((1.0_f64, 0.0_f64), |(a, b), place| (a.min(*place), b.max(*place)));
    assert!(least < 0.02 && most > 0.98, "{least}..{most}");
}

fn column(calls: &[Vec<f64>], wait: usize) -> Vec<f64> {
    calls.iter().map(|call| call[wait]).collect()
}

#[test]
fn waits_are_spread_evenly_over_their_range_also_at_the_cap() {
    for jitter in [Jitter::Equal, Jitter::Full] {
        let calls = places(jitter);
        for wait in 0..BACKOFFS.len() {
            assert_even(&column(&calls, wait));
        }
    }
}

#[test]
fn a_wait_has_nothing_to_do_with_the_one_before_nor_with_that_of_the_call_before() {
    for jitter in [Jitter::Equal, Jitter::Full] {
        let calls = places(jitter);
        for wait in 1..BACKOFFS.len() {
            assert_independent(&column(&calls, wait - 1), &column(&calls, wait));
        }
        let first = column(&calls, 0);
        assert_independent(&first[1..], &first[..first.len() - 1]);
        assert_independent(&first[..CALLS / 2], &first[CALLS / 2..]);
    }
}

#[test]
fn tasks_and_threads_draw_differently() {
    const EACH: usize = 300;
    let of_a_thread = || {
        paused(async {
            let task = || {
                tokio::spawn(async {
                    let mut first = Vec::new();
                    for _ in 0..EACH {
                        let policy = policy(Jitter::Full).to_builder().attempts(2).build();
                        // Not `waits`: what it borrows may not go to another thread.
                        let start = Instant::now();
                        policy.run(async || Err::<(), _>(ConnectionError)).await.unwrap_err();
                        first.push(start.elapsed().as_secs_f64());
                    }
                    first
                })
            };
            let (one, other) = (task(), task());
            [one.await.expect("it does not panic"), other.await.expect("it does not panic")]
        })
    };
    let threads: Vec<_> = (0..3).map(|_| std::thread::spawn(of_a_thread)).collect();
    let tasks: Vec<_> =
        threads.into_iter().flat_map(|thread| thread.join().expect("it does not panic")).collect();
    for (number, one) in tasks.iter().enumerate() {
        for other in &tasks[..number] {
            assert_independent(one, other);
            // Nor the same draws a little later.
            let shared = one.iter().filter(|wait| other.contains(wait)).count();
            assert!(shared < EACH / 10, "{shared} waits are the same");
        }
    }
    assert_even(&tasks.concat().iter().map(|wait| wait / 100.0).collect::<Vec<_>>());
}

#[test]
fn a_hint_is_never_shortened_and_lengthened_evenly_by_up_to_a_tenth() {
    let hint = Duration::from_secs(1_000);
    let waits = paused(async {
        let mut waits_of_all = Vec::new();
        for _ in 0..CALLS / 2 {
            waits_of_all.extend(waits(policy(Jitter::Equal), Some(hint)).await);
        }
        waits_of_all
    });
    assert!(waits.iter().all(|wait| (1_000.0..=1_100.001).contains(wait)));
    assert_even(&waits.iter().map(|wait| (wait - 1_000.0) / 100.0).collect::<Vec<_>>());
}
