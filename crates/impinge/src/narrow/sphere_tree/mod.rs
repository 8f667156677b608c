//! Engine `sphere-tree`: trees of spheres cut by slabs, searched best first, with an honest interval of the
//! distance whenever it is stopped (H93).
//!
//! With a budget all pairs of a batch are refined together, a few steps at a time (`turns.rs`). Without one
//! every pair is searched to its end, where the answer is exact.

mod job;
mod model;
mod turns;

use crate::contract::answer::{AnswerSink, Answers, Draft, Guarantee, Progress};
use crate::contract::engine::{Engine, PrepareAllError, PrepareError, Scratch};
use crate::contract::ids::ShapeId;
use crate::contract::job::{Batch, Job};
use crate::contract::query::{Budget, Mode, Query};
use crate::narrow::budget::{Deadline, Limit};
use crate::narrow::deforming;
use crate::narrow::instants::Instants;
use crate::narrow::models::Models;
use impinge_geom::coins::search::Refinement;
use impinge_geom::mesh::Mesh;
use job::{Course, Task};
use model::Model;
use rayon::prelude::*;
use std::sync::Arc;

/// The name users choose it by.
pub const NAME: &str = "sphere-tree";

/// Jobs that one thread takes at a time.
const CHUNK: usize = 16;

/// The engine.
#[derive(Debug, Default)]
pub struct SphereTree {
    models: Models<Model>,
}

/// Memory that is kept from batch to batch.
#[derive(Debug, Default)]
struct Kept {
    /// For one pair after the other.
    search: Refinement,
    turns: turns::Kept,
}

impl SphereTree {
    fn models(&self, job: &Job) -> [&Model; 2] {
        [self.models.get(job.a.shape), self.models.get(job.b.shape)]
    }

    /// One job on its own.
    fn answer(
        &self,
        (job, query): (&Job, &Query),
        search: &mut Refinement,
        limit: &Limit<'_>,
    ) -> Draft {
        let models = self.models(job);
        let meshes = models.map(|model| &*model.mesh);
        if deforming::is_for(job, query.mode) {
            return deforming::Course { job, query, meshes, limit, until: 1.0 }.answer();
        }
        Instants { job, mode: query.mode, meshes }.answer(|time| {
            let task = Task::new((job, time), query, models);
            if !task.is_refined() {
                return task.of_itself(limit);
            }
            let couple = task.couple();
            if !task.begin(&couple, (search, Course::Single), limit) {
                return job::nothing_known();
            }
            task.refine((&couple, search), (u64::MAX, usize::MAX), limit);
            let inside = Task::is_apart(&couple, search).then(|| task.look_inside(limit));
            task.answer((&couple, search), inside, limit)
        })
    }

    /// Jobs one after the other.
    fn one_by_one(
        &self,
        batch: &Batch<'_>,
        (kept, limit): (&mut Kept, &Limit<'_>),
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let mut progress = Progress::Complete;
        for job in batch.jobs {
            let mut draft = self.answer((job, batch.query), &mut kept.search, limit);
            if !draft.complete {
                progress = Progress::Limit;
            }
            out.push(&mut draft);
        }
        progress
    }

    fn side_by_side(
        &self,
        batch: &Batch<'_>,
        deadline: &Deadline,
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let chunks = batch.jobs.par_chunks(CHUNK);
        let parts: Vec<(Answers, Progress)> = chunks
            .map_init(Kept::default, |kept, jobs| {
                let limit = Limit::new(deadline, u64::MAX);
                let mut part = Answers::with_capacity(jobs.len());
                let share = Batch { jobs, query: batch.query };
                let progress = self.one_by_one(&share, (kept, &limit), &mut part.refill());
                (part, progress)
            })
            .collect();
        parts.into_iter().fold(Progress::Complete, |all, (part, progress)| {
            out.append(part);
            all.min(progress)
        })
    }
}

impl Engine for SphereTree {
    fn name(&self) -> &'static str {
        NAME
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::EXACT
    }

    fn prepare(&mut self, shape: ShapeId, mesh: &Arc<Mesh>) -> Result<(), PrepareError> {
        self.models.insert(shape, Model::of(mesh));
        Ok(())
    }

    fn prepare_all(&mut self, shapes: &[(ShapeId, Arc<Mesh>)]) -> Result<(), PrepareAllError> {
        self.models.insert_all(shapes, Model::of);
        Ok(())
    }

    fn release(&mut self, shape: ShapeId) {
        self.models.remove(shape);
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
        let Batch { jobs, query } = *batch;
        let deadline = Deadline::of(query.budget);
        let work = if let Budget::Work(work) = query.budget { work } else { u64::MAX };
        let limit = Limit::new(&deadline, work);
        let kept = scratch.get::<Kept>();
        if query.mode == Mode::Static && query.budget != Budget::Unlimited {
            return turns::answer(self, batch, (&mut kept.turns, &limit), out);
        }
        if jobs.len() <= CHUNK || matches!(query.budget, Budget::Work(_)) {
            return self.one_by_one(batch, (kept, &limit), out);
        }
        self.side_by_side(batch, &deadline, out)
    }
}
