//! `cargo xtask ci`: every check in turn, each with its time; the first that fails ends the run.

use crate::{report, tidy};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A check that is a command of cargo.
struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
    /// A variable to set, and its value.
    variable: Option<(&'static str, &'static str)>,
}

/// The crate of the graphics processor takes minutes to build: `cargo xtask gpu` checks it.
const STEPS: [Step; 4] = [
    Step { name: "format", arguments: &["fmt", "--all", "--check"], variable: None },
    Step {
        name: "clippy",
        arguments: &[
            "clippy",
            "--workspace",
            "--exclude=impinge-gpu",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
        variable: None,
    },
    // Random inputs from one seed: a check that passed passes again. `cargo test` alone draws new ones.
    Step {
        name: "tests",
        arguments: &["test", "--workspace", "--exclude=impinge-gpu", "--profile", "ci"],
        variable: Some(("PROPTEST_RNG_SEED", "19980401")),
    },
    Step {
        name: "docs",
        arguments: &["doc", "--workspace", "--exclude=impinge-gpu", "--no-deps"],
        variable: Some(("RUSTDOCFLAGS", "-D warnings")),
    },
];

/// Runs all checks of the workspace at `root`.
pub(crate) fn run(root: &Path) -> Result<()> {
    let start = Instant::now();
    for tool in ["rustfmt", "clippy"] {
        install_if_missing(tool)?;
    }
    for step in &STEPS {
        timed(step.name, || cargo(root, step))?;
    }
    timed("tidy", || tidy::run(root))?;
    // The last one, since it alone may be skipped: nobody should have to scroll for that.
    let skipped = timed_or_skipped("report", || report::try_all(root))?;
    let except = if skipped { ", but `report` was SKIPPED, see above" } else { "" };
    println!("ci: all checks passed in {:.1} s{except}", start.elapsed().as_secs_f64());
    Ok(())
}

fn timed(name: &str, check: impl FnOnce() -> Result<()>) -> Result<()> {
    timed_or_skipped(name, || check().map(|()| None)).map(drop)
}

/// A check that may return why it could not be made. Whether that was so.
fn timed_or_skipped(name: &str, check: impl FnOnce() -> Result<Option<String>>) -> Result<bool> {
    println!("ci: {name} …");
    let start = Instant::now();
    let skipped = check()
        .with_context(|| format!("the check `{name}` failed; the checks after it were not run"))?;
    let seconds = start.elapsed().as_secs_f64();
    match &skipped {
        Some(why) => println!("ci: {name} SKIPPED after {seconds:.1} s: {why}"),
        None => println!("ci: {name} passed in {seconds:.1} s"),
    }
    Ok(skipped.is_some())
}

fn cargo(root: &Path, step: &Step) -> Result<()> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.args(step.arguments).current_dir(root).envs(step.variable);
    let status = command.status().context("cargo could not be started")?;
    if !status.success() {
        bail!("`cargo {}` ended with {status}", step.arguments.join(" "));
    }
    Ok(())
}

fn install_if_missing(tool: &str) -> Result<()> {
    let program = if tool == "clippy" { "cargo-clippy" } else { tool };
    // Where rustup manages the tools, the program exists but fails until the component does.
    let probe =
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if probe.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    println!("ci: installing {tool} …");
    let status = Command::new("rustup").args(["component", "add", tool]).status();
    if !status.is_ok_and(|status| status.success()) {
        bail!("{tool} is missing and `rustup component add {tool}` failed; install it by hand");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_check_is_named() {
        let error = timed("clippy", || bail!("no")).unwrap_err();
        assert!(format!("{error:#}").starts_with("the check `clippy` failed"));
    }

    #[test]
    fn what_could_not_be_checked_has_not_passed() {
        assert!(!timed_or_skipped("report", || Ok(None)).unwrap());
        assert!(timed_or_skipped("report", || Ok(Some("no browser".to_owned()))).unwrap());
    }

    #[test]
    fn a_failing_command_is_shown_with_its_status() {
        let step = Step { name: "none", arguments: &["no-such-command"], variable: None };
        let error = cargo(Path::new("."), &step).unwrap_err().to_string();
        assert!(error.starts_with("`cargo no-such-command` ended with"), "{error}");
    }
}
