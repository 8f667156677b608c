//! A mesh whose vertices may move, and what one pass over them tells.

use crate::Point;
use crate::aabb::{Aabb, Aabb32, outward};
use crate::mesh::{Mesh, MeshError};
use std::sync::Arc;

/// How many consecutive vertices share a box.
pub const BLOCK: usize = 32;

/// A mesh with the boxes around runs of its vertices.
///
/// Invariant: `boxes()[i]` holds the vertices `BLOCK · i` up to `BLOCK · (i + 1)`, whether or not
/// triangles use them, and `bounds()` holds all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    mesh: Arc<Mesh>,
    boxes: Vec<Aabb32>,
    bounds: Aabb,
}

impl Skin {
    /// Of a mesh as it is.
    pub fn of(mesh: Arc<Mesh>) -> Self {
        let mut skin = Self { mesh, boxes: Vec::new(), bounds: Aabb::EMPTY };
        skin.derive();
        skin
    }

    /// Other vertices for the same triangles; as many as before. If some are refused, nothing has
    /// changed. The memory is used again unless someone else holds the mesh.
    pub fn deform(&mut self, vertices: &[Point]) -> Result<(), MeshError> {
        Arc::make_mut(&mut self.mesh).set_vertices(vertices)?;
        self.derive();
        Ok(())
    }

    fn derive(&mut self) {
        let Self { mesh, boxes, bounds } = self;
        boxes.clear();
        *bounds = Aabb::EMPTY;
        for block in mesh.vertices().chunks(BLOCK) {
            let around = Aabb::around(block);
            *bounds = bounds.union(&around);
            boxes.push(outward(&around));
        }
    }

    /// The mesh as it is now.
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.mesh
    }

    /// Boxes around runs of vertices, rounded outward.
    pub fn boxes(&self) -> &[Aabb32] {
        &self.boxes
    }

    /// The box around all vertices, also those that no triangle uses.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_deformation_changes_nothing() {
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
        let mut skin = Skin::of(Arc::new(mesh));
        let before = skin.clone();
        let bad = [corners[0], [f64::NAN, 0.0, 0.0], corners[2]];
        assert!(matches!(skin.deform(&bad), Err(MeshError::NotFinite { vertex: 1, .. })));
        assert!(matches!(skin.deform(&corners[..2]), Err(MeshError::VertexCount { .. })));
        assert_eq!(skin, before);
        drop(before);
        let moved = corners.map(|[x, y, z]| [x + 2.0, y, z]);
        skin.deform(&moved).unwrap();
        assert_eq!(skin.mesh().vertices(), moved);
        assert_eq!(skin.bounds(), &Aabb { min: [2.0, 0.0, 0.0], max: [3.0, 1.0, 0.0] });
        assert_eq!(skin.boxes(), [[2.0, 0.0, 0.0, 3.0, 1.0, 0.0]]);
    }
}
