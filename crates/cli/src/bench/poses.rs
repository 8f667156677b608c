//! `impinge bench poses`: one pair of meshes at many poses.

use super::timed::{self, Figures};
use crate::args::bench::PosesArgs;
use crate::args::{Common, Format};
use crate::check::places::Kind;
use crate::number::of;
use crate::outcome::Outcome;
use crate::output;
use anyhow::Result;
use schemars::JsonSchema;
use serde::Serialize;

/// The line of `impinge bench poses --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "impinge bench poses")]
pub(crate) struct PosesLine {
    #[serde(flatten)]
    figures: Figures,
    /// What was asked: `touching`, `pairs`, `contacts` or `clearance`.
    want: &'static str,
}

/// Runs the command.
pub(crate) fn run(args: &PosesArgs, common: &Common) -> Result<Outcome> {
    let figures = timed::run(&args.timed, (&args.poses, Kind::Poses), args.want.query())?;
    let line = PosesLine { figures, want: args.want.name() };
    let figures = &line.figures;
    let shown = match common.format {
        Format::Text => {
            let pairs = format!("; {}", of(figures.pairs, "triangle pair"));
            figures.text(line.want, "pose", &pairs)
        }
        Format::Json => serde_json::to_string(&line)? + "\n",
        Format::Csv => {
            super::csv(&serde_json::to_value(&line)?, &[&timed::NAMES[..], &["want"]].concat())
        }
    };
    output::print(&shown)?;
    Ok(if figures.unknown == 0 { Outcome::Done } else { Outcome::Unknown })
}
