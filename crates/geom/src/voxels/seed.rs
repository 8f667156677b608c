//! Scan conversion and seed fill, the other way from a mesh to voxels [V00 §5].
//!
//! The voxels that the surface touches part all others into regions, and a region is inside or outside
//! as a whole. The one with the rim of the grid is outside; of each other region a single middle is
//! asked. Touched voxels are on both sides: each is told by its own middle, as in [`super::solid`], so
//! both ways give the same voxels.
//!
//! Departs from the paper, which takes all touched voxels as filled: that is
//! [`VoxelMap::union`] with [`super::surface::touched`].

use super::grid::Grid;
use super::map::{Brick, VoxelMap};
use super::rays::ClosedMesh;
use super::solid::{Crossing, Crossings, Solid, VoxelError, fill_between};
use super::surface::touched;
use crate::mesh::Mesh;

/// The voxels of `grid` whose middles are inside a closed mesh, by regions.
pub fn inside(mesh: &Mesh, grid: Grid) -> Result<VoxelMap, VoxelError> {
    let solid = ClosedMesh::new(mesh)?;
    let crossings = solid.over(&grid);
    let surface = touched(mesh, grid);
    let regions = Regions::of(&surface, &*crossings);
    let [across, deep, _] = grid.bricks();
    Ok(VoxelMap::build(grid, |[x, y], column| {
        fill_between(&mut crossed(&*crossings, [x, y]), column);
        for (layer, z) in column.layers_mut().iter_mut().zip(0u32..) {
            let brick = ((z / 8 * deep + y) * across + x) as usize;
            let on_surface = surface.brick([x, y, z / 8])[(z % 8) as usize];
            *layer = *layer & on_surface | regions.inner[brick][(z % 8) as usize];
        }
    }))
}

fn crossed(crossings: &dyn Crossings, at: [u32; 2]) -> Vec<Crossing> {
    let mut found = Vec::new();
    crossings.cross(at, &mut found);
    found
}

/// Bricks of bits over a whole grid, x fastest.
struct Regions {
    bricks: [u32; 3],
    /// What has not been reached yet, and may be.
    open: Vec<Brick>,
    /// What belongs to regions that are inside.
    inner: Vec<Brick>,
}

impl Regions {
    /// Finds all regions. The regions are taken in the order of their first voxels.
    fn of(surface: &VoxelMap, crossings: &dyn Crossings) -> Self {
        let bricks = surface.grid().bricks();
        let mut regions = Self {
            bricks,
            open: open_voxels(surface),
            inner: vec![[0; 8]; bricks.iter().product::<u32>() as usize],
        };
        // The rim of the grid is never filled, so that it is one region.
        regions.flood([0; 3], layer_alone(0, 1), false);
        for number in 0..regions.open.len() as u32 {
            let [across, deep, _] = bricks;
            let at = [number % across, number / across % deep, number / across / deep];
            while let Some(z) = (0..8).find(|&z| regions.open[number as usize][z] != 0) {
                let layer = regions.open[number as usize][z];
                let seed = layer & layer.wrapping_neg();
                let column = seed.trailing_zeros() as u8;
                let height = 8 * at[2] + z as u32;
                let below = crossed(crossings, [at[0], at[1]]).into_iter();
                let below = below.filter(|found| found.column == column && found.voxel <= height);
                let around: i32 = below.map(|found| i32::from(found.sign)).sum();
                regions.flood(at, layer_alone(z, seed), around != 0);
            }
        }
        regions
    }

    /// Reaches everything that hangs together with a voxel: whole bricks at a time, until no brick
    /// gets anything new from a neighbour.
    fn flood(&mut self, at: [u32; 3], seed: Brick, is_inside: bool) {
        let mut queue = vec![(at, seed)];
        while let Some((at, arriving)) = queue.pop() {
            let number = self.number(at);
            let open = &mut self.open[number];
            let reached = spread(arriving, open);
            if reached == [0; 8] {
                continue;
            }
            for layer in 0..8 {
                open[layer] &= !reached[layer];
                if is_inside {
                    self.inner[number][layer] |= reached[layer];
                }
            }
            for (axis, up) in [(0, true), (0, false), (1, true), (1, false), (2, true), (2, false)]
            {
                let beyond = if up { at[axis] + 1 } else { at[axis].wrapping_sub(1) };
                if beyond < self.bricks[axis] {
                    let mut next = at;
                    next[axis] = beyond;
                    queue.push((next, across(&reached, axis, up)));
                }
            }
        }
    }

    fn number(&self, [x, y, z]: [u32; 3]) -> usize {
        ((z * self.bricks[1] + y) * self.bricks[0] + x) as usize
    }
}

/// A brick with one layer that is not empty.
fn layer_alone(z: usize, layer: u64) -> Brick {
    std::array::from_fn(|k| if k == z { layer } else { 0 })
}

/// All voxels of the grid that are not on the surface.
fn open_voxels(surface: &VoxelMap) -> Vec<Brick> {
    let (counts, [across, deep, high]) = (surface.grid().counts(), surface.grid().bricks());
    let within = |axis: usize, i: u32| i < counts[axis];
    let mut open = Vec::with_capacity((across * deep * high) as usize);
    for number in 0..across * deep * high {
        let at = [number % across, number / across % deep, number / across / deep];
        let mut mask = 0;
        for bit in 0..64 {
            let is_there = within(0, 8 * at[0] + bit % 8) && within(1, 8 * at[1] + bit / 8);
            mask |= u64::from(is_there) << bit;
        }
        let brick = surface.brick(at);
        open.push(std::array::from_fn(|z| {
            if within(2, 8 * at[2] + z as u32) { mask & !brick[z] } else { 0 }
        }));
    }
    open
}

/// Bits with x = 0, or with x = 7.
const LOW_X: u64 = 0x0101_0101_0101_0101;
const HIGH_X: u64 = LOW_X << 7;

/// What can be reached within a brick of open voxels.
fn spread(start: Brick, open: &Brick) -> Brick {
    let mut reached: Brick = std::array::from_fn(|z| start[z] & open[z]);
    loop {
        let before = reached;
        for z in (0..8).chain((0..8).rev()) {
            let mut layer = reached[z];
            if z > 0 {
                layer |= reached[z - 1];
            }
            if z < 7 {
                layer |= reached[z + 1];
            }
            layer &= open[z];
            // Within a layer a winding way takes at most as many steps as it has voxels.
            for _ in 0..64 {
                let beside = (layer & !HIGH_X) << 1 | (layer & !LOW_X) >> 1;
                let wider = (layer | beside | layer << 8 | layer >> 8) & open[z];
                if wider == layer {
                    break;
                }
                layer = wider;
            }
            reached[z] = layer;
        }
        if reached == before {
            return reached;
        }
    }
}

/// What arrives in the next brick along an axis.
fn across(reached: &Brick, axis: usize, up: bool) -> Brick {
    match (axis, up) {
        (0, true) => reached.map(|layer| (layer & HIGH_X) >> 7),
        (0, false) => reached.map(|layer| (layer & LOW_X) << 7),
        (1, true) => reached.map(|layer| layer >> 56),
        (1, false) => reached.map(|layer| layer << 56),
        (_, true) => [reached[7], 0, 0, 0, 0, 0, 0, 0],
        (_, false) => [0, 0, 0, 0, 0, 0, 0, reached[0]],
    }
}
