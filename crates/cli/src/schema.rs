//! `impinge schema`: what programs may expect.

use crate::args::{SchemaArgs, SchemaOf};
use crate::check::line::CheckLine;
use crate::info::InfoLine;
use crate::outcome::Outcome;
use crate::output;
use crate::samples::SampleLine;
use anyhow::Result;
use schemars::schema_for;

/// Runs the command.
pub(crate) fn run(args: &SchemaArgs) -> Result<Outcome> {
    let schema = match args.of {
        SchemaOf::Check => schema_for!(CheckLine<'static>).to_value(),
        SchemaOf::Info => schema_for!(InfoLine).to_value(),
        SchemaOf::Samples => schema_for!(SampleLine).to_value(),
        SchemaOf::Scene => impinge_scene::scene::schema(),
    };
    output::print(&(serde_json::to_string_pretty(&schema)? + "\n"))?;
    Ok(Outcome::Done)
}
