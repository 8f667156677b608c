//! Pairs by the step in which they must be looked at again: a ring of lists, since steps are whole
//! numbers and lie within a bounded epoch. The lists share one piece of memory, so that no step has to
//! wait for more of it once that is as large as it gets.

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

/// The end of a list.
const NONE: u32 = u32::MAX;

/// The ring.
#[derive(Debug)]
pub(super) struct Calendar {
    /// The latest entry of each list.
    days: Vec<u32>,
    /// Entries, each with the one before it in its list.
    entries: Vec<(Entry, u32)>,
    /// The latest of those that are free.
    free: u32,
}

impl Default for Calendar {
    fn default() -> Self {
        Self { days: vec![NONE; STEPS_MAX as usize], entries: Vec::new(), free: NONE }
    }
}

impl Calendar {
    /// Makes room for so many entries.
    pub(super) fn reserve(&mut self, entries: usize) {
        self.entries.reserve(entries.saturating_sub(self.entries.len()));
    }

    /// To be looked at in a step, which is less than `STEPS_MAX` ahead.
    pub(super) fn put(&mut self, step: u64, entry: Entry) {
        let day = &mut self.days[(step % STEPS_MAX) as usize];
        let waits = (entry, *day);
        if let Some(free) = self.entries.get_mut(self.free as usize) {
            *day = std::mem::replace(&mut self.free, free.1);
            *free = waits;
        } else {
            *day = self.entries.len() as u32;
            self.entries.push(waits);
        }
    }

    /// Moves what is to be looked at in a step to the end of a list.
    pub(super) fn take(&mut self, step: u64, due: &mut Vec<Entry>) {
        let day = &mut self.days[(step % STEPS_MAX) as usize];
        let mut at = std::mem::replace(day, NONE);
        while let Some((entry, before)) = self.entries.get_mut(at as usize) {
            due.push(*entry);
            let next = std::mem::replace(before, self.free);
            self.free = std::mem::replace(&mut at, next);
        }
    }

    /// Forgets everything but keeps the memory: an epoch is followed by one like it.
    pub(super) fn clear(&mut self) {
        self.days.fill(NONE);
        self.entries.clear();
        self.free = NONE;
    }

    /// The memory held.
    pub(super) fn bytes(&self) -> usize {
        size_of::<(Entry, u32)>() * self.entries.capacity() + 4 * self.days.capacity()
    }
}
