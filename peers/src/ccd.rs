//! First contact of linearly moving features: `impinge bench ccd` beside the CCD of ipctk, on the
//! same labelled queries. Both print a line of CSV per file; files of a kind are added up here.

use anyhow::{Context, Result, bail, ensure};
use impinge_lab::stamp::Stamp;
use impinge_lab::table::{Cell, Table};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const USAGE: &str = "\
cargo xtask peers ccd [--data DIR] [--out DIR]

  --data  a folder of files for `impinge bench ccd` [default: $IMPINGE_DATA/ccd/dev]
  --out   the folder for ccd-peers.csv [default: results]

ipctk is that of $PEERS_ROOT/venv; its driver is peers/py/ccd.py.
";

/// Ours; the last two are those of a paper, as printed.
const METHODS: [&str; 3] = ["certified", "regula-falsi", "linear"];

/// What a program said of the files of a kind.
#[derive(Clone, Debug, PartialEq)]
struct Score {
    /// The first part of the files' names, and their features: `sc vf`.
    kind: String,
    method: String,
    queries: u64,
    hits: u64,
    misses: u64,
    /// None if no true times are known.
    late: Option<u64>,
    false_alarms: u64,
    /// Of all queries together.
    total_ns: f64,
    max_ns: f64,
}

/// Runs the comparison.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let data = std::env::var_os("IMPINGE_DATA").map(|data| Path::new(&data).join("ccd/dev"));
    let (mut data, mut out, mut ours) = (data, PathBuf::from("results"), PathBuf::new());
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { bail!("{} needs a value\n\n{USAGE}", pair[0]) };
        match name.as_str() {
            "--data" => data = Some(value.into()),
            "--out" => out = value.into(),
            "--ours" => ours = value.into(),
            _ => bail!("unknown option {name}\n\n{USAGE}"),
        }
    }
    let files = files(&data.context("IMPINGE_DATA is not set, and there is no --data")?)?;
    let mut scores = Vec::new();
    for method in METHODS {
        let bench = ["bench", "ccd", "--format", "csv", "--method", method];
        let told = output(Command::new(&ours).args(bench).args(&files))?;
        add(&mut scores, &told, "impinge ")?;
    }
    let root = PathBuf::from(std::env::var_os("PEERS_ROOT").context("PEERS_ROOT is not set")?);
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("py/ccd.py");
    let theirs = output(Command::new(root.join("venv/bin/python")).arg(driver).args(&files))?;
    add(&mut scores, &theirs, "")?;
    scores.sort_by(|a, b| a.kind.cmp(&b.kind));
    publish(&scores, &out)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "bin") {
            files.push(path);
        }
    }
    files.sort();
    ensure!(!files.is_empty(), "{}: there are no files of queries", folder.display());
    Ok(files)
}

fn output(command: &mut Command) -> Result<String> {
    let done = command.output().with_context(|| format!("{command:?} could not be started"))?;
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    ensure!(done.status.success(), "{command:?} ended with {}: {told}", done.status);
    Ok(String::from_utf8(done.stdout)?)
}

/// Adds the lines of a program to the scores of their kinds.
fn add(scores: &mut Vec<Score>, csv: &str, prefix: &str) -> Result<()> {
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().context("nothing was told")?.split(',').collect();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let cell = |name: &str| {
            let found = names.iter().position(|n| *n == name).and_then(|i| cells.get(i));
            found.copied().with_context(|| format!("{line}: there is no {name}"))
        };
        let file = cell("file")?;
        let (Some(first), Some(last)) =
            (file.split('-').next(), file.strip_suffix(".bin").and_then(|f| f.rsplit('-').next()))
        else {
            // The line of all files together.
            continue;
        };
        let queries: u64 = cell("queries")?.parse()?;
        let score = Score {
            kind: format!("{first} {last}"),
            method: format!("{prefix}{}", cell("method")?),
            queries,
            hits: cell("hits")?.parse()?,
            misses: cell("misses")?.parse()?,
            late: cell("late")?.parse().ok(),
            false_alarms: cell("false_alarms")?.parse()?,
            total_ns: cell("mean_ns")?.parse::<f64>()? * queries as f64,
            max_ns: cell("max_ns")?.parse()?,
        };
        let same = |s: &&mut Score| s.kind == score.kind && s.method == score.method;
        match scores.iter_mut().find(same) {
            None => scores.push(score),
            Some(sum) => {
                sum.queries += score.queries;
                sum.hits += score.hits;
                sum.misses += score.misses;
                sum.late = sum.late.zip(score.late).map(|(a, b)| a + b);
                sum.false_alarms += score.false_alarms;
                sum.total_ns += score.total_ns;
                sum.max_ns = sum.max_ns.max(score.max_ns);
            }
        }
    }
    Ok(())
}

fn publish(scores: &[Score], out: &Path) -> Result<()> {
    let mut table = Table::new(&[
        ("queries of", ""),
        ("method", ""),
        ("queries", ""),
        ("contacts told", ""),
        ("misses", ""),
        ("late", ""),
        ("false alarms", ""),
        ("mean", "ns"),
        ("slowest", "us"),
    ]);
    for score in scores {
        table.push([
            Cell::Text(score.kind.clone()),
            Cell::Text(score.method.clone()),
            Cell::Count(score.queries),
            Cell::Count(score.hits),
            Cell::Count(score.misses),
            score.late.map_or(Cell::Missing, Cell::Count),
            Cell::Count(score.false_alarms),
            Cell::Real(score.total_ns / score.queries as f64),
            Cell::Real(score.max_ns / 1e3),
        ]);
    }
    let note = "Labelled queries of a vertex and a face (vf) and of two edges (ee) whose corners \
                move linearly: sc from simulations, sq made by hand. Late is a time after the true \
                first contact, for regula-falsi and linear, the tests of [E99 §4.2] as printed, by \
                more than 1e-6. Tolerance 1e-6 for all. Means are of whole passes, the median of \
                ours, the best of three of ipctk, which is called through its Python module, less \
                what a call costs. The slowest query is the best of nine times with ours, of three \
                with ipctk."
        .to_owned();
    let mut stamp = Stamp::now();
    stamp.command = "cargo xtask peers ccd".to_owned();
    let text = stamp.head("First contact beside ipctk, corners moving linearly", &[note]);
    std::fs::create_dir_all(out)?;
    let path = out.join("ccd-peers.csv");
    std::fs::write(&path, text + &table.to_csv())
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}\nwrote {}", table.to_text(), path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_kind_are_added_up() {
        let csv = "file,method,queries,hits,misses,late,false_alarms,mean_ns,max_ns\n\
                   sc-a-vf.bin,m,10,4,1,2,3,100.0,900\nsc-b-vf.bin,m,30,4,0,,0,200.0,800\n\
                   total,m,40,8,1,2,3,175,900\n";
        let mut scores = Vec::new();
        add(&mut scores, csv, "our ").unwrap();
        let [score] = &scores[..] else { panic!("{scores:?}") };
        assert_eq!((score.kind.as_str(), score.method.as_str()), ("sc vf", "our m"));
        assert_eq!((score.queries, score.misses, score.late), (40, 1, None));
        assert_eq!((score.total_ns, score.max_ns), (7000.0, 900.0));
        assert!(add(&mut scores, "file,method\nsc-a-vf.bin,m\n", "").is_err());
    }
}
