//! `impinge lab`: runs experiments.

use crate::args::{Common, Format, LabArgs};
use crate::outcome::Outcome;
use crate::output;
use anyhow::{Result, bail};
use impinge_lab::Settings;

/// Runs the command.
pub(crate) fn run(args: &LabArgs, common: &Common) -> Result<Outcome> {
    if common.format != Format::Text {
        bail!("experiments print text and write CSV to --out; --format is not for them");
    }
    if args.name == "list" {
        output::print(&impinge_lab::list())?;
        return Ok(Outcome::Done);
    }
    let settings = Settings {
        quick: args.quick,
        out: args.out.clone(),
        threads: common.threads.unwrap_or(1),
        seed: args.seed,
    };
    impinge_lab::run(&args.name, &settings)?;
    Ok(Outcome::Done)
}
