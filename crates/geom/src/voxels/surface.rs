//! The voxels that a surface touches: all of them, and hardly any other.
//!
//! Within a column of voxels what is left of a triangle is convex, so that it touches all voxels
//! between its lowest and its highest point and no other. Clipping rounds; every plane that clips is
//! therefore moved outward by more than all roundings together.

use super::grid::Grid;
use super::map::{Column, VoxelMap};
use super::rays::by_columns;
use crate::mesh::Mesh;
use crate::{Point, Triangle};

/// The voxels, closed cubes, that a triangle of the mesh touches. Because of rounding a few more may
/// be among them that are within 10⁻¹² of the size of the grid of one.
pub fn touched(mesh: &Mesh, grid: Grid) -> VoxelMap {
    let triangles: Vec<Triangle> = (0..mesh.triangles().len() as u32)
        .map(|i| mesh.triangle(i).map(|point| grid.to_voxels(&point)))
        .collect();
    let margin = margin(mesh, &grid);
    let counts = grid.counts();
    let sorted = by_columns(&grid, triangles.len(), |n| {
        let [x, y] = [0, 1].map(|axis| cells(&triangles[n], axis, margin, counts[axis]));
        Some([x?, y?].map(|range| range.map(|i| i / 8)))
    });
    VoxelMap::build(grid, |at, column| {
        for &n in sorted.of(at[1] * grid.bricks()[0] + at[0]) {
            touch(&triangles[n as usize], [at, [counts[2], 0]], margin, column);
        }
    })
}

/// More than a place is off in units of voxels: one rounding of a difference of coordinates, one of a
/// quotient, and a few for each of four clips.
fn margin(mesh: &Mesh, grid: &Grid) -> f64 {
    let bounds = mesh.bounds();
    let reach =
        bounds.min.iter().chain(&bounds.max).chain(&grid.origin()).fold(0.0, |m, x| x.abs().max(m));
    32.0 * f64::EPSILON * (reach / grid.size() + 2048.0)
}

/// The voxels along an axis that a polygon may touch, from the first to the last.
fn cells(corners: &[Point], axis: usize, margin: f64, count: u32) -> Option<[u32; 2]> {
    let (min, max) = corners.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), p| {
        (p[axis].min(min), p[axis].max(max))
    });
    let (first, last) = ((min - margin).floor(), (max + margin).floor());
    let some = last >= 0.0 && first < f64::from(count);
    // A number that is too large for an integer becomes the largest one, a negative one zero.
    some.then(|| [first as u32, (last as u32).min(count - 1)])
}

fn touch(triangle: &Triangle, [at, [high, _]]: [[u32; 2]; 2], margin: f64, column: &mut Column) {
    for y in 0..8 {
        let row = clip(triangle, 1, f64::from(8 * at[1] + y), margin);
        let Some([x0, x1]) = cells(&row, 0, margin, 8 * at[0] + 8) else {
            continue;
        };
        for x in x0.max(8 * at[0])..=x1 {
            let cell = clip(&row, 0, f64::from(x), margin);
            let Some([z0, z1]) = cells(&cell, 2, margin, high) else {
                continue;
            };
            (z0..=z1).for_each(|z| column.fill([x % 8, y], z));
        }
    }
}

/// What is left of a convex polygon between `low` and one more along an axis, or within the margin of
/// that.
fn clip(polygon: &[Point], axis: usize, low: f64, margin: f64) -> Vec<Point> {
    let mut kept = polygon.to_vec();
    for (plane, side) in [(low - margin, 1.0), (low + 1.0 + margin, -1.0)] {
        let before = std::mem::take(&mut kept);
        for (i, p) in before.iter().enumerate() {
            let q = &before[(i + 1) % before.len()];
            let is_kept = |p: &Point| side * (p[axis] - plane) >= 0.0;
            if is_kept(p) {
                kept.push(*p);
            }
            if is_kept(p) != is_kept(q) {
                let share = (plane - p[axis]) / (q[axis] - p[axis]);
                kept.push(std::array::from_fn(|k| p[k] + share * (q[k] - p[k])));
            }
        }
    }
    kept
}
