//! A point in time after which no more work is begun.

use crate::contract::query::Budget;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Shared by all threads of one call.
#[derive(Debug)]
pub(super) struct Deadline {
    end: Option<Instant>,
    passed: AtomicBool,
}

impl Deadline {
    /// From now on.
    pub(super) fn of(budget: Budget) -> Self {
        let end = match budget {
            Budget::Time(duration) => Instant::now().checked_add(duration),
            Budget::Unlimited | Budget::Work(_) => None,
        };
        Self { end, passed: AtomicBool::new(false) }
    }

    /// Whether to stop. Once it said so, it does not change its mind.
    pub(super) fn is_over(&self) -> bool {
        let Some(end) = self.end else { return false };
        if self.passed.load(Ordering::Relaxed) {
            return true;
        }
        let over = Instant::now() >= end;
        if over {
            self.passed.store(true, Ordering::Relaxed);
        }
        over
    }
}
