//! The programs that take part, and the place where they find their motion.

use super::settings::Settings;
use crate::external::{cell, output};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How results and answers name ours.
pub(super) const OURS: &str = "impinge";

/// What a program said of one motion.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Told {
    pub(super) peer: String,
    /// At best.
    pub(super) us: f64,
    /// When it touches, if it does.
    pub(super) time: Option<f64>,
}

/// The folder that stands for `$PEERS_ROOT` while the contest runs.
#[derive(Debug)]
pub(super) struct Place(PathBuf);

impl Place {
    /// With the meshes of the root, and a place for a motion and answers.
    pub(super) fn make(settings: &Settings) -> Result<Self> {
        let place = settings.root.join("out/impinge").join(&settings.name);
        for folder in ["motions", "out/ans"] {
            fs::create_dir_all(place.join(folder))?;
        }
        let meshes = place.join("meshes");
        if !meshes.exists() {
            std::os::unix::fs::symlink(settings.root.join("meshes").canonicalize()?, meshes)?;
        }
        Ok(Self(place))
    }

    pub(super) fn mesh(&self, name: &str) -> PathBuf {
        self.0.join(format!("meshes/{name}.obj"))
    }

    fn motions(&self, mesh: &str) -> PathBuf {
        self.0.join(format!("motions/{mesh}.txt"))
    }

    /// Puts motions where all programs find them, so many times.
    fn put(&self, mesh: &str, motions: &str, copies: usize) -> Result<()> {
        Ok(fs::write(self.motions(mesh), format!("{motions}\n").repeat(copies))?)
    }

    fn answer_file(&self, peer: &str, mesh: &str) -> PathBuf {
        self.0.join(format!("out/ans/{peer}@rigidccd@{mesh}.txt"))
    }

    /// When a program says that its motion touches; it says 1 if it does not. The file is taken
    /// away, so that nobody takes it for the answer to the next motion.
    fn answer(&self, peer: &str, mesh: &str) -> Result<Option<f64>> {
        let path = self.answer_file(peer, mesh);
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        fs::remove_file(&path)?;
        let first = text.lines().next().unwrap_or_default();
        let time: f64 = first.trim().parse().with_context(|| format!("{peer} says {text}"))?;
        ensure!(!time.is_nan(), "{peer} does not know");
        Ok(Some(time).filter(|&time| time < 1.0))
    }
}

/// A program.
#[derive(Debug)]
pub(super) enum Program {
    Ours(PathBuf),
    /// Its name here, its path, and how many motions its file must have.
    Other(&'static str, PathBuf, usize),
}

impl Program {
    /// Ours, and of the others those that were chosen, or else all that are there.
    pub(super) fn all(settings: &Settings) -> Result<Vec<Self>> {
        // Where a motion is slow, the second one runs the first ten of its file, and needs them.
        let known = [("fcl", "bin/fcl", 1), ("parry", "target/release/peers-rs", 10)];
        let names = known.map(|(name, ..)| name);
        for name in &settings.peers {
            ensure!(names.contains(&name.as_str()), "--peers {name}: known are {names:?}");
        }
        let mut found = vec![Self::Ours(settings.ours.canonicalize()?)];
        for (name, path, copies) in known {
            let path = settings.root.join(path);
            let chosen = settings.peers.iter().any(|chosen| chosen == name);
            if chosen && !path.is_file() {
                bail!("--peers {name}: {} is not there", path.display());
            }
            if path.is_file() && (chosen || settings.peers.is_empty()) {
                found.push(Self::Other(name, path, copies));
            }
        }
        Ok(found)
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Ours(_) => OURS,
            Self::Other(name, ..) => name,
        }
    }

    /// On one motion; a program may have several ways to answer.
    pub(super) fn run(
        &self,
        motion: &str,
        (mesh, place, settings): (&str, &Place, &Settings),
    ) -> Result<Vec<Told>> {
        match self {
            Self::Ours(path) => {
                place.put(mesh, motion, 1)?;
                let table = bench(path, mesh, (place, settings))?;
                let us = cell(&table, "min_us").and_then(|text| text.parse().ok());
                let us = us.with_context(|| format!("unexpected output: {table}"))?;
                let time = place.answer(OURS, mesh)?;
                Ok(vec![Told { peer: OURS.to_owned(), us, time }])
            }
            Self::Other(_, path, copies) => {
                place.put(mesh, motion, *copies)?;
                let command = std::slice::from_ref(path);
                let lines = output(command, &["motion", mesh], &place.0, &settings.seconds)?;
                let read = |(peer, us): (String, f64)| {
                    Ok(Told { us, time: place.answer(&peer, mesh)?, peer })
                };
                lines.lines().filter_map(|line| read_line(line, mesh)).map(read).collect()
            }
        }
    }
}

/// Ours on all motions of a mesh in passes, as `bench motions` has it: microseconds per motion.
pub(super) fn passes(
    lines: &[String],
    (mesh, place, settings): (&str, &Place, &Settings),
) -> Result<f64> {
    place.put(mesh, &lines.join("\n"), 1)?;
    let table = bench(&settings.ours, mesh, (place, settings))?;
    fs::remove_file(place.answer_file(OURS, mesh))?;
    let us = cell(&table, "median_us").and_then(|text| text.parse().ok());
    us.with_context(|| format!("unexpected output: {table}"))
}

fn bench(path: &Path, mesh: &str, (place, settings): (&Place, &Settings)) -> Result<String> {
    let file = place.mesh(mesh);
    let done = Command::new(path)
        .args(["bench", "motions"])
        .args([&file, &file])
        .arg("--motions")
        .arg(place.motions(mesh))
        .arg("--answers")
        .arg(place.answer_file(OURS, mesh))
        .args(["--engine", &settings.engine, "--seconds", &settings.seconds])
        .args(["--clock", "cpu", "--format", "csv"])
        .output()?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// From a result line `R peer rigidccd mesh min median us/query passes info`: who, and the minimum.
fn read_line(line: &str, mesh: &str) -> Option<(String, f64)> {
    let cells: Vec<&str> = line.split('\t').collect();
    let ["R", peer, "rigidccd", case, min, _, "us/query", ..] = cells[..] else { return None };
    (case == mesh).then_some(())?;
    Some((peer.to_owned(), min.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_read() {
        let line = "R\ttree-cast\trigidccd\tknot_1k\t38.6\t40.4\tus/query\t41\thits=1/1";
        assert_eq!(read_line(line, "knot_1k"), Some(("tree-cast".to_owned(), 38.6)));
        assert_eq!(read_line(line, "knot_10k"), None);
        assert_eq!(read_line(&line.replace("rigidccd", "bool"), "knot_1k"), None);
    }
}
