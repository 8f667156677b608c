//! `cargo xtask report`: bundles the page of the report from `web/report`, and tries it in a browser.
//!
//! The bundle is committed, so that building impinge needs no npm; `--check` makes sure that it is
//! what its sources make. `--test` writes reports with the example `demo` and opens them in a
//! headless Chromium, which is installed if the machine has none. `cargo xtask ci` does both where
//! npm and a browser can be had.

use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const HELP: &str = "\
cargo xtask report [--check | --test]

  (nothing)  bundles web/report into crates/report/assets
  --check    fails if that would change anything
  --test     opens reports in a headless browser and tries everything a reader does
";

/// The tests in the browser take one minute, on a busy machine two; one that hangs is not waited for.
const BROWSE_MAX: Duration = Duration::from_secs(220);

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
            browse(root, &target, &browser()?)
        }
        _ => bail!("unknown arguments `{}`\n\n{HELP}", arguments.join(" ")),
    }
}

/// Both checks, as far as this machine can: if not all of them, the reason is returned.
pub(crate) fn try_all(root: &Path) -> Result<Option<String>> {
    let target = target_folder(root).join("report");
    if let Err(error) = install(&root.join("web/report")) {
        return Ok(Some(format!("the packages of web/report cannot be had: {error:#}")));
    }
    check(root, &target)?;
    match browser() {
        Ok(browser) => browse(root, &target, &browser).map(|()| None),
        Err(error) => Ok(Some(format!("only the bundle was checked: {error:#}"))),
    }
}

/// Exactly the packages of the lock file. Without a network it is not waited for long.
fn install(web: &Path) -> Result<()> {
    let quick = ["--no-audit", "--no-fund", "--fetch-timeout=20000", "--fetch-retries=1"];
    let mut npm = Command::new("npm");
    succeeds(npm.args(["ci", "--loglevel=error"]).args(quick).current_dir(web))
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

/// Writes the reports and opens them. The example is the one that the tests of `cargo xtask ci` come
/// with, down to the features of its dependencies, so that it is there when those have been run.
fn browse(root: &Path, target: &Path, browser: &Path) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let build =
        ["build", "--workspace", "--exclude=impinge-gpu", "--profile", "ci", "--example", "demo"];
    succeeds(Command::new(cargo).args(build).current_dir(root))?;
    succeeds(Command::new(target_folder(root).join("ci/examples/demo")).arg(target))?;
    // One process: `node --test` would leave its children behind if it is ended.
    let mut test = node(&root.join("web/report"));
    test.args(["--test-reporter=spec", "test/report.test.mjs"]);
    within(test.env("IMPINGE_REPORTS", target).env("IMPINGE_CHROMIUM", browser), BROWSE_MAX)
}

/// Where Chromium is; on a Debian machine that has none it is installed.
fn browser() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("IMPINGE_CHROMIUM") {
        return Ok(named.into());
    }
    let usual = PathBuf::from("/usr/bin/chromium");
    if !usual.exists() {
        let packages = ["install", "--yes", "--no-install-recommends", "chromium"];
        // The list of packages may be missing or old; only then is it fetched.
        succeeds(&mut apt(&packages))
            .or_else(|_| {
                succeeds(&mut apt(&["update"])).and_then(|()| succeeds(&mut apt(&packages)))
            })
            .context(
                "the tests need Chromium; install it, or name it in the variable IMPINGE_CHROMIUM",
            )?;
    }
    Ok(usual)
}

/// A command of the packages of Debian.
pub(crate) fn apt(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command.args(["-qq", "-o", "Acquire::http::Timeout=20", "-o", "Acquire::Retries=1"]);
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn node(web: &Path) -> Command {
    let mut command = Command::new("node");
    command.current_dir(web);
    command
}

/// Runs a command that must succeed.
pub(crate) fn succeeds(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("`{program}` could not be started"))?;
    ensure!(status.success(), "`{program}` ended with {status}");
    Ok(())
}

/// The same, but what takes too long is ended.
fn within(command: &mut Command, longest: Duration) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let start = Instant::now();
    let mut child = command.spawn().with_context(|| format!("`{program}` could not be started"))?;
    loop {
        if let Some(status) = child.try_wait()? {
            ensure!(status.success(), "`{program}` ended with {status}");
            return Ok(());
        }
        if start.elapsed() > longest {
            child.kill()?;
            child.wait()?;
            bail!("`{program}` was ended after {} s", longest.as_secs());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Where cargo puts what it builds; always a whole path, since others run in other folders.
fn target_folder(root: &Path) -> PathBuf {
    root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_packages_there_is_a_reason_to_skip() {
        let why = try_all(Path::new("no-such-folder")).unwrap().unwrap();
        let start = "the packages of web/report cannot be had: `npm` could not be started";
        assert!(why.starts_with(start), "{why}");
    }

    #[test]
    fn what_hangs_is_ended() {
        let mut slow = Command::new("sleep");
        let error = within(slow.arg("60"), Duration::from_millis(50)).unwrap_err().to_string();
        assert_eq!(error, "`sleep` was ended after 0 s");
        within(Command::new("sleep").arg("0"), Duration::from_secs(60)).unwrap();
        within(Command::new("sleep").arg("never"), Duration::from_secs(60)).unwrap_err();
    }
}
