//! How deep a place is in what is filled, and which way leads out.
//!
//! Near the surface by distances of voxels ([`Field`]), linear between their middles; deeper by the lattice
//! of distances, linear between the middles of its cells.

use super::field::{Field, PART};
use super::map::VoxelMap;
use crate::Point;
use impinge_simd::shell::balls::{CELL, Lattice, UNIT};

/// The depth of a place (in voxels, from the map's corner) and the way out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depth {
    /// In voxels; negative outside.
    pub depth: f64,
    /// The unit direction in which it decreases fastest; zero if it is the same all around.
    pub out: Point,
}

/// What tells depths.
#[derive(Clone, Copy, Debug)]
pub struct Depths<'a> {
    /// What is filled.
    pub map: &'a VoxelMap,
    /// Its distances near the surface.
    pub field: &'a Field,
    /// And farther away.
    pub lattice: &'a Lattice,
}

/// Distances at the corners of a cube, x fastest, and how far a place is between them.
struct Cube {
    corners: [f32; 8],
    part: [f32; 3],
}

/// Deeper than this, in voxels, the field does not tell.
const FIELD_MAX: f32 = 4.0;
/// Distances that change by less than this per voxel do not tell a way: the middle of a thin part.
const FLAT: f32 = 0.3;
/// Those that change by more are those of a surface with nothing else near.
const STEEP: f32 = 0.8;

impl Depths<'_> {
    /// What is known about a place.
    pub fn at(&self, place: &Point) -> Depth {
        let voxel = place.map(|x| x.floor() as i32);
        let around = self.field.around(self.map, voxel);
        let mut part = [0.0f32; 3];
        let mut low = [0usize; 3];
        for k in 0..3 {
            let at = (place[k] - f64::from(voxel[k])) as f32;
            // The middle of this voxel, or of the one before it.
            low[k] = usize::from(at >= 0.5);
            part[k] = if at >= 0.5 { at - 0.5 } else { at + 0.5 };
        }
        let cube = |low: [usize; 3], width: usize, part: [f32; 3]| {
            let mut corners = [0.0; 8];
            for (c, corner) in corners.iter_mut().enumerate() {
                let at = |k: usize| low[k] + (c >> k & 1) * width;
                *corner = around.at([at(0), at(1), at(2)]) * PART as f32;
            }
            Cube { corners, part }
        };
        // Over two voxels slopes are less rough, and where they are steep it is linear in between.
        let mut over_two = part;
        for k in 0..3 {
            over_two[k] = 0.5 * (part[k] + low[k] as f32);
        }
        let wide = cube([0; 3], 2, over_two);
        let (mut distance, mut slope) = (wide.value(), wide.slope().map(|x| 0.5 * x));
        if square(&slope) <= STEEP * STEEP {
            let narrow = cube(low, 1, part);
            distance = narrow.value();
            if square(&slope) <= FLAT * FLAT {
                slope = narrow.slope();
            }
        }
        if distance.abs() > FIELD_MAX {
            let cells = self.cells(place);
            return Depth { depth: f64::from(-cells.value() * UNIT), out: unit(cells.slope()) };
        }
        if square(&slope) <= FLAT * FLAT {
            slope = self.cells(place).slope();
        }
        Depth { depth: f64::from(-distance), out: unit(slope) }
    }

    /// Middles of cells around a place, in units.
    fn cells(&self, place: &Point) -> Cube {
        let cells = self.lattice.cells();
        let mut part = [0.0; 3];
        let (mut first, mut stride) = (0, 1);
        let mut strides = [0usize; 3];
        for k in 0..3 {
            let last = f64::from(cells[k] - 1);
            let at = (place[k] / f64::from(CELL) - 0.5).clamp(0.0, last);
            let low = (at as u32).min(cells[k].saturating_sub(2));
            part[k] = (at - f64::from(low)) as f32;
            first += low as usize * stride;
            // Where there is one cell only it is both neighbours.
            strides[k] = if cells[k] > 1 { stride } else { 0 };
            stride *= cells[k] as usize;
        }
        let values = self.lattice.values();
        let corners = std::array::from_fn(|corner| {
            let step = |k: usize| (corner >> k & 1) * strides[k];
            let value = values[first + step(0) + step(1) + step(2)];
            // Values are rounded towards zero, by half a unit in the mean.
            f32::from(value) + 0.5 * f32::from(value.signum())
        });
        Cube { corners, part }
    }
}

#[inline]
fn between(a: f32, b: f32, part: f32) -> f32 {
    a + (b - a) * part
}

impl Cube {
    #[inline]
    fn value(&self) -> f32 {
        let ([x, y, z], c) = (self.part, &self.corners);
        let low = between(between(c[0], c[1], x), between(c[2], c[3], x), y);
        let high = between(between(c[4], c[5], x), between(c[6], c[7], x), y);
        between(low, high, z)
    }

    /// How the value grows along the axes, per width of the cube.
    #[inline]
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

#[inline]
fn square(vector: &[f32; 3]) -> f32 {
    vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]
}

#[inline]
fn unit(vector: [f32; 3]) -> Point {
    let vector = vector.map(f64::from);
    let square = vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2];
    if square > 0.0 { vector.map(|x| x / square.sqrt()) } else { [0.0; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aabb::Aabb;
    use crate::voxels::grid::Grid;
    use crate::voxels::lattice::lattice;

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

    #[test]
    fn depths_of_a_ball_are_right_to_a_voxel() {
        let centre = [23.7, 24.1, 23.9];
        let ball = |p: Point| (0..3).map(|k| (p[k] - centre[k]).powi(2)).sum::<f64>() <= 400.0;
        let map = map(ball);
        let (field, lattice) = (Field::of(&map), lattice(&map));
        let depths = Depths { map: &map, field: &field, lattice: &lattice };
        for i in 0..900 {
            let turn = f64::from(i) * 0.7;
            let (up, r) = ((f64::from(i) * 0.37).sin(), 11.0 + f64::from(i % 110) * 0.1);
            let flat = (1.0 - up * up).sqrt();
            let direction = [flat * turn.cos(), flat * turn.sin(), up];
            let place = std::array::from_fn(|k| centre[k] + direction[k] * r);
            let Depth { depth, out } = depths.at(&place);
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
            let (field, lattice) = (Field::of(&map), lattice(&map));
            let depths = Depths { map: &map, field: &field, lattice: &lattice };
            for i in 0..200 {
                let z = thick * (f64::from(i) + 0.5) / 200.0;
                // In the middle there is no nearer side; the lattice is not as sharp as the field.
                let middle = if thick > 2.0 * f64::from(FIELD_MAX) { 1.0 } else { 0.1 };
                if (z - 0.5 * thick).abs() < middle {
                    continue;
                }
                let Depth { depth, out } = depths.at(&[20.0 + 0.03 * f64::from(i), 21.7, 17.0 + z]);
                let side = if z > 0.5 * thick { 1.0 } else { -1.0 };
                assert!(out[2] * side > 0.9, "{thickness} {z}: {out:?}");
                assert!((depth - z.min(thick - z)).abs() < 0.6, "{thickness} {z}: {depth}");
            }
        }
    }
}
