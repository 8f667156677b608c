//! One job at one instant.

use super::model::{Model, Posed};
use crate::contract::answer::{Clearance, Draft, Verdict};
use crate::contract::job::Job;
use crate::contract::query::{Gap, Query, Want};
use crate::narrow::budget::Limit;
use crate::narrow::found::{Found, contact};
use crate::narrow::instants::Instants;
use crate::narrow::parts::look_inside;
use impinge_geom::neighbours::intersect_beyond_shared;
use impinge_geom::obb_tree::Place;
use impinge_geom::obb_tree::couple::Couple;
use impinge_geom::obb_tree::cross::{self, Ended, Next, Order, Search, Work};
use impinge_geom::obb_tree::gap::{GapScratch, GapSearch, Wanted};

/// Memory that is kept from job to job.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    cross: cross::Scratch,
    gap: GapScratch,
}

/// A job with all it takes to answer it.
pub(super) struct Task<'a> {
    pub(super) job: &'a Job,
    pub(super) query: &'a Query,
    pub(super) models: [&'a Model; 2],
    pub(super) limit: &'a Limit<'a>,
    pub(super) buffers: &'a mut Buffers,
}

/// How many steps of a descent pass between two looks at the clock.
const STEPS_PER_LOOK: u64 = 64;

impl Task<'_> {
    /// The answer.
    pub(super) fn answer(&mut self) -> Draft {
        let meshes = self.models.map(|model| &*model.mesh);
        let instants = Instants { job: self.job, mode: self.query.mode, meshes };
        instants.answer(|time| self.at_instant(time))
    }

    fn at_instant(&mut self, time: f64) -> Draft {
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
        let couple = Couple::new(a.placed, b.placed);
        let (found, last) = self.surface(&couple);
        let mut draft = found.into_draft();
        if draft.verdict == Verdict::Free {
            look_inside::<Posed<'_>>([&a, &b], self.limit, &mut draft);
        }
        if draft.verdict == Verdict::Free {
            self.measure(&couple, last, &mut draft);
        }
        draft
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
            if i as u64 % STEPS_PER_LOOK == 0 && self.limit.deadline.is_over() {
                found.cut_short = true;
                found.triangle_pairs.truncate(i);
                break;
            }
            let [a, b] = couple.triangles(pair);
            found.contacts.extend(contact(pair, [&a, &b]));
        }
    }

    /// Adds the clearance to a free draft, if it is not above what is asked about.
    fn measure(&mut self, couple: &Couple<'_>, hint: Option<[Place; 2]>, draft: &mut Draft) {
        let below = match self.query.gap {
            Gap::Ignore => return,
            Gap::Below(distance) => distance.max(0.0),
            Gap::Measure => f64::INFINITY,
        };
        let scratch = &mut self.buffers.gap;
        let mut search = GapSearch { couple, scratch, work: Work::default() };
        let (gap, ended) = search.run(&Wanted { below, hint }, allowed(self.limit));
        let work = search.work;
        self.count(&work, &mut draft.counters);
        draft.complete &= ended != Ended::CutShort;
        draft.clearance = gap.map(|gap| Clearance {
            at_least: gap.at_least,
            at_most: gap.closest.hi,
            points: gap.closest.points,
            triangles: gap.triangles,
        });
    }

    fn count(&self, work: &Work, counters: &mut crate::contract::counters::Counters) {
        self.limit.spend(price(work));
        counters.node_tests += 8 * work.nodes;
        counters.triangle_pairs += 64 * work.leaves;
        counters.triangle_tests += work.triangles;
        counters.exact_tests += work.exact;
        counters.distance_tests += work.distances;
    }
}

/// Work in the unit of [`crate::contract::query::Budget::Work`]: pairs of boxes or triangles.
fn price(work: &Work) -> u64 {
    8 * work.nodes + 64 * work.leaves
}

/// How many steps a search may do before it asks again.
fn allowed<'a>(limit: &'a Limit<'a>) -> impl FnMut(&Work) -> u64 + 'a {
    let left = limit.left();
    let mut asked = false;
    move |work| {
        let left = left.saturating_sub(price(work));
        // The first look at the clock is the caller's.
        let over = std::mem::replace(&mut asked, true) && limit.deadline.is_over();
        let steps = (left / STEP_PRICE_MAX).clamp(u64::from(left > 0), STEPS_PER_LOOK);
        if over { 0 } else { steps }
    }
}

/// The most that one step costs: two leaves.
const STEP_PRICE_MAX: u64 = 64;

/// Two triangles of one body, judged beyond what they share.
fn meet_beyond_shared(couple: &Couple<'_>, pair: [u32; 2]) -> bool {
    let [a, b] = couple.triangles(pair);
    intersect_beyond_shared(&a, &b)
}
