//! `cargo xtask gpu`: the crate of the graphics processor, which the other checks leave out since it takes
//! minutes to build: clippy, and its tests and those of `check --gpu` on whatever adapter there is. On a Debian
//! machine without one, one in software is installed.

use crate::report::{apt, succeeds};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// A driver in software, and what finds drivers.
const PACKAGES: [&str; 2] = ["mesa-vulkan-drivers", "libvulkan1"];
/// Where drivers are listed.
const DRIVERS: [&str; 3] =
    ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"];

/// Checks the crate in the workspace at `root`.
pub(crate) fn run(root: &Path) -> Result<()> {
    let start = Instant::now();
    match try_all(root)? {
        None => println!("gpu: all checks passed in {:.1} s", start.elapsed().as_secs_f64()),
        Some(why) => println!("gpu: the tests were SKIPPED: {why}"),
    }
    Ok(())
}

/// All checks, as far as this machine can: if not all of them, the reason is returned.
pub(crate) fn try_all(root: &Path) -> Result<Option<String>> {
    let crates = ["-p", "impinge-gpu", "-p", "impinge-cli", "--features", "impinge-cli/gpu"];
    cargo(root, &[&["clippy"], &crates[..], &["--all-targets", "--", "-D", "warnings"]].concat())?;
    if let Err(error) = driver() {
        return Ok(Some(format!("{error:#}")));
    }
    let tests = ["--test", "all", "--profile", "ci"];
    cargo(root, &[&["test", "-p", "impinge-gpu"], &tests[..]].concat())?;
    let program = ["test", "-p", "impinge-cli", "--features", "gpu"];
    cargo(root, &[&program[..], &tests, &["graphics_processor"]].concat())?;
    Ok(None)
}

/// With the tests told that there is an adapter, so that none is skipped in silence.
fn cargo(root: &Path, arguments: &[&str]) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(root).env("IMPINGE_GPU", "required");
    succeeds(&mut command).with_context(|| format!("`cargo {}` failed", arguments.join(" ")))
}

/// Makes sure that there is a driver.
fn driver() -> Result<()> {
    let lists =
        |folder: &str| std::fs::read_dir(folder).is_ok_and(|mut list| list.next().is_some());
    if DRIVERS.iter().any(|folder| lists(folder)) {
        return Ok(());
    }
    if !cfg!(target_os = "linux") {
        bail!("a driver for Vulkan is needed");
    }
    let packages = [&["install", "--yes", "--no-install-recommends"], &PACKAGES[..]].concat();
    // The list of packages may be missing or old; only then is it fetched.
    succeeds(&mut apt(&packages))
        .or_else(|_| succeeds(&mut apt(&["update"])).and_then(|()| succeeds(&mut apt(&packages))))
        .with_context(|| {
            format!("the tests need a driver for Vulkan; install {}", PACKAGES.join(" and "))
        })
}
