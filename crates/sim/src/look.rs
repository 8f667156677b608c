//! What a body looks like at the moment: its vertices, if they move in time, and how far it reaches.

use crate::body::Deformation;
use crate::mass::{MassSource, Solid};
use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use std::sync::Arc;

/// One per body.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    mesh: Arc<Mesh>,
    /// The vertices that faces use; bodies of the same mesh share them. Empty for one that deforms.
    points: Arc<[Point]>,
    pub(crate) source: MassSource,
    /// Whether faces are clockwise seen from outside.
    inverted: bool,
    skin: Option<Skin>,
}

/// How a body deforms, and its vertices now.
#[derive(Clone, Debug)]
struct Skin {
    cycle: Deformation,
    vertices: Vec<Point>,
}

/// What is worked out once for all bodies of a mesh.
pub(crate) struct Known {
    mesh: Arc<Mesh>,
    pub(crate) solid: Solid,
    pub(crate) points: Arc<[Point]>,
}

impl Known {
    pub(crate) fn of(mesh: &Arc<Mesh>) -> Self {
        let used = mesh.vertices().iter().zip(mesh.used());
        let points = used.filter_map(|(vertex, used)| used.then_some(*vertex)).collect();
        Self { mesh: Arc::clone(mesh), solid: Solid::of(mesh), points }
    }

    /// The look of a body with this mesh.
    pub(crate) fn look(&self, cycle: Option<Deformation>) -> Look {
        let skin = cycle.map(|cycle| {
            let vertices = self.mesh.vertices().to_vec();
            Skin { cycle, vertices }
        });
        Look {
            mesh: Arc::clone(&self.mesh),
            points: Arc::clone(&self.points),
            source: self.solid.source,
            inverted: self.solid.inverted,
            skin,
        }
    }
}

impl Look {
    /// The points that walls see.
    pub(crate) fn points(&self) -> &[Point] {
        self.skin.as_ref().map_or(&self.points, |skin| &skin.vertices)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.source == MassSource::Box
    }

    /// The unit normal of a triangle, outward if there is an outside; zero for a degenerate one.
    pub(crate) fn face_normal(&self, triangle: u32) -> Point {
        let vertices = self.skin.as_ref().map_or(self.mesh.vertices(), |skin| &skin.vertices);
        let corners = self.mesh.triangles()[triangle as usize];
        let [a, b, c] = corners.map(|v| DVec3::from(vertices[v as usize]));
        let normal = (b - a).cross(c - a).normalize_or_zero();
        if self.inverted { -normal } else { normal }.to_array()
    }

    /// The vertices at a time, if the body deforms.
    pub(crate) fn deform(&mut self, time: f64) -> Option<&[Point]> {
        let skin = self.skin.as_mut()?;
        skin.cycle.vertices_at(time, &mut skin.vertices);
        Some(&skin.vertices)
    }
}
