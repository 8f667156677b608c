//! The vertex of a body that lies farthest in a direction, of any set of points.
//!
//! A tree of boxes over the points, split at the median of the longest side; the search goes into the
//! more promising half first. About O(log n) per question on surfaces, O(n) at worst; O(n log n) to
//! build. The points need not be in convex position and no hull is made of them.

use crate::Point;
use crate::aabb::Aabb;

/// Points that are scanned without looking at boxes.
const LEAF: usize = 16;

/// Points under a tree of boxes.
///
/// Invariant: node `i` is the box around a range of `points`, and its children `2i + 1` and `2i + 2`
/// have the two halves of that range, unless it is not longer than [`LEAF`].
#[derive(Clone, Debug)]
pub(super) struct SupportTree {
    points: Vec<Point>,
    boxes: Vec<Aabb>,
}

impl SupportTree {
    /// A tree over at least one point.
    pub(super) fn new(mut points: Vec<Point>) -> Self {
        let mut boxes = Vec::new();
        let mut open = vec![(0, 0, points.len())];
        while let Some((node, start, end)) = open.pop() {
            let aabb = Aabb::around(&points[start..end]);
            if boxes.len() <= node {
                boxes.resize(node + 1, Aabb::EMPTY);
            }
            boxes[node] = aabb;
            if end - start <= LEAF {
                continue;
            }
            let size = aabb.size();
            let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
            let middle = (start + end) / 2;
            let order = |p: &Point, q: &Point| p[axis].total_cmp(&q[axis]);
            points[start..end].select_nth_unstable_by(middle - start, order);
            open.push((2 * node + 1, start, middle));
            open.push((2 * node + 2, middle, end));
        }
        Self { points, boxes }
    }

    /// All points, in no particular order.
    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    /// The point with the largest product with `direction`; the same one for the same question.
    pub(super) fn farthest(&self, direction: &Point) -> Point {
        let mut best = (f64::NEG_INFINITY, self.points[0]);
        // A branch leaves one entry per level behind; 2³² points in leaves of 16 have 28 levels.
        let mut stack = [(0usize, 0usize, 0usize, 0.0f64); 34];
        stack[0] = (0, 0, self.points.len(), f64::INFINITY);
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (node, start, end, bound) = stack[height];
            if bound <= best.0 {
                continue;
            }
            if end - start <= LEAF {
                for point in &self.points[start..end] {
                    let along = dot(direction, point);
                    if along > best.0 {
                        best = (along, *point);
                    }
                }
                continue;
            }
            let middle = (start + end) / 2;
            let low = (2 * node + 1, start, middle, self.bound(2 * node + 1, direction));
            let high = (2 * node + 2, middle, end, self.bound(2 * node + 2, direction));
            let (first, second) = if low.3 >= high.3 { (low, high) } else { (high, low) };
            stack[height] = second;
            stack[height + 1] = first;
            height += 2;
        }
        best.1
    }

    /// No product of a point under the node is larger. Rounding keeps the order of products and of
    /// sums that are taken alike, so this holds to the bit.
    fn bound(&self, node: usize, direction: &Point) -> f64 {
        let Aabb { min, max } = &self.boxes[node];
        let corner = [0, 1, 2].map(|k| if direction[k] >= 0.0 { max[k] } else { min[k] });
        dot(direction, &corner)
    }
}

fn dot(a: &Point, b: &Point) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_point_lies_farther(
            points in prop::collection::vec(
                prop::array::uniform3(prop_oneof![-1.0..1.0f64, (-2..3i8).prop_map(f64::from)]),
                1..300,
            ),
            direction in prop::array::uniform3(prop_oneof![-1.0..1.0f64, Just(0.0)]),
        ) {
            let most = points.iter().map(|p| dot(&direction, p)).fold(f64::NEG_INFINITY, f64::max);
            let tree = SupportTree::new(points);
            prop_assert_eq!(dot(&direction, &tree.farthest(&direction)), most);
        }
    }
}
