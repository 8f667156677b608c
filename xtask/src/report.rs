//! `cargo xtask report`: bundles the page of the report from `web/report`, and tries it in a browser.
//!
//! The bundle is committed, so that building impinge needs no npm; `--check` makes sure that it is
//! what its sources make. `--test` writes reports with the example `demo` and opens them in a
//! headless Chromium, which is installed if the machine has none.

use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

const HELP: &str = "\
cargo xtask report [--check | --test]

  (nothing)  bundles web/report into crates/report/assets
  --check    fails if that would change anything
  --test     opens reports in a headless browser and tries everything a reader does
";

/// Does what `arguments` say, for the workspace at `root`.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    let web = root.join("web/report");
    let target = target_folder(root).join("report");
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            install(&web)?;
            succeeds(node(&web).arg("build.mjs"))
        }
        ["--check"] => {
            install(&web)?;
            check(root, &target)
        }
        ["--test"] => {
            install(&web)?;
            browse(root, &target)
        }
        _ => bail!("unknown arguments `{}`\n\n{HELP}", arguments.join(" ")),
    }
}

/// Exactly the packages of the lock file.
fn install(web: &Path) -> Result<()> {
    succeeds(Command::new("npm").args(["ci", "--loglevel=error"]).current_dir(web))
}

fn check(root: &Path, target: &Path) -> Result<()> {
    std::fs::create_dir_all(target)?;
    succeeds(node(&root.join("web/report")).arg("build.mjs").arg(target))?;
    for name in ["report.js", "report.css"] {
        let committed = root.join("crates/report/assets").join(name);
        let same = read(&committed)? == read(&target.join(name))?;
        ensure!(
            same,
            "{} is not what web/report makes; run `cargo xtask report`",
            committed.display()
        );
    }
    println!("report: the bundle is up to date");
    Ok(())
}

fn browse(root: &Path, target: &Path) -> Result<()> {
    let browser = browser()?;
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let demo = ["run", "--release", "--package", "impinge-report", "--example", "demo", "--"];
    succeeds(Command::new(cargo).args(demo).arg(target).current_dir(root))?;
    let mut test = node(&root.join("web/report"));
    test.args(["--test", "test/report.test.mjs"]);
    succeeds(test.env("IMPINGE_REPORTS", target).env("IMPINGE_CHROMIUM", browser))
}

/// Where Chromium is; on a Debian machine that has none it is installed.
fn browser() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("IMPINGE_CHROMIUM") {
        return Ok(named.into());
    }
    let usual = PathBuf::from("/usr/bin/chromium");
    if !usual.exists() {
        let packages = ["install", "--yes", "--no-install-recommends", "chromium"];
        succeeds(Command::new("apt-get").args(packages)).context(
            "the tests need Chromium; install it, or name it in the variable IMPINGE_CHROMIUM",
        )?;
    }
    Ok(usual)
}

fn node(web: &Path) -> Command {
    let mut command = Command::new("node");
    command.current_dir(web);
    command
}

fn succeeds(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("`{program}` could not be started"))?;
    ensure!(status.success(), "`{program}` ended with {status}");
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Where cargo puts what it builds; always a whole path, since others run in other folders.
fn target_folder(root: &Path) -> PathBuf {
    root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()))
}
