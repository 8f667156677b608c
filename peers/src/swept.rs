//! Everything that collides in a step of a mesh whose vertices move, against itself: ours beside
//! ipctk, on the published frames.

use anyhow::{Context, Result, bail, ensure};
use impinge_lab::stamp::Stamp;
use impinge_lab::swept::{Step, published, score};
use impinge_lab::table::{Cell, Table};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const USAGE: &str = "\
cargo xtask peers swept [--out DIR] [--seconds N] [--frames N]

  --out      the folder for swept-peers.csv [default: results]
  --seconds  how long a solver of ipctk is sampled, four times each [default: 4]
  --frames   frames of ours, of which the best counts [default: 15]

The frames are those of $IMPINGE_DATA/broadphase; ipctk is that of $PEERS_ROOT/venv, its driver
peers/py/swept.py.
";

/// Runs the comparison.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let (mut out, mut seconds, mut frames) = (PathBuf::from("results"), 4, 15);
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { bail!("{} needs a value\n\n{USAGE}", pair[0]) };
        match name.as_str() {
            "--out" => out = value.into(),
            "--seconds" => seconds = value.parse().context("--seconds needs a whole number")?,
            "--frames" => frames = value.parse().context("--frames needs a whole number")?,
            _ => bail!("unknown option {name}\n\n{USAGE}"),
        }
    }
    let steps = published()?.context("IMPINGE_DATA is not set")?;
    let root = PathBuf::from(std::env::var_os("PEERS_ROOT").context("PEERS_ROOT is not set")?);
    let mut table = Table::new(&[
        ("mesh", ""),
        ("method", ""),
        ("threads", ""),
        ("candidates", ""),
        ("broad", "ms"),
        ("all", "ms"),
        ("first", "ms"),
        ("listed, judged", ""),
        ("missed", ""),
    ]);
    for step in &steps {
        let folder = root.join("impinge/swept").join(&step.name);
        write(step, &folder)?;
        for threads in [1, 2] {
            table.push(ours(step, threads, frames)?);
            let told = theirs(&root, &folder, [threads, seconds])?;
            rows(step, threads, &told)?.into_iter().for_each(|row| table.push(row));
        }
    }
    publish(&table, &out)
}

fn ours(step: &Step, threads: usize, frames: usize) -> Result<Vec<Cell>> {
    let score = score(step, threads, frames)?;
    let truth = step.truth.as_ref().context("the published frames come with lists")?;
    let [missed, _] = score.errors(truth);
    Ok(vec![
        Cell::Text(step.name.clone()),
        Cell::Text("impinge".to_owned()),
        Cell::Count(threads as u64),
        Cell::Count(score.found.work.boxes),
        Cell::Missing,
        Cell::Real(score.all_ms),
        Cell::Real(score.first_ms),
        Cell::Count(truth.iter().map(|list| list.len() as u64).sum()),
        Cell::Count(missed as u64),
    ])
}

/// The step as the driver reads it.
fn write(step: &Step, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let reals = |points: &[[f64; 3]]| -> Vec<u8> {
        points.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect()
    };
    let wholes = |all: &[u32]| -> Vec<u8> { all.iter().flat_map(|x| x.to_le_bytes()).collect() };
    let [vf, ee] = step.truth.as_ref().context("the published frames come with lists")?;
    let files = [
        ("start.f64", reals(&step.start)),
        ("end.f64", reals(&step.end)),
        ("faces.u32", wholes(step.triangles.as_flattened())),
        ("vf.u32", wholes(vf.as_flattened())),
        ("ee.u32", wholes(ee.as_flattened())),
    ];
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).with_context(|| name.to_owned())?;
    }
    Ok(())
}

fn theirs(root: &Path, folder: &Path, numbers: [usize; 2]) -> Result<String> {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("py/swept.py");
    let mut command = Command::new(root.join("venv/bin/python"));
    command.arg(driver).arg(folder).args(numbers.map(|number| number.to_string()));
    let done = command.output().with_context(|| format!("{command:?} could not be started"))?;
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    ensure!(done.status.success(), "{command:?} ended with {}: {told}", done.status);
    Ok(String::from_utf8(done.stdout)?)
}

/// The lines of the driver as rows of the table.
fn rows(step: &Step, threads: usize, csv: &str) -> Result<Vec<Vec<Cell>>> {
    let mut rows = Vec::new();
    for line in csv.lines().skip(1) {
        let [solver, vf, ee, broad, narrow, _, judged, missed, first] =
            line.split(',').collect::<Vec<_>>()[..]
        else {
            bail!("nine cells are needed: {line}");
        };
        let real = |x: f64| if x.is_nan() { Cell::Missing } else { Cell::Real(x) };
        let (broad, narrow): (f64, f64) = (broad.parse()?, narrow.parse()?);
        // On several threads single calls are not timed, and nothing is judged again.
        let alone = |count: u64| if narrow.is_nan() { Cell::Missing } else { Cell::Count(count) };
        rows.push(vec![
            Cell::Text(step.name.clone()),
            Cell::Text(format!("ipctk {solver}")),
            Cell::Count(threads as u64),
            Cell::Count(vf.parse::<u64>()? + ee.parse::<u64>()?),
            Cell::Real(broad),
            real(broad + narrow),
            real(first.parse()?),
            alone(judged.parse()?),
            alone(missed.parse()?),
        ]);
    }
    Ok(rows)
}

fn publish(table: &Table, out: &Path) -> Result<()> {
    let note = "Two frames of a simulation, one mesh against itself, vertices in straight lines: \
                all vertex-face and edge-edge collisions, and the first contact alone. Listed are \
                those that collide by exact arithmetic. ipctk: LBVH candidates; it has no call \
                that tells all collisions, so its solvers are timed on a sample of at most \
                20 000 candidates of either kind, for a limited time, less what a call from \
                Python costs, on one thread; its `all` is an estimate: broad phase, and that mean \
                times the candidates. First is compute_collision_free_stepsize, once, with \
                Additive CCD only. Listed pairs are judged as far as the same time allows. \
                Processor time on one thread, by the wall on two. Ours is built for this \
                processor, ipctk is as its authors publish it."
        .to_owned();
    let mut stamp = Stamp::now();
    let options: Vec<String> = std::env::args().skip(1).collect();
    stamp.command = format!("cargo xtask peers {}", options.join(" "));
    let text = stamp.head("A deforming mesh against itself over a step, beside ipctk", &[note]);
    std::fs::create_dir_all(out)?;
    let path = out.join("swept-peers.csv");
    std::fs::write(&path, text + &table.to_csv())
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}\nwrote {}", table.to_text(), path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_driver_become_rows() {
        let csv = "solver,…\nAdditive,10,20,1.5,30.0,8,7,0,12.5\n\
                   Tight-Inclusion,10,20,1.5,nan,0,0,0,nan\n";
        let step = Step {
            name: "x".to_owned(),
            triangles: vec![],
            start: vec![],
            end: vec![],
            truth: None,
        };
        let rows = rows(&step, 2, csv).unwrap();
        assert_eq!(rows[0][3], Cell::Count(30));
        assert_eq!(rows[0][5], Cell::Real(31.5));
        assert_eq!((&rows[0][7], &rows[0][8]), (&Cell::Count(7), &Cell::Count(0)));
        assert!(rows[1][5..].iter().all(|cell| *cell == Cell::Missing));
        assert!(super::rows(&step, 1, "head\nfew,cells\n").is_err());
    }
}
