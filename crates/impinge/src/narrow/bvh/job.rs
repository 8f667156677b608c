//! One job at one instant.

use super::memory::{Memory, Plan};
use super::model::{Model, Posed};
use crate::contract::answer::{Clearance, Draft, HitKind, Verdict};
use crate::contract::counters::Counters;
use crate::contract::job::Job;
use crate::contract::query::{Gap, Mode, Query, Want};
use crate::narrow::budget::Limit;
use crate::narrow::deforming;
use crate::narrow::found::{Found, contact};
use crate::narrow::instants::Instants;
use crate::narrow::parts::look_inside;
use impinge_geom::neighbours::intersect_beyond_shared;
use impinge_geom::obb_tree::Place;
use impinge_geom::obb_tree::couple::{Couple, Relative};
use impinge_geom::obb_tree::cross::{self, Ended, Next, Order, Search, Work};
use impinge_geom::obb_tree::front::{Held, Holding};
use impinge_geom::obb_tree::gap::{self, GapScratch, GapSearch, Wanted};
use impinge_geom::obb_tree::travel::TravelScratch;

/// Memory that is kept from job to job.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    cross: cross::Scratch,
    gap: GapScratch,
    pub(super) travel: TravelScratch,
}

/// A job with all it takes to answer it.
pub(super) struct Task<'a> {
    pub(super) job: &'a Job,
    pub(super) query: &'a Query,
    pub(super) models: [&'a Model; 2],
    pub(super) limit: &'a Limit<'a>,
    pub(super) buffers: &'a mut Buffers,
    /// What is known of the pair from earlier questions, if it may be used.
    pub(super) memory: Option<&'a mut Memory>,
    /// Only contacts before this time of a motion matter.
    pub(super) until: f64,
}

/// How many steps of a descent pass between two looks at the clock.
const STEPS_PER_LOOK: u64 = 64;

impl Task<'_> {
    /// The answer.
    pub(super) fn answer(&mut self) -> Draft {
        let meshes = self.models.map(|model| &*model.mesh);
        let mode = self.query.mode;
        if deforming::is_for(self.job, mode) {
            let Self { job, query, limit, until, .. } = *self;
            return deforming::Course { job, query, meshes, limit, until }.answer();
        }
        // The instants of a motion are not the same from question to question.
        let memory = self.memory.take().filter(|_| mode == Mode::Static && !self.job.itself);
        if let Some(memory) = memory {
            memory.keep_if_of(self.models.map(|model| &model.mesh));
            self.memory = Some(memory);
        }
        match mode {
            Mode::Dynamic => {
                let rests = self.job.itself || !self.moves();
                let mut draft = if rests { self.at_rest() } else { self.over_motion() };
                draft.counters.body_pairs = 1;
                return draft;
            }
            Mode::Static | Mode::PseudoDynamic(_) => {}
        }
        let instants = Instants { job: self.job, mode, meshes };
        instants.answer(|time| self.at_instant(time))
    }

    pub(super) fn at_instant(&mut self, time: f64) -> Draft {
        if self.limit.deadline.is_over() {
            return Draft { complete: false, ..Draft::of(Verdict::Unknown) };
        }
        let pose_a = self.job.a.placement.at(time);
        let a = self.models[0].at(&pose_a);
        if self.job.itself {
            let couple = Couple::new(a.placed, a.placed);
            return self.surface(&couple).0.into_draft();
        }
        let pose_b = self.job.b.placement.at(time);
        let b = self.models[1].at(&pose_b);
        let bodies = [&a, &b];
        let Some(memory) = self.memory.take() else {
            let couple = couple_of(bodies);
            let (mut draft, last) = self.look(&couple, bodies);
            self.measure(&couple, last, &mut draft);
            return draft;
        };
        let now = Relative::of(&a.placed, &b.placed);
        memory.moves_to(now);
        let draft = self.look_again(bodies, (&now, memory));
        self.memory = Some(memory);
        draft
    }

    /// The answer with what is known from earlier.
    fn look_again(
        &mut self,
        bodies: [&Posed<'_>; 2],
        (now, memory): (&Relative, &mut Memory),
    ) -> Draft {
        let apart = memory.apart(now);
        if apart > self.below() {
            return Draft::of(Verdict::Free);
        }
        if self.query.gap == Gap::Ignore && memory.is_held() {
            let mut draft = Draft::of(Verdict::Free);
            look_inside(bodies, self.limit, &mut draft);
            memory.took(Plan::Renew, 0);
            return draft;
        }
        let couple = couple_of(bodies);
        if let Some(pair) = memory.touching.filter(|_| self.query.want == Want::Touching) {
            if couple.meet(pair) {
                let mut draft = hit(pair);
                draft.counters.exact_tests = 1;
                return draft;
            }
            memory.touching = None;
        }
        let (mut draft, last) = if apart > 0.0 {
            (Draft::of(Verdict::Free), None)
        } else {
            self.hold(&couple, bodies, memory).unwrap_or_else(|| self.look(&couple, bodies))
        };
        let nearest = self.measure(&couple, memory.nearest.or(last), &mut draft);
        memory.nearest = nearest.or(memory.nearest);
        match draft.verdict {
            Verdict::Free if draft.complete => {
                let gap = draft.clearance.map_or(self.below(), |gap| gap.at_least);
                memory.is_free(*now, gap);
            }
            Verdict::Hit(_) => memory.touches(draft.triangle_pairs.first().copied()),
            _ => {}
        }
        draft
    }

    /// The answer from what kept the pair apart the last time, as in [`Task::look`]; none if that
    /// cannot tell all that is wanted.
    fn hold(
        &mut self,
        couple: &Couple<'_>,
        bodies: [&Posed<'_>; 2],
        memory: &mut Memory,
    ) -> Option<(Draft, Option<[Place; 2]>)> {
        let plan = if couple.is_alike() { memory.plan() } else { Plan::Descend };
        let mut exact = 0;
        let meet = |kind, pair| {
            exact += u64::from(kind == cross::Found::Open);
            kind == cross::Found::Certain || couple.meet(pair)
        };
        let front = &mut memory.front;
        let mut holding = Holding { couple, front, work: Work::default() };
        let held = match plan {
            Plan::Descend => {
                holding.front.clear();
                return None;
            }
            Plan::Make => holding.make(meet, allowed(self.limit)),
            Plan::Renew => holding.renew(meet, allowed(self.limit)),
        };
        let work = Work { exact, ..holding.work };
        let mut draft = match held {
            Held::Free => Draft::of(Verdict::Free),
            Held::Meet(pair) if self.query.want == Want::Touching => hit(pair),
            Held::Meet(_) | Held::CutShort => return None,
        };
        self.count(&work, &mut draft.counters);
        if draft.verdict == Verdict::Free {
            memory.took(plan, work.nodes + 2 * work.leaves);
            look_inside(bodies, self.limit, &mut draft);
        }
        Some((draft, None))
    }

    /// Whether the two meet, and the last two leaves that were held against each other.
    fn look(
        &mut self,
        couple: &Couple<'_>,
        bodies: [&Posed<'_>; 2],
    ) -> (Draft, Option<[Place; 2]>) {
        let (found, last) = self.surface(couple);
        let mut draft = found.into_draft();
        if draft.verdict == Verdict::Free {
            look_inside(bodies, self.limit, &mut draft);
        }
        (draft, last)
    }

    /// Distances up to this are asked about.
    pub(super) fn below(&self) -> f64 {
        match self.query.gap {
            Gap::Ignore => 0.0,
            Gap::Below(distance) => distance.max(0.0),
            Gap::Measure => f64::INFINITY,
        }
    }

    /// The triangles that meet, and the last two leaves that were held against each other.
    fn surface(&mut self, couple: &Couple<'_>) -> (Found, Option<[Place; 2]>) {
        let first_only = self.query.want == Want::Touching;
        let itself = self.job.itself;
        let order = if first_only && !itself { Order::NearFirst } else { Order::Any };
        let scratch = &mut self.buffers.cross;
        let mut search = Search { couple, order, scratch, work: Work::default() };
        let mut found = Found::default();
        let mut exact = 0;
        let mut last = None;
        let ended = search.run(
            |kind, pair, places| {
                last = Some(places);
                let hit = if itself {
                    exact += u64::from(pair[0] < pair[1]);
                    pair[0] < pair[1] && meet_beyond_shared(couple, pair)
                } else {
                    exact += u64::from(kind == cross::Found::Open);
                    kind == cross::Found::Certain || couple.meet(pair)
                };
                if hit {
                    found.triangle_pairs.push(pair);
                }
                if hit && first_only { Next::Stop } else { Next::Continue }
            },
            allowed(self.limit),
        );
        let work = Work { exact, ..search.work };
        self.count(&work, &mut found.counters);
        found.cut_short = ended == Ended::CutShort;
        found.triangle_pairs.sort_unstable();
        if self.query.want == Want::Contacts {
            self.add_contacts(couple, &mut found);
        }
        (found, last)
    }

    fn add_contacts(&self, couple: &Couple<'_>, found: &mut Found) {
        for (i, &pair) in found.triangle_pairs.iter().enumerate() {
            if (i as u64).is_multiple_of(STEPS_PER_LOOK) && self.limit.deadline.is_over() {
                found.cut_short = true;
                found.triangle_pairs.truncate(i);
                break;
            }
            let [a, b] = couple.triangles(pair);
            found.contacts.extend(contact(pair, [&a, &b]));
        }
    }

    /// Adds the clearance to a free draft, if it is asked for and not above what is asked about.
    /// Returns the leaves of the nearest points.
    fn measure(
        &mut self,
        couple: &Couple<'_>,
        hint: Option<[Place; 2]>,
        draft: &mut Draft,
    ) -> Option<[Place; 2]> {
        if draft.verdict != Verdict::Free || self.query.gap == Gap::Ignore {
            return None;
        }
        let (gap, ended) = self.nearest(couple, (self.below(), hint), draft);
        draft.complete &= ended != Ended::CutShort;
        draft.clearance = gap.map(|gap| Clearance {
            at_least: gap.at_least,
            at_most: gap.closest.hi,
            points: gap.closest.points,
            triangles: gap.triangles,
        });
        gap.map(|gap| gap.places)
    }

    pub(super) fn nearest(
        &mut self,
        couple: &Couple<'_>,
        (below, hint): (f64, Option<[Place; 2]>),
        draft: &mut Draft,
    ) -> (Option<gap::Gap>, Ended) {
        let scratch = &mut self.buffers.gap;
        let mut search = GapSearch { couple, scratch, work: Work::default() };
        let found = search.run(&Wanted { below, hint }, allowed(self.limit));
        let work = search.work;
        self.count(&work, &mut draft.counters);
        found
    }

    pub(super) fn count(&self, work: &Work, counters: &mut Counters) {
        self.limit.spend(price(work));
        counters.node_tests += 8 * work.nodes;
        counters.triangle_pairs += 64 * work.leaves;
        counters.triangle_tests += work.triangles;
        counters.exact_tests += work.exact;
        counters.distance_tests += work.distances;
    }
}

/// These two triangles meet, which is all that is asked.
fn hit(pair: [u32; 2]) -> Draft {
    let mut draft = Draft::of(Verdict::Hit(HitKind::Surface));
    draft.triangle_pairs.push(pair);
    draft
}

/// Work in the unit of [`crate::contract::query::Budget::Work`]: pairs of boxes or triangles.
fn price(work: &Work) -> u64 {
    8 * work.nodes + 64 * work.leaves
}

/// How many steps a search may do before it asks again.
pub(super) fn allowed<'a>(limit: &'a Limit<'a>) -> impl FnMut(&Work) -> u64 + 'a {
    let left = limit.left();
    let mut asked = false;
    move |work| {
        let left = left.saturating_sub(price(work));
        // The first look at the clock is the caller's.
        let over = std::mem::replace(&mut asked, true) && limit.deadline.is_over();
        // No step is begun that could cost more than what is left.
        let steps = (left / STEP_PRICE_MAX).min(STEPS_PER_LOOK);
        if over { 0 } else { steps }
    }
}

/// The most that one step costs: two leaves.
const STEP_PRICE_MAX: u64 = 64;

fn couple_of<'a>([a, b]: [&Posed<'a>; 2]) -> Couple<'a> {
    Couple::new(a.placed, b.placed)
}

/// Two triangles of one body, judged beyond what they share.
fn meet_beyond_shared(couple: &Couple<'_>, pair: [u32; 2]) -> bool {
    let [a, b] = couple.triangles(pair);
    intersect_beyond_shared(&a, &b)
}
