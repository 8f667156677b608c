//! Solids that are put together from upright boxes: one closed surface around all of them.

use crate::surface::Surface;
use impinge_geom::Point;
use std::collections::BTreeMap;

/// Two opposite corners of a box, the lower one first.
pub(crate) type Block = [Point; 2];

/// The surface around the union of boxes. Every plane of a box cuts all of them, so that faces meet
/// corner to corner. Boxes must not meet in nothing but an edge or a corner.
pub(crate) fn union(blocks: &[Block]) -> Surface {
    let grid = Grid::new(blocks);
    let mut known = BTreeMap::new();
    let mut surface = Surface::default();
    let [nx, ny, nz] = grid.cells();
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..nz {
                for axis in 0..3 {
                    for up in [false, true] {
                        if let Some(corners) = grid.side([x, y, z], axis, up) {
                            let [a, b, c, d] = corners.map(|corner| {
                                *known.entry(corner).or_insert_with(|| {
                                    surface.vertices.push(grid.point(corner));
                                    surface.vertices.len() as u32 - 1
                                })
                            });
                            surface.triangles.extend([[a, b, c], [a, c, d]]);
                        }
                    }
                }
            }
        }
    }
    surface
}

/// Space cut along the planes of all boxes.
struct Grid {
    lines: [Vec<f64>; 3],
    solid: Vec<bool>,
}

impl Grid {
    fn new(blocks: &[Block]) -> Self {
        let lines: [Vec<f64>; 3] = std::array::from_fn(|k| {
            let mut lines: Vec<f64> = blocks.iter().flatten().map(|corner| corner[k]).collect();
            lines.sort_unstable_by(f64::total_cmp);
            lines.dedup();
            lines
        });
        let mut grid = Self { solid: Vec::new(), lines };
        let [nx, ny, nz] = grid.cells();
        let middle =
            |k: usize, cell: usize| f64::midpoint(grid.lines[k][cell], grid.lines[k][cell + 1]);
        let mut solid = Vec::with_capacity(nx * ny * nz);
        for x in 0..nx {
            for y in 0..ny {
                for z in 0..nz {
                    let at = [middle(0, x), middle(1, y), middle(2, z)];
                    let holds =
                        |[low, high]: &Block| (0..3).all(|k| low[k] < at[k] && at[k] < high[k]);
                    solid.push(blocks.iter().any(holds));
                }
            }
        }
        grid.solid = solid;
        grid
    }

    fn cells(&self) -> [usize; 3] {
        [0, 1, 2].map(|k| self.lines[k].len() - 1)
    }

    fn point(&self, corner: [usize; 3]) -> Point {
        [0, 1, 2].map(|k| self.lines[k][corner[k]])
    }

    fn is_solid(&self, [x, y, z]: [usize; 3]) -> bool {
        let [_, ny, nz] = self.cells();
        self.solid[(x * ny + y) * nz + z]
    }

    /// The corners of a side of a cell, counter-clockwise from outside, if it is part of the surface.
    /// The first and the third are its lowest and its highest corner, whichever way it looks, so that
    /// opposite sides are cut along the same diagonal.
    fn side(&self, cell: [usize; 3], axis: usize, up: bool) -> Option<[[usize; 3]; 4]> {
        let mut beyond = cell;
        let outside = if up {
            beyond[axis] += 1;
            beyond[axis] == self.cells()[axis] || !self.is_solid(beyond)
        } else {
            beyond[axis] = beyond[axis].wrapping_sub(1);
            cell[axis] == 0 || !self.is_solid(beyond)
        };
        if !self.is_solid(cell) || !outside {
            return None;
        }
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let corner = |[du, dv]: [usize; 2]| {
            let mut corner = cell;
            corner[axis] += usize::from(up);
            corner[u] += du;
            corner[v] += dv;
            corner
        };
        let around =
            if up { [[0, 0], [1, 0], [1, 1], [0, 1]] } else { [[0, 0], [0, 1], [1, 1], [1, 0]] };
        Some(around.map(corner))
    }
}
