//! What overlaps a box, lies near a point, or is met by a ray. All bounds are on the safe side: a box
//! that only rounding keeps apart is found.

use super::{BoxTree, NONE, lane_box, lanes};
use crate::Point;
use crate::aabb::Aabb32;
use impinge_simd::wide_tree::NODE;

/// A half-line or a part of it: `origin + t · direction` for `t` in a closed range. All finite, but
/// the range may end at infinity. A direction of zero length is a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where `t` is 0.
    pub origin: Point,
    /// Of any length.
    pub direction: Point,
    /// The first and the last `t`.
    pub range: [f64; 2],
}

/// More than any chain of roundings here can change a number by, relative to it.
const SLACK: f64 = 8.0 * f64::EPSILON;

impl BoxTree {
    /// Appends the leaves whose closed boxes share a point with `aabb`, in an order that depends on
    /// the tree alone. Returns the number of nodes it looked at. `stack` is scratch.
    pub fn overlapping(&self, aabb: &Aabb32, stack: &mut Vec<u32>, found: &mut Vec<u32>) -> u64 {
        stack.clear();
        if self.root != NONE {
            stack.push(NODE | self.root);
        }
        self.view().overlapping(aabb, stack, found)
    }

    /// Appends the leaves whose boxes come within `distance` of a point (both finite), and perhaps
    /// some that are farther by no more than rounding.
    pub fn near(&self, point: &Point, distance: f64, found: &mut Vec<u32>) {
        let most = distance * distance * (1.0 + SLACK);
        self.walk(|leaf, aabb| {
            let gap = |k: usize| {
                let (low, high) = (f64::from(aabb[k]), f64::from(aabb[k + 3]));
                (low - point[k]).max(point[k] - high).max(0.0)
            };
            let [x, y, z] = [gap(0), gap(1), gap(2)];
            let near = (x * x + y * y + z * z) * (1.0 - SLACK) <= most;
            if near && let Some(leaf) = leaf {
                found.push(leaf);
            }
            near
        });
    }

    /// Appends the leaves whose boxes a ray can meet, each with a `t` that is not larger than the one
    /// at which it enters the box (nor smaller than the range allows).
    pub fn along(&self, ray: &Ray, found: &mut Vec<(f64, u32)>) {
        self.walk(|leaf, aabb| {
            let Some(enter) = enter(ray, aabb) else { return false };
            if let Some(leaf) = leaf {
                found.push((enter, leaf));
            }
            true
        });
    }

    /// Shows the boxes of the tree from above, without those below a node that is refused. Leaves
    /// come with their names.
    fn walk(&self, mut wanted: impl FnMut(Option<u32>, &Aabb32) -> bool) {
        let mut stack = Vec::new();
        if self.root != NONE {
            stack.push(self.root);
        }
        while let Some(node) = stack.pop() {
            for lane in lanes(self.used[node as usize]) {
                let child = self.children[node as usize][lane];
                let leaf = (child & NODE == 0).then_some(child);
                if wanted(leaf, &lane_box(&self.boxes[node as usize], lane)) && leaf.is_none() {
                    stack.push(child & !NODE);
                }
            }
        }
    }
}

/// A `t` of the range not above the first at which the ray is in the box; none if it never is.
fn enter(ray: &Ray, aabb: &Aabb32) -> Option<f64> {
    let [mut first, mut last] = ray.range;
    for k in 0..3 {
        let (low, high) = (f64::from(aabb[k]), f64::from(aabb[k + 3]));
        let (origin, direction) = (ray.origin[k], ray.direction[k]);
        if direction == 0.0 {
            if origin < low || high < origin {
                return None;
            }
            continue;
        }
        let ends = [(low - origin) / direction, (high - origin) / direction];
        first = first.max(below(ends[0].min(ends[1])));
        last = last.min(-below(-ends[0].max(ends[1])));
    }
    (first <= last).then_some(first)
}

/// Less than `t` was before it was rounded twice. What has become infinite may have been finite.
fn below(t: f64) -> f64 {
    (t * if t > 0.0 { 1.0 - SLACK } else { 1.0 + SLACK }).next_down()
}
