//! A set of pairs with a list of them, for overlaps that are kept from step to step.
//!
//! The list is what is read, so that its order depends only on what was put in and taken out; the
//! table (open addressing, linear probing, no marks left behind by removal) only finds places in it.
//! Adding, removing and asking take O(1). 8 bytes per pair in the list and 8 to 16 in the table.

use crate::contract::answer::Progress;
use crate::contract::ids::Pair;

/// Pairs, each once.
#[derive(Debug, Default)]
pub(super) struct PairSet {
    list: Vec<Pair>,
    /// Places in the list plus one, 0 if free. A power of two of them, at most half of them taken.
    table: Vec<u32>,
}

impl PairSet {
    /// The most pairs it can hold: places must fit into the table.
    pub(super) const MOST: usize = 1 << 30;
    const FEWEST_CELLS: usize = 16;

    /// All pairs.
    pub(super) fn list(&self) -> &[Pair] {
        &self.list
    }

    /// The memory it holds.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Pair>() * self.list.capacity() + 4 * self.table.capacity()
    }

    /// Lets `fill` write a new list, in which each pair must be once and at most [`Self::MOST`].
    /// Forgets everything if that could not be completed.
    pub(super) fn refill(&mut self, fill: impl FnOnce(&mut Vec<Pair>) -> Progress) -> Progress {
        let progress = fill(&mut self.list);
        match progress {
            Progress::Complete => self.index_for(self.list.len()),
            Progress::Limit => *self = Self::default(),
        }
        progress
    }

    /// Leaves the pairs that `keep` says to keep, in their order.
    pub(super) fn retain(&mut self, keep: impl Fn(Pair) -> bool) {
        self.list.retain(|&pair| keep(pair));
        self.index_for(self.list.len());
    }

    /// Puts a pair in. False if it was there.
    pub(super) fn insert(&mut self, pair: Pair) -> bool {
        if 2 * (self.list.len() + 1) > self.table.len() {
            self.index_for(self.list.len() + 1);
        }
        let cell = self.cell_of(pair);
        if self.table[cell] != 0 {
            return false;
        }
        self.list.push(pair);
        self.table[cell] = self.list.len() as u32;
        true
    }

    /// Takes a pair out. False if it was not there.
    pub(super) fn remove(&mut self, pair: Pair) -> bool {
        let Some(&last) = self.list.last() else { return false };
        let cell = self.cell_of(pair);
        let place = self.table[cell];
        if place == 0 {
            return false;
        }
        // The last pair of the list takes the place.
        let last_cell = self.cell_of(last);
        self.table[last_cell] = place;
        self.list.swap_remove(place as usize - 1);
        self.free(cell);
        true
    }

    /// Makes the table anew, with room for that many pairs.
    fn index_for(&mut self, count: usize) {
        self.table.clear();
        self.table.resize((2 * count).next_power_of_two().max(Self::FEWEST_CELLS), 0);
        for place in 0..self.list.len() {
            let cell = self.cell_of(self.list[place]);
            self.table[cell] = place as u32 + 1;
        }
    }

    /// Where the pair is in the table, or would be put.
    #[inline]
    fn cell_of(&self, pair: Pair) -> usize {
        let last_cell = self.table.len() - 1;
        let mut cell = self.home(pair);
        // Ends, since half of the cells are free.
        while self.table[cell] != 0 && self.list[self.table[cell] as usize - 1] != pair {
            cell = (cell + 1) & last_cell;
        }
        cell
    }

    /// Where the search for a pair starts.
    #[inline]
    fn home(&self, pair: Pair) -> usize {
        let bits = u64::from(pair.a().0) << 32 | u64::from(pair.b().0);
        // Multiplied by 2⁶⁴ over the golden ratio; the upper bits are mixed best.
        let mixed = (bits ^ bits >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.table.len() - 1)
    }

    /// Frees a cell and moves those up that had to go past it.
    fn free(&mut self, mut hole: usize) {
        let last_cell = self.table.len() - 1;
        let mut cell = hole;
        loop {
            cell = (cell + 1) & last_cell;
            let place = self.table[cell];
            if place == 0 {
                break;
            }
            let home = self.home(self.list[place as usize - 1]);
            let from_home = cell.wrapping_sub(home) & last_cell;
            let from_hole = cell.wrapping_sub(hole) & last_cell;
            if from_home >= from_hole {
                self.table[hole] = place;
                hole = cell;
            }
        }
        self.table[hole] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::ids::Slot;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn pair([a, b]: [u32; 2]) -> Pair {
        Pair::new(Slot(a), Slot(b))
    }

    proptest! {
        #[test]
        fn behaves_like_a_set(
            changes in prop::collection::vec((any::<bool>(), [0u32..12, 0u32..12]), 0..600),
            first in prop::collection::btree_set([0u32..6, 6u32..12], 0..30),
            gone in 0u32..12,
        ) {
            let mut set = PairSet::default();
            let first: BTreeSet<Pair> = first.into_iter().map(pair).collect();
            set.refill(|list| {
                list.extend(&first);
                Progress::Complete
            });
            let mut expected = first;
            for (i, (put, ends)) in changes.into_iter().enumerate() {
                let pair = pair(ends);
                if put {
                    prop_assert_eq!(set.insert(pair), expected.insert(pair));
                } else {
                    prop_assert_eq!(set.remove(pair), expected.remove(&pair));
                }
                if i % 100 == 99 {
                    set.retain(|pair| pair.a().0 != gone);
                    expected.retain(|pair| pair.a().0 != gone);
                }
            }
            let listed: BTreeSet<Pair> = set.list().iter().copied().collect();
            prop_assert_eq!(set.list().len(), expected.len());
            prop_assert_eq!(listed, expected);
        }
    }

    #[test]
    fn a_list_that_is_not_complete_is_forgotten() {
        let mut set = PairSet::default();
        set.insert(pair([1, 2]));
        set.refill(|list| {
            list.extend([pair([3, 4]), pair([5, 6])]);
            Progress::Limit
        });
        assert!(set.list().is_empty() && set.bytes() == 0);
        assert!(!set.remove(pair([1, 2])) && set.insert(pair([1, 2])));
    }
}
