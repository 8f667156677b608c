//! How far two bodies that overlap must be moved apart: an upper and a proven lower bound.
//!
//! A translation t of B makes the hulls of A and B share a point exactly if t lies in C, the set of
//! all differences a − b. So the shortest way out for the hulls is the distance from the origin to
//! the surface of C, the least of the overlaps `h(n) = max n·(a − b)` over all unit directions n.
//! - Each overlap is an *upper* bound, for any mesh: hulls that are apart are bodies that are apart.
//! - A ball around the origin within C is a *lower* bound for the hulls, and for bodies whose hulls
//!   are known to be solid ([`outline::Outline`]). For other bodies balls that are solid take the place
//!   of the hulls; what remains then may be far below the truth.
//!
//! C is never made. A polytope inscribed in it grows where its surface is nearest to the origin (the
//! expanding polytope algorithm of van den Bergen, 2001) until the bounds are as near as asked for;
//! it need not hold the origin at first. For polytopes the bounds meet after finitely many steps; for
//! round bodies the deeper they overlap the more steps it takes. The lower bound is proven afterwards
//! from the polytope as it came out, so no rounding on the way can make it wrong.
//!
//! About O(log n) per step. Nothing here knows where the bodies are free: to be checked by an engine.

pub mod outline;
mod polytope;
mod support;

use crate::Point;
use crate::pose::Pose;
use glam::DVec3;
use outline::{Fill, Outline, power_of_two};
use polytope::{Face, Polytope};

/// How many steps are taken to bring the bounds so near, as a part of the lower one. More steps are
/// taken only while they are farther apart than the next row says.
const STEPS: [(usize, f64); 4] = [(128, 1e-6), (512, 1e-3), (1024, 1e-2), (4096, 5e-2)];
/// Heights that differ by less, in units of the size of C, are equal.
const TOLERANCE: f64 = 1e-13;
/// What the roundings of a posed vertex, of a product and of their differences can add up to, as a
/// part of the coordinates.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Two shapes at their places.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    outlines: [&'a Outline; 2],
    poses: [Pose; 2],
    noise: f64,
}

/// A way to part the hulls of two bodies, and a bound of all ways to part the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullExit {
    /// The unit direction to move B in.
    pub normal: Point,
    /// How far, up to [`Pair::noise`]; no other direction that was looked at needs less.
    pub overlap: f64,
    /// No shorter translation parts the bodies. Zero if nothing is known.
    pub at_least: f64,
}

impl<'a> Pair<'a> {
    /// A at its pose, and B.
    pub fn new(a: (&'a Outline, Pose), b: (&'a Outline, Pose)) -> Self {
        let size = |(outline, pose): (&Outline, Pose)| {
            let far = pose.translation().iter().fold(0.0f64, |most, x| most.max(x.abs()));
            outline.reach + 2.0 * far
        };
        let noise = ROUNDING * (size(a) + size(b));
        Self { outlines: [a.0, b.0], poses: [a.1, b.1], noise }
    }

    /// A bound of what rounding does to the lengths that are computed here.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// How far B must be moved in a unit direction until the hulls are apart, up to rounding.
    pub fn overlap(&self, direction: &Point) -> f64 {
        DVec3::from(*direction).dot(self.difference(DVec3::from(*direction)))
    }

    /// The point of C that lies farthest in a direction.
    fn difference(&self, direction: DVec3) -> DVec3 {
        let farthest = |k: usize, direction: DVec3| {
            let (outline, pose) = (self.outlines[k], &self.poses[k]);
            let turned = turned_back(pose, direction);
            DVec3::from(pose.apply(&outline.tree.farthest(&turned)))
        };
        farthest(0, direction) - farthest(1, -direction)
    }

    /// The shortest way found to part the hulls. The hulls should have a point in common, as those of
    /// bodies that touch have.
    pub fn exit(&self) -> HullExit {
        let mut search = Search::new(self);
        let inner = search.run().map_or(0.0, |polytope| polytope.inner_radius() * search.unit);
        let of_hulls = inner - self.noise - self.loss(0) - self.loss(1);
        HullExit {
            normal: search.normal.into(),
            overlap: (search.upper * search.unit).max(0.0),
            at_least: of_hulls.max(self.ball_bound()).max(0.0),
        }
    }

    /// How much shorter the way out may be because a hull is not solid to its surface.
    ///
    /// The hull K, shrunk towards the centre of its core by the part `dent / radius`, lies deeper in K
    /// than `dent`, so it is solid; and no point of K moves by more than that part of `reach`.
    fn loss(&self, k: usize) -> f64 {
        match self.outlines[k].fill {
            Fill::Whole => 0.0,
            Fill::Solid { core, reach, dent } => {
                let part = (dent + self.noise) / core.radius;
                if part < 1.0 { part * reach } else { f64::INFINITY }
            }
            Fill::Unknown => f64::INFINITY,
        }
    }

    /// What balls that are solid, and vertices, tell: two balls overlap by the sum of their radii less
    /// the distance of their centres, and must be moved that far.
    fn ball_bound(&self) -> f64 {
        let balls = |k: usize| {
            let (outline, pose) = (self.outlines[k], self.poses[k]);
            let posed = move |center: &Point| DVec3::from(pose.apply(center));
            let balls = outline.balls.iter().map(move |ball| (posed(&ball.center), ball.radius));
            balls.collect::<Vec<_>>()
        };
        let balls = [balls(0), balls(1)];
        let mut most = 0.0f64;
        for &(p, r) in &balls[0] {
            for &(q, s) in &balls[1] {
                most = most.max(r + s - p.distance(q));
            }
        }
        for (own, other) in [(0, 1), (1, 0)] {
            if balls[own].is_empty() || self.outlines[own].fill != Fill::Unknown {
                continue;
            }
            for vertex in self.outlines[other].tree.points() {
                let vertex = DVec3::from(self.poses[other].apply(vertex));
                for &(p, r) in &balls[own] {
                    most = most.max(r - p.distance(vertex));
                }
            }
        }
        most - self.noise
    }
}

/// A direction of the world in the frame of a body.
fn turned_back(pose: &Pose, direction: DVec3) -> Point {
    let rows = pose.matrix().map(DVec3::from);
    (rows[0] * direction.x + rows[1] * direction.y + rows[2] * direction.z).into()
}

/// The search for the direction of least overlap, in a unit in which no coordinate of C exceeds two.
struct Search<'a> {
    pair: &'a Pair<'a>,
    unit: f64,
    tolerance: f64,
    /// The least overlap seen.
    upper: f64,
    normal: DVec3,
}

impl<'a> Search<'a> {
    fn new(pair: &'a Pair<'a>) -> Self {
        let farthest = |axis: DVec3| pair.difference(axis).abs().max_element();
        let largest = axes().map(farthest).into_iter().fold(0.0, f64::max);
        let unit = power_of_two(largest);
        let tolerance = TOLERANCE.max(2.0 * pair.noise / unit);
        Self { pair, unit, tolerance, upper: f64::INFINITY, normal: DVec3::Z }
    }

    /// The point of C that lies farthest in a unit direction, which may be the best one yet.
    fn ask(&mut self, direction: DVec3) -> DVec3 {
        let point = self.pair.difference(direction) / self.unit;
        // Exact tests are made on such points later, so they keep to the range of coordinates.
        let point = DVec3::from_array(point.to_array().map(crate::flush));
        let overlap = direction.dot(point);
        if overlap < self.upper {
            (self.upper, self.normal) = (overlap, direction);
        }
        point
    }

    /// Grows a polytope until the bounds meet. `None` if C is flat: then a direction across it has
    /// been asked about and there is next to no overlap.
    fn run(&mut self) -> Option<Polytope> {
        let mut polytope = Polytope::new(self.tetrahedron()?, self.tolerance)?;
        for step in 0..STEPS[STEPS.len() - 1].0 {
            let Some(lowest) = polytope.lowest() else { break };
            let Face { normal, height, .. } = *polytope.face(lowest);
            if self.is_near(height, step) {
                break;
            }
            let corner = self.ask(normal);
            let done = normal.dot(corner) - height <= self.tolerance;
            if done || !polytope.grow(lowest, corner) {
                break;
            }
        }
        Some(polytope)
    }

    /// Whether the bounds are as near as is asked for after so many steps.
    fn is_near(&self, lower: f64, step: usize) -> bool {
        let part = STEPS.iter().find(|(steps, _)| step < *steps).map_or(1.0, |(_, part)| *part);
        self.upper - lower <= part * lower || self.upper <= self.tolerance
    }

    /// Four points of C that span space, as wide as a few questions find them.
    fn tetrahedron(&mut self) -> Option<[DVec3; 4]> {
        let ends = axes().map(|axis| [self.ask(axis), self.ask(-axis)]);
        let length = |[p, q]: &[DVec3; 2]| p.distance(*q);
        let [a, b] = ends.into_iter().reduce(|s, t| if length(&t) > length(&s) { t } else { s })?;
        let along = (b - a).try_normalize().filter(|_| a.distance(b) > self.tolerance)?;
        let (u, v) = along.any_orthonormal_pair();
        let sides = [u, -u, v, -v].map(|direction| self.ask(direction));
        let width = |p: DVec3| (p - a).cross(along).length();
        let c = sides.into_iter().reduce(|p, q| if width(q) > width(p) { q } else { p })?;
        let across = (c - a).cross(along).try_normalize().filter(|_| width(c) > self.tolerance)?;
        let tops = [across, -across].map(|direction| self.ask(direction));
        let height = |p: DVec3| across.dot(p - a).abs();
        let d = if height(tops[1]) > height(tops[0]) { tops[1] } else { tops[0] };
        (height(d) > self.tolerance).then_some([a, b, c, d])
    }
}

fn axes() -> [DVec3; 3] {
    DVec3::AXES
}
