//! Engine `sphere-tree`: trees of spheres cut by slabs, searched best first, with an honest interval of the
//! distance whenever it is stopped [H93].
//!
//! With a budget all pairs of a batch are refined together, a few steps at a time: the pair goes first whose
//! distance is known least, relative to itself. Between two looks at the clock are two steps, each of
//! which holds eight coins against one, or measures two triangles. Without a budget every pair is searched to its end, where the
//! answer is exact.

mod job;
mod model;

use crate::contract::answer::{AnswerSink, Answers, Draft, Guarantee, Progress};
use crate::contract::engine::{Engine, PrepareAllError, PrepareError, Scratch};
use crate::contract::ids::ShapeId;
use crate::contract::job::{Batch, Job};
use crate::contract::query::{Budget, Mode, Query};
use crate::narrow::budget::{Deadline, Limit};
use crate::narrow::deforming;
use crate::narrow::instants::Instants;
use crate::narrow::models::Models;
use impinge_geom::coins::Couple;
use impinge_geom::coins::search::Refinement;
use impinge_geom::mesh::Mesh;
use job::{ROOM, Task};
use model::Model;
use rayon::prelude::*;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The name users choose it by.
pub const NAME: &str = "sphere-tree";

/// Jobs that one thread takes at a time.
const CHUNK: usize = 16;

/// How many steps a pair does before another may take its turn.
const TURN: u64 = 8;

/// The engine.
#[derive(Debug, Default)]
pub struct SphereTree {
    models: Models<Model>,
}

/// Memory that is kept from batch to batch.
#[derive(Debug, Default)]
struct Kept {
    searches: Vec<Refinement>,
}

/// A pair that waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    /// What is to be gained, at most one.
    worth: f64,
    pair: usize,
}

impl Eq for Turn {}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Turn {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        // Of equals the first comes first.
        self.worth.total_cmp(&other.worth).then(other.pair.cmp(&self.pair))
    }
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
            if !task.begin(&couple, search, limit) {
                return job::nothing_known();
            }
            task.refine((&couple, search), (u64::MAX, usize::MAX), limit);
            task.answer(&couple, search, limit)
        })
    }

    /// Jobs one after the other.
    fn one_by_one(
        &self,
        batch: &Batch<'_>,
        (kept, limit): (&mut Kept, &Limit<'_>),
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        if kept.searches.is_empty() {
            kept.searches.push(Refinement::default());
        }
        let mut progress = Progress::Complete;
        for job in batch.jobs {
            let mut draft = self.answer((job, batch.query), &mut kept.searches[0], limit);
            if !draft.complete {
                progress = Progress::Limit;
            }
            out.push(&mut draft);
        }
        progress
    }

    /// All pairs at one instant, by turns, until nothing is open or the limit.
    fn by_turns(
        &self,
        batch: &Batch<'_>,
        (kept, limit): (&mut Kept, &Limit<'_>),
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let query = batch.query;
        let task = |job| Task::new((job, 1.0), query, self.models(job));
        let tasks: Vec<Task<'_>> = batch.jobs.iter().map(task).collect();
        let couples: Vec<Couple<'_>> = tasks.iter().map(Task::couple).collect();
        if kept.searches.len() < tasks.len() {
            kept.searches.resize_with(tasks.len(), Refinement::default);
        }
        let searches = &mut kept.searches[..tasks.len()];
        let room = if limit.deadline.is_set() {
            ROOM / tasks.len().max(1) + TURN as usize
        } else {
            usize::MAX
        };
        let mut turns = BinaryHeap::with_capacity(tasks.len());
        let mut begun = vec![false; tasks.len()];
        for (pair, search) in searches.iter_mut().enumerate() {
            if !tasks[pair].is_refined() || !tasks[pair].begin(&couples[pair], search, limit) {
                continue;
            }
            begun[pair] = true;
            if limit.deadline.is_set() {
                search.reserve(room);
            }
            if !search.is_done() {
                turns.push(Turn { worth: worth(search, &couples[pair]), pair });
            }
        }
        while let Some(Turn { pair, .. }) = turns.pop() {
            let (couple, search) = (&couples[pair], &mut searches[pair]);
            if !tasks[pair].refine((couple, search), (TURN, room), limit) {
                break;
            }
            if !search.is_done() {
                turns.push(Turn { worth: worth(search, couple), pair });
            }
        }
        let mut progress = Progress::Complete;
        for (pair, task) in tasks.iter().enumerate() {
            let mut draft = match (task.is_refined(), begun[pair]) {
                (false, _) => task.of_itself(limit),
                (true, true) => task.answer(&couples[pair], &searches[pair], limit),
                (true, false) => job::nothing_known(),
            };
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

/// What it is worth to know a distance better: how wide its interval is, as a part of what it may be.
fn worth(search: &Refinement, couple: &Couple<'_>) -> f64 {
    let [low, high] = search.ends(couple);
    if high > 0.0 { (high - low) / high } else { 0.0 }
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
            return self.by_turns(batch, (kept, &limit), out);
        }
        if jobs.len() <= CHUNK || matches!(query.budget, Budget::Work(_)) {
            return self.one_by_one(batch, (kept, &limit), out);
        }
        self.side_by_side(batch, &deadline, out)
    }
}
