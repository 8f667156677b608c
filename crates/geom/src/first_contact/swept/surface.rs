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
    /// One triangle of each vertex, or `u32::MAX` for one that is not in use.
    vertex_triangles: Vec<u32>,
}

impl Surface {
    /// Of these triangles. An edge has two different ends: what a triangle that names a vertex twice
    /// lacks is no edge.
    pub fn new(triangles: &[[u32; 3]]) -> Self {
        let named = triangles.as_flattened().iter().max().map_or(0, |&last| last as usize + 1);
        let mut edges: Vec<(u64, u32)> = Vec::with_capacity(3 * triangles.len());
        let mut first = vec![u32::MAX; named];
        for (&[a, b, c], triangle) in triangles.iter().zip(0..) {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                // The greater end comes first, as edges are ordered by it.
                if from != to {
                    let key = u64::from(from.max(to)) << 32 | u64::from(from.min(to));
                    edges.push((key, triangle));
                }
            }
            for vertex in [a, b, c] {
                let first = &mut first[vertex as usize];
                *first = triangle.min(*first);
            }
        }
        edges.sort_unstable();
        edges.dedup_by_key(|&mut (edge, _)| edge);
        let used = (0..).zip(&first).filter(|&(_, &triangle)| triangle != u32::MAX);
        Self {
            triangles: triangles.to_vec(),
            edges: edges.iter().map(|&(key, _)| [key as u32, (key >> 32) as u32]).collect(),
            edge_triangles: edges.iter().map(|&(_, triangle)| triangle).collect(),
            vertices: used.map(|(vertex, _)| vertex).collect(),
            vertex_triangles: first,
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
        let triangle = self.vertex_triangles.get(vertex as usize).copied();
        triangle.filter(|&triangle| triangle != u32::MAX)
    }

    /// How many vertices there must be at least.
    pub fn vertices_min(&self) -> usize {
        self.vertex_triangles.len()
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
