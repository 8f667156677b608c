//! Every triangle against every triangle, exactly: the oracle of the other engines.
//!
//! O(n·m) per pair of bodies, no structure but boxes in rows of four. Simple and, by being simple,
//! right: it decides on the posed f64 vertices with the exact triangle test and nothing else.
//! Jobs run in parallel, and so do the triangles of a large job; results are merged in order.

mod job;
mod model;
mod surface;

use crate::contract::answer::{AnswerSink, Draft, Guarantee, Progress};
use crate::contract::engine::{Engine, PrepareAllError, PrepareError, Scratch};
use crate::contract::ids::ShapeId;
use crate::contract::job::{Batch, Job};
use crate::narrow::budget::{Deadline, Limit, shares};
use crate::narrow::models::Models;
use impinge_geom::mesh::Mesh;
use job::{Task, price};
use model::Model;
use rayon::prelude::*;
use std::sync::Arc;

/// Its name.
pub const NAME: &str = "brute";

/// The engine.
#[derive(Debug, Default)]
pub struct Brute {
    models: Models<Model>,
}

impl Brute {
    fn models_of(&self, job: &Job) -> [&Model; 2] {
        [self.models.get(job.a.shape), self.models.get(job.b.shape)]
    }
}

impl Engine for Brute {
    fn name(&self) -> &'static str {
        NAME
    }

    fn guarantee(&self) -> Guarantee {
        // Exact at every instant it looks at, but between the instants of a motion it does not look.
        Guarantee::BLIND
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
        _scratch: &mut Scratch,
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let deadline = Deadline::of(batch.query.budget);
        let mut drafts: Vec<Draft> = batch
            .jobs
            .par_iter()
            .zip(shares(batch, |job| price(job, batch.query, self.models_of(job))))
            .map(|(job, share)| {
                let models = self.models_of(job);
                let limit = Limit::new(&deadline, share);
                Task { job, query: batch.query, models, limit }.answer()
            })
            .collect();
        drafts.iter_mut().for_each(|draft| out.push(draft));
        let complete = drafts.iter().all(|draft| draft.complete);
        if complete { Progress::Complete } else { Progress::Limit }
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
