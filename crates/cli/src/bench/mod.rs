//! `impinge bench`: times without file input, in the same way for all programs that are compared.

pub(crate) mod ccd;
pub(crate) mod deform;
pub(crate) mod make_motions;
pub(crate) mod make_poses;
pub(crate) mod motions;
pub(crate) mod nbody;
mod pair;
pub(crate) mod poses;
mod timed;

use crate::args::Common;
use crate::args::bench::{Bench, BenchArgs};
use crate::outcome::Outcome;
use anyhow::Result;

/// Runs the command.
pub(crate) fn run(args: &BenchArgs, common: &Common) -> Result<Outcome> {
    match &args.what {
        Bench::Poses(args) => poses::run(args, common),
        Bench::MakePoses(args) => make_poses::run(args, common),
        Bench::Motions(args) => motions::run(args, common),
        Bench::MakeMotions(args) => make_motions::run(args, common),
        Bench::Nbody(args) => nbody::run(args, common),
        Bench::Deform(args) => deform::run(args, common),
        Bench::Ccd(args) => ccd::run(args, common),
    }
}

/// A line of names and one of the values that an object has for them.
fn csv(object: &serde_json::Value, names: &[&str]) -> String {
    let cell = |name: &&str| match &object[*name] {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let cells: Vec<String> = names.iter().map(cell).collect();
    format!("{}\n{}\n", names.join(","), cells.join(","))
}
