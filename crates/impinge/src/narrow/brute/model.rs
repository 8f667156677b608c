//! What the engine keeps of a shape, and a shape at its place.

use crate::narrow::gap::Surface;
use crate::narrow::parts::{Parts, Solid};
use impinge_geom::aabb::Aabb;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_geom::{Point, Triangle};
use std::sync::Arc;

/// A prepared shape.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) mesh: Arc<Mesh>,
    pub(super) parts: Parts,
}

impl Model {
    pub(super) fn of(mesh: &Arc<Mesh>) -> Self {
        Self { mesh: Arc::clone(mesh), parts: Parts::of(mesh) }
    }

    pub(super) fn triangle_count(&self) -> usize {
        self.mesh.triangles().len()
    }

    /// What it holds on the heap beside the mesh.
    pub(super) fn bytes(&self) -> usize {
        self.parts.bytes()
    }

    /// The shape's vertices in the world: the truth that everything is decided on.
    pub(super) fn at(&self, pose: &Pose) -> Posed<'_> {
        let vertices: Vec<Point> = self.mesh.vertices().iter().map(|v| pose.apply(v)).collect();
        let used = self.mesh.triangles().iter().flatten().map(|&v| &vertices[v as usize]);
        let bounds = Aabb::around(used);
        Posed { model: self, vertices, bounds }
    }
}

/// A shape at its place.
pub(super) struct Posed<'a> {
    model: &'a Model,
    pub(super) vertices: Vec<Point>,
    pub(super) bounds: Aabb,
}

impl Posed<'_> {
    pub(super) fn triangles(&self) -> &[[u32; 3]] {
        self.model.mesh.triangles()
    }

    pub(super) fn surface(&self) -> Surface<'_> {
        let Self { vertices, bounds, .. } = self;
        Surface { vertices, triangles: self.triangles(), bounds }
    }
}

impl Solid for Posed<'_> {
    fn parts(&self) -> &Parts {
        &self.model.parts
    }

    fn may_hold(&self, point: &Point) -> bool {
        self.bounds.contains(point)
    }

    fn vertex(&self, v: u32) -> Point {
        self.vertices[v as usize]
    }

    fn triangle(&self, i: u32) -> Triangle {
        self.triangles()[i as usize].map(|v| self.vertices[v as usize])
    }
}
