//! What can be typed after `impinge spheretree`.

use super::value;
use impinge_scene::units::Unit;
use std::path::PathBuf;

/// `impinge spheretree`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge spheretree part.stl --levels 3 --out spheres.json
  impinge spheretree sample:torus-knot --format csv

The spheres of each level hold the whole surface, for certain: each holds all triangles below it.
A sphere is also cut by a slab, a plate of a certain thickness through its middle, which holds the
same triangles and is what makes bounds of distances sharp. No point of a sphere is farther from
the surface than its error.

The file has all levels, from one sphere around everything to the last level that was asked for;
each sphere names the one above it.

Exit codes: 0 done, 2 bad input.")]
pub(crate) struct SpheretreeArgs {
    /// A mesh file, a scene or `sample:NAME`; several bodies are taken together
    #[arg(value_name = "MESH")]
    pub(crate) mesh: String,
    /// How many levels below the first sphere, each with up to eight times as many [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) levels: Option<usize>,
    /// Writes the spheres to a .json file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Unit of files that carry none: um, mm, cm, in, ft or m [default: mm]
    #[arg(long, value_name = "UNIT", value_parser = value::unit)]
    pub(crate) units: Option<Unit>,
}
