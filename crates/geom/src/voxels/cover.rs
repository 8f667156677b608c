//! How far the surface of a body may be from the points of its shell, and the points that are missing.
//!
//! The farthest that a piece of a triangle is from a point is how far its farthest corner is, so that one
//! point of the shell near all three corners speaks for the whole piece. Triangles are halved until that
//! holds within the length asked for. Where it does not hold for the smallest pieces, on thin parts and
//! on sheets whose inside has no voxel, the piece itself gives a point.

use super::map::VoxelMap;
use super::shell::STEPS;
use crate::mesh::Mesh;
use crate::{Point, Triangle};
use rayon::prelude::*;
use std::collections::HashMap;

/// Pieces are no smaller than this, in voxels.
const SMALLEST: f64 = 0.3;
/// How many triangles one task takes.
const CHUNK: usize = 256;

/// The surface voxels of the map that points come from, and the points that were added, all in steps.
struct Points<'a> {
    border: &'a VoxelMap,
    /// By voxel; looked up, never iterated.
    added: HashMap<[u32; 3], Vec<[i32; 3]>>,
}

/// The points that a shell needs beside the middles of the voxels of `border`, so that every point of
/// the surface is within `reach` (in voxels of that map) of one: in steps, in the order of the triangles.
/// And how far, in voxels, it is at most then.
pub(super) fn complete(mesh: &Mesh, border: &VoxelMap, reach: f64) -> (Vec<[i32; 3]>, f64) {
    let mut points = Points { border, added: HashMap::new() };
    let count = mesh.triangles().len();
    let parts: Vec<(f64, Vec<Triangle>)> = (0..count.div_ceil(CHUNK))
        .into_par_iter()
        .map(|part| {
            let mut bare = Vec::new();
            let mut farthest = 0.0f64;
            for i in CHUNK * part..(CHUNK * (part + 1)).min(count) {
                let triangle = mesh.triangle(i as u32).map(|point| border.grid().to_voxels(&point));
                farthest = farthest.max(points.over(triangle, reach, &mut bare));
            }
            (farthest, bare)
        })
        .collect();
    let mut farthest = parts.iter().map(|(farthest, _)| *farthest).fold(0.0, f64::max);
    let mut added = Vec::new();
    for piece in parts.iter().flat_map(|(_, bare)| bare) {
        let square = points.nearest(piece).unwrap_or(f64::INFINITY);
        let square = if square <= reach * reach { square } else { points.add(piece, &mut added) };
        farthest = farthest.max(square.sqrt());
    }
    (added, farthest)
}

impl Points<'_> {
    /// How far a triangle is from the points at most, but for pieces that have none within reach.
    fn over(&self, triangle: Triangle, reach: f64, bare: &mut Vec<Triangle>) -> f64 {
        let mut stack = vec![triangle];
        let mut farthest = 0.0f64;
        while let Some(piece) = stack.pop() {
            let (edge, square) = longest(&piece);
            // Far corners cannot all be near one point; that needs no search.
            let best = if square > 4.0 * reach * reach { None } else { self.nearest(&piece) };
            match best {
                Some(best) if best <= reach * reach => farthest = farthest.max(best.sqrt()),
                _ if square <= SMALLEST * SMALLEST => bare.push(piece),
                _ => stack.extend(halves(&piece, edge)),
            }
        }
        farthest
    }

    /// The square of the distance from the point that is nearest to all corners to the farthest corner.
    fn nearest(&self, piece: &Triangle) -> Option<f64> {
        let middle: Point = std::array::from_fn(|k| piece.iter().map(|p| p[k]).sum::<f64>() / 3.0);
        let far = |point: Point| piece.iter().map(|p| square(p, &point)).fold(0.0, f64::max);
        let mut best: Option<f64> = None;
        let mut take = |point: Point| {
            let far = far(point);
            best = Some(best.map_or(far, |best| best.min(far)));
        };
        let home = middle.map(|x| x.max(0.0) as u32);
        let around = |k: usize| home[k].saturating_sub(1)..home[k] + 2;
        for z in around(2) {
            for y in around(1) {
                for x in around(0) {
                    let voxel = [x, y, z];
                    if self.border.is_filled(voxel) {
                        take(voxel.map(|i| f64::from(i) + 0.5));
                    }
                    let added = self.added.get(&voxel).into_iter().flatten();
                    added.for_each(|steps| take(steps.map(in_voxels)));
                }
            }
        }
        best
    }

    /// Adds the middle of a piece; how far, squared, its corners are.
    fn add(&mut self, piece: &Triangle, added: &mut Vec<[i32; 3]>) -> f64 {
        let middle = |k: usize| piece.iter().map(|p| p[k]).sum::<f64>() / 3.0;
        let steps = std::array::from_fn(|k| (middle(k) * f64::from(STEPS)).round() as i32);
        let point = steps.map(in_voxels);
        self.added.entry(point.map(|x| x as u32)).or_default().push(steps);
        added.push(steps);
        piece.iter().map(|p| square(p, &point)).fold(0.0, f64::max)
    }
}

fn in_voxels(steps: i32) -> f64 {
    f64::from(steps) / f64::from(STEPS)
}

fn square(a: &Point, b: &Point) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum()
}

/// The longest edge, by the corner it starts at, and the square of its length.
fn longest(piece: &Triangle) -> (usize, f64) {
    let edges = [0, 1, 2].map(|i| (i, square(&piece[i], &piece[(i + 1) % 3])));
    edges.into_iter().fold(edges[0], |best, edge| if edge.1 > best.1 { edge } else { best })
}

/// The two halves of a triangle, cut across an edge.
fn halves(piece: &Triangle, edge: usize) -> [Triangle; 2] {
    let [a, b, c] = [0, 1, 2].map(|i| piece[(edge + i) % 3]);
    let middle = std::array::from_fn(|k| 0.5 * (a[k] + b[k]));
    [[a, middle, c], [middle, b, c]]
}
