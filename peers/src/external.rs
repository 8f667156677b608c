//! Programs of their own that read n-body files and print result lines `R peer nbody N min median
//! unit passes info`, separated by tabs; they leave the pairs of each frame in files.
//!
//! They time process CPU time over at most 40 frames. Their answers are held against ours.

use anyhow::{Context, Result};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// No program is waited for longer than that; what it has printed by then counts.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a program said of itself.
#[derive(Debug, PartialEq)]
pub(crate) struct Told {
    pub(crate) peer: String,
    pub(crate) min_ms: f64,
    pub(crate) median_ms: f64,
    pub(crate) frames: usize,
    /// How many of its first frames have the pairs that they should; `None` without answers.
    pub(crate) right: Option<usize>,
}

/// Where the programs are.
#[derive(Debug)]
pub(crate) struct Programs {
    root: PathBuf,
    commands: Vec<Vec<PathBuf>>,
}

impl Programs {
    /// Those under `$PEERS_ROOT` that exist.
    pub(crate) fn find() -> Option<Self> {
        let root = PathBuf::from(std::env::var_os("PEERS_ROOT")?);
        let binaries = ["bin/embree", "bin/fcl", "bin/coal", "bin/bullet", "bin/cgal"];
        let own = binaries.iter().chain(&["target/release/peers-rs"]).map(|name| root.join(name));
        let mut commands: Vec<Vec<PathBuf>> =
            own.filter(|path| path.is_file()).map(|path| vec![path]).collect();
        let python = root.join("venv/bin/python");
        if let Some(driver) = std::env::var_os("PEERS_IPCTK").map(PathBuf::from)
            && python.is_file()
        {
            commands.push(vec![python, driver]);
        }
        (!commands.is_empty()).then_some(Self { root, commands })
    }

    /// An input that these programs have got for `n` bodies.
    pub(crate) fn input(&self, n: usize) -> Option<PathBuf> {
        Some(self.root.join(format!("nbody/{n}.txt"))).filter(|path| path.is_file())
    }

    /// Runs all on the world that `text` holds; `pairs` are those of its first frames.
    pub(crate) fn run(&self, kind: &str, text: &str, pairs: &[usize]) -> Result<Vec<Told>> {
        let n = text.split(' ').next().unwrap_or_default().to_owned();
        // The programs look for their input and leave their answers in places of this kind.
        let place = self.root.join("impinge").join(kind);
        let answers = place.join("out/ans");
        std::fs::create_dir_all(place.join("nbody"))?;
        std::fs::create_dir_all(&answers)?;
        std::fs::write(place.join(format!("nbody/{n}.txt")), text)?;
        let mut told = Vec::new();
        for command in &self.commands {
            let lines = output(command, &["nbody", &n], &place, "2")
                .with_context(|| format!("{} does not run", command[0].display()))?;
            told.extend(lines.lines().filter_map(|line| read(line, &answers, pairs)));
        }
        Ok(told)
    }
}

/// What a program prints until it ends or its time is over; some would take hours. It finds its
/// inputs in `place`, and has so many seconds for each thing it times.
pub(crate) fn output(
    command: &[PathBuf],
    arguments: &[&str],
    place: &Path,
    seconds: &str,
) -> Result<String> {
    let log = place.join("out/log.txt");
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .args(arguments)
        .env("PEERS_ROOT", place)
        .env("PEERS_BUDGET", seconds)
        .stdout(File::create(&log)?)
        .stderr(Stdio::null())
        .spawn()?;
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(String::from_utf8_lossy(&std::fs::read(&log)?).into_owned())
}

/// The value of that name in a table of a line of names and one of values.
pub(crate) fn cell<'a>(table: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = table.lines().map(|line| line.split(','));
    let (names, values) = (lines.next()?, lines.next()?);
    names.zip(values).find(|(known, _)| *known == name).map(|(_, value)| value)
}

fn read(line: &str, answers: &Path, pairs: &[usize]) -> Option<Told> {
    let cells: Vec<&str> = line.split('\t').collect();
    let ["R", peer, "nbody", n, min, median, "ms/frame", frames, ..] = cells[..] else {
        return None;
    };
    // Names of answers lack the number of threads that some names of results have.
    let name = peer.trim_end_matches("-1t");
    let found = [peer, name].iter().find_map(|name| {
        std::fs::read_to_string(answers.join(format!("{name}@nbody@{n}.txt"))).ok()
    });
    let right = found.map(|text| {
        let counts = text.lines().map(|line| line.trim().parse().ok());
        counts.zip(pairs).take_while(|(found, pairs)| found.as_ref() == Some(*pairs)).count()
    });
    Some(Told {
        peer: peer.to_owned(),
        min_ms: min.parse().ok()?,
        median_ms: median.parse().ok()?,
        frames: frames.parse().ok()?,
        right,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_read_and_answers_compared() {
        let folder = std::env::temp_dir().join(format!("impinge-peers-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("tree@nbody@10.txt"), "3\n4\n9\n").unwrap();
        let line = "R\ttree-1t\tnbody\t10\t0.5\t0.75\tms/frame\t3\tpairs0=3";
        let told = read(line, &folder, &[3, 4, 5]).unwrap();
        let want = Told {
            peer: "tree-1t".to_owned(),
            min_ms: 0.5,
            median_ms: 0.75,
            frames: 3,
            right: Some(2),
        };
        assert_eq!(told, want);
        assert_eq!(read(&line.replace("tree", "bush"), &folder, &[]).unwrap().right, None);
        assert_eq!(read("R\ttree\tdeform\t10", &folder, &[]), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
