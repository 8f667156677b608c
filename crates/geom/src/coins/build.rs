//! Builds trees from above. For coins the widest part of a node is split until there are eight; how octrees are
//! split is in `octree.rs`.

use super::octree::{self, Cell};
use super::{Builder, CoinTree, NOTHING, Node, TRIANGLE, anneal, fit};
use crate::mesh::Mesh;
use glam::{DVec3, Vec3};
use impinge_simd::coins::{Coin, Coins8};
use rayon::prelude::*;

pub(super) fn build(mesh: &Mesh, builder: Builder) -> CoinTree {
    let bounds = mesh.bounds();
    let origin = std::array::from_fn(|k| 0.5 * bounds.min[k] + 0.5 * bounds.max[k]);
    let reach = (0..3).map(|k| bounds.max[k] - bounds.min[k]).fold(0.0, f64::max);
    let power = f64::from_bits(reach.to_bits() & f64::INFINITY.to_bits());
    let unit = if power.is_normal() { power } else { 1.0 };
    let local = |corner: [f64; 3]| (DVec3::from(corner) - DVec3::from(origin)) / unit;
    let mut items: Vec<Item> = (0..mesh.triangles().len() as u32)
        .into_par_iter()
        .with_min_len(1024)
        .map(|id| Item::of(id, mesh.triangle(id).map(local)))
        .collect();
    if items.is_empty() {
        let nodes = vec![Node { coins: Coins8::NONE, below: [NOTHING; 8], witness: [0; 8] }];
        return CoinTree { nodes, origin, unit };
    }
    let cube = Cell { centre: DVec3::ZERO, half: 0.5 * reach / unit };
    let mut whole = match builder {
        Builder::Annealed => anneal::around(&mut items),
        Builder::Coins | Builder::Octree => Part { items: &mut items, cell: cube },
    };
    let (coin, witness) = whole.fitted(builder);
    let below = whole.below(builder, 1);
    let mut root = Node { coins: Coins8::NONE, below: [NOTHING; 8], witness: [0; 8] };
    root.set(0, (&coin, witness), below);
    let mut nodes = vec![root];
    nodes.extend(whole.built(builder, 1));
    CoinTree { nodes, origin, unit }
}

/// A triangle on its way into the tree.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) id: u32,
    low: Vec3,
    high: Vec3,
    pub(super) corners: [DVec3; 3],
}

impl Item {
    fn of(id: u32, corners: [DVec3; 3]) -> Self {
        let [a, b, c] = corners.map(|corner| corner.as_vec3());
        Self { id, low: a.min(b).min(c), high: a.max(b).max(c), corners }
    }

    pub(super) fn middle(&self) -> Vec3 {
        0.5 * (self.low + self.high)
    }

    /// The longest side of its box.
    pub(super) fn extent(&self) -> f32 {
        (self.high - self.low).max_element()
    }
}

impl Node {
    fn set(&mut self, lane: usize, (coin, witness): (&Coin, u32), below: u32) {
        let coins = &mut self.coins;
        for k in 0..3 {
            coins.centre[k][lane] = coin.centre[k];
            coins.normal[k][lane] = coin.normal[k];
            coins.witness[k][lane] = coin.witness[k];
        }
        (coins.radius[lane], coins.half[lane]) = (coin.radius, coin.half);
        (self.below[lane], self.witness[lane]) = (below, witness);
    }
}

/// Triangles that one coin is to hold.
pub(super) struct Part<'a> {
    /// Some.
    pub(super) items: &'a mut [Item],
    /// Where balls are laid around; coins do without.
    pub(super) cell: Cell,
}

impl Part<'_> {
    /// The coin, and the corner that it tells.
    fn fitted(&self, builder: Builder) -> (Coin, u32) {
        let triangles: Vec<[DVec3; 3]> = self.items.iter().map(|item| item.corners).collect();
        let (coin, corner) = match builder {
            Builder::Coins => fit::coin(&triangles),
            Builder::Octree | Builder::Annealed => {
                fit::ball(&triangles, self.cell.centre, self.cell.reach())
            }
        };
        (coin, self.items[corner / 3].id << 2 | (corner % 3) as u32)
    }

    /// The triangle, if that is all there is below the coin.
    fn triangle(&self, builder: Builder) -> Option<u32> {
        let [item] = &*self.items else { return None };
        (builder != Builder::Octree || self.cell.suits(item)).then_some(item.id)
    }

    /// What is below the coin: a triangle, or the node of this number.
    fn below(&self, builder: Builder, number: u32) -> u32 {
        self.triangle(builder).map_or(number, |id| TRIANGLE | id)
    }

    /// The nodes below the coin, the first of which is to have this number.
    fn built(&mut self, builder: Builder, number: u32) -> Vec<Node> {
        match self.triangle(builder) {
            Some(_) => Vec::new(),
            None => subtree(self, builder, number),
        }
    }

    fn split(&mut self, builder: Builder) -> Vec<Part<'_>> {
        match builder {
            Builder::Coins => {
                let cell = self.cell;
                parts(self.items).into_iter().map(|items| Part { items, cell }).collect()
            }
            Builder::Octree => octree::parts(self.items, self.cell),
            Builder::Annealed => anneal::parts(self.items),
        }
    }
}

/// More triangles than this are worth several threads.
const MANY: usize = 2048;

/// The nodes of a tree over several triangles, the first of which is to have this number.
fn subtree(whole: &mut Part<'_>, builder: Builder, number: u32) -> Vec<Node> {
    let many = whole.items.len() > MANY;
    let mut parts = whole.split(builder);
    let coins: Vec<(Coin, u32)> = if many {
        parts.par_iter().map(|part| part.fitted(builder)).collect()
    } else {
        parts.iter().map(|part| part.fitted(builder)).collect()
    };
    // Numbers are known once the parts are built, so those below are numbered from zero first.
    let below: Vec<Vec<Node>> = if many {
        parts.par_iter_mut().map(|part| part.built(builder, 0)).collect()
    } else {
        parts.iter_mut().map(|part| part.built(builder, 0)).collect()
    };
    let mut node = Node { coins: Coins8::NONE, below: [NOTHING; 8], witness: [0; 8] };
    let mut next = number + 1;
    let mut nodes = Vec::with_capacity(1 + below.iter().map(Vec::len).sum::<usize>());
    nodes.push(node);
    for (lane, (part, below)) in parts.iter().zip(below).enumerate() {
        let (coin, witness) = &coins[lane];
        node.set(lane, (coin, *witness), part.below(builder, next));
        let count = below.len() as u32;
        nodes.extend(below.into_iter().map(|node| node.moved(next)));
        next += count;
    }
    nodes[0] = node;
    nodes
}

impl Node {
    /// With all numbers of nodes increased.
    fn moved(mut self, by: u32) -> Self {
        for below in &mut self.below {
            if *below & TRIANGLE == 0 {
                *below += by;
            }
        }
        self
    }
}

/// Up to eight parts, none of them empty: the widest is split again and again.
fn parts(items: &mut [Item]) -> Vec<&mut [Item]> {
    let mut parts: Vec<(f32, &mut [Item])> = vec![(f32::INFINITY, items)];
    while parts.len() < 8 {
        let widest = (0..parts.len())
            .filter(|&i| parts[i].1.len() > 1)
            .max_by(|&i, &j| parts[i].0.total_cmp(&parts[j].0));
        let Some(widest) = widest else { break };
        let (_, part) = parts.remove(widest);
        let at = split(part);
        let (left, right) = part.split_at_mut(at);
        for half in [left, right] {
            parts.push((Box3::around(half).area(), half));
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

/// A box, possibly of nothing.
#[derive(Clone, Copy)]
struct Box3 {
    low: Vec3,
    high: Vec3,
}

impl Box3 {
    const NOTHING: Self = Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    fn around(items: &[Item]) -> Self {
        items.iter().fold(Self::NOTHING, |all, item| all.with(item.low, item.high))
    }

    fn with(self, low: Vec3, high: Vec3) -> Self {
        Self { low: self.low.min(low), high: self.high.max(high) }
    }

    fn area(&self) -> f32 {
        let Vec3 { x, y, z } = (self.high - self.low).max(Vec3::ZERO);
        x * y + y * z + z * x
    }
}

/// Into how many slices of equal width the middles are sorted along an axis.
const BINS: usize = 16;

/// Parts items in two where area times number is least; both have some.
fn split(items: &mut [Item]) -> usize {
    let (low, high) = items
        .iter()
        .map(Item::middle)
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), m| (low.min(m), high.max(m)));
    let mut best: Option<(f32, usize, usize)> = None;
    for axis in 0..3 {
        let bin = bin(low[axis], high[axis]);
        let mut bins = [(Box3::NOTHING, 0u32); BINS];
        for item in items.iter() {
            let (all, count) = &mut bins[bin(item.middle()[axis])];
            (*all, *count) = (all.with(item.low, item.high), *count + 1);
        }
        let mut costs = [0.0f32; BINS];
        let (mut all, mut count) = (Box3::NOTHING, 0);
        for i in 0..BINS - 1 {
            (all, count) = (all.with(bins[i].0.low, bins[i].0.high), count + bins[i].1);
            costs[i + 1] = if count == 0 { f32::INFINITY } else { all.area() * count as f32 };
        }
        (all, count) = (Box3::NOTHING, 0);
        for i in (1..BINS).rev() {
            (all, count) = (all.with(bins[i].0.low, bins[i].0.high), count + bins[i].1);
            let cost = costs[i] + all.area() * count as f32;
            if count > 0 && cost.is_finite() && best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, axis, i));
            }
        }
    }
    let Some((_, axis, at)) = best else {
        // All middles are at one place.
        return items.len() / 2;
    };
    let bin = bin(low[axis], high[axis]);
    let mut first = 0;
    for i in 0..items.len() {
        if bin(items[i].middle()[axis]) < at {
            items.swap(first, i);
            first += 1;
        }
    }
    first
}

/// The slice that a middle is in.
fn bin(low: f32, high: f32) -> impl Fn(f32) -> usize {
    let scale = if high > low { BINS as f32 / (high - low) } else { 0.0 };
    move |at| (((at - low) * scale) as usize).min(BINS - 1)
}
