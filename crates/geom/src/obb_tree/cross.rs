//! Which triangles of two placed trees meet: both are descended at once, with a stack of its own.

use super::couple::{Couple, Side};
use super::{LEAF, NONE, ObbTree, Place};
use crate::tri_tri;
use impinge_simd::leaf::crossings;
use impinge_simd::obb::overlaps;
use impinge_simd::prefetch::prefetch;

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
    pub(super) stack: Vec<[Place; 2]>,
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
    /// ends early when `report` says so or `go_on` says no. Returns whether it went to the end.
    pub fn run(
        &mut self,
        mut report: impl FnMut(Found, [u32; 2], [Place; 2]) -> Next,
        mut go_on: impl FnMut(&Work) -> bool,
    ) -> Ended {
        self.scratch.stack.clear();
        self.scratch.stack.push([ObbTree::ROOT, ObbTree::ROOT]);
        while let Some(places) = self.scratch.stack.pop() {
            if !go_on(&self.work) {
                return Ended::CutShort;
            }
            match self.couple.side_to_open(places) {
                Some((side, node)) => self.open(places, side, node),
                None => {
                    if self.leaves(places, &mut report) == Next::Stop {
                        return Ended::Stopped;
                    }
                }
            }
        }
        Ended::Complete
    }

    /// Pushes the children of a node that the other box meets.
    #[inline]
    fn open(&mut self, [a, b]: [Place; 2], side: Side, node: u32) {
        let (tree, other) = (self.couple.tree(side), if side == Side::A { b } else { a });
        let boxes = tree.node(node);
        let probe = self.couple.probe_for(side, other);
        let met = overlaps(&probe, boxes);
        self.work.nodes += 1;
        let mut lanes = met.lanes;
        let first = self.scratch.stack.len();
        while lanes != 0 {
            let lane = lanes.trailing_zeros();
            lanes &= lanes - 1;
            let child = boxes.child[lane as usize];
            if child == NONE {
                continue;
            }
            if child & LEAF != 0 {
                prefetch(tree.leaf(child));
            } else {
                prefetch(tree.node(child));
            }
            let place = 8 * node + lane;
            self.scratch.stack.push(if side == Side::A { [place, b] } else { [a, place] });
        }
        if self.order == Order::NearFirst {
            sort_far_first(&mut self.scratch.stack[first..], side, &met.order);
        }
    }

    #[inline]
    fn leaves(
        &mut self,
        places: [Place; 2],
        report: &mut impl FnMut(Found, [u32; 2], [Place; 2]) -> Next,
    ) -> Next {
        let mut boxes = [self.couple.tree(Side::A).boxed(places[0]); 2];
        let leaves = self.couple.leaves(places, &mut boxes);
        let found = crossings(&leaves);
        self.work.leaves += 1;
        self.work.triangles += u64::from(found.tested);
        let [a, b] = self.couple.leaf_pair(places);
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

/// The last on the stack is done first.
#[inline]
fn sort_far_first(pushed: &mut [[Place; 2]], side: Side, order: &[f32; 8]) {
    let far = |places: &[Place; 2]| order[(places[side as usize] & 7) as usize];
    for i in 1..pushed.len() {
        let mut k = i;
        while k > 0 && far(&pushed[k - 1]) < far(&pushed[k]) {
            pushed.swap(k - 1, k);
            k -= 1;
        }
    }
}

impl Couple<'_> {
    /// Whether two triangles share a point, by exact arithmetic.
    pub fn meet(&self, pair: [u32; 2]) -> bool {
        let [a, b] = self.triangles(pair);
        tri_tri::intersect(&a, &b)
    }
}
