//! One job at one instant, and what a job may cost.

use super::model::Model;
use super::surface;
use crate::contract::answer::{Draft, Verdict};
use crate::contract::job::Job;
use crate::contract::query::{Gap, Query};
use crate::narrow::budget::Limit;
use crate::narrow::deforming;
use crate::narrow::gap;
use crate::narrow::instants::{self, Instants};
use crate::narrow::parts::look_inside;

/// The work that a job takes at most, in pairs of triangles.
pub(super) fn price(job: &Job, query: &Query, [a, b]: [&Model; 2]) -> u64 {
    let product = |x: usize, y: usize| (x as u64).saturating_mul(y as u64);
    let pairs = product(a.triangle_count(), b.triangle_count());
    let at_instant = if job.itself {
        pairs
    } else {
        let distances = if query.gap == Gap::Ignore { 0 } else { pairs };
        let insides = product(b.parts.extremes.len(), a.parts.shell_size())
            .saturating_add(product(a.parts.extremes.len(), b.parts.shell_size()));
        pairs.saturating_add(distances).saturating_add(insides)
    };
    at_instant.saturating_mul(instants::count(query.mode))
}

/// A job with all it takes to answer it.
pub(super) struct Task<'a> {
    pub(super) job: &'a Job,
    pub(super) query: &'a Query,
    pub(super) models: [&'a Model; 2],
    pub(super) limit: Limit<'a>,
}

impl Task<'_> {
    /// The answer.
    pub(super) fn answer(&self) -> Draft {
        let meshes = self.models.map(|model| &*model.mesh);
        if deforming::is_for(self.job, self.query.mode) {
            let Self { job, query, ref limit, .. } = *self;
            return deforming::Course { job, query, meshes, limit, until: 1.0 }.answer();
        }
        let instants = Instants { job: self.job, mode: self.query.mode, meshes };
        instants.answer(|time| self.at_instant(time))
    }

    fn at_instant(&self, time: f64) -> Draft {
        let Self { job, query, models, limit } = self;
        if limit.deadline.is_over() {
            return Draft { complete: false, ..Draft::of(Verdict::Unknown) };
        }
        let a = models[0].at(&job.a.placement.at(time));
        if job.itself {
            return surface::against_itself(&a, query.want, limit).into_draft();
        }
        let b = models[1].at(&job.b.placement.at(time));
        let mut draft = surface::against([&a, &b], query.want, limit).into_draft();
        if draft.verdict == Verdict::Free {
            look_inside([&a, &b], limit, &mut draft);
        }
        if draft.verdict == Verdict::Free {
            gap::measure([a.surface(), b.surface()], query.gap, limit, &mut draft);
        }
        draft
    }
}
