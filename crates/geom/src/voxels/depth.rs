//! How deep a place is in what is filled, and which way leads out.
//!
//! Near the surface by distances of voxels ([`Field`]), linear between their middles; deeper by the lattice
//! of distances, linear between the middles of its cells.

use super::field::Field;
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
    corners: [f64; 8],
    part: Point,
}

/// Deeper than this, in voxels, the field does not tell.
const FIELD_MAX: f64 = 4.0;
/// Distances that change by less than this per voxel do not tell a way: the middle of a thin part.
const STEEP: f64 = 0.3;

impl Depths<'_> {
    /// What is known about a place.
    pub fn at(&self, place: &Point) -> Depth {
        let narrow = self.voxels(place, 1);
        let distance = narrow.value();
        if distance.abs() > FIELD_MAX {
            let cells = self.cells(place);
            let out = unit(cells.slope());
            return Depth { depth: -cells.value() * f64::from(UNIT), out };
        }
        // Over two voxels slopes are less rough, but in parts that are thin they are none.
        let wide = self.voxels(place, 2).slope().map(|x| 0.5 * x);
        let steep = |slope: &Point| square(slope) > STEEP * STEEP;
        let slope = [wide, narrow.slope()].into_iter().find(steep);
        let slope = slope.unwrap_or_else(|| self.cells(place).slope());
        Depth { depth: -distance, out: unit(slope) }
    }

    /// Middles of voxels around a place, `width` voxels from each other.
    fn voxels(&self, place: &Point, width: i32) -> Cube {
        let width_half = 0.5 * f64::from(width);
        let low = place.map(|x| (x - width_half).floor() as i32);
        let corners = std::array::from_fn(|corner| {
            let step = |k: usize| (corner >> k & 1) as i32 * width;
            self.field.at(self.map, [low[0] + step(0), low[1] + step(1), low[2] + step(2)])
        });
        let part = |k: usize| (place[k] - 0.5 - f64::from(low[k])) / f64::from(width);
        Cube { corners, part: std::array::from_fn(part) }
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
            part[k] = at - f64::from(low);
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
            f64::from(value) + 0.5 * f64::from(value.signum())
        });
        Cube { corners, part }
    }
}

impl Cube {
    fn weight(&self, corner: usize, k: usize) -> f64 {
        if corner >> k & 1 == 1 { self.part[k] } else { 1.0 - self.part[k] }
    }

    fn value(&self) -> f64 {
        let weight = |c: usize| self.weight(c, 0) * self.weight(c, 1) * self.weight(c, 2);
        (0..8).map(|c| self.corners[c] * weight(c)).sum()
    }

    /// How the value grows along the axes, per width of the cube.
    fn slope(&self) -> Point {
        std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let sign = |c: usize| if c >> k & 1 == 1 { 1.0 } else { -1.0 };
            let weight = |c: usize| self.weight(c, i) * self.weight(c, j);
            (0..8).map(|c| sign(c) * self.corners[c] * weight(c)).sum()
        })
    }
}

fn square(vector: &Point) -> f64 {
    vector.iter().map(|x| x * x).sum()
}

fn unit(vector: Point) -> Point {
    let length = square(&vector).sqrt();
    if length > 0.0 { vector.map(|x| x / length) } else { [0.0; 3] }
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
        let ball = |p: Point| square(&std::array::from_fn(|k| p[k] - centre[k])) <= 400.0;
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
                let middle = if thick > 2.0 * FIELD_MAX { 1.0 } else { 0.1 };
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
