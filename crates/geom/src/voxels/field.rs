//! How far each voxel near the surface is from it: a byte for every voxel of the bricks there, for depths
//! and normals.
//!
//! The distance of a voxel is that of its middle from the middle of the nearest voxel of the other
//! kind, less a half: it is zero at the faces between filled and empty ones. It is told up to six
//! voxels; the lattice tells what is farther.

use super::map::{FULL, VoxelMap};
use impinge_simd::shell::tell::{Distances, PART};
use rayon::prelude::*;

/// How far voxels are looked at, along each axis.
const FAR: usize = 6;
/// What is farther than that has this square.
const BEYOND: u8 = ((FAR + 1) * (FAR + 1)) as u8;
/// What is looked at along each axis for a brick.
const WIDE: usize = 8 + 2 * FAR;

/// Squares of distances along some axes: x fastest, the other two as they are at hand.
type Squares<const Y: usize, const Z: usize> = [[[u8; 8]; Y]; Z];

/// The distances of a map, in bricks as its own; of bricks that are alike in themselves and with all around
/// them there is one that is empty and one that is full.
pub fn field(map: &VoxelMap) -> Distances {
    let near = near_table();
    let counts @ [across, deep, _] = map.grid().bricks();
    let fill = |i: usize| {
        let i = i as u32;
        let at = [i % across, i / across % deep, i / across / deep];
        is_mixed(map, at).then(|| brick(map, at, &near))
    };
    let filled: Vec<Option<[i8; 512]>> = (0..map.index().len()).into_par_iter().map(fill).collect();
    let mut bricks = vec![[value(false, BEYOND); 512], [value(true, BEYOND); 512]];
    let mut index = map.index().to_vec();
    for (place, brick) in index.iter_mut().zip(filled) {
        if let Some(brick) = brick {
            *place = bricks.len() as u32;
            bricks.push(brick);
        }
    }
    Distances::new(index, bricks, counts).expect("there is a place for each brick")
}

/// Whether a brick has filled and empty voxels, or is unlike one of those around it.
fn is_mixed(map: &VoxelMap, at: [u32; 3]) -> bool {
    let [across, deep, high] = map.grid().bricks();
    let place = |[x, y, z]: [u32; 3]| map.index()[((z * deep + y) * across + x) as usize];
    let own = place(at);
    let around = |k: usize, count: u32| at[k].saturating_sub(1)..(at[k] + 2).min(count);
    let mut rows = around(2, high).flat_map(|z| around(1, deep).map(move |y| [y, z]));
    own > FULL || rows.any(|[y, z]| around(0, across).any(|x| place([x, y, z]) != own))
}

/// How a distance is kept.
fn value(filled: bool, square: u8) -> i8 {
    let steps = ((f64::from(square).sqrt() - 0.5) / PART).round() as i8;
    if filled { -steps } else { steps }
}

/// For as many bits in a row as are looked at the square of the distance from the middle one to the nearest that is set.
fn near_table() -> Vec<u8> {
    let square = |bits: usize| {
        let ways = (0..=2 * FAR).filter(|k| bits >> k & 1 == 1).map(|k| k.abs_diff(FAR));
        ways.min().map_or(BEYOND, |way| (way * way) as u8)
    };
    (0..1 << (2 * FAR + 1)).map(square).collect()
}

/// The distances of the voxels of a brick.
fn brick(map: &VoxelMap, at: [u32; 3], near: &[u8]) -> [i8; 512] {
    let mut rows = [[0u32; WIDE]; WIDE];
    for (z, rows) in rows.iter_mut().enumerate() {
        for (y, row) in rows.iter_mut().enumerate() {
            *row = bits(map, at, [y, z]);
        }
    }
    let along_x = |filled: bool| {
        let mut squares: Squares<WIDE, WIDE> = [[[0; 8]; WIDE]; WIDE];
        for (rows, squares) in rows.iter().zip(&mut squares) {
            for (row, squares) in rows.iter().zip(squares) {
                let row = if filled { *row } else { !*row };
                for (x, square) in squares.iter_mut().enumerate() {
                    *square = near[(row >> x) as usize & (near.len() - 1)];
                }
            }
        }
        squares
    };
    let to_filled = along_z(&along_y(&along_x(true)));
    let to_empty = along_z(&along_y(&along_x(false)));
    let mut values = [0; 512];
    for (i, to) in values.iter_mut().enumerate() {
        let [x, y, z] = [i % 8, i / 8 % 8, i / 64];
        let filled = rows[z + FAR][y + FAR] >> (x + FAR) & 1 == 1;
        let square = if filled { to_empty[z][y][x] } else { to_filled[z][y][x] };
        *to = value(filled, square.min(BEYOND));
    }
    values
}

/// The voxels along x from [`FAR`] before a brick to as many behind it, y and z counted from there as well.
fn bits(map: &VoxelMap, at: [u32; 3], [y, z]: [usize; 2]) -> u32 {
    let bricks = map.grid().bricks();
    // Eight more before, so that nothing is below zero.
    let [y, z] = [(y + 8 - FAR) as u32 + 8 * at[1], (z + 8 - FAR) as u32 + 8 * at[2]];
    let byte = |step: u32| {
        let brick = [at[0] + step, y >> 3, z >> 3].map(|b| b.wrapping_sub(1));
        if (0..3).any(|k| brick[k] >= bricks[k]) {
            return 0;
        }
        map.brick(brick)[(z & 7) as usize] >> (8 * (y & 7)) & 0xff
    };
    ((byte(0) | byte(1) << 8 | byte(2) << 16) >> (8 - FAR)) as u32
}

fn along_y(squares: &Squares<WIDE, WIDE>) -> Squares<8, WIDE> {
    let mut least = [[[BEYOND; 8]; 8]; WIDE];
    for (squares, least) in squares.iter().zip(&mut least) {
        for (y, least) in least.iter_mut().enumerate() {
            for (step, squares) in squares[y..=y + 2 * FAR].iter().enumerate() {
                take_least(least, squares, step);
            }
        }
    }
    least
}

fn along_z(squares: &Squares<8, WIDE>) -> Squares<8, 8> {
    let mut least = [[[BEYOND; 8]; 8]; 8];
    for (z, least) in least.iter_mut().enumerate() {
        for (step, squares) in squares[z..=z + 2 * FAR].iter().enumerate() {
            for (least, squares) in least.iter_mut().zip(squares) {
                take_least(least, squares, step);
            }
        }
    }
    least
}

/// Eight squares from `step` farther along another axis.
fn take_least(least: &mut [u8; 8], squares: &[u8; 8], step: usize) {
    let way = step.abs_diff(FAR);
    for (least, square) in least.iter_mut().zip(squares) {
        *least = (*least).min(square + (way * way) as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aabb::Aabb;
    use crate::voxels::grid::Grid;

    #[test]
    fn values_are_those_of_brute_force() {
        let grid = Grid::around(&Aabb { min: [0.0; 3], max: [21.0, 17.0, 30.0] }, 1.0).unwrap();
        let mixed = |v: [u32; 3]| (v[0] * 7 + v[1] * 13 + v[2] * 29) % 31 < 3 || v[2] > 20;
        let map = VoxelMap::build(grid, |[bx, by], column| {
            for bit in 0..64 {
                for z in 0..8 * grid.bricks()[2] {
                    if mixed([8 * bx + bit % 8, 8 * by + bit / 8, z]) {
                        column.fill([bit % 8, bit / 8], z);
                    }
                }
            }
        });
        let field = field(&map);
        let is_filled =
            |v: [i32; 3]| v.iter().all(|&x| x >= 0) && map.is_filled(v.map(|x| x as u32));
        let far = FAR as i32;
        let mut inner = 0;
        for i in 0..24 * 20 * 33 {
            let voxel = [i % 24, i / 24 % 20, i / 480];
            let filled = is_filled(voxel);
            let mut best = f64::from(BEYOND);
            for j in 0..(2 * far + 1).pow(3) {
                let wide = 2 * far + 1;
                let way = [j % wide - far, j / wide % wide - far, j / wide / wide - far];
                let there = std::array::from_fn(|k| voxel[k] + way[k]);
                if is_filled(there) != filled {
                    best = best.min(f64::from(way.iter().map(|x| x * x).sum::<i32>()));
                }
            }
            let truth = if filled { 0.5 - best.sqrt() } else { best.sqrt() - 0.5 };
            let is_there = (0..3).all(|k| voxel[k] < 8 * grid.bricks()[k] as i32);
            if is_there && best < f64::from(BEYOND) {
                let told = field.of(voxel);
                assert!((told - truth).abs() <= 0.6 * PART, "{voxel:?}: {told} {truth}");
                inner += 1;
            }
        }
        assert!(inner > 3000, "{inner}");
        assert!(field.of([-3, 500, 2]) > 0.0);
    }
}
