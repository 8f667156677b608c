//! One job.

use super::model::{Model, Posed};
use super::settings::Sides;
use super::touch::Toucher;
use crate::contract::answer::{Clearance, Draft, Guarantee, HitKind, Side, Touch, Verdict};
use crate::contract::counters::Counters;
use crate::contract::job::{Job, Placement};
use crate::contract::query::{Budget, Gap, Mode, Onset, Query, Want};
use crate::narrow::budget::Limit;
use crate::narrow::deforming;
use crate::narrow::instants::Instants;
use crate::narrow::parts::look_inside;
use impinge_geom::obb_tree::couple::{Couple, Placed};
use impinge_geom::obb_tree::cross;
use impinge_geom::obb_tree::gap::{GapScratch, GapSearch, Wanted};
use impinge_geom::pose::Pose;
use impinge_geom::voxels::look::{Ended, Found, Lookup, Scratch, Work};
use impinge_geom::voxels::shell::CLUSTER;
use impinge_geom::voxels::travel::{AROUND, Course, Traveller, Way, first_arrival};

/// Memory that is kept from job to job.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    look: Scratch,
    found: Vec<Found>,
    gap: GapScratch,
    /// For the points of the next answer.
    touches: Vec<Touch>,
}

impl Buffers {
    /// Takes back the memory of an answer that was handed on.
    pub(super) fn recycle(&mut self, draft: Draft) {
        self.touches = draft.touches;
        self.touches.clear();
    }
}

/// A job with all it takes to answer it.
pub(super) struct Task<'a> {
    pub(super) job: &'a Job,
    pub(super) query: &'a Query,
    pub(super) models: [&'a Model; 2],
    pub(super) limit: &'a Limit<'a>,
    pub(super) sides: Sides,
    pub(super) buffers: &'a mut Buffers,
}

/// How many steps of a search for distances pass between two looks at the clock.
const STEPS_PER_LOOK: u64 = 64;

/// What looking up the points of one side came to.
struct Looked {
    /// Whose points.
    side: usize,
    ended: Ended,
    /// All points of the side were found.
    all: bool,
}

impl Task<'_> {
    /// The answer.
    pub(super) fn answer(&mut self) -> Draft {
        let mode = self.query.mode;
        let meshes = self.models.map(|model| &*model.mesh);
        if deforming::is_for(self.job, mode) {
            let Self { job, query, limit, .. } = *self;
            return deforming::Course { job, query, meshes, limit, until: 1.0 }.answer();
        }
        if self.job.itself {
            return Draft { guarantee: Guarantee::BLIND, ..Draft::of(Verdict::Unknown) };
        }
        if mode == Mode::Dynamic {
            return self.over_motion();
        }
        let instants = Instants { job: self.job, mode, meshes };
        instants.answer(|time| self.at_instant(time))
    }

    /// What can be said of a pair that was looked at wholly.
    fn guarantee(&self, sides: &[usize], error: f64) -> Guarantee {
        let bodies = self.models.map(|model| &model.body);
        let of = |points: usize| {
            let (shell, other) = (bodies[points].shell(), bodies[1 - points]);
            let unseen = shell.cover() + other.hollow() + error;
            // Points are on the surface or inside, but for the rounding to steps.
            (unseen, other.halo() + error + shell.step())
        };
        let both = sides.len() == 2;
        let unseen = sides.iter().map(|&side| of(side).0).fold(0.0, f64::max);
        Guarantee {
            may_miss: true,
            may_invent: true,
            error_max: sides.iter().map(|&side| of(side).1).fold(0.0, f64::max),
            unseen_max: if both { unseen } else { f64::INFINITY },
        }
    }

    /// Whose points are looked up, in this order.
    fn order(&self) -> &'static [usize] {
        let counts = self.models.map(|model| model.body.shell().count());
        let first = if counts[1] < counts[0] { &[1, 0] } else { &[0, 1] };
        match self.sides {
            Sides::Both => first,
            Sides::One => &first[..1],
        }
    }

    fn lookup(&self, side: usize, poses: &[Pose; 2]) -> Lookup<'_> {
        look_up_between(self.models, side, poses)
    }

    fn at_instant(&mut self, time: f64) -> Draft {
        let poses = [&self.job.a, &self.job.b].map(|placed| placed.placement.at(time));
        let mut draft = Draft::of(Verdict::Free);
        draft.touches = std::mem::take(&mut self.buffers.touches);
        let order = self.order();
        let mut error = 0.0f64;
        for &side in order {
            let looked = self.look(side, &poses, &mut draft.counters);
            error = error.max(self.lookup(side, &poses).error());
            if let Ended::CutShort { unseen } = looked.ended {
                draft.complete = false;
                draft.guarantee.unseen_max = draft.guarantee.unseen_max.max(unseen);
            }
            if !self.buffers.found.is_empty() {
                draft.verdict = Verdict::Hit(looked.kind());
                if self.query.want != Want::Touching {
                    self.touch(side, &poses, &mut draft.touches);
                }
                break;
            }
        }
        let unseen = draft.guarantee.unseen_max;
        draft.guarantee = self.guarantee(order, error);
        draft.guarantee.unseen_max += unseen;
        if draft.verdict == Verdict::Free && !draft.complete {
            draft.verdict = Verdict::Unknown;
        }
        if draft.verdict != Verdict::Unknown {
            self.measure(&poses, &mut draft);
        }
        draft
    }

    /// Looks up the points of one side; what is found is in the buffers.
    fn look(&mut self, side: usize, poses: &[Pose; 2], counters: &mut Counters) -> Looked {
        let lookup = look_up_between(self.models, side, poses);
        let Buffers { look: scratch, found, .. } = &mut *self.buffers;
        found.clear();
        let touching =
            self.query.want == Want::Touching && !may_be_within(self.models, side, poses);
        let (work, ended) = if touching || self.query.budget != Budget::Unlimited {
            let (limit, left) = (self.limit, self.limit.left());
            let go_on = |work: &Work| units(work) < left && !limit.deadline.is_over();
            lookup.deepest_first(scratch, (found, touching), go_on)
        } else {
            (lookup.near(scratch, found), Ended::Done)
        };
        self.limit.spend(units(&work));
        counters.node_tests += 8 * work.balls;
        counters.inside_tests += CLUSTER as u64 * work.clusters;
        // Those of the deepest first are told in the order of the points as well.
        found.sort_unstable_by_key(|found| found.cluster);
        let count: usize = found.iter().map(|found| found.points.count_ones() as usize).sum();
        Looked { side, ended, all: count == self.models[side].body.shell().count() }
    }

    /// Adds what was found to the list.
    fn touch(&self, side: usize, poses: &[Pose; 2], touches: &mut Vec<Touch>) {
        let lookup = self.lookup(side, poses);
        Toucher { models: self.models, side, poses, lookup: &lookup }
            .touch(&self.buffers.found, touches);
    }

    /// Points are followed from voxel to voxel.
    fn over_motion(&mut self) -> Draft {
        let mut start = self.at_instant(0.0);
        start.clearance = None;
        start.counters.body_pairs = 1;
        match start.verdict {
            Verdict::Hit(_) if self.query.onset == Onset::New => {
                // Which triangles touch at the start is not known here.
                return Draft { guarantee: Guarantee::BLIND, ..Draft::of(Verdict::Unknown) };
            }
            Verdict::Hit(_) => return Draft { time: Some([0.0; 2]), ..start },
            Verdict::Unknown => return Draft { time: Some([0.0, 1.0]), ..start },
            Verdict::Free => {}
        }
        let mut draft = start;
        let placements = [&self.job.a.placement, &self.job.b.placement];
        let ends = placements.map(|placement| placement.end());
        let travellers = [0, 1].map(|k| Traveller {
            body: &self.models[k].body,
            ball: &self.models[k].ball,
            way: match placements[k] {
                Placement::Moving(motion) => Way::Moves(motion),
                Placement::Fixed(_) | Placement::Deforming(_) => Way::Rests(&ends[k]),
            },
        });
        // From when on something is not known, and the earliest arrival.
        let (mut open, mut met) = (1.0f64, None::<[f64; 2]>);
        for &side in self.order() {
            let pair = [&travellers[side], &travellers[1 - side]];
            let (limit, left) = (self.limit, self.limit.left());
            let go_on = |work: &Work| units(work) < left && !limit.deadline.is_over();
            let until = met.map_or(1.0, |[_, until]| until);
            let (course, work) = first_arrival(pair, until, &mut self.buffers.look, go_on);
            self.limit.spend(units(&work));
            draft.counters.node_tests += 8 * work.balls;
            draft.counters.inside_tests += CLUSTER as u64 * work.clusters;
            match course {
                Course::Free => {}
                Course::CutShort(time) => (open, draft.complete) = (open.min(time), false),
                Course::Arrives(arrival) => {
                    let [start, end] = arrival.time;
                    met = Some([met.map_or(start, |[earlier, _]| earlier.min(start)), end]);
                    self.buffers.found = arrival.found;
                    draft.touches.clear();
                    let poses = placements.map(|placement| placement.at(0.5 * (start + end)));
                    self.touch(side, &poses, &mut draft.touches);
                }
            }
        }
        (draft.verdict, draft.time) = match met {
            Some([start, end]) => (Verdict::Hit(HitKind::Surface), Some([start.min(open), end])),
            None if draft.complete => (Verdict::Free, None),
            None => (Verdict::Unknown, Some([open, 1.0])),
        };
        let size = |model: &Model| model.body.map().grid().size();
        let largest = self.models.map(size).into_iter().fold(0.0, f64::max);
        draft.guarantee.error_max += 3.0f64.sqrt() * AROUND * largest;
        draft
    }

    /// The clearance, if it is asked for and not above what is asked about. It is measured on the meshes, for
    /// which trees of oriented boxes are made, so that it also tells exactly whether they touch: the answer
    /// does not depend on voxels then.
    fn measure(&mut self, poses: &[Pose; 2], draft: &mut Draft) {
        // What is inside by winding number is not known to the meshes.
        let is_closed = self.models.iter().all(|model| model.is_closed);
        if self.query.gap == Gap::Ignore || !(is_closed || draft.verdict == Verdict::Free) {
            return;
        }
        let gap = self.gap(poses, draft);
        if !is_closed {
            draft.clearance = gap;
            return;
        }
        let complete = draft.complete;
        match gap {
            Some(gap) if gap.at_most <= 0.0 => {
                if draft.verdict == Verdict::Free {
                    draft.verdict = Verdict::Hit(HitKind::Surface);
                }
                draft.guarantee = Guarantee::EXACT;
            }
            Some(gap) if gap.at_least <= 0.0 && draft.verdict != Verdict::Free => {}
            // They do not meet, but one may lie in the other.
            gap => {
                draft.verdict = Verdict::Free;
                let [a, b] = [0, 1].map(|k| Posed { model: self.models[k], pose: &poses[k] });
                look_inside([&a, &b], self.limit, draft);
                if draft.verdict == Verdict::Free {
                    (draft.clearance, draft.complete) = (gap, complete);
                    draft.touches.clear();
                }
                draft.guarantee = Guarantee::EXACT;
            }
        }
    }

    fn gap(&mut self, poses: &[Pose; 2], draft: &mut Draft) -> Option<Clearance> {
        let below = match self.query.gap {
            Gap::Ignore => return None,
            Gap::Below(distance) => distance.max(0.0),
            Gap::Measure => f64::INFINITY,
        };
        let [a, b] = [0, 1].map(|k| {
            let model = self.models[k];
            Placed { mesh: &model.mesh, tree: model.tree(), pose: &poses[k] }
        });
        let couple = Couple::new(a, b);
        let scratch = &mut self.buffers.gap;
        let mut search = GapSearch { couple: &couple, scratch, work: cross::Work::default() };
        let (limit, left) = (self.limit, self.limit.left());
        let steps = |work: &cross::Work| {
            let spent = 8 * work.nodes + 64 * work.leaves;
            let steps = (left.saturating_sub(spent) / 64).min(STEPS_PER_LOOK);
            if limit.deadline.is_over() { 0 } else { steps }
        };
        let (gap, ended) = search.run(&Wanted { below, hint: None }, steps);
        let work = search.work;
        self.limit.spend(8 * work.nodes + 64 * work.leaves);
        draft.counters.node_tests += 8 * work.nodes;
        draft.counters.distance_tests += work.distances;
        draft.complete &= ended != cross::Ended::CutShort;
        gap.map(|gap| Clearance {
            at_least: gap.at_least,
            at_most: gap.closest.hi,
            points: gap.closest.points,
            triangles: gap.triangles,
        })
    }
}

impl Looked {
    /// All points of a body within the other are that body within the other.
    fn kind(&self) -> HitKind {
        let inner = if self.side == 0 { Side::A } else { Side::B };
        if self.all { HitKind::Inside { inner } } else { HitKind::Surface }
    }
}

/// The points of one side in front of the voxels of the other.
fn look_up_between<'a>(models: [&'a Model; 2], side: usize, poses: &[Pose; 2]) -> Lookup<'a> {
    let [points, voxels] = [models[side], models[1 - side]].map(|model| &model.body);
    let map = (voxels.map(), voxels.lattice(), &poses[1 - side]);
    Lookup::new((points.shell(), &poses[side]), map)
}

/// Whether the body with the points may lie within the other wholly.
fn may_be_within(models: [&Model; 2], side: usize, poses: &[Pose; 2]) -> bool {
    let centre = |k: usize| poses[k].apply(&models[k].ball.center);
    let (inner, outer) = (centre(side), centre(1 - side));
    let square: f64 = (0..3).map(|k| (inner[k] - outer[k]) * (inner[k] - outer[k])).sum();
    let room = models[1 - side].ball.radius - models[side].ball.radius;
    // A body within another has a ball that reaches no farther than the farthest of the other's.
    let size = models[side].body.map().grid().size();
    square.sqrt() <= room + 4.0 * size
}

/// What budgets count: balls and points.
fn units(work: &Work) -> u64 {
    8 * work.balls + CLUSTER as u64 * work.clusters
}
