//! The arguments of `impinge fit`.

use super::value;
use impinge::prelude::Budget;
use impinge_fit::question::Question;
use impinge_scene::units::Length;
use std::path::PathBuf;

/// `impinge fit`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  impinge fit sample:headlight-cover --report cover.html
  impinge fit assembly.toml --clearance 0.5mm
  impinge fit assembly.toml --format json
  impinge fit assembly.toml --certificate proof.json && impinge verify proof.json

The scene says what moves, along which path, and which contacts are allowed: see [path] and
[[allow]] in docs/scene.md. The first line is the verdict.

CERTIFIED FREE: it is proven for every instant of the path, not only for some, that nothing touches
but what may, and that nothing comes nearer than the clearance that is told. The clearance of parts
that leave a seat (allowed until release) counts from when on it no longer only grows.

FIRST CONTACT: nothing touches before the first time; the parts touch at the second. Then all
intervals of contact along the path; free spans between them that are shorter than the time between
two samples are not seen.

UNKNOWN: the budget ended, or the parts are as near as rounding errors, at the times that are told.

Ctrl-C ends the search with what is known by then; a second one ends the program.

Exit codes: 0 free, 1 contact or too close, 2 bad input, 3 unknown.")]
pub(crate) struct FitArgs {
    /// A scene file (toml) with a [path], or `sample:NAME`
    #[arg(value_name = "SCENE")]
    pub(crate) scene: String,
    /// Where the files are that the scene names, if not in its own folder
    #[arg(long, value_name = "DIR")]
    pub(crate) meshes: Option<PathBuf>,
    /// Coming nearer than this counts as a finding, as 0.5mm [default: what the scene asks for]
    #[arg(long, value_name = "LENGTH", value_parser = value::length, allow_hyphen_values = true)]
    pub(crate) clearance: Option<Length>,
    /// How long to search: a time, as 2s, or units of work, as 1000000work; a unit is about a pair of
    /// boxes or triangles
    #[arg(long, value_name = "LIMIT", value_parser = value::budget, allow_hyphen_values = true)]
    pub(crate) budget: Option<Budget>,
    /// How far apart the two times of a first contact may be, as a part of the whole path
    #[arg(long, value_name = "T", value_parser = value::tolerance, allow_hyphen_values = true)]
    #[arg(default_value_t = Question::default().tolerance)]
    pub(crate) tolerance: f64,
    /// At about so many instants the clearance is told, and free spans between contacts are looked for
    #[arg(long, value_name = "N", value_parser = value::samples, allow_hyphen_values = true)]
    #[arg(default_value_t = Question::default().samples)]
    pub(crate) samples: usize,
    /// Writes a page to look at: the parts in motion, the clearance over time, all contacts
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Writes a proof of the answer, which `impinge verify` checks independently
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
}
