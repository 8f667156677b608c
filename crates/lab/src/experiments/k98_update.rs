//! Octree update beside our engines: a head and a shuttle that come together [K98 §5.2, figure 14].

use crate::comparators::octree_update::{FaceOctree, OctreeUpdate, Params, Work};
use crate::frames::{Outcome, Plan, Run, Story, known_engines, run as run_story, world};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table, significant};
use crate::timing::Clock;
use crate::{Experiment, Lab};
use anyhow::{Context, Result, ensure};
use glam::{DQuat, DVec3};
use impinge::prelude::*;
use impinge_samples::build_mesh;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "k98-update",
    title: "Octree update beside our engines: a head and a shuttle come together",
    paper: Some("[K98 §5.2, figure 14]"),
    about: "A sphere (120 faces), a shuttle (528), a chair (146) and a head (1816) in one world; \
            head and shuttle move towards each other, turning, until they collide at the last \
            cycle. Time per cycle with all poses new, all pairs of faces told. Octree update has \
            its octrees made beforehand. The best of some passes for each cycle.",
    run,
};

const SIDE: f64 = 6.0;
/// Levels of the octree; the paper has 6.
const LEVELS: [u32; 3] = [5, 6, 7];
const PAPER_LEVEL: u32 = 6;
/// What the paper has at the last cycle, in milliseconds: octree update, and the proposed method.
const PAPER_MS: [f64; 2] = [161.0, 11.0];
const ENGINES: [&str; 3] = ["octree", "k98-octree", "bvh"];
const CYCLES_MAX: usize = 200;

/// A body: its extent, where it begins and how it goes on per cycle.
struct Part {
    sample: &'static str,
    extent: f64,
    start: DVec3,
    velocity: DVec3,
    axis: DVec3,
    degrees: f64,
}

const PARTS: [Part; 4] = [
    Part {
        sample: "sphere?faces=120",
        extent: 0.9,
        start: DVec3::new(-1.9, 1.9, 0.4),
        velocity: DVec3::new(0.004, 0.002, 0.0),
        axis: DVec3::Z,
        degrees: 1.0,
    },
    Part {
        sample: "shuttle",
        extent: 2.0,
        start: DVec3::new(1.7, 0.1, 0.0),
        velocity: DVec3::new(-0.02, 0.0, 0.001),
        axis: DVec3::new(0.8, 0.0, 0.6),
        degrees: 2.0,
    },
    Part {
        sample: "chair",
        extent: 1.1,
        start: DVec3::new(1.8, -2.1, -0.4),
        velocity: DVec3::new(-0.003, 0.0, 0.002),
        axis: DVec3::Y,
        degrees: 1.0,
    },
    Part {
        sample: "head",
        extent: 1.8,
        start: DVec3::new(-1.6, -0.1, 0.1),
        velocity: DVec3::new(0.015, 0.001, 0.0),
        axis: DVec3::new(0.0, 0.6, 0.8),
        degrees: 1.5,
    },
];

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let plan = Plan {
        clock: Clock::for_threads(lab.settings.threads),
        passes: if quick { 1 } else { 25 },
    };
    let mut story = story()?;
    if quick {
        story.cycles.drain(..story.cycles.len() - 3);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(lab.settings.threads).build()?;
    let levels = if quick { &LEVELS[..1] } else { &LEVELS[..] };
    let mut table = Table::new(&COLUMNS);
    let (runs, made) = pool.install(|| measure(&story, &plan, levels))?;
    for run in &runs {
        let same = |outcome: &Outcome| [outcome.hits, outcome.pairs];
        let want = runs[0].outcomes.iter().map(same);
        ensure!(run.outcomes.iter().map(same).eq(want), "{} tells other pairs", run.name);
        let beforehand = made.iter().find(|made| made.name == run.name);
        table.push(row(run, beforehand));
    }
    for (name, ms) in ["paper, octree update", "paper, proposed"].iter().zip(PAPER_MS) {
        let mut row = vec![Cell::Text((*name).to_owned()), Cell::Missing, Cell::Real(1e3 * ms)];
        row.resize(COLUMNS.len(), Cell::Missing);
        table.push(row);
    }
    conclude(lab, &runs, &made);
    lab.publish(&table, Some(&plot(&runs)))
}

/// Head and shuttle until they collide, which nothing else may do.
fn story() -> Result<Story> {
    let mut meshes = Vec::new();
    for part in &PARTS {
        meshes.push(Arc::new(sized(&build_mesh(part.sample)?, part.extent)?));
    }
    let pose = |part: &Part, cycle: usize| {
        let k = cycle as f64;
        let turn = DQuat::from_axis_angle(part.axis, k * part.degrees.to_radians());
        let [x, y, z, w] = turn.to_array();
        Pose::new([w, x, y, z], part.start + part.velocity * k).context("a pose of a part")
    };
    let poses = |cycle: usize| PARTS.iter().map(|part| pose(part, cycle)).collect::<Result<_>>();
    let mut story = Story { meshes, cycles: vec![poses(0)?] };
    let mut trial = world(&story, "bvh", "auto")?;
    while trial(&story.cycles[story.cycles.len() - 1])?.hits == 0 {
        ensure!(story.cycles.len() < CYCLES_MAX, "head and shuttle miss each other");
        story.cycles.push(poses(story.cycles.len())?);
    }
    ensure!(story.cycles.len() > 10, "bodies that collide at once");
    Ok(story)
}

/// The mesh about its middle, with this greatest extent.
fn sized(mesh: &Mesh, extent: f64) -> Result<Mesh> {
    let bounds = mesh.bounds();
    let scale = extent / bounds.size().into_iter().fold(0.0, f64::max);
    let middle = bounds.center();
    let place = |v: &Point| std::array::from_fn(|k| (v[k] - middle[k]) * scale);
    Ok(mesh.with_vertices(mesh.vertices().iter().map(place).collect())?)
}

/// What was made beforehand.
struct Made {
    name: String,
    ms: f64,
    bytes: usize,
    black_nodes: usize,
    tests: u64,
    last: Work,
}

/// Octree update at these levels, then our engines.
fn measure(story: &Story, plan: &Plan, levels: &[u32]) -> Result<(Vec<Run>, Vec<Made>)> {
    let (mut runs, mut all_made) = (Vec::new(), Vec::new());
    for &level in levels {
        let params = Params { center: [0.0; 3], side: SIDE, level };
        let watch = plan.clock.start();
        let octrees = story.meshes.iter().map(|mesh| FaceOctree::of(mesh.clone(), &params));
        let octrees: Vec<Arc<FaceOctree>> =
            octrees.map(|octree| octree.map(Arc::new)).collect::<Result<_>>()?;
        let mut made = Made {
            name: format!("octree update, level {level}"),
            ms: watch.elapsed().as_secs_f64() * 1e3,
            bytes: octrees.iter().map(|octree| octree.bytes()).sum(),
            black_nodes: octrees.iter().map(|octree| octree.black_nodes()).sum(),
            tests: octrees.iter().map(|octree| octree.tests()).sum(),
            last: Work::default(),
        };
        let make = || {
            let mut update = OctreeUpdate::new(octrees.clone(), params);
            Ok(move |poses: &[Pose]| {
                let pairs = update.step(poses)?;
                let mut bodies: Vec<[u32; 2]> = pairs.iter().map(|pair| pair.bodies).collect();
                bodies.dedup();
                let (hits, pairs) = (bodies.len() as u64, pairs.len() as u64);
                let Work { region_tests, cell_tests, face_tests, .. } = update.work();
                Ok(Outcome { hits, pairs, bound_tests: region_tests + cell_tests, face_tests })
            })
        };
        runs.push(run_story(&made.name, story, plan, make)?);
        let mut update = OctreeUpdate::new(octrees.clone(), params);
        update.step(&story.cycles[story.cycles.len() - 1])?;
        made.last = update.work();
        all_made.push(made);
    }
    for engine in known_engines(&ENGINES) {
        for pruner in ["brute", "auto"] {
            let name = format!("{engine}, {pruner} boxes");
            runs.push(run_story(&name, story, plan, || world(story, engine, pruner))?);
        }
    }
    Ok((runs, all_made))
}

const COLUMNS: [(&str, &str); 9] = [
    ("method", ""),
    ("mean cycle", "µs"),
    ("last cycle", "µs"),
    ("last, face pairs", ""),
    ("last, bound tests", ""),
    ("last, face tests", ""),
    ("made beforehand", "ms"),
    ("black nodes", ""),
    ("memory", "kB"),
];

fn row(run: &Run, made: Option<&Made>) -> Vec<Cell> {
    let Outcome { pairs, bound_tests, face_tests, .. } = run.last();
    let mut row = vec![
        Cell::Text(run.name.clone()),
        Cell::Real(run.mean_us()),
        Cell::Real(run.last_us()),
        Cell::Count(pairs),
        Cell::Count(bound_tests),
        Cell::Count(face_tests),
    ];
    row.extend(match made {
        Some(made) => [
            Cell::Real(made.ms),
            Cell::Count(made.black_nodes as u64),
            Cell::Real(made.bytes as f64 / 1e3),
        ],
        None => [Cell::Missing, Cell::Missing, Cell::Missing],
    });
    row
}

/// Cycle by cycle, as figure 14.
fn plot(runs: &[Run]) -> Plot {
    let line = |run: &Run| Series {
        name: run.name.clone(),
        mark: Mark::Line,
        points: run.us.iter().enumerate().skip(1).map(|(k, us)| [k as f64, us / 1e3]).collect(),
    };
    let mut series: Vec<Series> = runs.iter().map(line).collect();
    let last = runs.first().map_or(0, |run| run.us.len() - 1) as f64;
    for (name, ms) in ["octree update", "proposed"].iter().zip(PAPER_MS) {
        let name = format!("paper (1998), {name}, last cycle");
        series.push(Series { name, mark: Mark::Points, points: vec![[last, ms]] });
    }
    Plot {
        title: EXPERIMENT.title.to_owned(),
        x: Axis { label: "cycle".to_owned(), scale: Scale::Linear },
        y: Axis { label: "ms".to_owned(), scale: Scale::Log },
        series,
    }
}

/// How many times as long octree update takes, and with what work.
fn conclude(lab: &mut Lab, runs: &[Run], made: &[Made]) {
    let rounded = |x: f64| significant((x * 10.0).round() / 10.0);
    lab.note(format!(
        "At the last cycle the paper's octree update takes {} times as long as its proposed method \
         (161 and 11 ms; its text says 16).",
        rounded(PAPER_MS[0] / PAPER_MS[1])
    ));
    for made in made {
        let name = &made.name;
        let of_paper = if name.ends_with(&PAPER_LEVEL.to_string()) { ", the paper's" } else { "" };
        let Some(update) = runs.iter().find(|run| run.name == *name) else { continue };
        let ours = runs.iter().filter(|run| !run.name.starts_with("octree update"));
        let ratios = ours
            .map(|run| format!("{} as {}", rounded(update.last_us() / run.last_us()), run.name));
        let Work { region_tests, listed, cell_tests, listed_pairs, face_tests } = made.last;
        lab.note(format!(
            "{name}{of_paper}: times as long at the last cycle: {}. It holds {region_tests} black \
             nodes against overlap regions, keeps {listed}, holds them against cells {cell_tests} \
             times, meets {listed_pairs} pairs of faces in the lists and tests {face_tests} \
             different ones. Beforehand: {} tests of a face and a cell.",
            ratios.collect::<Vec<_>>().join(", "),
            made.tests
        ));
    }
    lab.note(
        "What the counts show of octree update: two black nodes meet in several voxels, so the \
         lists name the same pair of faces many times over, and each black node of a region is \
         held against cells level by level. Of our engines `bvh` is made beforehand too; \
         `octree` and `k98-octree` make nothing.",
    );
}
