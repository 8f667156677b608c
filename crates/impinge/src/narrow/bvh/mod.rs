//! Trees of oriented boxes, made once per shape and descended two at a time: the engine for rigid
//! bodies.
//!
//! Boxes and triangles in f32 decide the bulk, with bounds for all rounding; what they leave open is
//! decided on the posed f64 vertices by exact arithmetic, so answers are those of brute force. Time
//! follows the size of what touches, not that of the meshes. Over a motion it looks at instants only.

mod dynamic;
mod job;
mod memory;
mod model;

use crate::contract::answer::{AnswerSink, Draft, Guarantee, Progress};
use crate::contract::engine::{Engine, PrepareAllError, PrepareError, Scratch};
use crate::contract::ids::ShapeId;
use crate::contract::job::{Batch, Job};
use crate::contract::query::Budget;
use crate::narrow::budget::{Deadline, Limit};
use crate::narrow::models::Models;
use impinge_geom::mesh::Mesh;
use job::{Buffers, Task};
use memory::{Memories, Memory};
use model::Model;
use rayon::prelude::*;
use std::sync::Arc;

/// Its name.
pub const NAME: &str = "bvh";

/// How many jobs one task takes. Fixed, so that results do not depend on the threads.
const CHUNK: usize = 16;

/// The engine.
#[derive(Debug, Default)]
pub struct Bvh {
    models: Models<Model>,
}

impl Engine for Bvh {
    fn name(&self) -> &'static str {
        NAME
    }

    fn guarantee(&self) -> Guarantee {
        // Exact at every instant it looks at, but between the instants of a motion it does not look.
        Guarantee { may_miss: true, ..Guarantee::EXACT }
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
        let deadline = Deadline::of(batch.query.budget);
        let kept = scratch.get::<Kept>();
        if let Budget::Work(work) = batch.query.budget {
            // One after the other: what a job leaves is for the next one. Nothing is remembered, so
            // that the same budget does the same work.
            let limit = Limit::new(&deadline, work);
            let answer =
                |job| self.answer(Asked { job, batch, limit: &limit }, &mut kept.buffers, None);
            return push(out, batch.jobs.iter().map(answer));
        }
        let mut memories: Vec<Memory> =
            batch.jobs.iter().map(|job| kept.memories.take(job.memory)).collect();
        if batch.jobs.len() <= CHUNK {
            // Not worth a second thread, nor what it takes to find one.
            let limit = Limit::new(&deadline, u64::MAX);
            let answer = |(job, memory): (&Job, &mut Memory)| {
                let memory = job.memory.is_some().then_some(memory);
                self.answer(Asked { job, batch, limit: &limit }, &mut kept.buffers, memory)
            };
            let progress = push(out, batch.jobs.iter().zip(&mut memories).map(answer));
            kept.memories.keep(batch.jobs, memories);
            return progress;
        }
        let drafts: Vec<Vec<Draft>> = batch
            .jobs
            .par_chunks(CHUNK)
            .zip(memories.par_chunks_mut(CHUNK))
            .map_init(Buffers::default, |buffers, (jobs, memories)| {
                let limit = Limit::new(&deadline, u64::MAX);
                let answer = |(job, memory): (&Job, &mut Memory)| {
                    let memory = job.memory.is_some().then_some(memory);
                    self.answer(Asked { job, batch, limit: &limit }, buffers, memory)
                };
                jobs.iter().zip(memories).map(answer).collect()
            })
            .collect();
        kept.memories.keep(batch.jobs, memories);
        push(out, drafts.into_iter().flatten())
    }
}

/// What the engine keeps between calls.
#[derive(Debug, Default)]
struct Kept {
    buffers: Buffers,
    memories: Memories,
}

/// One job of a batch, and how much may be done for it.
#[derive(Clone, Copy)]
struct Asked<'a> {
    job: &'a Job,
    batch: &'a Batch<'a>,
    limit: &'a Limit<'a>,
}

/// Hands over the answers.
fn push(out: &mut AnswerSink<'_>, drafts: impl Iterator<Item = Draft>) -> Progress {
    let mut progress = Progress::Complete;
    for draft in drafts {
        if !draft.complete {
            progress = Progress::Limit;
        }
        out.push(&draft);
    }
    progress
}

impl Bvh {
    fn answer(
        &self,
        Asked { job, batch, limit }: Asked<'_>,
        buffers: &mut Buffers,
        memory: Option<&mut Memory>,
    ) -> Draft {
        let models = [self.models.get(job.a.shape), self.models.get(job.b.shape)];
        Task { job, query: batch.query, models, limit, buffers, memory }.answer()
    }
}
