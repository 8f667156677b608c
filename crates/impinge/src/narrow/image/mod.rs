//! All pairs of faces of bodies, found in images of depth (R98) that cannot miss.
//!
//! Nothing is made of a shape but what its triangles alone tell, so that everything may move in every
//! frame. Two bodies are seen along a direction that is chosen for them; what shares no bin of depth of
//! any pixel is free, and the faces that are left are decided exactly ([`impinge_geom::image`],
//! docs/notes/image.md). Decisions are those of brute force. What images do not tell is left to what
//! engines share: bodies in each other, distances, self-tests, and motion over a step.

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
use impinge_geom::face_cells::{Ask, Ended, Scratch as Cells, Side};
use impinge_geom::image::sieve::Sieve;
use impinge_geom::image::{self as seen, Direction, Look};
use impinge_geom::mesh::Mesh;
use impinge_geom::skin::Skin;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Its name.
pub const NAME: &str = "image";

/// What can be set, for people.
pub const SETTINGS: &str = "resolution=64";

/// How many jobs one task takes. Fixed, so that results do not depend on the threads.
const CHUNK: usize = 16;
/// How fine an image may be asked for.
const RESOLUTIONS: std::ops::RangeInclusive<u16> = 1..=1024;

/// The engine.
#[derive(Debug, Default)]
pub struct Image {
    models: Models<Model>,
    /// Pixels along a side of images of faces; none if as many as suit the faces.
    resolution: Option<u16>,
    /// What makes images of faces; none if the processor does.
    sieve: Option<Arc<dyn Sieve>>,
}

impl Image {
    /// The same, but images of faces are made by something else. Answers stay as they are.
    #[must_use]
    pub fn sifted_by(self, sieve: Arc<dyn Sieve>) -> Self {
        Self { sieve: Some(sieve), ..self }
    }

    /// With what `text` sets: `resolution=64`, or nothing.
    ///
    /// # Errors
    /// What was found and what was needed, if it sets something else.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut resolution = None;
        settings::read(text, |name, value| {
            if name != "resolution" {
                return Err(format!("`{name}` is not known; {SETTINGS} can be set"));
            }
            let pixels = value.parse().ok().filter(|pixels| RESOLUTIONS.contains(pixels));
            let needed =
                || format!("`resolution={value}`: a whole number from 1 to 1024 is needed");
            resolution = Some(pixels.ok_or_else(needed)?);
            Ok(())
        })?;
        Ok(Self { resolution, ..Self::default() })
    }
}

impl Engine for Image {
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
        kept.begin(jobs);
        let share = Share { jobs, first: 0, kept, query };
        let work = match query.budget {
            // One after the other: what a job leaves is for the next one.
            Budget::Work(work) => Some(work),
            _ if jobs.len() <= CHUNK || kept.places.is_small() => Some(u64::MAX),
            _ => None,
        };
        let (progress, directions) = match work {
            Some(work) => {
                let limit = Limit::new(&deadline, work);
                self.answer(&share, &limit, out)
            }
            None => self.side_by_side(&share, &deadline, out),
        };
        kept.remember(jobs, &directions);
        progress
    }
}

/// What the engine keeps between calls.
#[derive(Debug, Default)]
struct Kept {
    places: Places,
    spare: Spare<Buffers>,
    /// Along which direction bodies were seen last, by the key of the pair; looked up, never iterated.
    directions: HashMap<u64, Direction>,
    /// By job.
    last: Vec<Option<Direction>>,
}

impl Kept {
    /// Looks up what is remembered of jobs.
    fn begin(&mut self, jobs: &[Job]) {
        let Self { directions, last, .. } = self;
        last.clear();
        last.extend(jobs.iter().map(|job| directions.get(&job.memory?).copied()));
    }

    /// Forgets what is not asked about any more.
    fn remember(&mut self, jobs: &[Job], directions: &[Option<Direction>]) {
        self.directions.clear();
        let keys = jobs.iter().zip(directions);
        self.directions
            .extend(keys.filter_map(|(job, direction)| Some((job.memory?, (*direction)?))));
    }
}

/// Memory that is kept from job to job.
#[derive(Debug, Default)]
struct Buffers {
    job: posed_job::Buffers,
    image: seen::Image,
}

/// Finds faces in images.
struct Seen<'a> {
    image: &'a mut seen::Image,
    /// With the direction along which the bodies were seen last, and then now.
    look: Look<'a>,
}

impl Search for Seen<'_> {
    fn run(&mut self, sides: [&Side<'_>; 2], _: &mut Cells, ask: &Ask<'_>) -> Ended {
        let (ended, direction) = self.image.search(sides, &self.look, ask);
        self.look.last = direction;
        ended
    }

    fn hits<'a>(&'a self, _: &'a Cells) -> &'a [[u32; 2]] {
        self.image.hits()
    }
}

/// Jobs of a batch, from some place on.
struct Share<'a> {
    jobs: &'a [Job],
    first: usize,
    kept: &'a Kept,
    query: &'a Query,
}

impl Image {
    fn answer(
        &self,
        share: &Share<'_>,
        limit: &Limit<'_>,
        out: &mut AnswerSink<'_>,
    ) -> (Progress, Vec<Option<Direction>>) {
        let mut progress = Progress::Complete;
        let mut directions = Vec::with_capacity(share.jobs.len());
        let mut buffers = share.kept.spare.take();
        for (i, job) in (share.first..).zip(share.jobs) {
            let mut task = Task {
                job,
                query: share.query,
                models: [self.models.get(job.a.shape), self.models.get(job.b.shape)],
                places: share.kept.places.of(i),
                limit,
                buffers: &mut buffers.job,
                search: Seen {
                    image: &mut buffers.image,
                    look: Look {
                        last: share.kept.last[i],
                        resolution: self.resolution,
                        sieve: self.sieve.as_deref(),
                    },
                },
            };
            let mut draft = task.answer();
            directions.push(task.search.look.last);
            if !draft.complete {
                progress = Progress::Limit;
            }
            out.push(&mut draft);
            buffers.job.recycle(draft);
        }
        share.kept.spare.give_back(buffers);
        (progress, directions)
    }

    fn side_by_side(
        &self,
        share: &Share<'_>,
        deadline: &Deadline,
        out: &mut AnswerSink<'_>,
    ) -> (Progress, Vec<Option<Direction>>) {
        let chunks = share.jobs.par_chunks(CHUNK).enumerate();
        let parts: Vec<(Answers, Progress, Vec<Option<Direction>>)> = chunks
            .map(|(number, jobs)| {
                let limit = Limit::new(deadline, u64::MAX);
                let mut part = Answers::with_capacity(jobs.len());
                let share = Share { jobs, first: number * CHUNK, ..*share };
                let (progress, directions) = self.answer(&share, &limit, &mut part.refill());
                (part, progress, directions)
            })
            .collect();
        let mut all = (Progress::Complete, Vec::with_capacity(share.jobs.len()));
        for (part, progress, directions) in parts {
            out.append(part);
            all.0 = all.0.min(progress);
            all.1.extend(directions);
        }
        all
    }
}
