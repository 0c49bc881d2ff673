//! The attempts of a call that failed.

use crate::error::{AttemptOutcome, AttemptRecord};

/// How many attempts are kept of the beginning, and as many again of the end.
const KEPT: usize = 16;

/// How many need no allocation: most calls make no more.
const FEW: usize = 5;

/// The first 16 attempts and the last 16, in at most one allocation.
pub(crate) enum History {
    Few { len: usize, records: [AttemptRecord; FEW] },
    Many(Vec<AttemptRecord>),
}

impl History {
    #[inline]
    pub(crate) const fn new() -> Self {
        Self::Few { len: 0, records: [AttemptRecord::new(0, 0, 0, AttemptOutcome::Failed); FEW] }
    }

    /// `allowed` attempts are the most that there can be.
    #[inline]
    pub(crate) fn push(&mut self, record: AttemptRecord, allowed: Option<u32>) {
        if let Self::Few { len, records } = self {
            if let Some(free) = records.get_mut(*len) {
                *free = record;
                *len += 1;
                return;
            }
        }
        self.push_to_many(record, allowed);
    }

    #[cold]
    fn push_to_many(&mut self, record: AttemptRecord, allowed: Option<u32>) {
        if let Self::Few { records, .. } = self {
            let all = allowed.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
            let mut many = Vec::with_capacity(all.clamp(FEW + 1, 2 * KEPT));
            many.extend_from_slice(records);
            *self = Self::Many(many);
        }
        if let Self::Many(records) = self {
            if records.len() == 2 * KEPT {
                records.remove(KEPT);
            }
            records.push(record);
        }
    }

    pub(crate) fn as_slice(&self) -> &[AttemptRecord] {
        match self {
            Self::Few { len, records } => records.get(..*len).unwrap_or(records),
            Self::Many(records) => records,
        }
    }
}
