//! Every order in which two threads can take turns. The model counts two slices, in four slots.

use ::loom::model;
use ::loom::sync::Arc;
use ::loom::thread;

use super::bucket::Bucket;
use super::ledger::{Ledger, Sum};

/// A thread that has come to this slice asks for a retry, of a budget of so many in a window.
fn grant(ledger: &Ledger, slice: u32, budget: u64) -> Option<u32> {
    ledger.turn(slice);
    ledger.grant(|sum| sum.granted < budget + sum.returned)
}

#[test]
fn of_two_threads_after_the_last_retry_one_gets_it() {
    for (one, other) in [(0, 0), (0, 1), (1, 1), (1, 0)] {
        model(move || {
            let ledger = Arc::new(Ledger::new());
            assert_eq!(grant(&ledger, 0, 2), Some(0));
            let theirs = Arc::clone(&ledger);
            let thread = thread::spawn(move || grant(&theirs, other, 2));
            let granted = [grant(&ledger, one, 2), thread.join().unwrap()];
            assert_eq!(granted.iter().flatten().count(), 1, "{granted:?}");
            assert_eq!(ledger.sum_at(1), Sum { calls: 0, granted: 2, returned: 0 });
        });
    }
}

#[test]
fn no_window_has_too_many_wherever_the_slices_turn() {
    // The slices that the two threads see; the last ones use the place of slice 0 again.
    for (mine, theirs) in [(1, [0, 1]), (0, [1, 1]), (0, [0, 1]), (3, [0, 4]), (0, [4, 4])] {
        model(move || {
            let ledger = Arc::new(Ledger::new());
            let before = grant(&ledger, 0, 2);
            let thread = {
                let ledger = Arc::clone(&ledger);
                thread::spawn(move || theirs.map(|slice| grant(&ledger, slice, 2)))
            };
            let granted = grant(&ledger, mine, 2);
            let granted = [before, granted].into_iter().chain(thread.join().unwrap());
            let granted: Vec<u32> = granted.flatten().collect();
            assert!(granted.len() >= 2, "{granted:?}");
            for end in 0..6 {
                let counted = granted.iter().filter(|&&slice| slice == end || slice + 1 == end).count();
                assert!(counted <= 2, "{granted:?}");
            }
            let last = ledger.slice();
            let counted = granted.iter().filter(|&&slice| slice + 1 >= last).count();
            assert_eq!(ledger.sum_at(last).granted, counted as u64, "{granted:?}");
        });
    }
}

#[test]
fn a_slice_that_turns_takes_no_retry_away() {
    model(|| {
        let ledger = Arc::new(Ledger::new());
        assert_eq!(grant(&ledger, 0, 2), Some(0));
        let thread = {
            let ledger = Arc::clone(&ledger);
            thread::spawn(move || ledger.turn(1))
        };
        let granted = grant(&ledger, 0, 2);
        assert!(granted == Some(0) || granted == Some(1), "{granted:?}");
        assert_eq!(thread.join().unwrap(), 1);
        assert_eq!(ledger.sum_at(1).granted, 2);
    });
}

#[test]
fn no_call_is_lost() {
    for (one, other) in [(0, 0), (0, 1)] {
        model(move || {
            let ledger = Arc::new(Ledger::new());
            let thread = {
                let ledger = Arc::clone(&ledger);
                thread::spawn(move || ledger.call(ledger.turn(other)))
            };
            ledger.call(ledger.turn(one));
            thread.join().unwrap();
            assert_eq!(ledger.sum_at(1).calls, 2);
        });
    }
}

#[test]
fn a_call_of_long_ago_counts_no_more() {
    model(|| {
        let ledger = Arc::new(Ledger::new());
        let slow = ledger.turn(0);
        let thread = {
            let ledger = Arc::clone(&ledger);
            thread::spawn(move || ledger.call(ledger.turn(4)))
        };
        ledger.call(slow);
        thread.join().unwrap();
        assert_eq!(ledger.sum_at(4).calls, 1);
    });
}

#[test]
fn a_retry_that_comes_back_is_granted_once_more() {
    for other in [0, 1] {
        model(move || {
            let ledger = Arc::new(Ledger::new());
            let mine = grant(&ledger, 0, 1).unwrap();
            let thread = {
                let ledger = Arc::clone(&ledger);
                thread::spawn(move || {
                    let first = grant(&ledger, other, 1);
                    (first, grant(&ledger, other, 1))
                })
            };
            ledger.give_back(mine);
            let (first, second) = thread.join().unwrap();
            assert!(first.is_none() || second.is_none());
            let late = grant(&ledger, other, 1);
            assert_eq!([first, second, late].iter().flatten().count(), 1);
        });
    }
}

#[test]
fn a_retry_that_comes_back_late_makes_no_room() {
    model(|| {
        let ledger = Arc::new(Ledger::new());
        let old = grant(&ledger, 0, 1).unwrap();
        let thread = {
            let ledger = Arc::clone(&ledger);
            thread::spawn(move || [grant(&ledger, 4, 1), grant(&ledger, 4, 1)])
        };
        ledger.give_back(old);
        assert_eq!(thread.join().unwrap(), [Some(4), None]);
        assert_eq!(ledger.sum_at(4), Sum { calls: 0, granted: 1, returned: 0 });
    });
}

#[test]
fn a_bucket_counts_exactly() {
    model(|| {
        let bucket = Arc::new(Bucket::new(10, 4, 4, 1));
        let thread = {
            let bucket = Arc::clone(&bucket);
            thread::spawn(move || {
                let taken = bucket.take(false);
                bucket.put(1);
                taken.is_some()
            })
        };
        let taken = [bucket.take(false), bucket.take(false)].map(|taken| taken.is_some());
        let theirs = thread.join().unwrap();
        // 10 tokens, and perhaps an eleventh.
        let count = taken.into_iter().chain([theirs]).filter(|taken| *taken).count() as u64;
        assert_eq!(count, 2);
        assert!([2, 3].contains(&bucket.tokens()), "{}", bucket.tokens());
    });
}
