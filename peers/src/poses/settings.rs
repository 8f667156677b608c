//! What was asked for on the command line.

use anyhow::{Context, Result, bail, ensure};
use std::path::PathBuf;

pub(crate) const USAGE: &str = "\
cargo xtask peers poses [OPTION VALUE]…

  --meshes   names under $PEERS_ROOT/meshes [default: the ten of its poses]
  --peers    fcl, fclf32, coal, bullet, cgal, parry, pyfcl [default: all that are there]
  --engine   ours [default: auto]
  --seconds  for each thing that a program times [default: 1]
  --rounds   in which all programs run in turn [default: 2]
  --poses    a folder of other poses, MESH.txt each [default: $PEERS_ROOT/poses]
  --fresh    makes so many other poses per mesh instead, by our own `bench make-poses`
  --seed     of --fresh [default: 1]
  --queries  only the first so many poses [default: all]
  --cold     yes: caches are emptied before each query; of the others only pyfcl can [default: no]
  --name     of the result [default: bvh-peers]
  --out      the folder for it [default: results]
  --native   ours built for this processor too; takes no value

The programs are those of $PEERS_ROOT (bin/…, target/release/peers-rs, venv); pyfcl also needs its
driver's path in $PEERS_IPCTK. What they leave is under $PEERS_ROOT/out/impinge.
";

/// The meshes that $PEERS_ROOT has poses for.
const MESHES: [&str; 10] = [
    "sphere_1k",
    "knot_1k",
    "sphere_10k",
    "knot_10k",
    "sphere_100k",
    "knot_100k",
    "torus_100k",
    "bumpy_100k",
    "sphere_500k",
    "knot_500k",
];

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
    pub(super) rounds: usize,
    pub(super) poses: Option<PathBuf>,
    pub(super) fresh: Option<usize>,
    pub(super) seed: String,
    pub(super) queries: usize,
    pub(super) cold: bool,
    pub(super) name: String,
    pub(super) out: PathBuf,
}

impl Settings {
    /// From the words after `poses`; `--ours PATH` is among them, put there by the build.
    pub(super) fn read(arguments: &[String]) -> Result<Self> {
        let root = std::env::var_os("PEERS_ROOT").context("PEERS_ROOT is not set")?;
        let settings = Self::over(root.into(), arguments)?;
        ensure!(settings.ours.is_file(), "--ours: {} is not there", settings.ours.display());
        Ok(settings)
    }

    fn over(root: PathBuf, arguments: &[String]) -> Result<Self> {
        let mut settings = Self {
            root,
            ours: PathBuf::new(),
            meshes: MESHES.map(str::to_owned).to_vec(),
            peers: Vec::new(),
            engine: "auto".to_owned(),
            seconds: "1".to_owned(),
            rounds: 2,
            poses: None,
            fresh: None,
            seed: "1".to_owned(),
            queries: usize::MAX,
            cold: false,
            name: "bvh-peers".to_owned(),
            out: "results".into(),
        };
        let mut words = arguments.iter();
        while let Some(name) = words.next() {
            let value = words.next().with_context(|| format!("{name} needs a value\n\n{USAGE}"))?;
            settings.set(name, value)?;
        }
        let both = settings.poses.is_some() && settings.fresh.is_some();
        ensure!(!both, "--poses and --fresh: only one of them can be");
        Ok(settings)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let whole = || {
            let number = value.parse().ok().filter(|&number: &usize| number > 0);
            number.with_context(|| format!("{name} {value}: a whole number from 1 is needed"))
        };
        let list = || value.split(',').map(str::to_owned).collect();
        match name {
            "--ours" => self.ours = value.into(),
            "--meshes" => self.meshes = list(),
            "--peers" => self.peers = list(),
            "--engine" => value.clone_into(&mut self.engine),
            "--seconds" => {
                ensure!(value.parse().is_ok_and(|s: f64| s > 0.0), "{name} {value}: more than 0");
                value.clone_into(&mut self.seconds);
            }
            "--rounds" => self.rounds = whole()?,
            "--poses" => self.poses = Some(value.into()),
            "--fresh" => self.fresh = Some(whole()?),
            "--seed" => value.clone_into(&mut self.seed),
            "--queries" => self.queries = whole()?,
            "--cold" => {
                ensure!(["yes", "no"].contains(&value), "--cold {value}: yes or no is needed");
                self.cold = value == "yes";
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

    fn read(words: &str) -> Result<Settings> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Settings::over("root".into(), &words)
    }

    #[test]
    fn options_are_read_and_bad_ones_refused() {
        let settings = read("--meshes a,b --cold yes --fresh 4000 --rounds 3").unwrap();
        assert_eq!((settings.meshes.len(), settings.rounds, settings.cold), (2, 3, true));
        assert_eq!(settings.fresh, Some(4000));
        assert_eq!(read("").unwrap().meshes.len(), 10);
        for bad in [
            "--rounds 0",
            "--rounds",
            "--cold maybe",
            "--seconds fast",
            "--mesh a",
            "--fresh 1 --poses x",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
