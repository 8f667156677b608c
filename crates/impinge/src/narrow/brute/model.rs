//! What the engine keeps of a shape, and a shape at its place.

use impinge_geom::aabb::Aabb;
use impinge_geom::inside::{Location, locate};
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_geom::topology::Topology;
use impinge_geom::{Point, Triangle};
use std::sync::Arc;

/// A prepared shape.
#[derive(Debug)]
pub(super) struct Model {
    mesh: Arc<Mesh>,
    /// Whether the shape has an inside.
    closed: bool,
    /// One vertex of each connected part.
    representatives: Vec<u32>,
}

impl Model {
    pub(super) fn of(mesh: &Arc<Mesh>) -> Self {
        let topology = Topology::of(mesh);
        let mut representatives = vec![u32::MAX; topology.component_count];
        for (corners, &part) in mesh.triangles().iter().zip(&topology.components) {
            let representative = &mut representatives[part as usize];
            *representative = (*representative).min(corners[0]);
        }
        Self { mesh: Arc::clone(mesh), closed: topology.closed, representatives }
    }

    pub(super) fn triangle_count(&self) -> usize {
        self.mesh.triangles().len()
    }

    /// A box around the shape in its own frame.
    pub(super) fn bounds(&self) -> Aabb {
        self.mesh.bounds()
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

    pub(super) fn triangle(&self, i: usize) -> Triangle {
        self.triangles()[i].map(|v| self.vertices[v as usize])
    }

    /// Whether some connected part of `other` lies inside this shape, given that the surfaces do not
    /// meet: then a part is inside with all its points or with none.
    pub(super) fn holds_part_of(&self, other: &Posed<'_>) -> bool {
        self.model.closed
            && other.model.representatives.iter().any(|&vertex| {
                let point = other.vertices[vertex as usize];
                self.bounds.contains(&point)
                    && locate(&point, (0..self.triangles().len()).map(|i| self.triangle(i)))
                        == Location::Inside
            })
    }
}
