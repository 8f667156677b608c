//! Two trees of oriented boxes, descended at once up to the triangles that meet or may meet.
//!
//! A step takes a pair of boxes, opens the larger one and keeps those of its eight children that the
//! other box meets. How many there are is as good as random, so nothing branches on it: eight
//! entries are always written, and the stack grows by as many as count.

use crate::lanes32::{Lanes8, Scalar8};
use crate::leaf::{Crossings, Leaf, Leaves, cross_all};
use crate::obb::{Boxes8, Source, Spread, Way, met};
use crate::prefetch::prefetch;

/// Marks a child that is a leaf: the rest of the number is its index.
pub const LEAF: u32 = 1 << 31;
/// A child that is not there.
pub const NONE: u32 = u32::MAX;

/// A tree, as arrays. A place is `8 · node + lane`; what is there is the child of that lane.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    /// The nodes.
    pub nodes: &'a [Boxes8],
    /// The leaves.
    pub leaves: &'a [Leaf],
}

/// Two trees, and the ways from each into the frame of the other.
#[derive(Clone, Copy, Debug)]
pub struct Trees<'a> {
    /// A and B.
    pub trees: [Tree<'a>; 2],
    /// Into the frame of A from that of B, and the other way.
    pub into: [&'a Way; 2],
}

/// Pairs of places that are still to be looked at; the last comes first.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    /// A in the lower half, B in the upper. What is beyond `len` is old.
    entries: Vec<u64>,
    len: usize,
    /// How many nodes were looked at.
    pub steps: u64,
    /// How many times a leaf was held against a leaf.
    pub leaves: u64,
    /// How many pairs of triangles were looked at more closely than by boxes.
    pub tested: u64,
}

impl Stack {
    /// Nothing but this pair.
    pub fn start(&mut self, [a, b]: [u32; 2]) {
        self.len = 0;
        (self.steps, self.leaves, self.tested) = (0, 0, 0);
        self.reserve();
        self.entries[0] = u64::from(a) | u64::from(b) << 32;
        self.len = 1;
    }

    #[inline(always)]
    fn reserve(&mut self) {
        if self.entries.len() < self.len + 8 {
            self.entries.resize(2 * self.len + 256, 0);
        }
    }
}

/// Where a descent stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// At two leaves, at these places, some of whose triangles meet or may meet.
    Leaves([u32; 2], Crossings),
    /// After as many steps as it was given.
    Steps,
    /// Nothing is left.
    End,
}

impl Trees<'_> {
    /// Goes on until leaves whose triangles may meet are found, nothing is left or `steps_max` steps are done in all. With
    /// `NEAR`, of the children of a node the one nearest to the other box is looked at first.
    #[inline]
    pub fn descend<const NEAR: bool>(&self, stack: &mut Stack, steps_max: u64) -> Stop {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = crate::lanes32::Avx2::detect() {
            return x86::descend::<NEAR>(proof, self, stack, steps_max);
        }
        descend::<Scalar8, NEAR>(self, stack, steps_max)
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn descend<const NEAR: bool>(
        _: Avx2,
        trees: &Trees<'_>,
        stack: &mut Stack,
        steps_max: u64,
    ) -> Stop {
        #[target_feature(enable = "avx2,fma,popcnt,bmi1")]
        fn compiled<const NEAR: bool>(
            trees: &Trees<'_>,
            stack: &mut Stack,
            steps_max: u64,
        ) -> Stop {
            crate::lanes32::align_frame();
            super::descend::<Avx8, NEAR>(trees, stack, steps_max)
        }
        // SAFETY: the caller holds the proof that this CPU has all of these.
        unsafe { compiled::<NEAR>(trees, stack, steps_max) }
    }
}

/// For each set of lanes: which they are, in order; the rest is zero.
static LANES: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

#[inline(always)]
fn descend<L: Lanes8, const NEAR: bool>(
    trees: &Trees<'_>,
    stack: &mut Stack,
    steps_max: u64,
) -> Stop {
    while stack.len > 0 {
        if stack.steps + stack.leaves >= steps_max {
            return Stop::Steps;
        }
        stack.len -= 1;
        let entry = stack.entries[stack.len];
        let opening = Opening::of(trees, entry);
        if opening.at_leaves {
            let found = at_leaves::<L>(trees, stack, entry);
            if found.hit != [0; 8] || found.open != [0; 8] {
                return Stop::Leaves(places(entry), found);
            }
            continue;
        }
        let met = opening.children::<L>(trees);
        push::<L, NEAR>(trees, stack, &opening, met);
    }
    Stop::End
}

#[inline(always)]
fn places(entry: u64) -> [u32; 2] {
    [entry as u32, (entry >> 32) as u32]
}

#[inline(always)]
fn at_leaves<L: Lanes8>(trees: &Trees<'_>, stack: &mut Stack, entry: u64) -> Crossings {
    let [a, b] = places(entry);
    let [boxes_a, boxes_b] =
        [&trees.trees[0].nodes[a as usize / 8], &trees.trees[1].nodes[b as usize / 8]];
    let boxes = [
        Source { boxes: boxes_a, lane: a as usize % 8 },
        Source { boxes: boxes_b, lane: b as usize % 8 },
    ];
    let [in_a, in_b] = [boxes_a.child[a as usize % 8], boxes_b.child[b as usize % 8]];
    if in_a == NONE || in_b == NONE {
        return Crossings::default();
    }
    let leaves = Leaves {
        leaves: [
            &trees.trees[0].leaves[(in_a & !LEAF) as usize],
            &trees.trees[1].leaves[(in_b & !LEAF) as usize],
        ],
        boxes,
        way: trees.into[0],
    };
    let found = cross_all::<L>(&leaves);
    stack.leaves += 1;
    stack.tested += u64::from(found.tested);
    found
}

/// A pair of boxes of which one is to be opened.
struct Opening<'a> {
    side: usize,
    opened: u32,
    source: Source<'a>,
    entry: u64,
    at_leaves: bool,
}

impl<'a> Opening<'a> {
    #[inline(always)]
    fn of(trees: &Trees<'a>, entry: u64) -> Self {
        let [a, b] = places(entry);
        let [node_a, node_b] =
            [&trees.trees[0].nodes[a as usize / 8], &trees.trees[1].nodes[b as usize / 8]];
        let [lane_a, lane_b] = [a as usize % 8, b as usize % 8];
        let (in_a, in_b) = (node_a.child[lane_a], node_b.child[lane_b]);
        // A leaf cannot be opened, so the other one is; else the longer one.
        let scale = trees.into[0].scale;
        let length_a = if in_a & LEAF != 0 { -1.0 } else { node_a.half[0][lane_a] };
        let length_b = if in_b & LEAF != 0 { -1.0 } else { node_b.half[0][lane_b] * scale };
        let side = usize::from(length_a <= length_b);
        let opened = if side == 0 { in_a } else { in_b };
        let (boxes, lane) = if side == 0 { (node_b, lane_b) } else { (node_a, lane_a) };
        let at_leaves = in_a & in_b & LEAF != 0;
        Self { side, opened, source: Source { boxes, lane }, entry, at_leaves }
    }

    /// The children of the opened box that the other box meets, and how near their middles are.
    #[inline(always)]
    fn children<L: Lanes8>(&self, trees: &Trees<'_>) -> (u8, L) {
        let boxes = &trees.trees[self.side].nodes[self.opened as usize];
        met(&Spread::<L>::after(&self.source, trees.into[self.side]), boxes)
    }
}

#[inline(always)]
fn push<L: Lanes8, const NEAR: bool>(
    trees: &Trees<'_>,
    stack: &mut Stack,
    of: &Opening<'_>,
    (lanes, order): (u8, L),
) {
    let tree = &trees.trees[of.side];
    let boxes = &tree.nodes[of.opened as usize];
    stack.steps += 1;
    stack.reserve();
    let shift = 32 * of.side as u32;
    let kept = of.entry & (0xffff_ffff_0000_0000 >> shift);
    let base = kept | u64::from(8 * of.opened) << shift;
    let found = &LANES[usize::from(lanes)];
    let room = &mut stack.entries[stack.len..stack.len + 8];
    for k in 0..8 {
        room[k] = base + (u64::from(found[k]) << shift);
    }
    let count = lanes.count_ones() as usize;
    for k in 2..2 + AHEAD {
        // Without a branch: where there are fewer, some child is asked for that is not needed.
        let lane = found[count.wrapping_sub(k) & 7];
        fetch(tree, boxes.child[usize::from(lane)]);
    }
    if NEAR && count > 1 {
        // Lanes that are not met must not be the nearest.
        let far = L::splat(f32::INFINITY);
        let met = L::load(&MET[usize::from(lanes)]);
        let order = order.select(met.gt_mask(L::splat(0.0)), far);
        let nearest = order.le(order.least()) & lanes;
        let place = (lanes & (nearest & nearest.wrapping_neg()).wrapping_sub(1)).count_ones();
        // None is nearest if all are NaN; then the order is left as it is.
        room.swap((place as usize).min(count - 1), count - 1);
    }
    stack.len += count;
}

/// Of so many children, after the one that comes next, the memory is asked for in advance.
const AHEAD: usize = 2;

/// For each set of lanes: one in those, zero in the others.
static MET: [[f32; 8]; 256] = {
    let mut table = [[0.0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let mut lane = 0;
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][lane] = 1.0;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

#[inline(always)]
fn fetch(tree: &Tree<'_>, child: u32) {
    if child & LEAF != 0 {
        if let Some(leaf) = tree.leaves.get((child & !LEAF) as usize) {
            prefetch(leaf);
        }
    } else if let Some(node) = tree.nodes.get(child as usize) {
        prefetch(node);
    }
}
