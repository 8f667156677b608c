//! A body as voxels and points: what is looked up, and what it is looked up in.

use super::border::border;
use super::cover;
use super::field::field;
use super::grid::{Grid, GridError};
use super::lattice::lattice;
use super::map::VoxelMap;
use super::shell::{STEPS, Shell};
use super::solid::{self, Inside, VoxelError};
use super::surface;
use crate::aabb::Aabb;
use crate::mesh::Mesh;
use impinge_simd::shell::balls::{CELL, Lattice, UNIT};
use impinge_simd::shell::tell::Distances;

/// Which voxels of a map are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Those whose middle is inside [V00 §5].
    Centre,
    /// Those and all that the surface touches, so that the whole body is in filled voxels.
    Cover,
}

/// How to make voxels and points of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// The edge of a voxel.
    pub size: f64,
    /// What is filled.
    pub fill: Fill,
    /// What is inside.
    pub inside: Inside,
}

/// A map, its distances from near and far, and a shell.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelBody {
    map: VoxelMap,
    field: Distances,
    lattice: Lattice,
    shell: Shell,
    fill: Fill,
}

/// Why a mesh has no voxels.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// The grid.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The inside.
    #[error("{error}{remedy}", error = .0, remedy = .0.remedy())]
    Voxel(#[from] VoxelError),
}

/// Voxels of the map that a shell is made from, along the edge of one of the map [V00 §5].
const FINER: f64 = std::f64::consts::SQRT_2;

/// Points deeper than this many voxels are worth adding to a shell.
const DEEP: f32 = 2.0;

impl VoxelBody {
    /// Makes them.
    pub fn new(mesh: &Mesh, recipe: &Recipe) -> Result<Self, BodyError> {
        let bounds = Aabb::around(mesh.vertices());
        let lay = if recipe.fill == Fill::Cover { Grid::covering } else { Grid::around };
        let grid = lay(&bounds, recipe.size)?;
        let fine = Grid::around(&bounds, recipe.size / FINER).map_err(coarser)?;
        let inside = solid::inside(mesh, grid, recipe.inside)?;
        let map = match recipe.fill {
            Fill::Centre => inside,
            Fill::Cover => inside.union(&surface::touched(mesh, grid)),
        };
        let (field, lattice) = (field(&map), lattice(&map));
        let border = border(&solid::inside(mesh, fine, recipe.inside)?);
        let (mut points, reach) = cover::complete(mesh, &border, FINER);
        let middle = |voxel: [u32; 3]| voxel.map(|i| i as i32 * STEPS + STEPS / 2);
        points.extend(border.by_brick().map(middle));
        let in_steps =
            |point: [f64; 3]| fine.to_voxels(&point).map(|x| (x * f64::from(STEPS)).round() as i32);
        points.extend(deepest(&map, &lattice).map(in_steps));
        // A millionth more than measured in f64, and half a step's rounding is in what was measured.
        let cover = reach * fine.size() * (1.0 + 1e-6);
        let shell = Shell::new(fine.origin(), fine.size() / f64::from(STEPS), points, cover);
        Ok(Self { map, field, lattice, shell, fill: recipe.fill })
    }

    /// Its voxels.
    pub fn map(&self) -> &VoxelMap {
        &self.map
    }

    /// How far places are from filled voxels.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// How far voxels near its surface are from it.
    pub fn field(&self) -> &Distances {
        &self.field
    }

    /// Its points.
    pub fn shell(&self) -> &Shell {
        &self.shell
    }

    /// How deep in the body a place outside of filled voxels may be: with `Cover` not at all, with
    /// `Centre` no farther from the surface than the middle of its voxel, which is outside.
    pub fn hollow(&self) -> f64 {
        match self.fill {
            Fill::Cover => 0.0,
            Fill::Centre => 0.5 * 3.0f64.sqrt() * self.map.grid().size(),
        }
    }

    /// How far from the body a place in a filled voxel may be.
    pub fn halo(&self) -> f64 {
        match self.fill {
            Fill::Cover => 3.0f64.sqrt() * self.map.grid().size(),
            Fill::Centre => 0.5 * 3.0f64.sqrt() * self.map.grid().size(),
        }
    }

    /// The memory of all of it.
    pub fn bytes(&self) -> usize {
        let distances = self.field.bytes() + size_of_val(self.lattice.values());
        self.map.bytes() + self.shell.bytes() + distances
    }
}

/// Why the finer map cannot be, in terms of the voxels that were asked for.
fn coarser(error: GridError) -> GridError {
    match error {
        GridError::TooFine { size, counts, gigabytes, needed } => {
            GridError::TooFine { size: size * FINER, counts, gigabytes, needed: needed * FINER }
        }
        other => other,
    }
}

/// Middles of cells that are deeper in what is filled than all cells around.
fn deepest(map: &VoxelMap, lattice: &Lattice) -> impl Iterator<Item = [f64; 3]> {
    let cells = lattice.cells();
    let value =
        move |[x, y, z]: [u32; 3]| lattice.values()[((z * cells[1] + y) * cells[0] + x) as usize];
    let is_deepest = move |cell: &[u32; 3]| {
        let here = value(*cell);
        if f32::from(here) * UNIT > -DEEP {
            return false;
        }
        let around = |k: usize| cell[k].saturating_sub(1)..(cell[k] + 2).min(cells[k]);
        let planes = around(2).flat_map(|z| around(1).map(move |y| [y, z]));
        let mut all = planes.flat_map(|[y, z]| around(0).map(move |x| [x, y, z]));
        // Of equally deep ones side by side the first is taken.
        all.all(|other| value(other) > here || (value(other) == here && other >= *cell))
    };
    let grid = *map.grid();
    let all = (0..cells.iter().product::<u32>())
        .map(move |i| [i % cells[0], i / cells[0] % cells[1], i / cells[0] / cells[1]]);
    all.filter(is_deepest).map(move |cell| {
        let middle = |k: usize| f64::from(CELL * cell[k] + CELL / 2);
        std::array::from_fn(|k| grid.origin()[k] + middle(k) * grid.size())
    })
}
