//! First contact of things that move: when two meshes, triangles or features touch for the first
//! time, and which features meet [E99 §4].
//!
//! Time runs from 0 to 1 over a motion. What is said here holds for the real-number motion and for
//! what `pose_at` and `Pose::apply` make of it: never late, never missed.

pub mod deforming;
pub mod linear;
pub mod pair;
pub mod paper;
pub mod swept;

use crate::mesh::Mesh;
use crate::{Point, distance};
use pair::Meeting;

/// A part of a triangle mesh that takes part in a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// A vertex, by its number in the mesh.
    Vertex(u32),
    /// An edge, by its two vertices, the smaller number first.
    Edge([u32; 2]),
    /// A triangle, by its number in the mesh.
    Face(u32),
}

/// The first contact of two meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstContact {
    /// Nothing touches before the first time; something does at or before the second.
    pub time: [f64; 2],
    /// The triangles of A and of B that meet.
    pub triangles: [u32; 2],
    /// Their features that meet: one pair of those that meet at almost the same time.
    pub features: [Feature; 2],
    /// Where they meet, on A and on B, at a time between the two.
    pub points: [Point; 2],
    /// The unit direction from A to B in which they meet.
    pub normal: Point,
    /// How near the bodies are proven to come: zero where a common point at the second time is
    /// proven. A graze that rounding cannot decide has a few roundings of the coordinates here.
    pub within: f64,
}

impl FirstContact {
    /// The contact of two triangles as one of their meshes. The interval is made as wide as it may be:
    /// then others that meet at almost the same time need not be told apart.
    pub(crate) fn of(meshes: [&Mesh; 2], triangles: [u32; 2], found: (&Meeting, f64)) -> Self {
        let corners = [0, 1].map(|k| meshes[k].triangles()[triangles[k] as usize]);
        Self::between(corners, triangles, found)
    }

    /// The same, given the corners of both triangles.
    pub(crate) fn between(
        corners: [[u32; 3]; 2],
        triangles: [u32; 2],
        (meeting, tolerance): (&Meeting, f64),
    ) -> Self {
        let feature = |k: usize| {
            let corners = corners[k];
            match meeting.features[k] {
                distance::Feature::Vertex(i) => Feature::Vertex(corners[usize::from(i)]),
                distance::Feature::Edge(i) => {
                    let i = usize::from(i);
                    let (p, q) = (corners[i], corners[(i + 1) % 3]);
                    Feature::Edge([p.min(q), p.max(q)])
                }
                distance::Feature::Face => Feature::Face(triangles[k]),
            }
        };
        let [from, to] = meeting.time;
        Self {
            time: [from.min(to - tolerance).max(0.0), to],
            triangles,
            features: [feature(0), feature(1)],
            points: meeting.points,
            normal: meeting.normal,
            within: meeting.within,
        }
    }
}

/// What is asked of a motion.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// How wide the interval of the first contact may be.
    pub tolerance: f64,
    /// Being at most so far apart counts as contact; zero for touching.
    pub distance: f64,
    /// Only contacts before this time matter.
    pub until: f64,
    /// Pairs of triangles that do not count, sorted.
    pub except: &'a [[u32; 2]],
}

/// What became of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found {
    /// No contact in the time that was asked about.
    Free,
    /// The first contact.
    Contact(FirstContact),
    /// The search was cut short; nothing meets before this time.
    CutShort(f64),
}
