//! One job: at one instant, or at the instants of a motion.

use super::limit::Limit;
use super::model::{Model, Posed};
use super::{gap, surface};
use crate::contract::answer::{Draft, HitKind, Side, Verdict};
use crate::contract::counters::Counters;
use crate::contract::job::{Job, Placement};
use crate::contract::query::{Gap, Mode, Query};

/// How many steps a dynamic query is sampled in, in search of a hit.
const DYNAMIC_STEPS: u32 = 64;

/// Into how many steps a motion is divided; none where only its end counts.
fn steps(mode: Mode) -> Option<u32> {
    match mode {
        Mode::Static => None,
        Mode::PseudoDynamic(steps) => Some(steps.max(1)),
        Mode::Dynamic => Some(DYNAMIC_STEPS),
    }
}

/// The work that a job takes at most, in pairs of triangles.
pub(super) fn price(job: &Job, query: &Query, [a, b]: [&Model; 2]) -> u64 {
    let product = |x: usize, y: usize| (x as u64).saturating_mul(y as u64);
    let pairs = product(a.triangle_count(), b.triangle_count());
    let at_instant = if job.itself {
        pairs
    } else {
        let distances = if query.gap == Gap::Ignore { 0 } else { pairs };
        let insides = product(b.part_count(), a.shell_size())
            .saturating_add(product(a.part_count(), b.shell_size()));
        pairs.saturating_add(distances).saturating_add(insides)
    };
    at_instant.saturating_mul(steps(query.mode).map_or(1, |steps| u64::from(steps) + 1))
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
        let mut draft = match self.query.mode {
            Mode::Static => self.at_instant(1.0),
            Mode::PseudoDynamic(_) => self.sampled(),
            Mode::Dynamic => self.dynamic(),
        };
        draft.counters.body_pairs = 1;
        draft
    }

    /// A hit at a sample is a hit; a way whose swept bounds are apart is free; the rest is unknown.
    fn dynamic(&self) -> Draft {
        let mut draft = self.sampled();
        draft.guarantee.may_miss = false;
        if let Verdict::Hit(_) = draft.verdict {
            draft.time = draft.time.map(|[_, hit]| [0.0, hit]);
            return draft;
        }
        draft.clearance = None;
        let places = [&self.job.a.placement, &self.job.b.placement];
        let still = places.iter().all(|place| matches!(place, Placement::Fixed(_)));
        let [a, b] = [0, 1].map(|k| self.models[k].swept(places[k]));
        let apart = !a.overlaps(&b) && !self.job.itself;
        let known_free = apart || (still && draft.verdict == Verdict::Free);
        draft.verdict = if known_free { Verdict::Free } else { Verdict::Unknown };
        draft.time = (!known_free).then_some([0.0, 1.0]);
        draft
    }

    /// The first hit at evenly spaced instants, with the interval since the sample before it. What
    /// happens between two samples is not known.
    fn sampled(&self) -> Draft {
        let steps = steps(self.query.mode).unwrap_or(1);
        let time = |step: u32| f64::from(step) / f64::from(steps);
        let distance = |draft: &Draft| draft.clearance.map_or(f64::INFINITY, |c| c.at_most);
        let mut counters = Counters::default();
        let mut nearest: Option<Draft> = None;
        let mut complete = true;
        for step in 0..=steps {
            let mut draft = self.at_instant(time(step));
            counters += draft.counters;
            if let Verdict::Hit(_) = draft.verdict {
                draft.time = Some([time(step.saturating_sub(1)), time(step)]);
                draft.guarantee.may_miss = true;
                draft.counters = counters;
                return draft;
            }
            complete &= draft.complete;
            if nearest.as_ref().is_none_or(|best| distance(&draft) < distance(best)) {
                nearest = Some(draft);
            }
            if !complete {
                break;
            }
        }
        let mut draft = nearest.unwrap_or_else(|| Draft::of(Verdict::Unknown));
        draft.guarantee.may_miss = true;
        draft.counters = counters;
        draft.complete = complete;
        if !complete {
            draft.verdict = Verdict::Unknown;
            draft.clearance = None;
        }
        draft
    }

    fn at_instant(&self, time: f64) -> Draft {
        let Self { job, query, models, limit } = self;
        if limit.deadline.is_over() {
            return Draft { complete: false, ..Draft::of(Verdict::Unknown) };
        }
        let a = models[0].at(&job.a.placement.at(time));
        if job.itself {
            return surface_verdict(surface::against_itself(&a, query.want, limit));
        }
        let b = models[1].at(&job.b.placement.at(time));
        let mut draft = surface_verdict(surface::against([&a, &b], query.want, limit));
        if draft.verdict == Verdict::Free && a.bounds.overlaps(&b.bounds) {
            look_inside(&a, &b, limit, &mut draft);
        }
        if draft.verdict == Verdict::Free {
            gap::measure([&a, &b], query.gap, limit, &mut draft);
        }
        draft
    }
}

fn surface_verdict(found: surface::Found) -> Draft {
    let verdict = if !found.triangle_pairs.is_empty() {
        Verdict::Hit(HitKind::Surface)
    } else if found.cut_short {
        Verdict::Unknown
    } else {
        Verdict::Free
    };
    Draft {
        complete: !found.cut_short,
        counters: found.counters,
        triangle_pairs: found.triangle_pairs,
        contacts: found.contacts,
        ..Draft::of(verdict)
    }
}

/// Turns a free verdict into a hit if a part of one is inside the other.
fn look_inside(a: &Posed<'_>, b: &Posed<'_>, limit: &Limit<'_>, draft: &mut Draft) {
    for (outer, inner, side) in [(a, b, Side::B), (b, a, Side::A)] {
        let contained = outer.holds_part_of(inner, limit);
        draft.counters.inside_tests += contained.tests;
        if contained.found {
            draft.verdict = Verdict::Hit(HitKind::Inside { inner: side });
            return;
        }
        if contained.cut_short {
            draft.verdict = Verdict::Unknown;
            draft.complete = false;
            return;
        }
    }
}
