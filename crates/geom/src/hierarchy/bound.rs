//! What a bounding volume must be able to do.

use super::Quality;
use super::place::{Line, View};
use super::sweep::Sweep;
use crate::obb::Obb;
use crate::{Point, Triangle};

/// Points of a volume where its distance to the faces is measured: eight corners or diagonal
/// directions, six sides, and the middle last.
pub(super) type Probes = [Point; 15];

/// A bounding volume: [`crate::sphere::Sphere`], [`crate::aabb::Aabb`] or [`Obb`].
pub trait Bound: Copy + PartialEq + Send + Sync + std::fmt::Debug + sealed::Shape {
    /// A small volume that holds all the faces for certain. At least one face.
    #[doc(hidden)]
    fn around(faces: &[Triangle], quality: Quality) -> Self;
    /// Whether the volumes are certainly apart, the other one seen through `view`.
    fn is_apart(&self, other: &Self, view: &View) -> bool;
    /// A lower bound of the distance of what is in the volumes, the other one seen through `view`.
    fn gap(&self, other: &Self, view: &View) -> f64;
    /// Whether the half-line may meet what is in the volume.
    fn meets(&self, line: &Line) -> bool;
    /// A volume of the same kind that encloses this one at the start and at the times of `sweep`, in
    /// the frame of the start [E99 §4.1]. What happens between these times may leave it.
    #[must_use]
    fn swept(&self, sweep: &Sweep) -> Self;
    /// Half the length of its diagonal or its radius: to tell which of two is larger.
    fn reach(&self) -> f64;
}

pub(super) mod sealed {
    use super::{Obb, Point, Probes, Quality, Triangle};

    /// What only building needs. Rounding does not matter here: all that is kept of it is a choice.
    pub trait Shape: Sized {
        fn volume(&self) -> f64;
        fn surface(&self) -> f64;
        fn probes(&self) -> Probes;
        /// This volume modified to take in one more face; see the implementations for how. It may
        /// miss the face by rounding.
        fn grown(&self, face: &Triangle) -> Self;
        /// The smallest enclosing box of the same faces, for [E99 §3.2].
        fn enclosing_box(&self, faces: &[Triangle], quality: Quality) -> Obb;
        fn center(&self) -> Point;
    }
}
