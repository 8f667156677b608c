//! A binary tree of boxes over blocks: only blocks whose boxes overlap are drawn.

use crate::Point;
use crate::aabb::Aabb;
use crate::obb::Obb;
use crate::pose::Pose;

#[derive(Clone, Copy, Debug)]
enum Below {
    /// A block.
    Block(u32),
    /// Two nodes.
    Nodes([u32; 2]),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    below: Below,
}

/// The root is node 0; there is none without blocks.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// Where a node is hung up: its parent, and as which of its two nodes.
type Hook = (u32, usize);

impl Tree {
    /// Halves by the middles of boxes along the longest side, down to single blocks.
    pub(super) fn over(boxes: &[Aabb]) -> Self {
        let around =
            |some: &[u32]| some.iter().fold(Aabb::EMPTY, |all, &k| all.union(&boxes[k as usize]));
        let mut tree = Self { nodes: Vec::new() };
        let mut open: Vec<(Vec<u32>, Option<Hook>)> = Vec::new();
        if !boxes.is_empty() {
            open.push(((0..boxes.len() as u32).collect(), None));
        }
        while let Some((mut some, parent)) = open.pop() {
            let number = tree.nodes.len() as u32;
            if let Some((parent, side)) = parent
                && let Below::Nodes(nodes) = &mut tree.nodes[parent as usize].below
            {
                nodes[side] = number;
            }
            let bounds = around(&some);
            if let [block] = some[..] {
                tree.nodes.push(Node { bounds, below: Below::Block(block) });
                continue;
            }
            tree.nodes.push(Node { bounds, below: Below::Nodes([0; 2]) });
            let size = bounds.size();
            let axis = (0..3).max_by(|&i, &j| size[i].total_cmp(&size[j])).unwrap_or(0);
            let middle = |k: u32| boxes[k as usize].center()[axis];
            some.sort_by(|&i, &j| middle(i).total_cmp(&middle(j)).then(i.cmp(&j)));
            let high = some.split_off(some.len() / 2);
            open.push((high, Some((number, 1))));
            open.push((some, Some((number, 0))));
        }
        tree
    }

    /// The blocks whose boxes overlap, sorted, and how many pairs of boxes were looked at.
    pub(super) fn near(bodies: [(&Self, &Pose); 2]) -> (Vec<[u32; 2]>, u64) {
        let [(a, pose_a), (b, pose_b)] = bodies;
        let (mut found, mut looks) = (Vec::new(), 0);
        let mut open: Vec<[u32; 2]> = Vec::new();
        if !a.nodes.is_empty() && !b.nodes.is_empty() {
            open.push([0, 0]);
        }
        while let Some([i, j]) = open.pop() {
            let (p, q) = (&a.nodes[i as usize], &b.nodes[j as usize]);
            looks += 1;
            if !placed(&p.bounds, pose_a).overlaps(&placed(&q.bounds, pose_b)) {
                continue;
            }
            match (p.below, q.below) {
                (Below::Block(i), Below::Block(j)) => found.push([i, j]),
                (Below::Nodes(below), Below::Block(_)) => open.extend(below.map(|i| [i, j])),
                (Below::Block(_), Below::Nodes(below)) => open.extend(below.map(|j| [i, j])),
                (Below::Nodes(left), Below::Nodes(right)) => {
                    // The larger one first: the smaller is likelier to be rejected whole.
                    if p.bounds.diagonal() >= q.bounds.diagonal() {
                        open.extend(left.map(|i| [i, j]));
                    } else {
                        open.extend(right.map(|j| [i, j]));
                    }
                }
            }
        }
        found.sort_unstable();
        (found, looks)
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }
}

/// A box at its place, a little larger than rounding could make it.
fn placed(bounds: &Aabb, pose: &Pose) -> Obb {
    let center = pose.apply(&bounds.center());
    let unit = |k: usize| std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 });
    let axes = [0, 1, 2].map(|k| pose.rotate(&unit(k)));
    let reach =
        bounds.min.iter().chain(&bounds.max).chain(&center).fold(0.0f64, |r, x| r.max(x.abs()));
    let slack = 32.0 * f64::EPSILON * reach;
    let half: Point = bounds.size().map(|x| 0.5 * x + slack);
    Obb { center, axes, half }
}
