//! What needs times of its own making, or many threads: the window against a straight-line model, exact counts, and
//! what the session sees.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use tokio::time::Instant;

use super::reservation::{Reservation, Spent};
use super::{Grant, RetryThrottle};

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % end
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// The rule, written down once more: every call and every retry, with its slice.
struct Model {
    percent: u64,
    reserve: u64,
    calls: Vec<u64>,
    granted: Vec<u64>,
    returned: Vec<u64>,
}

impl Model {
    fn available(&self, now: u64) -> u64 {
        let count = |all: &[u64]| all.iter().filter(|&&slice| slice + 10 > now).count() as u64;
        let earned = self.reserve + self.percent * count(&self.calls) + 100 * count(&self.returned);
        earned.saturating_sub(100 * count(&self.granted)) / 100
    }
}

#[test]
fn the_window_agrees_with_a_model() {
    let (mut granted, mut refused, mut returned) = (0, 0, 0);
    for seed in 1..=400 {
        let mut random = Random(seed);
        let percent = random.pick(&[0, 1, 7, 20, 33, 60, 100, 250, 1000]);
        let min_per_second = random.pick(&[0, 0, 1, 3]).max(u32::from(percent == 0));
        let length = random.pick(&[1000, 2500, 10_000, 60_000]);
        let throttle = RetryThrottle::ratio(percent, min_per_second).window(ms(length));
        let mut model = Model {
            percent: u64::from(percent),
            reserve: u64::from(min_per_second) * length / 10,
            calls: Vec::new(),
            granted: Vec::new(),
            returned: Vec::new(),
        };
        let origin = Instant::now();
        let step = random.pick(&[1, 10, 50, 300]);
        let mut reserved: VecDeque<(u64, Reservation<'_>)> = VecDeque::new();
        let mut elapsed = 0;
        throttle.call(|| origin);
        model.calls.push(0);
        for number in 0..400 {
            elapsed += match random.below(20) {
                0 => random.below(length * 2),
                1..=9 => random.below(length / step + 1),
                _ => 0,
            };
            let (now, slice) = (origin + ms(elapsed), elapsed * 10 / length);
            let case = format!("seed {seed}, step {number}, {throttle:?}");
            match random.below(10) {
                0..=3 => {
                    throttle.call(|| now);
                    model.calls.push(slice);
                }
                4..=7 => {
                    let free = model.available(slice);
                    let reservation = throttle.reserve(false, || now);
                    assert_eq!(reservation.is_some(), free > 0, "{case}");
                    match reservation {
                        Some(reservation) => {
                            granted += 1;
                            model.granted.push(slice);
                            reserved.push_back((slice, reservation));
                        }
                        None => refused += 1,
                    }
                }
                8 => {
                    if let Some((_, reservation)) = reserved.pop_front() {
                        reservation.spend();
                    }
                }
                _ => {
                    // The oldest or the newest.
                    let all = &mut reserved;
                    let one = if random.below(2) == 0 { all.pop_front() } else { all.pop_back() };
                    if let Some((slice, reservation)) = one {
                        returned += 1;
                        drop(reservation);
                        model.returned.push(slice);
                    }
                }
            }
            assert_eq!(u64::from(throttle.available_at(|| now)), model.available(slice), "{case}");
        }
        for (_, reservation) in reserved {
            reservation.spend();
        }
    }
    // All of it was tried, and often.
    assert!(granted > 10_000 && refused > 10_000 && returned > 5_000, "{granted} {refused} {returned}");
}

#[test]
fn a_retry_given_back_after_its_slice_expired_makes_no_room() {
    let throttle = RetryThrottle::ratio(0, 1);
    let origin = Instant::now();
    let old = throttle.reserve(false, || origin).unwrap();
    for _ in 0..9 {
        throttle.reserve(false, || origin).unwrap().spend();
    }
    assert_eq!(throttle.available_at(|| origin + ms(9_999)), 0);
    assert_eq!(throttle.available_at(|| origin + ms(10_000)), 10);
    let later = origin + ms(10_000);
    for _ in 0..10 {
        throttle.reserve(false, || later).unwrap().spend();
    }
    drop(old);
    assert!(throttle.reserve(false, || later).is_none());
    // Nor when its slot has come round, with or without something in it.
    let old = throttle.reserve(false, || origin + ms(20_000)).unwrap();
    let later = origin + ms(36_000);
    for _ in 0..10 {
        throttle.reserve(false, || later).unwrap().spend();
    }
    drop(old);
    assert_eq!(throttle.available_at(|| later), 0);
}

#[test]
fn time_that_goes_back_stands_still() {
    let throttle = RetryThrottle::ratio(0, 1);
    let origin = Instant::now();
    throttle.call(|| origin + ms(5_000));
    for _ in 0..10 {
        throttle.reserve(false, || origin).unwrap().spend();
    }
    assert!(throttle.reserve(false, || origin).is_none());
    assert_eq!(throttle.available_at(|| origin), 0);
    // Slices begin with the first call: these ten are ten seconds old at 15 s.
    assert_eq!(throttle.available_at(|| origin + ms(14_999)), 0);
    assert_eq!(throttle.available_at(|| origin + ms(15_000)), 10);
    // Back from a later slice, too: these count as of 20 s.
    throttle.call(|| origin + ms(20_000));
    for _ in 0..10 {
        throttle.reserve(false, || origin + ms(7_000)).unwrap().spend();
    }
    assert!(throttle.reserve(false, || origin + ms(7_000)).is_none());
    assert_eq!(throttle.available_at(|| origin + ms(29_999)), 0);
    assert_eq!(throttle.available_at(|| origin + ms(30_000)), 10);
}

#[test]
fn time_far_away_is_a_time() {
    let throttle = RetryThrottle::ratio(0, 1).window(ms(1_000));
    let origin = Instant::now();
    throttle.call(|| origin);
    // The slices have 32 bits, which is 13 years here; then they end no more.
    for years in [1, 13, 14, 100, 500, 5_000_000_000] {
        let Some(later) = origin.checked_add(Duration::from_secs(years * 31_557_600)) else { continue };
        throttle.call(|| later);
        let retry = throttle.reserve(false, || later).unwrap();
        assert_eq!(throttle.available_at(|| later), 0, "{years}");
        drop(retry);
        assert_eq!(throttle.available_at(|| later), 1, "{years}");
    }
}

#[test]
fn a_bucket_takes_what_a_retry_costs_and_knows_it_afterwards() {
    let throttle = RetryThrottle::tokens(20, 14, 1).hint_cost(5);
    let never = || -> Instant { panic!("a bucket reads no clock") };
    throttle.call(never);
    let hinted = throttle.reserve(true, never).unwrap().spend();
    assert_eq!(hinted, Spent(Grant(5)));
    assert_eq!(throttle.reserve(false, never).unwrap().spend(), Spent(Grant(14)));
    assert!(throttle.reserve(true, never).is_none());
    throttle.succeeded(Some(hinted));
    assert!(throttle.reserve(false, never).is_none()); // 6
    drop(throttle.reserve(true, never).unwrap());
    throttle.reserve(true, never).unwrap().spend();
    assert!(throttle.reserve(true, never).is_none()); // 1
    throttle.succeeded(None);
    assert_eq!(throttle.available_at(never), 0);
}

#[test]
fn a_grant_kept_by_hand_comes_back_too() {
    for throttle in [RetryThrottle::ratio(0, 1).window(ms(1_000)), RetryThrottle::tokens(5, 5, 1)] {
        let now = Instant::now();
        for _ in 0..3 {
            let grant = throttle.grant(false, || now).unwrap();
            assert_eq!(throttle.grant(false, || now), None);
            throttle.give_back(grant);
        }
        assert_eq!(throttle.available_at(|| now), 1);
    }
}

/// Runs `work` in two threads that begin together.
fn both<T: Send>(work: impl Fn(u32) -> T + Sync) -> [T; 2] {
    let go = AtomicBool::new(false);
    thread::scope(|scope| {
        let [one, other] = [0, 1].map(|number| {
            let (work, go) = (&work, &go);
            scope.spawn(move || {
                while !go.load(SeqCst) {
                    std::hint::spin_loop();
                }
                work(number)
            })
        });
        go.store(true, SeqCst);
        [one.join().unwrap(), other.join().unwrap()]
    })
}

#[test]
fn two_threads_lose_no_call_and_no_retry() {
    const ROUNDS: u32 = 200_000;
    let throttle = RetryThrottle::ratio(50, 0);
    let origin = Instant::now();
    let granted = both(|_| {
        let mut granted = 0;
        for round in 0..ROUNDS {
            // Nine slices go by meanwhile.
            let now = origin + Duration::from_micros(u64::from(round) * 9_999_000 / u64::from(ROUNDS));
            throttle.call(|| now);
            if let Some(retry) = throttle.reserve(false, || now) {
                if round % 3 == 0 {
                    drop(retry);
                } else {
                    retry.spend();
                    granted += 1;
                }
            }
        }
        granted
    });
    let now = origin + ms(9_999);
    let made: u32 = granted.iter().sum();
    let left = throttle.available_at(|| now);
    assert_eq!(made + left, ROUNDS, "{granted:?}");
    for _ in 0..left {
        throttle.reserve(false, || now).unwrap().spend();
    }
    assert!(throttle.reserve(false, || now).is_none());
}

#[test]
fn two_threads_share_the_floor_of_every_window() {
    // Thirty windows; each has its ten retries, however the threads take turns at its edges.
    let throttle = RetryThrottle::ratio(0, 10).window(ms(1_000));
    let origin = Instant::now();
    let by_slice: Vec<AtomicU32> = (0..300).map(|_| AtomicU32::new(0)).collect();
    both(|_| {
        for millis in 0..30_000 {
            let now = origin + ms(millis);
            if let Some(grant) = throttle.grant(false, || now) {
                by_slice[grant.0 as usize].fetch_add(1, SeqCst);
            }
        }
    });
    let by_slice: Vec<u32> = by_slice.into_iter().map(AtomicU32::into_inner).collect();
    for window in by_slice.windows(10) {
        assert!(window.iter().sum::<u32>() <= 10, "{by_slice:?}");
    }
    assert_eq!(by_slice.iter().sum::<u32>(), 300, "{by_slice:?}");
}

#[test]
fn two_threads_lose_no_token() {
    const ROUNDS: u32 = 200_000;
    let throttle = RetryThrottle::tokens(u32::MAX, 3, 1);
    let taken = both(|_| {
        let mut taken = 0;
        for round in 0..ROUNDS {
            throttle.call(|| panic!("a bucket reads no clock"));
            let retry = throttle.reserve(false, || panic!("a bucket reads no clock")).unwrap();
            match round % 4 {
                0 => drop(retry),
                1 => {
                    let spent = retry.spend();
                    throttle.succeeded(Some(spent));
                }
                _ => {
                    retry.spend();
                    taken += 3;
                }
            }
        }
        taken
    });
    assert_eq!(taken, [ROUNDS / 2 * 3; 2]);
    assert_eq!(throttle.available(), (u32::MAX - ROUNDS * 3) / 3);
    // The last tokens: nobody gets more than there are.
    let small = RetryThrottle::tokens(1_001, 2, 1);
    let taken = both(|_| (0..ROUNDS).filter(|_| small.grant(false, Instant::now).is_some()).count());
    assert_eq!(taken.iter().sum::<usize>(), 500, "{taken:?}");
}

#[test]
fn what_is_kept_through_a_wait_can_move_between_threads() {
    fn is_send_and_small<T: Send>() -> usize {
        std::mem::size_of::<T>()
    }
    fn is_sync<T: Send + Sync + std::panic::RefUnwindSafe>() {}
    is_sync::<RetryThrottle>();
    assert_eq!(is_send_and_small::<Reservation<'_>>(), 2 * std::mem::size_of::<usize>());
    assert_eq!(is_send_and_small::<Spent>(), 4);
    is_send_and_small::<super::ThrottledCall<'_>>();
    is_send_and_small::<super::ReservedRetry<'_>>();
}

#[test]
fn what_a_thread_notes_of_one_throttle_is_not_taken_for_another() {
    let origin = Instant::now();
    // More than a thread notes, in turn.
    let throttles: Vec<_> =
        (1..=40).map(|seconds| RetryThrottle::ratio(100, 0).window(ms(seconds * 1_000))).collect();
    for tenth in 0..400 {
        let now = origin + ms(tenth * 100);
        for (number, throttle) in throttles.iter().enumerate() {
            throttle.call(|| now);
            // The slices have as many tenths of a second as the throttle has a number.
            let (length, past) = (number as u64 + 1, tenth + 1);
            let first = (tenth / length).saturating_sub(9) * length;
            assert_eq!(u64::from(throttle.available_at(|| now)), past - first, "{throttle:?}, {tenth}");
        }
    }
    // A new one in the place of an old one.
    let mut throttle = RetryThrottle::ratio(0, 1).window(ms(60_000));
    throttle.call(|| origin);
    assert_eq!(throttle.available_at(|| origin), 60);
    throttle = RetryThrottle::ratio(0, 1).window(ms(1_000));
    throttle.reserve(false, || origin).unwrap().spend();
    assert!(throttle.reserve(false, || origin + ms(999)).is_none());
    assert!(throttle.reserve(false, || origin + ms(1_000)).is_some());
}
