//! Builds the tree: order, leaves, nodes, and the boxes of the nodes, each step in parallel.

use super::order::{Item, arrange, share};
use super::{LEAF, Leaf, NONE, ObbTree, fit};
use crate::mesh::Mesh;
use crate::obb::{outer, principal_axes};
use crate::{Point, Triangle};
use glam::{DMat3, DVec3};
use impinge_simd::leaf::{self, Triangles8};
use impinge_simd::obb::{Box1, Boxes8};
use rayon::prelude::*;

/// 2⁻²⁴, the rounding of f32.
const U: f64 = 1.0 / 16_777_216.0;

pub(super) fn build(mesh: &Mesh) -> ObbTree {
    let bounds = mesh.bounds();
    let origin: Point = std::array::from_fn(|k| 0.5 * bounds.min[k] + 0.5 * bounds.max[k]);
    let reach = (0..3).map(|k| bounds.max[k] - bounds.min[k]).fold(0.0, f64::max);
    let unit = power_of_two(reach);
    let frame = Frame { mesh, origin: origin.into(), unit };
    let mut items: Vec<Item> = (0..mesh.triangles().len() as u32)
        .into_par_iter()
        .with_min_len(4096)
        .map(|id| frame.item(id))
        .collect();
    arrange(&mut items);
    let made: Vec<Made> =
        items.par_chunks(8).with_min_len(256).map(|chunk| Made::of(&frame, chunk)).collect();
    let plan = Plan::of(made.len());
    let weights = plan.weights(&made);
    let nodes: Vec<Boxes8> = (0..plan.nodes.len())
        .into_par_iter()
        .map(|node| plan.boxes(node, &made, &weights))
        .collect();
    let leaves = made.into_par_iter().with_min_len(1024).map(|made| made.leaf).collect();
    let radius = frame.radius(&nodes[0].get(0));
    ObbTree { nodes, leaves, origin, unit, radius }
}

/// The power of two at or below `x`, or 1 if there is none.
fn power_of_two(x: f64) -> f64 {
    let power = f64::from_bits(x.to_bits() & f64::INFINITY.to_bits());
    if power.is_normal() { power } else { 1.0 }
}

/// From the mesh's coordinates to the tree's.
struct Frame<'a> {
    mesh: &'a Mesh,
    origin: DVec3,
    unit: f64,
}

impl Frame<'_> {
    fn triangle(&self, id: u32) -> [DVec3; 3] {
        let corners: Triangle = self.mesh.triangle(id);
        let scale = 1.0 / self.unit;
        corners.map(|corner| (DVec3::from(corner) - self.origin) * scale)
    }

    /// How far the mesh reaches from the middle of the box around it.
    fn radius(&self, root: &Box1) -> f64 {
        let center = direction(&root.center) * self.unit + self.origin;
        let farthest =
            |square: f64, v: &Point| square.max((DVec3::from(*v) - center).length_squared());
        let vertices = self.mesh.vertices().par_iter().with_min_len(4096);
        let square = vertices.fold(|| 0.0, farthest).reduce(|| 0.0, f64::max);
        square.sqrt() * (1.0 + 1e-9)
    }

    fn item(&self, id: u32) -> Item {
        let [a, b, c] = self.triangle(id);
        let center = (a.min(b).min(c) + a.max(b).max(c)) * 0.5;
        Item { center: (center + 2.0).as_vec3().into(), id }
    }
}

/// Area, and the first and second moments of a piece of surface.
#[derive(Clone, Copy)]
struct Weight {
    area: f64,
    first: DVec3,
    second: DMat3,
}

impl Weight {
    const NONE: Self = Self { area: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    fn of(triangles: &[[DVec3; 3]]) -> Self {
        let mut sum = Self::NONE;
        for [a, b, c] in triangles {
            // A triangle without area still has a place; its weight only must not count.
            let area = (*b - *a).cross(*c - *a).length() + 1e-30;
            let corners = *a + *b + *c;
            sum.area += area;
            sum.first += corners * (area / 3.0);
            // (9 m mᵀ + a aᵀ + b bᵀ + c cᵀ) / 12, m the centroid.
            let second = outer(corners) + outer(*a) + outer(*b) + outer(*c);
            sum.second += second * (area / 12.0);
        }
        sum
    }

    fn add(&mut self, other: &Self) {
        self.area += other.area;
        self.first += other.first;
        self.second += other.second;
    }

    fn center(&self) -> DVec3 {
        self.first / self.area
    }

    /// Principal axes as f32, so that boxes are fitted along what is really stored.
    fn axes(&self) -> [[f32; 3]; 3] {
        let frame = principal_axes(self.second * self.area.recip() - outer(self.center()));
        [frame.x_axis, frame.y_axis, frame.z_axis].map(|axis| axis.as_vec3().into())
    }
}

/// A box from what its content reaches along its axes, seen from `middle`.
///
/// Granted are the rounding of those reaches (8u of what goes in), of axes that are not quite
/// orthonormal (a point is off by 3u of its distance per axis) and of the centre.
fn boxed(middle: DVec3, axes: [[f32; 3]; 3], low: [f64; 3], high: [f64; 3]) -> Box1 {
    let mut center = middle;
    for k in 0..3 {
        center += direction(&axes[k]) * (0.5 * (low[k] + high[k]));
    }
    let reach: f64 = (0..3).map(|k| low[k].abs().max(high[k].abs())).sum();
    let slack = 32.0 * U * reach + 4.0 * U * center.abs().element_sum() + 1e-37;
    let mut order = [0, 1, 2];
    order.sort_by(|&a: &usize, &b| (high[b] - low[b]).total_cmp(&(high[a] - low[a])));
    Box1 {
        center: center.as_vec3().into(),
        half: order.map(|k| (0.5 * (high[k] - low[k]) + slack) as f32),
        axes: order.map(|k| axes[k]),
    }
}

fn direction(axis: &[f32; 3]) -> DVec3 {
    DVec3::new(f64::from(axis[0]), f64::from(axis[1]), f64::from(axis[2]))
}

/// A leaf with what the nodes above it need.
struct Made {
    leaf: Leaf,
    weight: Weight,
    around: Box1,
}

impl Made {
    fn of(frame: &Frame<'_>, items: &[Item]) -> Self {
        let mut corners = [[DVec3::ZERO; 3]; 8];
        let corners = &mut corners[..items.len()];
        for (triangle, item) in corners.iter_mut().zip(items) {
            *triangle = frame.triangle(item.id);
        }
        let weight = Weight::of(corners);
        let middle = weight.center();
        let leaf = Leaf { triangles: seen_from(middle, corners), ids: ids(items) };
        let axes = fit::turned(&leaf.triangles, weight.axes());
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for corner in corners.as_flattened() {
            for k in 0..3 {
                let along = direction(&axes[k]).dot(*corner - middle);
                low[k] = low[k].min(along);
                high[k] = high[k].max(along);
            }
        }
        let around = boxed(middle, axes, low, high);
        let triangles = seen_from(direction(&around.center), corners);
        Self { leaf: Leaf { triangles, ..leaf }, weight, around }
    }
}

fn ids(items: &[Item]) -> [u32; 8] {
    std::array::from_fn(|lane| items.get(lane).map_or(NONE, |item| item.id))
}

fn seen_from(middle: DVec3, corners: &[[DVec3; 3]]) -> Triangles8 {
    let mut seen = [[[f32::NAN; 8]; 3]; 3];
    for (lane, triangle) in corners.iter().enumerate() {
        for (c, corner) in triangle.iter().enumerate() {
            let way = (*corner - middle).as_vec3();
            for k in 0..3 {
                seen[c][k][lane] = way[k];
            }
        }
    }
    seen
}

/// Which leaves each child of each node holds.
struct Plan {
    nodes: Vec<[Child; 8]>,
}

#[derive(Clone, Copy)]
struct Child {
    /// The first of its leaves, and one past the last.
    leaves: [usize; 2],
    child: u32,
}

impl Plan {
    /// Nodes come before their children, so weights can be summed from the back.
    fn of(leaves: usize) -> Self {
        let vacant = Child { leaves: [0, 0], child: NONE };
        let mut nodes = Vec::new();
        let mut open = std::collections::VecDeque::from([(0, [0, leaves], true)]);
        let mut count = 1;
        while let Some((_, [from, to], is_root)) = open.pop_front() {
            let mut children = [vacant; 8];
            let step = if is_root { leaves } else { share(to - from) };
            for (place, from) in (from..to).step_by(step).enumerate() {
                let to = (from + step).min(to);
                let child = if to - from == 1 {
                    LEAF | from as u32
                } else {
                    open.push_back((count, [from, to], false));
                    count += 1;
                    count as u32 - 1
                };
                children[place] = Child { leaves: [from, to], child };
            }
            nodes.push(children);
        }
        Self { nodes }
    }

    /// The weight of each child of each node.
    fn weights(&self, made: &[Made]) -> Vec<[Weight; 8]> {
        let mut weights = vec![[Weight::NONE; 8]; self.nodes.len()];
        for node in (0..self.nodes.len()).rev() {
            for (lane, child) in self.nodes[node].iter().enumerate() {
                let mut sum = Weight::NONE;
                if child.child == NONE {
                    continue;
                } else if child.child & LEAF != 0 {
                    sum = made[child.leaves[0]].weight;
                } else {
                    weights[child.child as usize].iter().for_each(|weight| sum.add(weight));
                }
                weights[node][lane] = sum;
            }
        }
        weights
    }

    fn boxes(&self, node: usize, made: &[Made], weights: &[[Weight; 8]]) -> Boxes8 {
        let mut boxes = Boxes8::VACANT;
        for (lane, child) in self.nodes[node].iter().enumerate() {
            if child.child == NONE {
                continue;
            }
            let leaves = &made[child.leaves[0]..child.leaves[1]];
            let one = match leaves {
                [single] => single.around,
                _ => around(leaves, &weights[node][lane]),
            };
            boxes.set(lane, &one);
            boxes.child[lane] = child.child;
        }
        boxes
    }
}

/// So many leaves stand for all in the search for a frame.
const SAMPLE: usize = 128;

/// The box around several leaves.
fn around(leaves: &[Made], weight: &Weight) -> Box1 {
    let middle = weight.center();
    let sample = leaves.iter().step_by(leaves.len().div_ceil(SAMPLE));
    let seen = |made: &Made| fit::corners(&made.leaf, direction(&made.around.center) - middle);
    let points: Vec<_> = sample.flat_map(seen).collect();
    let axes = fit::tilted(&points, weight.axes());
    let directions = axes.each_ref().map(direction);
    let mut extents = leaf::Extents::new(axes);
    for made in leaves {
        let way = direction(&made.around.center) - middle;
        let triangles: &Triangles8 = &made.leaf.triangles;
        extents.add(triangles, directions.map(|axis| axis.dot(way) as f32));
    }
    let (low, high) = extents.low_high();
    boxed(middle, axes, low.map(f64::from), high.map(f64::from))
}
