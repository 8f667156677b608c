//! The earliest time at which two of many hyper-trapezoids meet, by sweeping their faces axis by axis
//! [H93].
//!
//! The faces with one normal axis are lines over time. They are kept in their order along that axis, and
//! neighbours that cross next are exchanged first, as Bentley and Ottmann do for segments. When the
//! upper face of one body passes the lower face of another, the two begin to overlap along this
//! axis; if they do along the other two as well, that is a meeting.
//!
//! The order is robust whatever rounding does to the times of crossings: only neighbours are exchanged,
//! and only if the lower one is faster, so each two faces change places at most once.

use super::track::Horn;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// By which share of all numbers involved trapezoids are wider than horns, for rounding: that of the
/// checked boxes to f32, and of all times here.
const SLACK: f64 = 4.0 * f32::EPSILON as f64;
/// By which share of them overlaps at the time of a crossing are found sooner: two that begin together
/// must not be missed because each was found to be the first.
const TOGETHER: f64 = 1e-9;

/// A horn and the polyhedron around it: its sides are straight over time, and hold the parabolas at
/// both ends and, since those are convex, in between.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trapezoid {
    /// By axis: where the sides are at the beginning, and by how much they move in a step.
    low: [Line; 3],
    high: [Line; 3],
}

#[derive(Clone, Copy, Debug)]
struct Line {
    start: f64,
    slope: f64,
}

impl Line {
    fn at(&self, time: f64) -> f64 {
        self.start + self.slope * time
    }
}

impl Trapezoid {
    /// Around a horn from now on for so many steps.
    pub(super) fn around(horn: &Horn, steps: f64) -> Self {
        let spread = 0.5 * horn.bend * (steps + 1.0);
        let side = |k: usize, sign: f64| {
            // At the beginning no wider than the boxes that were joined, which are apart.
            let half = horn.half + SLACK * (horn.middle[k].abs() + horn.half);
            let spread = spread + SLACK * (horn.way[k].abs() + spread);
            Line { start: horn.middle[k] + sign * half, slope: horn.way[k] + sign * spread }
        };
        Self {
            low: std::array::from_fn(|k| side(k, -1.0)),
            high: std::array::from_fn(|k| side(k, 1.0)),
        }
    }

    fn overlaps(&self, other: &Self, k: usize, time: f64) -> bool {
        let reaches = |low: f64, high: f64| low - high <= TOGETHER * (low.abs() + high.abs() + 1.0);
        reaches(self.low[k].at(time), other.high[k].at(time))
            && reaches(other.low[k].at(time), self.high[k].at(time))
    }
}

/// Two faces that are neighbours and cross.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crossing {
    time: f64,
    below: u32,
    above: u32,
}

impl Eq for Crossing {}

impl Ord for Crossing {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |c: &Self| (c.below, c.above);
        self.time.total_cmp(&other.time).then_with(|| key(self).cmp(&key(other)))
    }
}

impl PartialOrd for Crossing {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The sweep along one axis. Faces are named by their body, twice, plus one for the upper one.
struct Sweep<'a> {
    bodies: &'a [Trapezoid],
    axis: usize,
    order: Vec<u32>,
    place: Vec<u32>,
    crossings: BinaryHeap<Reverse<Crossing>>,
    limit: f64,
}

/// When two of them begin to meet at the earliest, if that is before `limit`. None may meet at the
/// beginning.
pub(super) fn first_of_all(bodies: &[Trapezoid], limit: f64) -> f64 {
    (0..3).fold(limit, |limit, axis| Sweep::new(bodies, axis, limit).run())
}

impl<'a> Sweep<'a> {
    fn new(bodies: &'a [Trapezoid], axis: usize, limit: f64) -> Self {
        let count = 2 * bodies.len() as u32;
        let mut sweep = Self {
            bodies,
            axis,
            order: (0..count).collect(),
            place: vec![0; count as usize],
            crossings: BinaryHeap::new(),
            limit,
        };
        let mut order = std::mem::take(&mut sweep.order);
        // Lower faces first where they are in one place: they have met already, and do not cross.
        let key = |face: u32| (sweep.face(face).start, face % 2, face);
        order.sort_unstable_by(|&x, &y| {
            let (x, y) = (key(x), key(y));
            x.0.total_cmp(&y.0).then_with(|| (x.1, x.2).cmp(&(y.1, y.2)))
        });
        for (place, face) in order.iter().enumerate() {
            sweep.place[*face as usize] = place as u32;
        }
        sweep.order = order;
        for place in 1..sweep.order.len() {
            sweep.foresee(place - 1, 0.0);
        }
        sweep
    }

    fn face(&self, face: u32) -> &Line {
        let body = &self.bodies[face as usize / 2];
        if face % 2 == 1 { &body.high[self.axis] } else { &body.low[self.axis] }
    }

    /// Notes when the face at a place and the one above it cross, if they do.
    fn foresee(&mut self, place: usize, now: f64) {
        let (below, above) = (self.order[place], self.order[place + 1]);
        let (x, y) = (self.face(below), self.face(above));
        if x.slope > y.slope {
            let time = ((y.start - x.start) / (x.slope - y.slope)).max(now);
            if time < self.limit {
                self.crossings.push(Reverse(Crossing { time, below, above }));
            }
        }
    }

    /// The time of the first meeting, or the limit.
    fn run(mut self) -> f64 {
        while let Some(Reverse(Crossing { time, below, above })) = self.crossings.pop() {
            let place = self.place[below as usize] as usize;
            if self.order.get(place + 1) != Some(&above) {
                // They are no neighbours any more; if they become so again, it is noted anew.
                continue;
            }
            // An upper face that passes a lower one from below: an overlap begins.
            if below % 2 == 1 && above % 2 == 0 && self.meet(below / 2, above / 2, time) {
                return time;
            }
            self.order.swap(place, place + 1);
            self.place.swap(below as usize, above as usize);
            if place > 0 {
                self.foresee(place - 1, time);
            }
            if place + 2 < self.order.len() {
                self.foresee(place + 1, time);
            }
        }
        self.limit
    }

    fn meet(&self, a: u32, b: u32, time: f64) -> bool {
        let (a, b) = (&self.bodies[a as usize], &self.bodies[b as usize]);
        (0..3).filter(|k| *k != self.axis).all(|k| a.overlaps(b, k, time))
    }
}
