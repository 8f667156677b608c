//! The inside of meshes that are not closed: where the generalised winding number exceeds one half,
//! in either sense.
//!
//! Parts of the mesh that are far away are taken together, as a dipole and its first moment about
//! their middle (after Barill et al. 2018), with a proven bound of what that neglects. Cells of voxels
//! are decided as a whole where the winding number at their middle is farther from one half than it can
//! change within the cell: its gradient is at most the sum of area / (2π distance³). What cannot be
//! decided is divided, and in the end a single middle is evaluated without approximation.
//!
//! Cells hand down what is far from them: a polynomial of second degree about their middle, in which
//! the far parts of the mesh have been summed up, and the list of parts that are too near for that, as in the
//! fast multipole method (Greengard and Rokhlin 1987). A voxel beside the surface then looks at a
//! handful of triangles, not at the whole mesh.
//!
//! All bounds come from one: the m-th derivative of the field of a unit dipole is at most
//! (m + 1)! / (4π r^(m + 2)). For 1/r it is m! P(cos) / r^(m + 1) along any direction, with a Legendre
//! polynomial P, which is at most 1, and no mixed derivative of a symmetric form is larger.

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
        let mut views = [(); VIEWS].map(|()| View::of_all());
        for z in 0..high {
            field.fill_brick(&surface, [x, y, z], (&mut views, column));
        }
    })
}

/// A node may neglect at most this for a cell.
const NEGLECTED_MAX: f64 = 3e-3;

/// The same for a single middle, in one try after another, of what is near. The first is enough nearly
/// everywhere.
const TRIES: [f64; 3] = [1e-2, 1e-3, 0.0];

/// The same where that is not enough, for the whole mesh.
const TRIES_OF_ALL: [f64; 2] = [1e-4, 1e-5];

/// A node may add at most this to what the polynomial of a cell neglects.
const GATHERED_MAX: f64 = 3e-5;

/// Triangles of a leaf.
const LEAF_MAX: usize = 4;

/// One for the whole mesh, and one for cells of 8³, 4³ and 2³ voxels.
const VIEWS: usize = 4;

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

/// What the voxels of a cell need to know of the mesh.
struct View {
    far: Local,
    /// Nodes that are not in it.
    near: Vec<u32>,
}

/// A part of the winding number about the middle of a cell.
#[derive(Clone, Copy)]
struct Local {
    middle: DVec3,
    winding: f64,
    gradient: DVec3,
    curvature: DMat3,
    /// How far it may be off at any middle of a voxel of the cell.
    neglected: f64,
}

/// What is known about the winding number in a ball.
#[derive(Clone, Copy)]
struct Estimate {
    /// At its middle.
    winding: f64,
    /// How far that may be off.
    neglected: f64,
    /// How much it may differ within the ball.
    change: f64,
}

impl Estimate {
    const NOTHING: Self = Self { winding: 0.0, neglected: 0.0, change: 0.0 };

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

    /// Takes what is far enough from a ball into the polynomial about its middle, of what the cell
    /// around knew.
    fn gather(&self, around: &View, (middle, radius): (DVec3, f64), view: &mut View) {
        view.far = around.far.about(middle);
        view.near.clear();
        let mut stack = Vec::with_capacity(32);
        for &start in &around.near {
            stack.push(start);
            while let Some(number) = stack.pop() {
                let node = &self.nodes[number as usize];
                let neglected = node.neglected_within(middle, radius);
                if neglected <= GATHERED_MAX {
                    view.far.add(node);
                    view.far.neglected += neglected;
                } else if node.other == 0 || node.reach < 0.5 * radius {
                    view.near.push(number);
                } else {
                    stack.extend([node.other, number + 1]);
                }
            }
        }
    }

    /// Looks at a ball from its middle, at some nodes beside what is known already. What is nearer
    /// than its radius may change it by any amount.
    fn estimate(
        &self,
        (near, known): (&[u32], Estimate),
        (middle, radius): (DVec3, f64),
        neglected_max: f64,
    ) -> Estimate {
        let mut found = known;
        let mut stack = Vec::with_capacity(32);
        for &start in near {
            stack.push(start);
            while let Some(number) = stack.pop() {
                let node = &self.nodes[number as usize];
                let way = node.middle - middle;
                let distance = way.length();
                let free = distance - node.reach;
                // Half the second derivative.
                let neglected = 0.75 / PI * node.spread / free.powi(4);
                if free > radius && neglected <= neglected_max {
                    found.winding += node.seen_along(way, distance);
                    found.neglected += neglected;
                    found.change += radius * node.area / (2.0 * PI * (free - radius).powi(3));
                } else if node.other == 0 {
                    self.add_leaf(node, (middle, radius), &mut found);
                } else {
                    stack.extend([node.other, number + 1]);
                }
            }
        }
        found
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
    fn fill_brick(
        &self,
        surface: &VoxelMap,
        brick: [u32; 3],
        (views, column): (&mut [View; VIEWS], &mut Column),
    ) {
        let counts = surface.grid().counts();
        let mut stack = vec![(brick.map(|i| 8 * i), 0)];
        while let Some((low, depth)) = stack.pop() {
            let side = 8 >> depth;
            // Nothing on the rim of the grid or beyond is filled.
            if (0..3).any(|k| low[k] + 1 >= counts[k] || low[k] + side <= 1) {
                continue;
            }
            match self.decide(surface, (low, depth), views) {
                Some(true) => fill_cell(low, side, column),
                Some(false) => {}
                None => {
                    let half = side / 2;
                    let corner = |i: u32| std::array::from_fn(|k| low[k] + half * (i >> k & 1));
                    stack.extend((0..8).map(|i| (corner(i), depth + 1)));
                }
            }
        }
    }

    /// Whether all middles of a cell are inside or none; a single one is always decided. The view of the
    /// cell around must be there, at its depth, and that of this cell comes after it; cells within a
    /// cell are all looked at before the next one.
    fn decide(
        &self,
        surface: &VoxelMap,
        (low, depth): ([u32; 3], usize),
        views: &mut [View; VIEWS],
    ) -> Option<bool> {
        let side = 8 >> depth;
        let middle = DVec3::from(low.map(|i| f64::from(i) + 0.5 * f64::from(side)));
        if side == 1 {
            return Some(self.decide_middle(middle, &views[depth]));
        }
        // From the middle of the cell to the middle of a voxel in its corner.
        let radius = 0.5 * f64::from(side - 1) * 3f64.sqrt();
        let (around, within) = views.split_at_mut(depth + 1);
        let view = &mut within[0];
        self.gather(&around[depth], (middle, radius), view);
        if touches(surface, low, side) {
            return None;
        }
        let far = view.far.estimate(radius);
        self.estimate((&view.near, far), (middle, radius), NEGLECTED_MAX).decided()
    }

    /// Whether a middle is inside.
    fn decide_middle(&self, middle: DVec3, view: &View) -> bool {
        let ball = (middle, 0.0);
        let far = view.far.about(middle).estimate(0.0);
        let with_far = |max| self.estimate((&view.near, far), ball, max);
        let of_all = |max| self.estimate((&[0], Estimate::NOTHING), ball, max);
        let tried = TRIES.iter().find_map(|&max| with_far(max).decided());
        tried
            .or_else(|| TRIES_OF_ALL.iter().find_map(|&max| of_all(max).decided()))
            .unwrap_or_else(|| of_all(0.0).winding.abs() > 0.5)
    }
}

impl View {
    /// Nothing is far, and all of the mesh is near.
    fn of_all() -> Self {
        Self { far: Local::NOTHING, near: vec![0] }
    }
}

impl Local {
    const NOTHING: Self = Self {
        middle: DVec3::ZERO,
        winding: 0.0,
        gradient: DVec3::ZERO,
        curvature: DMat3::ZERO,
        neglected: 0.0,
    };

    /// The same polynomial about another place.
    fn about(&self, middle: DVec3) -> Self {
        let way = middle - self.middle;
        let bent = self.curvature * way;
        let winding = self.winding + way.dot(self.gradient + 0.5 * bent);
        Self { middle, winding, gradient: self.gradient + bent, ..*self }
    }

    /// Adds the field of a node and its first two derivatives, those without its moment.
    fn add(&mut self, node: &Node) {
        let way = node.middle - self.middle;
        let distance = way.length();
        self.winding += node.seen_along(way, distance);
        let ahead = way / distance;
        let (dipole, along) = (node.dipole, node.dipole.dot(ahead));
        let cube = (4.0 * PI * distance.powi(3)).recip();
        // Along `way`, which shortens where the middle moves ahead.
        self.gradient -= (dipole - 3.0 * along * ahead) * cube;
        let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
        let tilted = outer(dipole, ahead) + outer(ahead, dipole);
        let bent = DMat3::from_diagonal(DVec3::splat(along)) + tilted;
        self.curvature += (5.0 * along * outer(ahead, ahead) - bent) * (3.0 * cube / distance);
    }

    fn estimate(&self, radius: f64) -> Estimate {
        // No matrix stretches by more than the root of the sum of its squares.
        let [x, y, z] = [self.curvature.x_axis, self.curvature.y_axis, self.curvature.z_axis];
        let bend = (x.length_squared() + y.length_squared() + z.length_squared()).sqrt();
        let change = radius * (self.gradient.length() + 0.5 * bend * radius);
        Estimate { winding: self.winding, neglected: self.neglected, change }
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

    /// At most what a polynomial of second degree neglects in a ball: of the value, of its two derivatives,
    /// for which all of the area is at the middle, and the third derivative.
    fn neglected_within(&self, middle: DVec3, radius: f64) -> f64 {
        let free = (self.middle - middle).length() - self.reach;
        if free <= radius {
            return f64::INFINITY;
        }
        // The integral of the distance from the middle is no more than that.
        let lever = (self.area * self.spread).sqrt();
        let value = 0.75 * self.spread / free.powi(4);
        let slope = 1.5 * lever * radius / free.powi(4);
        let bend = 3.0 * lever * radius * radius / free.powi(5);
        let beyond = self.area * radius.powi(3) / (free - radius).powi(5);
        (value + slope + bend + beyond) / PI
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

    /// An open sheet whose winding number is near one half wherever it is nearly flat.
    #[test]
    fn a_wavy_sheet_is_decided_as_by_the_sum() {
        let height = |x: f64, y: f64| 0.8 * (0.5 * x).sin() * (0.3 * y).cos() - 0.03 * y * y;
        let at = |i: u32, j: u32| {
            let [x, y] = [i, j].map(|i| 0.5 * f64::from(i) - 5.0);
            [x, y, height(x, y)]
        };
        let cells = (0..20).flat_map(|i| (0..20).map(move |j| [i, j]));
        let soup: Vec<Triangle> = cells
            .flat_map(|[i, j]| {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                [[a, b, c], [a, c, d]]
            })
            .collect();
        let mesh = mesh_of(&soup);
        let grid = Grid::of_resolution(&mesh.bounds(), 24).unwrap();
        let map = inside(&mesh, grid);
        assert!(map.filled() > 100, "{}", map.filled());
        let counts = grid.counts();
        for z in 1..counts[2] - 1 {
            for [x, y] in (1..counts[1] - 1).flat_map(|y| (1..counts[0] - 1).map(move |x| [x, y])) {
                let winding = winding_number(&grid.centre([x, y, z]), soup.iter().copied()).abs();
                let near = (winding - 0.5).abs() < 1e-9;
                assert!(near || map.is_filled([x, y, z]) == (winding > 0.5), "{x} {y} {z}");
            }
        }
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
            let ball = (DVec3::from(place), radius);
            let found = field.estimate((&[0], Estimate::NOTHING), ball, max);
            let exact = winding_number(&place, soup.iter().copied());
            prop_assert!((found.winding - exact).abs() <= found.neglected + 1e-9);
            let beside = DVec3::from(place) + radius * DVec3::from(way).normalize_or_zero();
            let there = winding_number(&beside.to_array(), soup.iter().copied());
            prop_assert!((there - exact).abs() <= found.change + 1e-9);
        }

        /// Gathered twice, as cells do, for a ball within a ball.
        #[test]
        fn what_is_gathered_is_within_its_bound(
            soup in prop::collection::vec(triangles(), 1..40),
            place in prop::array::uniform3(-40.0..40.0f64),
            radius in 0.1..4.0f64,
            ways in prop::array::uniform2(prop::array::uniform3(-1.0..1.0f64)),
            shrink in 0.02..1.0f64,
        ) {
            let soup: Vec<Triangle> = soup.iter().map(|t| {
                let [a, b, c] = t.map(DVec3::from);
                [a, a + shrink * (b - a), a + shrink * (c - a)].map(|p| p.to_array())
            }).collect();
            let grid = Grid::new([0.0; 3], 1.0, [3; 3]).unwrap();
            let field = Field::new(&mesh_of(&soup), &grid);
            let [root, mut outer, mut inner] = [(); 3].map(|()| View::of_all());
            let [first, second] = ways.map(|way| DVec3::from(way).normalize_or_zero());
            let middle = DVec3::from(place);
            field.gather(&root, (middle, radius), &mut outer);
            let within = middle + 0.5 * radius * first;
            field.gather(&outer, (within, 0.5 * radius), &mut inner);
            let farther = within + 0.5 * radius * second;
            for (view, at) in [(&outer, middle + radius * first), (&inner, farther)] {
                let far = view.far.about(at).estimate(0.0);
                let found = field.estimate((&view.near, far), (at, 0.0), 0.0);
                let exact = winding_number(&at.to_array(), soup.iter().copied());
                let error = (found.winding - exact).abs();
                prop_assert!(error <= found.neglected + 1e-9, "{error} {}", found.neglected);
            }
        }
    }
}
