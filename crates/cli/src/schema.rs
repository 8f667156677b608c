//! `impinge schema`: what programs may expect.

use crate::args::{Common, Format, SchemaArgs, SchemaOf};
use crate::ask::AskLine;
use crate::bench::ccd::CcdLine;
use crate::bench::deform::DeformLine;
use crate::bench::make_motions::MakeMotionsLine;
use crate::bench::make_poses::MakePosesLine;
use crate::bench::motions::MotionsLine;
use crate::bench::nbody::NbodyLine;
use crate::bench::poses::PosesLine;
use crate::check::line::CheckLine;
use crate::fit::line::FitLine;
use crate::info::InfoLine;
use crate::lab::ExperimentLine;
use crate::outcome::Outcome;
use crate::output;
use crate::samples::SampleLine;
use crate::sim::line::SimLine;
use crate::spheretree::SpheretreeLine;
use crate::verify::VerifyLine;
use crate::voxelize::line::VoxelizeLine;
use anyhow::{Result, ensure};
use schemars::schema_for;

/// Runs the command.
pub(crate) fn run(args: &SchemaArgs, common: &Common) -> Result<Outcome> {
    ensure!(common.format != Format::Csv, "a schema is JSON; --format csv is not for it");
    let schema = match args.of {
        SchemaOf::Check => schema_for!(CheckLine<'static>).to_value(),
        SchemaOf::Verify => schema_for!(VerifyLine).to_value(),
        SchemaOf::Fit => schema_for!(FitLine<'static>).to_value(),
        SchemaOf::Sim => schema_for!(SimLine<'static>).to_value(),
        SchemaOf::Ask => schema_for!(AskLine<'static>).to_value(),
        SchemaOf::Spheretree => schema_for!(SpheretreeLine).to_value(),
        SchemaOf::Voxelize => schema_for!(VoxelizeLine).to_value(),
        SchemaOf::Info => schema_for!(InfoLine).to_value(),
        SchemaOf::Samples => schema_for!(SampleLine).to_value(),
        SchemaOf::Lab => schema_for!(ExperimentLine).to_value(),
        SchemaOf::BenchNbody => schema_for!(NbodyLine).to_value(),
        SchemaOf::BenchPoses => schema_for!(PosesLine).to_value(),
        SchemaOf::BenchMakePoses => schema_for!(MakePosesLine).to_value(),
        SchemaOf::BenchCcd => schema_for!(CcdLine).to_value(),
        SchemaOf::BenchDeform => schema_for!(DeformLine).to_value(),
        SchemaOf::BenchMotions => schema_for!(MotionsLine).to_value(),
        SchemaOf::BenchMakeMotions => schema_for!(MakeMotionsLine).to_value(),
        SchemaOf::Scene => impinge_scene::scene::schema(),
    };
    output::print(&(serde_json::to_string_pretty(&schema)? + "\n"))?;
    Ok(Outcome::Done)
}
