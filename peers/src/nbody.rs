//! The n-body contest: sizes × kinds, ours against parry3d in one process, and against programs of
//! their own where the file format allows.

use crate::Settings;
use crate::contest::{self, Contestant, Ours, Score};
use crate::external::{Programs, Told};
use crate::parry::{self, Parry};
use anyhow::{Context, Result, ensure};
use impinge::broad;
use impinge_lab::nbody::{Frames, Summary};
use impinge_lab::stamp::Stamp;
use impinge_lab::table::{Cell, Table};
use impinge_samples::nbody::{Kind, Params, world};
use impinge_scene::nbody::NBody;

const KINDS: [Kind; 4] = [Kind::Uniform, Kind::Spread, Kind::SpreadPower, Kind::Clustered];
/// A pruner whose frames would take longer than that if its time grew with n² does not take part.
const FRAME_MS_MAX: f64 = 4000.0;
/// Frames whose pairs the answers of other programs are held against; they run no more.
const ANSWERS: usize = 40;

/// A row of the result.
struct Row {
    kind: Kind,
    n: usize,
    program: String,
    ours: bool,
    /// Whether it finds what it should.
    exact: bool,
    frames: usize,
    pairs: Option<f64>,
    min_ms: f64,
    median_ms: f64,
    mean_ms: Option<f64>,
}

pub(crate) fn run(settings: &Settings) -> Result<()> {
    let programs = Programs::find();
    let known: Vec<&'static str> = broad::names().collect();
    for name in &settings.pruners {
        ensure!(known.contains(&name.as_str()), "there is no pruner {name}; known are {known:?}");
    }
    let chosen = |name: &&str| match settings.pruners.is_empty() {
        // The oracle has no place in a race.
        true => *name != broad::brute::NAME,
        false => settings.pruners.iter().any(|chosen| chosen == name),
    };
    let pruners: Vec<&'static str> = known.iter().copied().filter(chosen).collect();
    let mut rows: Vec<Row> = Vec::new();
    for kind in KINDS {
        for &n in &settings.sizes {
            let fits = |name: &&&str| expected_ms(&rows, kind, n, name) <= FRAME_MS_MAX;
            let able: Vec<&'static str> = pruners.iter().filter(fits).copied().collect();
            let input = programs.as_ref().filter(|_| kind == Kind::Uniform);
            let world = match input.and_then(|programs| programs.input(n)) {
                Some(path) => NBody::load(&path)?,
                None => world(&Params { kind, n, ..Params::default() })?,
            };
            let scores = contest(&world, settings.frames, &able)?;
            let first = rows.len();
            rows.extend(scores.iter().map(|score| row_of(kind, n, score)));
            // Sizes of their own are unknown to the other programs.
            if let (Some(programs), Kind::Uniform | Kind::Clustered) = (&programs, kind) {
                rows.extend(told(programs, kind, &world)?);
            }
            rows[first..].iter().for_each(say);
        }
    }
    publish(settings, &rows, programs.is_some())
}

/// What a frame would take if time grew with n² from the last size that was run.
fn expected_ms(rows: &[Row], kind: Kind, n: usize, name: &str) -> f64 {
    let program = format!("impinge {name}");
    let before = rows.iter().rev().find(|row| row.kind == kind && row.program == program);
    before.map_or(0.0, |row| row.median_ms * (n as f64 / row.n as f64).powi(2))
}

fn contest(world: &NBody, frames: usize, pruners: &[&'static str]) -> Result<Vec<Score>> {
    let start = Frames::new(world.clone());
    let mut contestants: Vec<Box<dyn Contestant>> = vec![Box::new(Parry::new(start.bounds()))];
    for name in pruners {
        let pruner = broad::by_name(name).context("names come from the list of pruners")?;
        contestants.push(Box::new(Ours::new(name, pruner, start.bounds())));
    }
    drop(start);
    contest::run(world, frames, &mut contestants)
}

fn row_of(kind: Kind, n: usize, score: &Score) -> Row {
    let Summary { min_ms, median_ms, mean_ms, .. } = score.times;
    Row {
        kind,
        n,
        program: score.name.clone(),
        ours: score.name != parry::NAME,
        exact: true,
        frames: score.pairs.len(),
        pairs: Some(score.pairs.iter().sum::<usize>() as f64 / score.pairs.len() as f64),
        min_ms,
        median_ms,
        mean_ms: Some(mean_ms),
    }
}

/// The other programs. Their files know no pens, so all bodies have the run of the room there.
fn told(programs: &Programs, kind: Kind, world: &NBody) -> Result<Vec<Row>> {
    let n = world.len();
    let free = NBody { pen: None, ..world.clone() };
    let text = free.to_text();
    let truth = contest(&free, ANSWERS, &[])?.swap_remove(0).pairs;
    let row = |told: Told| Row {
        kind,
        n,
        program: told.peer,
        ours: false,
        exact: told.right == Some(told.frames),
        frames: told.frames,
        pairs: None,
        min_ms: told.min_ms,
        median_ms: told.median_ms,
        mean_ms: None,
    };
    Ok(programs.run(kind.name(), &text, &truth)?.into_iter().map(row).collect())
}

fn say(row: &Row) {
    println!(
        "{:12} {:8} {:28} {:10.4} min {:10.4} median{}",
        row.kind.name(),
        row.n,
        row.program,
        row.min_ms,
        row.median_ms,
        if row.exact { "" } else { "  other pairs" }
    );
}

fn publish(settings: &Settings, rows: &[Row], programs: bool) -> Result<()> {
    let mut table = Table::new(&[
        ("kind", ""),
        ("bodies", ""),
        ("program", ""),
        ("frames", ""),
        ("pairs per frame", ""),
        ("min", "ms"),
        ("median", "ms"),
        ("mean", "ms"),
        ("median / our best", ""),
    ]);
    let mut notes = vec![
        "Both sides are built for this processor (target-cpu=native, fat LTO), run in one process \
         and one thread, take turns every ten frames, and are measured in thread time. Motion and \
         the writing of boxes are not timed. All find the same number of pairs in every frame."
            .to_owned(),
    ];
    if programs {
        notes.push(
            "Rows without a mean are programs of their own on the same files: process time, at \
             most 40 frames, and of `clustered` only the start, for their bodies leave it. \
             `(other pairs)`: does not find the pairs that all others find."
                .to_owned(),
        );
    }
    for row in rows {
        let best = best(rows, row, |row| row.ours).map_or(f64::NAN, |best| best.median_ms);
        let ratio = row.median_ms / best;
        let mark = if row.exact { "" } else { " (other pairs)" };
        table.push([
            Cell::Text(row.kind.name().to_owned()),
            Cell::Count(row.n as u64),
            Cell::Text(row.program.clone() + mark),
            Cell::Count(row.frames as u64),
            row.pairs.map_or(Cell::Missing, Cell::Real),
            Cell::Real(row.min_ms),
            Cell::Real(row.median_ms),
            row.mean_ms.map_or(Cell::Missing, Cell::Real),
            if ratio.is_finite() { Cell::Real(ratio) } else { Cell::Missing },
        ]);
    }
    notes.extend(verdicts(rows));
    let mut stamp = Stamp::now();
    let options: Vec<String> = std::env::args().skip(1).collect();
    stamp.command = format!("cargo xtask peers {}", options.join(" "));
    let text = stamp.head("Our pruners beside other libraries", &notes) + &table.to_csv();
    std::fs::create_dir_all(&settings.out)?;
    let path = settings.out.join("nbody-peers.csv");
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    println!("\n{}\n{}\nwrote {}", table.to_text(), verdicts(rows).join("\n"), path.display());
    Ok(())
}

/// The fastest of a kind in the case that `like` belongs to, by its median.
fn best<'a>(rows: &'a [Row], like: &Row, wanted: impl Fn(&Row) -> bool) -> Option<&'a Row> {
    let case = rows.iter().filter(|row| row.kind == like.kind && row.n == like.n && row.exact);
    case.filter(|row| wanted(row)).min_by(|a, b| a.median_ms.total_cmp(&b.median_ms))
}

/// A sentence for each case: our best against the fastest of the others.
fn verdicts(rows: &[Row]) -> Vec<String> {
    let cases = rows.iter().filter(|row| row.program == parry::NAME);
    let verdict = |case: &Row| {
        let ours = best(rows, case, |row| row.ours)?;
        let other = best(rows, case, |row| !row.ours)?;
        Some(format!(
            "{}, {} bodies: {} is {:.2}× as fast as {} by the median, {:.2}× by the minimum.",
            case.kind.name(),
            case.n,
            ours.program,
            other.median_ms / ours.median_ms,
            other.program,
            other.min_ms / ours.min_ms,
        ))
    };
    cases.filter_map(verdict).collect()
}
