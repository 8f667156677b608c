//! The direction across which two convex blocks are apart, or least in each other as far as is seen easily: the plane
//! across it is the one they are drawn on [R98 §6].

use crate::Point;
use glam::DVec3;

/// Looks for extreme corners at most, …
const STEPS_MAX: u32 = 40;
/// … and shifts of weight between those that were found, for each of them.
const SHIFTS_MAX: u32 = 64;

/// A direction from A to B. If some plane parts the blocks by more than a little, one along which they are
/// apart is found mostly; else one along which they overlap as little as was seen.
///
/// Two blocks are apart if the origin is not in B − A, and the nearest point of that to the origin is the
/// direction. The nearest point between some corners is sought (by Frank and Wolfe's method, in pairs), then
/// the corner farthest against it is added to them. Any direction serves; a bad one costs pixels.
pub fn direction(a: &[Point], b: &[Point]) -> Point {
    let middle = |points: &[Point]| {
        let sum: DVec3 = points.iter().map(|p| DVec3::from(*p)).sum();
        sum / (points.len() as f64).max(1.0)
    };
    let mut nearest = middle(b) - middle(a);
    let mut weighted = vec![(nearest, 1.0)];
    let (mut best, mut gap) = (nearest, f64::NEG_INFINITY);
    for _ in 0..STEPS_MAX {
        let Some(unit) = nearest.try_normalize() else { break };
        let (Some(far_a), Some(near_b)) = (farthest(a, unit), farthest(b, -unit)) else { break };
        let corner = near_b - far_a;
        let reached = corner.dot(unit);
        if reached > gap {
            (best, gap) = (unit, reached);
        }
        if gap > 0.0 || weighted.iter().any(|(known, _)| *known == corner) {
            break;
        }
        weighted.push((corner, 0.0));
        nearest = nearest_between(&mut weighted, nearest);
        weighted.retain(|(_, weight)| *weight > 0.0);
    }
    best.into()
}

/// Shifts weight between corners so that their mean comes near the origin; where it is then.
fn nearest_between(weighted: &mut [(DVec3, f64)], mut nearest: DVec3) -> DVec3 {
    for _ in 0..SHIFTS_MAX {
        let height = |k: usize| weighted[k].0.dot(nearest);
        let by_height = |i: &usize, j: &usize| height(*i).total_cmp(&height(*j));
        let all = 0..weighted.len();
        let lowest = all.clone().min_by(by_height);
        let highest = all.filter(|&k| weighted[k].1 > 0.0).max_by(by_height);
        let (Some(to), Some(from)) = (lowest, highest) else { break };
        let way = weighted[to].0 - weighted[from].0;
        let step = (-nearest.dot(way) / way.length_squared()).min(weighted[from].1);
        // Nothing to be gained; it is not a number if the two are one.
        if step.is_nan() || step <= 0.0 {
            break;
        }
        weighted[to].1 += step;
        weighted[from].1 -= step;
        nearest += step * way;
    }
    nearest
}

/// The corner farthest along a direction.
fn farthest(points: &[Point], along: DVec3) -> Option<DVec3> {
    let all = points.iter().map(|p| DVec3::from(*p));
    all.max_by(|p, q| p.dot(along).total_cmp(&q.dot(along)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(at: [f64; 3]) -> Vec<Point> {
        let side = |i: usize, k: usize| if i >> k & 1 == 0 { -0.5 } else { 0.5 };
        (0..8).map(|i| std::array::from_fn(|k| at[k] + side(i, k))).collect()
    }

    fn gap(a: &[Point], b: &[Point], along: &Point) -> f64 {
        let along = DVec3::from(*along);
        let heights = |points: &[Point]| -> Vec<f64> {
            points.iter().map(|p| DVec3::from(*p).dot(along)).collect()
        };
        let most = heights(a).into_iter().fold(f64::MIN, f64::max);
        heights(b).into_iter().fold(f64::MAX, f64::min) - most
    }

    #[test]
    fn cubes_apart_are_seen_apart() {
        for at in [[1.1, 0.9, 0.8], [0.2, -1.02, 0.3], [3.0, 3.0, -3.0], [0.0, 0.0, 1.5]] {
            let (a, b) = (cube([0.0; 3]), cube(at));
            assert!(gap(&a, &b, &direction(&a, &b)) > 0.0, "{at:?}");
        }
        let (a, b) = (cube([0.0; 3]), cube([0.9, 0.1, 0.1]));
        assert!(gap(&a, &b, &direction(&a, &b)) <= 0.0);
        // Nothing to go by, and nothing at all.
        assert!(direction(&a, &a).iter().all(|x| x.is_finite()));
        assert!(direction(&[], &a).iter().all(|x| x.is_finite()));
    }
}
