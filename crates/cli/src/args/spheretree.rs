//! What can be typed after `impinge spheretree`.

use super::value;
use clap::ValueEnum;
use impinge_geom::coins::Builder;
use impinge_scene::units::Unit;
use std::path::PathBuf;

/// `impinge spheretree`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge spheretree part.stl --levels 3 --out spheres.json
  impinge spheretree sample:torus-knot --format csv
  impinge spheretree part.stl --builder octree --levels 5

The spheres of each level hold the whole surface, for certain: each holds all triangles below it.
A sphere is also cut by a slab, a plate of a certain thickness through its middle, which holds the
same triangles and is what makes bounds of distances sharp. No point of a sphere is farther from
the surface than its error. `outside` is how far points of the outside of a level, those of its
spheres that are in no other one, were found to be from the surface: a sample of them; `cut` is
the same for spheres cut by their slabs.

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
    /// How the tree is built
    #[arg(long, value_enum, default_value_t = BuilderArg::Coins)]
    pub(crate) builder: BuilderArg,
    /// Writes the spheres to a .json file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Unit of files that carry none: um, mm, cm, in, ft or m [default: mm]
    #[arg(long, value_name = "UNIT", value_parser = value::unit)]
    pub(crate) units: Option<Unit>,
}

/// How a tree is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BuilderArg {
    /// Spheres cut by slabs, around parts that are as round as can be
    Coins,
    /// Spheres around the cells of an octree
    Octree,
    /// The same, improved by simulated annealing
    Annealed,
}

impl BuilderArg {
    /// As the library calls it.
    pub(crate) fn builder(self) -> Builder {
        match self {
            Self::Coins => Builder::Coins,
            Self::Octree => Builder::Octree,
            Self::Annealed => Builder::Annealed,
        }
    }
}
