//! A surface under construction: how all samples get from corners and triangles to a mesh.

use crate::error::SampleError;
use crate::turn::turn;
use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;

/// No sample has more faces.
pub(crate) const FACES_MAX: u64 = 10_000_000;

/// Corners before rounding, and outward triangles.
#[derive(Default)]
pub(crate) struct Surface {
    pub(crate) vertices: Vec<Point>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// Turns a profile of `[radius, z]` about the z axis, in `segments` steps.
    ///
    /// The profile begins and ends on the axis (radius 0) and has the body on its left: from the
    /// bottom outward, then up. Makes `2 · segments · (points − 2)` triangles.
    pub(crate) fn revolved(profile: &[[f64; 2]], segments: u32) -> Self {
        let rings = &profile[1..profile.len() - 1];
        let circle: Vec<[f64; 2]> = (0..segments).map(|j| turn(j, segments)).collect();
        let mut vertices = vec![[0.0, 0.0, profile[0][1]]];
        for &[radius, z] in rings {
            vertices.extend(circle.iter().map(|[c, s]| [radius * c, radius * s, z]));
        }
        let top = vertices.len() as u32;
        vertices.push([0.0, 0.0, profile[profile.len() - 1][1]]);
        let mut triangles = Vec::with_capacity(2 * rings.len() * segments as usize);
        triangles.extend(pairs_around(segments).map(|(j, next)| [0, 1 + next, 1 + j]));
        for ring in 1..rings.len() as u32 {
            let (low, high) = (1 + (ring - 1) * segments, 1 + ring * segments);
            for (j, next) in pairs_around(segments) {
                triangles.push([low + j, low + next, high + next]);
                triangles.push([low + j, high + next, high + j]);
            }
        }
        let last = top - segments;
        triangles.extend(pairs_around(segments).map(|(j, next)| [last + j, last + next, top]));
        Self { vertices, triangles }
    }

    /// Puts another surface beside this one.
    pub(crate) fn append(&mut self, other: Self) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
    }

    /// Closes a grid of `n` loops of `m` vertices each in both directions, like a torus.
    /// Outward if each loop turns by the right-hand rule about the way to the next loop.
    pub(crate) fn looped(vertices: Vec<Point>, n: u32, m: u32) -> Self {
        let mut triangles = Vec::with_capacity(2 * vertices.len());
        for (i, next_i) in pairs_around(n) {
            for (j, next_j) in pairs_around(m) {
                let (a, b) = (i * m + j, next_i * m + j);
                let (c, d) = (next_i * m + next_j, i * m + next_j);
                triangles.push([a, c, b]);
                triangles.push([a, d, c]);
            }
        }
        Self { vertices, triangles }
    }

    /// The mesh: coordinates rounded to multiples of 2⁻²⁰ of `size`, the extent along each axis
    /// (taken down to a power of two).
    ///
    /// Rounded so, every coordinate is exact in f32 too: a sample written to a binary STL file, or
    /// given to a library that computes in f32, is still the same mesh.
    pub(crate) fn finish(mut self, sample: &'static str, size: Point) -> Result<Mesh, SampleError> {
        let grid = Grid::of(size);
        for vertex in &mut self.vertices {
            *vertex = grid.round(*vertex);
        }
        let flat = |t: &[u32; 3]| has_no_area(t.map(|v| self.vertices[v as usize]), grid.quantum);
        if let Some(face) = self.triangles.iter().position(flat) {
            return Err(SampleError::TooFine { sample, face });
        }
        let mesh = Mesh::new(self.vertices, self.triangles);
        Ok(mesh.expect("a surface has faces, indices within its vertices and finite coordinates"))
    }
}

/// The coordinates that a sample's corners are rounded to: multiples of 2⁻²⁰ of its size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    quantum: Point,
}

impl Grid {
    /// For an extent along each axis, which is taken down to a power of two.
    pub(crate) fn of(size: Point) -> Self {
        Self { quantum: size.map(|extent| power_of_two_below(extent) * 0.5f64.powi(20)) }
    }

    pub(crate) fn round(self, point: Point) -> Point {
        // Adding zero turns −0 into 0.
        let along = |k: usize| (point[k] / self.quantum[k]).round() * self.quantum[k] + 0.0;
        [along(0), along(1), along(2)]
    }
}

/// Refuses more faces than [`FACES_MAX`], before anything is allocated for them.
pub(crate) fn check_faces(sample: &'static str, faces: u64) -> Result<(), SampleError> {
    if faces > FACES_MAX {
        return Err(SampleError::TooManyFaces { sample, faces, limit: FACES_MAX });
    }
    Ok(())
}

/// Every index with the one after it, the last with the first.
fn pairs_around(n: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..n).map(move |j| (j, if j + 1 == n { 0 } else { j + 1 }))
}

fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & (0x7ff << 52))
}

/// Exact: counted in quanta, coordinates are integers of at most 22 bits.
fn has_no_area(corners: [Point; 3], quantum: Point) -> bool {
    let [a, b, c] = corners.map(|p| DVec3::from_array(p) / DVec3::from_array(quantum));
    (b - a).cross(c - a) == DVec3::ZERO
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Panics unless the surface is closed and oriented outward; returns its Euler characteristic.
    pub(crate) fn closed_outward(mesh: &Mesh) -> i64 {
        let mut edges: BTreeMap<[u32; 2], i32> = BTreeMap::new();
        let mut volume = 0.0;
        for (i, &[a, b, c]) in mesh.triangles().iter().enumerate() {
            for edge in [[a, b], [b, c], [c, a]] {
                *edges.entry(edge).or_default() += 1;
            }
            let [a, b, c] = mesh.triangle(i as u32).map(DVec3::from_array);
            assert!((b - a).cross(c - a).length() > 0.0, "face {i} is degenerate");
            volume += a.dot(b.cross(c)) / 6.0;
        }
        for (&[a, b], &count) in &edges {
            assert_eq!(count, 1, "edge {a}-{b} is used {count} times in one direction");
            assert!(edges.contains_key(&[b, a]), "edge {a}-{b} is open");
        }
        assert!(volume > 0.0, "the volume is {volume}");
        let mut used = vec![false; mesh.vertices().len()];
        mesh.triangles().iter().flatten().for_each(|&v| used[v as usize] = true);
        assert!(used.iter().all(|&u| u), "a vertex belongs to no face");
        let (v, e) = (mesh.vertices().len() as i64, edges.len() as i64 / 2);
        v - e + mesh.triangles().len() as i64
    }

    #[test]
    #[should_panic(expected = "is open")]
    fn the_check_sees_a_hole() {
        let mut open = Surface::revolved(&[[0.0, -1.0], [1.0, 0.0], [0.0, 1.0]], 4);
        open.triangles.pop();
        closed_outward(&open.finish("open", [1.0; 3]).unwrap());
    }

    #[test]
    #[should_panic(expected = "the volume is -")]
    fn the_check_sees_an_inside_out_body() {
        let mut reversed = Surface::revolved(&[[0.0, -1.0], [1.0, 0.0], [0.0, 1.0]], 4);
        reversed.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        closed_outward(&reversed.finish("reversed", [1.0; 3]).unwrap());
    }

    #[test]
    fn a_face_that_vanishes_is_an_error() {
        let needle = Surface::revolved(&[[0.0, -1.0], [1e-7, 0.0], [0.0, 1.0]], 4);
        let error = needle.finish("needle", [1.0; 3]).unwrap_err();
        assert_eq!(error, SampleError::TooFine { sample: "needle", face: 0 });
    }
}
