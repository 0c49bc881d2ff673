//! A value that counts its clones.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Debug)]
pub struct Counted {
    pub text: &'static str,
    clones: Clones,
}

/// How often one `Counted` and its clones were cloned.
#[derive(Clone, Debug, Default)]
pub struct Clones(Arc<AtomicU32>);

impl Clones {
    /// The clones since the last time somebody asked.
    pub fn take(&self) -> u32 {
        self.0.swap(0, Ordering::SeqCst)
    }
}

impl Counted {
    pub fn new(text: &'static str, clones: &Clones) -> Self {
        Self { text, clones: clones.clone() }
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.clones.0.fetch_add(1, Ordering::SeqCst);
        Self { text: self.text, clones: self.clones.clone() }
    }
}

impl PartialEq<str> for Counted {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}

impl From<Counted> for String {
    fn from(counted: Counted) -> Self {
        counted.text.to_owned()
    }
}
