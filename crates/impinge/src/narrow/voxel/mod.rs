//! Points of one body in the voxels of another [V00 §5]: answers within a length that the user chooses, at
//! haptic rates, and always with what they can be trusted for.
//!
//! A pair is a hit if a point of one body's shell is in a filled voxel of the other. Called free, no point
//! of the surface of either body is deeper in the other than [`Guarantee::unseen_max`]; called a hit, the
//! bodies are no farther apart than [`Guarantee::error_max`]. Both are proven for the shells at hand; see
//! docs/notes/voxels.md. Points in voxels are told as
//! [`Answers::touches`](crate::contract::answer::Answers::touches). There are no triangles in an answer but
//! those of a clearance, which is measured on the meshes.
//!
//! Over a motion points are followed: none passes through a part, however thin. Shapes that deform over a step
//! are answered as by every engine, exactly. A body against itself is not something voxels can tell; it is
//! `Unknown`.

mod job;
mod model;
mod settings;
mod touch;
mod wrench;

use crate::contract::answer::{AnswerSink, Answers, Guarantee, Progress};
use crate::contract::engine::{Engine, PrepareAllError, PrepareError, Scratch};
use crate::contract::ids::ShapeId;
use crate::contract::job::{Batch, Job};
use crate::contract::query::Budget;
use crate::narrow::budget::{Deadline, Limit};
use crate::narrow::models::Models;
use impinge_geom::mesh::Mesh;
use job::{Buffers, Task};
use model::Model;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) use settings::read;
pub use settings::{SETTINGS, Settings, Sides, Size};
pub use wrench::{Spring, Wrench};

/// Its name.
pub const NAME: &str = "voxel";

/// How many jobs one task takes. Fixed, so that results do not depend on the threads.
const CHUNK: usize = 32;

/// The engine.
#[derive(Debug, Default)]
pub struct Voxel {
    settings: Settings,
    sizes: Vec<(Arc<Mesh>, f64)>,
    /// Of shapes that have a size of their own.
    own: HashMap<ShapeId, f64>,
    models: Models<Model>,
}

impl Voxel {
    /// With these parameters.
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Voxels of this edge for one mesh, which is handed over later. In a world,
    /// [`World::add_shapes_to`](crate::world::World::add_shapes_to) does the same for single bodies.
    #[must_use]
    pub fn with_size_of(mut self, mesh: Arc<Mesh>, size: f64) -> Self {
        self.sizes.push((mesh, size));
        self
    }

    fn model(&self, shape: ShapeId, mesh: &Arc<Mesh>) -> Result<Model, PrepareError> {
        let of_mesh =
            || self.sizes.iter().find(|(known, _)| Arc::ptr_eq(known, mesh) || known == mesh);
        let own = self.own.get(&shape).or_else(|| of_mesh().map(|(_, size)| size));
        Model::of(mesh, &self.settings, own.copied())
            .map_err(|error| PrepareError { engine: NAME, reason: error.to_string() })
    }

    fn answer(
        &self,
        batch: &Batch<'_>,
        (limit, buffers): (&Limit<'_>, &mut Buffers),
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let mut progress = Progress::Complete;
        for job in batch.jobs {
            let models = [self.models.get(job.a.shape), self.models.get(job.b.shape)];
            let sides = self.settings.sides;
            let mut draft =
                Task { job, query: batch.query, models, limit, sides, buffers }.answer();
            if !draft.complete {
                progress = Progress::Limit;
            }
            out.push(&mut draft);
            buffers.recycle(draft);
        }
        progress
    }

    fn side_by_side(
        &self,
        batch: &Batch<'_>,
        deadline: &Deadline,
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let answer = |jobs: &[Job]| {
            let mut part = Answers::with_capacity(jobs.len());
            let (limit, mut buffers) = (Limit::new(deadline, u64::MAX), Buffers::default());
            let share = Batch { jobs, query: batch.query };
            let progress = self.answer(&share, (&limit, &mut buffers), &mut part.refill());
            (part, progress)
        };
        let parts: Vec<(Answers, Progress)> = batch.jobs.par_chunks(CHUNK).map(answer).collect();
        parts.into_iter().fold(Progress::Complete, |all, (part, progress)| {
            out.append(part);
            all.min(progress)
        })
    }
}

impl Engine for Voxel {
    fn name(&self) -> &'static str {
        NAME
    }

    fn guarantee(&self) -> Guarantee {
        // How much depends on the voxels of the bodies; each answer tells.
        Guarantee { may_invent: true, error_max: f64::INFINITY, ..Guarantee::BLIND }
    }

    /// The edge of the voxels.
    fn set_accuracy(&mut self, shape: ShapeId, length: Option<f64>) {
        match length {
            Some(size) => self.own.insert(shape, size),
            None => self.own.remove(&shape),
        };
    }

    fn prepare(&mut self, shape: ShapeId, mesh: &Arc<Mesh>) -> Result<(), PrepareError> {
        let model = self.model(shape, mesh)?;
        self.models.insert(shape, model);
        Ok(())
    }

    fn prepare_all(&mut self, shapes: &[(ShapeId, Arc<Mesh>)]) -> Result<(), PrepareAllError> {
        // Each of them is made by all threads.
        let mut made = Vec::with_capacity(shapes.len());
        for (index, (shape, mesh)) in shapes.iter().enumerate() {
            let model = self.model(*shape, mesh);
            let model = model.map_err(|error| PrepareAllError { index, error })?;
            made.push((*shape, model));
        }
        made.into_iter().for_each(|(shape, model)| self.models.insert(shape, model));
        Ok(())
    }

    fn release(&mut self, shape: ShapeId) {
        self.models.remove(shape);
        self.own.remove(&shape);
    }

    fn bytes(&self) -> usize {
        self.models.bytes(Model::bytes)
    }

    fn collide(
        &self,
        batch: &Batch<'_>,
        scratch: &mut Scratch,
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let deadline = Deadline::of(batch.query.budget);
        let work = match batch.query.budget {
            Budget::Work(work) => work,
            Budget::Unlimited | Budget::Time(_) => u64::MAX,
        };
        // With a budget of work one after the other: what a job leaves is for the next one.
        if batch.jobs.len() <= 2 * CHUNK || matches!(batch.query.budget, Budget::Work(_)) {
            let limit = Limit::new(&deadline, work);
            return self.answer(batch, (&limit, scratch.get::<Buffers>()), out);
        }
        self.side_by_side(batch, &deadline, out)
    }
}
