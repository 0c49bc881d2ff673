//! The retry budget that calls share, without the attribute: exact numbers, and the vectors of other budgets.

use retry_runtime::{RetryThrottle, ThrottledCall};
use tokio::time::{sleep, timeout};

use crate::support::{ms, secs};

/// Starts and ends so many calls that succeed at once.
fn successes(throttle: &RetryThrottle, count: u32) {
    for _ in 0..count {
        throttle.start().succeeded();
    }
}

/// As many retries as one call gets.
fn retries(call: &mut ThrottledCall<'_>) -> u32 {
    let mut count = 0;
    while let Some(retry) = call.try_retry() {
        retry.start();
        count += 1;
    }
    count
}

mod ratio {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn sixty_percent_of_eleven_calls_are_six_retries() {
        static THROTTLE: RetryThrottle = RetryThrottle::ratio(60, 0);
        successes(&THROTTLE, 10);
        assert_eq!(THROTTLE.available(), 6);
        assert_eq!(retries(&mut THROTTLE.start()), 6);
        assert_eq!(THROTTLE.available(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn no_ratio_is_rounded() {
        for percent in [1, 3, 7, 15, 20, 33, 34, 60, 66, 67, 99, 100, 101, 150, 333, 999, 1000] {
            let throttle = RetryThrottle::ratio(percent, 0);
            for calls in 1..=300 {
                successes(&throttle, 1);
                assert_eq!(throttle.available(), calls * percent / 100, "{percent} % of {calls}");
            }
        }
    }

    /// Finagle's own check of its budget, which allows one more or less; here it is exact.
    #[tokio::test(start_paused = true)]
    async fn ten_thousand_calls_have_their_share() {
        for (percent, min_per_second, expected) in [
            (0, 1, 10),
            (1, 0, 100),
            (10, 0, 1_000),
            (20, 10, 2_100),
            (25, 0, 2_500),
            (33, 0, 3_300),
            (50, 0, 5_000),
            (60, 0, 6_000),
            (75, 5, 7_550),
            (100, 0, 10_000),
            (250, 0, 25_000),
            (1000, 0, 100_000),
        ] {
            // All calls first, and a retry whenever there is one.
            let throttle = RetryThrottle::ratio(percent, min_per_second);
            successes(&throttle, 10_000);
            assert_eq!(
                retries(&mut throttle.start()),
                expected + percent / 100,
                "{percent}, {min_per_second}"
            );

            let throttle = RetryThrottle::ratio(percent, min_per_second);
            let made: u32 = (0..10_000).map(|_| retries(&mut throttle.start())).sum();
            assert_eq!(made, expected, "{percent}, {min_per_second}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn calls_spread_over_the_window_count_alike() {
        let throttle = RetryThrottle::ratio(20, 0);
        let mut made = 0;
        for _ in 0..10_000 {
            made += retries(&mut throttle.start());
            sleep(ms(1)).await; // ten seconds in all: the first slice goes at their end
        }
        assert_eq!((made, throttle.available()), (2_000, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn the_floor_alone_is_so_many_in_any_ten_seconds() {
        let throttle = RetryThrottle::ratio(0, 2);
        assert_eq!(throttle.available(), 20);
        assert_eq!(retries(&mut throttle.start()), 20);
        sleep(ms(9_999)).await;
        assert_eq!(throttle.available(), 0);
        sleep(ms(1)).await;
        assert_eq!(throttle.available(), 20);
    }

    #[tokio::test(start_paused = true)]
    async fn calls_and_retries_expire_with_their_slice() {
        let throttle = RetryThrottle::ratio(100, 0);
        successes(&throttle, 1); // slice 0
        sleep(ms(1_500)).await;
        successes(&throttle, 2); // slice 1
        sleep(ms(7_500)).await; // 9 s: slice 9
        successes(&throttle, 4);
        assert_eq!(throttle.available(), 7);
        sleep(ms(999)).await;
        assert_eq!(throttle.available(), 7);
        sleep(ms(1)).await; // 10 s: slice 0 goes
        assert_eq!(throttle.available(), 6);
        let mut call = throttle.start();
        assert_eq!(retries(&mut call), 7);
        sleep(ms(999)).await;
        assert_eq!(throttle.available(), 0);
        sleep(ms(1)).await; // 11 s: 2 calls go, 7 retries of 5 calls are too many, but made
        successes(&throttle, 2);
        assert_eq!(throttle.available(), 0);
        successes(&throttle, 1);
        assert_eq!(throttle.available(), 1);
        sleep(ms(9_000)).await; // 20 s: the 4 calls went at 19 s, the 7 retries and their call now
        assert_eq!(throttle.available(), 3);
        sleep(secs(1)).await;
        assert_eq!(throttle.available(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn slices_begin_with_the_first_call() {
        let throttle = RetryThrottle::ratio(0, 1);
        sleep(ms(700)).await;
        assert_eq!(throttle.available(), 10); // begins here
        assert_eq!(retries(&mut throttle.start()), 10);
        sleep(ms(9_999)).await;
        assert_eq!(throttle.available(), 0);
        sleep(ms(1)).await;
        assert_eq!(throttle.available(), 10);
    }

    #[tokio::test(start_paused = true)]
    async fn a_window_of_another_length_has_ten_slices_too() {
        for seconds in [1, 5, 60] {
            let throttle = RetryThrottle::ratio(50, 3).window(secs(seconds));
            let floor = 3 * seconds as u32;
            assert_eq!(throttle.available(), floor);
            successes(&throttle, 10);
            assert_eq!(throttle.available(), floor + 5);
            sleep(ms(seconds * 1_000 - 1)).await;
            assert_eq!(throttle.available(), floor + 5);
            sleep(ms(1)).await;
            assert_eq!(throttle.available(), floor);
        }
        // A floor of a part of a retry is kept exactly: 2.5 s with one a second are 2 retries, and a half.
        let throttle = RetryThrottle::ratio(50, 1).window(ms(2_500));
        assert_eq!(throttle.available(), 2);
        successes(&throttle, 1);
        assert_eq!(throttle.available(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_retry_given_back_is_there_for_others() {
        let throttle = RetryThrottle::ratio(0, 1).window(secs(1));
        let mut call = throttle.start();
        let retry = call.try_retry().expect("one a second");
        assert_eq!(throttle.available(), 0);
        assert!(throttle.start().try_retry().is_none());
        drop(retry);
        assert_eq!(throttle.available(), 1);
        call.try_retry().expect("it is back").start();
        assert_eq!(throttle.available(), 0);
        call.succeeded(); // made is made
        assert_eq!(throttle.available(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_retry_given_back_too_late_makes_no_room() {
        let throttle = RetryThrottle::ratio(0, 1).window(secs(1));
        let mut call = throttle.start();
        let retry = call.try_retry().expect("one a second");
        sleep(secs(1)).await;
        assert_eq!(retries(&mut throttle.start()), 1);
        drop(retry);
        assert_eq!(throttle.available(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_dropped_in_its_wait_gives_the_retry_back() {
        let throttle = RetryThrottle::ratio(0, 1).window(secs(1));
        let waiting = async {
            let mut call = throttle.start();
            let retry = call.try_retry().expect("one a second");
            sleep(secs(5)).await;
            retry.start();
        };
        assert!(timeout(ms(100), waiting).await.is_err());
        assert_eq!(throttle.available(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn far_more_than_a_number_holds_is_the_most() {
        let throttle = RetryThrottle::ratio(1000, u32::MAX).window(secs(60));
        assert_eq!(throttle.available(), u32::MAX);
        throttle.start().try_retry().expect("plenty").start();
    }
}

mod tokens {
    use super::*;

    /// One call: what each failure is followed by, and the tokens after each step.
    #[derive(Clone, Copy, Debug)]
    enum Then {
        /// It fails, and a retry is made; so many tokens are left.
        Retry(u32),
        /// The same, and the error carries a hint.
        HintedRetry(u32),
        /// It fails, and there is no retry.
        Stopped(u32),
        /// It fails, and no retry is asked for.
        Failed(u32),
        /// It succeeds.
        Succeeds(u32),
    }
    use Then::{Failed, HintedRetry, Retry, Stopped, Succeeds};

    /// How many tokens there are: a retry of one token more than that is refused.
    fn tokens(throttle: &RetryThrottle) -> u32 {
        let text = format!("{throttle:?}");
        let (_, tokens) = text.split_once(" tokens: ").expect("it says how many");
        tokens.split(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse().ok()).expect("a number")
    }

    fn play(throttle: &RetryThrottle, script: &[Then]) {
        let mut call = throttle.start();
        for (number, &step) in script.iter().enumerate() {
            let left = match step {
                Retry(left) => {
                    call.try_retry().unwrap_or_else(|| panic!("stopped at {number} of {script:?}")).start();
                    left
                }
                HintedRetry(left) => {
                    call.try_hinted_retry()
                        .unwrap_or_else(|| panic!("stopped at {number} of {script:?}"))
                        .start();
                    left
                }
                Stopped(left) => {
                    assert!(call.try_retry().is_none(), "not stopped at {number} of {script:?}");
                    left
                }
                Failed(left) => left,
                Succeeds(left) => {
                    assert_eq!(number + 1, script.len(), "a success is the end");
                    call.succeeded();
                    assert_eq!(tokens(throttle), left, "{script:?}");
                    return;
                }
            };
            assert_eq!(tokens(throttle), left, "after {number} of {script:?}");
        }
    }

    /// Each script is a call; all of them of one throttle.
    fn check(throttle: RetryThrottle, calls: &[&[Then]]) {
        for script in calls {
            play(&throttle, script);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn aws_standard_mode_with_the_old_costs() {
        let bucket = |capacity| RetryThrottle::tokens(capacity, 5, 1);
        check(bucket(500), &[&[Retry(495), Retry(490), Succeeds(495)]]);
        check(bucket(500), &[&[Retry(495), Retry(490), Failed(490)]]);
        check(bucket(5), &[&[Retry(0), Stopped(0)]]);
        check(bucket(500), &[&[Retry(495), Retry(490), Retry(485), Retry(480), Failed(480)]]);
        // Transient errors cost ten.
        check(RetryThrottle::tokens(100, 10, 1), &[&[Retry(90), Retry(80), Succeeds(90)]]);
        check(bucket(100).hint_cost(10), &[&[HintedRetry(90), HintedRetry(80), Succeeds(90)]]);
        // A success without a retry puts one back.
        check(bucket(500), &[&[Retry(495), Failed(495)], &[Succeeds(496)], &[Succeeds(497)]]);
        check(bucket(500), &[&[Succeeds(500)]]);
    }

    #[tokio::test(start_paused = true)]
    async fn aws_standard_mode_of_2026() {
        let bucket = |capacity| RetryThrottle::tokens(capacity, 14, 1);
        check(bucket(500), &[&[Retry(486), Retry(472), Succeeds(486)]]);
        check(bucket(500), &[&[Retry(486), Retry(472), Failed(472)]]);
        check(bucket(14), &[&[Retry(0), Stopped(0)]]);
        check(bucket(20), &[&[Retry(6), Stopped(6)]]);
        // An empty one.
        check(bucket(14), &[&[Retry(0), Failed(0)], &[Stopped(0)]]);
        check(bucket(30), &[&[Retry(16), Retry(2), Succeeds(16)], &[Retry(2), Succeeds(16)]]);
        // Throttled by the server.
        check(bucket(500).hint_cost(5), &[&[HintedRetry(495), Succeeds(500)]]);
        check(bucket(500), &[&[Retry(486), Retry(472), Retry(458), Retry(444), Failed(444)]]);
        check(bucket(500), &[&[Retry(486), Retry(472), Retry(458), Failed(458)]]);
        // The last retry says what comes back, whichever came before it.
        check(bucket(500).hint_cost(5), &[&[HintedRetry(495), Retry(481), Succeeds(495)]]);
        check(bucket(500).hint_cost(5), &[&[Retry(486), HintedRetry(481), Succeeds(486)]]);
    }

    /// gRPC: ten tokens, a tenth back for a success, no retry at half of them or less. It takes a token for every
    /// failure, and this rule one for every retry; so they agree until the first retry that is refused, and from a
    /// bucket in which only the upper half counts, in tenths, without the lowest one.
    #[tokio::test(start_paused = true)]
    async fn grpc_as_far_as_the_rule_goes() {
        check(
            RetryThrottle::tokens(49, 10, 1),
            &[
                &[Retry(39), Failed(39)],
                &[Retry(29), Failed(29)],
                &[Retry(19), Failed(19)],
                &[Retry(9), Failed(9)],
                &[Stopped(9)],
                &[Stopped(9)],
            ],
        );
    }

    #[tokio::test(start_paused = true)]
    async fn ten_successes_pay_for_a_retry_of_ten() {
        let throttle = RetryThrottle::tokens(10, 10, 1);
        assert_eq!(retries(&mut throttle.start()), 1);
        for count in 0..10 {
            assert_eq!((throttle.available(), tokens(&throttle)), (0, count));
            successes(&throttle, 1);
        }
        assert_eq!(throttle.available(), 1);
        successes(&throttle, 100);
        assert_eq!(tokens(&throttle), 10); // never above the capacity
        assert_eq!(retries(&mut throttle.start()), 1);
        let generous = RetryThrottle::tokens(10, 4, u32::MAX);
        assert_eq!(retries(&mut generous.start()), 2);
        successes(&generous, 1);
        assert_eq!(tokens(&generous), 10);
    }

    #[tokio::test(start_paused = true)]
    async fn time_changes_nothing() {
        let throttle = RetryThrottle::tokens(28, 14, 1);
        assert_eq!(retries(&mut throttle.start()), 2);
        sleep(secs(1_000_000)).await;
        assert_eq!(tokens(&throttle), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_retry_given_back_took_nothing() {
        let throttle = RetryThrottle::tokens(20, 14, 1).hint_cost(5);
        let mut call = throttle.start();
        drop(call.try_hinted_retry().expect("20 tokens"));
        assert_eq!(tokens(&throttle), 20);
        call.try_retry().expect("20 tokens").start();
        drop(call.try_hinted_retry().expect("6 tokens"));
        assert_eq!(tokens(&throttle), 6);
        // The last retry that was made is the first one.
        call.succeeded();
        assert_eq!(tokens(&throttle), 20);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_dropped_in_its_wait_gives_the_retry_back() {
        let throttle = RetryThrottle::tokens(14, 14, 1);
        let waiting = async {
            let mut call = throttle.start();
            let retry = call.try_retry().expect("14 tokens");
            sleep(secs(5)).await;
            retry.start();
        };
        assert!(timeout(ms(100), waiting).await.is_err());
        assert_eq!(tokens(&throttle), 14);
    }
}

#[test]
fn numbers_that_mean_nothing_are_refused() {
    fn refusal(make: fn() -> RetryThrottle) -> String {
        let panic = std::panic::catch_unwind(make).expect_err("refused");
        match panic.downcast::<&str>() {
            Ok(text) => (*text).to_owned(),
            Err(panic) => *panic.downcast::<String>().expect("a text"),
        }
    }
    for (make, text) in [
        (
            (|| RetryThrottle::ratio(1001, 10)) as fn() -> _,
            "`percent` must be at most 1000: ten retries a call",
        ),
        (
            || RetryThrottle::ratio(0, 0),
            "`percent` and `min_per_second` are both 0: there would never be a retry; use `attempts = 1`",
        ),
        (|| RetryThrottle::ratio(20, 10).window(ms(999)), "`window` must be from 1 to 60 seconds"),
        (|| RetryThrottle::ratio(20, 10).window(ms(60_001)), "`window` must be from 1 to 60 seconds"),
        (
            || RetryThrottle::tokens(5, 1, 1).window(secs(10)),
            "`window` is for `ratio`: a bucket of tokens knows no time",
        ),
        (|| RetryThrottle::tokens(0, 0, 1), "`capacity` must be at least 1: there would never be a retry"),
        (
            || RetryThrottle::tokens(5, 0, 1),
            "`cost` must be at least 1: retries that cost nothing are not throttled",
        ),
        (
            || RetryThrottle::tokens(5, 6, 1),
            "`cost` must be at most `capacity`: there would never be a retry",
        ),
        (|| RetryThrottle::tokens(5, 5, 0), "`refund` must be at least 1: the bucket would never fill again"),
        (
            || RetryThrottle::tokens(5, 5, 1).hint_cost(0),
            "`hint_cost` must be at least 1: retries that cost nothing are not throttled",
        ),
        (
            || RetryThrottle::tokens(5, 5, 1).hint_cost(6),
            "`hint_cost` must be at most `capacity`: there would never be a retry after a hint",
        ),
        (
            || RetryThrottle::ratio(20, 10).hint_cost(1),
            "`hint_cost` is for `tokens`: `ratio` counts every retry as one",
        ),
    ] {
        assert_eq!(refusal(make), text);
    }
    // The ends of what is allowed.
    _ = RetryThrottle::ratio(1000, 0).window(secs(1)).window(secs(60));
    _ = RetryThrottle::ratio(0, 10);
    _ = RetryThrottle::tokens(1, 1, 1).hint_cost(1);
    _ = RetryThrottle::tokens(u32::MAX, u32::MAX, u32::MAX).hint_cost(u32::MAX);
}

#[test]
fn it_shows_its_numbers() {
    assert_eq!(
        format!("{:?}", RetryThrottle::ratio(20, 10)),
        "RetryThrottle { percent: 20, min_per_second: 10, window: 10s, available: 100 }"
    );
    assert_eq!(
        format!("{:?}", RetryThrottle::tokens(500, 14, 1)),
        "RetryThrottle { capacity: 500, cost: 14, hint_cost: 14, refund: 1, tokens: 500, available: 35 }"
    );
}
