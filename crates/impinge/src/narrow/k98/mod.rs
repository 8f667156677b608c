//! Face octrees as printed [K98 §3]: overlap regions, face checklists, an implicit octree or bintree
//! that is divided only where bodies meet, and exact tests of the pairs of faces that are left.
//!
//! A batch is one instant, and all bodies of it go through the stages together. Nothing is made
//! beforehand and nothing is kept: shapes may change from batch to batch. Answers are those of every
//! exact engine, whatever the parameters. Subtrees are walked by several threads and merged in order
//! [K98 §7]; the pairs that were put already are known within a subtree only, so a pair of faces in two
//! of them is tested twice and told once.
//!
//! Motions are sampled at instants, pair by pair, as `brute` does; shapes that deform over a step are
//! answered as by every engine. With a budget of work jobs are
//! answered one after the other, as what one takes is not known beforehand. A clearance is measured
//! triangle by triangle: the paper has no distances.
//!
//! What cannot be told apart by pairs of bodies, faces held against overlap regions and cells, is
//! counted with the first job, and what only exact arithmetic could decide is not counted.

mod cast;
mod checklist;
mod frame;
mod model;
mod put;
mod settings;
mod walk;

use crate::contract::answer::{AnswerSink, Draft, Guarantee, Progress, Verdict};
use crate::contract::engine::{Engine, PrepareError, Scratch};
use crate::contract::ids::ShapeId;
use crate::contract::job::{Batch, Job};
use crate::contract::query::{Budget, Mode, Query};
use crate::narrow::budget::{Deadline, Limit};
use crate::narrow::deforming;
use crate::narrow::instants::Instants;
use crate::narrow::models::Models;
use cast::Cast;
use frame::{Frame, Pay};
use impinge_geom::mesh::Mesh;
use model::Model;
use rayon::prelude::*;
use std::sync::Arc;

pub(super) use settings::read;
pub use settings::{CellTest, LEVEL_MAX, Level, SETTINGS, Settings, Split, WorldCube};

/// The name with octrees.
pub const OCTREE: &str = "k98-octree";
/// The name with bintrees.
pub const BINTREE: &str = "k98-bintree";

/// The engine.
#[derive(Debug)]
pub struct K98 {
    settings: Settings,
    models: Models<Model>,
}

impl K98 {
    /// With these parameters.
    pub fn new(settings: Settings) -> Self {
        Self { settings, models: Models::default() }
    }

    /// With the parameters of the paper's experiments.
    pub fn of_split(split: Split) -> Self {
        Self::new(Settings::paper(split))
    }

    /// All jobs at one instant, all bodies together.
    fn together(&self, jobs: &[Job], query: &Query, pay: Pay<'_>) -> Vec<Draft> {
        let mut drafts = Vec::with_capacity(jobs.len());
        for cast in Cast::all(jobs, 1.0, &self.models) {
            let of_couples = Frame::new(&cast, &self.models, &self.settings, query).answer(pay);
            drafts.extend(cast.couple_of.iter().map(|&couple| of_couples[couple as usize].clone()));
        }
        drafts.iter_mut().for_each(|draft| draft.counters.body_pairs = 1);
        drafts
    }

    /// One job at the instants of its motion.
    fn alone(&self, job: &Job, query: &Query, pay: Pay<'_>) -> Draft {
        let meshes = [&job.a, &job.b].map(|placed| &*self.models.get(placed.shape).mesh);
        if deforming::is_for(job, query.mode) {
            let all = Limit::new(pay.deadline(), u64::MAX);
            let limit = pay.limit().unwrap_or(&all);
            return deforming::Course { job, query, meshes, limit, until: 1.0 }.answer();
        }
        let instants = Instants { job, mode: query.mode, meshes };
        instants.answer(|time| {
            let casts = Cast::all(std::slice::from_ref(job), time, &self.models);
            let frames =
                casts.iter().map(|cast| Frame::new(cast, &self.models, &self.settings, query));
            let mut drafts = frames.flat_map(|frame| frame.answer(pay));
            drafts.next().unwrap_or_else(|| Draft::of(Verdict::Unknown))
        })
    }
}

impl Engine for K98 {
    fn name(&self) -> &'static str {
        match self.settings.split {
            Split::Octree => OCTREE,
            Split::Bintree => BINTREE,
        }
    }

    fn guarantee(&self) -> Guarantee {
        // Exact at every instant it looks at, but between the instants of a motion it does not look.
        Guarantee::BLIND
    }

    fn prepare(&mut self, shape: ShapeId, mesh: &Arc<Mesh>) -> Result<(), PrepareError> {
        self.models.insert(shape, Model::of(mesh));
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
        let &Batch { jobs, query } = batch;
        let deadline = Deadline::of(query.budget);
        let until = Pay::Until(&deadline);
        let mut drafts: Vec<Draft> = match (query.budget, query.mode) {
            (Budget::Work(work), _) => {
                let limit = Limit::new(&deadline, work);
                jobs.iter().map(|job| self.alone(job, query, Pay::With(&limit))).collect()
            }
            (_, Mode::Static) => self.together(jobs, query, until),
            _ => jobs.par_iter().map(|job| self.alone(job, query, Pay::Until(&deadline))).collect(),
        };
        drafts.iter_mut().for_each(|draft| out.push(draft));
        let complete = drafts.iter().all(|draft| draft.complete);
        if complete { Progress::Complete } else { Progress::Limit }
    }
}
