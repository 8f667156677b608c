//! Motions as a sequence of instants, for engines that know how to answer at one instant.

use crate::contract::answer::{Draft, Verdict};
use crate::contract::counters::Counters;
use crate::contract::job::{Job, Placement};
use crate::contract::query::Mode;
use impinge_geom::aabb::Aabb;
use impinge_geom::mesh::Mesh;

/// What happens between samples may be missed, however deep it is.
const BLIND: (bool, f64) = (true, f64::INFINITY);

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

/// At how many instants a query looks.
pub(super) fn count(mode: Mode) -> u64 {
    steps(mode).map_or(1, |steps| u64::from(steps) + 1)
}

/// A job and what it asks of time.
pub(super) struct Instants<'a> {
    pub(super) job: &'a Job,
    pub(super) mode: Mode,
    pub(super) meshes: [&'a Mesh; 2],
}

impl Instants<'_> {
    /// The answer, made of what `at` says about single instants.
    pub(super) fn answer(&self, mut at: impl FnMut(f64) -> Draft) -> Draft {
        let mut draft = match self.mode {
            Mode::Static => at(1.0),
            Mode::PseudoDynamic(_) => self.sampled(at),
            Mode::Dynamic => self.dynamic(at),
        };
        draft.counters.body_pairs = 1;
        draft
    }

    /// A hit at a sample is a hit; a way whose swept bounds are apart is free; the rest is unknown.
    fn dynamic(&self, at: impl FnMut(f64) -> Draft) -> Draft {
        let mut draft = self.sampled(at);
        (draft.guarantee.may_miss, draft.guarantee.unseen_max) = (false, 0.0);
        if let Verdict::Hit(_) = draft.verdict {
            draft.time = draft.time.map(|[_, hit]| [0.0, hit]);
            return draft;
        }
        draft.clearance = None;
        let places = [&self.job.a.placement, &self.job.b.placement];
        let still = places.iter().all(|place| matches!(place, Placement::Fixed(_)));
        let [a, b] = [0, 1].map(|k| swept(self.meshes[k], places[k]));
        let apart = !a.overlaps(&b) && !self.job.itself;
        let known_free = apart || (still && draft.verdict == Verdict::Free);
        draft.verdict = if known_free { Verdict::Free } else { Verdict::Unknown };
        draft.time = (!known_free).then_some([0.0, 1.0]);
        draft
    }

    /// The first hit at evenly spaced instants, with the interval since the sample before it. What
    /// happens between two samples is not known.
    fn sampled(&self, mut at: impl FnMut(f64) -> Draft) -> Draft {
        let steps = steps(self.mode).unwrap_or(1);
        let time = |step: u32| f64::from(step) / f64::from(steps);
        let distance = |draft: &Draft| draft.clearance.map_or(f64::INFINITY, |c| c.at_most);
        let mut counters = Counters::default();
        let mut nearest: Option<Draft> = None;
        let mut complete = true;
        for step in 0..=steps {
            let mut draft = at(time(step));
            counters += draft.counters;
            if let Verdict::Hit(_) = draft.verdict {
                draft.time = Some([time(step.saturating_sub(1)), time(step)]);
                (draft.guarantee.may_miss, draft.guarantee.unseen_max) = BLIND;
                draft.counters = counters;
                return draft;
            }
            complete &= draft.complete;
            if nearest.as_ref().is_none_or(|best| distance(&draft) < distance(best)) {
                draft.time = draft.clearance.map(|_| [time(step); 2]);
                nearest = Some(draft);
            }
            if !complete {
                break;
            }
        }
        let mut draft = nearest.unwrap_or_else(|| Draft::of(Verdict::Unknown));
        (draft.guarantee.may_miss, draft.guarantee.unseen_max) = BLIND;
        draft.counters = counters;
        draft.complete = complete;
        if !complete {
            draft.verdict = Verdict::Unknown;
            (draft.clearance, draft.time) = (None, None);
        }
        draft
    }
}

/// A box around the shape during the whole step.
fn swept(mesh: &Mesh, placement: &Placement) -> Aabb {
    match placement {
        Placement::Fixed(pose) => {
            let corners = mesh.triangles().iter().flatten();
            let posed = corners.map(|&v| pose.apply(&mesh.vertices()[v as usize]));
            posed.fold(Aabb::EMPTY, |bounds, corner| bounds.with(&corner))
        }
        Placement::Moving(motion) => motion.aabb_bounds(&mesh.bounds(), 0.0, 1.0),
        // Followed vertex by vertex elsewhere; here nothing is known of it.
        Placement::Deforming(_) => Aabb { min: [f64::NEG_INFINITY; 3], max: [f64::INFINITY; 3] },
    }
}
