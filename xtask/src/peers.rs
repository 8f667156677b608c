//! `cargo xtask peers`: builds and runs the comparisons of the workspace `peers`, for this processor.

use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What makes a build fit this processor alone.
const NATIVE: &str = "-C target-cpu=native";

/// Hands `arguments` on; a comparison of the program gets its path.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let folder = root.join("peers");
    let native = |word: &String| word == "--native";
    let mut handed: Vec<OsString> =
        arguments.iter().filter(|word| !native(word)).map(OsString::from).collect();
    let of_program = |what: &String| ["poses", "motions", "ccd", "deform"].contains(&what.as_str());
    if arguments.first().is_some_and(of_program) {
        handed.extend(["--ours".into(), program(root, arguments.iter().any(native))?.into()]);
    }
    let mut command = cargo(root);
    command
        .args(["run", "--release", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        // A folder of its own: other flags would have everything else built again.
        .arg("--target-dir")
        .arg(folder.join("target"))
        .arg("--")
        .args(handed)
        .env("RUSTFLAGS", NATIVE);
    let status = command.status().context("cargo could not be started")?;
    ensure!(status.success(), "the comparison ended with {status}");
    Ok(())
}

/// Builds the program as users have it, or for this processor, and tells where it is.
fn program(root: &Path, native: bool) -> Result<PathBuf> {
    let mut command = cargo(root);
    command.args(["build", "--release", "--quiet", "--package", "impinge-cli"]);
    let target = if native {
        command.env("RUSTFLAGS", NATIVE);
        root.join("peers/target/native")
    } else {
        std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from)
    };
    let status = command.arg("--target-dir").arg(&target).status();
    let status = status.context("cargo could not be started")?;
    ensure!(status.success(), "the build ended with {status}");
    Ok(target.join("release/impinge"))
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.current_dir(root);
    command
}
