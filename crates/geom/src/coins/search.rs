//! The distance of two placed trees, as an interval that shrinks from step to step.
//!
//! Pairs of coins wait in a queue, the one with the least lower bound first: that bound is one of the
//! whole distance. Which of those goes first that may touch does not matter to it; it is the one whose
//! points are nearest, since triangles that meet are likely there. The least distance of points that
//! coins tell, or of triangles that were measured, is the upper bound. A step opens one coin, or measures
//! two triangles, and takes about as long as any other; after any step the search may be stopped.

use super::couple::Couple;
use super::{CoinTree, NOTHING, Place};
use crate::Point;
use crate::distance::{Closest, triangle_triangle_below};
use crate::fans::{Fan, Queue};

/// Coins of one node, each with one coin of the other body.
#[derive(Clone, Copy, Debug)]
struct Opened {
    side: u32,
    node: u32,
    other: Place,
}

impl Opened {
    #[inline]
    fn places(&self, lane: u32) -> [Place; 2] {
        let own = Place(8 * self.node + lane);
        if self.side == 0 { [own, self.other] } else { [self.other, own] }
    }
}

/// Lower bounds up to this, in the couple's unit, tell nothing, and are not what pairs wait by.
const NOTHING_KNOWN: f32 = 1e-25;
/// What may touch waits by how near its points are, times this: before all that is known to be apart.
const TOUCHING: f32 = 1e-31;
/// How far that counts.
const POINTS_MAX: f32 = 1e5;

/// What a pair waits by.
#[inline]
fn key(lower: f32, upper: f32) -> f32 {
    if lower > NOTHING_KNOWN { lower } else { upper.min(POINTS_MAX) * TOUCHING }
}

/// The lower bound of a pair that waits by this.
#[inline]
fn lower(key: f32) -> f32 {
    if key > NOTHING_KNOWN { key } else { 0.0 }
}

/// How far a search has come. It goes on with the couple that it was started with.
#[derive(Clone, Debug, Default)]
pub struct Refinement {
    /// The pair that is next, by what it waited; none if there is nothing more to be found out.
    next: Option<(f32, [Place; 2])>,
    queue: Queue<Opened>,
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
    /// The least lower bound of what was thrown away for want of room.
    floor: f32,
    meeting: Option<[u32; 2]>,
    steps: u64,
}

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
        self.queue.clear();
        self.next = None;
        self.wanted = below;
        // Rounded up, so that what is as far as that is still looked at.
        self.below = ((below / couple.unit()) as f32).next_up();
        (self.upper, self.points) = (f32::INFINITY, None);
        (self.measured, self.measured_least) = (None, f64::INFINITY);
        (self.floor, self.meeting, self.steps) = (f32::INFINITY, None, 0);
        if couple.bodies().iter().all(|body| body.tree.node(0).below[0] != NOTHING) {
            let around = Opened { side: 0, node: 0, other: CoinTree::ROOT };
            self.open(couple, around, (f32::NEG_INFINITY, usize::MAX));
        }
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

    /// One step. After `room` of them what is found is thrown away if it is not looked at next.
    #[inline]
    pub fn step(&mut self, couple: &Couple<'_>, room: usize) {
        let Some((key, places)) = self.next.take() else { return };
        self.steps += 1;
        match couple.next_in(places) {
            Ok((side, node)) => {
                let opened = Opened { side: side as u32, node, other: places[1 - side] };
                self.open(couple, opened, (lower(key), room));
            }
            Err(triangles) => {
                self.measure(couple, triangles, lower(key));
                if self.meeting.is_none() {
                    self.next = self.queue.next(self.most()).map(pair);
                }
            }
        }
    }

    /// What waits by more than this does not matter.
    #[inline]
    fn most(&self) -> f32 {
        self.upper.min(self.below).max(NOTHING_KNOWN)
    }

    /// Holds the coins of a node against one of the other body; none is nearer than `least`.
    #[inline]
    fn open(&mut self, couple: &Couple<'_>, opened: Opened, (least, room): (f32, usize)) {
        let found = couple.bounds((opened.side as usize, opened.node), opened.other);
        let (mut nearest, mut apart) = (0, found.lower);
        for (lane, apart) in apart.iter_mut().enumerate() {
            nearest = if found.upper[lane] < found.upper[nearest] { lane } else { nearest };
            *apart = key(apart.max(least), found.upper[lane]);
        }
        if found.upper[nearest] < self.upper {
            (self.upper, self.points) = (found.upper[nearest], Some(opened.places(nearest as u32)));
        }
        let most = self.most();
        for apart in &mut apart {
            *apart = if *apart > most { f32::INFINITY } else { *apart };
        }
        let fan = Fan { apart, of: opened };
        if self.queue.pushed() < room {
            self.next = self.queue.next_with(fan, most).map(pair);
            return;
        }
        self.floor = apart.iter().fold(self.floor, |floor, &apart| floor.min(lower(apart)));
        self.next = self.queue.next(most).map(pair);
    }

    fn measure(&mut self, couple: &Couple<'_>, triangles: [u32; 2], least: f32) {
        if least <= 0.0 && couple.meet(triangles) {
            self.meeting = Some(triangles);
            return;
        }
        let most = self.at_most(couple);
        let [a, b] = [0, 1].map(|k| couple.bodies()[k].triangle(triangles[k]));
        let Some(closest) = triangle_triangle_below(&a, &b, most) else { return };
        let least = closest.lo.max(f64::from(least) * couple.unit());
        self.measured_least = self.measured_least.min(least);
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
        let waiting = self.next.map_or(f32::INFINITY, |(key, _)| lower(key));
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
fn pair((key, of, lane): (f32, Opened, u32)) -> (f32, [Place; 2]) {
    (key, of.places(lane))
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
                let opened = Opened { side: side as u32, node, other };
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
