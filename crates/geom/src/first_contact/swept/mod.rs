//! Meshes whose vertices move in straight lines over a step, against each other or against themselves:
//! which vertices meet which faces and which edges meet which edges, and when; or just what meets
//! first.
//!
//! A [`Surface`] holds each edge and each vertex of a mesh once and is kept as long as the triangles
//! stay. Boxes around the ways of all features, sorted into `columns`, find the pairs that may meet;
//! most of them are certainly apart, which takes some nanoseconds each (`impinge_simd::swept_cull`), and
//! [`linear`](super::linear) judges what is left, exactly where it matters: no contact is missed, and
//! what is reported is one, or comes as near as its `within` says, which is some roundings of the
//! coordinates.
//!
//! **Neighbours.** Features of one mesh that share a vertex always meet there; such pairs are left
//! out. A vertex is shared if both features name it, or if they name two whose coordinates are equal
//! both at the start and at the end, so that meshes with split vertices are judged alike.
//!
//! What is told depends on the input alone, not on the number of threads.

mod columns;
mod first;
mod judge;
mod rows;
mod surface;
mod tasks;

pub use surface::Surface;

use crate::motion::MotionError;
use crate::motion::vertex::VertexMotion;
use rayon::prelude::*;
use tasks::{Memory, Quota, Stage};

/// A mesh on its way through a step.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'a> {
    surface: &'a Surface,
    motion: VertexMotion<'a>,
}

impl<'a> Moving<'a> {
    /// Fails if the triangles name vertices that the motion lacks.
    pub fn new(surface: &'a Surface, motion: VertexMotion<'a>) -> Result<Self, MotionError> {
        let (start, end) = (surface.vertices_min(), motion.len());
        if end < start {
            return Err(MotionError::VertexCount { start, end });
        }
        Ok(Self { surface, motion })
    }
}

/// What is held against what.
#[derive(Clone, Copy, Debug)]
pub enum Bodies<'a> {
    /// One mesh against itself.
    One(Moving<'a>),
    /// A mesh A against another one B.
    Two([Moving<'a>; 2]),
}

impl<'a> Bodies<'a> {
    /// A and B; twice the same for one mesh.
    fn both(&self) -> [Moving<'a>; 2] {
        match *self {
            Self::One(body) => [body, body],
            Self::Two(bodies) => bodies,
        }
    }

    fn is_one(&self) -> bool {
        matches!(self, Self::One(_))
    }
}

/// What is asked of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    /// How wide the interval of a contact may be.
    pub tolerance: f64,
    /// Only contacts up to this time matter; from 0 to 1.
    pub until: f64,
    /// Of each kind no more collisions than this are told; the search ends when there are more.
    pub collisions_max: usize,
}

impl Default for Asked {
    fn default() -> Self {
        Self { tolerance: 1e-6, until: 1.0, collisions_max: usize::MAX }
    }
}

/// How much was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Pairs of boxes that were looked at.
    pub looks: u64,
    /// Pairs of features whose boxes overlap.
    pub boxes: u64,
    /// Pairs of features that were judged one by one.
    pub features: u64,
    /// Pairs of features that took exact arithmetic.
    pub exact: u64,
}

impl Work {
    /// About what it costs, in the time that one pair of features takes that is quickly told to be
    /// apart: some nanoseconds.
    pub fn price(&self) -> u64 {
        self.looks / 8 + self.boxes + 32 * self.features + 512 * self.exact
    }

    fn add(&mut self, other: &Self) {
        self.looks += other.looks;
        self.boxes += other.boxes;
        self.features += other.features;
        self.exact += other.exact;
    }
}

/// Two features that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// The number of the feature of A and of that of B: of a vertex, of a triangle, or of an edge among
    /// [`Surface::edges`].
    pub features: [u32; 2],
    /// Nothing touches before the first time; something does at or before the second, or comes as
    /// near as `within`.
    pub time: [f64; 2],
    /// How near they are proven to come: zero where a common point is proven.
    pub within: f64,
}

/// All that meets in a step, each kind in the order of the numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collisions {
    /// A vertex of A and a face of B; of one mesh, any vertex and any face.
    pub vertex_face: Vec<Collision>,
    /// A face of A and a vertex of B; none of one mesh.
    pub face_vertex: Vec<Collision>,
    /// An edge of A and one of B; of one mesh, the edge with the lower number first.
    pub edge_edge: Vec<Collision>,
    /// How much was done for it.
    pub work: Work,
    /// Whether that is all. If not, the search was cut short, and this is what was found until then.
    pub complete: bool,
}

impl Collisions {
    fn clear(&mut self) {
        self.vertex_face.clear();
        self.face_vertex.clear();
        self.edge_edge.clear();
        self.work = Work::default();
        self.complete = false;
    }
}

/// Which features of A are held against which of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    VertexFace,
    FaceVertex,
    EdgeEdge,
    /// At one instant.
    FaceFace,
}

/// Finds collisions; keeps its memory from step to step.
#[derive(Debug, Default)]
pub struct Swept {
    memory: Memory,
    found: Collisions,
}

/// A task is not given more to do than this before the caller is asked again, unless anything goes.
const PRICE_PER_TASK: u64 = 1 << 17;

impl Swept {
    /// Everything that meets. `allow` is asked how much may be done before it is asked again, in the
    /// unit of [`Work::price`]; if nothing, the search is cut short, and this is what was found until
    /// then. The more is allowed at a time, the more threads can share it; `u64::MAX` means
    /// that there is no limit.
    pub fn collisions(
        &mut self,
        bodies: &Bodies<'_>,
        asked: &Asked,
        mut allow: impl FnMut(&Work) -> u64,
    ) -> &Collisions {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        found.complete = self.all((bodies, asked), &mut allow, &mut found);
        self.found = found;
        &self.found
    }

    /// Fills in what collides; false if the search was cut short.
    fn all(
        &mut self,
        (bodies, asked): (&Bodies<'_>, &Asked),
        allow: &mut impl FnMut(&Work) -> u64,
        found: &mut Collisions,
    ) -> bool {
        for kind in [Kind::VertexFace, Kind::FaceVertex, Kind::EdgeEdge] {
            if kind == Kind::FaceVertex && bodies.is_one() {
                continue;
            }
            let Collisions { vertex_face, face_vertex, edge_edge, work, .. } = found;
            let list = match kind {
                Kind::VertexFace => vertex_face,
                Kind::FaceVertex => face_vertex,
                Kind::EdgeEdge | Kind::FaceFace => edge_edge,
            };
            let complete = self.kind((bodies, kind, asked), allow, (list, work));
            list.par_sort_unstable_by_key(|collision| collision.features);
            if !complete {
                return false;
            }
        }
        true
    }

    /// All collisions of a kind; false if the search was cut short.
    fn kind(
        &mut self,
        (bodies, kind, asked): (&Bodies<'_>, Kind, &Asked),
        allow: &mut impl FnMut(&Work) -> u64,
        (list, work): (&mut Vec<Collision>, &mut Work),
    ) -> bool {
        let stage = Stage::new(bodies, kind, [0.0, 1.0], &mut self.memory);
        let mut tasks = stage.tasks();
        while !tasks.is_empty() {
            let allowed = allow(work);
            if allowed == 0 {
                return false;
            }
            let (count, price) = portions(allowed, tasks.len());
            let quota = Quota { price, hits: asked.collisions_max };
            let round = stage.run(&mut tasks[..count], quota, asked);
            tasks.retain(|task| !task.is_done());
            work.add(&round.work);
            list.extend(round.hits);
            if list.len() > asked.collisions_max {
                list.truncate(asked.collisions_max);
                return false;
            }
        }
        true
    }
}

/// How many of the tasks run in a round, and how much each may do.
fn portions(allowed: u64, tasks: usize) -> (usize, u64) {
    if allowed == u64::MAX {
        return (tasks, u64::MAX);
    }
    let count = (allowed / PRICE_PER_TASK).clamp(1, tasks as u64);
    (count as usize, allowed / count)
}
