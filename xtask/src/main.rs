//! Chores of this repository: `cargo xtask help` lists them.

mod ci;
mod gpu;
mod peers;
mod report;
mod results;
mod tidy;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask COMMAND

  ci        all that must hold before a commit is merged: fmt, clippy, tests, docs, tidy, report
  gpu       the crate of the graphics processor, which ci leaves out: clippy and tests
  tidy      the rules of the house style that rustfmt and clippy do not know
  peers     ours beside other libraries: `peers nbody`, `poses`, `motions`, `ccd`; see their help
  report    bundles the page of the HTML report; `--check` compares, `--test` tries it in a browser
  results   writes docs/RESULTS.md from results/*.csv
  help      this list
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = root()?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["ci"] => ci::run(&root),
        ["gpu"] => gpu::run(&root),
        ["tidy"] => tidy::run(&root),
        ["results"] => results::run(&root),
        ["report", ..] => report::run(&root, &arguments[1..]),
        ["peers", ..] => peers::run(&root, &arguments[1..]),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => bail!("unknown command `{}`\n\n{HELP}", arguments.join(" ")),
    }
}

/// The folder of the workspace: the one above this crate.
fn root() -> Result<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(own.parent().context("xtask lies in a folder of the workspace")?.to_owned())
}
