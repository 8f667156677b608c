//! Hierarchies of spheres or boxes as in [E99 §3], and their simultaneous descent.
//!
//! The tree is built in the body's own frame and never touched again; a query places one tree before
//! the other. Volumes only rule pairs out, with a margin for all rounding, and what is left is
//! decided by the exact tests on posed vertices: the answers are those of every exact engine. This is
//! the paper's method with its parameters; jobs run in parallel, each on one thread.
//!
//! Dynamic queries go through the tests of [E99 §4] as printed, which promise nothing: see
//! `dynamic.rs`. They tell no clearance over a motion.

mod dynamic;
mod gap;
mod model;
mod settings;
mod surface;

use crate::contract::answer::{AnswerSink, Draft, Guarantee, Progress, Verdict};
use crate::contract::engine::{Engine, PrepareAllError, PrepareError, Scratch};
use crate::contract::ids::ShapeId;
use crate::contract::job::{Batch, Job, Placement};
use crate::contract::query::{Budget, Gap, Mode, Onset, Query, Want};
use crate::narrow::budget::{Deadline, Limit};
use crate::narrow::deforming;
use crate::narrow::instants::Instants;
use crate::narrow::models::Models;
use crate::narrow::parts::look_inside;
use impinge_geom::aabb::Aabb;
use impinge_geom::hierarchy::{Bound, Kind, Params};
use impinge_geom::mesh::Mesh;
use impinge_geom::obb::Obb;
use impinge_geom::sphere::Sphere;
use model::Model;
use rayon::prelude::*;
use std::sync::Arc;

pub use dynamic::Dynamic;
pub(super) use settings::read;
pub use settings::{SETTINGS, Settings};

/// The name with spheres.
pub const SPHERES: &str = "e99-spheres";
/// The name with axis-aligned boxes.
pub const AABB: &str = "e99-aabb";
/// The name with oriented boxes.
pub const OBB: &str = "e99-obb";

/// The engine.
#[derive(Debug)]
pub struct E99 {
    settings: Settings,
    models: AllModels,
}

#[derive(Debug)]
enum AllModels {
    Spheres(Models<Model<Sphere>>),
    Aabbs(Models<Model<Aabb>>),
    Obbs(Models<Model<Obb>>),
}

impl E99 {
    /// With hierarchies built like that, and motions looked at as by default unless `settings` are
    /// given whole.
    pub fn new(settings: impl Into<Settings>) -> Self {
        let settings = settings.into();
        let models = match settings.params.kind {
            Kind::Spheres => AllModels::Spheres(Models::default()),
            Kind::Aabbs => AllModels::Aabbs(Models::default()),
            Kind::Obbs => AllModels::Obbs(Models::default()),
        };
        Self { settings, models }
    }

    /// With the default parameters.
    pub fn of_kind(kind: Kind) -> Self {
        Self::new(Params { kind, ..Params::default() })
    }
}

impl Engine for E99 {
    fn name(&self) -> &'static str {
        match self.models {
            AllModels::Spheres(_) => SPHERES,
            AllModels::Aabbs(_) => AABB,
            AllModels::Obbs(_) => OBB,
        }
    }

    fn guarantee(&self) -> Guarantee {
        // Exact at every instant it looks at, but of motions nothing is certain.
        dynamic::GUARANTEE
    }

    fn prepare(&mut self, shape: ShapeId, mesh: &Arc<Mesh>) -> Result<(), PrepareError> {
        let params = &self.settings.params;
        match &mut self.models {
            AllModels::Spheres(models) => models.insert(shape, Model::of(mesh, params)),
            AllModels::Aabbs(models) => models.insert(shape, Model::of(mesh, params)),
            AllModels::Obbs(models) => models.insert(shape, Model::of(mesh, params)),
        }
        Ok(())
    }

    fn release(&mut self, shape: ShapeId) {
        match &mut self.models {
            AllModels::Spheres(models) => models.remove(shape),
            AllModels::Aabbs(models) => models.remove(shape),
            AllModels::Obbs(models) => models.remove(shape),
        }
    }

    fn prepare_all(&mut self, shapes: &[(ShapeId, Arc<Mesh>)]) -> Result<(), PrepareAllError> {
        let params = self.settings.params;
        match &mut self.models {
            AllModels::Spheres(models) => models.insert_all(shapes, |m| Model::of(m, &params)),
            AllModels::Aabbs(models) => models.insert_all(shapes, |m| Model::of(m, &params)),
            AllModels::Obbs(models) => models.insert_all(shapes, |m| Model::of(m, &params)),
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        match &self.models {
            AllModels::Spheres(models) => models.bytes(Model::bytes),
            AllModels::Aabbs(models) => models.bytes(Model::bytes),
            AllModels::Obbs(models) => models.bytes(Model::bytes),
        }
    }

    fn collide(
        &self,
        batch: &Batch<'_>,
        _scratch: &mut Scratch,
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let mut drafts = match &self.models {
            AllModels::Spheres(models) => answers(models, batch, self.settings.dynamic),
            AllModels::Aabbs(models) => answers(models, batch, self.settings.dynamic),
            AllModels::Obbs(models) => answers(models, batch, self.settings.dynamic),
        };
        drafts.iter_mut().for_each(|draft| out.push(draft));
        let complete = drafts.iter().all(|draft| draft.complete);
        if complete { Progress::Complete } else { Progress::Limit }
    }
}

fn answers<B: Bound>(models: &Models<Model<B>>, batch: &Batch<'_>, dynamic: Dynamic) -> Vec<Draft> {
    let deadline = Deadline::of(batch.query.budget);
    let task = |job| Task {
        job,
        query: *batch.query,
        dynamic,
        models: [&job.a, &job.b].map(|placed| models.get(placed.shape)),
    };
    if let Budget::Work(work) = batch.query.budget {
        // What a descent takes is not known beforehand, so one job after the other takes what it
        // needs; the same budget always does the same work.
        let limit = Limit::new(&deadline, work);
        return batch.jobs.iter().map(|job| task(job).answer(&limit)).collect();
    }
    let answer = |job| task(job).answer(&Limit::new(&deadline, u64::MAX));
    batch.jobs.par_iter().map(answer).collect()
}

/// A job with all it takes to answer it.
struct Task<'a, B> {
    job: &'a Job,
    query: Query,
    dynamic: Dynamic,
    models: [&'a Model<B>; 2],
}

impl<B: Bound> Task<'_, B> {
    fn answer(&self, limit: &Limit<'_>) -> Draft {
        if deforming::is_for(self.job, self.query.mode) {
            let meshes = self.models.map(|model| &*model.mesh);
            let Self { job, query, .. } = self;
            return deforming::Course { job, query, meshes, limit, until: 1.0 }.answer();
        }
        if self.query.mode == Mode::Dynamic {
            let mut draft = self.over_motion(limit);
            draft.counters.body_pairs = 1;
            return draft;
        }
        let meshes = self.models.map(|model| &*model.mesh);
        let instants = Instants { job: self.job, mode: self.query.mode, meshes };
        instants.answer(|time| self.at_instant(time, limit))
    }

    /// What touches at the start, or else the first contact after it.
    fn over_motion(&self, limit: &Limit<'_>) -> Draft {
        let new = self.query.onset == Onset::New;
        let want = if new { Want::Pairs } else { self.query.want };
        let query = Query { want, gap: Gap::Ignore, ..self.query };
        let start = Task { query, ..*self }.at_instant(0.0, limit);
        let placements = [&self.job.a.placement, &self.job.b.placement];
        let still = placements.iter().all(|place| matches!(place, Placement::Fixed(_)));
        // A rigid body does not change against itself.
        let settled = still || self.job.itself;
        match start.verdict {
            Verdict::Unknown => return Draft { time: Some([0.0, 1.0]), ..start },
            Verdict::Hit(_) if !new => return Draft { time: Some([0.0; 2]), ..start },
            _ if settled => {
                return Draft { counters: start.counters, ..Draft::of(Verdict::Free) };
            }
            _ => {}
        }
        let course = dynamic::Course {
            models: self.models,
            placements,
            dynamic: self.dynamic,
            want: self.query.want,
            except: &start.triangle_pairs,
        };
        let mut draft = course.answer(limit);
        draft.counters += start.counters;
        draft.complete &= start.complete;
        draft
    }

    fn at_instant(&self, time: f64, limit: &Limit<'_>) -> Draft {
        let Self { job, query, models, .. } = self;
        if limit.deadline.is_over() {
            return Draft { complete: false, ..Draft::of(Verdict::Unknown) };
        }
        let a = models[0].at(job.a.placement.at(time));
        if job.itself {
            return surface::against_itself(&a, query.want, limit).into_draft();
        }
        let b = models[1].at(job.b.placement.at(time));
        let mut draft = surface::against([&a, &b], query.want, limit).into_draft();
        if draft.verdict == Verdict::Free {
            look_inside([&a, &b], limit, &mut draft);
        }
        if draft.verdict == Verdict::Free {
            gap::measure([&a, &b], query.gap, limit, &mut draft);
        }
        draft
    }
}
