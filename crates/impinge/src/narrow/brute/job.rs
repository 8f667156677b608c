//! One job: at one instant, or at the instants of a motion.

use super::deadline::Deadline;
use super::model::{Model, Posed};
use super::{gap, surface};
use crate::contract::answer::{Draft, Guarantee, HitKind, Side, Verdict};
use crate::contract::counters::Counters;
use crate::contract::job::{Job, Placement};
use crate::contract::query::{Mode, Query, Want};
use impinge_geom::aabb::Aabb;

/// How many steps a dynamic query is sampled in, in search of a hit.
const DYNAMIC_STEPS: u32 = 64;

/// At how many instants a job is looked at.
pub(super) fn instants(mode: Mode) -> u64 {
    match mode {
        Mode::Static => 1,
        Mode::PseudoDynamic(steps) => u64::from(steps) + 1,
        Mode::Dynamic => u64::from(DYNAMIC_STEPS) + 1,
    }
}

/// A job with all it takes to answer it.
pub(super) struct Task<'a> {
    pub(super) job: &'a Job,
    pub(super) query: &'a Query,
    pub(super) models: [&'a Model; 2],
    pub(super) deadline: &'a Deadline,
}

impl Task<'_> {
    /// The answer.
    pub(super) fn answer(&self) -> Draft {
        let mut draft = match self.query.mode {
            Mode::Static => self.at_instant(1.0),
            Mode::PseudoDynamic(steps) => {
                let mut draft = self.sampled(steps.max(1));
                // Nothing is known of what happens between two samples.
                draft.guarantee.may_miss |= draft.verdict == Verdict::Free;
                draft
            }
            Mode::Dynamic => self.dynamic(),
        };
        draft.counters.body_pairs = 1;
        draft
    }

    /// A hit at a sample is a hit; a way whose swept bounds are apart is free; the rest is unknown.
    fn dynamic(&self) -> Draft {
        let mut draft = self.sampled(DYNAMIC_STEPS);
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

    /// The first hit at evenly spaced instants, with the interval since the sample before it.
    fn sampled(&self, steps: u32) -> Draft {
        let time = |step: u32| f64::from(step) / f64::from(steps);
        let distance = |draft: &Draft| draft.clearance.map_or(f64::INFINITY, |c| c.at_most);
        let mut counters = Counters::default();
        let mut nearest: Option<Draft> = None;
        let mut undecided = false;
        for step in 0..=steps {
            let mut draft = self.at_instant(time(step));
            counters += draft.counters;
            if let Verdict::Hit(_) = draft.verdict {
                draft.time = Some([time(step.saturating_sub(1)), time(step)]);
                draft.counters = counters;
                return draft;
            }
            undecided |= draft.verdict == Verdict::Unknown;
            if nearest.as_ref().is_none_or(|best| distance(&draft) < distance(best)) {
                nearest = Some(draft);
            }
        }
        let mut draft = nearest.unwrap_or_else(|| Draft::of(Verdict::Unknown));
        draft.counters = counters;
        if undecided {
            draft.verdict = Verdict::Unknown;
        }
        draft
    }

    fn at_instant(&self, time: f64) -> Draft {
        let Self { job, query, models, deadline } = *self;
        let a = models[0].at(&job.a.placement.at(time));
        if job.itself {
            return verdict_of(surface::against_itself(&a, query.want, deadline), || None);
        }
        let b = models[1].at(&job.b.placement.at(time));
        let found = surface::against(&a, &b, query.want, deadline);
        let mut draft = verdict_of(found, || inner_side(&a, &b));
        if draft.verdict == Verdict::Free {
            gap::measure([&a, &b], query.gap, deadline, &mut draft);
        }
        draft
    }
}

fn inner_side(a: &Posed<'_>, b: &Posed<'_>) -> Option<Side> {
    if !a.bounds.overlaps(&b.bounds) {
        None
    } else if a.holds_part_of(b) {
        Some(Side::B)
    } else if b.holds_part_of(a) {
        Some(Side::A)
    } else {
        None
    }
}

fn verdict_of(found: surface::Found, inner: impl FnOnce() -> Option<Side>) -> Draft {
    let verdict = if !found.triangle_pairs.is_empty() {
        Verdict::Hit(HitKind::Surface)
    } else if found.cut_short {
        Verdict::Unknown
    } else {
        inner().map_or(Verdict::Free, |inner| Verdict::Hit(HitKind::Inside { inner }))
    };
    Draft {
        counters: found.counters,
        triangle_pairs: found.triangle_pairs,
        contacts: found.contacts,
        guarantee: Guarantee::EXACT,
        ..Draft::of(verdict)
    }
}

impl Model {
    /// A box around the shape during the whole step.
    fn swept(&self, placement: &Placement) -> Aabb {
        match placement {
            Placement::Fixed(pose) => self.at(pose).bounds,
            Placement::Moving(motion) => motion.aabb_bounds(&self.bounds(), 0.0, 1.0),
        }
    }
}

/// Whether a pair that touches is to be looked at further once one contact is known.
pub(super) fn stops_at_first(want: Want) -> bool {
    want == Want::Touching
}
