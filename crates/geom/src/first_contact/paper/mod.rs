//! The basic tests of the paper, as printed [E99 §4.2]: a vertex against a face, an edge against an
//! edge.
//!
//! A function d(t) is zero when the four points lie in one plane. It is looked at at both ends of the
//! motion; where its signs differ a root is approximated, and at that time it is checked whether the
//! vertex lies within the face, or the crossing within both edges. Costs two values of d where the
//! signs agree, a few more where they do not.
//!
//! **This misses contacts, and may invent some.** Kept to be measured, not to be relied on:
//! - roots that come in pairs and roots that only touch zero leave the signs at the ends alike;
//! - of three roots one is found, not always the first;
//! - where d is zero at both ends (all motion in one plane) there is no sign to change;
//! - a root is approximated, and the check is made where the approximation is.
//!
//! What the paper leaves open, and what is done here: d that is zero at one end has its root there.
//! The paper has no rule when regula falsi ends: see [`Method::RegulaFalsi`].

mod faces;
#[cfg(test)]
mod tests;

pub use faces::{Meeting, Part, faces, meeting};

use crate::Point;
use glam::DVec3;

/// How a root of d(t) is approximated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Where the straight line through the values at both ends is zero [E99 §5, figure 5].
    Linear,
    /// The same again and again between the two latest times at which d has different signs. Ends
    /// when d is zero, when the time changes by no more than [`STEP_MIN`], or after [`ROUNDS_MAX`]
    /// rounds.
    RegulaFalsi,
}

/// Regula falsi ends when its time changes by no more than this part of the motion.
pub const STEP_MIN: f64 = 1e-6;
/// Regula falsi ends after so many values of d at the latest.
pub const ROUNDS_MAX: u32 = 32;

impl Method {
    /// When a vertex meets a face, their corners moving straight at steady speeds; the vertex first,
    /// then the three corners of the face.
    pub fn vertex_face(self, start: &[Point; 4], end: &[Point; 4]) -> Option<f64> {
        self.vertex_face_along([start, end], |t| straight(start, end, t))
    }

    /// When an edge meets an edge, their ends moving straight at steady speeds; both ends of the one,
    /// then both of the other.
    pub fn edge_edge(self, start: &[Point; 4], end: &[Point; 4]) -> Option<f64> {
        self.edge_edge_along([start, end], |t| straight(start, end, t))
    }

    /// When a vertex meets a face on their way; `at` tells where the four points are at a time
    /// between 0 and 1, and `ends` where they are at 0 and 1.
    pub fn vertex_face_along(
        self,
        ends: [&[Point; 4]; 2],
        at: impl Fn(f64) -> [Point; 4],
    ) -> Option<f64> {
        let time = self.root(ends.map(plane_distance), |t| plane_distance(&at(t)))?;
        within_face(&at(time)).then_some(time)
    }

    /// When an edge meets an edge on their way, as above.
    pub fn edge_edge_along(
        self,
        ends: [&[Point; 4]; 2],
        at: impl Fn(f64) -> [Point; 4],
    ) -> Option<f64> {
        let time = self.root(ends.map(line_distance), |t| line_distance(&at(t)))?;
        within_edges(&at(time)).then_some(time)
    }

    /// A root of `d`, given its values at the ends; `None` if they have the same sign or are both
    /// zero. What is not a number has no sign.
    fn root(self, [d0, d1]: [f64; 2], d: impl Fn(f64) -> f64) -> Option<f64> {
        let changes = (d0 <= 0.0 && d1 >= 0.0) || (d0 >= 0.0 && d1 <= 0.0);
        if !changes || d0 == d1 {
            return None;
        }
        let time = match self {
            Self::Linear => d0 / (d0 - d1),
            Self::RegulaFalsi => regula_falsi([d0, d1], d),
        };
        // Infinite values have no line through them.
        time.is_finite().then_some(time)
    }
}

/// The root of `d` between two times at which it has different signs, 0 and 1 at first.
fn regula_falsi([d0, d1]: [f64; 2], d: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = ([0.0, d0], [1.0, d1]);
    let mut time = f64::INFINITY;
    for _ in 0..ROUNDS_MAX {
        let before = time;
        time = (low[0] + (high[0] - low[0]) * (low[1] / (low[1] - high[1]))).min(high[0]);
        if (time - before).abs() <= STEP_MIN {
            break;
        }
        let value = d(time);
        if value == 0.0 || !value.is_finite() {
            break;
        }
        if (value > 0.0) == (low[1] > 0.0) && low[1] != 0.0 {
            low = [time, value];
        } else {
            high = [time, value];
        }
    }
    time
}

/// Where points are that move straight at steady speeds; exactly at the ends at times 0 and 1.
fn straight(start: &[Point; 4], end: &[Point; 4], t: f64) -> [Point; 4] {
    std::array::from_fn(|i| std::array::from_fn(|k| start[i][k] * (1.0 - t) + end[i][k] * t))
}

/// The signed distance of a vertex from the plane of a face; not a number if the face has none.
fn plane_distance([v, f0, f1, f2]: &[Point; 4]) -> f64 {
    let n = face_normal([f0, f1, f2]);
    n.dot(DVec3::from(*v) - DVec3::from(*f0)) / n.length()
}

/// Six times the volume that four points span; its sign tells on which side of each other two lines
/// pass. Zero also where they are parallel.
fn line_distance([v1, v2, w1, w2]: &[Point; 4]) -> f64 {
    edge_normal([v1, v2, w1, w2]).dot(DVec3::from(*w1) - DVec3::from(*v1))
}

/// Not of unit length. Its three corners are clockwise when looking along it.
fn face_normal([f0, f1, f2]: [&Point; 3]) -> DVec3 {
    let f0 = DVec3::from(*f0);
    (DVec3::from(*f1) - f0).cross(DVec3::from(*f2) - f0)
}

/// Normal to both lines; not of unit length.
fn edge_normal([v1, v2, w1, w2]: [&Point; 4]) -> DVec3 {
    let way = |from: &Point, to: &Point| DVec3::from(*to) - DVec3::from(*from);
    way(v1, v2).cross(way(w1, w2))
}

/// Whether a vertex that lies in the plane of a face is within it.
fn within_face([v, f0, f1, f2]: &[Point; 4]) -> bool {
    let n = face_normal([f0, f1, f2]);
    let v = DVec3::from(*v);
    let side = |from: &Point, to: &Point| {
        let from = DVec3::from(*from);
        (DVec3::from(*to) - from).cross(n).dot(v - from)
    };
    side(f0, f1) <= 0.0 && side(f1, f2) <= 0.0 && side(f2, f0) <= 0.0
}

/// Whether two lines that meet do so within both edges.
fn within_edges(points: &[Point; 4]) -> bool {
    let [v1, v2, w1, w2] = points.map(DVec3::from);
    let n = (v2 - v1).cross(w2 - w1);
    let across = n.cross(w1 - v1);
    // The parameters of the crossing along both edges, times the square of the normal.
    let shares = [(v2 - v1).dot(across), (w2 - w1).dot(across)];
    let whole = n.length_squared();
    shares.iter().all(|share| (0.0..=whole).contains(share))
}
