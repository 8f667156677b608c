//! Jobs with shapes that deform, in modes with time: one way of answering for all engines.
//!
//! Vertices go straight through the world, each at its own speed. What touches at the start, and at
//! the instants of pseudo-dynamic queries, is decided exactly on the vertices as they are then. The
//! first contact on the way is certified as that of rigid motions is. Bodies whose surfaces never meet
//! are as much inside each other as they were at the start.

use super::budget::Limit;
use super::first::{contact, is_given_up, verdict};
use super::instants::Instants;
use super::straight::{Straight, Strand, Terms};
use super::vertices::{self, Vertices};
use crate::contract::answer::{Clearance, Draft, Guarantee, HitKind, Verdict};
use crate::contract::job::{Job, Placed, Placement};
use crate::contract::query::{Gap, Mode, Onset, Query, Want};
use impinge_geom::Point;
use impinge_geom::first_contact::deforming::{Mover, Way, first_contact};
use impinge_geom::first_contact::{Found, Wanted};
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::Motion;
use impinge_geom::motion::moment::Travel;
use impinge_geom::motion::vertex::VertexMotion;
use impinge_geom::pose::Pose;

/// At so many instants a contact is looked for after a pair of triangles was given up.
const LATER_SAMPLES: u32 = 32;
/// At so many instants, and at the start, a gap is looked at before anything is proven.
const GAP_SAMPLES: u32 = 4;
/// So often a gap is proven to be the least, or a smaller one is looked for.
const GAP_ROUNDS: u32 = 12;
/// How much smaller than what was seen the least gap may be, as a part of it.
const GAP_TOLERANCE: f64 = 1e-3;

/// Whether a job must be answered here. Any other job over a step may be: bodies that rest or move as
/// they are, too, are followed vertex by vertex.
pub(super) fn is_for(job: &Job, mode: Mode) -> bool {
    mode != Mode::Static && (deforms(&job.a) || deforms(&job.b))
}

/// Whether a contact of the two may begin on their way: what a rigid body does to itself does not.
pub(super) fn may_begin(job: &Job) -> bool {
    !job.itself || deforms(&job.a)
}

fn deforms(placed: &Placed) -> bool {
    matches!(placed.placement, Placement::Deforming(_))
}

/// A job over a step, with all it takes to answer it.
#[derive(Clone, Copy)]
pub(super) struct Course<'a> {
    pub(super) job: &'a Job,
    pub(super) query: &'a Query,
    /// As they are at the end.
    pub(super) meshes: [&'a Mesh; 2],
    pub(super) limit: &'a Limit<'a>,
    /// Only contacts before this time matter.
    pub(super) until: f64,
}

impl Course<'_> {
    /// The answer.
    pub(super) fn answer(&self) -> Draft {
        let places = [&self.job.a, &self.job.b];
        let tracks = [0, 1].map(|k| Track::of(self.meshes[k], &places[k].placement));
        let [a, b] = &tracks;
        let (Some(first), Some(second)) = (a.mover(), b.mover()) else {
            return Draft { time: Some([0.0, 1.0]), ..Draft::of(Verdict::Unknown) };
        };
        let step = Step { course: *self, movers: [first, second], tracks: [a, b] };
        let mut draft = match self.query.mode {
            Mode::Dynamic => {
                let mut draft = step.over_step();
                step.add_meetings(&mut draft);
                draft
            }
            Mode::Static | Mode::PseudoDynamic(_) => {
                let Self { job, meshes, query, .. } = *self;
                let instants = Instants { job, mode: query.mode, meshes };
                instants.answer(|time| step.at(time, query.want, query.gap))
            }
        };
        draft.counters.body_pairs = 1;
        draft
    }
}

/// How a shape gets through the step.
enum Track<'a> {
    /// It rests; with its vertices in the world.
    Still {
        mesh: &'a Mesh,
        pose: &'a Pose,
        posed: Vec<Point>,
    },
    Rigid {
        mesh: &'a Mesh,
        motion: &'a Motion,
    },
    /// Each vertex from the first place to the second, in the world.
    Straight {
        mesh: &'a Mesh,
        ends: [Vec<Point>; 2],
    },
}

impl<'a> Track<'a> {
    fn of(mesh: &'a Mesh, place: &'a Placement) -> Self {
        let apply = |mesh: &Mesh, pose: &Pose| -> Vec<Point> {
            mesh.vertices().iter().map(|vertex| pose.apply(vertex)).collect()
        };
        match place {
            Placement::Fixed(pose) => Self::Still { mesh, pose, posed: apply(mesh, pose) },
            Placement::Moving(motion) => Self::Rigid { mesh, motion },
            Placement::Deforming(way) => {
                let ends = [apply(&way.start, &way.from), apply(mesh, &way.to)];
                Self::Straight { mesh, ends }
            }
        }
    }

    /// None if start and end do not fit together, or are too far away.
    fn mover(&self) -> Option<Mover<'_>> {
        let (mesh, way) = match self {
            Self::Still { mesh, pose, .. } => (mesh, Way::Rigid(Travel::Still(pose))),
            Self::Rigid { mesh, motion } => (mesh, Way::Rigid(Travel::Moving(motion))),
            Self::Straight { mesh, ends: [start, end] } => {
                (mesh, Way::Deforming(VertexMotion::new(start, end).ok()?))
            }
        };
        Some(Mover { mesh, way })
    }
}

/// A course with the ways of both bodies.
struct Step<'a> {
    course: Course<'a>,
    movers: [Mover<'a>; 2],
    tracks: [&'a Track<'a>; 2],
}

impl Step<'_> {
    fn vertices(&self, side: usize, time: f64) -> Vertices<'_> {
        let mover = &self.movers[side];
        let vertices = match (self.tracks[side], &mover.way) {
            (_, Way::Deforming(motion)) => {
                (0..motion.len()).map(|vertex| motion.at(time, vertex)).collect()
            }
            (Track::Rigid { mesh, motion }, _) => {
                let pose = motion.pose_at(time);
                mesh.vertices().iter().map(|vertex| pose.apply(vertex)).collect()
            }
            (Track::Still { posed, .. } | Track::Straight { ends: [_, posed], .. }, _) => {
                posed.clone()
            }
        };
        Vertices::new(mover.mesh, vertices)
    }

    /// What touches at an instant, and what does not.
    fn at(&self, time: f64, want: Want, gap: Gap) -> Draft {
        let Course { job, limit, .. } = self.course;
        if limit.deadline.is_over() {
            return Draft { complete: false, ..Draft::of(Verdict::Unknown) };
        }
        let a = self.vertices(0, time);
        if job.itself {
            return vertices::against_itself(&a, want, limit).into_draft();
        }
        let b = self.vertices(1, time);
        let mut draft = vertices::against([&a, &b], want, limit).into_draft();
        vertices::inside([&a, &b], limit, &mut draft);
        if let (Verdict::Free, Some(below)) = (draft.verdict, below(gap)) {
            let (clearance, whole) = vertices::gap([&a, &b], below, (limit, &mut draft));
            draft.clearance = clearance;
            draft.complete &= whole;
        }
        draft
    }

    /// Contact at the start, or the first on the way.
    fn over_step(&self) -> Draft {
        let Course { job, query, until, .. } = self.course;
        let new_only = query.onset == Onset::New;
        let want = if new_only { Want::Pairs } else { query.want };
        let start = self.at(0.0, want, Gap::Ignore);
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
        if job.itself && !deforms(&job.a) {
            // A rigid body does not change against itself.
            return Draft { counters: start.counters, ..Draft::of(Verdict::Free) };
        }
        if new_only && job.itself {
            return self.new_of_one(&start);
        }
        let found = self.first(&start.triangle_pairs);
        let mut draft = Draft { counters: start.counters, ..verdict(&found, query) };
        match found {
            Found::Contact(first) if is_given_up(&first, query) => {
                draft.time = Some([first.time[0], 1.0]);
                return if new_only { draft } else { self.seen_later(first.time[0], draft) };
            }
            Found::Contact(first) if query.want == Want::Contacts => {
                draft.contacts.push(contact(&first));
            }
            Found::Free if until < 1.0 => {
                draft.verdict = Verdict::Unknown;
                draft.time = Some([until, 1.0]);
            }
            Found::Free if start.verdict == Verdict::Free => self.least_gap(&mut draft),
            Found::Contact(_) | Found::Free | Found::CutShort(_) => {}
        }
        draft
    }

    /// The first contact of bodies that are free at the start, or of triangles that are not in
    /// `except`.
    fn first(&self, except: &[[u32; 2]]) -> Found {
        match self.straight() {
            Some(straight) if except.is_empty() => straight.first(&self.terms()),
            _ => self.travel(0.0, except),
        }
    }

    /// The first contact of a body with itself between triangles that did not touch at the start.
    fn new_of_one(&self, start: &Draft) -> Draft {
        let found = self.straight().map(|one| one.first_new(&start.triangle_pairs, &self.terms()));
        let draft = match found {
            Some(Ok(Some(new))) => {
                let may_invent = new.within > 0.0;
                Draft {
                    time: Some(new.time),
                    triangle_pairs: vec![new.triangles],
                    guarantee: Guarantee { may_invent, error_max: new.within, ..Guarantee::EXACT },
                    ..Draft::of(Verdict::Hit(HitKind::Surface))
                }
            }
            Some(Ok(None)) => Draft::of(Verdict::Free),
            Some(Err(())) | None => {
                let time = Some([0.0, 1.0]);
                Draft { time, complete: false, ..Draft::of(Verdict::Unknown) }
            }
        };
        Draft { counters: start.counters, ..draft }
    }

    /// All features that meet, if they are wanted.
    fn add_meetings(&self, draft: &mut Draft) {
        let Course { job, query, .. } = self.course;
        if query.want == Want::Touching || !is_for(job, query.mode) {
            return;
        }
        if let Some(straight) = self.straight() {
            let (meetings, complete) = straight.meetings(&self.terms());
            draft.meetings = meetings;
            draft.complete &= complete;
        }
    }

    fn terms(&self) -> Terms<'_> {
        let Course { query, until, limit, .. } = self.course;
        Terms { tolerance: query.tolerance, until, limit }
    }

    /// The features of both; none if one of them is rigid and moves, so that vertices do not go
    /// straight.
    fn straight(&self) -> Option<Straight<'_>> {
        let strand = |k: usize| match self.tracks[k] {
            Track::Straight { mesh, ends: [from, to] } => Some(Strand::new(mesh, [from, to])),
            Track::Still { mesh, posed, .. } => Some(Strand::new(mesh, [posed, posed])),
            Track::Rigid { .. } => None,
        };
        Some(Straight { bodies: [strand(0)?, strand(1)?], itself: self.course.job.itself })
    }

    fn travel(&self, distance: f64, except: &[[u32; 2]]) -> Found {
        let Course { query, until, .. } = self.course;
        let wanted = Wanted { tolerance: query.tolerance, distance, until, except };
        first_contact(&self.movers[0], &self.movers[1], &wanted)
    }

    /// The end of an interval whose start was given up: an instant at which something touches.
    fn seen_later(&self, from: f64, draft: Draft) -> Draft {
        for k in 1..=LATER_SAMPLES {
            let part = f64::from(k) / f64::from(LATER_SAMPLES);
            let time = (from + (self.course.until - from) * part).min(1.0);
            let seen = self.at(time, Want::Touching, Gap::Ignore);
            if let (Verdict::Hit(HitKind::Surface), true) = (seen.verdict, seen.complete) {
                return Draft {
                    time: Some([from, time]),
                    counters: draft.counters,
                    triangle_pairs: seen.triangle_pairs,
                    ..Draft::of(seen.verdict)
                };
            }
        }
        draft
    }

    /// Adds how near a free pair comes, and when: a gap that was seen is the least if the bodies never
    /// come nearer, which is asked like any first contact.
    fn least_gap(&self, draft: &mut Draft) {
        let Some(below) = below(self.course.query.gap).filter(|_| !self.course.job.itself) else {
            return;
        };
        let mut seen = None;
        for k in 0..=GAP_SAMPLES {
            self.see(&mut seen, (f64::from(k) / f64::from(GAP_SAMPLES), below), draft);
        }
        let mut target = f64::INFINITY;
        for _ in 0..GAP_ROUNDS {
            target = match &seen {
                Some((_, gap)) => (gap.at_most * (1.0 - GAP_TOLERANCE)).min(0.5 * target),
                None if target == f64::INFINITY => below,
                None => 0.5 * target,
            };
            match self.travel(target, &[]) {
                Found::Free => return tell(&seen, target, draft),
                Found::Contact(first) => {
                    let nearer = self.see(&mut seen, (first.time[1], below), draft);
                    target = if nearer { f64::INFINITY } else { target };
                }
                Found::CutShort(_) => break,
            }
        }
        // What was seen is an upper bound; that nothing meets is all that is known below it.
        draft.complete = false;
        tell(&seen, 0.0, draft);
    }

    /// Looks at the gap at an instant; whether it is the least so far.
    fn see(&self, seen: &mut Seen, (time, below): (f64, f64), draft: &mut Draft) -> bool {
        let [a, b] = [0, 1].map(|side| self.vertices(side, time));
        let below = seen.map_or(below, |(_, gap)| gap.at_most.min(below));
        let (gap, _) = vertices::gap([&a, &b], below, (self.course.limit, draft));
        let Some(gap) = gap else { return false };
        let nearer = seen.is_none_or(|(_, least)| gap.at_most < least.at_most);
        if nearer {
            *seen = Some((time, gap));
        }
        nearer
    }
}

/// The least gap so far, and when.
type Seen = Option<(f64, Clearance)>;

fn tell(seen: &Seen, at_least: f64, draft: &mut Draft) {
    draft.time = seen.map(|(time, _)| [time; 2]);
    draft.clearance =
        seen.map(|(_, gap)| Clearance { at_least: at_least.min(gap.at_least), ..gap });
}

/// Distances up to this are asked about, if any are.
fn below(gap: Gap) -> Option<f64> {
    match gap {
        Gap::Ignore => None,
        Gap::Below(distance) => Some(distance.max(0.0)),
        Gap::Measure => Some(f64::INFINITY),
    }
}
