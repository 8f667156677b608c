//! The voxels that a surface touches: all of them, and hardly any other.
//!
//! Within a column of voxels what is left of a triangle is convex, so that it touches all voxels
//! between its lowest and its highest point and no other. Clipping rounds; every plane that clips is
//! therefore moved outward by more than all roundings together.

use super::grid::{COUNT_MAX, Grid};
use super::map::{Column, VoxelMap};
use super::rays::by_columns;
use crate::mesh::Mesh;
use crate::{Point, Triangle};
use rayon::prelude::*;

/// The voxels, closed cubes, that a triangle of the mesh touches. Because of rounding a few more may
/// be among them that are within 10⁻¹¹ of the size of the grid of one.
pub fn touched(mesh: &Mesh, grid: Grid) -> VoxelMap {
    let triangles: Vec<Triangle> = (0..mesh.triangles().len() as u32)
        .into_par_iter()
        .map(|i| mesh.triangle(i).map(|point| grid.to_voxels(&point)))
        .collect();
    let cells = Cells { counts: grid.counts(), margin: margin(mesh, &grid) };
    let sorted = by_columns(&grid, triangles.len(), |n| {
        let [x, y] = [0, 1].map(|axis| cells.between(axis, extent(&triangles[n], axis)));
        Some([x?, y?].map(|range| range.map(|i| i / 8)))
    });
    VoxelMap::build(grid, |at, column| {
        for &n in sorted.of(at[1] * grid.bricks()[0] + at[0]) {
            cells.touch(&triangles[n as usize], at, column);
        }
    })
}

/// More than a place is off in units of voxels: one rounding of a difference of coordinates, one of a
/// quotient, and a few for each of four clips.
fn margin(mesh: &Mesh, grid: &Grid) -> f64 {
    let bounds = mesh.bounds();
    let places = [bounds.min, bounds.max, grid.origin()];
    let reach = places.as_flattened().iter().fold(0.0f64, |most, x| most.max(x.abs()));
    32.0 * f64::EPSILON * (reach / grid.size() + f64::from(COUNT_MAX))
}

/// From the least to the largest coordinate of a polygon's corners; empty for no corners.
fn extent(corners: &[Point], axis: usize) -> [f64; 2] {
    corners.iter().fold(NOTHING, |range, p| with(range, p[axis]))
}

const NOTHING: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

fn with([min, max]: [f64; 2], x: f64) -> [f64; 2] {
    [x.min(min), x.max(max)]
}

/// The voxels of a grid, in its own units.
struct Cells {
    counts: [u32; 3],
    /// Whatever is so near to a voxel counts as touching it.
    margin: f64,
}

impl Cells {
    /// The voxels along an axis that touch a range, from the first to the last.
    fn between(&self, axis: usize, [min, max]: [f64; 2]) -> Option<[u32; 2]> {
        let (first, last) = ((min - self.margin).floor(), (max + self.margin).floor());
        let some = min <= max && last >= 0.0 && first < f64::from(self.counts[axis]);
        // A number that is too large for an integer becomes the largest one, a negative one zero.
        some.then(|| [first as u32, (last as u32).min(self.counts[axis] - 1)])
    }

    /// What counts as touching a voxel along an axis.
    fn slab(&self, i: u32) -> [f64; 2] {
        [f64::from(i) - self.margin, f64::from(i) + 1.0 + self.margin]
    }

    /// Fills what a triangle touches of a column of bricks.
    fn touch(&self, triangle: &Triangle, at: [u32; 2], column: &mut Column) {
        let Some([y0, y1]) = self.between(1, extent(triangle, 1)) else { return };
        for y in y0.max(8 * at[1])..=y1.min(8 * at[1] + 7) {
            let row = Polygon::of(triangle).clip(1, self.slab(y));
            let corners = &row.corners[..row.count];
            let Some([x0, x1]) = self.between(0, extent(corners, 0)) else { continue };
            for x in x0.max(8 * at[0])..=x1.min(8 * at[0] + 7) {
                let heights = heights(corners, self.slab(x));
                let Some([z0, z1]) = self.between(2, heights) else { continue };
                let bit = 1u64 << (8 * (y % 8) + x % 8);
                let layers = &mut column.layers_mut()[z0 as usize..=z1 as usize];
                layers.iter_mut().for_each(|layer| *layer |= bit);
            }
        }
    }
}

/// The extent along z of what is left of a convex polygon within a slab across x.
fn heights(corners: &[Point], [low, high]: [f64; 2]) -> [f64; 2] {
    let mut range = NOTHING;
    for (i, p) in corners.iter().enumerate() {
        let q = &corners[if i + 1 < corners.len() { i + 1 } else { 0 }];
        if low <= p[0] && p[0] <= high {
            range = with(range, p[2]);
        }
        for plane in [low, high] {
            if (p[0] < plane) != (q[0] < plane) {
                range = with(range, p[2] + (plane - p[0]) / (q[0] - p[0]) * (q[2] - p[2]));
            }
        }
    }
    range
}

/// A triangle, or what two planes left of it.
struct Polygon {
    corners: [Point; CORNERS_MAX],
    count: usize,
}

/// Each of two planes cuts off at least one corner and adds at most two.
const CORNERS_MAX: usize = 5;

impl Polygon {
    fn of(triangle: &Triangle) -> Self {
        let mut corners = [[0.0; 3]; CORNERS_MAX];
        corners[..3].copy_from_slice(triangle);
        Self { corners, count: 3 }
    }

    /// What is left of it within a slab across an axis.
    fn clip(self, axis: usize, [low, high]: [f64; 2]) -> Self {
        let [min, max] = extent(&self.corners[..self.count], axis);
        let above = if min < low { self.kept(axis, |p| p[axis] >= low, low) } else { self };
        if max > high { above.kept(axis, |p| p[axis] <= high, high) } else { above }
    }

    fn kept(&self, axis: usize, is_kept: impl Fn(&Point) -> bool, plane: f64) -> Self {
        let mut kept = Self { corners: [[0.0; 3]; CORNERS_MAX], count: 0 };
        for i in 0..self.count {
            let (p, q) = (&self.corners[i], &self.corners[(i + 1) % self.count]);
            if is_kept(p) {
                kept.push(*p);
            }
            if is_kept(p) != is_kept(q) {
                let share = (plane - p[axis]) / (q[axis] - p[axis]);
                let mut crossing: Point = std::array::from_fn(|k| p[k] + share * (q[k] - p[k]));
                crossing[axis] = plane;
                kept.push(crossing);
            }
        }
        kept
    }

    fn push(&mut self, corner: Point) {
        self.corners[self.count] = corner;
        self.count += 1;
    }
}
