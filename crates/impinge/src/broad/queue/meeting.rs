//! When two balls on their way can meet: closed forms, rounded so that they are never too late.
//!
//! All input is f32, all arithmetic f64. Each formula takes a handful of operations, whose error is
//! below 10⁻¹⁴ of the largest number in it; the slack is a share of the sum of all of them.

use crate::contract::bounds::Reach;

/// The share by which [`can_touch`] errs towards yes.
const TOUCH_SLACK: f64 = 1e-14;
/// The share by which [`first_meeting`] errs towards sooner. Larger than the other, so that what one
/// excludes the other excludes too.
const MEETING_SLACK: f64 = 1e-12;
/// A time that is not reached.
pub(super) const NEVER: f64 = f64::INFINITY;

/// Into how many pieces [`can_touch`] cuts a step of bodies that accelerate.
const PIECES: u32 = 8;
/// By which share of their acceleration [`can_touch`] takes balls for larger than they are: the
/// radius grows with t²/2, and a piece is judged by its end. Largest in the last piece.
pub(super) const BAND: f64 = (2 * PIECES - 1) as f64 / (2 * PIECES * PIECES) as f64;

/// Whether the two can touch at some time of the step, given how they move: the exact answer for
/// these balls but for rounding and [`BAND`].
pub(super) fn can_touch(a: &Reach, b: &Reach) -> bool {
    let way = minus(&a.center.map(f64::from), &b.center.map(f64::from));
    let speed = minus(&a.velocity.map(f64::from), &b.velocity.map(f64::from));
    let radius = f64::from(a.radius) + f64::from(b.radius);
    let acceleration = f64::from(a.acceleration) + f64::from(b.acceleration);
    let size = [&a.center, &b.center, &a.velocity, &b.velocity].map(norm1).iter().sum::<f64>();
    let radius = radius + TOUCH_SLACK * (size + radius + acceleration);
    // Asked the negative way, because infinite numbers may give NaN, and those meet.
    let meet = |t0: f64, t1: f64| {
        let nearest = nearest(&along(&way, &speed, t0), &speed.map(|v| v * (t1 - t0)));
        let apart = nearest > radius + 0.5 * acceleration * t1 * t1;
        !apart
    };
    if acceleration == 0.0 || !meet(0.0, 1.0) {
        return meet(0.0, 1.0);
    }
    let time = |i: u32| f64::from(i) / f64::from(PIECES);
    (0..PIECES).any(|i| meet(time(i), time(i + 1)))
}

/// A ball that grows on its way, seen from some moment on: after a time `t` everything is within
/// `radius + growth·t + acceleration·t²/2` of `center + velocity·t`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    pub(super) center: [f64; 3],
    pub(super) velocity: [f64; 3],
    pub(super) radius: f64,
    pub(super) growth: f64,
    pub(super) acceleration: f64,
}

impl Ball {
    /// The radius after a time.
    pub(super) fn radius_at(&self, time: f64) -> f64 {
        self.radius + (self.growth + 0.5 * self.acceleration * time) * time
    }

    /// No less than any number that occurs in a formula about this ball.
    fn size(&self, time: f64) -> f64 {
        let norm1 = |v: &[f64; 3]| v[0].abs() + v[1].abs() + v[2].abs();
        norm1(&self.center) + norm1(&self.velocity) * time + self.radius_at(time)
    }
}

/// No later than the first time at which the two can meet; [`NEVER`] if that is after `horizon`.
///
/// The better of two bounds. Along the line of centres the gap closes by at most `c·t + a·t²/2`,
/// which gives a time in closed form [V00 §6]. And if both balls had all the time the radii that
/// they reach at the horizon, the distance would be a root of a quadratic: that sees bodies pass.
pub(super) fn first_meeting(a: &Ball, b: &Ball, horizon: f64) -> f64 {
    let (way, speed) = (minus(&a.center, &b.center), minus(&a.velocity, &b.velocity));
    let slack = MEETING_SLACK * (a.size(horizon) + b.size(horizon));
    let distance = length(&way);
    let gap = distance - (a.radius + b.radius) - slack;
    let apart = gap > 0.0;
    if !apart {
        return 0.0;
    }
    let (approach, rate) = (-dot(&way, &speed), length(&speed));
    let growth = a.growth + b.growth;
    let closing = approach / distance + growth + MEETING_SLACK * (rate + growth);
    let straight = closing_time(gap, closing, a.acceleration + b.acceleration);
    let largest = a.radius_at(horizon) + b.radius_at(horizon) + slack;
    let late_gap = distance - largest;
    let passing = if late_gap > 0.0 {
        let approach = approach + MEETING_SLACK * distance * rate;
        entry_time(approach, rate * rate, late_gap * (distance + largest))
    } else {
        0.0
    };
    let time = straight.max(passing) * (1.0 - MEETING_SLACK);
    if time > horizon { NEVER } else { time }
}

/// The first root of `gap = closing·t + acceleration·t²/2` for a positive gap.
fn closing_time(gap: f64, closing: f64, acceleration: f64) -> f64 {
    let root = (closing * closing + 2.0 * acceleration * gap).sqrt();
    // Two forms of one root, so that nothing cancels.
    if closing > 0.0 {
        2.0 * gap / (closing + root)
    } else if acceleration > 0.0 {
        (root - closing) / acceleration
    } else {
        NEVER
    }
}

/// The first root of `rate2·t² − 2·approach·t + rest = 0` for a positive rest.
fn entry_time(approach: f64, rate2: f64, rest: f64) -> f64 {
    let reduced = approach * approach - rate2 * rest * (1.0 - 4.0 * MEETING_SLACK);
    if approach <= 0.0 || reduced < 0.0 { NEVER } else { rest / (approach + reduced.sqrt()) }
}

/// The least distance of `start + t·way` from the origin for t in 0…1.
fn nearest(start: &[f64; 3], way: &[f64; 3]) -> f64 {
    let square = dot(way, way);
    let t = if square > 0.0 { (-dot(start, way) / square).clamp(0.0, 1.0) } else { 0.0 };
    length(&along(start, way, t))
}

fn along(start: &[f64; 3], way: &[f64; 3], t: f64) -> [f64; 3] {
    std::array::from_fn(|k| start[k] + way[k] * t)
}

pub(super) fn minus(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn length(v: &[f64; 3]) -> f64 {
    dot(v, v).sqrt()
}

pub(super) fn norm1(v: &[f32; 3]) -> f64 {
    v.iter().map(|x| f64::from(x.abs())).sum()
}
