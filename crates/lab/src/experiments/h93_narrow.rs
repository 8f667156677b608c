//! The narrow phase of [H93]: sphere trees descended to a depth, beside exact BSP trees.

use crate::comparators::bsp::{Scratch, Solid, Splitters, meet};
use crate::flight::{Case, Flight, Params, job};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table, significant};
use crate::{Experiment, Lab};
use anyhow::{Result, ensure};
use impinge::contract::answer::Verdict;
use impinge::contract::query::Budget;
use impinge::narrow;
use impinge::prelude::{PosedPair, Query};
use impinge_geom::coins::levels::Descent;
use impinge_geom::coins::{Builder, CoinTree, Couple, Placed};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "h93-narrow",
    title: "Sphere trees descended to a depth beside exact BSP trees: two spaceships",
    paper: Some("[H93]"),
    about: "Pairs of ships of 3072 faces whose bounding spheres overlap, from a flight of the \
            spaceship simulator: mean time per pair, for all and for those that really meet \
            (positive), and how many times as long the BSP tree takes. A descent that was stopped \
            tells `apart` or `maybe`; a free pair that is called `maybe` is a false alarm.",
    run,
};

const FLIGHT: Params = Params { ships: 16, faces: 3072, range: 25.0, frames: 3000, seed: 0 };
const QUICK: Params = Params { ships: 4, faces: 1024, range: 8.0, frames: 300, seed: 0 };
/// Pairs that are looked at, and of these, evenly: pairs of all kinds, and some that meet.
const SAMPLE: usize = 20_000;
const ALL: usize = 1000;
const POSITIVE: usize = 300;
const DEPTH_MAX: u32 = 16;
/// Work for a pair, best pairs of spheres first.
const BUDGETS: [u64; 4] = [10, 30, 100, 300];

/// What methods are asked.
struct Cases {
    all: Vec<Case>,
    positive: Vec<Case>,
}

impl Cases {
    fn free(&self) -> usize {
        self.all.iter().filter(|case| !case.hit).count()
    }
}

/// At most so many of them.
fn evenly(cases: &[Case], most: usize) -> Vec<Case> {
    cases.iter().step_by(cases.len().div_ceil(most).max(1)).copied().collect()
}

/// What a method says of two ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Apart,
    Meet,
    Maybe,
}

/// What came out of a method.
struct Found {
    method: String,
    depth: Option<u32>,
    all_us: f64,
    positive_us: f64,
    /// Free pairs that it does not call free, as a part of the free ones.
    false_alarms: f64,
    /// Pairs that it leaves open, as a part of all.
    open: f64,
}

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let params = Params { seed: lab.settings.seed, ..if quick { QUICK } else { FLIGHT } };
    let flight = Flight::record(&params)?;
    let sample = flight.cases(if quick { 200 } else { SAMPLE })?;
    let hits: Vec<Case> = sample.iter().filter(|case| case.hit).copied().collect();
    let most = if quick { [40, 10] } else { [ALL, POSITIVE] };
    let cases = Cases { all: evenly(&sample, most[0]), positive: evenly(&hits, most[1]) };
    let free = cases.free();
    ensure!(free > 0 && !hits.is_empty(), "{} of {} pairs meet", hits.len(), sample.len());
    lab.note(format!(
        "{} ships, {} frames, {} collisions. Of {} pairs {} meet. All: {} of them, evenly, of \
         which {free} are free. Positive: {} of those that meet.",
        params.ships,
        params.frames,
        flight.collisions,
        sample.len(),
        hits.len(),
        cases.all.len(),
        cases.positive.len()
    ));
    let ours = measure_ours(lab, &flight, &cases)?;
    let mut found = measure_bsp(lab, &flight, &cases)?;
    found.extend(measure_levels(lab, &flight, &cases)?);
    found.extend(ours);
    tell(lab, &found);
    let mut table = Table::new(&COLUMNS);
    let bsp = [&found[0], &found[1]];
    found.iter().for_each(|one| table.push(row(one, bsp)));
    lab.publish(&table, Some(&plot(&found)))
}

/// Asks every case, then times them. Who calls two that meet apart is wrong.
fn measure(
    lab: &Lab,
    (method, depth): (String, Option<u32>),
    cases: &Cases,
    mut ask: impl FnMut(&Case) -> Told,
) -> Result<Found> {
    let positive = cases.positive.iter().filter(|case| ask(case) == Told::Apart).count();
    ensure!(positive == 0, "{method}: {positive} positive ones missed");
    let told: Vec<Told> = cases.all.iter().map(&mut ask).collect();
    let asked = || told.iter().zip(&cases.all);
    let missed = asked().filter(|(told, case)| case.hit && **told == Told::Apart).count();
    let invented = asked().filter(|(told, case)| !case.hit && **told == Told::Meet).count();
    ensure!(missed == 0 && invented == 0, "{method}: {missed} missed, {invented} invented");
    let open = told.iter().filter(|told| **told == Told::Maybe).count();
    let alarms = asked().filter(|(told, case)| !case.hit && **told == Told::Maybe).count();
    let mut time = |cases: &[Case]| {
        lab.time(cases.len(), |i| _ = black_box(ask(black_box(&cases[i])))).median_us
    };
    Ok(Found {
        method,
        depth,
        all_us: time(&cases.all),
        positive_us: time(&cases.positive),
        false_alarms: alarms as f64 / cases.free() as f64,
        open: open as f64 / cases.all.len() as f64,
    })
}

/// Trees of faces alone, then those with planes across axes too.
fn measure_bsp(lab: &mut Lab, flight: &Flight, cases: &Cases) -> Result<Vec<Found>> {
    let names = ["BSP tree, planes of faces", "BSP tree, planes across axes too"];
    let mut found = Vec::new();
    for (name, splitters) in names.iter().zip([Splitters::Faces, Splitters::FacesAndAxes]) {
        let start = Instant::now();
        let solid = Solid::of(Arc::clone(flight.mesh()), splitters)?;
        lab.note(format!(
            "{name}: {} planes, at most {} to a leaf, made in {} ms.",
            solid.planes(),
            solid.depth(),
            significant(start.elapsed().as_secs_f64() * 1e3)
        ));
        let mut scratch = Scratch::default();
        found.push(measure(lab, ((*name).to_owned(), None), cases, |case| {
            let [a, b] = &case.poses;
            if meet([&solid, &solid], [a, b], &mut scratch) { Told::Meet } else { Told::Apart }
        })?);
    }
    Ok(found)
}

/// The paper's descent level by level, depth by depth until all is decided.
fn measure_levels(lab: &Lab, flight: &Flight, cases: &Cases) -> Result<Vec<Found>> {
    let mut all = Vec::new();
    for (name, builder) in [
        ("octree", Builder::Octree),
        ("annealed octree", Builder::Annealed),
        ("coins", Builder::Coins),
    ] {
        let (mesh, tree) = (flight.mesh(), CoinTree::build(flight.mesh(), builder));
        let mut descent = Descent::default();
        for depth in 1..=DEPTH_MAX {
            let method = format!("sphere tree ({name}), level by level");
            let found = measure(lab, (method, Some(depth)), cases, |case| {
                let placed = |pose| Placed { mesh, tree: &tree, pose };
                let [a, b] = &case.poses;
                let couple = Couple::new(placed(a), placed(b));
                descent.start(&couple, 0.0);
                while descent.depth() < depth && !descent.is_done() {
                    descent.pass(&couple);
                }
                match (descent.meeting(), descent.apart()) {
                    (Some(_), _) => Told::Meet,
                    (None, true) => Told::Apart,
                    (None, false) => Told::Maybe,
                }
            })?;
            let decided = found.open == 0.0;
            all.push(found);
            if decided {
                break;
            }
        }
    }
    Ok(all)
}

/// Engine `sphere-tree` with budgets and to the end, and `bvh`.
fn measure_ours(lab: &Lab, flight: &Flight, cases: &Cases) -> Result<Vec<Found>> {
    let budgets = BUDGETS.map(|work| ("sphere-tree", Budget::Work(work)));
    let unlimited = ["sphere-tree", "bvh"].map(|engine| (engine, Budget::Unlimited));
    let mut all = Vec::new();
    for (engine, budget) in budgets.into_iter().chain(unlimited) {
        let method = match budget {
            Budget::Work(work) => format!("engine {engine}, {work} units of work"),
            _ => format!("engine {engine}, to the end"),
        };
        let mesh = || Arc::clone(flight.mesh());
        let mut pair = PosedPair::with(narrow::by_text(engine)?, mesh(), mesh())?;
        let query = Query { budget, ..Query::TOUCHING };
        all.push(measure(lab, (method, None), cases, |case| {
            match pair.answer(&[job(&case.poses)], &query).all()[0].verdict {
                Verdict::Free => Told::Apart,
                Verdict::Hit(_) => Told::Meet,
                Verdict::Unknown => Told::Maybe,
            }
        })?);
    }
    Ok(all)
}

const COLUMNS: [(&str, &str); 10] = [
    ("method", ""),
    ("depth", ""),
    ("all", "µs"),
    ("speed-up", "× BSP"),
    ("speed-up, axes", "× BSP with axes"),
    ("positive", "µs"),
    ("positive speed-up", "× BSP"),
    ("positive speed-up, axes", "× BSP with axes"),
    ("false alarms", "% of free"),
    ("left open", "% of all"),
];

fn row(found: &Found, bsp: [&Found; 2]) -> Vec<Cell> {
    let mut row = vec![
        Cell::Text(found.method.clone()),
        found.depth.map_or(Cell::Missing, |depth| Cell::Count(u64::from(depth))),
        Cell::Real(found.all_us),
    ];
    row.extend(bsp.map(|bsp| Cell::Real(bsp.all_us / found.all_us)));
    row.push(Cell::Real(found.positive_us));
    row.extend(bsp.map(|bsp| Cell::Real(bsp.positive_us / found.positive_us)));
    row.extend([found.false_alarms, found.open].map(|part| Cell::Real(100.0 * part)));
    row
}

fn tell(lab: &mut Lab, found: &[Found]) {
    lab.note(
        "Octree: balls around the cells of an octree, the paper's trees. Coins: balls cut by \
         slabs, those of engine sphere-tree. Depth 0 is one ball around all; each level down \
         has up to eight times as many; the last has single faces and is exact. Poses are taken \
         in anew for every pair, in all methods. Thibault and Naylor's BSP trees have planes of \
         faces alone; where a body bulges such a tree is deep, which is why planes across axes \
         are tried as well.",
    );
    let exact = |name: &str| found.iter().rfind(|one| one.method.contains(name));
    let bsp = found[0].all_us.min(found[1].all_us);
    if let (Some(end), Some(bvh)) = (exact("sphere-tree, to the end"), exact("bvh")) {
        let times = |one: &Found| significant(bsp / one.all_us);
        lab.note(format!(
            "Exact to the end, over the faster BSP tree, all pairs: sphere-tree {}, bvh {}.",
            times(end),
            times(bvh)
        ));
    }
}

/// Speed-up over the BSP tree of faces, by depth, as the paper draws it.
fn plot(found: &[Found]) -> Plot {
    let bsp = &found[0];
    let mut series: Vec<Series> = Vec::new();
    let mut add = |name: String, point: [f64; 2]| match series.iter_mut().find(|s| s.name == name) {
        Some(line) => line.points.push(point),
        None => series.push(Series { name, mark: Mark::Line, points: vec![point] }),
    };
    for one in found {
        let Some(depth) = one.depth.map(f64::from) else { continue };
        let builder = one.method.trim_end_matches(", level by level");
        add(format!("{builder}, all"), [depth, bsp.all_us / one.all_us]);
        add(format!("{builder}, positive"), [depth, bsp.positive_us / one.positive_us]);
    }
    Plot {
        title: EXPERIMENT.title.to_owned(),
        x: Axis { label: "depth of the descent".to_owned(), scale: Scale::Linear },
        y: Axis { label: "times as fast as the BSP tree of faces".to_owned(), scale: Scale::Log },
        series,
    }
}
