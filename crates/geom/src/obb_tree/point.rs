//! The point of a placed tree that is closest to a given one.
//!
//! Bounds in f32 leave a handful of triangles that may be the nearest; those are measured in f64 with
//! proven bounds ([`crate::distance`]). Nothing is passed over unless a lower bound says that it is
//! farther off than an upper bound of the distance, so the interval holds the true distance.

use super::couple::Placed;
use super::{LEAF, NONE, ObbTree, Place};
use crate::Point;
use crate::ask::Spot;
use crate::distance::{Feature, point_triangle};
use glam::DVec3;
use impinge_simd::leaf_point::{LeafPoint, distances};
use impinge_simd::obb::Box1;
use impinge_simd::obb_point::{PointProbe, point_gaps};

/// 2⁻²⁴, the rounding of f32.
const U: f64 = 1.0 / 16_777_216.0;
/// Pending boxes: seven beside each on the way down, in trees of up to 2³² triangles.
const PENDING: usize = 96;

/// The closest point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Where it is, rounded.
    pub point: Point,
    /// The triangle it lies on.
    pub triangle: u32,
    /// What of that triangle.
    pub feature: Feature,
    /// The true distance is at least this.
    pub at_least: f64,
    /// The true distance is at most this.
    pub at_most: f64,
}

/// A triangle that may be the nearest.
struct Candidate {
    lower: f32,
    triangle: u32,
}

impl Placed<'_> {
    /// The closest point, unless the surface is certainly farther off than matters. Of several
    /// triangles with the same upper bound the one with the lowest number is told.
    pub fn closest(&self, spot: &Spot) -> Option<Nearest> {
        let mut search = Search::of(self, spot);
        let mut open: Vec<(f32, Place)> = Vec::with_capacity(PENDING);
        open.push((0.0, ObbTree::ROOT));
        while let Some((lower, place)) = open.pop() {
            if lower > search.most {
                continue;
            }
            let child = self.tree.child(place);
            if child & LEAF == 0 {
                search.open(self.tree, child, &mut open);
            } else {
                search.leaf(self.tree, place);
            }
        }
        self.measure(&search, spot)
    }

    /// Measures in f64 what may be the nearest.
    fn measure(&self, search: &Search, spot: &Spot) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        let mut at_least = f64::INFINITY;
        for candidate in search.near.iter().filter(|near| near.lower <= search.most) {
            let triangle = candidate.triangle;
            let closest = point_triangle(&spot.point(), &self.triangle(triangle));
            at_least = at_least.min(closest.lo);
            let at_most = closest.hi;
            let better = |best: &Nearest| {
                at_most.total_cmp(&best.at_most).then(triangle.cmp(&best.triangle)).is_lt()
            };
            if best.as_ref().is_none_or(better) {
                let (point, feature) = (closest.points[1], closest.features[1]);
                best = Some(Nearest { point, triangle, feature, at_least, at_most });
            }
        }
        best.map(|best| Nearest { at_least, ..best }).filter(|_| at_least <= spot.reach())
    }
}

struct Search {
    /// The point in the tree's frame and unit.
    at: DVec3,
    /// How far a posed vertex may be from where the tree sees it.
    error: f64,
    probe: PointProbe,
    /// Nothing farther off matters, with all rounding.
    most: f32,
    near: Vec<Candidate>,
}

impl Search {
    fn of(placed: &Placed<'_>, spot: &Spot) -> Self {
        let (at, error) = placed.local(&spot.point());
        let slack = 4.0 * U * at.abs().element_sum() + error;
        let most = (spot.reach() / placed.tree.unit() + error) * (1.0 + 4.0 * U);
        Self {
            at,
            error,
            probe: PointProbe { point: at.as_vec3().into(), slack: (slack as f32).next_up() },
            most: (most as f32).next_up(),
            near: Vec::with_capacity(16),
        }
    }

    /// Pushes the children of a node that may hold the nearest, the nearest last.
    #[inline]
    fn open(&self, tree: &ObbTree, node: u32, open: &mut Vec<(f32, Place)>) {
        let boxes = tree.node(node);
        let lower = point_gaps(&self.probe, boxes);
        let first = open.len();
        for (lane, (&child, &lower)) in boxes.child.iter().zip(&lower).enumerate() {
            if child == NONE || lower > self.most {
                continue;
            }
            open.push((lower, 8 * node + lane as u32));
            let mut k = open.len() - 1;
            while k > first && open[k - 1].0 < open[k].0 {
                open.swap(k - 1, k);
                k -= 1;
            }
        }
    }

    fn leaf(&mut self, tree: &ObbTree, place: Place) {
        let leaf = tree.leaf(tree.child(place));
        let found = distances(&self.seen_from(&tree.boxed(place)), &leaf.triangles);
        for lane in 0..8 {
            if leaf.ids[lane] == NONE || found.lower[lane] > self.most {
                continue;
            }
            // `most` is above the true distance, and above its f64 upper bound, which is tighter.
            self.most = self.most.min(found.upper[lane]);
            self.near.push(Candidate { lower: found.lower[lane], triangle: leaf.ids[lane] });
        }
    }

    /// The point as a leaf sees it.
    fn seen_from(&self, around: &Box1) -> LeafPoint {
        let way = self.at - DVec3::from(around.center.map(f64::from));
        let reach = f64::from(around.half[0] + around.half[1] + around.half[2]);
        let error = U * (reach + way.abs().element_sum()) + self.error;
        LeafPoint { point: way.as_vec3().into(), error: (error as f32).next_up() }
    }
}
