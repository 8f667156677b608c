//! Triangle meshes as users bring them. Polygon soup is legal: only what cannot be a mesh at all is refused.

use crate::aabb::Aabb;
use crate::{COORDINATE_MAX, Point, Triangle, flush};

/// Vertices, triangles, and for each triangle the face of the user's file it came from.
///
/// Invariant: at least one triangle; every index names a vertex; every coordinate is zero or within
/// [`crate::COORDINATE_MIN`] and [`COORDINATE_MAX`]. Duplicate and degenerate triangles, open and
/// non-manifold edges are all legal.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    vertices: Vec<Point>,
    triangles: Vec<[u32; 3]>,
    /// Empty when every triangle is its own face.
    faces: Vec<u32>,
}

/// Why some numbers are no mesh.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// Nothing to collide with.
    #[error("the mesh has no faces; at least one triangle is needed")]
    NoFaces,
    /// A triangle names a vertex that is not there.
    #[error("face {face} names vertex {index}, but there are only {vertices} vertices, from 0 on")]
    IndexOutOfRange {
        /// The user's face, counted from 0.
        face: u32,
        /// The vertex it asks for, counted from 0.
        index: u32,
        /// How many there are.
        vertices: usize,
    },
    /// NaN or infinite.
    #[error("vertex {vertex} has the coordinate {value}; a finite number is needed")]
    NotFinite {
        /// The vertex, counted from 0.
        vertex: usize,
        /// What was found.
        value: f64,
    },
    /// Beyond what exact tests can handle.
    #[error("vertex {vertex} has the coordinate {value:e}; at most 2e90 is possible")]
    TooLarge {
        /// The vertex, counted from 0.
        vertex: usize,
        /// What was found.
        value: f64,
    },
    /// More than 2³² − 1 vertices or triangles.
    #[error("the mesh has {0} vertices or triangles; at most 4294967295 are possible")]
    TooMany(usize),
    /// A deformed mesh has as many vertices as before.
    #[error("{found} vertices were given for a mesh of {needed}")]
    VertexCount {
        /// Vertices given.
        found: usize,
        /// Vertices of the mesh.
        needed: usize,
    },
    /// `faces` does not run parallel to `triangles`.
    #[error("{faces} face numbers were given for {triangles} triangles")]
    FaceCount {
        /// Face numbers given.
        faces: usize,
        /// Triangles given.
        triangles: usize,
    },
}

impl Mesh {
    /// A mesh whose triangles are its faces.
    pub fn new(vertices: Vec<Point>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        Self::checked(vertices, triangles, Vec::new())
    }

    /// A mesh made from polygons: `faces[i]` is the user's face that triangle `i` is a part of.
    pub fn with_faces(
        vertices: Vec<Point>,
        triangles: Vec<[u32; 3]>,
        faces: Vec<u32>,
    ) -> Result<Self, MeshError> {
        if faces.len() != triangles.len() {
            return Err(MeshError::FaceCount { faces: faces.len(), triangles: triangles.len() });
        }
        let own_faces = faces.iter().enumerate().all(|(i, &face)| i as u32 == face);
        Self::checked(vertices, triangles, if own_faces { Vec::new() } else { faces })
    }

    fn checked(
        mut vertices: Vec<Point>,
        triangles: Vec<[u32; 3]>,
        faces: Vec<u32>,
    ) -> Result<Self, MeshError> {
        if triangles.is_empty() {
            return Err(MeshError::NoFaces);
        }
        let most = vertices.len().max(triangles.len());
        if most > u32::MAX as usize {
            return Err(MeshError::TooMany(most));
        }
        for (vertex, point) in vertices.iter_mut().enumerate() {
            check_point(vertex, point)?;
        }
        let count = vertices.len();
        for (i, corners) in triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&index| index as usize >= count) {
                let face = faces.get(i).copied().unwrap_or(i as u32);
                return Err(MeshError::IndexOutOfRange { face, index, vertices: count });
            }
        }
        Ok(Self { vertices, triangles, faces })
    }

    /// The same faces with other vertices (a deformed mesh); as many as before.
    pub fn with_vertices(&self, vertices: Vec<Point>) -> Result<Self, MeshError> {
        if vertices.len() != self.vertices.len() {
            let (found, needed) = (vertices.len(), self.vertices.len());
            return Err(MeshError::VertexCount { found, needed });
        }
        Self::checked(vertices, self.triangles.clone(), self.faces.clone())
    }

    /// Takes other vertices, as many and checked, and gives back those it had.
    pub(crate) fn exchange_vertices(&mut self, vertices: &mut Vec<Point>) {
        debug_assert_eq!(vertices.len(), self.vertices.len());
        std::mem::swap(&mut self.vertices, vertices);
    }

    /// All vertices, also those that no triangle uses.
    pub fn vertices(&self) -> &[Point] {
        &self.vertices
    }

    /// Vertex indices of all triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of triangle `i`.
    #[inline]
    pub fn triangle(&self, i: u32) -> Triangle {
        self.triangles[i as usize].map(|v| self.vertices[v as usize])
    }

    /// The user's face that triangle `i` is a part of.
    pub fn face(&self, i: u32) -> u32 {
        self.faces.get(i as usize).copied().unwrap_or(i)
    }

    /// How many faces the user sees: polygons count once.
    pub fn face_count(&self) -> usize {
        match self.faces.iter().max() {
            Some(&last) => last as usize + 1,
            None => self.triangles.len(),
        }
    }

    /// The box around everything that triangles use.
    pub fn bounds(&self) -> Aabb {
        let used = self.triangles.iter().flatten().map(|&v| &self.vertices[v as usize]);
        Aabb::around(used)
    }

    /// Whether some triangle names the vertex, for each vertex.
    pub fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.vertices.len()];
        self.triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
        used
    }
}

pub(crate) fn check_point(vertex: usize, point: &mut Point) -> Result<(), MeshError> {
    for x in point {
        if !x.is_finite() {
            return Err(MeshError::NotFinite { vertex, value: *x });
        }
        if x.abs() > COORDINATE_MAX {
            return Err(MeshError::TooLarge { vertex, value: *x });
        }
        *x = flush(*x);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Point; 3] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    #[test]
    fn what_is_no_mesh_is_refused_with_a_reason() {
        assert_eq!(Mesh::new(CORNERS.to_vec(), vec![]), Err(MeshError::NoFaces));
        let missing = Mesh::new(CORNERS.to_vec(), vec![[0, 1, 3]]).unwrap_err();
        assert_eq!(
            missing.to_string(),
            "face 0 names vertex 3, but there are only 3 vertices, from 0 on"
        );
        let bad = [[0.0, f64::NAN, 0.0], CORNERS[1], CORNERS[2]];
        assert!(matches!(
            Mesh::new(bad.to_vec(), vec![[0, 1, 2]]),
            Err(MeshError::NotFinite { vertex: 0, .. })
        ));
        let far = [CORNERS[0], [1e91, 0.0, 0.0], CORNERS[2]];
        assert!(matches!(
            Mesh::new(far.to_vec(), vec![[0, 1, 2]]),
            Err(MeshError::TooLarge { vertex: 1, .. })
        ));
    }

    #[test]
    fn soup_is_legal_and_polygons_count_once() {
        let soup = Mesh::new(CORNERS.to_vec(), vec![[0, 1, 2], [0, 1, 2], [1, 1, 1]]).unwrap();
        assert_eq!(soup.face_count(), 3);
        let quad = [CORNERS[0], CORNERS[1], [1.0, 1.0, 0.0], CORNERS[2]];
        let mesh = Mesh::with_faces(quad.to_vec(), vec![[0, 1, 2], [0, 2, 3]], vec![0, 0]).unwrap();
        assert_eq!((mesh.face_count(), mesh.face(1)), (1, 0));
    }
}
