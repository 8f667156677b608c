//! How much one job may do: a share of the work, and the deadline that all share.

use super::deadline::Deadline;
use std::cell::Cell;

/// Used by one job, on one thread; the rows it grants are then worked on by many.
pub(super) struct Limit<'a> {
    pub(super) deadline: &'a Deadline,
    work: Cell<u64>,
}

impl<'a> Limit<'a> {
    pub(super) fn new(deadline: &'a Deadline, work: u64) -> Self {
        Self { deadline, work: Cell::new(work) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::query::Budget;

    #[test]
    fn rows_are_granted_until_the_work_is_spent() {
        let deadline = Deadline::of(Budget::Unlimited);
        let limit = Limit::new(&deadline, 25);
        assert_eq!((limit.rows(2, 10), limit.rows(9, 2), limit.rows(9, 2)), (2, 2, 0));
        assert_eq!(limit.rows(5, 0), 5);
    }
}
