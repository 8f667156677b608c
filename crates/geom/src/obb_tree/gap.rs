//! The distance of two placed trees whose triangles do not meet: the nearest pair of boxes first.
//!
//! Bounds in f32 leave a handful of pairs of triangles that may be the nearest; those are measured in
//! f64 with proven bounds. Nothing is passed over unless a lower bound says that it is farther off
//! than an upper bound of the distance, so the interval holds the true distance.

use super::children::Children;
use super::couple::{Couple, Side};
use super::cross::{Ended, Work};
use super::{NONE, ObbTree, Place};
use crate::distance::{Closest, gap_along, triangle_triangle, triangle_triangle_below};
use crate::fans::{Fan, Queue};
use impinge_simd::leaf_gap::{Gaps, Limits, gaps as leaf_gaps};
use impinge_simd::obb::gaps_after;

/// Buffers that are kept between searches.
#[derive(Clone, Debug, Default)]
pub struct GapScratch {
    queue: Queue<Children>,
    near: Vec<Near>,
    /// From A to B between the nearest points so far, in the frame of A.
    along: [f32; 3],
    /// The nearest of those that were measured in f64 before the end, if there were many.
    best: Option<Gap>,
}

/// So many pairs may be waiting to be measured in f64.
const NEAR_MAX: usize = 1024;

/// A pair of triangles that may be the nearest.
#[derive(Clone, Copy, Debug)]
struct Near {
    lower: f32,
    upper: f32,
    triangles: [u32; 2],
    places: [Place; 2],
}

/// The distance of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// The nearest points and the features they lie on; `hi` is an upper bound of the distance.
    pub closest: Closest,
    /// The distance is at least this.
    pub at_least: f64,
    /// The triangles the points lie on.
    pub triangles: [u32; 2],
    /// The leaves of those triangles.
    pub places: [Place; 2],
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Only distances up to this matter.
    pub below: f64,
    /// Leaves that are thought to be near each other.
    pub hint: Option<[Place; 2]>,
}

/// A search for the nearest pair of triangles.
pub struct GapSearch<'a, 's> {
    /// The trees.
    pub couple: &'a Couple<'a>,
    /// Kept memory.
    pub scratch: &'s mut GapScratch,
    /// What it took so far.
    pub work: Work,
}

impl GapSearch<'_, '_> {
    /// The gap, if it is not above what is wanted. `allow` is asked how many steps (a node, or two
    /// leaves) may be done before it is asked again; if none, the gap is what is known by then, and
    /// `at_least` is a lower bound of what was not looked at, too.
    pub fn run(
        &mut self,
        wanted: &Wanted,
        mut allow: impl FnMut(&Work) -> u64,
    ) -> (Option<Gap>, Ended) {
        if !self.couple.is_alike() {
            return self.every_gap(wanted.below, allow);
        }
        let unit = self.couple.tree(Side::A).unit();
        let mut most = ((wanted.below / unit) as f32).next_up();
        self.scratch.along = [0.0; 3];
        self.scratch.queue.clear();
        self.scratch.near.clear();
        self.scratch.best = None;
        let hint = wanted.hint.filter(|&places| self.couple.side_to_open(places).is_none());
        if let Some(places) = hint {
            self.leaves(places, &mut most, wanted.below);
        }
        let pair = |(lower, of, lane): (f32, Children, u32)| (lower, of.places(lane));
        let mut next = Some((0.0, [ObbTree::ROOT; 2]));
        let mut unseen = f64::INFINITY;
        let mut ended = Ended::Complete;
        let mut allowed = 0;
        while let Some((lower, places)) = next {
            if allowed == 0 {
                allowed = allow(&self.work);
            }
            if allowed == 0 {
                (unseen, ended) = (f64::from(lower) * unit, Ended::CutShort);
                break;
            }
            allowed -= 1;
            match self.couple.side_to_open(places) {
                Some((side, node)) => {
                    let fan = self.open(places, (side, node), most);
                    next = self.scratch.queue.next_with(fan, most).map(pair);
                }
                None => {
                    if hint != Some(places) {
                        self.leaves(places, &mut most, wanted.below);
                    }
                    next = self.scratch.queue.next(most).map(pair);
                }
            }
        }
        self.settle(wanted.below, most);
        let found = self.scratch.best;
        (found.map(|gap| Gap { at_least: gap.at_least.min(unseen), ..gap }), ended)
    }

    /// The children of a box, with lower bounds of their distances from the other box.
    fn open(&mut self, [a, b]: [Place; 2], (side, node): (Side, u32), most: f32) -> Fan<Children> {
        let (tree, other) = (self.couple.tree(side), if side == Side::A { b } else { a });
        let boxes = tree.node(node);
        let (source, way) = self.couple.coming_to(side, other);
        let mut apart = gaps_after(&source, way, boxes);
        self.work.nodes += 1;
        // Bounds found in the frame of B are in units of B's tree.
        let scale = if side == Side::A { 1.0 } else { self.couple.scale() } * (1.0 - 1e-6);
        for (lower, child) in apart.iter_mut().zip(boxes.child) {
            *lower *= scale;
            let matters = child != NONE && *lower <= most;
            *lower = if matters { *lower } else { f32::INFINITY };
        }
        Fan { apart, of: Children { node, other, side } }
    }

    fn leaves(&mut self, places: [Place; 2], most: &mut f32, below: f64) {
        self.work.leaves += 1;
        if self.are_parted_by_the_best(places) {
            return;
        }
        let limits = Limits { most: *most, along: self.scratch.along };
        let found = leaf_gaps(&self.couple.leaves(places), &limits);
        self.work.triangles += u64::from(found.tested);
        if found.rows == 0 {
            return;
        }
        if found.least < *most {
            *most = found.least;
            self.scratch.along = found.way;
        }
        self.remember(&found, places, *most);
        if self.scratch.near.len() > NEAR_MAX {
            self.settle(below, *most);
        }
    }

    /// Where many pairs are equally near, most are parted by the planes that part the best: then
    /// whole leaves need not be looked at more closely.
    fn are_parted_by_the_best(&mut self, places: [Place; 2]) -> bool {
        let Some(gap) = &mut self.scratch.best else { return false };
        let along = self.couple.leaves_apart(places, &gap.closest.points);
        let parted = along >= enough(gap);
        if parted {
            gap.at_least = gap.at_least.min(along);
        }
        parted
    }

    fn remember(&mut self, found: &Gaps, places: [Place; 2], most: f32) {
        let [a, b] = self.couple.leaf_pair(places);
        for row in 0..8 {
            let mut lanes = found.lanes[row];
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                let (lower, upper) = (found.lower[row][lane], found.upper[row][lane]);
                if lower <= most {
                    let triangles = [a.ids[row], b.ids[lane]];
                    self.scratch.near.push(Near { lower, upper, triangles, places });
                }
            }
        }
    }

    /// Measures in f64 what may be the nearest.
    fn settle(&mut self, below: f64, most: f32) {
        let GapScratch { near, best, .. } = &mut *self.scratch;
        near.retain(|pair| pair.lower <= most);
        near.sort_unstable_by(|x, y| {
            x.upper.total_cmp(&y.upper).then_with(|| x.triangles.cmp(&y.triangles))
        });
        for pair in near.drain(..) {
            let [a, b] = self.couple.triangles(pair.triangles);
            let Some(gap) = best else {
                self.work.distances += 1;
                let closest = triangle_triangle(&a, &b);
                if closest.lo <= below {
                    let (triangles, places) = (pair.triangles, pair.places);
                    *best = Some(Gap { closest, at_least: closest.lo, triangles, places });
                }
                continue;
            };
            // Triangles that share the nearest points are parted by the same planes.
            let along = gap_along(&a, &b, &gap.closest.points);
            if along >= enough(gap) {
                gap.at_least = gap.at_least.min(along);
                continue;
            }
            self.work.distances += 1;
            let Some(closest) = triangle_triangle_below(&a, &b, gap.closest.hi) else { continue };
            gap.at_least = gap.at_least.min(closest.lo);
            if closest.hi < gap.closest.hi {
                (gap.closest, gap.triangles, gap.places) = (closest, pair.triangles, pair.places);
            }
        }
    }
}

/// A lower bound that is as good as that of the nearest pair itself.
fn enough(gap: &Gap) -> f64 {
    gap.closest.lo - 2.0 * (gap.closest.hi - gap.closest.lo)
}
