//! What users promise about bodies [H93], and when it does not hold: the table of a step has no promise
//! of a body whose way to where it is would say nothing about its velocity.

use crate::contract::bounds::Bounds;
use crate::contract::ids::Slot;
use crate::contract::promise::Promise;

/// By slot, and what changed since the last step. Costs nothing while nothing is promised.
#[derive(Debug, Default)]
pub(super) struct Promises {
    /// As long as the highest slot that a promise was made for.
    made: Vec<Option<Promise>>,
    /// Slots whose entries in the table may have to change with the next step.
    touched: Vec<Slot>,
    /// Slots without a way since the last step.
    jumped: Vec<Slot>,
}

impl Promises {
    /// From now on.
    pub(super) fn make(&mut self, slot: Slot, promise: Option<Promise>) {
        if promise.is_some() && self.made.len() <= slot.index() {
            self.made.resize(slot.index() + 1, None);
        }
        if let Some(made) = self.made.get_mut(slot.index()).filter(|made| **made != promise) {
            *made = promise;
            self.touched.push(slot);
        }
    }

    /// What holds of a slot.
    pub(super) fn of(&self, slot: Slot) -> Option<Promise> {
        self.made.get(slot.index()).copied().flatten()
    }

    /// The body got where it is, or what it is, by no way: the next step promises nothing of it.
    pub(super) fn suspend(&mut self, slot: Slot) {
        self.jumped.push(slot);
    }

    /// The same for all bodies, since the table is made for something else.
    pub(super) fn suspend_all(&mut self) {
        self.jumped.extend((0..self.made.len() as u32).map(Slot));
    }

    /// Brings the table up to date.
    pub(super) fn write(&mut self, bounds: &mut Bounds) {
        let Self { made, touched, jumped } = self;
        let Bounds { promise: column, promised, .. } = bounds;
        promised.clear();
        column.resize(made.len(), None);
        jumped.retain(|slot| slot.index() < made.len());
        jumped.sort_unstable();
        touched.extend_from_slice(jumped);
        touched.sort_unstable();
        touched.dedup();
        for &slot in &*touched {
            let holds = jumped.binary_search(&slot).is_err();
            let entry = made[slot.index()].filter(|_| holds);
            if column[slot.index()] != entry {
                column[slot.index()] = entry;
                promised.push(slot);
            }
        }
        // With the step after this one they hold again.
        touched.clear();
        touched.append(jumped);
    }
}
