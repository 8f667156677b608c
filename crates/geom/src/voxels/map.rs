//! Which voxels of a grid are filled: a bit each, in bricks of 8³, of which those that are neither empty
//! nor full are stored.
//!
//! Within a brick a word of 64 bits is a layer of equal z; its bit `8·(y mod 8) + (x mod 8)` is a voxel.

use super::grid::Grid;
use impinge_simd::shell::Bits;
use rayon::prelude::*;

/// A brick: eight layers from low to high z.
pub type Brick = [u64; 8];

/// The numbers of the two bricks that every map has: without a voxel, and with all of them.
pub(super) const EMPTY: u32 = 0;
pub(super) const FULL: u32 = 1;

/// The filled voxels of a grid. Voxels on the rim of the grid are never filled.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelMap {
    grid: Grid,
    bits: Bits,
    filled: u64,
}

/// A column of bricks along z, while a map is made.
#[derive(Clone, Debug)]
pub struct Column {
    bricks: Vec<Brick>,
}

impl Column {
    /// Fills one voxel; x and y are counted within the brick.
    #[inline]
    pub fn fill(&mut self, [x, y]: [u32; 2], z: u32) {
        self.bricks[(z >> 3) as usize][(z & 7) as usize] |= 1 << (8 * y + x);
    }

    /// Changes all voxels above `z` and that one: what was filled is empty and the other way round.
    pub fn flip_from(&mut self, [x, y]: [u32; 2], z: u32) {
        let bit = 1 << (8 * y + x);
        let layers = self.bricks.as_flattened_mut();
        layers.iter_mut().skip(z as usize).for_each(|layer| *layer ^= bit);
    }

    /// All layers from low to high z.
    pub fn layers_mut(&mut self) -> &mut [u64] {
        self.bricks.as_flattened_mut()
    }
}

impl VoxelMap {
    /// A map whose bricks are filled column by column, side by side: `fill` gets the numbers of a
    /// column of bricks along x and y, and the column, empty. What it fills on the rim of the grid or
    /// beyond is left out.
    pub fn build(grid: Grid, fill: impl Fn([u32; 2], &mut Column) + Sync) -> Self {
        let [across, deep, high] = grid.bricks();
        let columns: Vec<Column> = (0..across * deep)
            .into_par_iter()
            .map(|at| {
                let mut column = Column { bricks: vec![[0; 8]; high as usize] };
                let at = [at % across, at / across];
                fill(at, &mut column);
                clear_rim(&grid, at, &mut column);
                column
            })
            .collect();
        Self::of_columns(grid, &columns)
    }

    fn of_columns(grid: Grid, columns: &[Column]) -> Self {
        let high = grid.bricks()[2] as usize;
        let mut index = Vec::with_capacity(columns.len() * high);
        let mut bricks: Vec<Brick> = vec![[0; 8], [u64::MAX; 8]];
        let mut filled = 0;
        for z in 0..high {
            for column in columns {
                let brick = column.bricks[z];
                filled += brick.iter().map(|layer| u64::from(layer.count_ones())).sum::<u64>();
                let number = match () {
                    () if brick == [0; 8] => EMPTY,
                    () if brick == [u64::MAX; 8] => FULL,
                    () => {
                        bricks.push(brick);
                        bricks.len() as u32 - 1
                    }
                };
                index.push(number);
            }
        }
        let bits = Bits::new(index, bricks, grid.counts());
        Self { grid, bits: bits.expect("grids are no larger than maps may be"), filled }
    }

    /// What is filled in either of two maps over the same grid.
    pub fn union(&self, other: &Self) -> Self {
        assert_eq!(self.grid, other.grid, "maps over different grids");
        Self::build(self.grid, |[x, y], column| {
            for (brick, z) in column.bricks.iter_mut().zip(0..) {
                let (p, q) = (self.brick([x, y, z]), other.brick([x, y, z]));
                *brick = std::array::from_fn(|layer| p[layer] | q[layer]);
            }
        })
    }

    /// Where its voxels are.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// How many voxels are filled.
    pub fn filled(&self) -> u64 {
        self.filled
    }

    /// The volume of all filled voxels.
    pub fn volume(&self) -> f64 {
        let size = self.grid.size();
        self.filled as f64 * size * size * size
    }

    /// The bits, as kernels want them.
    pub fn bits(&self) -> &Bits {
        &self.bits
    }

    /// For each brick, x fastest and z slowest, its place among [`VoxelMap::bricks`].
    pub fn index(&self) -> &[u32] {
        self.bits.index()
    }

    /// The bricks that are stored, the empty one and the full one first.
    pub fn bricks(&self) -> &[Brick] {
        self.bits.bricks()
    }

    /// The brick at this place among the bricks.
    #[inline]
    pub fn brick(&self, [x, y, z]: [u32; 3]) -> &Brick {
        let [across, deep, _] = self.grid.bricks();
        let place = self.bits.index()[((z * deep + y) * across + x) as usize];
        &self.bits.bricks()[place as usize]
    }

    /// Whether a voxel is filled; beyond the grid none is.
    #[inline]
    pub fn is_filled(&self, voxel: [u32; 3]) -> bool {
        let counts = self.grid.counts();
        if (0..3).any(|k| voxel[k] >= counts[k]) {
            return false;
        }
        let layer = self.brick(voxel.map(|i| i >> 3))[(voxel[2] & 7) as usize];
        layer >> (8 * (voxel[1] & 7) + (voxel[0] & 7)) & 1 == 1
    }

    /// All filled voxels, x fastest and z slowest.
    pub fn voxels(&self) -> impl Iterator<Item = [u32; 3]> {
        let [across, deep, high] = self.grid.counts();
        let rows = (0..high).flat_map(move |z| (0..deep).map(move |y| [y, z]));
        let all = rows.flat_map(move |[y, z]| (0..across).map(move |x| [x, y, z]));
        all.filter(|&voxel| self.is_filled(voxel))
    }

    /// All filled voxels, brick by brick.
    pub fn by_brick(&self) -> impl Iterator<Item = [u32; 3]> {
        let [across, deep, _] = self.grid.bricks();
        let some = (0..).zip(self.index()).filter(|(_, place)| **place != EMPTY);
        some.flat_map(move |(i, &place): (u32, _)| {
            let corner = [i % across, i / across % deep, i / across / deep].map(|b| 8 * b);
            let brick = &self.bricks()[place as usize];
            let bits = (0..512u32).filter(|v| brick[(v >> 6) as usize] >> (v & 63) & 1 == 1);
            bits.map(move |v| [corner[0] + v % 8, corner[1] + v / 8 % 8, corner[2] + v / 64])
        })
    }

    /// The memory of the map.
    pub fn bytes(&self) -> usize {
        size_of_val(self.index()) + size_of_val(self.bricks())
    }
}

/// Empties what lies on the rim of the grid or beyond it.
fn clear_rim(grid: &Grid, at: [u32; 2], column: &mut Column) {
    let counts = grid.counts();
    let inner = |axis: usize, i: u32| i >= 1 && i + 1 < counts[axis];
    let mut mask = 0u64;
    for bit in 0..64 {
        let voxel = [8 * at[0] + bit % 8, 8 * at[1] + bit / 8];
        mask |= u64::from(inner(0, voxel[0]) && inner(1, voxel[1])) << bit;
    }
    for (z, layer) in column.layers_mut().iter_mut().enumerate() {
        *layer &= if inner(2, z as u32) { mask } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aabb::Aabb;

    fn grid() -> Grid {
        Grid::around(&Aabb { min: [0.0; 3], max: [17.5, 9.5, 30.5] }, 1.0).unwrap()
    }

    #[test]
    fn what_was_filled_is_there_and_the_rim_is_not() {
        let even = |[x, y, z]: [u32; 3]| (x + 2 * y + z).is_multiple_of(3);
        let map = VoxelMap::build(grid(), |[bx, by], column| {
            for bit in 0..64 {
                for z in 0..40.min(8 * grid().bricks()[2]) {
                    if even([8 * bx + bit % 8, 8 * by + bit / 8, z]) {
                        column.fill([bit % 8, bit / 8], z);
                    }
                }
            }
        });
        let counts = grid().counts();
        let mut filled = 0;
        for z in 0..counts[2] + 2 {
            for y in 0..counts[1] + 2 {
                for x in 0..counts[0] + 2 {
                    let voxel = [x, y, z];
                    let inner = (0..3).all(|k| voxel[k] >= 1 && voxel[k] + 1 < counts[k]);
                    assert_eq!(map.is_filled(voxel), inner && even(voxel), "{voxel:?}");
                    filled += u64::from(inner && even(voxel));
                }
            }
        }
        assert_eq!((map.filled(), map.voxels().count() as u64), (filled, filled));
        let mut by_brick: Vec<[u32; 3]> = map.by_brick().collect();
        by_brick.sort_unstable_by_key(|&[x, y, z]| [z, y, x]);
        assert!(map.voxels().eq(by_brick));
    }

    #[test]
    fn flipping_twice_fills_what_is_between() {
        let map = VoxelMap::build(grid(), |_, column| {
            column.flip_from([3, 2], 5);
            column.flip_from([3, 2], 20);
            column.flip_from([3, 2], 1000);
        });
        let of_column: Vec<u32> = (0..33).filter(|&z| map.is_filled([3, 2, z])).collect();
        assert_eq!(of_column, (5..20).collect::<Vec<_>>());
    }

    #[test]
    fn empty_and_full_bricks_take_no_room() {
        let wide = Grid::around(&Aabb { min: [0.0; 3], max: [60.0; 3] }, 1.0).unwrap();
        let map = VoxelMap::build(wide, |_, column| column.layers_mut().fill(u64::MAX));
        let rim = wide.bricks().iter().product::<u32>() - 6 * 6 * 6;
        assert_eq!(map.bricks().len() as u32, 2 + rim);
        assert_eq!(map.filled(), 60 * 60 * 60);
    }
}
