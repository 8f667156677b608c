//! The programs that take part, and the place where they find their meshes.

use super::Settings;
use crate::external::{cell, output};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// How results and answers name ours.
pub(super) const OURS: &str = "impinge";
/// After so many frames the waves are where they began.
pub(super) const PLACES: usize = 8;

/// What a program said of one mesh in one round.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Told {
    pub(super) program: String,
    pub(super) threads: usize,
    pub(super) min_ms: f64,
    pub(super) median_ms: f64,
    pub(super) frames: usize,
    /// Of its first frames; none if it does not tell all pairs.
    pub(super) pairs: Option<Vec<u64>>,
}

/// The folder that stands for `$PEERS_ROOT` while the contest runs.
#[derive(Debug)]
pub(super) struct Place(PathBuf);

impl Place {
    /// With the meshes of the root, and an empty place for answers.
    pub(super) fn make(settings: &Settings) -> Result<Self> {
        let place = settings.root.join("out/impinge/deform-peers");
        let answers = place.join("out/ans");
        if answers.exists() {
            fs::remove_dir_all(&answers)?;
        }
        fs::create_dir_all(&answers)?;
        let meshes = place.join("meshes");
        if !meshes.exists() {
            std::os::unix::fs::symlink(settings.root.join("meshes").canonicalize()?, meshes)?;
        }
        Ok(Self(place))
    }

    fn mesh(&self, name: &str) -> PathBuf {
        self.0.join(format!("meshes/{name}.obj"))
    }

    fn answer_file(&self, program: &str, mesh: &str) -> PathBuf {
        self.0.join(format!("out/ans/{program}@deform@{mesh}.txt"))
    }

    /// The pairs of the first frames of a program that made so many.
    fn pairs(&self, program: &str, mesh: &str, frames: usize) -> Option<Vec<u64>> {
        let text = fs::read_to_string(self.answer_file(program, mesh)).ok()?;
        // Frames that were not reached have a line too.
        text.lines().take(frames.min(PLACES)).map(|line| line.trim().parse().ok()).collect()
    }
}

/// A program.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) name: &'static str,
    /// Of ours: the engine.
    engine: Option<String>,
    command: Vec<PathBuf>,
    threads: usize,
    /// Too slow to be the fastest other: it has one turn.
    pub(super) once: bool,
}

impl Program {
    /// Ours, and of the others those that were chosen.
    pub(super) fn all(settings: &Settings) -> Result<Vec<Self>> {
        let root = &settings.root;
        let new =
            |name, command, threads, once| Self { name, engine: None, command, threads, once };
        let binary = |name: &str| vec![root.join("bin").join(name)];
        // By the wall, for the time of the process is that of both threads.
        let two = vec!["/usr/bin/env".into(), "PEERS_CLOCK=wall".into(), root.join("bin/embree")];
        let driver = std::env::var_os("PEERS_IPCTK").map(PathBuf::from).unwrap_or_default();
        let known = [
            new("embree", binary("embree"), 1, false),
            new("embree", two, 2, false),
            new("parry", vec![root.join("target/release/peers-rs")], 1, false),
            new("fcl", binary("fcl"), 1, true),
            new("fclf32", binary("fclf32"), 1, true),
            new("coal", binary("coal"), 1, true),
            new("ipctk", vec![root.join("venv/bin/python"), driver], 1, true),
            new("bullet", binary("bullet"), 1, true),
            new("cgal", binary("cgal"), 1, true),
        ];
        let own = vec![settings.ours.canonicalize()?];
        let engines = std::iter::once(&settings.engine).chain(&settings.beside);
        let ours = |engine: &String| {
            let on = |threads| new(OURS, own.clone(), threads, false);
            [1, 2].map(|threads| Self { engine: Some(engine.clone()), ..on(threads) })
        };
        let mut all: Vec<Self> = engines.flat_map(ours).collect();
        for name in &settings.peers {
            let chosen = known.iter().filter(|program| program.name == name);
            let before = all.len();
            for program in chosen {
                let path = program.command.last().filter(|path| path.is_file());
                ensure!(path.is_some(), "--peers {name}: {:?} is not there", program.command);
                all.push(program.clone());
            }
            let names = known.each_ref().map(|program| program.name);
            ensure!(all.len() > before, "--peers {name}: known are {names:?}");
        }
        Ok(all)
    }

    /// Everything it can do on one mesh.
    pub(super) fn run(&self, mesh: &str, place: &Place, settings: &Settings) -> Result<Vec<Told>> {
        if let Some(engine) = &self.engine {
            let told = self.ours((mesh, engine), place, settings)?;
            let is_first = *engine == settings.engine;
            let program = if is_first { OURS.to_owned() } else { format!("{OURS}, {engine}") };
            return Ok(vec![Told { program, ..told }]);
        }
        let threads = self.threads.to_string();
        let arguments = ["deform", mesh, &threads];
        let lines = output(&self.command, &arguments, &place.0, &settings.seconds)?;
        let told: Vec<Told> = lines.lines().filter_map(|line| self.read(line, place)).collect();
        ensure!(!told.is_empty(), "it does not run, or tells nothing");
        Ok(told)
    }

    fn ours(
        &self,
        (mesh, engine): (&str, &str),
        place: &Place,
        settings: &Settings,
    ) -> Result<Told> {
        // Where the second body is, as all drivers of the others have it.
        let offset = if mesh.starts_with("sphere") { "1.7,0.3,0.2" } else { "0.8,0.3,0.2" };
        let file = place.mesh(mesh);
        let mut command = Command::new(&self.command[0]);
        command
            .args(["bench", "deform"])
            .args([&file, &file])
            .args(["--offset", offset, "--engine", engine, "--format", "csv"])
            .args(["--frames", &settings.frames.to_string()])
            .args(["--threads", &self.threads.to_string(), "--answers"])
            .arg(place.answer_file(OURS, mesh));
        let done = command.output()?;
        ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let table = String::from_utf8_lossy(&done.stdout);
        self.of_table(&table, mesh, place).with_context(|| format!("unexpected output: {table}"))
    }

    /// From a line of names and one of values.
    fn of_table(&self, table: &str, mesh: &str, place: &Place) -> Option<Told> {
        let frames = cell(table, "frames")?.parse().ok()?;
        Some(Told {
            program: OURS.to_owned(),
            threads: cell(table, "threads")?.parse().ok()?,
            min_ms: cell(table, "min_ms")?.parse().ok()?,
            median_ms: cell(table, "median_ms")?.parse().ok()?,
            frames,
            pairs: Some(place.pairs(OURS, mesh, frames)?),
        })
    }

    /// From a result line `R program deform mesh min median ms/frame frames info`.
    fn read(&self, line: &str, place: &Place) -> Option<Told> {
        let cells: Vec<&str> = line.split('\t').collect();
        let ["R", program, "deform", mesh, min, median, "ms/frame", frames, ..] = cells[..] else {
            return None;
        };
        let frames = frames.parse().ok()?;
        let suffix = format!("-{}t", self.threads);
        Some(Told {
            program: program.trim_end_matches(suffix.as_str()).to_owned(),
            threads: self.threads,
            min_ms: min.parse().ok()?,
            median_ms: median.parse().ok()?,
            frames,
            pairs: place.pairs(program, mesh, frames),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_and_tables_say_the_same() {
        let root = std::env::temp_dir().join(format!("impinge-deform-{}", std::process::id()));
        let place = Place(root.clone());
        fs::create_dir_all(root.join("out/ans")).unwrap();
        fs::write(place.answer_file("tree-2t", "knot"), "3\n4\n5\n0\n").unwrap();
        fs::write(place.answer_file(OURS, "knot"), "3\n4\n5\n").unwrap();
        let program = Program { name: "tree", command: vec![], threads: 2, once: false };
        let line = "R\ttree-2t\tdeform\tknot\t0.5\t0.75\tms/frame\t3\tpairs=3";
        let told = program.read(line, &place).unwrap();
        assert_eq!(told.program, "tree");
        assert_eq!(told.pairs, Some(vec![3, 4, 5]));
        let table = "frames,median_ms,min_ms,threads\n3,0.75,0.5,2\n";
        let ours = program.of_table(table, "knot", &place).unwrap();
        assert_eq!(ours, Told { program: OURS.to_owned(), ..told });
        assert_eq!(program.read(&line.replace("tree", "bush"), &place).unwrap().pairs, None);
        assert_eq!(program.read(&line.replace("deform", "nbody"), &place), None);
        assert_eq!(program.of_table("frames\n3\n", "knot", &place), None);
        fs::remove_dir_all(&root).unwrap();
    }
}
