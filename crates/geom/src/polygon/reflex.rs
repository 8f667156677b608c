//! The corners that can block an ear, in a k-d tree: few of them are near any one ear.

use super::turn;
use robust::Coord;

/// At most so many corners share a leaf.
const LEAF: usize = 8;

/// A box along the axes.
#[derive(Clone, Copy)]
struct Bounds {
    low: Coord<f64>,
    high: Coord<f64>,
}

impl Bounds {
    fn of(mut points: impl Iterator<Item = Coord<f64>>) -> Self {
        let first = points.next().expect("no leaf is empty");
        points.fold(Self { low: first, high: first }, |b, p| Self {
            low: Coord { x: b.low.x.min(p.x), y: b.low.y.min(p.y) },
            high: Coord { x: b.high.x.max(p.x), y: b.high.y.max(p.y) },
        })
    }

    fn is_wide(&self) -> bool {
        self.high.x - self.low.x >= self.high.y - self.low.y
    }

    /// Whether no point of the box is in the triangle, by one of the lines that part them.
    fn misses(&self, ear: &[Coord<f64>; 3]) -> bool {
        let Self { low, high } = self;
        ear.iter().all(|p| p.x < low.x)
            || ear.iter().all(|p| p.x > high.x)
            || ear.iter().all(|p| p.y < low.y)
            || ear.iter().all(|p| p.y > high.y)
            || (0..3).any(|k| {
                let (a, b) = (ear[k], ear[(k + 1) % 3]);
                // The corner farthest to the left of the edge; if that is outside, all are.
                let x = if b.y < a.y { high.x } else { low.x };
                let y = if b.x > a.x { high.y } else { low.y };
                turn(a, b, Coord { x, y }) < 0.0
            })
    }
}

/// A balanced tree in heap order: node `k` has the children `2k` and `2k + 1`, the root is 1.
pub(super) struct Reflex {
    /// The corners, those of a leaf side by side.
    order: Vec<usize>,
    leaf_of: Vec<usize>,
    depth: u32,
    bounds: Vec<Bounds>,
    /// How many members each node has.
    counts: Vec<usize>,
    is_member: Vec<bool>,
}

impl Reflex {
    /// A tree for these corners, none of them a member yet.
    pub(super) fn new(points: &[Coord<f64>]) -> Self {
        let n = points.len();
        let depth = n.div_ceil(LEAF).next_power_of_two().ilog2();
        let nodes = 2usize << depth;
        let mut order: Vec<usize> = (0..n).collect();
        let mut leaf_of = vec![0; n];
        // Number 0 is no node.
        let mut bounds = vec![Bounds::of(points.iter().copied())];
        for node in 1..nodes {
            let (start, end) = span(node, n);
            let part = &mut order[start..end];
            let own = Bounds::of(part.iter().map(|&i| points[i]));
            bounds.push(own);
            if node.ilog2() == depth {
                part.iter().for_each(|&i| leaf_of[i] = node);
                continue;
            }
            let middle = span(2 * node, n).1 - start;
            // The index makes the order one and only, whatever the sort does with equals.
            if own.is_wide() {
                let by_x =
                    |&i: &usize, &j: &usize| points[i].x.total_cmp(&points[j].x).then(i.cmp(&j));
                part.select_nth_unstable_by(middle, by_x);
            } else {
                let by_y =
                    |&i: &usize, &j: &usize| points[i].y.total_cmp(&points[j].y).then(i.cmp(&j));
                part.select_nth_unstable_by(middle, by_y);
            }
        }
        let (counts, is_member) = (vec![0; nodes], vec![false; n]);
        Self { order, leaf_of, depth, bounds, counts, is_member }
    }

    /// Makes corner `i` a member, or no longer one.
    pub(super) fn set(&mut self, i: usize, is_member: bool) {
        if self.is_member[i] == is_member {
            return;
        }
        self.is_member[i] = is_member;
        let mut node = self.leaf_of[i];
        while node > 0 {
            let count = &mut self.counts[node];
            *count = if is_member { *count + 1 } else { *count - 1 };
            node /= 2;
        }
    }

    /// Whether a member in or near the triangle `ear` is `wanted`; all that lie in it are asked.
    pub(super) fn any(&self, ear: &[Coord<f64>; 3], wanted: impl Fn(usize) -> bool) -> bool {
        let first_leaf = 1usize << self.depth;
        // Depth first without a stack: after a subtree comes the next right sibling.
        let mut node = 1;
        loop {
            let is_near = self.counts[node] > 0 && !self.bounds[node].misses(ear);
            if is_near && node < first_leaf {
                node *= 2;
                continue;
            }
            if is_near {
                let (start, end) = span(node, self.order.len());
                let members = self.order[start..end].iter().filter(|&&i| self.is_member[i]);
                if members.copied().any(&wanted) {
                    return true;
                }
            }
            node += 1;
            node >>= node.trailing_zeros();
            if node == 1 {
                return false;
            }
        }
    }
}

/// Where in the order the corners of a node stand, of `n` in all.
fn span(node: usize, n: usize) -> (usize, usize) {
    let depth = node.ilog2();
    let rank = (node - (1 << depth)) as u128;
    let at = |rank: u128| ((rank * n as u128) >> depth) as usize;
    (at(rank), at(rank + 1))
}
