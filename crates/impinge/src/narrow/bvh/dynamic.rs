//! One job over a whole motion: the first contact, certified [E99 §4].

use super::job::{Task, allowed};
use crate::contract::answer::{Clearance, Draft, HitKind, Verdict};
use crate::contract::counters::Counters;
use crate::contract::job::Placement;
use crate::contract::query::{Gap, Mode, Onset, Query, Want};
use crate::narrow::first::{contact, is_given_up, verdict};
use impinge_geom::first_contact::{FirstContact, Found, Wanted};
use impinge_geom::motion::moment::Travel;
use impinge_geom::obb_tree::couple::Couple;
use impinge_geom::obb_tree::cross::Work;
use impinge_geom::obb_tree::gap;
use impinge_geom::obb_tree::travel::{TravelSearch, Traveller};

impl Task<'_> {
    /// The answer over the motion: contact at the start, or the first on the way.
    pub(super) fn over_motion(&mut self) -> Draft {
        let start = self.at_start();
        let new_only = self.query.onset == Onset::New;
        match start.verdict {
            Verdict::Free => {}
            // Of what touches at the start all must be known, or it would count as new.
            Verdict::Hit(_) if new_only && !start.complete => {
                let time = Some([0.0, 1.0]);
                return Draft { time, verdict: Verdict::Unknown, ..start };
            }
            Verdict::Hit(_) if new_only => {}
            Verdict::Hit(_) => return Draft { time: Some([0.0; 2]), ..start },
            Verdict::Unknown => return Draft { time: Some([0.0, 1.0]), ..start },
        }
        let touching = if new_only { &*start.triangle_pairs } else { &[] };
        let mut counters = start.counters;
        let mut found = self.travel(&self.wanted(0.0, touching), &mut counters);
        if let Found::Contact(first) = &mut found
            && is_given_up(first, self.query)
        {
            self.settle(first, touching, &mut counters);
        }
        let mut draft = Draft { counters, ..verdict(&found, self.query) };
        if let (Found::Contact(first), Verdict::Unknown, false) = (&found, draft.verdict, new_only)
        {
            return self.seen_later(first.time[0], draft);
        }
        if let (Found::Contact(first), Want::Contacts) = (&found, self.query.want) {
            draft.contacts.push(contact(first));
        }
        if found == Found::Free && self.until < 1.0 {
            draft.verdict = Verdict::Unknown;
            draft.time = Some([self.until, 1.0]);
        } else if found == Found::Free
            && start.verdict == Verdict::Free
            && self.query.gap != Gap::Ignore
        {
            self.least_gap(&mut draft);
        }
        draft
    }

    fn wanted<'w>(&self, distance: f64, except: &'w [[u32; 2]]) -> Wanted<'w> {
        Wanted { tolerance: self.query.tolerance, distance, until: self.until, except }
    }

    /// Whether one of the bodies moves.
    pub(super) fn moves(&self) -> bool {
        let is_moving = |place: &Placement| !matches!(place, Placement::Fixed(_));
        is_moving(&self.job.a.placement) || is_moving(&self.job.b.placement)
    }

    /// Bodies that stay as they are to each other, as a rigid body does to itself: what touches at the
    /// start does so at all times, and the gap is that at the start.
    pub(super) fn at_rest(&mut self) -> Draft {
        let start = match self.query.onset {
            Onset::New => self.at_start(),
            Onset::Any | Onset::FirstOfAll => self.still_at(0.0, self.query.want, self.query.gap),
        };
        let time = match start.verdict {
            Verdict::Hit(_) if self.query.onset == Onset::New && start.complete => {
                return Draft { counters: start.counters, ..Draft::of(Verdict::Free) };
            }
            Verdict::Free => start.clearance.map(|_| [0.0; 2]),
            Verdict::Hit(_) => Some([0.0; 2]),
            Verdict::Unknown => Some([0.0, 1.0]),
        };
        Draft { time, ..start }
    }

    /// What touches at the start.
    fn at_start(&mut self) -> Draft {
        let want = match self.query.onset {
            // All of it is what does not count later.
            Onset::New => Want::Pairs,
            Onset::Any | Onset::FirstOfAll => self.query.want,
        };
        self.still_at(0.0, want, Gap::Ignore)
    }

    /// What touches at an instant.
    fn still_at(&mut self, time: f64, want: Want, gap: Gap) -> Draft {
        let query = Query { mode: Mode::Static, gap, want, ..*self.query };
        let mut task = Task {
            job: self.job,
            query: &query,
            models: self.models,
            limit: self.limit,
            buffers: self.buffers,
            memory: None,
            until: 1.0,
        };
        task.at_instant(time)
    }

    pub(super) fn travel(&mut self, wanted: &Wanted<'_>, counters: &mut Counters) -> Found {
        let places = [&self.job.a.placement, &self.job.b.placement];
        let bodies = [0, 1].map(|k| Traveller {
            mesh: &self.models[k].mesh,
            tree: &self.models[k].tree,
            travel: match places[k] {
                Placement::Fixed(pose) => Travel::Still(pose),
                Placement::Moving(motion) => Travel::Moving(motion),
                Placement::Deforming(way) => Travel::Still(&way.to),
            },
        });
        let scratch = &mut self.buffers.travel;
        let mut search = TravelSearch { bodies, scratch, work: Work::default() };
        let found = search.run(wanted, allowed(self.limit));
        let work = search.work;
        self.count(&work, counters);
        found
    }

    /// Ends the interval of what took too many steps by a contact of other triangles: nothing meets
    /// before the one, something does when the other does.
    fn settle(&mut self, open: &mut FirstContact, touching: &[[u32; 2]], counters: &mut Counters) {
        let from = open.time[0];
        let mut except = touching.to_vec();
        let mut triangles = open.triangles;
        for _ in 0..SETTLE_ROUNDS {
            except.insert(except.partition_point(|pair| *pair < triangles), triangles);
            match self.travel(&self.wanted(0.0, &except), counters) {
                Found::Contact(other) if is_given_up(&other, self.query) => {
                    triangles = other.triangles;
                }
                Found::Contact(other) => {
                    *open = FirstContact { time: [from, other.time[1].max(from)], ..other };
                    return;
                }
                Found::Free | Found::CutShort(_) => break,
            }
        }
        // Nothing is known of the rest.
        open.time[1] = 1.0;
    }

    /// The end of an interval whose start was given up: an instant at which something touches.
    fn seen_later(&mut self, from: f64, draft: Draft) -> Draft {
        for k in 1..=LATER_SAMPLES {
            let time = from + (self.until - from) * f64::from(k) / f64::from(LATER_SAMPLES);
            let seen = self.still_at(time.min(1.0), Want::Touching, Gap::Ignore);
            if let (Verdict::Hit(HitKind::Surface), true) = (seen.verdict, seen.complete) {
                return Draft {
                    time: Some([from, time.min(1.0)]),
                    counters: draft.counters,
                    triangle_pairs: seen.triangle_pairs,
                    ..Draft::of(seen.verdict)
                };
            }
        }
        draft
    }

    /// Adds how near a free pair comes, and when.
    ///
    /// A gap that was seen is the least if the bodies never come nearer, which is asked like any first
    /// contact; if they do, the gap is followed from there to where it is least.
    fn least_gap(&mut self, draft: &mut Draft) {
        let below = self.below();
        let mut seen = Seen { below, nearest: None };
        for k in 0..=GAP_SAMPLES {
            self.see(&mut seen, f64::from(k) / f64::from(GAP_SAMPLES), draft);
        }
        let mut target = f64::INFINITY;
        for _ in 0..GAP_ROUNDS {
            // A little less than what was seen, and less each time: a gap that is just as long as what
            // was asked about counts as met, but is not seen below it.
            target = match &seen.nearest {
                Some((_, gap)) => (gap.closest.hi * (1.0 - GAP_TOLERANCE)).min(0.5 * target),
                None if target == f64::INFINITY => below,
                None => target.min(below) * (1.0 - 1e-9),
            };
            match self.travel(&self.wanted(target, &[]), &mut draft.counters) {
                Found::Free => {
                    draft.clearance = seen.nearest.map(|(_, gap)| clearance(&gap, target));
                    draft.time = seen.nearest.map(|(time, _)| [time; 2]);
                    return;
                }
                Found::Contact(first) => {
                    let (time, before) = (first.time[1], seen.below);
                    self.see(&mut seen, time, draft);
                    self.follow(&mut seen, time, draft);
                    // What becomes less is followed closely.
                    target = if seen.below < before { f64::INFINITY } else { target };
                }
                Found::CutShort(_) => break,
            }
        }
        // What was seen is an upper bound; that nothing meets is all that is known below it.
        draft.complete = false;
        draft.clearance = seen.nearest.map(|(_, gap)| clearance(&gap, 0.0));
        draft.time = seen.nearest.map(|(time, _)| [time; 2]);
    }

    /// Looks at the gap at an instant.
    fn see(&mut self, seen: &mut Seen, time: f64, draft: &mut Draft) -> f64 {
        let poses = [&self.job.a, &self.job.b].map(|body| body.placement.at(time));
        let [a, b] = [0, 1].map(|k| self.models[k].at(&poses[k]));
        let couple = Couple::new(a.placed, b.placed);
        let hint = seen.nearest.map(|(_, gap)| gap.places);
        // A little more than is needed, so that a search for the least sees where it rises.
        let (gap, _) = self.nearest(&couple, (2.0 * seen.below, hint), draft);
        let Some(gap) = gap else { return f64::INFINITY };
        if gap.closest.hi <= seen.below {
            seen.below = gap.closest.hi;
            seen.nearest = Some((time, gap));
        }
        gap.closest.hi
    }

    /// Follows a gap that closes, forward in time, to where it opens again.
    fn follow(&mut self, seen: &mut Seen, start: f64, draft: &mut Draft) {
        let mut step = 1e-4;
        let (mut from, mut time, mut least) = (start, start, f64::INFINITY);
        while time < 1.0 {
            let next = (time + step).min(1.0);
            let gap = self.see(seen, next, draft);
            if gap >= least {
                return self.narrow_down(seen, [from, next], draft);
            }
            (from, time, least) = (time, next, gap);
            step *= 2.0;
        }
    }

    /// Closes in on the least gap between two times, by the golden section.
    fn narrow_down(&mut self, seen: &mut Seen, [mut from, mut to]: [f64; 2], draft: &mut Draft) {
        const PART: f64 = 0.381_966_011_250_105;
        let mut times = [from + PART * (to - from), to - PART * (to - from)];
        let mut gaps = times.map(|time| self.see(seen, time, draft));
        for _ in 0..GAP_SECTIONS {
            if gaps[0] < gaps[1] {
                to = times[1];
                (times[1], gaps[1]) = (times[0], gaps[0]);
                times[0] = from + PART * (to - from);
                gaps[0] = self.see(seen, times[0], draft);
            } else {
                from = times[0];
                (times[0], gaps[0]) = (times[1], gaps[1]);
                times[1] = to - PART * (to - from);
                gaps[1] = self.see(seen, times[1], draft);
            }
        }
    }
}

/// So many pairs of triangles that are not decided are set aside in search of one that is.
const SETTLE_ROUNDS: u32 = 4;
/// At so many instants a contact is looked for after a pair of triangles was given up.
const LATER_SAMPLES: u32 = 32;
/// At so many instants, and at the start, a gap is looked at before anything is proven.
const GAP_SAMPLES: u32 = 8;
/// So often a gap is proven to be the least, or a smaller one is looked for.
const GAP_ROUNDS: u32 = 20;
/// How much smaller than what was seen the least gap may be, as a part of it.
const GAP_TOLERANCE: f64 = 1e-3;
/// How often the time of a least gap is narrowed down.
const GAP_SECTIONS: u32 = 12;

/// The least gap seen so far.
struct Seen {
    below: f64,
    nearest: Option<(f64, gap::Gap)>,
}

fn clearance(gap: &gap::Gap, at_least: f64) -> Clearance {
    Clearance {
        at_least: at_least.min(gap.closest.hi),
        at_most: gap.closest.hi,
        points: gap.closest.points,
        triangles: gap.triangles,
    }
}
