//! Does pruner `spacetime` miss anything? Long runs under random bounded acceleration, every step against
//! all pairs of boxes.

use crate::grouped::Grouped;
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Context, Result, ensure};
use impinge::broad::by_name;
use impinge::contract::bounds::Bounds;
use impinge::contract::ids::{Pair, Slot};
use impinge::contract::sink::Sink;
use impinge_geom::aabb::overlap;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "h93-soak",
    title: "Space-time bounds over 10⁵ body-seconds: what is missed",
    paper: Some("[H93]"),
    about: "The sample `grouped-cubes` with a force of its own for each cube, in steps of \
            1/240 s. In each step all pairs of boxes are looked at by a plain double loop; \
            counted are pairs that pruner `spacetime` does not find, those it finds though \
            boxes do not overlap, and bodies that are said to have broken their promises. \
            Ends with an error if there is any.",
    run,
};

/// Cubes, density, largest acceleration, seconds: 1.2 · 10⁵ body-seconds together.
const CASES: [(u32, f64, f64, u32); 4] =
    [(200, 0.01, 1.0, 200), (200, 0.05, 1.0, 200), (100, 0.01, 10.0, 200), (200, 0.002, 0.1, 100)];
const RATE: f64 = 240.0;

fn run(lab: &mut Lab) -> Result<()> {
    let mut table = Table::new(&[
        ("cubes", ""),
        ("density", ""),
        ("acceleration", "1/s²"),
        ("body-seconds", ""),
        ("pairs", ""),
        ("missed", ""),
        ("invented", ""),
        ("broken", ""),
    ]);
    let mut whole = 0.0;
    for (n, density, strength, seconds) in CASES {
        let seconds = if lab.settings.quick { 1 } else { seconds };
        let name = format!(
            "grouped-cubes?n={n}&groups={n}&density={density}&strength={strength}&seed={}",
            lab.settings.seed
        );
        let steps = seconds * RATE as u32;
        let [pairs, missed, invented, broken] = judge(&name, steps)?;
        let sum = f64::from(n) * f64::from(seconds);
        whole += sum;
        table.push(vec![
            Cell::Count(u64::from(n)),
            Cell::Real(density),
            Cell::Real(strength),
            Cell::Real(sum),
            Cell::Count(pairs),
            Cell::Count(missed),
            Cell::Count(invented),
            Cell::Count(broken),
        ]);
        ensure!(missed + invented + broken == 0, "{name}: {missed} {invented} {broken}");
    }
    lab.note(format!("{whole:.3e} body-seconds altogether."));
    lab.publish(&table, None)
}

/// How many pairs there are, are missed, invented, and how many promises are said to be broken.
fn judge(name: &str, steps: u32) -> Result<[u64; 4]> {
    let mut scene = Grouped::new(name, Some(1.0 / RATE))?;
    let mut pruner = by_name("spacetime").context("it is registered")?;
    let (mut found, mut counts) = (Vec::new(), [0u64; 4]);
    for _ in 0..steps {
        scene.advance();
        let bounds = scene.table();
        pruner.prune(&bounds, &mut Sink::over(&mut found, usize::MAX));
        found.sort_unstable();
        let truth = all_pairs(&bounds);
        let lacks = |list: &[Pair], pair: &&Pair| list.binary_search(pair).is_err();
        counts[0] += truth.len() as u64;
        counts[1] += truth.iter().filter(|pair| lacks(&found, pair)).count() as u64;
        counts[2] += found.iter().filter(|pair| lacks(&truth, pair)).count() as u64;
        counts[3] += pruner.broken().len() as u64;
    }
    Ok(counts)
}

/// By definition, in order.
fn all_pairs(bounds: &Bounds) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (i, a) in bounds.aabb.iter().enumerate() {
        let others = bounds.aabb.iter().enumerate().skip(i + 1);
        let met = others.filter(|(_, b)| overlap(a, b));
        pairs.extend(met.map(|(j, _)| Pair::new(Slot(i as u32), Slot(j as u32))));
    }
    pairs
}
