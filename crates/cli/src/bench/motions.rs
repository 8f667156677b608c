//! `impinge bench motions`: the first contacts of one pair of meshes along many motions.

use super::timed::{self, Figures};
use crate::args::bench::MotionsArgs;
use crate::args::{Common, Format};
use crate::check::places::Kind;
use crate::outcome::Outcome;
use crate::output;
use anyhow::Result;
use impinge::prelude::Query;
use schemars::JsonSchema;
use serde::Serialize;

/// The line of `impinge bench motions --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "impinge bench motions")]
pub(crate) struct MotionsLine {
    #[serde(flatten)]
    figures: Figures,
    /// How wide the interval of a first contact may be, as a part of the motion.
    tolerance: f64,
}

/// Runs the command.
pub(crate) fn run(args: &MotionsArgs, common: &Common) -> Result<Outcome> {
    let query = Query { tolerance: args.tolerance, ..Query::FIRST_CONTACT };
    let figures = timed::run(&args.timed, (&args.motions, Kind::Motions), query)?;
    let line = MotionsLine { figures, tolerance: args.tolerance };
    let figures = &line.figures;
    let shown = match common.format {
        Format::Text => figures.text("first contact", "motion", ""),
        Format::Json => serde_json::to_string(&line)? + "\n",
        Format::Csv => {
            super::csv(&serde_json::to_value(&line)?, &[&timed::NAMES[..], &["tolerance"]].concat())
        }
    };
    output::print(&shown)?;
    Ok(if figures.unknown == 0 { Outcome::Done } else { Outcome::Unknown })
}
