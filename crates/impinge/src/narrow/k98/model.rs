//! What the engine keeps of a shape: nothing but its mesh. And a shape at its place.

use crate::narrow::gap::Surface;
use crate::narrow::parts::{Parts, Solid};
use impinge_geom::aabb::Aabb;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_geom::{Point, Triangle};
use std::sync::{Arc, OnceLock};

/// A shape.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) mesh: Arc<Mesh>,
    /// Made when it is first asked what is inside, so that a shape that deforms every frame costs
    /// nothing before that.
    parts: OnceLock<Parts>,
}

impl Model {
    pub(super) fn of(mesh: &Arc<Mesh>) -> Self {
        Self { mesh: Arc::clone(mesh), parts: OnceLock::new() }
    }

    /// What it holds on the heap beside the mesh.
    pub(super) fn bytes(&self) -> usize {
        self.parts.get().map_or(0, Parts::bytes)
    }

    /// Vertices and faces: what it takes to place it.
    pub(super) fn size(&self) -> usize {
        self.mesh.vertices().len() + self.mesh.triangles().len()
    }

    /// The shape's vertices in the world, and the box around its faces [K98 §3.3].
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
    vertices: Vec<Point>,
    pub(super) bounds: Aabb,
}

impl Posed<'_> {
    pub(super) fn face_count(&self) -> u32 {
        self.model.mesh.triangles().len() as u32
    }

    pub(super) fn surface(&self) -> Surface<'_> {
        let Self { model, vertices, bounds } = self;
        Surface { vertices, triangles: model.mesh.triangles(), bounds }
    }
}

impl Solid for Posed<'_> {
    fn parts(&self) -> &Parts {
        self.model.parts.get_or_init(|| Parts::of(&self.model.mesh))
    }

    fn may_hold(&self, point: &Point) -> bool {
        self.bounds.contains(point)
    }

    fn vertex(&self, v: u32) -> Point {
        self.vertices[v as usize]
    }

    fn triangle(&self, i: u32) -> Triangle {
        self.model.mesh.triangles()[i as usize].map(|v| self.vertices[v as usize])
    }
}
