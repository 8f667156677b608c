//! What an engine is asked: two shapes, where each is, and a key for what it may remember.

use crate::contract::ids::ShapeId;
use crate::contract::query::Query;
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::Motion;
use impinge_geom::pose::Pose;
use std::sync::Arc;

/// Where a shape is during a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// At one place.
    Fixed(Pose),
    /// On its way. Shared, because a motion is large and a job is passed around.
    Moving(Arc<Motion>),
    /// Each vertex on its own way.
    Deforming(Arc<Deformation>),
}

/// How a shape whose vertices move gets through a step: each of them goes straight and at a steady
/// speed, in the world, from where it was to where it is. Where it is, is the shape as it was last
/// handed to the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Deformation {
    /// The shape as it was at the start: the same triangles, and as many vertices.
    pub start: Arc<Mesh>,
    /// Where it was.
    pub from: Pose,
    /// Where it is at the end.
    pub to: Pose,
}

impl From<Pose> for Placement {
    fn from(pose: Pose) -> Self {
        Self::Fixed(pose)
    }
}

impl From<Motion> for Placement {
    fn from(motion: Motion) -> Self {
        Self::Moving(Arc::new(motion))
    }
}

impl Placement {
    /// The pose at the end of the step.
    pub fn end(&self) -> Pose {
        self.at(1.0)
    }

    /// The pose at a time between 0 and 1. Of a shape that deforms that at the start or at the end; in
    /// between it has none.
    pub fn at(&self, time: f64) -> Pose {
        match self {
            Self::Fixed(pose) => *pose,
            Self::Moving(motion) => motion.pose_at(time),
            Self::Deforming(way) if time < 1.0 => way.from,
            Self::Deforming(way) => way.to,
        }
    }
}

/// One shape at its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// What.
    pub shape: ShapeId,
    /// Where.
    pub placement: Placement,
}

/// Two shapes to be held against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The first.
    pub a: Placed,
    /// The second.
    pub b: Placed,
    /// One body against itself: neighbours are judged beyond what they share.
    pub itself: bool,
    /// A key under which an engine may remember the pair: the same for the same two bodies in every
    /// step. None if this is the only time the pair is asked about, or nothing is to be remembered.
    /// What is remembered saves time; it never changes an answer but the choice of the one pair of
    /// triangles that stands for a hit where no more is wanted.
    pub memory: Option<u64>,
    /// How much it is worth to know this pair better than others, where a budget does not last for all:
    /// 1 unless told otherwise; what is 0 comes after all that is not.
    pub priority: f32,
}

/// Jobs that are answered together: the pairs of one frame, or one pair at many poses.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The jobs.
    pub jobs: &'a [Job],
    /// What is asked of all of them.
    pub query: &'a Query,
}
