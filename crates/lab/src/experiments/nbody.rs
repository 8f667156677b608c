//! Every pruner on every kind of world: which one wins where, and how far from the winner `auto` is.

use crate::nbody::race_named;
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Result, ensure};
use impinge::broad::names;
use impinge_samples::nbody::{Kind, Params, world};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "nbody",
    title: "Pruners over kinds, sizes and speeds of worlds",
    paper: Some("[V00 §6]"),
    about: "Moving boxes of five kinds, near-still to fast (radii per frame): milliseconds per \
            frame of each pruner, a mean over all frames after a warm-up, in which each counts \
            with the better of two runs. How far `auto` is from the best.",
    run,
};

const SPEEDS: [f64; 5] = [0.001, 0.01, 0.03, 0.1, 1.0];
/// Numbers of bodies, and how many frames tell enough.
const SIZES: [[usize; 2]; 6] =
    [[10, 400], [30, 400], [100, 400], [1000, 100], [10_000, 60], [100_000, 40]];
/// A pruner whose frames would take longer than that if its time grew with n² is left out.
const FRAME_MS_MAX: f64 = 400.0;
/// The same for those whose time does grow so.
const ALL_PAIRS: [&str; 2] = ["brute", "spheres"];
const ALL_PAIRS_MS_MAX: f64 = 5.0;
/// `auto` is to be no further from the best than this.
const AUTO_MAX: f64 = 1.3;

/// The times of one case, in the order of the pruners.
struct Case {
    kind: Kind,
    n: usize,
    speed: f64,
    pairs: f64,
    times_ms: Vec<Option<f64>>,
}

fn run(lab: &mut Lab) -> Result<()> {
    let pruners: Vec<&str> = names().collect();
    let sizes = if lab.settings.quick { &SIZES[1..2] } else { &SIZES[..] };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(lab.settings.threads).build()?;
    let mut cases: Vec<Case> = Vec::new();
    for kind in Kind::ALL {
        for speed in SPEEDS {
            for &[n, frames] in sizes {
                let seed = lab.settings.seed;
                let params = Params { kind, n, speed, seed, ..Params::default() };
                // A cluster of a handful of bodies has no room for them.
                let Ok(start) = world(&params) else { continue };
                let frames = if lab.settings.quick { 5 } else { frames };
                let before = cases.last().filter(|case| (case.kind, case.speed) == (kind, speed));
                let able = able(&pruners, before, n);
                let runs = pool.install(|| race_named(&start, frames, &able))?;
                for (run, name) in runs.iter().zip(&able) {
                    ensure!(run.pairs == runs[0].pairs, "`{name}` finds other pairs: {params:?}");
                }
                let time = |name: &&str| {
                    let at = able.iter().position(|able| able == name)?;
                    Some(runs[at].mean_ms())
                };
                let pairs = runs[0].pairs.iter().sum::<usize>() as f64 / frames as f64;
                let times_ms = pruners.iter().map(time).collect();
                cases.push(Case { kind, n, speed, pairs, times_ms });
            }
        }
    }
    judge_auto(lab, &pruners, &cases);
    lab.publish(&table(&pruners, &cases), Some(&plot(&pruners, &cases)))
}

/// The pruners that will be done in time if theirs grows with n² from the case before.
fn able<'a>(pruners: &[&'a str], before: Option<&Case>, n: usize) -> Vec<&'a str> {
    let fits = |(k, name): &(usize, &&str)| {
        let Some(case) = before else { return true };
        let growth = (n as f64 / case.n as f64).powi(2);
        let most = if ALL_PAIRS.contains(*name) { ALL_PAIRS_MS_MAX } else { FRAME_MS_MAX };
        case.times_ms[*k].is_some_and(|ms| ms * growth <= most)
    };
    pruners.iter().enumerate().filter(fits).map(|(_, name)| *name).collect()
}

impl Case {
    /// The winner among those that had to be chosen by name, and its time.
    fn best<'a>(&self, pruners: &[&'a str]) -> Option<(&'a str, f64)> {
        let named = pruners.iter().zip(&self.times_ms).filter(|(name, _)| **name != AUTO);
        let timed = named.filter_map(|(name, ms)| Some((*name, (*ms)?)));
        timed.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// How many times the best one's time `auto` takes.
    fn auto_ratio(&self, pruners: &[&str]) -> Option<f64> {
        let auto = self.times_ms[pruners.iter().position(|name| *name == AUTO)?]?;
        Some(auto / self.best(pruners)?.1)
    }
}

const AUTO: &str = "auto";

fn judge_auto(lab: &mut Lab, pruners: &[&str], cases: &[Case]) {
    let ratios = cases.iter().filter_map(|case| Some((case, case.auto_ratio(pruners)?)));
    let Some((case, worst)) = ratios.clone().max_by(|a, b| a.1.total_cmp(&b.1)) else { return };
    let beyond = ratios.filter(|(_, ratio)| *ratio > AUTO_MAX).count();
    lab.note(format!(
        "`auto` takes at most {worst:.2} times as long as the best pruner ({}, {} bodies, speed \
         {}); in {beyond} of {} cases it takes more than {AUTO_MAX} times as long.",
        case.kind.name(),
        case.n,
        case.speed,
        cases.len(),
    ));
}

fn table(pruners: &[&str], cases: &[Case]) -> Table {
    let mut columns = vec![("kind", ""), ("bodies", ""), ("speed", ""), ("pairs", "")];
    columns.extend(pruners.iter().map(|name| (*name, "ms")));
    columns.extend([("best", ""), ("auto / best", "")]);
    let mut table = Table::new(&columns);
    for case in cases {
        let mut row = vec![
            Cell::Text(case.kind.name().to_owned()),
            Cell::Count(case.n as u64),
            Cell::Real(case.speed),
            Cell::Real(case.pairs),
        ];
        row.extend(case.times_ms.iter().map(|ms| ms.map_or(Cell::Missing, Cell::Real)));
        let best = case.best(pruners);
        row.push(best.map_or(Cell::Missing, |(name, _)| Cell::Text(name.to_owned())));
        row.push(case.auto_ratio(pruners).map_or(Cell::Missing, Cell::Real));
        table.push(row);
    }
    table
}

/// The even world of the paper's speed.
fn plot(pruners: &[&str], cases: &[Case]) -> Plot {
    let shown = |case: &&Case| case.kind == Kind::Uniform && (case.speed - 0.1).abs() < 1e-9;
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let series = pruners.iter().enumerate().map(|(k, name)| Series {
        name: (*name).to_owned(),
        mark: Mark::Line,
        points: cases
            .iter()
            .filter(shown)
            .filter_map(|case| Some([case.n as f64, case.times_ms[k]?]))
            .collect(),
    });
    Plot {
        title: "Pruners on even worlds, a tenth of a radius per frame".to_owned(),
        x: axis("bodies"),
        y: axis("ms per frame"),
        series: series.filter(|series| !series.points.is_empty()).collect(),
    }
}
