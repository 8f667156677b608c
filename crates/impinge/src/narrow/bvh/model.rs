//! What the engine keeps of a shape, and a shape at its place.

use crate::narrow::parts::{Parts, Solid};
use impinge_geom::inside::Location;
use impinge_geom::mesh::Mesh;
use impinge_geom::obb_tree::ObbTree;
use impinge_geom::obb_tree::couple::Placed;
use impinge_geom::pose::Pose;
use impinge_geom::shells::shell_of;
use impinge_geom::{Point, Triangle};
use std::sync::Arc;

/// A prepared shape.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) mesh: Arc<Mesh>,
    pub(super) tree: ObbTree,
    parts: Parts,
    /// See [`shell_of`].
    shell_of: Vec<u32>,
}

impl Model {
    pub(super) fn of(mesh: &Arc<Mesh>) -> Self {
        let (tree, parts) = rayon::join(|| ObbTree::of(mesh), || Parts::of(mesh));
        let shell_of = shell_of(&parts.shells, mesh.triangles().len());
        Self { mesh: Arc::clone(mesh), tree, parts, shell_of }
    }

    /// What it holds on the heap beside the mesh.
    pub(super) fn bytes(&self) -> usize {
        self.tree.bytes() + self.parts.bytes() + self.shell_of.capacity() * size_of::<u32>()
    }

    pub(super) fn at<'a>(&'a self, pose: &'a Pose) -> Posed<'a> {
        Posed { model: self, placed: Placed { mesh: &self.mesh, tree: &self.tree, pose } }
    }
}

/// A shape at its place.
#[derive(Clone, Copy)]
pub(super) struct Posed<'a> {
    model: &'a Model,
    pub(super) placed: Placed<'a>,
}

/// About how many triangles are looked at to see whether a point is inside.
const LOCATE_PRICE: usize = 64;

impl Solid for Posed<'_> {
    fn parts(&self) -> &Parts {
        &self.model.parts
    }

    fn may_hold(&self, point: &Point) -> bool {
        self.placed.may_hold(point)
    }

    fn vertex(&self, v: u32) -> Point {
        self.placed.pose.apply(&self.model.mesh.vertices()[v as usize])
    }

    fn triangle(&self, i: u32) -> Triangle {
        self.placed.triangle(i)
    }

    fn price(&self) -> usize {
        LOCATE_PRICE
    }

    fn locate(&self, point: &Point) -> Location {
        self.placed.locate(point, &self.model.parts.shells, &self.model.shell_of)
    }
}
