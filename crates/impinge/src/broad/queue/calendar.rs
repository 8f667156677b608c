//! The priority queue: pairs by the step in which they must be looked at. As priorities are whole
//! steps and lie within a bounded horizon, a ring of lists serves, with O(1) for each operation and an
//! order that depends on nothing but the order of the calls.

/// The most steps that can be looked ahead.
pub(super) const HORIZON_MAX: u64 = 64;

/// A pair that waits. Good only while neither body got a new tube.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) a: u32,
    pub(super) b: u32,
    /// The sum of both bodies' versions when the entry was made; versions only rise.
    pub(super) stamp: u32,
}

/// The ring.
#[derive(Debug)]
pub(super) struct Calendar {
    days: Vec<Vec<Entry>>,
    held: usize,
}

impl Default for Calendar {
    fn default() -> Self {
        Self { days: vec![Vec::new(); HORIZON_MAX as usize], held: 0 }
    }
}

impl Calendar {
    /// To be looked at in a step, which is less than `HORIZON_MAX` ahead.
    pub(super) fn put(&mut self, step: u64, entry: Entry) {
        self.days[(step % HORIZON_MAX) as usize].push(entry);
        self.held += 1;
    }

    /// All that are to be looked at in a step.
    pub(super) fn take(&mut self, step: u64) -> Vec<Entry> {
        let day = std::mem::take(&mut self.days[(step % HORIZON_MAX) as usize]);
        self.held -= day.len();
        day
    }

    /// Forgets everything, and gives the memory back: the next horizon fills other lists.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// How many entries there are, good or not.
    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// The memory held.
    pub(super) fn bytes(&self) -> usize {
        let lists: usize = self.days.iter().map(Vec::capacity).sum();
        size_of::<Entry>() * lists + size_of::<Vec<Entry>>() * self.days.capacity()
    }
}
