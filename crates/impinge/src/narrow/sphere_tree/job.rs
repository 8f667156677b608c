//! One job: a search that can be stopped after any step, and what it came to.

use super::model::{Model, Posed};
use crate::contract::answer::{Clearance, Draft, HitKind, Verdict};
use crate::contract::job::Job;
use crate::contract::query::{Gap, Query, Want};
use crate::narrow::budget::Limit;
use crate::narrow::found::{Found, contact};
use crate::narrow::parts::look_inside;
use impinge_geom::coins::search::{Interval, Refinement, all_meeting};
use impinge_geom::coins::{Couple, Placed};
use impinge_geom::neighbours::intersect_beyond_shared;
use impinge_geom::pose::Pose;

/// How many steps of a search find room if there is a deadline: what it takes to make more is not to be
/// foreseen. Shared by all searches of a batch.
pub(super) const ROOM: usize = 1 << 17;

/// How many steps pass between two looks at the clock.
pub(super) const STEPS_PER_LOOK: u64 = 4;

/// How many contacts are worked out between two looks at the clock.
const CONTACTS_PER_LOOK: usize = 16;

/// What a step costs, in the unit of [`crate::contract::query::Budget::Work`].
const STEP_PRICE: u64 = 8;

/// How a search begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// It is not gone on with.
    Single,
    /// The next frame may go on with it.
    First,
    /// It goes on from the frame before.
    Next,
}

/// A pair at one instant.
pub(super) struct Task<'a> {
    pub(super) query: &'a Query,
    models: [&'a Model; 2],
    poses: [Pose; 2],
    itself: bool,
}

impl<'a> Task<'a> {
    pub(super) fn new((job, time): (&Job, f64), query: &'a Query, models: [&'a Model; 2]) -> Self {
        let poses = [&job.a, &job.b].map(|placed| placed.placement.at(time));
        Self { query, models, poses, itself: job.itself }
    }

    /// Whether there is a search that others may take turns with.
    pub(super) fn is_refined(&self) -> bool {
        !self.itself
    }

    fn posed(&self) -> [Posed<'_>; 2] {
        let [a, b] = self.models;
        if self.itself {
            return [a.at(&self.poses[0]); 2];
        }
        [a.at(&self.poses[0]), b.at(&self.poses[1])]
    }

    pub(super) fn couple(&self) -> Couple<'_> {
        let [a, b] = self.posed();
        Couple::new(a.placed, b.placed)
    }

    /// Distances up to this are asked about.
    fn below(&self) -> f64 {
        match self.query.gap {
            Gap::Ignore => 0.0,
            Gap::Below(distance) => distance.max(0.0),
            Gap::Measure => f64::INFINITY,
        }
    }

    /// Begins the search, or goes on with that of the frame before, if the limit allows as much as that.
    pub(super) fn begin(
        &self,
        couple: &Couple<'_>,
        (search, course): (&mut Refinement, Course),
        limit: &Limit<'_>,
    ) -> bool {
        let allowed = !limit.deadline.is_over() && limit.take(STEP_PRICE);
        match course {
            _ if !allowed => {}
            Course::Single => search.start(couple, self.below()),
            Course::First => search.start_whole(couple, self.below()),
            Course::Next => search.resume(couple, self.below()),
        }
        allowed
    }

    /// Runs the search until it is done, or `steps` more steps, or the limit. False at the limit. After
    /// `room` steps what is found is not kept.
    pub(super) fn refine(
        &self,
        (couple, search): (&Couple<'_>, &mut Refinement),
        (steps, room): (u64, usize),
        limit: &Limit<'_>,
    ) -> bool {
        for step in 0..steps {
            if search.is_done() {
                break;
            }
            let is_over = step.is_multiple_of(STEPS_PER_LOOK) && limit.deadline.is_over();
            if is_over || !limit.take(STEP_PRICE) {
                return false;
            }
            search.step(couple, room);
        }
        true
    }

    /// Whether one is inside the other, given that the surfaces are known not to meet.
    pub(super) fn look_inside(&self, limit: &Limit<'_>) -> Draft {
        let mut draft = Draft::of(Verdict::Free);
        let [a, b] = self.posed();
        look_inside([&a, &b], limit, &mut draft);
        draft
    }

    /// Whether it is known that the surfaces do not meet.
    pub(super) fn is_apart(couple: &Couple<'_>, search: &Refinement) -> bool {
        let is_done = search.is_done() && search.is_whole();
        search.meeting().is_none() && (is_done || search.at_least(couple) > 0.0)
    }

    /// The answer as far as the search has come, and what else is asked. `inside` is what
    /// [`Task::look_inside`] came to, if there was time for it.
    pub(super) fn answer(
        &self,
        (couple, search): (&Couple<'_>, &Refinement),
        inside: Option<Draft>,
        limit: &Limit<'_>,
    ) -> Draft {
        let mut draft = self.verdict(couple, search, inside);
        draft.counters.body_pairs = 1;
        draft.counters.node_tests += STEP_PRICE * search.steps();
        if matches!(draft.verdict, Verdict::Hit(HitKind::Surface))
            && self.query.want != Want::Touching
        {
            let found = self.pairs(couple, limit);
            draft.complete = !found.cut_short;
            // What was found first may not have been reached again.
            if !found.triangle_pairs.is_empty() {
                (draft.triangle_pairs, draft.contacts) = (found.triangle_pairs, found.contacts);
            }
            draft.counters += found.counters;
        }
        draft
    }

    fn verdict(&self, couple: &Couple<'_>, search: &Refinement, inside: Option<Draft>) -> Draft {
        if let Some(pair) = search.meeting() {
            let mut draft = Draft::of(Verdict::Hit(HitKind::Surface));
            draft.triangle_pairs.push(pair);
            return draft;
        }
        let is_done = search.is_done() && search.is_whole();
        let mut draft = match inside {
            Some(inside) if Self::is_apart(couple, search) => inside,
            _ => Draft { complete: false, ..Draft::of(Verdict::Unknown) },
        };
        draft.complete &= is_done || self.query.gap == Gap::Ignore;
        if self.query.gap != Gap::Ignore && !matches!(draft.verdict, Verdict::Hit(_)) {
            draft.clearance = search.interval(couple).map(clearance);
            // One may lie in the other, however far apart the surfaces are.
            if let (Verdict::Unknown, Some(gap)) = (draft.verdict, &mut draft.clearance) {
                gap.at_least = 0.0;
            }
        }
        draft
    }

    /// All pairs of triangles that meet, as far as the limit allows.
    fn pairs(&self, couple: &Couple<'_>, limit: &Limit<'_>) -> Found {
        let mut found = Found::default();
        let mut all = Vec::new();
        let mut tests = 0;
        let [a, b] = *couple.bodies();
        let go_on = |steps: u64| {
            tests = steps;
            !limit.deadline.is_over() && limit.take(STEP_PRICE)
        };
        found.cut_short = !all_meeting(couple, |pair| all.push(pair), go_on);
        found.counters.node_tests = STEP_PRICE * tests;
        all.sort_unstable();
        if self.query.want == Want::Contacts {
            for (k, &pair) in all.iter().enumerate() {
                if k % CONTACTS_PER_LOOK == CONTACTS_PER_LOOK - 1 && limit.deadline.is_over() {
                    found.cut_short = true;
                    break;
                }
                let corners = [a.triangle(pair[0]), b.triangle(pair[1])];
                found.contacts.extend(contact(pair, [&corners[0], &corners[1]]));
            }
            // One contact for each pair, of those there was time for.
            if found.cut_short {
                let told: Vec<_> = found.contacts.iter().map(|contact| contact.triangles).collect();
                all = told;
            }
        }
        found.triangle_pairs = all;
        found
    }

    /// A body against itself.
    pub(super) fn of_itself(&self, limit: &Limit<'_>) -> Draft {
        let couple = self.couple();
        let body: Placed<'_> = couple.bodies()[0];
        let mut found = Found::default();
        let mut all = Vec::new();
        let meet = |pair: [u32; 2]| {
            let [a, b] = pair.map(|i| body.triangle(i));
            pair[0] < pair[1] && intersect_beyond_shared(&a, &b)
        };
        let each = |pair: [u32; 2]| all.extend(meet(pair).then_some(pair));
        let go_on = |_| !limit.deadline.is_over() && limit.take(STEP_PRICE);
        found.cut_short = !all_meeting(&couple, each, go_on);
        all.sort_unstable();
        if self.query.want == Want::Contacts {
            for &pair in &all {
                let [a, b] = pair.map(|i| body.triangle(i));
                found.contacts.extend(contact(pair, [&a, &b]));
            }
        }
        found.triangle_pairs = all;
        found.counters.body_pairs = 1;
        found.into_draft()
    }
}

/// Of a pair that was not looked at.
pub(super) fn nothing_known() -> Draft {
    let mut draft = Draft { complete: false, ..Draft::of(Verdict::Unknown) };
    draft.counters.body_pairs = 1;
    draft
}

fn clearance(interval: Interval) -> Clearance {
    let Interval { at_least, at_most, points, triangles } = interval;
    Clearance { at_least, at_most, points, triangles }
}
