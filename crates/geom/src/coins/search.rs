//! The distance of two placed trees, as an interval that shrinks from step to step.
//!
//! Pairs of coins wait in a queue, the one with the least lower bound first: that bound is one of the
//! whole distance. Which of those goes first that may touch does not matter to it; it is the one whose
//! points are nearest, since triangles that meet are likely there. The least distance of points that
//! coins tell, or of triangles that were measured, is the upper bound. A step opens one coin, or measures
//! two triangles, and takes about as long as any other; after any step the search may be stopped.

use super::couple::{Couple, Seat};
use super::{CoinTree, NOTHING, Place};
use crate::Point;
use crate::distance::{Closest, triangle_triangle_below};
use crate::fans::{Fan, Queue};
use impinge_simd::coins::{Known, NOTHING_KNOWN};

/// Coins of one node, each with one coin of the other body.
#[derive(Clone, Copy, Debug)]
struct Opened {
    side: u32,
    node: u32,
    other: Place,
    /// When they were held against each other.
    frame: u32,
}

impl Opened {
    #[inline]
    fn places(&self, lane: u32) -> [Place; 2] {
        let own = Place(8 * self.node + lane);
        if self.side == 0 { [own, self.other] } else { [self.other, own] }
    }
}

/// What a step is about.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// Two coins: the larger is opened, or their triangles are measured.
    Pair([Place; 2]),
    /// The first fan of the queue, which is of an earlier frame: its bounds are made anew.
    Renew,
}

/// How far a search has come. It goes on with the couple that it was started with, or, from where that has
/// moved to, with all that is known of it ([`Refinement::resume`]).
#[derive(Clone, Debug, Default)]
pub struct Refinement {
    /// What is next, by what it waited; none if there is nothing more to be found out.
    next: Option<(f32, Task)>,
    queue: Queue<Opened>,
    /// Nothing is thrown away that may matter in a later frame.
    whole: bool,
    frame: u32,
    /// How much nearer the bodies may have come since the search began, in the couple's unit: pairs wait
    /// by their lower bounds and what this was when those were made.
    drift: f32,
    seat: Option<Seat>,
    /// Distances above this do not matter, as a length, and in the couple's unit.
    wanted: f64,
    below: f32,
    /// An upper bound of the distance, and the coins whose points have it.
    upper: f32,
    points: Option<[Place; 2]>,
    /// The nearest triangles of those that were measured, as lengths.
    measured: Option<(Closest, [u32; 2])>,
    /// Of all that were measured, the least lower bound.
    measured_least: f64,
    /// What was measured, and what it waits by if a later frame has to do it again.
    leaves: Vec<(f32, [Place; 2])>,
    /// The least lower bound of what was thrown away for want of room.
    floor: f32,
    meeting: Option<[u32; 2]>,
    steps: u64,
}

/// What rounding may have done to the sum of a bound and the drift, as a part of it.
const SUM: f32 = 1.0 / (1 << 22) as f32;
/// More fans than this are not carried on to the next frame.
const FANS_MAX: usize = 4096;
/// Nor more triangles that were measured.
const LEAVES_MAX: usize = 256;
/// After a motion that is larger than this part of the couple's unit it is better to begin anew.
const MOVED_MAX: f64 = 0.1;

/// What is known of a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// It is at least this.
    pub at_least: f64,
    /// And at most this.
    pub at_most: f64,
    /// Points of the two bodies that are that near.
    pub points: [Point; 2],
    /// The triangles these are on.
    pub triangles: [u32; 2],
}

impl Refinement {
    /// Begins with the coins around everything. Only distances up to `below` matter.
    pub fn start(&mut self, couple: &Couple<'_>, below: f64) {
        self.whole = false;
        self.begin(couple, below);
    }

    /// The same for a search that is to be resumed: whatever waits is kept.
    pub fn start_whole(&mut self, couple: &Couple<'_>, below: f64) {
        self.whole = true;
        self.begin(couple, below);
    }

    fn begin(&mut self, couple: &Couple<'_>, below: f64) {
        self.queue.clear();
        self.leaves.clear();
        (self.frame, self.drift, self.seat) = (0, 0.0, Some(*couple.seat()));
        (self.floor, self.points) = (f32::INFINITY, None);
        self.renew(couple, below);
        if couple.bodies().iter().all(|body| body.tree.node(0).below[0] != NOTHING) {
            let around = Opened { side: 0, node: 0, other: CoinTree::ROOT, frame: 0 };
            self.open(couple, around, (0.0, usize::MAX));
        }
    }

    /// What is forgotten in every frame.
    fn renew(&mut self, couple: &Couple<'_>, below: f64) {
        self.next = None;
        self.wanted = below;
        // Rounded up, so that what is as far as that is still looked at.
        self.below = ((below / couple.unit()) as f32).next_up();
        self.upper = f32::INFINITY;
        (self.measured, self.measured_least) = (None, f64::INFINITY);
        (self.meeting, self.steps) = (None, 0);
    }

    /// Goes on after the bodies have moved. Bounds of the frames before hold less what the bodies have come nearer
    /// since, and are made anew where that is not enough. Begins anew if the search was not started as a
    /// whole one, or has grown too large, or the motion is too large. The couple must be of the same trees, and of
    /// bodies that have not changed.
    pub fn resume(&mut self, couple: &Couple<'_>, below: f64) {
        let by = self.seat.map_or(f64::INFINITY, |then| couple.seat().moved_since(&then));
        let is_of_use = self.whole
            && by <= MOVED_MAX * couple.unit()
            && self.floor == f32::INFINITY
            && self.queue.pushed() + self.leaves.len() < FANS_MAX
            && self.leaves.len() < LEAVES_MAX
            && self.drift < 1.0
            && self.frame < u32::MAX;
        let (met, nearest) = (self.meeting, self.measured.map(|(_, triangles)| triangles));
        let points = self.points;
        if let Some(triangles) = met.filter(|&triangles| couple.meet(triangles)) {
            self.start_whole(couple, below);
            (self.next, self.meeting) = (None, Some(triangles));
            return;
        }
        if !is_of_use || met.is_some() {
            self.start_whole(couple, below);
        } else {
            let in_hand = self.next.take();
            self.renew(couple, below);
            self.frame += 1;
            // Rounded up, as a sum, too.
            self.drift = (self.drift + ((by / couple.unit()) as f32).next_up()).next_up();
            self.seat = Some(*couple.seat());
            if let Some((key, Task::Pair(places))) = in_hand {
                self.wait(key, places);
            }
            for (key, places) in std::mem::take(&mut self.leaves) {
                self.wait(key, places);
            }
            self.next = self.first();
        }
        // What was nearest is near.
        if let Some(triangles) = nearest.or_else(|| points.map(|places| couple.told(places))) {
            let [a, b] = [0, 1].map(|k| couple.bodies()[k].triangle(triangles[k]));
            if let Some(closest) = triangle_triangle_below(&a, &b, f64::INFINITY) {
                self.nearest(couple, closest, triangles);
            }
        }
    }

    /// A pair waits on its own.
    fn wait(&mut self, key: f32, [a, b]: [Place; 2]) {
        let mut apart = [f32::INFINITY; 8];
        apart[(a.0 & 7) as usize] = key;
        let of = Opened { side: 0, node: a.0 >> 3, other: b, frame: self.frame };
        self.queue.push(Fan { apart, of }, f32::MAX);
    }

    /// Makes room for so many steps.
    pub fn reserve(&mut self, steps: usize) {
        self.queue.reserve(steps);
    }

    /// Whether there is nothing more to be found out.
    pub fn is_done(&self) -> bool {
        self.next.is_none()
    }

    /// Two triangles that meet, if some were found; there is nothing more to be found out then.
    pub fn meeting(&self) -> Option<[u32; 2]> {
        self.meeting
    }

    /// How many steps were done.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The lower bound of a pair that waits by this.
    #[inline]
    fn lower(&self, key: f32) -> f32 {
        if key <= NOTHING_KNOWN {
            return 0.0;
        }
        // The sum was rounded.
        let rounding = if self.drift > 0.0 { key * SUM } else { 0.0 };
        (key - self.drift - rounding).max(0.0)
    }

    /// One step. After `room` of them what is found is thrown away if it is not looked at next.
    #[inline]
    pub fn step(&mut self, couple: &Couple<'_>, room: usize) {
        let Some((key, task)) = self.next.take() else { return };
        self.steps += 1;
        let Task::Pair(places) = task else {
            self.renew_first(couple);
            self.next = self.first();
            return;
        };
        match couple.next_in(places) {
            Ok((side, node)) => {
                let frame = self.frame;
                let opened = Opened { side: side as u32, node, other: places[1 - side], frame };
                self.open(couple, opened, (key, room));
            }
            Err(triangles) => {
                self.measure(couple, (triangles, places), key);
                if self.meeting.is_none() {
                    self.next = self.first();
                }
            }
        }
    }

    /// The first that waits, if it matters.
    #[inline]
    fn first(&mut self) -> Option<(f32, Task)> {
        let most = self.most() + self.drift;
        if self.frame > 0
            && let Some((key, fan)) = self.queue.top()
            && fan.of.frame != self.frame
        {
            return (key <= most).then_some((key, Task::Renew));
        }
        let keep = if self.whole { f32::MAX } else { most };
        self.queue.next_keeping(most, keep).map(pair)
    }

    /// Holds the coins of the first fan against each other as they are now.
    fn renew_first(&mut self, couple: &Couple<'_>) {
        let Some((key, fan)) = self.queue.top() else { return };
        let (old, mut of) = (fan.apart, fan.of);
        let known = self.known(key);
        let found = couple.waiting((of.side as usize, of.node), of.other, known);
        if found.upper < self.upper {
            (self.upper, self.points) = (found.upper, Some(of.places(found.nearest)));
        }
        // What is infinite was opened.
        let apart =
            std::array::from_fn(|k| if old[k] < f32::INFINITY { found.keys[k] } else { old[k] });
        of.frame = self.frame;
        self.queue.replace_top(Fan { apart, of });
    }

    /// What is known of pairs that come from one that waited by `key`.
    #[inline]
    fn known(&self, key: f32) -> Known {
        let least = if self.lower(key) > 0.0 { key } else { 0.0 };
        Known { least, most: self.most(), drift: self.drift, whole: self.whole }
    }

    /// What waits by more than this does not matter.
    #[inline]
    fn most(&self) -> f32 {
        self.upper.min(self.below).max(NOTHING_KNOWN)
    }

    /// Holds the coins of a node against one of the other body, of a pair that waited by `key`.
    #[inline]
    fn open(&mut self, couple: &Couple<'_>, opened: Opened, (key, room): (f32, usize)) {
        let at = (opened.side as usize, opened.node);
        let found = couple.waiting(at, opened.other, self.known(key));
        if found.upper < self.upper {
            (self.upper, self.points) = (found.upper, Some(opened.places(found.nearest)));
        }
        let fan = Fan { apart: found.keys, of: opened };
        if self.queue.pushed() < room {
            self.push_and_take(fan);
            return;
        }
        let least = self.lower(found.least);
        self.floor = self.floor.min(least);
        self.next = self.first();
    }

    #[inline]
    fn push_and_take(&mut self, fan: Fan<Opened>) {
        let most = self.most() + self.drift;
        if self.whole {
            self.queue.push(fan, f32::MAX);
            self.next = self.first();
        } else {
            self.next = self.queue.next_with(fan, most).map(pair);
        }
    }

    fn measure(
        &mut self,
        couple: &Couple<'_>,
        (triangles, places): ([u32; 2], [Place; 2]),
        key: f32,
    ) {
        let least = self.lower(key);
        if least <= 0.0 && couple.meet(triangles) {
            self.meeting = Some(triangles);
            return;
        }
        let most = self.at_most(couple);
        let [a, b] = [0, 1].map(|k| couple.bodies()[k].triangle(triangles[k]));
        let closest = triangle_triangle_below(&a, &b, most);
        let apart = closest.as_ref().map_or(most, |closest| closest.lo);
        if self.whole && self.leaves.len() < LEAVES_MAX {
            let apart = ((apart / couple.unit()) as f32).next_down();
            let again = if apart > NOTHING_KNOWN { apart + self.drift } else { 0.0 };
            self.leaves.push((again.max(key), places));
        }
        let Some(closest) = closest else { return };
        let least = closest.lo.max(f64::from(least) * couple.unit());
        self.measured_least = self.measured_least.min(least);
        self.nearest(couple, closest, triangles);
    }

    /// Two triangles are this near.
    fn nearest(&mut self, couple: &Couple<'_>, closest: Closest, triangles: [u32; 2]) {
        if self.measured.is_none_or(|(best, _)| closest.hi < best.hi) {
            self.measured = Some((closest, triangles));
            self.upper = self.upper.min(((closest.hi / couple.unit()) as f32).next_up());
        }
    }

    /// An upper bound of the distance, as a length.
    fn at_most(&self, couple: &Couple<'_>) -> f64 {
        let measured = self.measured.map_or(f64::INFINITY, |(closest, _)| closest.hi);
        measured.min(f64::from(self.upper) * couple.unit())
    }

    /// Whether nothing that matters was left out, now that there is nothing more to be found out.
    pub fn is_whole(&self) -> bool {
        // Without bounds nothing is thrown away either.
        self.floor == f32::INFINITY || self.floor > self.upper.min(self.below)
    }

    /// A lower bound of the distance, as a length; not above those that matter.
    pub fn at_least(&self, couple: &Couple<'_>) -> f64 {
        if self.meeting.is_some() {
            return 0.0;
        }
        // All others in the queue are farther.
        let waiting = self.next.map_or(f32::INFINITY, |(key, _)| self.lower(key));
        let least = f64::from(waiting.min(self.floor).min(self.below)) * couple.unit();
        least.min(self.measured_least).min(self.at_most(couple))
    }

    /// What the distance is at least and at most, as lengths.
    pub fn ends(&self, couple: &Couple<'_>) -> [f64; 2] {
        [self.at_least(couple), self.at_most(couple)]
    }

    /// What is known of the distance; none if it is greater than matters, there are no triangles, or nothing is
    /// known yet.
    pub fn interval(&self, couple: &Couple<'_>) -> Option<Interval> {
        if let Some(triangles) = self.meeting {
            let point = couple.bodies()[0].triangle(triangles[0])[0];
            return Some(Interval { at_least: 0.0, at_most: 0.0, points: [point; 2], triangles });
        }
        let [at_least, at_most] = [self.at_least(couple), self.at_most(couple)];
        if self.is_done() && at_most > self.wanted {
            return None;
        }
        if let Some((closest, triangles)) = self.measured
            && closest.hi <= at_most
        {
            return Some(Interval { at_least, at_most, points: closest.points, triangles });
        }
        let places = self.points?;
        let told = [0, 1].map(|k| couple.bodies()[k].witness(places[k]));
        Some(Interval {
            at_least,
            at_most,
            points: told.map(|(_, point)| point),
            triangles: told.map(|(triangle, _)| triangle),
        })
    }
}

/// A pair that comes out of the queue.
#[inline]
fn pair((key, of, lane): (f32, Opened, u32)) -> (f32, Task) {
    (key, Task::Pair(of.places(lane)))
}

/// All pairs of triangles that meet, in no order. `go_on` is asked before every step and told how many there were;
/// true if it never said no.
pub fn all_meeting(
    couple: &Couple<'_>,
    mut each: impl FnMut([u32; 2]),
    mut go_on: impl FnMut(u64) -> bool,
) -> bool {
    let mut stack = Vec::new();
    if couple.bodies().iter().all(|body| body.tree.node(0).below[0] != NOTHING) {
        stack.push([CoinTree::ROOT; 2]);
    }
    let mut steps = 0;
    while let Some(places) = stack.pop() {
        if !go_on(steps) {
            return false;
        }
        steps += 1;
        match couple.next_in(places) {
            Ok((side, node)) => {
                let other = places[1 - side];
                let found = couple.bounds((side, node), other);
                let opened = Opened { side: side as u32, node, other, frame: 0 };
                for (lane, lower) in (0..).zip(found.lower) {
                    // Where there is no coin it is infinite.
                    if lower <= 0.0 {
                        stack.push(opened.places(lane));
                    }
                }
            }
            Err(triangles) => {
                if couple.meet(triangles) {
                    each(triangles);
                }
            }
        }
    }
    true
}
