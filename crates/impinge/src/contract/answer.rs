//! What is answered: one [`Answer`] per job, with its lists kept in shared pools.

use crate::contract::counters::Counters;
use impinge_geom::Point;
use impinge_geom::first_contact::{Feature, FirstContact};
use std::ops::Range;

/// The outcome for one pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No common point.
    Free,
    /// At least one common point.
    Hit(HitKind),
    /// Not decided: a budget or limit was reached, or the engine cannot tell.
    Unknown,
}

/// How two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitKind {
    /// Their surfaces share a point.
    Surface,
    /// A part of one lies within the other, which is closed; the surfaces do not meet.
    Inside {
        /// Which one is inside.
        inner: Side,
    },
}

/// One of the two bodies of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::A => "a",
            Self::B => "b",
        })
    }
}

/// The distance of two bodies that do not touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearance {
    /// The true distance is not smaller.
    pub at_least: f64,
    /// The true distance is not larger.
    pub at_most: f64,
    /// Where, on A and on B.
    pub points: [Point; 2],
    /// On which triangles.
    pub triangles: [u32; 2],
}

/// One touching pair of triangles, as seen by something that wants to pull the bodies apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The triangles of A and of B.
    pub triangles: [u32; 2],
    /// The mean of the corners of what the two share: the middle of a segment. On both triangles, up
    /// to rounding.
    pub point: Point,
    /// The ends of the segment they share; equal when they share a point only.
    pub ends: [Point; 2],
    /// The unit direction in which moving B by `depth` parts the two triangles the shortest way.
    pub normal: Point,
    /// The length of that way: of these two triangles, not of the bodies. Zero when they only touch,
    /// and when it is no more than rounding.
    pub depth: f64,
}

/// Two features that meet in the course of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Of A and of B: a vertex and a face, or two edges. Of one body against itself the vertex, or the
    /// lower edge, comes first.
    pub features: [Feature; 2],
    /// They do not meet before the first time; they do at or before the second.
    pub time: [f64; 2],
}

/// A place where two bodies share space, as engines find it that look at places instead of triangles: a point of one
/// body in a filled voxel of the other (`voxel`), or what both share on the line of view through a pixel (`r98-recode`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Whose point it is.
    pub of: Side,
    /// Where the point is. On a line of view, the nearer boundary of B, cut to what is in A.
    pub point: Point,
    /// The middle of the voxel of the other body that holds it. On a line of view, the farther boundary of B,
    /// cut to what is in A.
    pub voxel: Point,
    /// The unit direction in which moving B leads out the shortest way, as far as the map tells; along the line of
    /// view, where there is one.
    pub normal: Point,
    /// How deep the point is in the other body, to about a voxel; zero at its surface or above it. On a line of view,
    /// how far B has to go along the normal.
    pub depth: f64,
}

/// What an answer can be trusted for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guarantee {
    /// A touching pair may be called free.
    pub may_miss: bool,
    /// A free pair may be called a hit.
    pub may_invent: bool,
    /// Bound of the error in lengths that are given as one number; bodies that are called a hit are no
    /// farther apart than this.
    pub error_max: f64,
    /// Where a pair is called free, no point of the surface of either body is deeper in the other than
    /// this; infinite if nothing is known.
    pub unseen_max: f64,
}

impl Guarantee {
    /// Nothing missed, nothing invented.
    pub const EXACT: Self =
        Self { may_miss: false, may_invent: false, error_max: 0.0, unseen_max: 0.0 };
    /// Nothing invented, but what is missed is not known.
    pub const BLIND: Self = Self { may_miss: true, unseen_max: f64::INFINITY, ..Self::EXACT };
}

/// Whether a stage did all that was asked. The lower one wins when stages are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Progress {
    /// A budget or limit was reached; what was found so far is there, the rest is `Unknown`.
    Limit,
    /// Everything was answered.
    Complete,
}

/// The answer to one job.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Which job of the batch.
    pub job: u32,
    /// The outcome.
    pub verdict: Verdict,
    /// The distance, if it was asked for and the pair is free.
    pub clearance: Option<Clearance>,
    /// For modes with time, an interval of the motion. Dynamic: it contains the first contact.
    /// Pseudo-dynamic: from the last sample that was free to the first that touches; what happened
    /// between earlier samples is not known, and `guarantee.may_miss` says so.
    ///
    /// Of a free pair whose gap is measured over a motion: when the gap is as small as it gets.
    pub time: Option<[f64; 2]>,
    /// For dynamic queries that found a contact after the start: the features that meet, where and
    /// in which direction.
    pub first: Option<FirstContact>,
    /// All that was asked was done. If not, the verdict may be `Unknown`, lists hold what was found
    /// so far, and a clearance is a wider interval.
    pub complete: bool,
    /// What this answer can be trusted for.
    pub guarantee: Guarantee,
    /// The work it took.
    pub counters: Counters,
    triangle_pairs: Range<usize>,
    contacts: Range<usize>,
    meetings: Range<usize>,
    touches: Range<usize>,
}

/// An answer while an engine works it out.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// As in [`Answer`].
    pub verdict: Verdict,
    /// As in [`Answer`].
    pub clearance: Option<Clearance>,
    /// As in [`Answer`].
    pub time: Option<[f64; 2]>,
    /// As in [`Answer`].
    pub first: Option<FirstContact>,
    /// As in [`Answer`].
    pub complete: bool,
    /// As in [`Answer`].
    pub guarantee: Guarantee,
    /// As in [`Answer`].
    pub counters: Counters,
    /// Intersecting triangles of A and B, sorted.
    pub triangle_pairs: Vec<[u32; 2]>,
    /// One per triangle pair, if contacts were asked for.
    pub contacts: Vec<Contact>,
    /// All features that meet over the step, sorted; see [`Answers::meetings`].
    pub meetings: Vec<Meeting>,
    /// All points in voxels, or pixels of the contact region; see [`Answers::touches`].
    pub touches: Vec<Touch>,
}

impl Draft {
    /// Nothing found and nothing promised but the verdict.
    pub fn of(verdict: Verdict) -> Self {
        Self {
            verdict,
            clearance: None,
            time: None,
            first: None,
            complete: true,
            guarantee: Guarantee::EXACT,
            counters: Counters::default(),
            triangle_pairs: Vec::new(),
            contacts: Vec::new(),
            meetings: Vec::new(),
            touches: Vec::new(),
        }
    }
}

/// The answers of a step, in the order of their jobs. Kept and refilled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    answers: Vec<Answer>,
    triangle_pairs: Vec<[u32; 2]>,
    contacts: Vec<Contact>,
    meetings: Vec<Meeting>,
    touches: Vec<Touch>,
    work_left: Option<u64>,
}

impl Answers {
    /// None yet, with room for so many.
    pub fn with_capacity(count: usize) -> Self {
        Self { answers: Vec::with_capacity(count), ..Self::default() }
    }

    /// All answers.
    pub fn all(&self) -> &[Answer] {
        &self.answers
    }

    /// The intersecting triangles of an answer, sorted.
    pub fn triangle_pairs(&self, answer: &Answer) -> &[[u32; 2]] {
        &self.triangle_pairs[answer.triangle_pairs.clone()]
    }

    /// The contacts of an answer, one per intersecting triangle pair, if they were asked for.
    pub fn contacts(&self, answer: &Answer) -> &[Contact] {
        &self.contacts[answer.contacts.clone()]
    }

    /// The features that meet over the step, by kind (a vertex of A and a face of B, a face and a
    /// vertex, two edges) and number: of dynamic queries that want pairs or contacts, and jobs with a
    /// shape that deforms, whose vertices all go straight or rest. Features that touch at the start are
    /// among them.
    pub fn meetings(&self, answer: &Answer) -> &[Meeting] {
        &self.meetings[answer.meetings.clone()]
    }

    /// The points of one body in voxels of the other, in the order of the points, those of A first: of
    /// engines that look at points and voxels, if pairs or contacts were asked for. Of engines that look at pixels
    /// the contact region, pixel by pixel.
    pub fn touches(&self, answer: &Answer) -> &[Touch] {
        &self.touches[answer.touches.clone()]
    }

    /// What is left of a budget of work, if the engine tells.
    pub fn work_left(&self) -> Option<u64> {
        self.work_left
    }

    /// A sink that starts these answers anew.
    pub fn refill(&mut self) -> AnswerSink<'_> {
        self.work_left = None;
        self.answers.clear();
        self.triangle_pairs.clear();
        self.contacts.clear();
        self.meetings.clear();
        self.touches.clear();
        AnswerSink { answers: self }
    }
}

/// Takes answers, one per job, in the order of the jobs. It can only push.
#[derive(Debug)]
pub struct AnswerSink<'a> {
    answers: &'a mut Answers,
}

impl AnswerSink<'_> {
    /// The answer to the next job. Its lists are taken; what is left is memory to be used again.
    pub fn push(&mut self, draft: &mut Draft) {
        let pools = &mut *self.answers;
        let answer = Answer {
            job: pools.answers.len() as u32,
            verdict: draft.verdict,
            clearance: draft.clearance,
            time: draft.time,
            first: draft.first,
            complete: draft.complete,
            guarantee: draft.guarantee,
            counters: draft.counters,
            triangle_pairs: take(&mut pools.triangle_pairs, &mut draft.triangle_pairs),
            contacts: take(&mut pools.contacts, &mut draft.contacts),
            meetings: take(&mut pools.meetings, &mut draft.meetings),
            touches: take(&mut pools.touches, &mut draft.touches),
        };
        pools.answers.push(answer);
    }

    /// So much of a budget of work is left.
    pub fn set_work_left(&mut self, work: u64) {
        self.answers.work_left = Some(work);
    }

    /// The answer to the next job, from others.
    pub fn copy(&mut self, from: &Answers, answer: &Answer) {
        let pools = &mut *self.answers;
        let answer = Answer {
            job: pools.answers.len() as u32,
            triangle_pairs: append(&mut pools.triangle_pairs, from.triangle_pairs(answer)),
            contacts: append(&mut pools.contacts, from.contacts(answer)),
            meetings: append(&mut pools.meetings, from.meetings(answer)),
            touches: append(&mut pools.touches, from.touches(answer)),
            ..answer.clone()
        };
        pools.answers.push(answer);
    }

    /// The answers to as many next jobs as there are in a part that was filled on its own.
    pub fn append(&mut self, mut part: Answers) {
        let pools = &mut *self.answers;
        let (pairs, contacts) = (pools.triangle_pairs.len(), pools.contacts.len());
        let (meetings, touches) = (pools.meetings.len(), pools.touches.len());
        let before = pools.answers.len() as u32;
        pools.triangle_pairs.append(&mut part.triangle_pairs);
        pools.contacts.append(&mut part.contacts);
        pools.meetings.append(&mut part.meetings);
        pools.touches.append(&mut part.touches);
        let moved = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        pools.answers.extend(part.answers.into_iter().map(|answer| Answer {
            job: answer.job + before,
            triangle_pairs: moved(answer.triangle_pairs, pairs),
            contacts: moved(answer.contacts, contacts),
            meetings: moved(answer.meetings, meetings),
            touches: moved(answer.touches, touches),
            ..answer
        }));
    }
}

/// Moves a list to a pool; where it is there. One that is alone is not copied, unless that would give away
/// memory.
fn take<T>(pool: &mut Vec<T>, list: &mut Vec<T>) -> Range<usize> {
    let start = pool.len();
    if start == 0 && list.capacity() >= pool.capacity() {
        std::mem::swap(pool, list);
    } else {
        pool.append(list);
    }
    start..pool.len()
}

/// Adds a list to a pool; where it is there.
fn append<T: Copy>(pool: &mut Vec<T>, list: &[T]) -> Range<usize> {
    let start = pool.len();
    pool.extend_from_slice(list);
    start..pool.len()
}
