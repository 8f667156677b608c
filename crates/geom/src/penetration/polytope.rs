//! A polytope that grows, corner by corner, towards a convex body it is inscribed in.
//!
//! Faces are triangles that know their neighbours. A new corner takes away the faces it sees and is
//! joined to the rim of the hole. All of that is done in rounded arithmetic, so the polytope may come
//! out a little dented; but it always is a closed surface between corners that were given, which is
//! all that [`Polytope::inner_radius`] builds its proof on.

use crate::Point;
use crate::distance::point_triangle;
use crate::inside::{Location, locate};
use glam::DVec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A triangle of the surface, seen counterclockwise from outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    corners: [u32; 3],
    /// The face beyond the edge from corner `k` to the next.
    neighbours: [u32; 3],
    /// The outward unit normal; zero if the face has no area to speak of.
    pub(super) normal: DVec3,
    /// The height of the face over the origin, along its normal.
    pub(super) height: f64,
    alive: bool,
}

/// A face in the order in which faces are looked at: the lowest first, then the oldest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Queued {
    height: f64,
    face: u32,
}

impl Eq for Queued {}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        // The heap gives out its greatest first.
        other.height.total_cmp(&self.height).then(other.face.cmp(&self.face))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The polytope. Invariant: the living faces form a closed surface, each edge of one face being that
/// of exactly one neighbour, in the other sense.
#[derive(Debug)]
pub(super) struct Polytope {
    corners: Vec<DVec3>,
    faces: Vec<Face>,
    queue: BinaryHeap<Queued>,
    /// Heights that differ by no more are equal.
    tolerance: f64,
    // Buffers of `grow`.
    seen: Vec<u32>,
    rim: Vec<Rim>,
}

/// An edge between a face that goes and one that stays.
#[derive(Clone, Copy, Debug)]
struct Rim {
    from: u32,
    to: u32,
    /// The face that stays, and which of its edges this is.
    beyond: u32,
    edge: usize,
}

impl Polytope {
    /// A tetrahedron; `None` if its corners lie in a plane.
    pub(super) fn new(mut corners: [DVec3; 4], tolerance: f64) -> Option<Self> {
        let [a, b, c, d] = corners;
        let volume = (b - a).cross(c - a).dot(d - a);
        if volume == 0.0 || !volume.is_finite() {
            return None;
        }
        if volume > 0.0 {
            corners.swap(1, 2);
        }
        let mut polytope = Self {
            corners: corners.to_vec(),
            faces: Vec::new(),
            queue: BinaryHeap::new(),
            tolerance,
            seen: Vec::new(),
            rim: Vec::new(),
        };
        // The last corner is under the plane of the first three, which run counterclockwise.
        polytope.push([0, 1, 2], [1, 2, 3]);
        polytope.push([1, 0, 3], [0, 3, 2]);
        polytope.push([2, 1, 3], [0, 1, 3]);
        polytope.push([0, 2, 3], [0, 2, 1]);
        Some(polytope)
    }

    /// The face of the lowest height.
    pub(super) fn lowest(&mut self) -> Option<u32> {
        while let Some(top) = self.queue.peek() {
            if self.faces[top.face as usize].alive {
                return Some(top.face);
            }
            self.queue.pop();
        }
        None
    }

    pub(super) fn face(&self, face: u32) -> &Face {
        &self.faces[face as usize]
    }

    /// Adds a corner that lies beyond `seed`. False if rounding leaves no way to do so; then nothing
    /// has changed.
    pub(super) fn grow(&mut self, seed: u32, corner: DVec3) -> bool {
        self.look_from(seed, corner);
        let linked = self.rim_is_a_loop();
        if !linked {
            self.seen.iter().for_each(|&face| self.faces[face as usize].alive = true);
            return false;
        }
        let apex = self.corners.len() as u32;
        self.corners.push(corner);
        let (first, count) = (self.faces.len() as u32, self.rim.len() as u32);
        for k in 0..count {
            // The rim is in the order of the loop, so the faces beside a new one are known.
            let Rim { from, to, beyond, edge } = self.rim[k as usize];
            let (next, last) = (first + (k + 1) % count, first + (k + count - 1) % count);
            self.faces[beyond as usize].neighbours[edge] = first + k;
            self.push([from, to, apex], [beyond, next, last]);
        }
        true
    }

    /// Takes the faces that a point sees out of the living, from `seed` on, and notes their rim. Faces
    /// in whose plane it lies count as seen: joined to their edges it would make faces without area.
    fn look_from(&mut self, seed: u32, point: DVec3) {
        self.seen.clear();
        self.rim.clear();
        self.seen.push(seed);
        self.faces[seed as usize].alive = false;
        let mut next = 0;
        while let Some(&face) = self.seen.get(next) {
            next += 1;
            for beyond in self.faces[face as usize].neighbours {
                let other = &mut self.faces[beyond as usize];
                if other.alive && other.normal.dot(point) - other.height > -self.tolerance {
                    other.alive = false;
                    self.seen.push(beyond);
                }
            }
        }
        for &face in &self.seen {
            let Face { corners, neighbours, .. } = self.faces[face as usize];
            for k in 0..3 {
                let other = &self.faces[neighbours[k] as usize];
                if other.alive {
                    let (from, to) = (corners[k], corners[(k + 1) % 3]);
                    let edge =
                        (0..3).find(|&e| other.corners[e] == to && other.neighbours[e] == face);
                    let Some(edge) = edge else { continue };
                    self.rim.push(Rim { from, to, beyond: neighbours[k], edge });
                }
            }
        }
    }

    /// Brings the rim into the order of a loop; false if it is none, or several.
    fn rim_is_a_loop(&mut self) -> bool {
        let rim = &mut self.rim;
        for k in 1..rim.len() {
            let end = rim[k - 1].to;
            let Some(next) = (k..rim.len()).find(|&i| rim[i].from == end) else { return false };
            rim.swap(k, next);
            if end == rim[0].from {
                return false;
            }
        }
        rim.len() >= 3 && rim[rim.len() - 1].to == rim[0].from
    }

    fn push(&mut self, corners: [u32; 3], neighbours: [u32; 3]) {
        let [a, b, c] = corners.map(|corner| self.corners[corner as usize]);
        let normal = (b - a).cross(c - a).try_normalize().unwrap_or(DVec3::ZERO);
        // The lowest of the three, so that rounding makes no face higher than it is.
        let height = normal.dot(a).min(normal.dot(b)).min(normal.dot(c));
        let face = self.faces.len() as u32;
        if normal != DVec3::ZERO {
            self.queue.push(Queued { height, face });
        }
        self.faces.push(Face { corners, neighbours, normal, height, alive: true });
    }

    /// The radius of a ball around the origin that lies within the convex hull of the corners: proven,
    /// or zero.
    ///
    /// The living faces are a closed surface. If a ray from the origin crosses it an odd number of
    /// times and no face is nearer than the radius, then the surface runs around the whole ball, and
    /// what it runs around is in the hull of its corners, dented or not: outside the hull there is a
    /// way to infinity that meets no face. The crossings are counted exactly, and the distances are
    /// lower bounds.
    pub(super) fn inner_radius(&self) -> f64 {
        let living = || self.faces.iter().filter(|face| face.alive);
        let triangle =
            |face: &Face| face.corners.map(|corner| <Point>::from(self.corners[corner as usize]));
        let origin = [0.0; 3];
        if locate(&origin, living().map(triangle)) != Location::Inside {
            return 0.0;
        }
        let distance = |face: &Face| point_triangle(&origin, &triangle(face)).lo;
        living().map(distance).fold(f64::INFINITY, f64::min)
    }

    #[cfg(test)]
    fn is_closed(&self) -> bool {
        self.faces.iter().enumerate().filter(|(_, face)| face.alive).all(|(i, face)| {
            (0..3).all(|k| {
                let ends = [face.corners[k], face.corners[(k + 1) % 3]];
                let other = &self.faces[face.neighbours[k] as usize];
                let back = |e: usize| {
                    other.neighbours[e] == i as u32
                        && [other.corners[(e + 1) % 3], other.corners[e]] == ends
                };
                other.alive && (0..3).any(back)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Grows a polytope to the hull of points, each the farthest over some face.
    fn hull_of(points: &[DVec3]) -> Option<Polytope> {
        let start = [points[0], points[1], points[2], points[3]];
        let mut polytope = Polytope::new(start, 1e-13)?;
        for _ in 0..points.len() {
            let Some(face) = polytope.lowest() else { break };
            let Face { normal, height, .. } = *polytope.face(face);
            let farthest =
                points.iter().copied().max_by(|p, q| normal.dot(*p).total_cmp(&normal.dot(*q)))?;
            if normal.dot(farthest) - height < 1e-12 || !polytope.grow(face, farthest) {
                break;
            }
            assert!(polytope.is_closed());
        }
        Some(polytope)
    }

    proptest! {
        /// Grids make many points of one plane or line, whose order only rounding decides.
        #[test]
        fn the_surface_stays_closed_and_its_ball_is_in_the_hull(
            points in prop::collection::vec(
                prop::array::uniform3(prop_oneof![-1.0..1.0f64, (-1..2i8).prop_map(f64::from)]),
                4..60,
            ),
            directions in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 50),
        ) {
            let points: Vec<DVec3> = points.into_iter().map(DVec3::from).collect();
            let Some(polytope) = hull_of(&points) else { return Ok(()) };
            prop_assert!(polytope.is_closed());
            let radius = polytope.inner_radius();
            for direction in directions.into_iter().filter_map(|d| DVec3::from(d).try_normalize()) {
                let most = points.iter().map(|p| p.dot(direction)).fold(f64::MIN, f64::max);
                prop_assert!(radius <= most.max(0.0) + 1e-15, "{radius} {most}");
            }
        }
    }

    #[test]
    fn a_cube_has_its_half_edge_as_radius() {
        let corner = |i: usize| {
            DVec3::from_array(std::array::from_fn(|k| if i >> k & 1 == 0 { -1.0 } else { 1.0 }))
        };
        let points: Vec<DVec3> = [0, 3, 5, 6, 1, 2, 4, 7].map(corner).to_vec();
        let radius = hull_of(&points).unwrap().inner_radius();
        assert!((radius - 1.0).abs() < 1e-13, "{radius}");
    }
}
