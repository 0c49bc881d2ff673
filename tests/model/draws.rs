//! Chance that can be repeated and made smaller: whatever is drawn is a function of a list of numbers, and smaller
//! numbers make a simpler case.

/// Draws numbers, and keeps them.
pub(crate) struct Draws {
    state: u64,
    numbers: Vec<u64>,
    next: usize,
}

impl Draws {
    pub(crate) fn from_seed(seed: u64) -> Self {
        Self { state: seed, numbers: Vec::new(), next: 0 }
    }

    /// Draws these numbers, and zeros after them.
    fn repeated(numbers: Vec<u64>) -> Self {
        Self { state: 0, numbers, next: 0 }
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        if self.state != 0 {
            let number = self.random() % end as u64;
            self.numbers.push(number);
        }
        let number = self.numbers.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        (number as usize).min(end - 1)
    }

    /// One of these; the first is the simplest.
    pub(crate) fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// True in so many of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }

    /// SplitMix64.
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

/// The simplest case found that fails, and how it fails, from one that does.
pub(crate) fn shrink<T, E>(
    draws: &Draws,
    draw: impl Fn(&mut Draws) -> T,
    fails: impl Fn(&T) -> Option<E>,
) -> Option<(T, E)> {
    let attempt = |numbers: &[u64]| {
        let case = draw(&mut Draws::repeated(numbers.to_vec()));
        fails(&case).map(|error| (case, error))
    };
    let mut numbers = draws.numbers.clone();
    let mut simplest = attempt(&numbers)?;
    loop {
        let before = numbers.clone();
        for length in [32, 8, 4, 2, 1] {
            let mut at = 0;
            while at < numbers.len() {
                let mut shorter = numbers.clone();
                shorter.drain(at..(at + length).min(numbers.len()));
                match attempt(&shorter) {
                    Some(failed) => (simplest, numbers) = (failed, shorter),
                    None => at += 1,
                }
            }
        }
        for at in 0..numbers.len() {
            for smaller in [0, numbers[at] / 2, numbers[at].saturating_sub(1)] {
                if smaller < numbers[at] {
                    let mut simpler = numbers.clone();
                    simpler[at] = smaller;
                    if let Some(failed) = attempt(&simpler) {
                        (simplest, numbers) = (failed, simpler);
                    }
                }
            }
        }
        if numbers == before {
            return Some(simplest);
        }
    }
}

#[test]
fn what_is_drawn_is_repeated_and_shrinks_to_the_simplest() {
    let draw = |draws: &mut Draws| -> Vec<usize> {
        let length = draws.below(50);
        (0..length).map(|_| draws.below(1_000)).collect()
    };
    let fails =
        |numbers: &Vec<usize>| (numbers.iter().filter(|number| **number > 700).count() > 1).then_some(());
    let failed = (1..100).find_map(|seed| {
        let mut draws = Draws::from_seed(seed);
        fails(&draw(&mut draws))?;
        shrink(&draws, draw, fails)
    });
    assert_eq!(failed, Some((vec![701, 701], ())));
}
