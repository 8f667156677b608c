//! How far places are from what is filled, and within it from what is not: a value for every 4³ voxels.
//!
//! Values never say more than is true. From afar they are distances to cells that have a filled voxel;
//! near the surface they are those to the voxels themselves.

use super::map::VoxelMap;
use impinge_simd::shell::balls::{CELL, Lattice, UNIT};
use rayon::prelude::*;

/// Distances are not told beyond this many cells.
const CELLS_MAX: i64 = 16;
/// Nearer than this, in voxels, they are those to voxels rather than to cells.
const NEAR: i64 = 3 * CELL as i64;

/// The lattice of a map.
pub fn lattice(map: &VoxelMap) -> Lattice {
    let cells = Cells::of(map);
    let outside = cells.distances(|bits| bits);
    let inside = cells.distances(|bits| !bits);
    let value = |(out, within): (&u8, &u8)| if *out > 0 { *out as i8 } else { -(*within as i8) };
    let values = outside.iter().zip(&inside).map(value).collect();
    Lattice::new(values, map.grid().counts()).expect("there is a value for each cell")
}

/// The bits of each cell: bit `16·z + 4·y + x`.
struct Cells {
    bits: Vec<u64>,
    counts: [usize; 3],
}

/// A cell seen from another, how near it comes to the middle of that, and its voxels, the nearest first.
struct Neighbour {
    offset: [i64; 3],
    nearest: i64,
    voxels: Vec<(u8, i64)>,
}

impl Cells {
    fn of(map: &VoxelMap) -> Self {
        let counts = map.grid().counts().map(|count| count.div_ceil(CELL) as usize);
        let [across, deep, high] = counts;
        let cell = |i: usize| {
            let at = [i % across, i / across % deep, i / across / deep].map(|c| c as u32);
            let brick = map.brick(at.map(|c| c / 2));
            let [x, y, z] = at.map(|c| c % 2);
            let layer = |k: u32| {
                let rows = brick[(4 * z + k) as usize] >> (32 * y + 4 * x);
                (0..4).fold(0, |four, row| four | (rows >> (8 * row) & 15) << (4 * row))
            };
            (0..4).fold(0u64, |bits, k| bits | layer(k) << (16 * k))
        };
        let bits = (0..across * deep * high).into_par_iter().map(cell).collect();
        Self { bits, counts }
    }

    /// For each cell how far its middle is from the nearest voxel that `chosen` leaves of a cell's, in
    /// units, rounded down.
    fn distances(&self, chosen: impl Fn(u64) -> u64 + Sync) -> Vec<u8> {
        let coarse = self.to_cells(|i| chosen(self.bits[i]) != 0);
        let neighbours = neighbours();
        let [across, deep, _] = self.counts;
        let fine = |(i, square): (usize, &i64)| {
            let mut square = *square;
            if square < NEAR * NEAR {
                let at = [i % across, i / across % deep, i / across / deep];
                let found = self.to_voxels(at, &neighbours, &chosen);
                // A cell that was not looked at may have a voxel as near as this.
                square = found.unwrap_or(i64::MAX).min(NEAR * NEAR).max(square);
            }
            ((square as f64).sqrt() / f64::from(UNIT)).floor().min(127.0) as u8
        };
        coarse.par_iter().enumerate().map(fine).collect()
    }

    /// The square of the distance of each cell's middle from the nearest cell that is chosen, by one axis
    /// after the other; at most that of [`CELLS_MAX`] cells.
    fn to_cells(&self, is_chosen: impl Fn(usize) -> bool + Sync) -> Vec<i64> {
        let limit = across_cells(CELLS_MAX);
        let start = |i: usize| if is_chosen(i) { 0 } else { limit };
        let mut squares: Vec<i64> = (0..self.bits.len()).into_par_iter().map(start).collect();
        let mut stride = 1;
        for count in self.counts {
            let nearest = |i: usize| {
                let at = i / stride % count;
                let mut best = squares[i];
                for k in 1..count {
                    let cost = across_cells(k as i64);
                    if cost >= best {
                        break;
                    }
                    if at >= k {
                        best = best.min(squares[i - k * stride] + cost);
                    }
                    if at + k < count {
                        best = best.min(squares[i + k * stride] + cost);
                    }
                }
                best
            };
            squares = (0..squares.len()).into_par_iter().map(nearest).collect();
            stride *= count;
        }
        squares
    }

    /// The square of the distance to the nearest chosen voxel, if one is among the neighbours.
    fn to_voxels(
        &self,
        at: [usize; 3],
        neighbours: &[Neighbour],
        chosen: impl Fn(u64) -> u64,
    ) -> Option<i64> {
        let mut best: Option<i64> = None;
        for Neighbour { offset, nearest, voxels } in neighbours {
            if best.is_some_and(|best| *nearest >= best) {
                break;
            }
            let there: [i64; 3] = std::array::from_fn(|k| at[k] as i64 + offset[k]);
            if (0..3).any(|k| there[k] < 0 || there[k] >= self.counts[k] as i64) {
                continue;
            }
            let [x, y, z] = there.map(|c| c as usize);
            let bits = chosen(self.bits[(z * self.counts[1] + y) * self.counts[0] + x]);
            if bits == 0 {
                continue;
            }
            let first = voxels.iter().find(|(voxel, _)| bits >> voxel & 1 == 1);
            if let Some(&(_, square)) = first {
                best = Some(best.map_or(square, |best| best.min(square)));
            }
        }
        best
    }
}

/// The square of the distance along an axis from the middle of a cell to the cell `k` further.
fn across_cells(k: i64) -> i64 {
    let cell = i64::from(CELL);
    (cell * k - cell / 2).max(0).pow(2)
}

/// Every cell that comes nearer than [`NEAR`] to the middle of one, the nearest first.
fn neighbours() -> Vec<Neighbour> {
    let cell = i64::from(CELL);
    let far = NEAR / cell + 1;
    let mut all = Vec::new();
    for z in -far..=far {
        for y in -far..=far {
            for x in -far..=far {
                let offset = [x, y, z];
                let nearest = offset.iter().map(|k| across_cells(k.abs())).sum();
                if nearest >= NEAR * NEAR {
                    continue;
                }
                let square = |voxel: u8| {
                    let at = [voxel & 3, voxel >> 2 & 3, voxel >> 4].map(i64::from);
                    let gap = |k: usize| {
                        // From the middle of the cell to the voxel, which is one wide.
                        let low = cell * offset[k] + at[k] - cell / 2;
                        low.max(-low - 1).max(0)
                    };
                    (0..3).map(|k| gap(k) * gap(k)).sum()
                };
                let mut voxels: Vec<(u8, i64)> = (0..64).map(|v| (v, square(v))).collect();
                voxels.sort_by_key(|&(voxel, square)| (square, voxel));
                all.push(Neighbour { offset, nearest, voxels });
            }
        }
    }
    all.sort_by_key(|neighbour| (neighbour.nearest, neighbour.offset));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aabb::Aabb;
    use crate::voxels::grid::Grid;

    /// Values say no more than brute force, and near the surface as much.
    #[test]
    fn values_are_those_of_brute_force() {
        let grid = Grid::around(&Aabb { min: [0.0; 3], max: [37.0, 26.0, 50.0] }, 1.0).unwrap();
        let ball = |p: [f64; 3], c: [f64; 3], r: f64| {
            (0..3).map(|k| (p[k] - c[k]).powi(2)).sum::<f64>() < r * r
        };
        let map = VoxelMap::build(grid, |[bx, by], column| {
            for bit in 0..64 {
                for z in 0..8 * grid.bricks()[2] {
                    let p = grid.centre([8 * bx + bit % 8, 8 * by + bit / 8, z]);
                    if ball(p, [18.0, 12.0, 20.0], 11.0) || ball(p, [30.0, 5.0, 40.0], 2.0) {
                        column.fill([bit % 8, bit / 8], z);
                    }
                }
            }
        });
        let lattice = lattice(&map);
        let filled: Vec<[u32; 3]> = map.voxels().collect();
        let counts = grid.counts();
        let all = (0..counts.iter().product::<u32>())
            .map(|i| [i % counts[0], i / counts[0] % counts[1], i / counts[0] / counts[1]]);
        let empty: Vec<[u32; 3]> = all.filter(|&voxel| !map.is_filled(voxel)).collect();
        let distance = |m: [f64; 3], voxels: &[[u32; 3]]| {
            let square = |v: &[u32; 3]| {
                let gap =
                    |k: usize| (f64::from(v[k]) - m[k]).max(m[k] - f64::from(v[k]) - 1.0).max(0.0);
                (0..3).map(|k| gap(k).powi(2)).sum::<f64>()
            };
            voxels.iter().map(square).fold(f64::INFINITY, f64::min).sqrt()
        };
        let [across, deep, _] = lattice.cells();
        let mut near = 0;
        for (i, &value) in lattice.values().iter().enumerate() {
            let i = i as u32;
            let cell = [i % across, i / across % deep, i / across / deep];
            let m = cell.map(|c| f64::from(4 * c + 2));
            let told = f64::from(value) * f64::from(UNIT);
            let truth = match value >= 0 {
                true => distance(m, &filled),
                false => distance(m, &empty),
            };
            assert!(told.abs() <= truth + 1e-9, "{cell:?}: {told} {truth}");
            // To the nearest cell alone it would be off by up to seven.
            if truth < 7.0 {
                assert!(told.abs() > truth - 0.5, "{cell:?}: {told} {truth}");
                near += 1;
            }
        }
        assert!(near > 100);
    }
}
