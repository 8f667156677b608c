//! Any even number of faces: a closed surface is cut finer until it has as many as asked for.
//!
//! Each cut halves the longest edge and the two faces beside it, so that faces stay well shaped and
//! seams stay closed. Closed surfaces have three edges for two faces, so odd numbers cannot be met.

use crate::surface::Surface;
use glam::DVec3;
use impinge_geom::Point;
use std::collections::{BTreeMap, BinaryHeap};

impl Surface {
    /// Cuts faces in two until there are at least `faces`; corners lie in the middle of edges, so the
    /// solid stays what it is.
    pub(crate) fn refined(self, faces: u32) -> Self {
        let half = |[a, b]: [DVec3; 2]| ((a + b) * 0.5).to_array();
        self.refined_by(faces, half)
    }

    /// The same with corners where `middle` puts them between the ends of an edge.
    pub(crate) fn refined_by(self, faces: u32, middle: impl Fn([DVec3; 2]) -> Point) -> Self {
        let mut cutter = Cutter::new(self);
        while cutter.surface.triangles.len() < faces as usize {
            let Some(edge) = cutter.longest() else { break };
            let corner = middle(edge.map(|v| cutter.corner(v)));
            cutter.cut(edge, corner);
        }
        cutter.surface
    }
}

/// A surface with its edges by length.
struct Cutter {
    surface: Surface,
    /// The face to the left of each directed edge; only ever asked for one key.
    left: BTreeMap<[u32; 2], u32>,
    /// Squares of lengths as bits, which sort as the numbers do; ties go to the lower vertices.
    longest: BinaryHeap<(u64, std::cmp::Reverse<[u32; 2]>)>,
}

impl Cutter {
    fn new(surface: Surface) -> Self {
        let mut cutter = Self { left: BTreeMap::new(), longest: BinaryHeap::new(), surface };
        for face in 0..cutter.surface.triangles.len() as u32 {
            cutter.register(face);
        }
        cutter
    }

    fn corner(&self, vertex: u32) -> DVec3 {
        DVec3::from_array(self.surface.vertices[vertex as usize])
    }

    fn register(&mut self, face: u32) {
        let [a, b, c] = self.surface.triangles[face as usize];
        for [from, to] in [[a, b], [b, c], [c, a]] {
            self.left.insert([from, to], face);
            if from < to {
                let square = self.corner(from).distance_squared(self.corner(to));
                self.longest.push((square.to_bits(), std::cmp::Reverse([from, to])));
            }
        }
    }

    /// An edge is listed again whenever a face beside it changes, and stays listed when it is cut.
    fn longest(&mut self) -> Option<[u32; 2]> {
        while let Some((_, std::cmp::Reverse(edge))) = self.longest.pop() {
            if self.left.contains_key(&edge) {
                return Some(edge);
            }
        }
        None
    }

    fn cut(&mut self, [a, b]: [u32; 2], corner: Point) {
        let middle = self.surface.vertices.len() as u32;
        self.surface.vertices.push(corner);
        for [from, to] in [[a, b], [b, a]] {
            let Some(face) = self.left.remove(&[from, to]) else { continue };
            let old = self.surface.triangles[face as usize];
            let swapped = |end: u32| old.map(|v| if v == end { middle } else { v });
            self.surface.triangles[face as usize] = swapped(to);
            let added = self.surface.triangles.len() as u32;
            self.surface.triangles.push(swapped(from));
            self.register(face);
            self.register(added);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::tests::closed_outward;

    #[test]
    fn every_even_number_is_met_and_the_solid_stays() {
        for faces in (8..200).step_by(2) {
            let two_cones = Surface::revolved(&[[0.0, -1.0], [1.0, 0.0], [0.0, 1.0]], 4);
            let mesh = two_cones.refined(faces).finish("cones", [1.0; 3]).unwrap();
            assert_eq!(mesh.face_count(), faces as usize);
            assert_eq!(closed_outward(&mesh), 2);
            let volume: f64 = (0..faces)
                .map(|i| mesh.triangle(i).map(DVec3::from_array))
                .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
                .sum();
            assert!((volume - 4.0 / 3.0).abs() < 1e-12, "{faces}: {volume}");
        }
    }

    #[test]
    fn faces_become_alike() {
        let two_cones = Surface::revolved(&[[0.0, -1.0], [1.0, 0.0], [0.0, 1.0]], 4);
        let fine = two_cones.refined(3000);
        let longest =
            fine.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).map(|edge| {
                let [a, b] = edge.map(|v| DVec3::from_array(fine.vertices[v as usize]));
                a.distance(b)
            });
        assert!(longest.fold(0.0, f64::max) < 0.2);
    }
}
