//! What can be typed. Values are checked here, so that the rest of the program sees only good ones.

pub(crate) mod ask;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod fit;
pub(crate) mod sim;
pub(crate) mod spheretree;
mod value;
pub(crate) mod verify;
pub(crate) mod voxelize;

use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Tells what touches what, where, and how far apart the rest is.
///
/// Without a command it checks a built-in sample and shows the answer.
#[derive(Debug, Parser)]
#[command(
    name = "impinge",
    version,
    infer_long_args = false,
    after_help = "Examples:
  impinge                                   check a built-in sample
  impinge check bracket.stl housing.stl     do two parts touch, and where?
  impinge info part.obj                     is the mesh closed, manifold, free of flaws?
  impinge samples                           models and scenes to try things with

Exit codes: 0 free or done, 1 something touches or is too close, 2 bad input or usage,
3 unknown (a budget was reached). The most severe wins: 2, then 1, then 3, then 0.
Without a command the sample is only shown: 0, although parts of it touch."
)]
pub(crate) struct Args {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What every command understands.
#[derive(Debug, clap::Args)]
pub(crate) struct Common {
    /// How many threads to use; the answers do not depend on it [default: all cores; for
    /// `bench` and `lab` 1]
    #[arg(long, global = true, value_name = "N", value_parser = value::threads)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) threads: Option<usize>,
    /// How to print: for people, or for programs
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// In a check: no progress bar, and in text only the verdicts; other commands have no use for it
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// JSON, one object per line; `impinge schema` describes it.
    Json,
    /// A table with a head line.
    Csv,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// What touches what: meshes, a scene, or an assembly
    Check(Box<check::CheckArgs>),
    /// Re-checks a certificate of a fitting check, independently
    Verify(verify::VerifyArgs),
    /// Whether a part gets along its path: a proof that it does, or the first contact
    Fit(fit::FitArgs),
    /// Bodies in motion: update rate, collisions, energy, recording
    Sim(sim::SimArgs),
    /// What rays meet, and what is around points
    Ask(ask::AskArgs),
    /// A mesh as voxels, written to a file that other programs read
    Voxelize(Box<voxelize::VoxelizeArgs>),
    /// A mesh as spheres, level by level, each of which holds all of its surface
    Spheretree(spheretree::SpheretreeArgs),
    /// What a mesh is like: size, closed, manifold, pieces, flaws
    Info(InfoArgs),
    /// The built-in models and scenes, usable as `sample:NAME` wherever a mesh or scene is
    Samples(SamplesArgs),
    /// The JSON schema of an output, or of the scene file
    Schema(SchemaArgs),
    /// Times of single stages, for comparison with other programs
    Bench(bench::BenchArgs),
    /// Experiments: each leaves a table, a CSV file and a plot
    Lab(LabArgs),
}

/// `impinge info`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  impinge info part.stl \"sample:torus?segments=64\" --format json")]
pub(crate) struct InfoArgs {
    /// Mesh files, scenes or `sample:NAME`; each object of a file is told of
    #[arg(required = true, value_name = "MESH")]
    pub(crate) meshes: Vec<String>,
    /// Unit of files that carry none: um, mm, cm, in, ft or m [default: mm]
    #[arg(long, value_name = "UNIT", value_parser = value::unit)]
    pub(crate) units: Option<impinge_scene::units::Unit>,
    /// Count self-intersections of large meshes too, which takes time
    #[arg(long)]
    pub(crate) self_intersections: bool,
}

/// `impinge samples`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge samples
  impinge samples \"torus-knot?p=3&q=5\" --export knot.ply
  impinge check sample:sphere \"sample:box?x=3\"
  impinge samples headlight-fitting --poses forced-left --out off.txt
  impinge check sample:headlight-fitting --poses off.txt

The motions of a sample are listed with it. They move its last part, which `check` does too.")]
pub(crate) struct SamplesArgs {
    /// Only this one; with an option also with parameters, as `sphere?faces=960`
    pub(crate) name: Option<String>,
    /// Writes the sample to a .ply or .glb file
    #[arg(long, value_name = "FILE", requires = "name", value_parser = value::export)]
    pub(crate) export: Option<PathBuf>,
    /// Writes a motion of the sample, each line a pose `qw qx qy qz tx ty tz`, as `check --poses`
    /// reads them
    #[arg(long, value_name = "MOTION", requires = "name", conflicts_with = "export")]
    #[arg(group = "motion")]
    pub(crate) poses: Option<String>,
    /// The same, but each line the pose before a step and the pose after it, 14 numbers
    #[arg(long, value_name = "MOTION", requires = "name", conflicts_with = "export")]
    #[arg(group = "motion")]
    pub(crate) motions: Option<String>,
    /// Where the motion is written [default: standard output]
    #[arg(long, value_name = "FILE", requires = "motion", value_parser = value::answers)]
    pub(crate) out: Option<PathBuf>,
}

/// `impinge schema`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  impinge schema check > check.schema.json

A schema is JSON, also with --format text.")]
pub(crate) struct SchemaArgs {
    /// Of what: one line of the output of a command, or the scene file
    #[arg(value_enum)]
    pub(crate) of: SchemaOf,
}

/// What there is a schema of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// A line of `impinge check --format json`.
    Check,
    /// The line of `impinge verify --format json`.
    Verify,
    /// The line of `impinge fit --format json`.
    Fit,
    /// A line of `impinge sim --format json`.
    Sim,
    /// A line of `impinge ask --format json`.
    Ask,
    /// The line of `impinge voxelize --format json`.
    Voxelize,
    /// The line of `impinge spheretree --format json`, and its file.
    Spheretree,
    /// A line of `impinge info --format json`.
    Info,
    /// A line of `impinge samples --format json`.
    Samples,
    /// A line of `impinge lab list --format json`.
    Lab,
    /// The line of `impinge bench nbody --format json`.
    BenchNbody,
    /// The line of `impinge bench poses --format json`.
    BenchPoses,
    /// The line of `impinge bench make-poses --format json`.
    BenchMakePoses,
    /// The line of `impinge bench motions --format json`.
    BenchMotions,
    /// The line of `impinge bench make-motions --format json`.
    BenchMakeMotions,
    /// The line of `impinge bench deform --format json`.
    BenchDeform,
    /// A line of `impinge bench ccd --format json`.
    BenchCcd,
    /// The scene file; TOML has the same shape as JSON.
    Scene,
}

/// `impinge lab`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge lab list
  impinge lab all --quick --out trial

Experiments measure one thread unless --threads says otherwise. They print text and write CSV to
--out; --format is for the list.")]
pub(crate) struct LabArgs {
    /// The name of an experiment, `all`, or `list` to see what there is
    pub(crate) name: String,
    /// Small inputs and short times: to see that it works, not to judge by
    #[arg(long)]
    pub(crate) quick: bool,
    /// The folder for results
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub(crate) out: PathBuf,
    /// Where random inputs start from
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value::seed)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) seed: u64,
}
