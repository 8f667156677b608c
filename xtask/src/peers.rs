//! `cargo xtask peers`: builds and runs the comparisons of the workspace `peers`, for this processor.

use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;

/// Hands `arguments` on.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let folder = root.join("peers");
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command
        .args(["run", "--release", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        // A folder of its own: other flags would have everything else built again.
        .arg("--target-dir")
        .arg(folder.join("target"))
        .arg("--")
        .args(arguments)
        .env("RUSTFLAGS", "-C target-cpu=native")
        .current_dir(root);
    let status = command.status().context("cargo could not be started")?;
    ensure!(status.success(), "the comparison ended with {status}");
    Ok(())
}
