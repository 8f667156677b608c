//! Collision detection by rendering as printed [R98]: bodies are covered by convex blocks, which are drawn into depth
//! and stencil buffers, pixel centre by pixel centre. The engine `image` is what became of it.
//!
//! A batch is a frame: the depth map of a block is drawn once for all pairs of it [R98 fig. 4]. A pair is a hit if
//! the intervals of two blocks overlap on the line through some pixel's centre. What lies between the centres is
//! missed, and as blocks are hulls they may reach beyond the body: each answer tells by how much at most. See
//! docs/notes/recode.md. Where pairs or contacts are wanted, the contact region is told as
//! [`Answers::touches`](crate::contract::answer::Answers::touches), one entry per pixel. There are no triangles in an
//! answer but those of a clearance, which is measured on the meshes.
//!
//! Motions are sampled at instants. A shape whose vertices move keeps its parts: each is covered by a new hull at every
//! update; over a step it is answered as by every engine, exactly. A body against itself is `Unknown`.

mod job;
mod model;
mod settings;

use crate::contract::answer::{AnswerSink, Draft, Guarantee, Progress, Verdict};
use crate::contract::engine::{Engine, PrepareAllError, PrepareError, Scratch};
use crate::contract::ids::ShapeId;
use crate::contract::job::{Batch, Job, Placement};
use crate::contract::query::{Budget, Mode, Query};
use crate::narrow::budget::{Deadline, Limit};
use crate::narrow::deforming;
use crate::narrow::instants::Instants;
use crate::narrow::models::Models;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_geom::recode::render::Renderer;
use impinge_geom::recode::software::Software;
use impinge_geom::recode::{self, Pass};
use impinge_geom::skin::Skin;
use job::Frame;
use model::{Cast, Model};
use rayon::prelude::*;
use std::sync::Arc;

pub use settings::{BLOCKS_MAX, Boxes, RESOLUTION_MAX, SETTINGS, Settings};

/// Its name.
pub const NAME: &str = "r98-recode";

/// The engine, on whatever draws.
#[derive(Debug, Default)]
pub struct R98<R = Software> {
    settings: Settings,
    renderer: R,
    models: Models<Model>,
}

/// What the buffers showed of two blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Which block of A and which of B.
    pub blocks: [u32; 2],
    /// 1 for the first pass, in which A is drawn and B is counted, 2 for the second with both exchanged.
    pub pass: u8,
    /// The buffers.
    pub image: Pass,
}

impl R98 {
    /// With these parameters, drawn by the processor.
    pub fn new(settings: Settings) -> Self {
        Self::with(Software, settings)
    }
}

impl<R: Renderer> R98<R> {
    /// With these parameters, drawn by this renderer.
    pub fn with(renderer: R, settings: Settings) -> Self {
        Self { settings, renderer, models: Models::default() }
    }

    /// What the buffers show of two bodies, for all pairs of blocks that are drawn. It is what the engine sees if it asks
    /// about the two alone.
    pub fn pictures(&self, bodies: [(&Arc<Mesh>, &Pose); 2]) -> Vec<Picture> {
        let mut models = Models::default();
        let jobs = [0, 1].map(|k| {
            let shape = ShapeId(k as u32);
            models.insert(shape, Model::of(bodies[k].0, &self.settings));
            crate::contract::job::Placed { shape, placement: Placement::Fixed(*bodies[k].1) }
        });
        let [a, b] = jobs;
        let job = Job { a, b, itself: false, memory: None, priority: 1.0 };
        let cast = Cast::of(std::slice::from_ref(&job), 1.0, &models);
        let blocks = cast.blocks();
        let mut pictures = Vec::new();
        let [a, b] = cast.of_job[0];
        for pair in cast.near([a, b]).0 {
            let two = pair.map(|k| blocks[k as usize]);
            let passes = recode::pictures(&self.renderer, two, &self.settings.drawing);
            let first = pair[1] - models.get(ShapeId(0)).blocks.all().len() as u32;
            let numbered = passes.into_iter().zip(1..);
            pictures.extend(numbered.map(|(image, pass)| Picture {
                blocks: [pair[0], first],
                pass,
                image,
            }));
        }
        pictures
    }

    /// All jobs at one instant.
    fn together(&self, jobs: &[Job], query: &Query, deadline: &Deadline) -> Vec<Draft> {
        let mut drafts = Vec::with_capacity(jobs.len());
        while drafts.len() < jobs.len() {
            let cast = Cast::of(&jobs[drafts.len()..], 1.0, &self.models);
            let (from, count) = (drafts.len(), cast.of_job.len());
            let limit = Limit::new(deadline, u64::MAX);
            let frame = Frame { cast: &cast, settings: &self.settings, query };
            drafts.extend(frame.answer(&self.renderer, &jobs[from..from + count], &limit));
        }
        drafts.iter_mut().for_each(|draft| draft.counters.body_pairs = 1);
        drafts
    }

    /// One job at the instants of its motion.
    fn alone(&self, job: &Job, query: &Query, limit: &Limit<'_>) -> Draft {
        let meshes = [&job.a, &job.b].map(|placed| &*self.models.get(placed.shape).mesh);
        if deforming::is_for(job, query.mode) {
            return deforming::Course { job, query, meshes, limit, until: 1.0 }.answer();
        }
        let instants = Instants { job, mode: query.mode, meshes };
        let mut draft = instants.answer(|time| {
            let cast = Cast::of(std::slice::from_ref(job), time, &self.models);
            let frame = Frame { cast: &cast, settings: &self.settings, query };
            let mut drafts = frame.answer(&self.renderer, std::slice::from_ref(job), limit);
            drafts.pop().unwrap_or_else(|| Draft::of(Verdict::Unknown))
        });
        let rests = |placement: &Placement| matches!(placement, Placement::Fixed(_));
        let still = rests(&job.a.placement) && rests(&job.b.placement);
        if query.mode == Mode::Dynamic && still && draft.verdict == Verdict::Free {
            // Instants of bodies that rest are all alike, but this engine may miss in each of them.
            (draft.guarantee.may_miss, draft.guarantee.unseen_max) = (true, f64::INFINITY);
        }
        draft
    }
}

impl<R: Renderer + 'static> Engine for R98<R> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn guarantee(&self) -> Guarantee {
        // How much depends on pixels and blocks; each answer tells.
        Guarantee { may_invent: true, error_max: f64::INFINITY, ..Guarantee::BLIND }
    }

    fn prepare(&mut self, shape: ShapeId, mesh: &Arc<Mesh>) -> Result<(), PrepareError> {
        self.models.insert(shape, Model::of(mesh, &self.settings));
        Ok(())
    }

    fn prepare_all(&mut self, shapes: &[(ShapeId, Arc<Mesh>)]) -> Result<(), PrepareAllError> {
        let settings = &self.settings;
        self.models.insert_all(shapes, |mesh| Model::of(mesh, settings));
        Ok(())
    }

    fn update(&mut self, shape: ShapeId, skin: &Skin) -> Result<(), PrepareError> {
        let model = self.models.get_mut(shape);
        *model = model.follow(skin.mesh(), &self.settings);
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
        let mut drafts: Vec<Draft> = match (query.budget, query.mode) {
            (Budget::Work(work), _) => {
                let limit = Limit::new(&deadline, work);
                jobs.iter().map(|job| self.alone(job, query, &limit)).collect()
            }
            (_, Mode::Static) => self.together(jobs, query, &deadline),
            _ => {
                let alone = |job| self.alone(job, query, &Limit::new(&deadline, u64::MAX));
                jobs.par_iter().map(alone).collect()
            }
        };
        drafts.iter_mut().for_each(|draft| out.push(draft));
        let complete = drafts.iter().all(|draft| draft.complete);
        if complete { Progress::Complete } else { Progress::Limit }
    }
}
