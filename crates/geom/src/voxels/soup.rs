//! The inside of meshes that are not closed: where the generalised winding number exceeds one half,
//! in either sense.
//!
//! Parts of the mesh that are far away are taken together, as a dipole and its first moment about
//! their middle (after Barill et al. 2018), with a proven bound of what that neglects. Cells of voxels
//! are decided as a whole where the winding number at their middle is farther from one half than it can
//! change within the cell: its gradient is at most the sum of area / (2π distance³). What cannot be
//! decided is divided, and in the end a single middle is evaluated without approximation.

use super::grid::Grid;
use super::map::{Column, VoxelMap};
use super::surface::touched;
use crate::Triangle;
use crate::mesh::Mesh;
use crate::winding::winding_number;
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

/// The voxels at whose middles the winding number of the mesh exceeds one half, in either sense.
pub fn inside(mesh: &Mesh, grid: Grid) -> VoxelMap {
    let field = Field::new(mesh, &grid);
    let surface = touched(mesh, grid);
    let high = grid.bricks()[2];
    VoxelMap::build(grid, |[x, y], column| {
        for z in 0..high {
            field.fill_brick(&surface, [x, y, z], column);
        }
    })
}

/// A node may neglect at most this for a cell.
const NEGLECTED_MAX: f64 = 3e-3;

/// The same for a single middle, in one try after another. The first is enough nearly everywhere.
const TRIES: [f64; 3] = [1e-2, 1e-3, 1e-5];

/// Triangles of a leaf.
const LEAF_MAX: usize = 8;

/// The winding number of a mesh, in units of voxels.
struct Field {
    triangles: Vec<Triangle>,
    /// The children of a node come after it.
    nodes: Vec<Node>,
}

/// Some triangles, seen from far away.
#[derive(Clone, Copy)]
struct Node {
    /// The middle of their area.
    middle: DVec3,
    /// All of them are within that distance of it.
    reach: f64,
    area: f64,
    /// The sum of area times normal.
    dipole: DVec3,
    /// The sum of area times normal times the way from `middle` to the triangle's.
    moment: DMat3,
    /// The integral of the squared distance from `middle`.
    spread: f64,
    first: u32,
    end: u32,
    /// The second child; the first is the next node. Zero for a leaf.
    other: u32,
}

/// What is known about the winding number in a ball.
struct Estimate {
    /// At its middle.
    winding: f64,
    /// How far that may be off.
    neglected: f64,
    /// How much it may differ within the ball.
    change: f64,
}

impl Estimate {
    /// Whether all of the ball is inside or none of it, if that is certain.
    fn decided(&self) -> Option<bool> {
        let beyond = self.winding.abs() - 0.5;
        // The last term covers rounding.
        (beyond.abs() > self.neglected + self.change + 1e-9).then_some(beyond > 0.0)
    }
}

impl Field {
    fn new(mesh: &Mesh, grid: &Grid) -> Self {
        let all = (0..mesh.triangles().len() as u32).map(|i| mesh.triangle(i));
        let mut triangles: Vec<Triangle> =
            all.map(|t| t.map(|point| grid.to_voxels(&point))).collect();
        let mut nodes: Vec<Node> = Vec::new();
        // A range of triangles, and the node whose second child it becomes.
        let mut stack = vec![(0, triangles.len(), None)];
        while let Some((first, end, parent)) = stack.pop() {
            let number = nodes.len();
            if let Some(parent) = parent {
                let parent: &mut Node = &mut nodes[parent as usize];
                parent.other = number as u32;
            }
            let of_node = &mut triangles[first..end];
            nodes.push(Node::of(of_node, first as u32));
            if end - first > LEAF_MAX {
                let middle = split(of_node);
                stack.push((first + middle, end, Some(number as u32)));
                stack.push((first, first + middle, None));
            }
        }
        Self { triangles, nodes }
    }

    /// Looks at a ball from its middle. What is nearer than its radius may change it by any amount.
    fn estimate(&self, middle: DVec3, radius: f64, neglected_max: f64) -> Estimate {
        let mut found = Estimate { winding: 0.0, neglected: 0.0, change: 0.0 };
        let mut number = 0;
        let mut stack = Vec::with_capacity(32);
        loop {
            let node = &self.nodes[number as usize];
            let way = node.middle - middle;
            let distance = way.length();
            let free = distance - node.reach;
            // The second derivatives of the field of a unit dipole are at most 6 / (4π r⁴).
            let neglected = 0.75 / PI * node.spread / free.powi(4);
            let is_far = free > radius && neglected <= neglected_max;
            if is_far {
                found.winding += node.seen_along(way, distance);
                found.neglected += neglected;
                found.change += radius * node.area / (2.0 * PI * (free - radius).powi(3));
            } else if node.other == 0 {
                self.add_leaf(node, (middle, radius), &mut found);
            } else {
                stack.push(node.other);
                number += 1;
                continue;
            }
            match stack.pop() {
                Some(next) => number = next,
                None => return found,
            }
        }
    }

    fn add_leaf(&self, node: &Node, (middle, radius): (DVec3, f64), found: &mut Estimate) {
        let triangles = &self.triangles[node.first as usize..node.end as usize];
        found.winding += winding_number(&middle.to_array(), triangles.iter().copied());
        if radius > 0.0 {
            for triangle in triangles {
                let [a, b, c] = triangle.map(|p| DVec3::from(p) - middle);
                let (low, high) = (a.min(b).min(c), a.max(b).max(c));
                let normal = (b - a).cross(c - a);
                let to_box = low.max(-high).max(DVec3::ZERO).length();
                let to_plane = normal.normalize_or_zero().dot(a).abs();
                let free = to_box.max(to_plane) * (1.0 - 1e-9) - radius;
                let area = 0.5 * normal.length();
                // All of a plane but what is nearer than that changes it by 1 / distance at most.
                let steepest = (area / (2.0 * PI * free.powi(3))).min(free.recip());
                found.change += if free > 0.0 { radius * steepest } else { f64::INFINITY };
            }
        }
    }

    /// Fills the voxels of a brick that are inside.
    fn fill_brick(&self, surface: &VoxelMap, brick: [u32; 3], column: &mut Column) {
        let counts = surface.grid().counts();
        let mut stack = vec![(brick.map(|i| 8 * i), 8)];
        while let Some((low, side)) = stack.pop() {
            // Nothing on the rim of the grid or beyond is filled.
            if (0..3).any(|k| low[k] + 1 >= counts[k] || low[k] + side <= 1) {
                continue;
            }
            match self.decide(surface, low, side) {
                Some(true) => fill_cell(low, side, column),
                Some(false) => {}
                None => {
                    let half = side / 2;
                    let corner = |i: u32| std::array::from_fn(|k| low[k] + half * (i >> k & 1));
                    stack.extend((0..8).map(|i| (corner(i), half)));
                }
            }
        }
    }

    /// Whether all middles of a cell are inside or none; a single one is always decided.
    fn decide(&self, surface: &VoxelMap, low: [u32; 3], side: u32) -> Option<bool> {
        let middle = DVec3::from(low.map(|i| f64::from(i) + 0.5 * f64::from(side)));
        if side == 1 {
            let found = TRIES.iter().find_map(|&max| self.estimate(middle, 0.0, max).decided());
            return found.or_else(|| Some(self.estimate(middle, 0.0, 0.0).winding.abs() > 0.5));
        }
        if touches(surface, low, side) {
            return None;
        }
        // From the middle of the cell to the middle of a voxel in its corner.
        let radius = 0.5 * f64::from(side - 1) * 3f64.sqrt();
        self.estimate(middle, radius, NEGLECTED_MAX).decided()
    }
}

impl Node {
    fn of(triangles: &[Triangle], first: u32) -> Self {
        let corners = || triangles.iter().map(|t| t.map(DVec3::from));
        let normal = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a);
        let centre = |[a, b, c]: [DVec3; 3]| (a + b + c) / 3.0;
        let area: f64 = corners().map(|t| normal(t).length()).sum();
        let weighted: DVec3 = corners().map(|t| normal(t).length() * centre(t)).sum();
        let middle =
            if area > 0.0 { weighted / area } else { centre(triangles[0].map(DVec3::from)) };
        let mut node = Self {
            middle,
            reach: 0.0,
            area,
            dipole: corners().map(normal).sum(),
            moment: DMat3::ZERO,
            spread: 0.0,
            first,
            end: first + triangles.len() as u32,
            other: 0,
        };
        for t in corners() {
            let [u, v, w] = t.map(|p| p - middle);
            let squares = u.length_squared() + v.length_squared() + w.length_squared();
            node.spread += normal(t).length() / 12.0 * (squares + (u + v + w).length_squared());
            node.reach = [u, v, w].iter().fold(node.reach, |most, p| most.max(p.length()));
            let (normal, way) = (normal(t), centre(t) - middle);
            node.moment += DMat3::from_cols(normal * way.x, normal * way.y, normal * way.z);
        }
        node
    }

    /// What the triangles add to the winding number at a place from which their middle is along `way`.
    fn seen_along(&self, way: DVec3, distance: f64) -> f64 {
        let cube = distance.powi(3);
        let moment = &self.moment;
        let trace = moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
        let first = trace - 3.0 * way.dot(*moment * way) / (distance * distance);
        (self.dipole.dot(way) + first) / (4.0 * PI * cube)
    }
}

/// Orders triangles so that those of a lower half come first; where the upper half begins.
fn split(triangles: &mut [Triangle]) -> usize {
    let sum = |t: &Triangle, k: usize| t[0][k] + t[1][k] + t[2][k];
    let size = [0, 1, 2].map(|k| {
        let (low, high) = triangles.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), t| {
            (sum(t, k).min(l), sum(t, k).max(h))
        });
        high - low
    });
    let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
    let middle = triangles.len() / 2;
    triangles.select_nth_unstable_by(middle, |a, b| sum(a, axis).total_cmp(&sum(b, axis)));
    middle
}

/// Whether the surface touches a voxel of a cell.
fn touches(surface: &VoxelMap, low: [u32; 3], side: u32) -> bool {
    let mask = cell_mask(low, side);
    let brick = surface.brick(low.map(|i| i / 8));
    let first = (low[2] % 8) as usize;
    brick[first..first + side as usize].iter().any(|layer| layer & mask != 0)
}

fn fill_cell(low: [u32; 3], side: u32, column: &mut Column) {
    let mask = cell_mask(low, side);
    let layers = &mut column.layers_mut()[low[2] as usize..(low[2] + side) as usize];
    layers.iter_mut().for_each(|layer| *layer |= mask);
}

/// The bits of a layer that belong to a cell.
fn cell_mask(low: [u32; 3], side: u32) -> u64 {
    let row = (1u64 << side) - 1;
    let rows = (0..side).fold(0, |mask, y| mask | row << (8 * y));
    rows << (8 * (low[1] % 8) + low[0] % 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn triangles() -> impl Strategy<Value = Triangle> {
        prop::array::uniform3(prop::array::uniform3(-4.0..4.0f64))
    }

    fn mesh_of(soup: &[Triangle]) -> Mesh {
        let indices = (0..soup.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        Mesh::new(soup.as_flattened().to_vec(), indices).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]

        /// Large and small triangles, of which many look the same way, so that something is inside.
        #[test]
        fn every_middle_has_the_winding_number_of_the_sum(
            mut soup in prop::collection::vec(triangles(), 1..60),
            shrink in 0.1..1.0f64,
        ) {
            for t in &mut soup {
                let [a, b, c] = t.map(DVec3::from);
                if (b - a).cross(c - a).dot(a + b + c) < 0.0 {
                    t.swap(1, 2);
                }
                let centre = (a + b + c) / 3.0;
                *t = t.map(|p| (centre + shrink * (DVec3::from(p) - centre)).to_array());
            }
            let mesh = mesh_of(&soup);
            let grid = Grid::of_resolution(&mesh.bounds(), 21).unwrap();
            let map = inside(&mesh, grid);
            let [across, deep, high] = grid.counts();
            for i in 0..across * deep * high {
                let voxel = [i % across, i / across % deep, i / across / deep];
                let winding = winding_number(&grid.centre(voxel), soup.iter().copied());
                let rim = (0..3).any(|k| voxel[k] == 0 || voxel[k] + 1 == grid.counts()[k]);
                let near = (winding.abs() - 0.5).abs() < 1e-9;
                prop_assert!(near || map.is_filled(voxel) == (winding.abs() > 0.5 && !rim));
            }
        }

        #[test]
        fn what_is_neglected_is_within_its_bound(
            soup in prop::collection::vec(triangles(), 1..40),
            place in prop::array::uniform3(-12.0..12.0f64),
            radius in 0.0..2.0f64,
            way in prop::array::uniform3(-1.0..1.0f64),
            max in prop_oneof![Just(0.1), Just(2e-3), Just(0.0)],
        ) {
            let grid = Grid::new([0.0; 3], 1.0, [3; 3]).unwrap();
            let field = Field::new(&mesh_of(&soup), &grid);
            let found = field.estimate(DVec3::from(place), radius, max);
            let exact = winding_number(&place, soup.iter().copied());
            prop_assert!((found.winding - exact).abs() <= found.neglected + 1e-9);
            let beside = DVec3::from(place) + radius * DVec3::from(way).normalize_or_zero();
            let there = winding_number(&beside.to_array(), soup.iter().copied());
            prop_assert!((there - exact).abs() <= found.change + 1e-9);
        }
    }
}
