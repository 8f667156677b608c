//! A mesh whose vertices may move.

use crate::aabb::Aabb;
use crate::mesh::{Mesh, MeshError, check_point};
use crate::{COORDINATE_MAX, COORDINATE_MIN, Point};
use impinge_simd::faces::points::{Accepted, take};
use std::sync::Arc;

/// A mesh, and the box around its vertices.
///
/// Invariant: `bounds()` holds all vertices, also those that no triangle uses.
#[derive(Clone, Debug)]
pub struct Skin {
    mesh: Arc<Mesh>,
    bounds: Aabb,
    /// Where the next vertices go until all of them are known to be good.
    spare: Vec<Point>,
}

const ACCEPTED: Accepted = Accepted { least: COORDINATE_MIN, most: COORDINATE_MAX };

impl Skin {
    /// Of a mesh as it is.
    pub fn of(mesh: Arc<Mesh>) -> Self {
        Self { bounds: Aabb::around(mesh.vertices()), mesh, spare: Vec::new() }
    }

    /// Other vertices for the same triangles; as many as before. If some are refused, nothing has
    /// changed. The memory is used again unless someone else holds the mesh. One pass over the
    /// vertices.
    pub fn deform(&mut self, vertices: &[Point]) -> Result<(), MeshError> {
        let needed = self.mesh.vertices().len();
        if vertices.len() != needed {
            return Err(MeshError::VertexCount { found: vertices.len(), needed });
        }
        self.spare.resize(needed, [0.0; 3]);
        let Some([min, max]) = take(vertices, &mut self.spare, ACCEPTED) else {
            return Err(first_fault(vertices));
        };
        self.bounds = Aabb { min, max };
        Arc::make_mut(&mut self.mesh).exchange_vertices(&mut self.spare);
        Ok(())
    }

    /// The mesh as it is now.
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.mesh
    }

    /// The box around all vertices, also those that no triangle uses.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }
}

/// Why the first vertex that is refused is refused.
#[cold]
fn first_fault(vertices: &[Point]) -> MeshError {
    let check = |(vertex, point): (usize, &Point)| check_point(vertex, &mut point.clone()).err();
    vertices.iter().enumerate().find_map(check).unwrap_or(MeshError::NoFaces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_deformation_changes_nothing() {
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
        let mut skin = Skin::of(Arc::new(mesh));
        let before = (Arc::clone(skin.mesh()), *skin.bounds());
        let bad = [corners[0], [f64::NAN, 0.0, 0.0], corners[2]];
        assert!(matches!(skin.deform(&bad), Err(MeshError::NotFinite { vertex: 1, .. })));
        assert!(matches!(skin.deform(&corners[..2]), Err(MeshError::VertexCount { .. })));
        assert_eq!((skin.mesh(), skin.bounds()), (&before.0, &before.1));
        drop(before);
        let moved = corners.map(|[x, y, z]| [x + 2.0, y, z]);
        skin.deform(&moved).unwrap();
        assert_eq!(skin.mesh().vertices(), moved);
        assert_eq!(skin.bounds(), &Aabb { min: [2.0, 0.0, 0.0], max: [3.0, 1.0, 0.0] });
    }
}
