//! All pairs of faces of bodies whose vertices may all have moved: the engine for what deforms
//! [K98 §3], in the form that is fast today. `k98-octree` is the one that is printed.
//!
//! Nothing is made of a shape but what its triangles alone tell ([`Layout`]), so that
//! [`Engine::update`] is one pass over the vertices. The part of space that two bodies reach is cut
//! into cells, and faces are looked at where both have some; see docs/notes/deforming.md. Decisions are
//! those of brute force. Over a step vertices are followed one by one.
//!
//! [`Layout`]: impinge_geom::face_cells::Layout

mod coherence;

use crate::contract::answer::{AnswerSink, Answers, Guarantee, Progress};
use crate::contract::engine::{Engine, PrepareAllError, PrepareError, Scratch};
use crate::contract::ids::ShapeId;
use crate::contract::job::{Batch, Job};
use crate::contract::query::{Budget, Mode, Query};
use crate::narrow::budget::{Deadline, Limit};
use crate::narrow::models::Models;
use crate::narrow::posed::{Model, Places};
use crate::narrow::posed_job::{self, Search, Task};
use crate::narrow::settings;
use crate::narrow::spare::Spare;
use coherence::Coherence;
use impinge_geom::face_cells::{self, Ask, Ended, Side};
use impinge_geom::mesh::Mesh;
use impinge_geom::skin::Skin;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Its name.
pub const NAME: &str = "octree";

/// How many jobs one task takes. Fixed, so that results do not depend on the threads.
const CHUNK: usize = 16;

/// The engine.
#[derive(Debug, Default)]
pub struct Octree {
    models: Models<Model>,
    /// Pairs of faces are kept from frame to frame while vertices move less than this part of an edge.
    slack: Option<f64>,
}

impl Octree {
    /// With what `text` sets: `slack=0.5`, or nothing.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut slack = None;
        settings::read(text, |name, value| {
            if name != "slack" {
                return Err(format!("`{name}` is not known; {SETTINGS} can be set"));
            }
            let part = value.parse().ok().filter(|part: &f64| (0.0..=100.0).contains(part));
            let needed = || format!("`slack={value}`: a number from 0 to 100 is needed");
            slack = Some(part.ok_or_else(needed)?);
            Ok(())
        })?;
        Ok(Self { slack, ..Self::default() })
    }
}

/// What can be set, for people.
pub const SETTINGS: &str = "slack=0.5";

impl Engine for Octree {
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

    fn update(&mut self, shape: ShapeId, skin: &Skin) -> Result<(), PrepareError> {
        self.models.get_mut(shape).update(skin);
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
        kept.places.find(jobs, &self.models, query.mode == Mode::Static);
        let mut buffers = kept.spare.take();
        if self.slack.is_some() {
            buffers.keep_only(jobs);
        }
        let share = Share { jobs, first: 0, places: &kept.places, query };
        let alone = jobs.len() <= CHUNK || kept.places.is_small() || self.slack.is_some();
        if let Budget::Work(work) = query.budget {
            // One after the other: what a job leaves is for the next one.
            let limit = Limit::new(&deadline, work);
            let progress = self.answer(&share, (&limit, &mut buffers), out);
            kept.spare.give_back(buffers);
            progress
        } else if alone {
            // The parts of a large job are shared among threads.
            let limit = Limit::new(&deadline, u64::MAX);
            let progress = self.answer(&share, (&limit, &mut buffers), out);
            kept.spare.give_back(buffers);
            progress
        } else {
            kept.spare.give_back(buffers);
            self.side_by_side(&share, (&deadline, &kept.spare), out)
        }
    }
}

/// What the engine keeps between calls.
#[derive(Debug, Default)]
struct Kept {
    places: Places,
    spare: Spare<Buffers>,
}

/// Memory that is kept from job to job.
#[derive(Debug, Default)]
struct Buffers {
    job: posed_job::Buffers,
    /// By the key of a pair; looked up, never iterated.
    kept: HashMap<u64, Coherence>,
}

impl Buffers {
    /// Forgets what is kept of pairs that are not asked about any more.
    fn keep_only(&mut self, jobs: &[Job]) {
        let mut before = std::mem::take(&mut self.kept);
        let keys = jobs.iter().filter_map(|job| job.memory);
        self.kept.extend(keys.filter_map(|key| Some((key, before.remove(&key)?))));
    }
}

/// Finds faces by cells, or among the pairs that are kept, given how much vertices may move.
struct Cells<'a> {
    kept: Option<(&'a mut Coherence, f64)>,
}

impl Search for Cells<'_> {
    fn run(
        &mut self,
        sides: [&Side<'_>; 2],
        cells: &mut face_cells::Scratch,
        ask: &Ask<'_>,
    ) -> Ended {
        let kept = self.kept.as_mut().and_then(|(kept, part)| kept.pairs(sides, *part));
        match kept {
            Some(pairs) => cells.test(sides, pairs, ask),
            None => cells.search(sides[0], sides[1], ask),
        }
    }

    fn hits<'a>(&'a self, cells: &'a face_cells::Scratch) -> &'a [[u32; 2]] {
        cells.hits()
    }
}

/// Jobs of a batch, from some place on.
struct Share<'a> {
    jobs: &'a [Job],
    first: usize,
    places: &'a Places,
    query: &'a Query,
}

impl Octree {
    fn answer(
        &self,
        share: &Share<'_>,
        (limit, buffers): (&Limit<'_>, &mut Buffers),
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let mut progress = Progress::Complete;
        for (i, job) in (share.first..).zip(share.jobs) {
            let models = [self.models.get(job.a.shape), self.models.get(job.b.shape)];
            let Buffers { job: memory, kept: all } = &mut *buffers;
            let shapes = [job.a.shape, job.b.shape];
            let kept = job.memory.filter(|_| share.query.mode == Mode::Static).zip(self.slack);
            let search = Cells {
                kept: kept.map(|(key, part)| (all.entry(key).or_default().of(shapes), part)),
            };
            let mut task = Task {
                job,
                query: share.query,
                models,
                places: share.places.of(i),
                limit,
                buffers: memory,
                search,
            };
            let mut draft = task.answer();
            if !draft.complete {
                progress = Progress::Limit;
            }
            out.push(&mut draft);
            buffers.job.recycle(draft);
        }
        progress
    }

    fn side_by_side(
        &self,
        share: &Share<'_>,
        (deadline, spare): (&Deadline, &Spare<Buffers>),
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let parts: Vec<(Answers, Progress)> = share
            .jobs
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(number, jobs)| {
                let mut buffers = spare.take();
                let limit = Limit::new(deadline, u64::MAX);
                let mut part = Answers::with_capacity(jobs.len());
                let share = Share { jobs, first: number * CHUNK, ..*share };
                let progress = self.answer(&share, (&limit, &mut buffers), &mut part.refill());
                spare.give_back(buffers);
                (part, progress)
            })
            .collect();
        parts.into_iter().fold(Progress::Complete, |all, (part, progress)| {
            out.append(part);
            all.min(progress)
        })
    }
}
