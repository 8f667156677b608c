//! Leaves by their distance from a point, the nearest first.

use super::{BoxTree, NONE, lane_box, lanes};
use crate::Point;
use crate::aabb::Aabb32;
use impinge_simd::wide_tree::NODE;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// More than any chain of roundings here can change a number by, relative to it.
const SLACK: f64 = 8.0 * f64::EPSILON;

impl BoxTree {
    /// Shows the leaves in the order of the distances of their boxes from a point (finite). `visit`
    /// says how far it is still worth to look; boxes farther off than that are not shown, but perhaps
    /// some that are farther by no more than rounding. `limit` is how far it is at the start.
    pub fn nearest(&self, point: &Point, limit: f64, mut visit: impl FnMut(u32) -> f64) {
        let mut limit = limit;
        let mut open = BinaryHeap::new();
        if self.root != NONE {
            open.push(Reverse((0, NODE | self.root)));
        }
        while let Some(Reverse((key, child))) = open.pop() {
            if f64::from_bits(key) > limit {
                return;
            }
            if child & NODE == 0 {
                limit = limit.min(visit(child));
                continue;
            }
            let node = (child & !NODE) as usize;
            for lane in lanes(self.used[node]) {
                let gap = gap(point, &lane_box(&self.boxes[node], lane));
                if gap <= limit {
                    // Numbers that are not negative are in the order of their bits.
                    open.push(Reverse((gap.to_bits(), self.children[node][lane])));
                }
            }
        }
    }
}

/// Not more than the distance of a point from a box.
fn gap(point: &Point, aabb: &Aabb32) -> f64 {
    let along = |k: usize| {
        let (low, high) = (f64::from(aabb[k]), f64::from(aabb[k + 3]));
        (low - point[k]).max(point[k] - high).max(0.0)
    };
    let [x, y, z] = [along(0), along(1), along(2)];
    (x * x + y * y + z * z).sqrt() * (1.0 - SLACK)
}
