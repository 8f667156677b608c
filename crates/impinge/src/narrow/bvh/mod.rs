//! Trees of oriented boxes, made once per shape and descended two at a time: the engine for rigid
//! bodies.
//!
//! Boxes and triangles in f32 decide the bulk, with bounds for all rounding; what they leave open is
//! decided on the posed f64 vertices by exact arithmetic, so answers are those of brute force. Time
//! follows the size of what touches, not that of the meshes. Over a motion it finds the first contact,
//! certified, and the least gap.

mod dynamic;
mod job;
mod memory;
mod model;

use crate::contract::answer::{AnswerSink, Answers, Draft, Guarantee, Progress, Verdict};
use crate::contract::engine::{Engine, PrepareAllError, PrepareError, Scratch};
use crate::contract::ids::ShapeId;
use crate::contract::job::{Batch, Job};
use crate::contract::query::{Budget, Mode, Onset, Query};
use crate::narrow::budget::{Deadline, Limit};
use crate::narrow::deforming::may_begin;
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
        // Pseudo-dynamic queries do not look between their instants, and a graze that rounding cannot
        // tell from a contact counts as one.
        Guarantee { may_invent: true, ..Guarantee::BLIND }
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
        let kept = scratch.get::<Kept>();
        if query.mode == Mode::Dynamic && query.onset == Onset::FirstOfAll {
            let work = if let Budget::Work(work) = query.budget { work } else { u64::MAX };
            let limit = Limit::new(&deadline, work);
            return self.first_of_all(batch, (&limit, &mut kept.buffers), out);
        }
        if let Budget::Work(work) = query.budget {
            // One after the other: what a job leaves is for the next one. Nothing is remembered, so
            // that the same budget does the same work.
            let limit = Limit::new(&deadline, work);
            let share = Share { jobs, memories: &mut [], query };
            return self.answer(share, (&limit, &mut kept.buffers), out);
        }
        let mut memories: Vec<Option<Box<Memory>>> =
            jobs.iter().map(|job| kept.memories.take(job.memory)).collect();
        let share = Share { jobs, memories: &mut memories, query };
        let progress = if jobs.len() <= CHUNK {
            // Not worth a second thread, nor what it takes to find one.
            let limit = Limit::new(&deadline, u64::MAX);
            self.answer(share, (&limit, &mut kept.buffers), out)
        } else {
            self.side_by_side(share, &deadline, out)
        };
        kept.memories.keep(jobs, memories);
        progress
    }
}

/// What the engine keeps between calls.
#[derive(Debug, Default)]
struct Kept {
    buffers: Buffers,
    memories: Memories,
}

/// Jobs with what is remembered of each.
struct Share<'a> {
    jobs: &'a [Job],
    memories: &'a mut [Option<Box<Memory>>],
    query: &'a Query,
}

impl Bvh {
    /// Answers one job after the other.
    fn answer(
        &self,
        Share { jobs, memories, query }: Share<'_>,
        (limit, buffers): (&Limit<'_>, &mut Buffers),
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let mut progress = Progress::Complete;
        let mut memories = memories.iter_mut();
        for job in jobs {
            let models = [self.models.get(job.a.shape), self.models.get(job.b.shape)];
            let memory = memories.next().and_then(Option::as_deref_mut);
            let mut draft =
                Task { job, query, models, limit, buffers, memory, until: 1.0 }.answer();
            if !draft.complete {
                progress = Progress::Limit;
            }
            out.push(&mut draft);
        }
        progress
    }

    /// Answers one job after the other, each only up to the first contact of those before it.
    fn first_of_all(
        &self,
        batch: &Batch<'_>,
        (limit, buffers): (&Limit<'_>, &mut Buffers),
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let Batch { jobs, query } = *batch;
        let mut until = 1.0f64;
        let mut first = None;
        let mut drafts = Vec::with_capacity(jobs.len());
        for (index, job) in jobs.iter().enumerate() {
            let models = [self.models.get(job.a.shape), self.models.get(job.b.shape)];
            let draft = Task { job, query, models, limit, buffers, memory: None, until }.answer();
            if let (Verdict::Hit(_), Some([from, _]), true) =
                (draft.verdict, draft.time, may_begin(job))
            {
                (until, first) = (until.min(from), Some(index));
            }
            drafts.push(draft);
        }
        let mut progress = Progress::Complete;
        for (index, draft) in drafts.into_iter().enumerate() {
            let is_hit = matches!(draft.verdict, Verdict::Hit(_)) && may_begin(&jobs[index]);
            let later = is_hit && first != Some(index);
            let time = Some([until, 1.0]);
            let mut draft =
                if later { Draft { time, ..Draft::of(Verdict::Unknown) } } else { draft };
            progress = if draft.complete { progress } else { Progress::Limit };
            out.push(&mut draft);
        }
        progress
    }

    /// Answers chunks of jobs on all threads. Each fills answers of its own, so that nothing is left
    /// to do one after the other but to string them together.
    fn side_by_side(
        &self,
        Share { jobs, memories, query }: Share<'_>,
        deadline: &Deadline,
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let chunks = jobs.par_chunks(CHUNK).zip(memories.par_chunks_mut(CHUNK));
        let parts: Vec<(Answers, Progress)> = chunks
            .map_init(Buffers::default, |buffers, (jobs, memories)| {
                let limit = Limit::new(deadline, u64::MAX);
                let mut part = Answers::with_capacity(jobs.len());
                let share = Share { jobs, memories, query };
                let progress = self.answer(share, (&limit, buffers), &mut part.refill());
                (part, progress)
            })
            .collect();
        parts.into_iter().fold(Progress::Complete, |all, (part, progress)| {
            out.append(part);
            all.min(progress)
        })
    }
}
