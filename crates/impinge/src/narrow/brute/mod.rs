//! Every triangle against every triangle, exactly: the oracle of the other engines.
//!
//! O(n·m) per pair of bodies, no structure but boxes in rows of four. Simple and, by being simple,
//! right: it decides on the posed f64 vertices with the exact triangle test and nothing else.
//! Jobs run in parallel, and so do the triangles of a large job; results are merged in order.

mod deadline;
mod gap;
mod job;
mod limit;
mod model;
mod surface;

use crate::contract::answer::{AnswerSink, Draft, Guarantee, Progress};
use crate::contract::engine::{Engine, PrepareError, Scratch};
use crate::contract::ids::ShapeId;
use crate::contract::job::{Batch, Job};
use crate::contract::query::Budget;
use deadline::Deadline;
use impinge_geom::mesh::Mesh;
use job::Task;
use limit::Limit;
use model::Model;
use rayon::prelude::*;
use std::sync::Arc;

/// Its name.
pub const NAME: &str = "brute";

/// The engine.
#[derive(Debug, Default)]
pub struct Brute {
    /// By shape.
    models: Vec<Option<Model>>,
}

impl Brute {
    fn model(&self, shape: ShapeId) -> &Model {
        let model = self.models.get(shape.0 as usize).and_then(Option::as_ref);
        model.expect("shapes are prepared before they are used")
    }
}

impl Engine for Brute {
    fn name(&self) -> &'static str {
        NAME
    }

    fn guarantee(&self) -> Guarantee {
        // Exact at every instant it looks at, but between the instants of a motion it does not look.
        Guarantee { may_miss: true, ..Guarantee::EXACT }
    }

    fn prepare(&mut self, shape: ShapeId, mesh: &Arc<Mesh>) -> Result<(), PrepareError> {
        let index = shape.0 as usize;
        if self.models.len() <= index {
            self.models.resize_with(index + 1, || None);
        }
        self.models[index] = Some(Model::of(mesh));
        Ok(())
    }

    fn release(&mut self, shape: ShapeId) {
        if let Some(model) = self.models.get_mut(shape.0 as usize) {
            *model = None;
        }
    }

    fn bytes(&self) -> usize {
        let slots = self.models.capacity() * size_of::<Option<Model>>();
        slots + self.models.iter().flatten().map(Model::bytes).sum::<usize>()
    }

    fn collide(
        &self,
        batch: &Batch<'_>,
        _scratch: &mut Scratch,
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let deadline = Deadline::of(batch.query.budget);
        let drafts: Vec<Draft> = batch
            .jobs
            .par_iter()
            .zip(self.shares(batch))
            .map(|(job, share)| {
                let models = [self.model(job.a.shape), self.model(job.b.shape)];
                let limit = Limit::new(&deadline, share);
                Task { job, query: batch.query, models, limit }.answer()
            })
            .collect();
        drafts.iter().for_each(|draft| out.push(draft));
        let complete = drafts.iter().all(|draft| draft.complete);
        if complete { Progress::Complete } else { Progress::Limit }
    }
}

impl Brute {
    /// The work that each job may do. What a job could need is known beforehand and set aside in
    /// the order of the jobs, so the same budget always does the same work.
    fn shares(&self, batch: &Batch<'_>) -> Vec<u64> {
        let Budget::Work(mut left) = batch.query.budget else {
            return vec![u64::MAX; batch.jobs.len()];
        };
        let share = |job: &Job| {
            let models = [self.model(job.a.shape), self.model(job.b.shape)];
            let share = job::price(job, batch.query, models).min(left);
            left -= share;
            share
        };
        batch.jobs.iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_that_of_the_models_and_goes_with_them() {
        let sphere = |faces: u32| {
            let sample = format!("sphere?faces={faces}");
            Arc::new(impinge_samples::build_mesh(&sample).expect("a sample"))
        };
        let mut brute = Brute::default();
        brute.prepare(ShapeId(0), &sphere(960)).expect("any mesh will do");
        let small = brute.bytes();
        // A closed mesh keeps a list of all its triangles.
        assert!(small >= 4 * 900, "{small}");
        brute.prepare(ShapeId(1), &sphere(9600)).expect("any mesh will do");
        assert!(brute.bytes() >= small + 4 * 9000);
        brute.release(ShapeId(1));
        brute.release(ShapeId(0));
        assert!(brute.bytes() < small);
    }
}
