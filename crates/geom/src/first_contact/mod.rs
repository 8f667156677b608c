//! First contact of things that move: when two meshes, triangles or features touch for the first
//! time, and which features meet [E99 §4].
//!
//! Time runs from 0 to 1 over a motion. What is said here holds for the real-number motion and for
//! what `pose_at` and `Pose::apply` make of it: never late, never missed.

pub mod pair;
pub mod paper;

use crate::Point;

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
    /// Their features that meet; of several that meet at once, the simplest, then the smallest.
    pub features: [Feature; 2],
    /// Where they meet, on A and on B, at the first time.
    pub points: [Point; 2],
    /// The unit direction from A to B in which they meet.
    pub normal: Point,
    /// How near the bodies are proven to come: zero where a common point at the second time is
    /// proven. A graze that rounding cannot decide has a few roundings of the coordinates here.
    pub within: f64,
}
