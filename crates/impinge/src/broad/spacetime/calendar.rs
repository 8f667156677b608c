//! Pairs by the step in which they must be looked at again: a ring of lists, since steps are whole
//! numbers and lie within a bounded epoch.

/// The longest epoch.
pub(super) const STEPS_MAX: u64 = 256;

/// Two bodies that may meet before the epoch ends. Good only while neither horn is made anew.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) a: u32,
    pub(super) b: u32,
    /// The sum of both bodies' versions when the entry was made; versions only rise.
    pub(super) stamp: u32,
    /// The low bits of the step from which on its time is worth working out again.
    pub(super) rest: u32,
}

/// The ring.
#[derive(Debug)]
pub(super) struct Calendar {
    days: Vec<Vec<Entry>>,
}

impl Default for Calendar {
    fn default() -> Self {
        Self { days: vec![Vec::new(); STEPS_MAX as usize] }
    }
}

impl Calendar {
    /// To be looked at in a step, which is less than `STEPS_MAX` ahead.
    pub(super) fn put(&mut self, step: u64, entry: Entry) {
        self.days[(step % STEPS_MAX) as usize].push(entry);
    }

    /// Moves what is to be looked at in a step to the end of a list.
    pub(super) fn take(&mut self, step: u64, due: &mut Vec<Entry>) {
        due.append(&mut self.days[(step % STEPS_MAX) as usize]);
    }

    /// Forgets everything. The lists keep their memory: an epoch is followed by one like it.
    pub(super) fn clear(&mut self) {
        self.days.iter_mut().for_each(Vec::clear);
    }

    /// The memory held.
    pub(super) fn bytes(&self) -> usize {
        let lists: usize = self.days.iter().map(Vec::capacity).sum();
        size_of::<Entry>() * lists + size_of::<Vec<Entry>>() * self.days.capacity()
    }
}
