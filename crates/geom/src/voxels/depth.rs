//! What answers tell of points in filled voxels: where they are, how deep, and which way leads out.
//!
//! Near the surface by distances of voxels ([`field`](super::field::field)); deeper by the lattice of
//! distances, linear between the middles of its cells.

use super::body::VoxelBody;
use super::look::{Found, Lookup};
use crate::Point;
use crate::pose::Pose;
use impinge_simd::shell::balls::{CELL, Lattice, UNIT};
use impinge_simd::shell::tell::{DEPTH_MAX, Eight, Frame, Scene, Told, tell};
use impinge_simd::shell::{Octet, Turn};

/// A point of one body in a voxel of another, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deep {
    /// The point.
    pub point: Point,
    /// The middle of the voxel.
    pub voxel: Point,
    /// The unit direction in which it leaves the shortest way; zero if none is better than others.
    pub out: Point,
    /// How deep it is; negative outside.
    pub depth: f64,
}

/// Two bodies, the points of the first of which were looked up in the voxels of the second.
#[derive(Clone, Copy, Debug)]
pub struct Depths<'a> {
    lookup: &'a Lookup<'a>,
    points: (&'a VoxelBody, &'a Pose),
    lattice: &'a Lattice,
    /// But for the cluster.
    scene: Scene<'a>,
    /// The edge of a voxel.
    size: f64,
}

impl<'a> Depths<'a> {
    /// The bodies at their places, and how points are looked up.
    pub fn new(
        lookup: &'a Lookup<'a>,
        points: (&'a VoxelBody, &'a Pose),
        (body, pose): (&'a VoxelBody, &'a Pose),
    ) -> Self {
        let (grid, out) = (body.map().grid(), pose.matrix());
        let voxels = Frame {
            rows: out.map(|row| row.map(|x| x * grid.size())),
            origin: pose.apply(&grid.centre([0; 3])),
        };
        let step = points.0.shell().step();
        let steps = points.1.matrix().map(|row| row.map(|x| x * step));
        let scene = Scene {
            bits: body.map().bits(),
            distances: body.field(),
            turn: Turn { rows: [[0.0; 3]; 3], corner: [0.0; 3], reach: [0.0; 3] },
            points: Frame { rows: steps, origin: [0.0; 3] },
            voxels,
            out,
        };
        Self { lookup, points, lattice: body.lattice(), scene, size: grid.size() }
    }

    /// Tells all points of a cluster that were found.
    pub fn each(&self, found: &Found, mut tell: impl FnMut(Deep)) {
        let (shell, pose) = (self.points.0.shell(), self.points.1);
        let cluster = &shell.clusters()[found.cluster as usize];
        let corner: Point = std::array::from_fn(|k| {
            shell.origin()[k] + shell.step() * f64::from(cluster.corner[k])
        });
        let points = Frame { origin: pose.apply(&corner), ..self.scene.points };
        let scene = Scene { turn: self.lookup.turn(cluster), points, ..self.scene };
        let octets = shell.octets(cluster);
        let mut left = found.points;
        while left != 0 {
            // The next eight of them, wherever they are in the cluster.
            let (mut octet, mut count): (Octet, _) = ([[0; 8]; 3], 0);
            while left != 0 && count < 8 {
                let i = left.trailing_zeros() as usize;
                left &= left - 1;
                let from = &octets[i / 8];
                for k in 0..3 {
                    octet[k][count] = from[k][i % 8];
                }
                count += 1;
            }
            let told = told(self.lattice, &scene, (&octet, count));
            for i in 0..count {
                let lane = |eight: &Eight| [eight[0][i], eight[1][i], eight[2][i]];
                tell(Deep {
                    point: lane(&told.point),
                    voxel: lane(&told.middle),
                    out: lane(&told.out),
                    depth: f64::from(told.depth[i]) * self.size,
                });
            }
        }
    }
}

/// What is told of up to eight points: the lattice tells what distances of voxels do not.
fn told(lattice: &Lattice, scene: &Scene<'_>, (octet, count): (&Octet, usize)) -> Told {
    let mut told = tell(scene, octet);
    let mut open = u32::from(told.open) & ((1 << count) - 1);
    while open != 0 {
        let i = open.trailing_zeros() as usize;
        open &= open - 1;
        let cells = Cube::of(lattice, [told.place[0][i], told.place[1][i], told.place[2][i]]);
        if told.depth[i].abs() > DEPTH_MAX {
            told.depth[i] = -cells.value() * UNIT;
        }
        let slope = cells.slope().map(f64::from);
        let turned = scene.out.map(|row| row[0] * slope[0] + row[1] * slope[1] + row[2] * slope[2]);
        let length = turned.iter().map(|x| x * x).sum::<f64>().sqrt();
        for (out, turned) in told.out.iter_mut().zip(turned) {
            out[i] = if length > 0.0 { turned / length } else { 0.0 };
        }
    }
    told
}

/// Distances at the corners of a cube, x fastest, and how far a place is between them.
struct Cube {
    corners: [f32; 8],
    part: [f32; 3],
}

impl Cube {
    /// The middles of cells around a place, in units.
    fn of(lattice: &Lattice, place: [f32; 3]) -> Self {
        let cells = lattice.cells();
        let mut part = [0.0; 3];
        let (mut first, mut stride) = (0, 1);
        let mut strides = [0usize; 3];
        for k in 0..3 {
            let last = (cells[k] - 1) as f32;
            let at = (place[k] / CELL as f32 - 0.5).clamp(0.0, last);
            let low = (at as u32).min(cells[k].saturating_sub(2));
            part[k] = at - low as f32;
            first += low as usize * stride;
            // Where there is one cell only it is both neighbours.
            strides[k] = if cells[k] > 1 { stride } else { 0 };
            stride *= cells[k] as usize;
        }
        let values = lattice.values();
        let corners = std::array::from_fn(|corner| {
            let step = |k: usize| (corner >> k & 1) * strides[k];
            let value = values[first + step(0) + step(1) + step(2)];
            // Values are rounded towards zero, by half a unit in the mean.
            f32::from(value) + 0.5 * f32::from(value.signum())
        });
        Self { corners, part }
    }

    fn value(&self) -> f32 {
        let ([x, y, z], c) = (self.part, &self.corners);
        let low = between(between(c[0], c[1], x), between(c[2], c[3], x), y);
        let high = between(between(c[4], c[5], x), between(c[6], c[7], x), y);
        between(low, high, z)
    }

    /// How the value grows along the axes, per width of the cube.
    fn slope(&self) -> [f32; 3] {
        let ([x, y, z], c) = (self.part, &self.corners);
        let face = |[i, j, k, l]: [usize; 4], step: usize, (p, q): (f32, f32)| {
            let way = |i: usize| c[i + step] - c[i];
            between(between(way(i), way(j), p), between(way(k), way(l), p), q)
        };
        [
            face([0, 2, 4, 6], 1, (y, z)),
            face([0, 1, 4, 5], 2, (x, z)),
            face([0, 1, 2, 3], 4, (x, y)),
        ]
    }
}

fn between(a: f32, b: f32, part: f32) -> f32 {
    a + (b - a) * part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aabb::Aabb;
    use crate::voxels::field::field;
    use crate::voxels::grid::Grid;
    use crate::voxels::lattice::lattice;
    use crate::voxels::map::VoxelMap;
    use impinge_simd::shell::tell::Distances;

    /// A map of 48 voxels along each axis of which those are filled whose middles, in voxels, are as told.
    fn map(is_filled: impl Fn(Point) -> bool + Sync) -> VoxelMap {
        let grid = Grid::around(&Aabb { min: [0.5; 3], max: [46.5; 3] }, 1.0).unwrap();
        VoxelMap::build(grid, |[bx, by], column| {
            for bit in 0..64 {
                for z in 0..8 * grid.bricks()[2] {
                    let voxel = [8 * bx + bit % 8, 8 * by + bit / 8, z];
                    if is_filled(voxel.map(|i| f64::from(i) + 0.5)) {
                        column.fill([bit % 8, bit / 8], z);
                    }
                }
            }
        })
    }

    /// The depth of a place, in voxels, and the way out.
    fn at((map, field, lattice): (&VoxelMap, &Distances, &Lattice), place: Point) -> (f64, Point) {
        let rows = Pose::IDENTITY.matrix();
        let same = Frame { rows, origin: [0.0; 3] };
        let turn = Turn { rows: [[0.0; 3]; 3], corner: place.map(|x| x as f32), reach: [0.0; 3] };
        let (bits, points, voxels) = (map.bits(), same, same);
        let scene = Scene { bits, distances: field, turn, points, voxels, out: rows };
        let told = told(lattice, &scene, (&[[0; 8]; 3], 1));
        (f64::from(told.depth[0]), [0, 1, 2].map(|k| told.out[k][0]))
    }

    #[test]
    fn depths_of_a_ball_are_right_to_a_voxel() {
        let centre = [23.7, 24.1, 23.9];
        let ball = |p: Point| (0..3).map(|k| (p[k] - centre[k]).powi(2)).sum::<f64>() <= 400.0;
        let map = map(ball);
        let (field, lattice) = (field(&map), lattice(&map));
        for i in 0..900 {
            let turn = f64::from(i) * 0.7;
            let (up, r) = ((f64::from(i) * 0.37).sin(), 11.0 + f64::from(i % 110) * 0.1);
            let flat = (1.0 - up * up).sqrt();
            let direction = [flat * turn.cos(), flat * turn.sin(), up];
            let place = std::array::from_fn(|k| centre[k] + direction[k] * r);
            let (depth, out) = at((&map, &field, &lattice), place);
            assert!((depth - (20.0 - r)).abs() < 1.2, "{r}: {depth}");
            let along: f64 = (0..3).map(|k| out[k] * direction[k]).sum();
            assert!(along > 0.85, "{r} {direction:?}: {out:?}");
        }
    }

    #[test]
    fn plates_lead_out_on_the_nearer_side() {
        for thickness in 1..12 {
            let thick = f64::from(thickness);
            let map = map(|p| p[2] > 17.0 && p[2] < 17.0 + thick);
            let (field, lattice) = (field(&map), lattice(&map));
            for i in 0..200 {
                let z = thick * (f64::from(i) + 0.5) / 200.0;
                // In the middle there is no nearer side; the lattice is not as sharp as the field.
                let middle = if thick > 2.0 * f64::from(DEPTH_MAX) { 1.0 } else { 0.1 };
                if (z - 0.5 * thick).abs() < middle {
                    continue;
                }
                let place = [20.0 + 0.03 * f64::from(i), 21.7, 17.0 + z];
                let (depth, out) = at((&map, &field, &lattice), place);
                let side = if z > 0.5 * thick { 1.0 } else { -1.0 };
                assert!(out[2] * side > 0.9, "{thickness} {z}: {out:?}");
                assert!((depth - z.min(thick - z)).abs() < 0.6, "{thickness} {z}: {depth}");
            }
        }
    }
}
