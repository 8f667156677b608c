//! When two horns can meet: closed forms, rounded so that they are never too late.
//!
//! [H93] encloses horns in polyhedra, since parabolas are costly to intersect in general. Along a fixed
//! axis they are not: the first time at which two boxes can overlap there is the root of one
//! quadratic, and boxes meet only from when they overlap on all axes.

use super::track::Horn;

/// Boxes are checked against their middles in f32: twice what that rounds, as a share of all numbers
/// involved.
const SLACK: f64 = 2.0 * f32::EPSILON as f64;
/// The share by which roots err towards sooner; f64 rounds by far less.
const SOONER: f64 = 1e-9;

/// In how many steps the boxes of the two can overlap at the earliest: not in any whole number of
/// steps below that. Zero if they can now.
#[inline]
pub(super) fn first_meeting(a: &Horn, b: &Horn) -> f64 {
    let (half, bend) = (a.half + b.half, a.bend + b.bend);
    let mut time = 0.0f64;
    for k in 0..3 {
        let (gap, speed) = (a.middle[k] - b.middle[k], a.way[k] - b.way[k]);
        let rate = if gap < 0.0 { -speed } else { speed };
        let slack = SLACK * (a.middle[k].abs() + b.middle[k].abs() + half);
        time = time.max(closing_time(gap.abs() - half - slack, 0.5 * bend - rate, bend));
    }
    time * (1.0 - SOONER)
}

/// The same along a direction that the promise of `a` tells more about [H93]: what changes its way never
/// points against `push`, so that along it the body is not farther back than if it went straight.
/// Everything that is ahead of `b` there is apart from it.
pub(super) fn first_meeting_along(a: &Horn, b: &Horn, push: &[f32; 3], spare: f64) -> f64 {
    let push = push.map(f64::from);
    let along = |v: &[f64; 3]| v[0] * push[0] + v[1] * push[1] + v[2] * push[2];
    // A direction in f32 is of unit length up to that.
    let widest = push.iter().map(|x| x.abs()).sum::<f64>() * (1.0 + SLACK);
    let size: f64 = (0..3).map(|k| a.middle[k].abs() + b.middle[k].abs()).sum();
    let slack = 4.0 * SLACK * (size + a.half + b.half);
    let gap = along(&a.middle) - along(&b.middle) - (a.half + b.half) * widest - slack;
    // The check grants the spare, and is rounded by less than that.
    let bend = b.bend * (1.0 + SLACK) + 2.0 * spare;
    let rate = along(&a.way) - along(&b.way);
    closing_time(gap, 0.5 * bend - rate, bend) * (1.0 - SOONER)
}

/// The first root of `gap = closing·t + bend·t²/2`; zero without a gap.
#[inline]
fn closing_time(gap: f64, closing: f64, bend: f64) -> f64 {
    let open = gap > 0.0;
    if !open {
        return 0.0;
    }
    let root = (closing * closing + 2.0 * bend * gap).sqrt();
    // Two forms of one root, so that nothing cancels. What is no number is no time to wait.
    if closing > 0.0 {
        2.0 * gap / (closing + root)
    } else if bend > 0.0 {
        (root - closing) / bend
    } else {
        f64::INFINITY
    }
}
