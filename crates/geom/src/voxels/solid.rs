//! Filling voxels: what a ray along z can hit, and which voxels lie inside of it [V00 §5].
//!
//! A voxel is inside if its middle is. Every column of voxels is a ray, and a [`Solid`] tells all
//! crossings of that ray with their signs, meshes and algebraic shapes alike. A middle is inside
//! where the signs of the crossings below it do not cancel.

use super::grid::Grid;
use super::map::{Column, VoxelMap};
use super::rays::ClosedMesh;
use super::soup;
use crate::Triangle;
use crate::aabb::Aabb;
use crate::mesh::Mesh;
use crate::predicates::{is_degenerate, orient3d};

/// What a ray along z can hit.
pub trait Solid: Sync {
    /// The box around it.
    fn bounds(&self) -> Aabb;

    /// Makes it ready for the voxels of a grid.
    fn over<'a>(&'a self, grid: &'a Grid) -> Box<dyn Crossings + 'a>;
}

/// A solid over a grid.
pub trait Crossings: Sync {
    /// Adds all crossings with the 64 columns of voxels that the column of bricks `at` consists of,
    /// in any order.
    fn cross(&self, at: [u32; 2], found: &mut Vec<Crossing>);
}

/// Where a column of voxels goes into a solid or out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crossing {
    /// The column: 8·y + x, counted within the brick.
    pub column: u8,
    /// The first voxel whose middle is above the crossing. Beyond the grid if there is none.
    pub voxel: u32,
    /// 1 on the way in, −1 on the way out.
    pub sign: i8,
}

/// What counts as the inside of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// What closed shells surround: shells may overlap, and cavities are outside. Exact.
    Closed,
    /// Where the generalised winding number exceeds one half, for meshes with holes.
    Winding,
}

/// Why a mesh cannot be filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VoxelError {
    /// A surface with a rim.
    #[error(
        "{faces} faces belong to no closed surface ({edges} edges have an odd number of faces); a \
         solid needs a closed surface"
    )]
    Open {
        /// Triangles that are no part of a closed shell.
        faces: usize,
        /// Edges of one face, or of three.
        edges: usize,
    },
    /// Nothing between front and back.
    #[error(
        "the mesh has zero thickness: all of its {faces} faces lie in one plane or on their own \
         backs, so that nothing is inside"
    )]
    Flat {
        /// Triangles of the mesh.
        faces: usize,
    },
}

impl VoxelError {
    /// What helps those who have voxels and points made of a mesh.
    pub(super) fn remedy(&self) -> &'static str {
        match self {
            Self::Open { .. } => "; inside=winding takes the inside by winding number",
            Self::Flat { .. } => "",
        }
    }
}

/// The voxels of `grid` whose middles are inside the mesh. A middle on the surface itself counts
/// with the side below it.
pub fn inside(mesh: &Mesh, grid: Grid, rule: Inside) -> Result<VoxelMap, VoxelError> {
    match rule {
        Inside::Closed => Ok(fill(&ClosedMesh::new(mesh)?, grid)),
        Inside::Winding => {
            check_thickness(mesh)?;
            Ok(soup::inside(mesh, grid))
        }
    }
}

/// Refuses a mesh that lies in a plane: seen from there its winding number is one half of either sign, by
/// rounding.
pub(super) fn check_thickness(mesh: &Mesh) -> Result<(), VoxelError> {
    let faces = mesh.triangles().len();
    let all = (0..faces as u32).map(|face| mesh.triangle(face));
    if is_flat(all) { Err(VoxelError::Flat { faces }) } else { Ok(()) }
}

/// Whether all triangles lie in one plane.
pub(super) fn is_flat(mut triangles: impl Iterator<Item = Triangle> + Clone) -> bool {
    let Some([a, b, c]) = triangles.clone().find(|triangle| !is_degenerate(triangle)) else {
        return true;
    };
    triangles.all(|triangle| triangle.iter().all(|point| orient3d(&a, &b, &c, point) == 0))
}

/// The voxels of `grid` whose middles are inside a solid.
pub fn fill(solid: &dyn Solid, grid: Grid) -> VoxelMap {
    let crossings = solid.over(&grid);
    VoxelMap::build(grid, |at, column| {
        let mut found = Vec::new();
        crossings.cross(at, &mut found);
        fill_between(&mut found, column);
    })
}

/// Fills from each crossing where the sum of the signs leaves zero to the one where it returns.
pub(super) fn fill_between(crossings: &mut [Crossing], column: &mut Column) {
    crossings.sort_unstable();
    let layers = column.layers_mut();
    for of_column in crossings.chunk_by(|a, b| a.column == b.column) {
        let bit = 1 << of_column[0].column;
        let mut around = 0i32;
        for here in of_column.chunk_by(|a, b| a.voxel == b.voxel) {
            let after = around + here.iter().map(|crossing| i32::from(crossing.sign)).sum::<i32>();
            let changes = (around != 0) != (after != 0);
            if let (true, Some(layer)) = (changes, layers.get_mut(here[0].voxel as usize)) {
                *layer ^= bit;
            }
            around = after;
        }
    }
    // So far each bit tells where its column changes.
    let mut filled = 0;
    for layer in layers {
        filled ^= *layer;
        *layer = filled;
    }
}
