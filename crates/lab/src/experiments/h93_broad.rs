//! The comparison of space-time bounds with a uniform grid [H93], the broad phase alone and with the
//! integrator.

use crate::grouped::Grouped;
use crate::nbody::{Summary, prune};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Context, Result, ensure};
use impinge::broad::by_name;
use std::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "h93-broad",
    title: "Space-time bounds against a grid, on cubes under grouped forces",
    paper: Some("[H93]"),
    about: "The sample `grouped-cubes`: cubes at 1 % density, five groups with random \
            forces that change every few seconds, Runge–Kutta, 60 frames per second. All \
            pruners prune the same tables one after the other, and find the same pairs; \
            only `spacetime` reads the promised accelerations, and nothing else is known \
            of the motion. Means per frame over 20 seconds after 8 frames, each frame with \
            the best of its runs.",
    run,
};

/// Turk's grid, all pairs, what is the default for so many, and the subject.
const PRUNERS: [&str; 5] = ["grid", "brute", "columns", "tree", OURS];
const OURS: &str = "spacetime";
const GRID: usize = 0;
/// Up to so many all pairs are looked at.
const BRUTE_MAX: usize = 1000;
/// Numbers of cubes; the frames of the middle one are plotted.
const SIZES: [usize; 7] = [50, 100, 200, 500, 1000, 2000, 10_000];
const PLOTTED: usize = 1000;
const FRAMES: usize = 1200;
const WARM_UP: usize = 8;
const RUNS: usize = 5;

/// What was measured of one number of cubes.
struct Case {
    n: usize,
    pairs: usize,
    /// By pruner, then by frame.
    times: Vec<Vec<Duration>>,
    motion: Vec<Duration>,
    broken: usize,
}

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let (sizes, frames, runs) =
        if quick { (&SIZES[..2], 40, 1) } else { (&SIZES[..], FRAMES, RUNS) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(lab.settings.threads).build()?;
    let mut columns = vec![("cubes", ""), ("pairs", "")];
    columns.extend(PRUNERS.map(|name| (name, "µs")));
    columns.extend([
        ("speed-up", ""),
        ("integrator", "µs"),
        ("speed-up with it", ""),
        ("worst grid", "µs"),
        ("worst spacetime", "µs"),
        ("worst ratio", ""),
    ]);
    let mut table = Table::new(&columns);
    let mut plot = None;
    for &n in sizes {
        let name = format!("grouped-cubes?n={n}&seed={}", lab.settings.seed);
        let runs = if n > BRUTE_MAX { runs.min(2) } else { runs };
        let case = pool.install(|| measure(&name, n, (frames, runs)))?;
        ensure!(case.broken == 0, "{n} cubes: {} promises were broken", case.broken);
        table.push(row(&case, frames));
        if n == PLOTTED || quick {
            plot = Some(histogram(&case));
        }
    }
    lab.note(
        "Speed-up: time of `grid` over that of `spacetime`, detection alone and with the \
         integrator (positions, turns and forces of all cubes). Worst: the slowest frame \
         of each. All pruners find the pairs of overlapping boxes, exactly.",
    );
    lab.publish(&table, plot.as_ref())
}

/// Runs all pruners through the frames, several times, and keeps the best time of each frame.
fn measure(name: &str, n: usize, (frames, runs): (usize, usize)) -> Result<Case> {
    let mut case = Case { n, pairs: 0, times: Vec::new(), motion: Vec::new(), broken: 0 };
    let used: Vec<&str> =
        PRUNERS.into_iter().filter(|name| *name != "brute" || n <= BRUTE_MAX).collect();
    case.times = vec![vec![Duration::MAX; frames]; PRUNERS.len()];
    case.motion = vec![Duration::MAX; frames];
    let mut pairs = Vec::new();
    for _ in 0..runs {
        let mut scene = Grouped::new(name, None)?;
        let mut pruners = Vec::new();
        for name in &used {
            pruners.push(by_name(name).with_context(|| format!("there is no pruner `{name}`"))?);
        }
        case.pairs = 0;
        for frame in 0..WARM_UP + frames {
            let motion = scene.advance();
            let table = scene.table();
            let counted = frame.checked_sub(WARM_UP);
            let mut found = None;
            for pruner in &mut pruners {
                let done = prune(pruner.as_mut(), &table, &mut pairs, usize::MAX);
                let same = *found.get_or_insert(done.pairs) == done.pairs;
                ensure!(same, "`{}` finds other pairs in frame {frame}", pruner.name());
                case.broken += pruner.broken().len();
                let at = PRUNERS.iter().position(|name| *name == pruner.name());
                if let (Some(frame), Some(at)) = (counted, at) {
                    let best = &mut case.times[at][frame];
                    *best = done.time.min(*best);
                }
            }
            if let Some(frame) = counted {
                case.motion[frame] = motion.min(case.motion[frame]);
                case.pairs += found.unwrap_or(0);
            }
        }
    }
    Ok(case)
}

fn row(case: &Case, frames: usize) -> Vec<Cell> {
    let of = |times: &Vec<Duration>| Summary::of(times.iter().copied());
    let us = |ms: f64| 1e3 * ms;
    let (grid, ours) = (of(&case.times[GRID]), of(&case.times[PRUNERS.len() - 1]));
    let motion = of(&case.motion).mean_ms;
    let mut row = vec![Cell::Count(case.n as u64), Cell::Real(case.pairs as f64 / frames as f64)];
    row.extend(case.times.iter().map(|times| match times.first() {
        Some(&Duration::MAX) | None => Cell::Missing,
        Some(_) => Cell::Real(us(of(times).mean_ms)),
    }));
    row.extend([
        Cell::Real(grid.mean_ms / ours.mean_ms),
        Cell::Real(us(motion)),
        Cell::Real((grid.mean_ms + motion) / (ours.mean_ms + motion)),
        Cell::Real(us(grid.worst_ms)),
        Cell::Real(us(ours.worst_ms)),
        Cell::Real(ours.worst_ms / grid.worst_ms),
    ]);
    row
}

/// How many frames took how long, in steps of a quarter of an octave.
fn histogram(case: &Case) -> Plot {
    const PER_OCTAVE: f64 = 4.0;
    let series = |at: usize| {
        let mut bins = std::collections::BTreeMap::new();
        for time in &case.times[at] {
            let us = (1e6 * time.as_secs_f64()).max(1e-3);
            *bins.entry((PER_OCTAVE * us.log2()).floor() as i64).or_insert(0u32) += 1;
        }
        let middle = |bin: i64| ((bin as f64 + 0.5) / PER_OCTAVE).exp2();
        let points = bins.into_iter().map(|(bin, count)| [middle(bin), f64::from(count)]);
        Series { name: PRUNERS[at].to_owned(), mark: Mark::Line, points: points.collect() }
    };
    Plot {
        title: format!("Frames by the time of their detection, {} cubes", case.n),
        x: Axis { label: "µs, broad phase alone".to_owned(), scale: Scale::Log },
        y: Axis { label: "frames".to_owned(), scale: Scale::Linear },
        series: [GRID, PRUNERS.len() - 1].map(series).into(),
    }
}
