//! What a reader finds in bytes, before it has a file's name, and the faces it gathers for it.

use crate::error::{Fault, Place};
use impinge_geom::mesh::Mesh;
use impinge_geom::{Point, polygon};

/// One body of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its name, if the file gives one. Names may repeat.
    pub name: Option<String>,
    /// Its mesh, in the file's own unit.
    pub mesh: Mesh,
}

/// Polygons in file order, each a run of vertex indices.
#[derive(Default)]
pub(crate) struct Faces {
    pub(crate) corners: Vec<u32>,
    /// Where in `corners` each face ends.
    ends: Vec<usize>,
}

impl Faces {
    /// Whether there is no face yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many corners the open face has.
    pub(crate) fn open_corners(&self) -> usize {
        self.corners.len() - self.ends.last().copied().unwrap_or(0)
    }

    /// Makes a face of the corners that were added since the last one. Faces of fewer than three
    /// corners keep their number but give no triangle: they are wires and points.
    pub(crate) fn close_face(&mut self) {
        self.ends.push(self.corners.len());
    }

    /// The mesh of these faces, polygons cut into triangles.
    pub(crate) fn into_mesh(self, vertices: Vec<Point>) -> Result<Mesh, Fault> {
        let all_triangles = self.ends.iter().enumerate().all(|(i, &end)| end == 3 * (i + 1));
        let mesh = if all_triangles {
            Mesh::new(vertices, self.corners.as_chunks().0.to_vec())
        } else {
            let (triangles, faces) = self.triangulate(&vertices);
            Mesh::with_faces(vertices, triangles, faces)
        };
        mesh.map_err(|error| Fault::new(Place::Whole, error))
    }

    fn triangulate(&self, vertices: &[Point]) -> (Vec<[u32; 3]>, Vec<u32>) {
        let mut triangles = Vec::with_capacity(self.corners.len().saturating_sub(self.ends.len()));
        let mut faces = Vec::with_capacity(triangles.capacity());
        let mut start = 0;
        for (face, &end) in self.ends.iter().enumerate() {
            polygon::triangulate(vertices, &self.corners[start..end], &mut triangles);
            faces.resize(triangles.len(), face as u32);
            start = end;
        }
        (triangles, faces)
    }
}
