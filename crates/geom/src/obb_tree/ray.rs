//! Where a ray meets a placed tree: first, anywhere, or everywhere.
//!
//! Boxes and leaves in f32, widened by all rounding, tell what may be met; whether a triangle is met
//! is decided exactly on its posed vertices ([`crate::ray_triangle`]), so nothing slips through between
//! triangles that share an edge. The nearest boxes come first. About a microsecond for a first hit.

use super::couple::Placed;
use super::{LEAF, NONE, ObbTree, Place};
use crate::ask::Ray;
use crate::ray_triangle::{DISTANCE_ERROR, Facing, Met, meet};
use crate::{Point, Triangle};
use glam::DVec3;
use impinge_simd::leaf_ray::{LeafRay, candidates};
use impinge_simd::obb::Box1;
use impinge_simd::obb_ray::{RayProbe, entered};

/// 2⁻²⁴, the rounding of f32.
const U: f64 = 1.0 / 16_777_216.0;
/// Pending boxes: seven beside each on the way down, in trees of up to 2³² triangles.
const PENDING: usize = 96;

/// Where a ray meets a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// How far from the origin; off by at most [`DISTANCE_ERROR`] of itself.
    pub distance: f64,
    /// The point of the ray at that distance, rounded.
    pub point: Point,
    /// The triangle that is met.
    pub triangle: u32,
    /// The parts of its corners in that point: not negative, their sum is 1 up to rounding. Where the
    /// ray goes exactly through an edge or a corner, those of the others are exactly 0.
    pub weights: [f64; 3],
    /// The unit normal of the triangle by the order of its corners; zero if it is degenerate.
    pub normal: Point,
    /// From which side the ray comes. Exact.
    pub facing: Facing,
}

/// What is left to look for.
trait Goal {
    /// Takes a triangle that is met; returns how far it is still worth to look, if it is at all.
    fn found(&mut self, met: &Met, triangle: u32) -> Option<f64>;
}

/// The least distance, and of several triangles at that distance the first.
struct First(Option<(Met, u32)>);

impl Goal for First {
    #[inline]
    fn found(&mut self, met: &Met, triangle: u32) -> Option<f64> {
        let order = |best: &(Met, u32)| {
            met.distance.total_cmp(&best.0.distance).then(triangle.cmp(&best.1)).is_lt()
        };
        if self.0.as_ref().is_none_or(order) {
            self.0 = Some((*met, triangle));
        }
        self.0.map(|(met, _)| met.distance)
    }
}

/// One is enough.
struct Any(bool);

impl Goal for Any {
    fn found(&mut self, _: &Met, _: u32) -> Option<f64> {
        self.0 = true;
        None
    }
}

/// Each of them.
struct All(Vec<(Met, u32)>);

impl Goal for All {
    fn found(&mut self, met: &Met, triangle: u32) -> Option<f64> {
        self.0.push((*met, triangle));
        Some(f64::INFINITY)
    }
}

impl Placed<'_> {
    /// Where the ray first meets the surface. Of several triangles at the same rounded distance the
    /// one with the lowest number is told.
    pub fn cast(&self, ray: &Ray) -> Option<Hit> {
        let mut first = First(None);
        self.trace(ray, &mut first);
        first.0.map(|(met, triangle)| self.hit(ray, &met, triangle))
    }

    /// Whether the ray meets the surface at all.
    pub fn is_met(&self, ray: &Ray) -> bool {
        let mut any = Any(false);
        self.trace(ray, &mut any);
        any.0
    }

    /// All triangles that the ray meets, each where it is first met, by distance and then by number.
    pub fn cast_all(&self, ray: &Ray) -> Vec<Hit> {
        let mut all = All(Vec::new());
        self.trace(ray, &mut all);
        all.0.sort_unstable_by(|a, b| a.0.distance.total_cmp(&b.0.distance).then(a.1.cmp(&b.1)));
        all.0.iter().map(|(met, triangle)| self.hit(ray, met, *triangle)).collect()
    }

    fn trace(&self, ray: &Ray, goal: &mut impl Goal) {
        let Some(mut local) = Local::of(self, ray) else { return };
        let mut open: Vec<(f32, Place)> = Vec::with_capacity(PENDING);
        open.push((0.0, ObbTree::ROOT));
        while let Some((from, place)) = open.pop() {
            if from > local.probe.length {
                continue;
            }
            let child = self.tree.child(place);
            if child & LEAF == 0 {
                local.open(self.tree, child, &mut open);
                continue;
            }
            let leaf = self.tree.leaf(child);
            let mut lanes = candidates(&local.seen_from(&self.tree.boxed(place)), &leaf.triangles);
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                let id = leaf.ids[lane];
                if id == NONE {
                    continue;
                }
                if let Some(met) = meet(ray, &self.triangle(id)) {
                    let Some(end) = goal.found(&met, id) else { return };
                    local.shorten(end / self.tree.unit());
                }
            }
        }
    }

    fn hit(&self, ray: &Ray, met: &Met, triangle: u32) -> Hit {
        let corners = self.triangle(triangle);
        let t = met.distance / ray.unit();
        let (origin, direction) = (ray.origin(), ray.direction());
        let point: Point = std::array::from_fn(|k| origin[k] + t * direction[k]);
        Hit {
            distance: met.distance,
            point,
            triangle,
            weights: weights(&point, &corners, met.through),
            normal: normal(&corners),
            facing: met.facing,
        }
    }
}

/// The ray in the tree's frame and unit.
struct Local {
    /// Where it starts, however far away.
    origin: DVec3,
    direction: DVec3,
    /// How far from there the part begins that is of interest.
    start: f64,
    /// Where that part ends, also measured from the origin.
    end: f64,
    /// How far a posed vertex may be from where the tree sees it.
    error: f64,
    /// The part in f32.
    probe: RayProbe,
}

impl Local {
    /// None if the ray does not come near the box around everything.
    fn of(placed: &Placed<'_>, ray: &Ray) -> Option<Self> {
        let (origin, error) = placed.local(&ray.origin());
        let direction = placed.matrix().transpose() * (DVec3::from(ray.direction()) / ray.unit());
        let root = placed.tree.boxed(ObbTree::ROOT);
        let way = DVec3::from(root.center.map(f64::from)) - origin;
        let (mut start, mut end) = (0.0, ray.length() / placed.tree.unit());
        let extent = way.length() + root.half.iter().map(|&h| f64::from(h)).sum::<f64>();
        // The direction is off by some ulps, which counts at the far end.
        let error = error + 64.0 * f64::EPSILON * extent;
        for k in 0..3 {
            let axis = DVec3::from(root.axes[k].map(f64::from));
            // Axes in f32 are orthonormal up to 4u; that is granted on all that is measured.
            let reach = f64::from(root.half[k]) * (1.0 + 8.0 * U) + 2.0 * error;
            let (middle, inverse) = (way.dot(axis), 1.0 / direction.dot(axis));
            let (p, q) = ((middle - reach) * inverse, (middle + reach) * inverse);
            // `max` and `min` of numbers pass a NaN over.
            start = f64::max(start, p.min(q));
            end = f64::min(end, p.max(q));
        }
        if start * (1.0 - 1e-12) > end * (1.0 + 1e-12) {
            return None;
        }
        let near = (origin + direction * start).as_vec3();
        let size = f64::from(near.abs().element_sum());
        let slack = ((4.0 * U * size + error) as f32).next_up();
        let probe = RayProbe {
            origin: near.into(),
            direction: direction.as_vec3().into(),
            length: 0.0,
            slack,
        };
        let mut local = Self { origin, direction, start, end: f64::INFINITY, error, probe };
        local.shorten(end);
        Some(local)
    }

    /// From now on what is farther from the origin does not matter.
    #[inline]
    fn shorten(&mut self, end: f64) {
        if end < self.end {
            self.end = end;
            let rest = end - self.start;
            // Distances are rounded; what is as far must still be seen.
            let more = 4.0 * DISTANCE_ERROR * end.abs() + 4.0 * self.error;
            self.probe.length = (((rest + more) * (1.0 + 8.0 * U)) as f32).next_up();
        }
    }

    /// Pushes the children of a node that the ray may meet, the nearest last.
    #[inline]
    fn open(&self, tree: &ObbTree, node: u32, open: &mut Vec<(f32, Place)>) {
        let boxes = tree.node(node);
        let found = entered(&self.probe, boxes);
        let first = open.len();
        let mut lanes = found.lanes;
        while lanes != 0 {
            let lane = lanes.trailing_zeros();
            lanes &= lanes - 1;
            if boxes.child[lane as usize] == NONE {
                continue;
            }
            open.push((found.at[lane as usize], 8 * node + lane));
            let mut k = open.len() - 1;
            while k > first && open[k - 1].0 < open[k].0 {
                open.swap(k - 1, k);
                k -= 1;
            }
        }
    }

    /// The line near a leaf: from its point beside the middle of the leaf's box, numbers are small.
    #[inline]
    fn seen_from(&self, around: &Box1) -> LeafRay {
        let way = self.origin - DVec3::from(around.center.map(f64::from));
        let beside = -way.dot(self.direction);
        let near = way + self.direction * beside;
        let reach: f32 = around.half[0] + around.half[1] + around.half[2];
        let size = f64::from(reach) + 4.0 * near.abs().element_sum();
        let more = 4.0 * DISTANCE_ERROR * self.end.abs() + 4.0 * self.error;
        let error = U * size + 2.0 * self.error + 8.0 * f64::EPSILON * beside.abs();
        LeafRay {
            origin: near.as_vec3().into(),
            direction: self.probe.direction,
            range: [
                ((-beside - more) as f32).next_down().next_down(),
                ((self.end - beside + more) as f32).next_up().next_up(),
            ],
            error: (error as f32).next_up(),
        }
    }
}

/// The unit normal, or zero.
fn normal(triangle: &Triangle) -> Point {
    let [a, b, c] = triangle.map(DVec3::from);
    // Each by its own size, so that nothing over- or underflows.
    let scaled = |v: DVec3| v / v.abs().max_element().max(f64::MIN_POSITIVE);
    scaled(scaled(b - a).cross(scaled(c - a))).normalize_or_zero().into()
}

/// The parts of the corners in a point of the triangle.
fn weights(point: &Point, triangle: &Triangle, through: [bool; 3]) -> [f64; 3] {
    let [a, b, c] = triangle.map(|corner| DVec3::from(corner) - DVec3::from(*point));
    let normal = DVec3::from(normal(triangle));
    let parts = if normal == DVec3::ZERO {
        on_segment([a, b, c])
    } else {
        [b.cross(c).dot(normal), c.cross(a).dot(normal), a.cross(b).dot(normal)]
    };
    // The edge ab has no part of c, and so on.
    let [ab, bc, ca] = through;
    let kept = |part: f64, none: bool| if none { 0.0 } else { part.max(0.0) };
    let parts = [kept(parts[0], bc), kept(parts[1], ca), kept(parts[2], ab)];
    let sum: f64 = parts.iter().sum();
    if sum > 0.0 { parts.map(|part| part / sum) } else { nearest_corner([a, b, c], through) }
}

/// Of a triangle that is a segment: by the longest edge. The corners are seen from the point.
fn on_segment(corners: [DVec3; 3]) -> [f64; 3] {
    let length = |i: usize| (corners[(i + 1) % 3] - corners[i]).abs().max_element();
    let longer = |i: usize, j: usize| if length(j) > length(i) { j } else { i };
    let i = longer(longer(0, 1), 2);
    let mut parts = [0.0; 3];
    parts[i] = corners[(i + 1) % 3].abs().max_element();
    parts[(i + 1) % 3] = corners[i].abs().max_element();
    parts
}

/// When rounding leaves nothing: all to the nearest corner that may have a part.
fn nearest_corner(corners: [DVec3; 3], [ab, bc, ca]: [bool; 3]) -> [f64; 3] {
    let mut parts = [0.0; 3];
    let allowed = (0..3).filter(|&i| ![bc, ca, ab][i]);
    let size = |i: usize| corners[i].abs().max_element();
    let nearest = allowed.min_by(|&i, &j| size(i).total_cmp(&size(j))).unwrap_or(0);
    parts[nearest] = 1.0;
    parts
}
