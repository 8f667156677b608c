//! How pruners grow with the number of bodies and of threads, and what memory they hold.

use crate::nbody::{Frames, Summary, prune};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Context, Result, ensure};
use impinge::broad::by_name;
use impinge_samples::nbody::{Params, world};
use std::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "nbody-scaling",
    title: "Pruners over bodies and threads",
    paper: None,
    about: "Even worlds at a tenth of a radius per frame, density 2.5 %: median milliseconds per \
            frame (wall clock) on one and two threads, which take turns, and the bytes that a \
            pruner holds per body.",
    run,
};

const PRUNERS: [&str; 3] = ["columns", "grid", "sweep"];
/// Numbers of bodies, and how many frames are timed.
const SIZES: [[usize; 2]; 4] = [[1000, 200], [10_000, 200], [100_000, 100], [1_000_000, 40]];
/// One sorted axis is of no use beyond this.
const SWEEP_MAX: usize = 100_000;
const THREADS: [usize; 2] = [1, 2];
/// Frames before the timed ones.
const WARM_UP: usize = 4;

struct Row {
    pruner: &'static str,
    n: usize,
    /// Median, by number of threads.
    ms: [f64; 2],
    bytes: f64,
}

fn run(lab: &mut Lab) -> Result<()> {
    let sizes = if lab.settings.quick { &SIZES[..1] } else { &SIZES[..] };
    let mut rows = Vec::new();
    for pruner in PRUNERS {
        for &[n, frames] in sizes {
            if pruner != "sweep" || n <= SWEEP_MAX {
                let frames = if lab.settings.quick { 4 } else { frames };
                rows.push(measure(pruner, [n, frames], lab.settings.seed)?);
            }
        }
    }
    conclude(lab, &rows);
    lab.publish(&table(&rows), Some(&plot(&rows)))
}

/// The same frames on each number of threads, in turns.
fn measure(pruner: &'static str, [n, frames]: [usize; 2], seed: u64) -> Result<Row> {
    let mut world = Frames::new(world(&Params { n, seed, ..Params::default() })?);
    let mut runners = Vec::new();
    for threads in THREADS {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let pruner = by_name(pruner).with_context(|| format!("there is no pruner `{pruner}`"))?;
        runners.push((pool, pruner, Vec::<Duration>::new()));
    }
    let mut pairs = Vec::new();
    for frame in 0..WARM_UP + frames {
        let mut found = Vec::new();
        for (pool, pruner, times) in &mut runners {
            let bounds = world.bounds();
            let done = pool.install(|| prune(pruner.as_mut(), bounds, &mut pairs, usize::MAX));
            found.push(pairs.clone());
            if frame >= WARM_UP {
                times.push(done.time);
            }
        }
        ensure!(found.windows(2).all(|two| two[0] == two[1]), "{pruner}: threads change the pairs");
        world.advance();
    }
    let bytes = runners[0].1.bytes() as f64 / n as f64;
    let ms = [0, 1].map(|k| Summary::of(runners[k].2.iter().copied()).median_ms);
    Ok(Row { pruner, n, ms, bytes })
}

fn conclude(lab: &mut Lab, rows: &[Row]) {
    for row in rows.iter().filter(|row| row.pruner == "columns" && row.n >= 100_000) {
        lab.note(format!(
            "`columns` with {} bodies: {:.2} times as fast on two threads as on one.",
            row.n,
            row.ms[0] / row.ms[1]
        ));
    }
    let at = |n: usize| rows.iter().find(|row| row.pruner == "columns" && row.n == n);
    if let (Some(small), Some(large)) = (at(10_000), at(1_000_000)) {
        let n_log_n = 100.0 * (1e6f64.ln() / 1e4f64.ln());
        lab.note(format!(
            "From 10,000 to 1,000,000 bodies `columns` takes {:.0} times as long; n log n would be \
             {n_log_n:.0} times.",
            large.ms[0] / small.ms[0]
        ));
    }
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        ("pruner", ""),
        ("bodies", ""),
        ("1 thread", "ms"),
        ("2 threads", "ms"),
        ("speed-up", ""),
        ("memory per body", "bytes"),
    ]);
    for row in rows {
        table.push([
            Cell::Text(row.pruner.to_owned()),
            Cell::Count(row.n as u64),
            Cell::Real(row.ms[0]),
            Cell::Real(row.ms[1]),
            Cell::Real(row.ms[0] / row.ms[1]),
            Cell::Real(row.bytes),
        ]);
    }
    table
}

fn plot(rows: &[Row]) -> Plot {
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let lines = PRUNERS.iter().flat_map(|pruner| THREADS.map(|threads| (*pruner, threads)));
    let series = lines.map(|(pruner, threads)| Series {
        name: format!("{pruner}, {threads}"),
        mark: Mark::Line,
        points: rows
            .iter()
            .filter(|row| row.pruner == pruner)
            .map(|row| [row.n as f64, row.ms[threads - 1]])
            .collect(),
    });
    Plot {
        title: EXPERIMENT.title.to_owned(),
        x: axis("bodies"),
        y: axis("ms per frame, on 1 and 2 threads"),
        series: series.collect(),
    }
}
