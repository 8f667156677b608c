//! The minimal overlapping region of two blocks in a view [R98 §2, §4], from their boxes.

use super::view::{Seen, View};
use crate::obb::Obb;

/// A rectangle of the view: its lower and its upper corner.
pub type Rectangle = [[f64; 2]; 2];

/// What two boxes along the axes of the view share; none if they share nothing.
pub(super) fn aligned(a: &Seen, b: &Seen) -> Option<Rectangle> {
    both(a.rectangle(), b.rectangle())
}

/// What two rectangles share.
pub(super) fn both(p: Rectangle, q: Rectangle) -> Option<Rectangle> {
    let min: [f64; 2] = std::array::from_fn(|k| p[0][k].max(q[0][k]));
    let max: [f64; 2] = std::array::from_fn(|k| p[1][k].min(q[1][k]));
    (min[0] <= max[0] && min[1] <= max[1]).then_some([min, max])
}

/// Around what the outlines of two oriented boxes share; none if they share nothing.
pub fn oriented(view: &View, [a, b]: [&Obb; 2]) -> Option<Rectangle> {
    let [mut shared, cutter] = [outline(view, a), outline(view, b)];
    let is_flat = |ring: &[[f64; 2]]| ring.len() < 3 || turn(ring[0], ring[1], ring[2]) <= 0.0;
    if is_flat(&cutter) || is_flat(&shared) {
        // A box without width in this view covers no pixel centre but by chance.
        return around(&shared).zip(around(&cutter)).and_then(|(p, q)| both(p, q));
    }
    for k in 0..cutter.len() {
        shared = clip(&shared, cutter[k], cutter[(k + 1) % cutter.len()]);
    }
    around(&shared)
}

fn around(points: &[[f64; 2]]) -> Option<Rectangle> {
    let first = *points.first()?;
    Some(points.iter().fold([first; 2], |[min, max], p| {
        [[min[0].min(p[0]), min[1].min(p[1])], [max[0].max(p[0]), max[1].max(p[1])]]
    }))
}

/// The outline of a box as it is seen: a convex polygon of up to six corners that turns left, or the
/// corners of something without area.
fn outline(view: &View, obb: &Obb) -> Vec<[f64; 2]> {
    let mut corners: Vec<[f64; 2]> = (0..8)
        .map(|corner| {
            let sign = |k: usize| if corner >> k & 1 == 0 { -obb.half[k] } else { obb.half[k] };
            let along = |i: usize| (0..3).map(|k| sign(k) * obb.axes[k][i]).sum::<f64>();
            let [x, y, _] = view.see(&std::array::from_fn(|i| obb.center[i] + along(i)));
            [x, y]
        })
        .collect();
    corners.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
    corners.dedup();
    let chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while let [.., p, q] = chain[..]
                && turn(p, q, point) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut ring = chain(&mut corners.iter().copied());
    ring.extend(chain(&mut corners.iter().rev().copied()));
    if ring.len() < 3 { corners } else { ring }
}

/// Positive if the three turn left.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// The part of a convex polygon to the left of a line.
fn clip(polygon: &[[f64; 2]], from: [f64; 2], to: [f64; 2]) -> Vec<[f64; 2]> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (k, &p) in polygon.iter().enumerate() {
        let q = polygon[(k + 1) % polygon.len()];
        let [at_p, at_q] = [turn(from, to, p), turn(from, to, q)];
        if at_p >= 0.0 {
            kept.push(p);
        }
        if (at_p > 0.0 && at_q < 0.0) || (at_p < 0.0 && at_q > 0.0) {
            let t = at_p / (at_p - at_q);
            kept.push([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxed(center: [f64; 3], turned: bool, half: [f64; 3]) -> Obb {
        let c = 0.5f64.sqrt();
        let turned_axes = [[c, c, 0.0], [-c, c, 0.0], [0.0, 0.0, 1.0]];
        let straight = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        Obb { center, axes: if turned { turned_axes } else { straight }, half }
    }

    #[test]
    fn oriented_regions_are_smaller() {
        let view = View::along_axis(2);
        let long = boxed([0.0; 3], true, [4.0, 0.1, 1.0]);
        let small = boxed([2.0, 2.0, 0.0], false, [0.5, 0.5, 1.0]);
        let [min, max] = oriented(&view, [&long, &small]).unwrap();
        assert!((min[0] - 1.5).abs() < 1e-12 && (max[1] - 2.5).abs() < 1e-12);
        // In a corner of the boxes along the axes, but not near the long one.
        let aside = boxed([2.0, -2.0, 0.0], false, [0.5, 0.5, 1.0]);
        assert_eq!(oriented(&view, [&long, &aside]), None);
        // Seen from the side outlines are rectangles, which do overlap.
        let side = View::along_axis(0);
        let [min, max] = oriented(&side, [&long, &aside]).unwrap();
        assert!((min[0] + 2.5).abs() < 1e-12 && (max[0] + 1.5).abs() < 1e-12);
        let flat = boxed([0.0; 3], false, [0.0, 0.0, 1.0]);
        assert_eq!(oriented(&view, [&flat, &long]), Some([[0.0; 2]; 2]));
    }
}
