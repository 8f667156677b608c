//! The arguments of `impinge bench`.

use super::value;
use clap::Subcommand;
use impinge::broad;
use std::path::PathBuf;

/// `impinge bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  impinge bench nbody \"sample:nbody?n=10000&kind=clustered\" --frames 200 --format json

Times are those of one thread unless --threads says otherwise.")]
pub(crate) struct BenchArgs {
    /// What to time.
    #[command(subcommand)]
    pub(crate) what: Bench,
}

/// What can be timed.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// The broad phase: many moving boxes, all overlapping pairs of each frame
    Nbody(NbodyArgs),
}

/// `impinge bench nbody`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge bench nbody 100000.txt --pruner auto --frames 100
  impinge bench nbody \"sample:nbody?n=10000&kind=spread&speed=0.01\" --format json

Files: a line `N r M S`, then N lines `px py pz vx vy vz`, all whole numbers; a seventh number is a
body's own radius. Boxes are (p ± r) · S / 2^23. In a frame, per axis: if p + v < r or p + v > M − r
then v = −v; then p += v.

Samples: sample:nbody?kind=…&n=1000&density=0.025&speed=0.1&seed=1, where kind is uniform, spread
(sizes 1 to 100, log-uniform), spread-power (by s^-4), clustered (90 % of the bodies in 1 % of the
room) or flat; density is the boxes' volume as a part of the room's, speed is in radii per frame.

Timed is the search for pairs alone: moving the bodies and writing their boxes is not, nor is the
frame before the first, which is told as first_ms. `pairs` is the sum over all frames; --answers has
the count of each. Exit code 3 if a frame had more pairs than --pair-limit.")]
pub(crate) struct NbodyArgs {
    /// An n-body file, or `sample:nbody?…`
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// How pairs are found.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = value::pruner)]
    #[arg(help = format!("How pairs are found: {}", value::list(broad::names())))]
    pub(crate) pruner: String,
    /// How many frames to time
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = value::frames)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) frames: usize,
    /// The most pairs of a frame; eight bytes each
    #[arg(long, value_name = "N", default_value_t = 100_000_000, value_parser = value::pair_limit)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) pair_limit: usize,
    /// Writes the number of pairs of each frame, one per line
    #[arg(long, value_name = "FILE", value_parser = value::answers)]
    pub(crate) answers: Option<PathBuf>,
}
