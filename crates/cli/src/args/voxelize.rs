//! What can be typed after `impinge voxelize`.

use super::value;
use clap::{ArgGroup, ValueEnum};
use impinge_scene::units::{Length, Unit};
use std::path::PathBuf;

/// `impinge voxelize`.
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("fineness").required(true))]
#[command(after_help = "Examples:
  impinge voxelize part.stl --size 0.5mm --out part.nrrd
  impinge voxelize sample:torus-knot --resolution 128 --out knot.binvox --slices layers
  impinge voxelize scan.ply --resolution 200 --inside winding --out scan.nrrd
  impinge voxelize sheet.obj --size 1mm --fill surface --out sheet.nhdr

Voxels are cubes along the axes. One is filled if its middle is inside the mesh (centre), if the
mesh touches it anywhere (cover), or if the surface touches it (surface). A mesh whose size is a
multiple of theirs ends at faces of voxels; otherwise as much is left over on both sides. Files have
one empty voxel more on every side; .binvox files are filled up to a cube.

A closed mesh is decided exactly, also where columns of voxels go through edges and corners; where
its shells overlap it is inside, and cavities are outside. A mesh with holes has no inside in that
sense: --inside winding takes the places that it surrounds by more than half.

Exit codes: 0 done, 2 bad input.")]
pub(crate) struct VoxelizeArgs {
    /// A mesh file, a scene or `sample:NAME`; several bodies are taken together
    #[arg(value_name = "MESH")]
    pub(crate) mesh: String,
    /// The edge of a voxel, as 0.5mm
    #[arg(long, value_name = "LENGTH", group = "fineness", value_parser = value::length)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) size: Option<Length>,
    /// As many voxels along the longest side of the mesh
    #[arg(long, value_name = "N", group = "fineness", value_parser = value::resolution)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) resolution: Option<u32>,
    /// Which voxels are filled
    #[arg(long, value_enum, default_value_t = Fill::Centre)]
    pub(crate) fill: Fill,
    /// What counts as inside
    #[arg(long, value_enum, default_value_t = InsideBy::Closed)]
    pub(crate) inside: InsideBy,
    /// How the inside of a closed mesh is found; both give the same voxels
    #[arg(long, value_enum, default_value_t = Method::Rays)]
    pub(crate) method: Method,
    /// Writes the voxels to a .binvox, .nrrd or .nhdr file
    #[arg(long, value_name = "FILE", value_parser = value::voxels)]
    pub(crate) out: Option<PathBuf>,
    /// Writes a picture (png) of each layer into this folder
    #[arg(long, value_name = "DIR", value_parser = value::folder)]
    pub(crate) slices: Option<PathBuf>,
    /// The axis across which the layers of the pictures lie
    #[arg(long, value_enum, default_value_t = Axis::Z)]
    pub(crate) axis: Axis,
    /// Unit of files that carry none: um, mm, cm, in, ft or m [default: mm]
    #[arg(long, value_name = "UNIT", value_parser = value::unit)]
    pub(crate) units: Option<Unit>,
}

/// Which voxels are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Fill {
    /// Those whose middles are inside.
    Centre,
    /// Those that are inside or touched by the surface.
    Cover,
    /// Those that are touched by the surface.
    Surface,
}

/// What counts as inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InsideBy {
    /// What closed shells surround.
    Closed,
    /// Where the winding number exceeds one half.
    Winding,
}

/// How the inside of a closed mesh is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Rays along z, all crossings.
    Rays,
    /// Scan conversion of the surface and seed fill.
    Seed,
}

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Axis {
    /// Layers of equal x.
    X,
    /// Layers of equal y.
    Y,
    /// Layers of equal z.
    Z,
}
