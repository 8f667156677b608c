//! The inside of meshes that are not closed: where the generalised winding number exceeds one half.

use super::grid::Grid;
use super::map::VoxelMap;
use crate::mesh::Mesh;
use crate::winding::winding_number;

/// The voxels at whose middles the winding number of the mesh exceeds one half.
pub fn inside(mesh: &Mesh, grid: Grid) -> VoxelMap {
    let [across, deep, high] = grid.counts();
    let all = || (0..mesh.triangles().len() as u32).map(|i| mesh.triangle(i));
    VoxelMap::build(grid, |[bx, by], column| {
        for y in 8 * by..deep.min(8 * by + 8) {
            for x in 8 * bx..across.min(8 * bx + 8) {
                for z in 0..high {
                    if winding_number(&grid.centre([x, y, z]), all()) > 0.5 {
                        column.fill([x % 8, y % 8], z);
                    }
                }
            }
        }
    })
}
