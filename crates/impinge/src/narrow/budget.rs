//! How much engines may do: a deadline that all jobs share, and each job's own share of the work.

use crate::contract::job::{Batch, Job};
use crate::contract::query::Budget;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A point in time after which no more work is begun. Shared by all threads of one call.
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

    /// With so much time less, if there is one: what follows the work takes time, too.
    pub(super) fn sooner(&self, by: Duration) -> Self {
        let end = self.end.map(|end| end.checked_sub(by).unwrap_or(end));
        Self { end, passed: AtomicBool::new(false) }
    }

    /// Whether there is one.
    pub(super) fn is_set(&self) -> bool {
        self.end.is_some()
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

/// How much one job may do. Used on one thread; the rows it grants may be worked on by many.
#[derive(Debug)]
pub(super) struct Limit<'a> {
    pub(super) deadline: &'a Deadline,
    work: Cell<u64>,
}

impl<'a> Limit<'a> {
    pub(super) fn new(deadline: &'a Deadline, work: u64) -> Self {
        Self { deadline, work: Cell::new(work) }
    }

    /// The work that is left.
    pub(super) fn left(&self) -> u64 {
        self.work.get()
    }

    /// Takes away what was done.
    pub(super) fn spend(&self, work: u64) {
        self.work.set(self.work.get().saturating_sub(work));
    }

    /// Takes so much work; false, and all that was left is gone, if there is not so much.
    pub(super) fn take(&self, work: u64) -> bool {
        let left = self.work.get();
        self.work.set(left.saturating_sub(work));
        left >= work
    }

    /// How many of `rows` rows of `columns` pairs each can be paid for; they are.
    pub(super) fn rows(&self, rows: usize, columns: usize) -> usize {
        let left = self.work.get();
        let paid =
            left.checked_div(columns as u64).map_or(rows as u64, |most| most.min(rows as u64));
        self.work.set(left - paid * columns as u64);
        paid as usize
    }
}

/// The work that each job of a batch may do. What a job could need (`price`) is known beforehand and
/// set aside in the order of the jobs, so the same budget always does the same work.
pub(super) fn shares(batch: &Batch<'_>, price: impl Fn(&Job) -> u64) -> Vec<u64> {
    let Budget::Work(mut left) = batch.query.budget else {
        return vec![u64::MAX; batch.jobs.len()];
    };
    let share = |job: &Job| {
        let share = price(job).min(left);
        left -= share;
        share
    };
    batch.jobs.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_granted_until_the_work_is_spent() {
        let deadline = Deadline::of(Budget::Unlimited);
        let limit = Limit::new(&deadline, 25);
        assert_eq!((limit.rows(2, 10), limit.rows(9, 2), limit.rows(9, 2)), (2, 2, 0));
        assert_eq!(limit.rows(5, 0), 5);
        let limit = Limit::new(&deadline, 25);
        assert!(limit.take(20) && !limit.take(6) && !limit.take(1) && limit.take(0));
    }
}
