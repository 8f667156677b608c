//! How deep a place is in what is filled, and which way leads out: the lattice of distances, linear
//! between the middles of cells.

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

/// What the lattice tells about a place.
pub fn depth(lattice: &Lattice, place: &Point) -> Depth {
    let cells = lattice.cells();
    let cell = f64::from(CELL);
    let mut part = [0.0; 3];
    let (mut first, mut stride) = (0, 1);
    let mut strides = [0usize; 3];
    for k in 0..3 {
        let last = f64::from(cells[k] - 1);
        let at = (place[k] / cell - 0.5).clamp(0.0, last);
        let low = (at as u32).min(cells[k].saturating_sub(2));
        part[k] = at - f64::from(low);
        first += low as usize * stride;
        // Where there is one cell only it is both neighbours.
        strides[k] = if cells[k] > 1 { stride } else { 0 };
        stride *= cells[k] as usize;
    }
    let values = lattice.values();
    let corners: [f64; 8] = std::array::from_fn(|corner| {
        let step = |k: usize| (corner >> k & 1) * strides[k];
        f64::from(values[first + step(0) + step(1) + step(2)])
    });
    let weight =
        |corner: usize, k: usize| if corner >> k & 1 == 1 { part[k] } else { 1.0 - part[k] };
    let distance: f64 =
        (0..8).map(|c| corners[c] * weight(c, 0) * weight(c, 1) * weight(c, 2)).sum();
    let slope: Point = std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let sign = |c: usize| if c >> k & 1 == 1 { 1.0 } else { -1.0 };
        (0..8).map(|c| sign(c) * corners[c] * weight(c, i) * weight(c, j)).sum()
    });
    let length = slope.iter().map(|x| x * x).sum::<f64>().sqrt();
    let out = if length > 0.0 { slope.map(|x| x / length) } else { [0.0; 3] };
    Depth { depth: -distance * f64::from(UNIT), out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voxels::grid::Grid;
    use crate::voxels::lattice::lattice;
    use crate::voxels::map::VoxelMap;

    #[test]
    fn depths_of_a_ball_are_right_to_a_voxel() {
        let grid = Grid::new([-21.5; 3], 1.0, [43; 3]).unwrap();
        let map = VoxelMap::build(grid, |[bx, by], column| {
            for bit in 0..64 {
                for z in 0..8 * grid.bricks()[2] {
                    let p = grid.centre([8 * bx + bit % 8, 8 * by + bit / 8, z]);
                    if p.iter().map(|x| x * x).sum::<f64>() <= 400.0 {
                        column.fill([bit % 8, bit / 8], z);
                    }
                }
            }
        });
        let lattice = lattice(&map);
        for i in 0..500 {
            let turn = f64::from(i) * 0.7;
            let (up, r) = ((f64::from(i) * 0.37).sin(), 13.0 + f64::from(i % 90) * 0.1);
            let flat = (1.0 - up * up).sqrt();
            let direction = [flat * turn.cos(), flat * turn.sin(), up];
            let place = grid.to_voxels(&direction.map(|x| x * r));
            let Depth { depth, out } = depth(&lattice, &place);
            assert!((depth - (20.0 - r)).abs() < 1.5, "{r}: {depth}");
            let along: f64 = (0..3).map(|k| out[k] * direction[k]).sum();
            assert!(along > 0.9, "{direction:?}: {out:?}");
        }
    }
}
