//! What stays of a mesh when its vertices move: its triangles, and each edge and vertex once.

/// The triangles of a mesh with its edges and the vertices that are in use. Made once, kept as long
/// as the triangles stay.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    /// One triangle of each edge.
    edge_triangles: Vec<u32>,
    vertices: Vec<u32>,
    /// One triangle of each of the vertices.
    vertex_triangles: Vec<u32>,
}

impl Surface {
    /// Of these triangles. An edge has two different ends: what a triangle that names a vertex twice
    /// lacks is no edge.
    pub fn new(triangles: &[[u32; 3]]) -> Self {
        let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
        let mut vertices: Vec<(u32, u32)> = Vec::with_capacity(3 * triangles.len());
        for (&[a, b, c], triangle) in triangles.iter().zip(0..) {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                // The greater end comes first, as edges are ordered by it.
                if from != to {
                    edges.push(([from.max(to), from.min(to)], triangle));
                }
            }
            vertices.extend([(a, triangle), (b, triangle), (c, triangle)]);
        }
        edges.sort_unstable();
        edges.dedup_by_key(|&mut (edge, _)| edge);
        vertices.sort_unstable();
        vertices.dedup_by_key(|&mut (vertex, _)| vertex);
        Self {
            triangles: triangles.to_vec(),
            edges: edges.iter().map(|&([high, low], _)| [low, high]).collect(),
            edge_triangles: edges.iter().map(|&(_, triangle)| triangle).collect(),
            vertices: vertices.iter().map(|&(vertex, _)| vertex).collect(),
            vertex_triangles: vertices.iter().map(|&(_, triangle)| triangle).collect(),
        }
    }

    /// The triangles, as they were given.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Each edge once, the lower vertex first; in the order of the higher vertex, then of the lower.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The vertices that are corners of a triangle, in order.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// The first triangle that an edge belongs to.
    pub fn triangle_of_edge(&self, edge: u32) -> u32 {
        self.edge_triangles[edge as usize]
    }

    /// The first triangle that a vertex belongs to, if it is in use.
    pub fn triangle_of_vertex(&self, vertex: u32) -> Option<u32> {
        let place = self.vertices.binary_search(&vertex).ok()?;
        Some(self.vertex_triangles[place])
    }

    /// How many vertices there must be at least.
    pub fn vertices_min(&self) -> usize {
        self.vertices.last().map_or(0, |&last| last as usize + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_edge_and_vertex_comes_once() {
        let surface = Surface::new(&[[4, 2, 1], [2, 4, 7], [7, 7, 1]]);
        assert_eq!(surface.edges(), [[1, 2], [1, 4], [2, 4], [1, 7], [2, 7], [4, 7]]);
        assert_eq!([0, 2, 3, 5].map(|edge| surface.triangle_of_edge(edge)), [0, 0, 2, 1]);
        assert_eq!(surface.vertices(), [1, 2, 4, 7]);
        assert_eq!([7, 1, 3].map(|v| surface.triangle_of_vertex(v)), [Some(1), Some(0), None]);
        assert_eq!(surface.vertices_min(), 8);
        assert_eq!(Surface::new(&[]).vertices_min(), 0);
    }
}
