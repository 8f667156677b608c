//! The program `impinge`: arguments to a plan, the plan to a run. People read its text, programs
//! its JSON and its exit code.

mod args;
mod ask;
mod bench;
mod check;
mod fit;
mod gpu;
mod info;
mod input;
mod lab;
mod number;
mod outcome;
mod output;
mod paint;
mod samples;
mod schema;
mod sim;
mod spheretree;
mod verify;
mod verify_scene;
mod voxelize;

use anyhow::{Context, Result};
use args::{Args, Command};
use clap::Parser;
use clap::error::ErrorKind;
use outcome::{BAD_INPUT, Outcome};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage(&error),
    };
    match run(&args) {
        Ok(outcome) => outcome.code(),
        // Whoever read our output has enough of it: not an error, and nobody is left to tell.
        Err(error) if output::is_broken_pipe(&error) => Outcome::Done.code(),
        Err(error) => {
            output::complain(&format!("error: {error:#}"));
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// Help and versions, or what is wrong with the arguments: a bad value in one line, as all bad
/// input; for the rest the usage helps.
fn usage(error: &clap::Error) -> ExitCode {
    if error.kind() == ErrorKind::ValueValidation {
        let text = error.to_string();
        output::complain(text.lines().next().unwrap_or("error: bad arguments"));
    } else if let Err(failed) = error.print()
        && failed.kind() != std::io::ErrorKind::BrokenPipe
    {
        output::complain(&format!("error: {}: {failed}", output::CANNOT_WRITE));
        return ExitCode::from(BAD_INPUT);
    }
    if error.use_stderr() { ExitCode::from(BAD_INPUT) } else { ExitCode::SUCCESS }
}

fn run(args: &Args) -> Result<Outcome> {
    // Zero stands for all cores. Times compare one core with one core unless told otherwise.
    let timed = matches!(args.command, Some(Command::Bench(_) | Command::Lab(_)));
    let default = usize::from(timed);
    let threads = args.common.threads.unwrap_or(default);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.context("the threads cannot be started; try --threads 1")?;
    let common = &args.common;
    pool.install(|| match &args.command {
        None => check::demonstrate(common),
        Some(Command::Check(args)) => check::run(args, common),
        Some(Command::Verify(args)) => verify::run(args, common),
        Some(Command::Ask(args)) => ask::run(args, common),
        Some(Command::Fit(args)) => fit::run(args, common),
        Some(Command::Sim(args)) => sim::run(args, common),
        Some(Command::Voxelize(args)) => voxelize::run(args, common),
        Some(Command::Spheretree(args)) => spheretree::run(args, common),
        Some(Command::Info(args)) => info::run(args, common),
        Some(Command::Samples(args)) => samples::run(args, common),
        Some(Command::Schema(args)) => schema::run(args, common),
        Some(Command::Bench(args)) => bench::run(args, common),
        Some(Command::Lab(args)) => lab::run(args, common),
    })
}
