//! What the engine keeps of a shape, and a shape at its place.

use crate::narrow::parts::{Parts, Solid};
use impinge_geom::coins::{CoinTree, Placed};
use impinge_geom::inside::Location;
use impinge_geom::mesh::Mesh;
use impinge_geom::obb_tree::{self, ObbTree};
use impinge_geom::pose::Pose;
use impinge_geom::shells::shell_of;
use impinge_geom::{Point, Triangle};
use std::sync::Arc;

/// A prepared shape.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) mesh: Arc<Mesh>,
    tree: CoinTree,
    parts: Parts,
    /// For points that may be inside, and which shell each triangle is of. Not made where nothing is closed.
    solid: Option<(ObbTree, Vec<u32>)>,
}

impl Model {
    pub(super) fn of(mesh: &Arc<Mesh>) -> Self {
        let (tree, parts) = rayon::join(|| CoinTree::of(mesh), || Parts::of(mesh));
        let solid = (!parts.shells.is_empty())
            .then(|| (ObbTree::of(mesh), shell_of(&parts.shells, mesh.triangles().len())));
        Self { mesh: Arc::clone(mesh), tree, parts, solid }
    }

    /// What it holds on the heap beside the mesh.
    pub(super) fn bytes(&self) -> usize {
        let solid = self
            .solid
            .as_ref()
            .map_or(0, |(tree, shells)| tree.bytes() + shells.capacity() * size_of::<u32>());
        self.tree.bytes() + self.parts.bytes() + solid
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

impl<'a> Posed<'a> {
    fn solid(&self) -> Option<(obb_tree::couple::Placed<'a>, &'a [u32])> {
        let Placed { mesh, pose, .. } = self.placed;
        let of = |(tree, shells): &'a (ObbTree, Vec<u32>)| {
            (obb_tree::couple::Placed { mesh, tree, pose }, shells.as_slice())
        };
        self.model.solid.as_ref().map(of)
    }
}

/// About how many triangles are looked at to see whether a point is inside.
const LOCATE_PRICE: usize = 64;

impl Solid for Posed<'_> {
    fn parts(&self) -> &Parts {
        &self.model.parts
    }

    fn may_hold(&self, point: &Point) -> bool {
        self.solid().is_some_and(|(placed, _)| placed.may_hold(point))
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
        let located = |(placed, shells): (obb_tree::couple::Placed<'_>, &[u32])| {
            placed.locate(point, &self.model.parts.shells, shells)
        };
        self.solid().map_or(Location::Outside, located)
    }
}
