//! Two trees at their places.

use super::{Below, CoinTree, NOTHING, Place};
use crate::mesh::Mesh;
use crate::pose::Pose;
use crate::tri_tri;
use crate::{Point, Triangle};
use glam::{DMat3, DVec3};
use impinge_simd::coins::{Bounds, Known, Move, View, Waiting, bounds, waiting};

/// A mesh with its tree, at its place.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The mesh that the tree was made from.
    pub mesh: &'a Mesh,
    /// Its tree.
    pub tree: &'a CoinTree,
    /// Where it is.
    pub pose: &'a Pose,
}

impl Placed<'_> {
    /// A triangle where it is: the truth that is decided on.
    pub fn triangle(&self, id: u32) -> Triangle {
        self.mesh.triangle(id).map(|corner| self.pose.apply(&corner))
    }

    /// The point that a coin tells, and the triangle that has it.
    pub(super) fn witness(&self, place: Place) -> (u32, Point) {
        let (triangle, corner) = self.tree.witness(place);
        (triangle, self.pose.apply(&self.mesh.triangle(triangle)[corner]))
    }

    fn matrix(&self) -> DMat3 {
        DMat3::from_cols_array_2d(&self.pose.matrix()).transpose()
    }

    /// The tree's origin in the world.
    fn origin(&self) -> DVec3 {
        self.matrix() * DVec3::from(self.tree.origin) + DVec3::from(self.pose.translation())
    }
}

/// Two placed trees, and the ways from the frame of one into that of the other. Bounds are in the unit of A.
#[derive(Clone, Copy, Debug)]
pub struct Couple<'a> {
    bodies: [Placed<'a>; 2],
    /// Coins of the other body, seen from this one.
    views: [View; 2],
    /// From the unit of this body to that of A: powers of two.
    scales: [f32; 2],
    /// The two are too unlike in size for f32.
    unlike: bool,
    seat: Seat,
}

/// Where B is, as A sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    turn: DMat3,
    /// The way from the middle of A to that of B.
    way: DVec3,
    /// How far B reaches from its middle.
    reach: f64,
    /// What rounding may do to all of this.
    error: f64,
}

/// Of a vector, also where its squares are too small for f64: not less than its length but for rounding.
fn length(v: DVec3) -> f64 {
    let most = v.abs().max_element();
    if most > 1e-150 { v.length() } else { most * 3f64.sqrt() }
}

impl Seat {
    /// No point of B is farther from where it was then, as A sees it. A difference of two rotations stretches
    /// no vector by more than its Frobenius norm over √2.
    pub(super) fn moved_since(&self, then: &Self) -> f64 {
        let turned = self.turn - then.turn;
        let columns = [turned.x_axis, turned.y_axis, turned.z_axis];
        let norm = columns.iter().map(|c| c.length_squared()).sum::<f64>().sqrt();
        let by = length(self.way - then.way)
            + norm * std::f64::consts::FRAC_1_SQRT_2 * self.reach.max(then.reach);
        by * (1.0 + 1e-9) + self.error + then.error
    }
}

/// The rounding of f32, relative.
const ULP: f64 = 1.0 / (1 << 24) as f64;

/// Bodies that differ more in size than this, or are farther away, are not told apart by coins.
const UNLIKE: f64 = (1u64 << 55) as f64;

impl<'a> Couple<'a> {
    /// At their places.
    pub fn new(a: Placed<'a>, b: Placed<'a>) -> Self {
        let bodies = [a, b];
        let (turns, middles) = (bodies.map(|body| body.matrix()), bodies.map(|body| body.origin()));
        let units = bodies.map(|body| body.tree.unit);
        // No two points of the coins are farther apart than this: a tree is within a cube of two units.
        let reach = length(middles[1] - middles[0]) + 8.0 * (units[0] + units[1]);
        // Where a vertex is in the world is rounded to f64.
        let far = |body: &Placed<'_>| {
            let most = |p: &Point| p.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            most(&body.pose.translation()) + 2.0 * most(&body.tree.origin) + 2.0 * body.tree.unit
        };
        let world = bodies.iter().map(far).sum::<f64>();
        let slack = (32.0 * ULP * reach + 32.0 * f64::EPSILON * world) / units[0];
        let ratio = units[1] / units[0];
        // Squares of lengths must have room in f32, whichever frame they are in.
        let is_alike = ratio.max(1.0 / ratio) < UNLIKE
            && units.iter().all(|unit| (reach + world) / unit < UNLIKE);
        let scales = [1.0, ratio as f32];
        let view = |k: usize| {
            let back = turns[k].transpose();
            let way = back * (middles[1 - k] - middles[k]) / units[k];
            let rows = (back * turns[1 - k]).transpose().to_cols_array_2d();
            let into = Move {
                rows: rows.map(|row| row.map(|x| x as f32)),
                scale: (units[1 - k] / units[k]) as f32,
                origin: way.as_vec3().into(),
            };
            View { into, scale: scales[k], slack: slack as f32 }
        };
        let seat = Seat {
            turn: turns[0].transpose() * turns[1],
            way: turns[0].transpose() * (middles[1] - middles[0]),
            reach: 3f64.sqrt() * units[1],
            error: 64.0 * f64::EPSILON * (world + reach),
        };
        Self { bodies, views: [view(0), view(1)], scales, unlike: !is_alike, seat }
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Placed<'a>; 2] {
        &self.bodies
    }

    /// Where B is, as A sees it.
    pub(super) fn seat(&self) -> &Seat {
        &self.seat
    }

    /// What bounds are told in.
    pub fn unit(&self) -> f64 {
        self.bodies[0].tree.unit
    }

    /// The triangles whose corners two coins tell.
    pub(super) fn told(&self, places: [Place; 2]) -> [u32; 2] {
        [0, 1].map(|k| self.bodies[k].tree.witness(places[k]).0)
    }

    /// The side whose coin is to be opened, the larger one that holds more than a triangle, and its node;
    /// or both triangles.
    #[inline]
    pub(super) fn next_in(&self, places: [Place; 2]) -> Result<(usize, u32), [u32; 2]> {
        let below = [0, 1].map(|k| self.bodies[k].tree.below(places[k]));
        let size = |k: usize| {
            self.bodies[k].tree.singles[places[k].0 as usize].coin.radius * self.scales[k]
        };
        match below {
            [Below::Node(a), Below::Node(b)] => {
                Ok(if size(0) >= size(1) { (0, a) } else { (1, b) })
            }
            [Below::Node(a), Below::Triangle(_)] => Ok((0, a)),
            [Below::Triangle(_), Below::Node(b)] => Ok((1, b)),
            [Below::Triangle(a), Below::Triangle(b)] => Err([a, b]),
        }
    }

    /// The distances of what the coins of a node hold from what a coin of the other body holds.
    #[inline]
    pub(super) fn bounds(&self, (side, node): (usize, u32), other: Place) -> Bounds {
        if self.unlike {
            return self.no_bounds((side, node));
        }
        let other = &self.bodies[1 - side].tree.singles[other.0 as usize].coin;
        bounds(&self.bodies[side].tree.node(node).coins, other, &self.views[side])
    }

    /// The same as pairs that wait.
    #[inline]
    pub(super) fn waiting(
        &self,
        (side, node): (usize, u32),
        other: Place,
        known: Known,
    ) -> Waiting {
        if self.unlike {
            let lower = self.no_bounds((side, node)).lower;
            let keys = lower.map(|lower| lower.max(0.0));
            return Waiting { keys, least: 0.0, first: 0, upper: f32::INFINITY, nearest: 0 };
        }
        let other = &self.bodies[1 - side].tree.singles[other.0 as usize].coin;
        waiting(&self.bodies[side].tree.node(node).coins, other, &self.views[side], known)
    }

    /// Nothing is known but where there are no coins.
    #[cold]
    fn no_bounds(&self, at: (usize, u32)) -> Bounds {
        let lower = |below: u32| if below == NOTHING { f32::INFINITY } else { f32::NEG_INFINITY };
        Bounds { lower: self.places(at).map(lower), upper: [f32::INFINITY; 8] }
    }

    /// Which lanes of a node have coins.
    #[inline]
    pub(super) fn places(&self, (side, node): (usize, u32)) -> &[u32; 8] {
        &self.bodies[side].tree.node(node).below
    }

    /// Whether two triangles meet.
    pub fn meet(&self, [a, b]: [u32; 2]) -> bool {
        tri_tri::intersect(&self.bodies[0].triangle(a), &self.bodies[1].triangle(b))
    }
}
