//! Every triangle against every triangle, exactly: the oracle of the other engines.
//!
//! O(n·m) per pair of bodies, no structure but boxes in rows of four. Simple and, by being simple,
//! right: it decides on the posed f64 vertices with the exact triangle test and nothing else.
//! Jobs run in parallel, and so do the triangles of a large job; results are merged in order.

mod deadline;
mod gap;
mod job;
mod model;
mod surface;

use crate::contract::answer::{AnswerSink, Draft, Guarantee, Progress, Verdict};
use crate::contract::engine::{Engine, PrepareError, Scratch};
use crate::contract::ids::ShapeId;
use crate::contract::job::Batch;
use crate::contract::query::Budget;
use deadline::Deadline;
use impinge_geom::mesh::Mesh;
use job::Task;
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

    fn collide(
        &self,
        batch: &Batch<'_>,
        _scratch: &mut Scratch,
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let affordable = self.affordable(batch);
        let deadline = Deadline::of(batch.query.budget);
        let drafts: Vec<Draft> = batch.jobs[..affordable]
            .par_iter()
            .map(|job| {
                let models = [self.model(job.a.shape), self.model(job.b.shape)];
                Task { job, query: batch.query, models, deadline: &deadline }.answer()
            })
            .collect();
        drafts.iter().for_each(|draft| out.push(draft));
        let left_over = Draft::of(Verdict::Unknown);
        batch.jobs[affordable..].iter().for_each(|_| out.push(&left_over));
        if affordable < batch.jobs.len() || deadline.was_met_late() {
            Progress::Limit
        } else {
            Progress::Complete
        }
    }
}

impl Brute {
    /// How many of the jobs, from the first on, a work budget pays for. The price of a job is known
    /// beforehand, so the same budget always answers the same jobs.
    fn affordable(&self, batch: &Batch<'_>) -> usize {
        let Budget::Work(mut left) = batch.query.budget else { return batch.jobs.len() };
        let affordable = batch.jobs.iter().take_while(|job| {
            let [a, b] = [job.a.shape, job.b.shape].map(|s| self.model(s).triangle_count() as u64);
            let price = a.saturating_mul(b).saturating_mul(job::instants(batch.query.mode));
            let paid = price <= left;
            left = left.saturating_sub(price);
            paid
        });
        affordable.count()
    }
}
