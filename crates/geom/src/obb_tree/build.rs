//! Builds the tree: order, leaves, nodes, and the boxes of the nodes, each step in parallel.

use super::order::{Item, arrange, share};
use super::weight::{Corners8, Weight};
use super::{LEAF, Leaf, NONE, ObbTree, fit};
use crate::mesh::Mesh;
use crate::{Point, Triangle};
use glam::DVec3;
use impinge_simd::leaf::{Extents, Points8, Triangles8};
use impinge_simd::obb::{Box1, Boxes8};
use rayon::prelude::*;
use std::ops::Range;

/// 2⁻²⁴, the rounding of f32.
const U: f64 = 1.0 / 16_777_216.0;

pub(super) fn build(mesh: &Mesh) -> ObbTree {
    let bounds = mesh.bounds();
    let origin: Point = std::array::from_fn(|k| 0.5 * bounds.min[k] + 0.5 * bounds.max[k]);
    let reach = (0..3).map(|k| bounds.max[k] - bounds.min[k]).fold(0.0, f64::max);
    let unit = power_of_two(reach);
    let frame = Frame { mesh, origin: origin.into(), scale: 1.0 / unit };
    let mut items: Vec<Item> = (0..mesh.triangles().len() as u32)
        .into_par_iter()
        .with_min_len(4096)
        .map(|id| frame.item(id))
        .collect();
    arrange(&mut items);
    let (mut leaves, mut made) = (Vec::new(), Vec::new());
    items
        .par_chunks(8)
        .with_min_len(256)
        .map(|chunk| Made::of(&frame, chunk))
        .unzip_into_vecs(&mut leaves, &mut made);
    let plan = Plan::of(leaves.len());
    let boxed = Boxed { leaves: &leaves, made: &made };
    let nodes: Vec<Boxes8> = plan
        .nodes
        .par_iter()
        .map_init(Vec::new, |buffer, children| boxed.node(children, buffer))
        .collect();
    let radius = frame.radius(&nodes[0].get(0), unit);
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
    /// One over the unit, exactly, since that is a power of two.
    scale: f64,
}

impl Frame<'_> {
    fn triangle(&self, id: u32) -> [DVec3; 3] {
        let corners: Triangle = self.mesh.triangle(id);
        corners.map(|corner| (DVec3::from(corner) - self.origin) * self.scale)
    }

    /// How far the mesh reaches from the middle of the box around it.
    fn radius(&self, root: &Box1, unit: f64) -> f64 {
        let center = direction(&root.center) * unit + self.origin;
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

/// A box from what its content reaches along its axes, seen from `middle`.
///
/// Granted are the rounding of those reaches (8u of what goes in), of axes that are not quite
/// orthonormal (a point is off by 3u of its distance per axis) and of the centre.
fn boxed(middle: DVec3, extents: &Extents) -> Box1 {
    let axes = extents.axes();
    let (low, high) = extents.low_high();
    let (low, high) = (low.map(f64::from), high.map(f64::from));
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

/// What the nodes above a leaf need of it.
struct Made {
    weight: Weight,
    around: Box1,
}

impl Made {
    fn of(frame: &Frame<'_>, items: &[Item]) -> (Leaf, Self) {
        let mut corners: Corners8 = [[[0.0; 8]; 3]; 3];
        for lane in 0..8 {
            // Vacant lanes repeat the first triangle, which moves no bound.
            let id = items.get(lane).unwrap_or(&items[0]).id;
            for (columns, corner) in corners.iter_mut().zip(frame.triangle(id)) {
                for k in 0..3 {
                    columns[k][lane] = corner[k];
                }
            }
        }
        let weight = Weight::of(&corners, items.len());
        let middle = weight.center();
        let seen = seen_from(middle, &corners);
        let axes = fit::turned(&seen, weight.axes());
        let mut extents = Extents::new(axes);
        extents.add(&seen, [0.0; 3]);
        let around = boxed(middle, &extents);
        let mut triangles = seen_from(direction(&around.center), &corners);
        for column in triangles.as_flattened_mut() {
            column[items.len()..].fill(f32::NAN);
        }
        let ids = std::array::from_fn(|lane| items.get(lane).map_or(NONE, |item| item.id));
        (Leaf { triangles, ids }, Self { weight, around })
    }
}

fn seen_from(middle: DVec3, corners: &Corners8) -> Triangles8 {
    let mut seen = [[[0.0; 8]; 3]; 3];
    for (seen, corner) in seen.iter_mut().zip(corners) {
        for k in 0..3 {
            for lane in 0..8 {
                seen[k][lane] = (corner[k][lane] - middle[k]) as f32;
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
    /// Nodes come before their children.
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
}

/// So many leaves stand for all in the search for a frame.
const SAMPLE: usize = 128;

/// Leaves and the boxes around them, in the same order.
struct Boxed<'a> {
    leaves: &'a [Leaf],
    made: &'a [Made],
}

impl Boxed<'_> {
    /// A node; the buffer is for corners and saves its being made anew each time.
    fn node(&self, children: &[Child; 8], buffer: &mut Vec<Points8>) -> Boxes8 {
        let mut boxes = Boxes8::VACANT;
        for (lane, child) in children.iter().enumerate() {
            let [from, to] = child.leaves;
            let one = match to - from {
                0 => continue,
                1 => self.made[from].around,
                _ => self.around(from..to, buffer),
            };
            boxes.set(lane, &one);
            boxes.child[lane] = child.child;
        }
        boxes
    }

    /// The box around several leaves.
    fn around(&self, range: Range<usize>, buffer: &mut Vec<Points8>) -> Box1 {
        let made = &self.made[range.clone()];
        let leaves = &self.leaves[range];
        let weight = Weight::sum(made.iter().map(|made| &made.weight));
        let middle = weight.center();
        let way = |made: &Made| direction(&made.around.center) - middle;
        buffer.clear();
        for (leaf, made) in leaves.iter().zip(made).step_by(leaves.len().div_ceil(SAMPLE)) {
            buffer.extend(fit::corners(&leaf.triangles, way(made)));
        }
        let axes = fit::tilted(buffer, weight.axes());
        let directions = axes.each_ref().map(direction);
        let mut extents = Extents::new(axes);
        for (leaf, made) in leaves.iter().zip(made) {
            let way = way(made);
            extents.add(&leaf.triangles, directions.map(|axis| axis.dot(way) as f32));
        }
        boxed(middle, &extents)
    }
}
