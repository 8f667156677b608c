//! Two trees at their places, and the way from the frame of one into that of the other.

use super::unlike::FRAME_MAX;
use super::{LEAF, Leaf, NONE, ObbTree, Place};
use crate::mesh::Mesh;
use crate::pose::Pose;
use crate::{COORDINATE_MIN, Point, Triangle};
use glam::{DMat3, DVec3};
use impinge_simd::descent::Trees;
use impinge_simd::leaf::Leaves;
use impinge_simd::obb::{Source, Way};

/// A mesh with its tree, at its place.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The mesh that the tree was made from.
    pub mesh: &'a Mesh,
    /// Its tree.
    pub tree: &'a ObbTree,
    /// Where it is.
    pub pose: &'a Pose,
}

impl Placed<'_> {
    /// A triangle where it is: the truth that is decided on.
    #[inline]
    pub fn triangle(&self, id: u32) -> Triangle {
        self.mesh.triangle(id).map(|corner| self.pose.apply(&corner))
    }

    pub(super) fn matrix(&self) -> DMat3 {
        DMat3::from_cols_array_2d(&self.pose.matrix()).transpose()
    }

    /// The tree's origin in the world.
    pub(super) fn origin(&self) -> DVec3 {
        self.matrix() * DVec3::from(self.tree.origin()) + DVec3::from(self.pose.translation())
    }

    /// The middle of the box around everything, in the world.
    fn middle(&self) -> DVec3 {
        let center = DVec3::from(self.tree.boxed(ObbTree::ROOT).center.map(f64::from));
        self.matrix() * (center * self.tree.unit()) + self.origin()
    }

    /// A bound of the world's coordinates of this body, for what rounding does to them.
    pub(super) fn farthest(&self) -> f64 {
        DVec3::from(self.pose.translation()).abs().max_element() + self.tree.farthest()
    }
}

/// The frame of a tree at its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) matrix: DMat3,
    pub(super) origin: DVec3,
    pub(super) unit: f64,
    /// A bound of the world's coordinates of the body, for what rounding does to them.
    pub(super) farthest: f64,
}

impl Frame {
    fn of(placed: &Placed<'_>) -> Self {
        Self {
            matrix: placed.matrix(),
            origin: placed.origin(),
            unit: placed.tree.unit(),
            farthest: placed.farthest(),
        }
    }
}

/// Into the frame of each of two trees from that of the other, which may be off by `error` more in
/// the world than rounding explains.
pub(super) fn ways(a: &Frame, b: &Frame, error: f64) -> [Way; 2] {
    // Posed vertices, origins and their difference are off by some ulps of the coordinates;
    // matrices that are orthonormal up to rounding add as much again.
    let off = 64.0 * f64::EPSILON * (a.farthest + b.farthest) + 4.0 * COORDINATE_MIN + error;
    let turn = a.matrix.transpose() * b.matrix;
    let between = b.origin - a.origin;
    let into_a = a.matrix.transpose() * between;
    let into_b = b.matrix.transpose() * -between;
    [
        way(&turn, b.unit / a.unit, into_a / a.unit, off / a.unit),
        way(&turn.transpose(), a.unit / b.unit, into_b / b.unit, off / b.unit),
    ]
}

fn way(turn: &DMat3, scale: f64, shift: DVec3, error: f64) -> Way {
    let scaled = *turn * scale;
    let column = |k: usize| {
        let [x, y, z] = turn.col(k).as_vec3().into();
        [x, y, z, 0.0, x, y, z, 0.0]
    };
    let row = |k: usize| scaled.row(k).as_vec3().into();
    let four = |v: DVec3| [v.x, v.y, v.z, 0.0];
    Way {
        turn: [column(0), column(1), column(2)],
        place: [four(scaled.x_axis), four(scaled.y_axis), four(scaled.z_axis)],
        shift: four(shift),
        rows: [row(0), row(1), row(2)],
        scale: scale as f32,
        error: (error as f32).next_up(),
    }
}

/// Whether what ways lead to is something that f32 can work with.
pub(super) fn are_alike(ways: &[Way; 2]) -> bool {
    let fits = |x: f64| x.abs() <= FRAME_MAX;
    ways.iter().all(|way| fits(f64::from(way.scale)) && way.shift.into_iter().all(fits))
}

/// How B lies to A, for telling how much that has changed.
#[derive(Clone, Copy, Debug)]
pub struct Relative {
    turn: DMat3,
    shift: DVec3,
    /// A ball around B, in B's frame.
    center: DVec3,
    radius: f64,
    /// How far rounding may have moved a point.
    error: f64,
}

impl Relative {
    /// The two where they are.
    pub fn of(a: &Placed<'_>, b: &Placed<'_>) -> Self {
        let back = a.matrix().transpose();
        let root = b.tree.boxed(ObbTree::ROOT);
        let unit = b.tree.unit();
        let center = DVec3::from(root.center.map(f64::from)) * unit;
        Self {
            turn: back * b.matrix(),
            shift: back * (DVec3::from(b.pose.translation()) - DVec3::from(a.pose.translation())),
            center: center + DVec3::from(b.tree.origin()),
            radius: b.tree.radius(),
            error: 64.0 * f64::EPSILON * (a.farthest() + b.farthest()) + 4.0 * COORDINATE_MIN,
        }
    }

    /// No point of B is farther from where it was then, as A sees it.
    ///
    /// A difference of two rotations stretches no vector by more than its Frobenius norm over √2.
    pub fn moved_since(&self, then: &Self) -> f64 {
        let turned = self.turn - then.turn;
        let columns = [turned.x_axis, turned.y_axis, turned.z_axis];
        let norm = columns.iter().map(|c| c.length_squared()).sum::<f64>().sqrt();
        let middle = (turned * self.center + (self.shift - then.shift)).length();
        let stretch = norm * std::f64::consts::FRAC_1_SQRT_2;
        (middle + stretch * self.radius) * (1.0 + 1e-9) + self.error + then.error
    }
}

/// One of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A = 0,
    /// The second.
    B = 1,
}

/// The larger of two boxes is opened, if it is not a leaf: its side, and the node in it. `scale` is
/// the unit of B in units of A.
#[inline]
pub(super) fn side_to_open(
    [tree_a, tree_b]: [&ObbTree; 2],
    [a, b]: [Place; 2],
    scale: f32,
) -> Option<(Side, u32)> {
    let (in_a, in_b) = (tree_a.child(a), tree_b.child(b));
    match (in_a & LEAF != 0, in_b & LEAF != 0) {
        (true, true) => None,
        (true, false) => Some((Side::B, in_b)),
        (false, true) => Some((Side::A, in_a)),
        (false, false) => {
            let a_is_larger = tree_a.reach(a) > tree_b.reach(b) * scale;
            Some(if a_is_larger { (Side::A, in_a) } else { (Side::B, in_b) })
        }
    }
}

/// Two trees at their places.
#[derive(Clone, Copy, Debug)]
pub struct Couple<'a> {
    sides: [Placed<'a>; 2],
    /// Into the frame of each from that of the other.
    into: [Way; 2],
}

impl<'a> Couple<'a> {
    /// The two.
    pub fn new(a: Placed<'a>, b: Placed<'a>) -> Self {
        Self { into: ways(&Frame::of(&a), &Frame::of(&b), 0.0), sides: [a, b] }
    }

    /// Whether each of the two, seen from the other, is something that f32 can work with.
    pub fn is_alike(&self) -> bool {
        are_alike(&self.into)
    }

    /// One of them.
    #[inline]
    pub fn side(&self, side: Side) -> &Placed<'a> {
        &self.sides[side as usize]
    }

    /// The tree of one of them.
    #[inline]
    pub fn tree(&self, side: Side) -> &'a ObbTree {
        self.sides[side as usize].tree
    }

    /// The box at a place of the other tree, and its way into the frame of `side`.
    #[inline]
    pub(super) fn coming_to(&self, side: Side, of_other: Place) -> (Source<'a>, &Way) {
        let other = self.sides[1 - side as usize].tree;
        (other.source(of_other), &self.into[side as usize])
    }

    /// The length of a unit of B's tree in units of A's.
    #[inline]
    pub(super) fn scale(&self) -> f32 {
        self.into[0].scale
    }

    /// Two leaves with their boxes.
    #[inline]
    pub(super) fn leaves(&self, places: [Place; 2]) -> Leaves<'_> {
        let [a, b] = [self.sides[0].tree, self.sides[1].tree];
        Leaves {
            leaves: self.leaf_pair(places),
            boxes: [a.source(places[0]), b.source(places[1])],
            way: &self.into[0],
        }
    }

    /// The larger of two boxes is opened, if it is not a leaf: its side, and the node in it.
    #[inline]
    pub(super) fn side_to_open(&self, places: [Place; 2]) -> Option<(Side, u32)> {
        side_to_open([self.tree(Side::A), self.tree(Side::B)], places, self.scale())
    }

    /// The leaves at two places.
    #[inline]
    pub(super) fn leaf_pair(&self, [a, b]: [Place; 2]) -> [&'a Leaf; 2] {
        let [of_a, of_b] = [self.tree(Side::A), self.tree(Side::B)];
        [of_a.leaf(of_a.child(a)), of_b.leaf(of_b.child(b))]
    }

    /// Two triangles where they are.
    #[inline]
    pub fn triangles(&self, [a, b]: [u32; 2]) -> [Triangle; 2] {
        [self.sides[0].triangle(a), self.sides[1].triangle(b)]
    }

    /// The two as arrays.
    pub(super) fn arrays(&self) -> Trees<'_> {
        Trees {
            trees: [self.sides[0].tree.arrays(), self.sides[1].tree.arrays()],
            into: [&self.into[0], &self.into[1]],
        }
    }

    /// A lower bound of the distance: the gap between balls around the two. Not positive if they meet.
    pub(super) fn balls_apart(&self) -> f64 {
        let [a, b] = [&self.sides[0], &self.sides[1]];
        let way = (a.middle() - b.middle()).length();
        let error = 64.0 * f64::EPSILON * (a.farthest() + b.farthest());
        way * (1.0 - 1e-12) - (a.tree.radius() + b.tree.radius()) * (1.0 + 1e-12) - error
    }

    /// The gap between all triangles of two leaves along the line from one point to another, rounded
    /// down: a lower bound of their distance. Not positive if that line does not part them.
    pub(super) fn leaves_apart(&self, places: [Place; 2], [from, to]: &[Point; 2]) -> f64 {
        let from = DVec3::from(*from);
        self.leaves_apart_along(places, from, DVec3::from(*to) - from)
    }

    /// Whether the plane of a triangle of A, or of B, parts all triangles of two leaves. That is for
    /// faces that lie on each other, or almost: of those f32 tells nothing.
    pub(super) fn parted_by_a_face(&self, places: [Place; 2], pair: [u32; 2]) -> bool {
        let parts = |[p, q, r]: Triangle| {
            let [p, q, r] = [p, q, r].map(DVec3::from);
            let normal = (q - p).cross(r - p);
            [normal, -normal].iter().any(|&way| self.leaves_apart_along(places, p, way) > 0.0)
        };
        self.triangles(pair).into_iter().any(parts)
    }

    fn leaves_apart_along(&self, places: [Place; 2], from: DVec3, way: DVec3) -> f64 {
        let Some(along) = way.try_normalize() else { return 0.0 };
        let [a, b] = self.leaf_pair(places);
        let mut size = 0.0f64;
        let mut seen = |side: Side, ids: &[u32; 8], sign: f64| {
            let triangles = ids.iter().filter(|&&id| id != NONE);
            let corners = triangles.flat_map(|&id| self.sides[side as usize].triangle(id));
            corners.fold(f64::INFINITY, |least, corner| {
                let way = DVec3::from(corner) - from;
                size = size.max(way.abs().element_sum());
                least.min(sign * way.dot(along))
            })
        };
        let gap = seen(Side::A, &a.ids, -1.0) + seen(Side::B, &b.ids, 1.0);
        // Differences, products, sums and the length of the direction: below 16 ε of the size.
        gap - 16.0 * f64::EPSILON * size
    }
}
