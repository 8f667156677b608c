//! `impinge bench`: times without file input, in the same way for all programs that are compared.

pub(crate) mod nbody;

use crate::args::Common;
use crate::args::bench::{Bench, BenchArgs};
use crate::outcome::Outcome;
use anyhow::Result;

/// Runs the command.
pub(crate) fn run(args: &BenchArgs, common: &Common) -> Result<Outcome> {
    match &args.what {
        Bench::Nbody(args) => nbody::run(args, common),
    }
}
