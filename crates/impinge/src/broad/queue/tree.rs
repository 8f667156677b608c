//! Boxes in a packed tree of eight children per node: who overlaps a box?
//!
//! Bodies are sorted by size class, then along a Morton curve, and every eight neighbours share a
//! node; classes keep one large body from blowing up the nodes of many small ones. A box that
//! changes a little is updated in place; one that jumps goes to a list that every query reads, until
//! the tree is built anew. Building O(n log n), a query O(log n + found) for well spread boxes,
//! 35 bytes per body.

use impinge_geom::aabb::{Aabb32, overlap};

/// Children per node.
const FAN: usize = 8;
/// No slot, or no place.
const NONE: u32 = u32::MAX;
/// Places from here on are those in the list of bodies without a place in the tree.
const LATE: u32 = 1 << 31;
/// So many looks into that list cost as much as building the tree, per body of the tree.
const LOOKS_PER_BODY: usize = 64;
const EMPTY: Aabb32 = {
    let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
    [low, low, low, high, high, high]
};

/// The tree.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Slots in the order of their places; `NONE` where a body has gone.
    order: Vec<u32>,
    /// By slot: its place, or `NONE`.
    place: Vec<u32>,
    /// The boxes of all levels, that of the bodies first.
    boxes: Vec<Aabb32>,
    /// Where each level begins in `boxes`, and the end.
    starts: Vec<usize>,
    /// Bodies without a place.
    late: Vec<(u32, Aabb32)>,
}

/// Nodes that a query has yet to look into: level and index.
pub(super) type Stack = Vec<(u32, u32)>;

/// What a query asks for: boxes that overlap this one, at a place from `after` on or without one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) aabb: Aabb32,
    pub(super) after: usize,
}

impl Tree {
    /// Builds the tree of some slots, with the box of each.
    pub(super) fn build(&mut self, slots: usize, boxes: impl Iterator<Item = (u32, Aabb32)>) {
        let mut entries: Vec<(u64, u32, Aabb32)> = boxes.map(|(s, aabb)| (0, s, aabb)).collect();
        sort(&mut entries);
        self.late.clear();
        self.order.clear();
        self.order.extend(entries.iter().map(|entry| entry.1));
        self.place.clear();
        self.place.resize(slots, NONE);
        for (place, &slot) in self.order.iter().enumerate() {
            self.place[slot as usize] = place as u32;
        }
        self.boxes.clear();
        self.boxes.extend(entries.iter().map(|entry| entry.2));
        self.starts.clear();
        self.starts.extend([0, self.boxes.len()]);
        let mut level = 0..self.boxes.len();
        while level.len() > FAN {
            for first in level.clone().step_by(FAN) {
                let node = union(&self.boxes[first..level.end.min(first + FAN)]);
                self.boxes.push(node);
            }
            level = level.end..self.boxes.len();
            self.starts.push(self.boxes.len());
        }
    }

    /// The slot at a place, unless it has gone.
    pub(super) fn slot_at(&self, place: usize) -> Option<u32> {
        Some(self.order[place]).filter(|&slot| slot != NONE)
    }

    /// How many places there are.
    pub(super) fn places(&self) -> usize {
        self.order.len()
    }

    /// Builds the tree anew if the list of those without a place has become too long for so many
    /// queries.
    pub(super) fn mend(&mut self, queries: usize) {
        let looks = self.late.len().saturating_mul(queries);
        let short = self.late.len() <= 32 + self.order.len() / 64;
        if short && looks <= LOOKS_PER_BODY * (self.order.len() + 32) {
            return;
        }
        let placed = self.order.iter().zip(&self.boxes).map(|(&slot, aabb)| (slot, *aabb));
        let placed = placed.filter(|entry| entry.0 != NONE);
        let entries: Vec<_> = placed.chain(self.late.iter().copied()).collect();
        self.build(self.place.len(), entries.into_iter());
    }

    /// Gives a slot a box, new or not.
    pub(super) fn set(&mut self, slot: u32, aabb: Aabb32) {
        let place = self.place.get(slot as usize).copied().unwrap_or(NONE);
        if place < LATE && overlap(&self.boxes[place as usize], &aabb) {
            self.replace(place as usize, aabb);
            return;
        }
        self.remove(slot);
        self.place.resize(self.place.len().max(slot as usize + 1), NONE);
        self.place[slot as usize] = LATE + self.late.len() as u32;
        self.late.push((slot, aabb));
    }

    /// Takes a slot out, if it is in.
    pub(super) fn remove(&mut self, slot: u32) {
        let Some(place) = self.place.get_mut(slot as usize) else { return };
        match std::mem::replace(place, NONE) {
            NONE => {}
            late if late >= LATE => {
                let index = (late - LATE) as usize;
                self.late.swap_remove(index);
                if let Some((moved, _)) = self.late.get(index) {
                    self.place[*moved as usize] = late;
                }
            }
            place => {
                self.order[place as usize] = NONE;
                self.replace(place as usize, EMPTY);
            }
        }
    }

    fn replace(&mut self, place: usize, aabb: Aabb32) {
        self.boxes[place] = aabb;
        let mut index = place;
        for level in 1..self.starts.len() - 1 {
            index /= FAN;
            let (below, end) = (self.starts[level - 1], self.starts[level]);
            let first = below + index * FAN;
            let node = union(&self.boxes[first..end.min(first + FAN)]);
            self.boxes[end + index] = node;
        }
    }

    /// Names every slot that the window asks for.
    #[inline]
    pub(super) fn query(&self, window: &Window, stack: &mut Stack, mut found: impl FnMut(u32)) {
        for (slot, aabb) in &self.late {
            if overlap(&window.aabb, aabb) {
                found(*slot);
            }
        }
        stack.clear();
        let top = self.starts.len().saturating_sub(2);
        self.look(window, (top as u32, 0), stack);
        while let Some((level, index)) = stack.pop() {
            if level > 0 {
                self.look(window, (level - 1, index * FAN as u32), stack);
            } else if let Some(slot) = self.slot_at(index as usize) {
                found(slot);
            }
        }
    }

    /// Puts those of up to eight nodes on the stack that the window asks for.
    #[inline]
    fn look(&self, window: &Window, first: (u32, u32), stack: &mut Stack) {
        let (level, index) = (first.0 as usize, first.1 as usize);
        let Some(&end) = self.starts.get(level + 1) else { return };
        let start = self.starts[level];
        // A node holds FAN to the power of its level places.
        let skip = (window.after >> (FAN.ilog2() as usize * level)).max(index);
        let (from, to) = (start + skip, end.min(start + index + FAN));
        for i in from..to.max(from) {
            if overlap(&window.aabb, &self.boxes[i]) {
                stack.push((first.0, (i - start) as u32));
            }
        }
    }

    /// The memory held.
    pub(super) fn bytes(&self) -> usize {
        4 * (self.order.capacity() + self.place.capacity())
            + size_of::<Aabb32>() * self.boxes.capacity()
            + size_of::<usize>() * self.starts.capacity()
            + size_of::<(u32, Aabb32)>() * self.late.capacity()
    }
}

fn union(boxes: &[Aabb32]) -> Aabb32 {
    boxes.iter().fold(EMPTY, |all, aabb| {
        std::array::from_fn(|k| if k < 3 { all[k].min(aabb[k]) } else { all[k].max(aabb[k]) })
    })
}

/// By size class, then along the Morton curve, then by slot.
fn sort(entries: &mut [(u64, u32, Aabb32)]) {
    let center = |aabb: &Aabb32| [0, 1, 2].map(|k| 0.5 * aabb[k] + 0.5 * aabb[k + 3]);
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for (_, _, aabb) in &*entries {
        for (k, x) in center(aabb).into_iter().enumerate().filter(|(_, x)| x.is_finite()) {
            (low[k], high[k]) = (low[k].min(x), high[k].max(x));
        }
    }
    let side = (0..3).fold(0.0f32, |most, k| most.max(high[k] - low[k]));
    let scale = if side > 0.0 { ((1 << 19) - 1) as f32 / side } else { 0.0 };
    for (key, _, aabb) in &mut *entries {
        let extent = (0..3).fold(0.0f32, |most, k| most.max(aabb[k + 3] - aabb[k]));
        // The exponent by threes: within a class sizes differ by at most eight.
        let class = u64::from(extent.to_bits() >> 23) / 3;
        let center = center(aabb);
        // A cast of what is no number gives 0, which is as good a place as any.
        let cells = [0, 1, 2].map(|k| spread(((center[k] - low[k]) * scale) as u32 & 0x7ffff));
        *key = class << 57 | cells[0] << 2 | cells[1] << 1 | cells[2];
    }
    entries.sort_unstable_by_key(|entry| (entry.0, entry.1));
}

/// The 19 low bits, each followed by two zeros.
fn spread(x: u32) -> u64 {
    let x = u64::from(x);
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}
