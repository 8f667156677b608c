//! Which triangles of two placed trees meet: both are descended at once, with a stack of its own.

use super::couple::Couple;
use super::{ObbTree, Place};
use crate::tri_tri;
use impinge_simd::descent::{Stack, Stop};
use impinge_simd::leaf::Crossings;

/// The work of a descent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// One box against the (up to) eight of a node.
    pub nodes: u64,
    /// Leaves against leaves.
    pub leaves: u64,
    /// Pairs of triangles that were looked at more closely than by boxes.
    pub triangles: u64,
    /// Pairs that only exact arithmetic could decide.
    pub exact: u64,
    /// Distances of triangles worked out in f64.
    pub distances: u64,
}

/// How a search goes on after a pair was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// There may be more.
    Continue,
    /// That is enough.
    Stop,
}

/// What a search is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As it comes: all pairs will be seen.
    Any,
    /// What is near comes first: one pair is enough.
    NearFirst,
}

/// Buffers that are kept between searches.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    stack: Stack,
}

/// A search for pairs of triangles that may meet.
pub struct Search<'a, 's> {
    /// The trees.
    pub couple: &'a Couple<'a>,
    /// Near ones first?
    pub order: Order,
    /// Kept memory.
    pub scratch: &'s mut Scratch,
    /// What it took so far.
    pub work: Work,
}

/// Whether a pair of triangles was decided by the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The two certainly share a point.
    Certain,
    /// Only the exact test can tell.
    Open,
}

impl Search<'_, '_> {
    /// Reports each pair of triangles that shares a point or may, with the places of their leaves;
    /// ends early when `report` says so. `allow` is asked how many steps (a node, or two leaves) may
    /// be done before it is asked again; none ends the search.
    pub fn run(
        &mut self,
        mut report: impl FnMut(Found, [u32; 2], [Place; 2]) -> Next,
        mut allow: impl FnMut(&Work) -> u64,
    ) -> Ended {
        if !self.couple.is_alike() {
            return self.every_pair(report, allow);
        }
        let trees = self.couple.arrays();
        let stack = &mut self.scratch.stack;
        stack.start([ObbTree::ROOT; 2]);
        loop {
            let allowed = allow(&self.work);
            if allowed == 0 {
                return Ended::CutShort;
            }
            let until = stack.steps + stack.leaves + allowed;
            let stop = match self.order {
                Order::NearFirst => trees.descend::<true>(stack, until),
                Order::Any => trees.descend::<false>(stack, until),
            };
            self.work.nodes = stack.steps;
            self.work.leaves = stack.leaves;
            self.work.triangles = stack.tested;
            match stop {
                Stop::End => return Ended::Complete,
                Stop::Steps => {}
                Stop::Leaves(places, found) => {
                    if tell(self.couple, places, &found, &mut report) == Next::Stop {
                        return Ended::Stopped;
                    }
                }
            }
        }
    }
}

/// So many open pairs of two leaves are worth a look whether a face parts them all.
const MANY_OPEN: u32 = 12;

/// Reports what was found in two leaves.
#[inline]
pub(super) fn tell(
    couple: &Couple<'_>,
    places: [Place; 2],
    found: &Crossings,
    report: &mut impl FnMut(Found, [u32; 2], [Place; 2]) -> Next,
) -> Next {
    let [a, b] = couple.leaf_pair(places);
    if found.hit == [0; 8] {
        let first = found.open.iter().position(|&lanes| lanes != 0).unwrap_or(0);
        let lane = found.open[first].trailing_zeros() as usize & 7;
        let many = found.open.iter().map(|lanes| lanes.count_ones()).sum::<u32>() >= MANY_OPEN;
        if many && couple.parted_by_a_face(places, [a.ids[first], b.ids[lane]]) {
            return Next::Continue;
        }
    }
    for row in 0..8 {
        let mut lanes = found.hit[row] | found.open[row];
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let certain = found.hit[row] >> lane & 1 == 1;
            let kind = if certain { Found::Certain } else { Found::Open };
            if report(kind, [a.ids[row], b.ids[lane]], places) == Next::Stop {
                return Next::Stop;
            }
        }
    }
    Next::Continue
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All was seen.
    Complete,
    /// What was found was enough.
    Stopped,
    /// Work or time ran out.
    CutShort,
}

impl Couple<'_> {
    /// Whether two triangles share a point, by exact arithmetic.
    pub fn meet(&self, pair: [u32; 2]) -> bool {
        let [a, b] = self.triangles(pair);
        tri_tri::intersect(&a, &b)
    }
}
