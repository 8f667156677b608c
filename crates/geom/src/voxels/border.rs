//! Surface voxels [V00 §5]: filled ones that have an empty one among their 26 neighbours.

use super::map::{Brick, EMPTY, FULL, VoxelMap};

/// A brick and one voxel more on every side: a row along x is ten bits, the lowest outside.
type Window = [[u16; 10]; 10];

/// The surface voxels of a map.
pub fn border(map: &VoxelMap) -> VoxelMap {
    let high = map.grid().bricks()[2];
    VoxelMap::build(*map.grid(), |[x, y], column| {
        for z in 0..high {
            if let Some(brick) = border_of(map, [x, y, z]) {
                let layers = &mut column.layers_mut()[8 * z as usize..][..8];
                layers.copy_from_slice(&brick);
            }
        }
    })
}

/// The surface voxels of a brick, if it can have some.
fn border_of(map: &VoxelMap, at: [u32; 3]) -> Option<Brick> {
    let bricks = map.grid().bricks();
    let place =
        |at: [u32; 3]| map.index()[((at[2] * bricks[1] + at[1]) * bricks[0] + at[0]) as usize];
    if place(at) == EMPTY {
        return None;
    }
    let neighbour = |d: [i64; 3]| {
        let there: [i64; 3] = std::array::from_fn(|k| i64::from(at[k]) + d[k]);
        let within = (0..3).all(|k| there[k] >= 0 && there[k] < i64::from(bricks[k]));
        if within { place(there.map(|c| c as u32)) } else { EMPTY }
    };
    let steps = [-1, 0, 1];
    let around = steps.map(|z| steps.map(|y| steps.map(|x| neighbour([x, y, z]))));
    if around.as_flattened().as_flattened().iter().all(|&brick| brick == FULL) {
        return None;
    }
    let stored = map.bricks();
    let window = window(&around.map(|plane| plane.map(|row| row.map(|b| &stored[b as usize]))));
    let kept = eroded(&window);
    let layer = |z: usize| {
        let open = |y: usize| u64::from(window[z + 1][y + 1] >> 1 & 255 & !kept[z][y]);
        (0..8).fold(0, |layer, y| layer | open(y) << (8 * y))
    };
    Some(std::array::from_fn(layer))
}

fn window(around: &[[[&Brick; 3]; 3]; 3]) -> Window {
    // Which of the three bricks along an axis, and which of its eight voxels.
    let split = |i: usize| (i.div_ceil(8), (i + 7) % 8);
    std::array::from_fn(|z| {
        let (bz, z) = split(z);
        std::array::from_fn(|y| {
            let (by, y) = split(y);
            let row = |bx: usize| (around[bz][by][bx][z] >> (8 * y) & 255) as u16;
            row(0) >> 7 | row(1) << 1 | (row(2) & 1) << 9
        })
    })
}

/// Rows of the brick: bits whose voxel and all its neighbours are filled.
fn eroded(window: &Window) -> [[u16; 8]; 8] {
    let along_x = window.map(|plane| plane.map(|row| row & row >> 1 & row << 1));
    std::array::from_fn(|z| {
        std::array::from_fn(|y| {
            let plane = |z: usize| along_x[z][y] & along_x[z][y + 1] & along_x[z][y + 2];
            (plane(z) & plane(z + 1) & plane(z + 2)) >> 1 & 255
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aabb::Aabb;
    use crate::voxels::grid::Grid;

    #[test]
    fn a_surface_voxel_has_an_empty_neighbour() {
        let grid = Grid::around(&Aabb { min: [0.0; 3], max: [40.0, 30.0, 50.0] }, 1.0).unwrap();
        for seed in [0u32, 3, 57] {
            let map = VoxelMap::build(grid, |[bx, by], column| {
                for bit in 0..64 {
                    for z in 0..8 * grid.bricks()[2] {
                        let [x, y] = [8 * bx + bit % 8, 8 * by + bit / 8];
                        let odd = (x * 7 + y * 13 + z * 29 + seed).is_multiple_of(61);
                        let inner = x > 2 && y > 2 && z > 2 && x < 39 && y < 29 && z < 49;
                        if inner && !odd {
                            column.fill([bit % 8, bit / 8], z);
                        }
                    }
                }
            });
            let is_border = |&[x, y, z]: &[u32; 3]| {
                let near = |c: u32| c - 1..c + 2;
                let rows = near(z).flat_map(|z| near(y).map(move |y| [y, z]));
                let mut all = rows.flat_map(|[y, z]| near(x).map(move |x| [x, y, z]));
                all.any(|voxel| !map.is_filled(voxel))
            };
            let expected: Vec<[u32; 3]> = map.voxels().filter(is_border).collect();
            let found: Vec<[u32; 3]> = border(&map).voxels().collect();
            assert!(expected.len() > 1000 && expected.len() < map.filled() as usize);
            assert_eq!(found, expected);
        }
    }
}
