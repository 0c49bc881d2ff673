//! The random numbers of the waits.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher, RandomState};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

thread_local! {
    /// One generator a thread, made when first needed: no lock, and no secrets, as these numbers only spread clients.
    static NUMBERS: RefCell<Option<SmallRng>> = const { RefCell::new(None) };
}

pub(crate) fn draw() -> u64 {
    NUMBERS.with_borrow_mut(|numbers| numbers.get_or_insert_with(seeded).next_u64())
}

/// From the keys of the standard library's hash maps: they come from the operating system, and differ in each thread
/// and process.
#[cold]
fn seeded() -> SmallRng {
    SmallRng::seed_from_u64(RandomState::new().build_hasher().finish())
}
