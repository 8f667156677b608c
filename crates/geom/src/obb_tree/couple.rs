//! Two trees at their places, and the way from the frame of one into that of the other.

use super::{LEAF, Leaf, ObbTree, Place};
use crate::mesh::Mesh;
use crate::pose::Pose;
use crate::{COORDINATE_MIN, Triangle};
use glam::{DMat3, DVec3};
use impinge_simd::leaf::Leaves;
use impinge_simd::obb::{Box1, Probe};

/// 2⁻²⁴, the rounding of f32.
const U: f32 = 1.0 / 16_777_216.0;

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

    /// A bound of the world's coordinates of this body, for what rounding does to them.
    pub(super) fn farthest(&self) -> f64 {
        DVec3::from(self.pose.translation()).abs().max_element()
            + 2.0 * DVec3::from(self.tree.origin()).abs().max_element()
            + 8.0 * self.tree.unit()
    }
}

/// From the frame of one tree into that of the other.
#[derive(Clone, Copy, Debug)]
struct Way {
    turn: DMat3,
    /// The same, in f32, row by row.
    rows: [[f32; 3]; 3],
    /// `rows` times `scale`.
    scaled_rows: [[f32; 3]; 3],
    shift: DVec3,
    scale: f64,
    /// How far the place of a posed vertex may be from what this way makes of it.
    error: f32,
}

impl Way {
    fn new(from: &Placed<'_>, to: &Placed<'_>) -> Self {
        let back = to.matrix().transpose();
        let turn = back * from.matrix();
        let unit = to.tree.unit();
        let scale = from.tree.unit() / unit;
        let shift = back * (from.origin() - to.origin()) / unit;
        // Posed vertices, origins and their difference are off by some ulps of the coordinates;
        // matrices that are orthonormal up to rounding add as much again.
        let off = 64.0 * f64::EPSILON * (from.farthest() + to.farthest()) + 4.0 * COORDINATE_MIN;
        let columns = turn.transpose();
        let row = |k: usize| columns.col(k).as_vec3().into();
        let scaled = |k: usize| (columns.col(k) * scale).as_vec3().into();
        Self {
            turn,
            rows: [row(0), row(1), row(2)],
            scaled_rows: [scaled(0), scaled(1), scaled(2)],
            shift,
            scale,
            error: ((off / unit) as f32).next_up(),
        }
    }

    /// A point of one tree in the frame of the other.
    #[inline]
    fn place(&self, point: &[f32; 3]) -> DVec3 {
        let [x, y, z] = point.map(f64::from);
        self.turn * DVec3::new(x, y, z) * self.scale + self.shift
    }

    #[inline]
    fn turned(&self, axis: &[f32; 3]) -> [f32; 3] {
        let [p, q, r] = &self.rows;
        [
            p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2],
            q[0] * axis[0] + q[1] * axis[1] + q[2] * axis[2],
            r[0] * axis[0] + r[1] * axis[1] + r[2] * axis[2],
        ]
    }

    #[inline]
    fn probe(&self, of: &Box1) -> Probe {
        let center = self.place(&of.center).as_vec3();
        let scale = self.scale as f32;
        let shape = Box1 {
            center: center.into(),
            half: of.half.map(|half| half * scale),
            axes: [self.turned(&of.axes[0]), self.turned(&of.axes[1]), self.turned(&of.axes[2])],
        };
        Probe { shape, slack: 4.0 * U * center.abs().element_sum() + self.error }
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
        Self { into: [Way::new(&b, &a), Way::new(&a, &b)], sides: [a, b] }
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

    /// The box at a place of the other tree, as the tree of `side` sees it.
    #[inline]
    pub(super) fn probe_for(&self, side: Side, of_other: Place) -> Probe {
        let other = self.sides[1 - side as usize].tree;
        self.into[side as usize].probe(&other.boxed(of_other))
    }

    /// The length of a unit of B's tree in units of A's.
    #[inline]
    pub(super) fn scale(&self) -> f64 {
        self.into[0].scale
    }

    /// Two leaves, as A sees them.
    #[inline]
    pub(super) fn leaves<'s>(&self, places: [Place; 2], boxes: &'s mut [Box1; 2]) -> Leaves<'s>
    where
        'a: 's,
    {
        let [a, b] = [self.sides[0].tree, self.sides[1].tree];
        let way = &self.into[0];
        let theirs = b.boxed(places[1]);
        let probe = way.probe(&theirs);
        *boxes = [a.boxed(places[0]), probe.shape];
        let center = DVec3::from(boxes[0].center.map(f64::from));
        let shift = (way.place(&theirs.center) - center).as_vec3();
        let reach = |of: &Box1| of.half[0] + of.half[1] + of.half[2];
        let apart = shift.abs().element_sum();
        let rounding = U * (reach(&boxes[0]) + 8.0 * reach(&boxes[1]) + 2.0 * apart);
        let [x, y] = &*boxes;
        Leaves {
            triangles: [
                &a.leaf(a.child(places[0])).triangles,
                &b.leaf(b.child(places[1])).triangles,
            ],
            boxes: [x, y],
            turn: way.scaled_rows,
            shift: shift.into(),
            error: rounding + way.error,
        }
    }

    /// The larger of two boxes is opened, if it is not a leaf: its side, and the node in it.
    #[inline]
    pub(super) fn side_to_open(&self, [a, b]: [Place; 2]) -> Option<(Side, u32)> {
        let [tree_a, tree_b] = [self.tree(Side::A), self.tree(Side::B)];
        let (in_a, in_b) = (tree_a.child(a), tree_b.child(b));
        match (in_a & LEAF != 0, in_b & LEAF != 0) {
            (true, true) => None,
            (true, false) => Some((Side::B, in_b)),
            (false, true) => Some((Side::A, in_a)),
            (false, false) => {
                let scale = self.scale() as f32;
                let a_is_larger = tree_a.reach(a) > tree_b.reach(b) * scale;
                Some(if a_is_larger { (Side::A, in_a) } else { (Side::B, in_b) })
            }
        }
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
}
