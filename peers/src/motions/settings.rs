//! What was asked for on the command line.

use anyhow::{Context, Result, bail, ensure};
use std::path::PathBuf;
use std::time::Duration;

pub(crate) const USAGE: &str = "\
cargo xtask peers motions [OPTION VALUE]…

  --meshes   names under $PEERS_ROOT/meshes [default: sphere_1k,knot_1k,knot_10k]
  --peers    fcl, parry [default: all that are there]
  --engine   ours [default: bvh]
  --seconds  for each motion that a program times [default: 0.05]
  --limit    seconds for a program on the motions of a mesh [default: 150]
  --motions  a folder of motions, MESH.txt each [default: $PEERS_ROOT/motions]
  --queries  only the first so many motions [default: all]
  --name     of the result [default: motions-peers]
  --out      the folder for it [default: results]
  --native   ours built for this processor too; takes no value

The programs are those of $PEERS_ROOT (bin/fcl, target/release/peers-rs). What they leave is under
$PEERS_ROOT/out/impinge.
";

/// What was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Settings {
    pub(super) root: PathBuf,
    /// Our program.
    pub(super) ours: PathBuf,
    pub(super) meshes: Vec<String>,
    /// All if empty.
    pub(super) peers: Vec<String>,
    pub(super) engine: String,
    /// As it is handed on.
    pub(super) seconds: String,
    pub(super) limit: Duration,
    pub(super) motions: PathBuf,
    pub(super) queries: usize,
    pub(super) name: String,
    pub(super) out: PathBuf,
}

impl Settings {
    /// From the words after `motions`; `--ours PATH` is among them, put there by the build.
    pub(super) fn read(arguments: &[String]) -> Result<Self> {
        let root = std::env::var_os("PEERS_ROOT").context("PEERS_ROOT is not set")?;
        let settings = Self::over(root.into(), arguments)?;
        ensure!(settings.ours.is_file(), "--ours: {} is not there", settings.ours.display());
        Ok(settings)
    }

    fn over(root: PathBuf, arguments: &[String]) -> Result<Self> {
        let mut settings = Self {
            ours: PathBuf::new(),
            meshes: ["sphere_1k", "knot_1k", "knot_10k"].map(str::to_owned).to_vec(),
            peers: Vec::new(),
            engine: "bvh".to_owned(),
            seconds: "0.05".to_owned(),
            limit: Duration::from_secs(150),
            motions: root.join("motions"),
            queries: usize::MAX,
            name: "motions-peers".to_owned(),
            out: "results".into(),
            root,
        };
        let mut words = arguments.iter();
        while let Some(name) = words.next() {
            let value = words.next().with_context(|| format!("{name} needs a value\n\n{USAGE}"))?;
            settings.set(name, value)?;
        }
        Ok(settings)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let list = || value.split(',').map(str::to_owned).collect();
        let seconds = || {
            let time = value.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
            let time = time.filter(|time| !time.is_zero());
            time.with_context(|| format!("{name} {value}: more than 0 seconds are needed"))
        };
        match name {
            "--ours" => self.ours = value.into(),
            "--meshes" => self.meshes = list(),
            "--peers" => self.peers = list(),
            "--engine" => value.clone_into(&mut self.engine),
            "--seconds" => {
                seconds()?;
                value.clone_into(&mut self.seconds);
            }
            "--limit" => self.limit = seconds()?,
            "--motions" => self.motions = value.into(),
            "--queries" => {
                let number = value.parse().ok().filter(|&number: &usize| number > 0);
                self.queries = number
                    .with_context(|| format!("{name} {value}: a whole number from 1 is needed"))?;
            }
            "--name" => value.clone_into(&mut self.name),
            "--out" => self.out = value.into(),
            _ => bail!("unknown option {name}\n\n{USAGE}"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_bad_ones_refused() {
        let read = |words: &str| {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            Settings::over("root".into(), &words)
        };
        let settings = read("--meshes a,b --limit 2.5 --queries 7").unwrap();
        assert_eq!((settings.meshes.len(), settings.queries), (2, 7));
        assert_eq!(settings.limit, Duration::from_millis(2500));
        assert_eq!(read("").unwrap().motions, PathBuf::from("root/motions"));
        for bad in ["--queries 0", "--limit", "--limit -1", "--seconds fast", "--mesh a"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
