//! The default: pairs of rigid bodies go to `bvh`, pairs with a body that deforms to the engine for
//! those.
//!
//! Each shape is prepared for the engine that needs it. Rigid shapes are made known to the second
//! engine when a body first deforms, and only then; shapes that deform never become trees. Where
//! nothing deforms all of this costs nothing.

use super::bvh::Bvh;
use super::deforming::may_begin;
use super::octree::Octree;
use crate::contract::answer::{AnswerSink, Answers, Draft, Guarantee, Progress, Verdict};
use crate::contract::engine::{Engine, PrepareAllError, PrepareError, Scratch};
use crate::contract::ids::ShapeId;
use crate::contract::job::{Batch, Job};
use crate::contract::query::{Budget, Mode, Onset, Query};
use impinge_geom::mesh::Mesh;
use impinge_geom::skin::Skin;
use std::sync::Arc;
use std::time::Instant;

/// Its name.
pub const NAME: &str = "auto";

/// The engine.
#[derive(Debug, Default)]
pub struct Auto {
    rigid: Bvh,
    deforming: Octree,
    /// By shape.
    shapes: Vec<Known>,
    /// Something deforms or did, so that rigid shapes are known to the second engine, too.
    both: bool,
}

/// What is known of a shape.
#[derive(Debug, Default)]
enum Known {
    #[default]
    Nothing,
    Rigid(Arc<Mesh>),
    Deforming,
}

/// What is kept from call to call.
#[derive(Default)]
struct Kept {
    rigid: Scratch,
    deforming: Scratch,
    /// Jobs for the first engine and for the second, with their answers.
    jobs: [Vec<Job>; 2],
    answers: [Answers; 2],
}

impl Auto {
    fn know(&mut self, shape: ShapeId, known: Known) {
        let index = shape.0 as usize;
        if self.shapes.len() <= index {
            self.shapes.resize_with(index + 1, Known::default);
        }
        self.shapes[index] = known;
    }

    fn deforms(&self, shape: ShapeId) -> bool {
        matches!(self.shapes.get(shape.0 as usize), Some(Known::Deforming))
    }

    /// Whether a job is for the second engine.
    fn is_deforming(&self, job: &Job) -> bool {
        self.both && (self.deforms(job.a.shape) || self.deforms(job.b.shape))
    }

    /// Makes all rigid shapes known to the second engine.
    fn join(&mut self) -> Result<(), PrepareError> {
        if self.both {
            return Ok(());
        }
        let rigid = self.shapes.iter().zip(0..).filter_map(|(known, id)| match known {
            Known::Rigid(mesh) => Some((ShapeId(id), Arc::clone(mesh))),
            Known::Nothing | Known::Deforming => None,
        });
        let rigid: Vec<(ShapeId, Arc<Mesh>)> = rigid.collect();
        self.deforming.prepare_all(&rigid).map_err(|refused| refused.error)?;
        self.both = true;
        Ok(())
    }

    /// Answers jobs of both kinds.
    fn share_out(&self, batch: &Batch<'_>, kept: &mut Kept, out: &mut AnswerSink<'_>) -> Progress {
        let Batch { jobs, query } = *batch;
        for job in jobs {
            kept.jobs[usize::from(self.is_deforming(job))].push(job.clone());
        }
        let parts = kept.jobs.each_ref().map(Vec::len);
        let start = Instant::now();
        let first = Batch { jobs: &kept.jobs[0], query: &share(query, parts, 0, start) };
        let rigid = self.rigid.collide(&first, &mut kept.rigid, &mut kept.answers[0].refill());
        let second = Batch { jobs: &kept.jobs[1], query: &share(query, parts, 1, start) };
        let deforming =
            self.deforming.collide(&second, &mut kept.deforming, &mut kept.answers[1].refill());
        let first = if is_first_of_all(query) { first_of_all(kept) } else { None };
        let mut next = [0; 2];
        for job in jobs {
            let part = usize::from(self.is_deforming(job));
            let place = (part, next[part]);
            next[part] += 1;
            let answers = &kept.answers[part];
            match first {
                Some((from, first)) if first != place && begins(kept, place) => {
                    let time = Some([from, 1.0]);
                    out.push(&mut Draft { time, ..Draft::of(Verdict::Unknown) });
                }
                _ => out.copy(answers, &answers.all()[place.1]),
            }
        }
        // They hold meshes that the next deformations go into.
        kept.jobs.iter_mut().for_each(Vec::clear);
        rigid.min(deforming)
    }
}

fn is_first_of_all(query: &Query) -> bool {
    query.mode == Mode::Dynamic && query.onset == Onset::FirstOfAll
}

/// Whether a job, by its part and its place there, came to a contact that may count as the first.
fn begins(kept: &Kept, (part, index): (usize, usize)) -> bool {
    let hit = matches!(kept.answers[part].all()[index].verdict, Verdict::Hit(_));
    hit && may_begin(&kept.jobs[part][index])
}

/// The time of the first contact of all jobs, and whose it is.
fn first_of_all(kept: &Kept) -> Option<(f64, (usize, usize))> {
    let places = [0, 1].into_iter().flat_map(|part| {
        let count = kept.answers[part].all().len();
        (0..count).map(move |index| (part, index))
    });
    let from = |&(part, index): &(usize, usize)| kept.answers[part].all()[index].time;
    places
        .filter(|place| begins(kept, *place))
        .filter_map(|place| Some((from(&place)?[0], place)))
        .min_by(|a, b| a.0.total_cmp(&b.0))
}

/// What one of the engines is asked: work is shared out by the number of jobs, and the second one has
/// the time that the first one left.
fn share(query: &Query, parts: [usize; 2], part: usize, start: Instant) -> Query {
    let budget = match query.budget {
        Budget::Unlimited => Budget::Unlimited,
        Budget::Time(time) => Budget::Time(time.saturating_sub(start.elapsed())),
        Budget::Work(work) => {
            let all = parts[0] + parts[1];
            let first = u128::from(work) * parts[0] as u128 / all.max(1) as u128;
            let first = u64::try_from(first).unwrap_or(work);
            Budget::Work(if part == 0 { first } else { work - first })
        }
    };
    Query { budget, ..*query }
}

impl Engine for Auto {
    fn name(&self) -> &'static str {
        NAME
    }

    fn guarantee(&self) -> Guarantee {
        let [a, b] = [self.rigid.guarantee(), self.deforming.guarantee()];
        Guarantee {
            may_miss: a.may_miss || b.may_miss,
            may_invent: a.may_invent || b.may_invent,
            error_max: a.error_max.max(b.error_max),
            unseen_max: a.unseen_max.max(b.unseen_max),
        }
    }

    fn prepare(&mut self, shape: ShapeId, mesh: &Arc<Mesh>) -> Result<(), PrepareError> {
        self.prepare_all(&[(shape, Arc::clone(mesh))]).map_err(|refused| refused.error)
    }

    fn prepare_all(&mut self, shapes: &[(ShapeId, Arc<Mesh>)]) -> Result<(), PrepareAllError> {
        self.rigid.prepare_all(shapes)?;
        if self.both {
            self.deforming.prepare_all(shapes).inspect_err(|_| {
                shapes.iter().for_each(|(shape, _)| self.rigid.release(*shape));
            })?;
        }
        for (shape, mesh) in shapes {
            self.know(*shape, Known::Rigid(Arc::clone(mesh)));
        }
        Ok(())
    }

    fn prepare_skin(&mut self, shape: ShapeId, skin: &Skin) -> Result<(), PrepareError> {
        self.join()?;
        self.deforming.prepare_skin(shape, skin)?;
        self.know(shape, Known::Deforming);
        Ok(())
    }

    fn update(&mut self, shape: ShapeId, skin: &Skin) -> Result<(), PrepareError> {
        self.deforming.update(shape, skin)
    }

    fn release(&mut self, shape: ShapeId) {
        if !self.deforms(shape) {
            self.rigid.release(shape);
        }
        if self.both {
            self.deforming.release(shape);
        }
        self.know(shape, Known::Nothing);
    }

    fn bytes(&self) -> usize {
        let own = self.shapes.capacity() * size_of::<Known>();
        self.rigid.bytes() + self.deforming.bytes() + own
    }

    fn collide(
        &self,
        batch: &Batch<'_>,
        scratch: &mut Scratch,
        out: &mut AnswerSink<'_>,
    ) -> Progress {
        let kept = scratch.get::<Kept>();
        let deforming = batch.jobs.iter().filter(|job| self.is_deforming(job)).count();
        if deforming == 0 {
            self.rigid.collide(batch, &mut kept.rigid, out)
        } else if deforming == batch.jobs.len() && !is_first_of_all(batch.query) {
            self.deforming.collide(batch, &mut kept.deforming, out)
        } else {
            self.share_out(batch, kept, out)
        }
    }
}
