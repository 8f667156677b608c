//! The world: bodies in, one step, a report out.

pub mod ask;
pub mod body;
mod bounds;
mod closing;
pub mod deform;
pub mod events;
mod filter;
mod nearby;
mod promises;
pub mod report;
mod route;
mod separation;
mod shapes;
mod skins;
mod volume;
mod ways;

use crate::broad::still::Still;
use crate::contract::answer::{Answers, Progress};
use crate::contract::bounds::BoxKind;
use crate::contract::engine::{Engine, PrepareAllError, PrepareError, Scratch};
use crate::contract::ids::{BodyId, Pair, ShapeId};
use crate::contract::job::{Batch, Job, Placement};
use crate::contract::promise::Promise;
use crate::contract::pruner::Pruner;
#[cfg(doc)]
use crate::contract::query::Budget;
use crate::contract::query::{Mode, Query};
use crate::contract::sink::Sink;
use crate::{broad, narrow};
use body::{Bodies, Body};
use bounds::{Derived, Plan};
use closing::Closing;
use deform::Refill;
use events::{Event, Seen, Touching};
use filter::PairRules;
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::Motion;
use impinge_geom::pose::Pose;
use nearby::Nearby;
use report::Report;
use shapes::Shapes;
use std::sync::Arc;
use std::time::Instant;

/// Bodies, and what touches what among them.
///
/// ```
/// use impinge::prelude::*;
///
/// let triangle = Mesh::new(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]])?;
/// let mut world = World::new();
/// let shape = world.add_shape(triangle)?;
/// let still = world.insert(Body::new(shape))?;
/// let moving = world.insert(Body::new(shape).at(Pose::shift([0.0, 0.0, 1.0])?))?;
///
/// // One above the other nothing touches, and the gap is known.
/// let report = world.step(&Query::CLEARANCE);
/// let gap = report.pairs().next().and_then(|pair| pair.answer.clearance).expect("one free pair");
/// assert!(gap.at_least <= 1.0 && 1.0 <= gap.at_most);
///
/// // Touching counts, and its beginning is an event.
/// world.set_pose(moving, Pose::shift([0.5, 0.5, 0.0])?);
/// let report = world.step(&Query::PAIRS);
/// assert_eq!(report.events(), [Event::Begin(still, moving)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct World {
    bodies: Bodies,
    shapes: Shapes,
    rules: PairRules,
    pruner: Box<dyn Pruner>,
    engine: Box<dyn Engine>,
    boxes: BoxKind,
    pair_limit: usize,
    memory: bool,
    // Buffers of the stages, in the order of the step; kept, so that a step reuses their memory.
    derived: Derived,
    still: Still,
    pairs: Vec<Pair>,
    jobs: Vec<Job>,
    scratch: Scratch,
    answers: Answers,
    touching: Touching,
    events: Vec<Event>,
    closing: Closing,
    // For questions between steps.
    nearby: Nearby,
    // For deformations of many bodies.
    refills: Vec<Refill>,
    named: Vec<(BodyId, usize)>,
}

/// How many candidate pairs a step handles unless told otherwise. With its job and its answer a pair
/// takes almost a kilobyte, so that this many take about one gigabyte.
pub const PAIR_LIMIT: usize = 1 << 20;

/// So many pairs of overlapping boxes are looked at per pair that is handled, since groups and rules
/// may forbid most of them; they take eight bytes each.
const FORBIDDEN_PER_ALLOWED: usize = 16;

/// Why a body cannot be put into the world, or not in that shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InsertError {
    /// The shape is not one of this world's.
    #[error("{0:?} is not a shape of this world; add_shape gives one")]
    UnknownShape(ShapeId),
    /// The body is not in this world.
    #[error("{0:?} is not in this world; insert gives one")]
    UnknownBody(BodyId),
    /// The shape belongs to another body.
    #[error("{0:?} is the own shape of a body that deforms; add_shape gives one with its mesh")]
    OwnShape(ShapeId),
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// An empty world with the pruner and the engine that suit most.
    pub fn new() -> Self {
        Self::with(Box::new(broad::auto::Auto::default()), Box::new(narrow::auto::Auto::default()))
    }

    /// An empty world with a chosen pruner and engine, which may come from another crate.
    pub fn with(pruner: Box<dyn Pruner>, engine: Box<dyn Engine>) -> Self {
        Self {
            bodies: Bodies::default(),
            shapes: Shapes::default(),
            rules: PairRules::default(),
            pruner,
            engine,
            boxes: BoxKind::Resized,
            pair_limit: PAIR_LIMIT,
            memory: true,
            derived: Derived::default(),
            still: Still::default(),
            pairs: Vec::new(),
            jobs: Vec::new(),
            scratch: Scratch::default(),
            answers: Answers::default(),
            touching: Touching::default(),
            events: Vec::new(),
            closing: Closing::default(),
            nearby: Nearby::default(),
            refills: Vec::new(),
            named: Vec::new(),
        }
    }

    /// Who touches whom, as `query` asks. Reads as the design, here and in `find_candidates`: each line
    /// is a stage, and data goes one way from the bodies to the report.
    ///
    /// Modes with time look at the motion since the last step, whatever its mode was: a body with a
    /// motion follows it ([`World::set_motion`]), one that was placed elsewhere moves there from where it
    /// was at the last step ([`World::set_pose`]), and all others rest, new ones
    /// ([`World::insert`]) and those put somewhere by [`World::teleport`] among them. Every step uses
    /// these motions up, also a static one, which looks at their ends: the next one finds all bodies at
    /// rest there unless they are moved again.
    ///
    /// A deadline ([`Budget::Time`]) is that of the whole step: the engine gets what the stages before it leave,
    /// less what those after it took in the steps before.
    pub fn step(&mut self, query: &Query) -> Report<'_> {
        let start = Instant::now();
        let pruned = self.find_candidates(query);
        let plan = route::Plan { bodies: &self.bodies, mode: query.mode, memory: self.memory };
        route::jobs(&plan, &self.pairs, &mut self.jobs);
        let left = self.closing.left_of(query, start);
        let batch = Batch { jobs: &self.jobs, query: &left };
        let answered = self.engine.collide(&batch, &mut self.scratch, &mut self.answers.refill());
        let closing = Instant::now();
        let bounds = self.derived.bounds();
        let seen = Seen { bodies: &self.bodies, pairs: &self.pairs, pruned, bounds };
        events::diff(&mut self.touching, &seen, &self.answers, &mut self.events);
        self.bodies.arrive(query.mode);
        // They hold meshes that the next deformations go into.
        self.jobs.clear();
        self.closing.took(closing.elapsed());
        Report::new(self, pruned.min(answered), (start.elapsed(), query.budget))
    }

    /// The stages of a step up to the sorted list of pairs.
    fn find_candidates(&mut self, query: &Query) -> Progress {
        if query.mode != Mode::Static {
            self.bodies.lay_out_ways(&self.shapes);
        }
        let plan = Plan { mode: query.mode, margin: query.margin(), boxes: self.boxes };
        self.derived.derive(&mut self.bodies, &self.shapes, plan);
        let room = self.pair_limit.saturating_mul(FORBIDDEN_PER_ALLOWED);
        let mut candidates = Sink::over(&mut self.pairs, room);
        let pruned = self.pruner.prune(self.derived.bounds(), &mut candidates);
        let pruned = pruned.min(self.still.add_pairs(self.derived.bounds(), &mut candidates));
        filter::keep_near(self.derived.bounds(), &mut self.pairs);
        filter::keep_allowed(&self.bodies, &self.rules, query, &mut self.pairs);
        self.pairs.sort_unstable(); // one order whatever the pruner, so runs compare and replay
        pruned.min(filter::keep_first(self.pair_limit, &mut self.pairs))
    }

    /// The broad phase alone: the pairs that a step would hand to the engine, and whether these are
    /// all. Events are not touched, and no motion is used up.
    pub fn candidates(&mut self, query: &Query) -> (Vec<[BodyId; 2]>, Progress) {
        let found = self.find_candidates(query);
        let id = |slot| self.bodies.id(slot);
        (self.pairs.iter().map(|pair| [id(pair.a()), id(pair.b())]).collect(), found)
    }

    /// The pruner in use.
    pub fn pruner(&self) -> &dyn Pruner {
        self.pruner.as_ref()
    }

    /// Hands over a mesh. An equal mesh gives the same shape, prepared once.
    pub fn add_shape(&mut self, mesh: impl Into<Arc<Mesh>>) -> Result<ShapeId, PrepareError> {
        let added = self.add_shapes(&[mesh.into()]);
        added.map(|shapes| shapes[0]).map_err(|refused| refused.error)
    }

    /// Hands over many meshes, which are prepared side by side; one shape for each, in their order,
    /// the same one for equal meshes. If the engine refuses one of them, none is added.
    pub fn add_shapes(&mut self, meshes: &[Arc<Mesh>]) -> Result<Vec<ShapeId>, PrepareAllError> {
        let plain: Vec<_> = meshes.iter().map(|mesh| (Arc::clone(mesh), None)).collect();
        self.add_shapes_to(&plain)
    }

    /// The same with the accuracy that each is to be decided to: for engine `voxel` the edge of its
    /// voxels, in the unit of the coordinates. Equal meshes are two shapes if their accuracies differ.
    /// Engines that answer exactly do so whatever is asked for.
    pub fn add_shapes_to(
        &mut self,
        meshes: &[(Arc<Mesh>, Option<f64>)],
    ) -> Result<Vec<ShapeId>, PrepareAllError> {
        self.shapes.add_all(meshes, self.engine.as_mut())
    }

    /// The mesh of a shape, if it is known.
    pub fn mesh(&self, shape: ShapeId) -> Option<&Arc<Mesh>> {
        self.shapes.get(shape).map(|shape| &shape.mesh)
    }

    /// Forgets a shape that no body uses any more; false if one does, or it is not known.
    pub fn remove_shape(&mut self, shape: ShapeId) -> bool {
        let in_use = self.bodies.iter().any(|(_, body)| body.shape == shape);
        !in_use && self.shapes.remove(shape, self.engine.as_mut())
    }

    /// Puts a body into the world.
    pub fn insert(&mut self, body: Body) -> Result<BodyId, InsertError> {
        self.check_shape(body.shape)?;
        // How it deformed is known of bodies that were there before.
        let placement = match body.placement {
            Placement::Deforming(way) => Placement::Fixed(way.to),
            place => place,
        };
        Ok(self.bodies.insert(Body { placement, ..body }))
    }

    /// Whether a body may have the shape.
    fn check_shape(&self, id: ShapeId) -> Result<(), InsertError> {
        match self.shapes.get(id) {
            None => Err(InsertError::UnknownShape(id)),
            Some(shape) if shape.is_own() => Err(InsertError::OwnShape(id)),
            Some(_) => Ok(()),
        }
    }

    /// Takes a body out; false if it was not there. A contact it had ends with the next step.
    pub fn remove(&mut self, id: BodyId) -> bool {
        self.rules.forget(id);
        self.release_own_shape(id);
        self.bodies.remove(id)
    }

    /// The body, if it is in the world.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.bodies.get(id)
    }

    /// All bodies, in the order of their slots.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.bodies.iter()
    }

    /// Moves a body; false if it is not in the world.
    ///
    /// For a step in a mode with time its way leads from where it was at the last step to the pose
    /// that was set last, straight and turning the shorter way round ([`Motion::lerp_slerp`]); a body
    /// that is new since then has no way. [`World::teleport`] moves without a way,
    /// [`World::set_motion`] along any other.
    pub fn set_pose(&mut self, id: BodyId, pose: Pose) -> bool {
        self.bodies.bring(id, pose.into())
    }

    /// Puts a body somewhere without a way there, so that no step looks at what is between; false if
    /// it is not in the world.
    pub fn teleport(&mut self, id: BodyId, pose: Pose) -> bool {
        self.bodies.teleport(id, pose)
    }

    /// Gives a body the motion of the next step, which need not begin where the body is; false if it
    /// is not in the world. That step leaves the body at rest at the end of the motion.
    pub fn set_motion(&mut self, id: BodyId, motion: Motion) -> bool {
        self.bodies.bring(id, motion.into())
    }

    /// Gives a body another shape, with other triangles; for other vertices alone see
    /// [`World::deform`].
    pub fn set_shape(&mut self, id: BodyId, shape: ShapeId) -> Result<(), InsertError> {
        let body = self.bodies.get(id).ok_or(InsertError::UnknownBody(id))?;
        if body.shape == shape {
            return Ok(());
        }
        self.check_shape(shape)?;
        self.release_own_shape(id);
        self.bodies.reshape(id, shape);
        Ok(())
    }

    /// The body goes or gets another shape; if it has deformed, no one else has this one.
    fn release_own_shape(&mut self, id: BodyId) {
        if let Some(body) = self.bodies.get(id) {
            self.shapes.release_own(body.shape, self.engine.as_mut());
        }
    }

    /// From now on the body moves as promised, until something else is; false if it is not in the world.
    ///
    /// Pruner `spacetime` concludes from that when bodies can meet at the earliest, and does nothing
    /// until then; others do not mind. A broken promise makes no difference to what is found, and is
    /// told by [`Report::broken_promises`]. In the step after the body was inserted, teleported,
    /// deformed or given another shape nothing is promised, and neither is when the mode or the wanted
    /// gap of the query changes. [`World::candidates`] counts as a step here.
    pub fn promise(&mut self, id: BodyId, promise: Option<Promise>) -> bool {
        let known = self.bodies.get(id).is_some();
        if known {
            self.bodies.promises.make(id.slot, promise);
        }
        known
    }

    /// What is promised of a body, if anything is.
    pub fn promise_of(&self, id: BodyId) -> Option<Promise> {
        self.bodies.get(id).and_then(|_| self.bodies.promises.of(id.slot))
    }

    /// From now on the body costs nothing per step: it is held against bodies that are not frozen,
    /// but not against other frozen ones, whatever [`World::allow`] says. A contact that two frozen
    /// bodies had goes on without events as long as their boxes overlap. Frozen bodies may still be
    /// moved, which the next step finds.
    /// False if the body is not in the world.
    pub fn freeze(&mut self, id: BodyId) -> bool {
        self.bodies.change(id, |body| body.frozen = true)
    }

    /// From now on the body is held against all others again; false if it is not in the world.
    pub fn thaw(&mut self, id: BodyId) -> bool {
        self.bodies.change(id, |body| body.frozen = false)
    }

    /// From now on boxes are of this kind.
    pub fn set_boxes(&mut self, boxes: BoxKind) {
        self.boxes = boxes;
    }

    /// From now on a step handles at most so many candidate pairs. If groups and rules allow more, or
    /// if the boxes of sixteen times as many overlap, it ends with
    /// [`Progress::Limit`](crate::contract::answer::Progress) and what was found so far.
    pub fn set_pair_limit(&mut self, limit: usize) {
        self.pair_limit = limit;
    }

    /// Whether engines may remember pairs from step to step, which is what they do unless told
    /// otherwise. It saves time where bodies move little, and changes no answer; the work it takes,
    /// as counted, then depends on the steps before.
    pub fn set_memory(&mut self, memory: bool) {
        self.memory = memory;
    }

    /// From now on the two are never tested, whatever their groups say.
    pub fn deny(&mut self, a: BodyId, b: BodyId) {
        self.rules.deny(a, b);
    }

    /// From now on the two are always tested, whatever their groups say.
    pub fn allow(&mut self, a: BodyId, b: BodyId) {
        self.rules.allow(a, b);
    }

    /// From now on their groups decide again.
    pub fn reset_rule(&mut self, a: BodyId, b: BodyId) {
        self.rules.reset(a, b);
    }
}

#[cfg(test)]
mod tests;
