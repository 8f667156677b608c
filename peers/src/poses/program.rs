//! The programs that take part, and the place where they find their inputs.

use super::Question;
use super::settings::Settings;
use crate::external::{cell, output};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How results and answers name ours.
pub(super) const OURS: &str = "impinge";

/// What a program said of one question in one round.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Told {
    pub(super) peer: String,
    pub(super) question: Question,
    pub(super) min_us: f64,
    pub(super) median_us: f64,
    pub(super) passes: usize,
}

/// The folder that stands for `$PEERS_ROOT` while the contest runs.
#[derive(Debug)]
pub(super) struct Place(PathBuf);

impl Place {
    /// With the meshes of the root, and empty places for poses and answers.
    pub(super) fn make(settings: &Settings) -> Result<Self> {
        let place = settings.root.join("out/impinge").join(&settings.name);
        for folder in ["poses", "out/ans"] {
            let folder = place.join(folder);
            if folder.exists() {
                fs::remove_dir_all(&folder)?;
            }
            fs::create_dir_all(&folder)?;
        }
        let meshes = place.join("meshes");
        if !meshes.exists() {
            std::os::unix::fs::symlink(settings.root.join("meshes").canonicalize()?, meshes)?;
        }
        Ok(Self(place))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    fn mesh(&self, name: &str) -> PathBuf {
        self.0.join(format!("meshes/{name}.obj"))
    }

    fn poses_file(&self, mesh: &str) -> PathBuf {
        self.0.join(format!("poses/{mesh}.txt"))
    }

    /// Puts the poses of a mesh where all programs find them; how many there are.
    pub(super) fn poses(&self, mesh: &str, settings: &Settings) -> Result<usize> {
        let to = self.poses_file(mesh);
        let from = match settings.fresh {
            Some(count) => {
                self.make_poses(mesh, settings, count)?;
                to.clone()
            }
            None => {
                let own = || settings.root.join("poses");
                settings.poses.clone().unwrap_or_else(own).join(format!("{mesh}.txt"))
            }
        };
        let text = fs::read_to_string(&from).with_context(|| from.display().to_string())?;
        let lines: Vec<&str> = text.lines().take(settings.queries).collect();
        ensure!(!lines.is_empty(), "{} has no poses", from.display());
        fs::write(&to, lines.join("\n") + "\n")?;
        Ok(lines.len())
    }

    fn make_poses(&self, mesh: &str, settings: &Settings, count: usize) -> Result<()> {
        let mesh_file = self.mesh(mesh);
        let made = Command::new(&settings.ours)
            .args(["bench", "make-poses"])
            .args([&mesh_file, &mesh_file])
            .args(["--count", &count.to_string(), "--seed", &settings.seed])
            .args(["--engine", &settings.engine, "--threads", "2", "--out"])
            .arg(self.poses_file(mesh))
            .output()?;
        ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Ok(())
    }

    /// The numbers that a program left, one per query.
    pub(super) fn answers(&self, peer: &str, question: Question, mesh: &str) -> Option<Vec<f64>> {
        let name = format!("out/ans/{peer}@{}@{mesh}.txt", question.code());
        let text = fs::read_to_string(self.0.join(name)).ok()?;
        text.lines().map(|line| line.trim().parse().ok()).collect()
    }
}

/// A program.
#[derive(Debug)]
pub(super) enum Program {
    Ours(PathBuf),
    /// Its name here, the command, and the word for this contest.
    Other(&'static str, Vec<PathBuf>, &'static str),
}

impl Program {
    pub(super) fn ours(settings: &Settings) -> Result<Self> {
        Ok(Self::Ours(settings.ours.canonicalize()?))
    }

    /// Those that were chosen, or else all that are there.
    pub(super) fn others(settings: &Settings) -> Result<Vec<Self>> {
        let mut found = Vec::new();
        let known = if settings.cold { cold(settings) } else { warm(settings) };
        for name in &settings.peers {
            let names: Vec<&str> = known.iter().map(|(name, ..)| *name).collect();
            ensure!(names.contains(&name.as_str()), "--peers {name}: known are {names:?}");
        }
        for (name, command, word) in known {
            let chosen = settings.peers.iter().any(|chosen| chosen == name);
            let there = command.iter().all(|path| path.is_file());
            if chosen && !there {
                bail!("--peers {name}: {command:?} is not there");
            }
            if there && (chosen || settings.peers.is_empty()) {
                found.push(Self::Other(name, command, word));
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

    /// All questions on one mesh.
    pub(super) fn run(&self, mesh: &str, place: &Place, settings: &Settings) -> Result<Vec<Told>> {
        match self {
            Self::Ours(path) => {
                let ask = |question| ours(path, question, mesh, (place, settings));
                Question::ALL.into_iter().map(ask).collect()
            }
            Self::Other(_, command, word) => {
                let lines = output(command, &[word, mesh], place.path(), &settings.seconds)?;
                Ok(lines.lines().filter_map(|line| read(line, mesh)).collect())
            }
        }
    }
}

/// A name, a command, and the word for this contest.
type Known = (&'static str, Vec<PathBuf>, &'static str);

fn warm(settings: &Settings) -> Vec<Known> {
    let root = &settings.root;
    let binary = |name: &'static str| (name, vec![root.join("bin").join(name)], "rigid");
    let mut known: Vec<Known> =
        ["fclf32", "fcl", "coal", "bullet", "cgal"].map(binary).into_iter().collect();
    known.push(("parry", vec![root.join("target/release/peers-rs")], "rigid"));
    // Without a path it is not there.
    let driver = std::env::var_os("PEERS_IPCTK").map(PathBuf::from).unwrap_or_default();
    known.push(("pyfcl", vec![root.join("venv/bin/python"), driver], "pyfcl"));
    known
}

fn cold(settings: &Settings) -> Vec<Known> {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("py/cold.py");
    vec![("pyfcl", vec![settings.root.join("venv/bin/python"), driver], "cold")]
}

fn ours(
    path: &Path,
    question: Question,
    mesh: &str,
    (place, settings): (&Place, &Settings),
) -> Result<Told> {
    let answers = place.path().join(format!("out/ans/{OURS}@{}@{mesh}.txt", question.code()));
    let mut command = bench(path, question, &place.mesh(mesh), settings);
    command.arg("--poses").arg(place.poses_file(mesh)).arg("--answers").arg(answers);
    if !settings.cold {
        return tell(command.args(["--seconds", &settings.seconds]), question);
    }
    let told = tell(command.args(["--cold", "--repeat", "1"]), question)?;
    // As the other side does: what a call costs that only finds the bodies far apart.
    let far = place.path().join("poses/far.txt");
    fs::write(&far, "1 0 0 0 1000 0 0\n")?;
    let mut command = bench(path, Question::Touching, &place.mesh(mesh), settings);
    let call = tell(command.arg("--poses").arg(far).args(["--cold", "--repeat", "49"]), question)?;
    let less = |us: f64| (us - call.median_us).max(0.0);
    Ok(Told { min_us: less(told.min_us), median_us: less(told.median_us), ..told })
}

fn bench(path: &Path, question: Question, mesh: &Path, settings: &Settings) -> Command {
    let mut command = Command::new(path);
    command
        .args(["bench", "poses"])
        .args([mesh, mesh])
        .args(["--want", question.want(), "--engine", &settings.engine])
        .args(["--clock", "cpu", "--format", "csv"]);
    command
}

/// Runs it, and reads what it says.
fn tell(command: &mut Command, question: Question) -> Result<Told> {
    let done = command.output()?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8_lossy(&done.stdout);
    of_table(&text, question).with_context(|| format!("unexpected output: {text}"))
}

/// From a line of names and one of values.
fn of_table(text: &str, question: Question) -> Option<Told> {
    Some(Told {
        peer: OURS.to_owned(),
        question,
        min_us: cell(text, "min_us")?.parse().ok()?,
        median_us: cell(text, "median_us")?.parse().ok()?,
        passes: cell(text, "passes")?.parse().ok()?,
    })
}

/// From a result line `R peer question mesh min median us/query passes info`.
fn read(line: &str, mesh: &str) -> Option<Told> {
    let cells: Vec<&str> = line.split('\t').collect();
    let ["R", peer, code, case, min, median, "us/query", passes, ..] = cells[..] else {
        return None;
    };
    let question = Question::ALL.into_iter().find(|question| question.code() == code)?;
    (case == mesh).then_some(())?;
    Some(Told {
        peer: peer.to_owned(),
        question,
        min_us: min.parse().ok()?,
        median_us: median.parse().ok()?,
        passes: passes.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_and_tables_say_the_same() {
        let line = "R\ttree\tall\tknot_1k\t38.6\t40.4\tus/query\t41\tpairs/query=3.9";
        let told = read(line, "knot_1k").unwrap();
        assert_eq!((told.question, told.passes), (Question::Pairs, 41));
        let table = "queries,passes,median_us,min_us\n200,41,40.4,38.6\n";
        let ours = of_table(table, Question::Pairs).unwrap();
        assert_eq!(ours, Told { peer: OURS.to_owned(), ..told });
        assert_eq!(read(line, "knot_10k"), None);
        assert_eq!(read(&line.replace("all", "deform"), "knot_1k"), None);
        assert_eq!(of_table("queries\n200\n", Question::Pairs), None);
    }
}
