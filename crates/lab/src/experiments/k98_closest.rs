//! Fifteen spheres that bounce off each other: face octrees and trees of boxes beside closest features
//! that are followed from cycle to cycle [K98 §5.3].

use crate::comparators::closest_features::ClosestFeatures;
use crate::comparators::polytope::Polytope;
use crate::crowd::{Crowd, Params};
use crate::frames::{Outcome, Plan, Run, Story, run as run_story, world};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table, significant};
use crate::timing::Clock;
use crate::{Experiment, Lab};
use anyhow::{Context, Result, ensure};
use glam::DVec3;
use impinge::prelude::{Mesh, Pose};
use impinge_samples::build_mesh;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "k98-closest",
    title: "Fifteen bouncing spheres: all pairs of faces, or closest features that are followed",
    paper: Some("[K98 §5.3]"),
    about: "Fifteen spheres of 48 to 960 faces that fill 5 % of a room, go 5 % of their radius and \
            turn by 10 degrees per cycle, and exchange velocities when they touch: microseconds \
            per cycle over 1000 cycles, and over those with a collision, of the paper's method, of \
            `octree` and `bvh` (all pairs of faces) and of closest features behind cubes of fixed \
            size (whether they touch). The fastest of 3 runs.",
    run,
};

const FACES: [u32; 7] = [48, 80, 168, 360, 528, 728, 960];
const SPHERES: usize = 15;
const DENSITY: f64 = 0.05;
/// In radii per cycle.
const SPEED: f64 = 0.05;
/// Ten degrees per cycle, in radians.
const TURN: f64 = std::f64::consts::PI / 18.0;
const CYCLES: usize = 1000;
const PASSES: usize = 3;
const CLOSEST: &str = "closest features";
const PAPER: &str = "octree of level 6";

struct Row {
    faces: u32,
    run: Run,
}

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let faces = if quick { &FACES[..2] } else { &FACES[..] };
    let (cycles, passes) = if quick { (40, 1) } else { (CYCLES, PASSES) };
    let threads = lab.settings.threads;
    let plan = Plan { clock: Clock::for_threads(threads), passes };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut rows = Vec::new();
    for &faces in faces {
        let mesh = Arc::new(build_mesh(&format!("sphere?faces={faces}"))?);
        let (story, side) = story(&mesh, cycles, lab.settings.seed)?;
        let paper = format!("k98-octree?world={side}");
        let mut runs = Vec::new();
        for (name, engine) in [(PAPER, paper.as_str()), ("octree", "octree"), ("bvh", "bvh")] {
            let make = || world(&story, engine, "auto");
            runs.push(pool.install(|| run_story(name, &story, &plan, make))?);
        }
        runs.push(run_story(CLOSEST, &story, &plan, || closest(&mesh))?);
        compare(lab, faces, &runs)?;
        rows.extend(runs.into_iter().map(|run| Row { faces, run }));
    }
    conclude(lab, &rows)?;
    lab.publish(&table(&rows)?, Some(&by_faces(&rows)))?;
    lab.draw("-cycles", &by_cycle(&rows))
}

/// Where all spheres are at each cycle, and the edge of their room.
fn story(mesh: &Arc<Mesh>, cycles: usize, seed: u64) -> Result<(Story, f64)> {
    let params = Params {
        mesh: Arc::clone(mesh),
        n: SPHERES,
        density: DENSITY,
        speed: [SPEED; 2],
        turn: [TURN; 2],
        seed,
    };
    let crowd = Crowd::new(&params)?;
    let mut simulation = crowd.simulation("bvh", "auto")?;
    // The paper's world cube is about the origin.
    let shifted = |pose: &Pose| {
        let place = pose.translation().map(|x| x - 0.5 * crowd.side);
        Pose::new(pose.rotation(), place).context("a place in the room")
    };
    let cycle = |_| {
        simulation.step(1.0);
        (0..SPHERES).map(|body| shifted(simulation.pose(body))).collect::<Result<_>>()
    };
    let cycles = (0..cycles).map(cycle).collect::<Result<_>>()?;
    Ok((Story { meshes: vec![Arc::clone(mesh); SPHERES], cycles }, crowd.side))
}

/// Every pair whose cubes of fixed size overlap is followed by its closest features.
fn closest(mesh: &Arc<Mesh>) -> Result<impl FnMut(&[Pose]) -> Result<Outcome> + use<>> {
    let polytope = Arc::new(Polytope::of(mesh)?);
    let length = |vertex: &DVec3| vertex.length();
    let radius = polytope.vertices.iter().map(length).fold(0.0, f64::max);
    let pairs = (0..SPHERES).flat_map(|a| (a + 1..SPHERES).map(move |b| [a, b]));
    let followed = |pair| (pair, ClosestFeatures::new([0, 1].map(|_| Arc::clone(&polytope))));
    let mut followed: Vec<([usize; 2], ClosestFeatures)> = pairs.map(followed).collect();
    Ok(move |poses: &[Pose]| {
        let mut outcome = Outcome::default();
        for ([a, b], features) in &mut followed {
            let [p, q] = [poses[*a], poses[*b]].map(|pose| DVec3::from(pose.translation()));
            if (p - q).abs().max_element() > 2.0 * radius {
                continue;
            }
            let before = features.work();
            let nearest = features.step(&[poses[*a], poses[*b]]);
            outcome.hits += u64::from(nearest.distance == 0.0);
            outcome.bound_tests += features.work().steps - before.steps;
            outcome.face_tests += features.work().searches - before.searches;
        }
        Ok(outcome)
    })
}

/// All must see the same collisions. Closest features are rounded and may differ where spheres graze.
fn compare(lab: &mut Lab, faces: u32, runs: &[Run]) -> Result<()> {
    let [paper, octree, bvh, closest] = runs else { anyhow::bail!("four methods are compared") };
    let hits = |run: &Run| run.outcomes.iter().map(|cycle| cycle.hits).collect::<Vec<_>>();
    let pairs = |run: &Run| run.outcomes.iter().map(|cycle| cycle.pairs).collect::<Vec<_>>();
    for other in [paper, octree] {
        ensure!(hits(other) == hits(bvh), "{faces} faces: {} sees other contacts", other.name);
        ensure!(pairs(other) == pairs(bvh), "{faces} faces: {} finds other pairs", other.name);
    }
    let differing = hits(closest).iter().zip(hits(bvh)).filter(|(a, b)| *a != b).count();
    let cycles = bvh.outcomes.len();
    ensure!(differing * 100 <= cycles, "{faces} faces: {CLOSEST} differ in {differing} cycles");
    if differing > 0 {
        lab.note(format!(
            "{faces} faces: closest features see other contacts in {differing} of {cycles} cycles."
        ));
    }
    Ok(())
}

/// Mean time of all cycles, of those with collisions, and the slowest, in microseconds.
fn times(run: &Run) -> [f64; 3] {
    let with = |cycle: &Outcome| cycle.hits > 0;
    let colliding: Vec<f64> =
        run.us.iter().zip(&run.outcomes).filter(|(_, o)| with(o)).map(|(us, _)| *us).collect();
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len().max(1) as f64;
    [mean(&run.us), mean(&colliding), run.us.iter().copied().fold(0.0, f64::max)]
}

/// The closest features at that number of faces.
fn reference(rows: &[Row], faces: u32) -> Result<&Run> {
    let found = rows.iter().find(|row| row.faces == faces && row.run.name == CLOSEST);
    Ok(&found.context("closest features are among the methods")?.run)
}

fn table(rows: &[Row]) -> Result<Table> {
    let mut table = Table::new(&[
        ("faces", ""),
        ("method", ""),
        ("mean cycle", "µs"),
        ("mean colliding cycle", "µs"),
        ("slowest cycle", "µs"),
        ("colliding cycles", ""),
        ("face pairs", ""),
        ("closest features over this", ""),
        ("colliding, closest features over this", ""),
    ]);
    for Row { faces, run } in rows {
        let (ours, theirs) = (times(run), times(reference(rows, *faces)?));
        let colliding = run.outcomes.iter().filter(|cycle| cycle.hits > 0).count();
        let pairs: u64 = run.outcomes.iter().map(|cycle| cycle.pairs).sum();
        let mut cells = vec![Cell::Count(u64::from(*faces)), Cell::Text(run.name.clone())];
        cells.extend(ours.map(Cell::Real));
        let pairs = if run.name == CLOSEST { Cell::Missing } else { Cell::Count(pairs) };
        cells.extend([Cell::Count(colliding as u64), pairs]);
        cells.extend([0, 1].map(|k| Cell::Real(theirs[k] / ours[k])));
        table.push(cells);
    }
    Ok(table)
}

fn conclude(lab: &mut Lab, rows: &[Row]) -> Result<()> {
    lab.note(
        "The paper tells curves but no figures here: with 168 faces the slowest cycles of both \
         methods took about the same, with more faces the face octrees were faster where bodies \
         collide, and closest features were faster elsewhere.",
    );
    for method in [PAPER, "octree", "bvh"] {
        let ratios = rows.iter().filter(|row| row.run.name == method).map(|row| {
            let (ours, theirs) = (times(&row.run), times(reference(rows, row.faces)?));
            let [all, colliding, slowest] = [0, 1, 2].map(|k| significant(theirs[k] / ours[k]));
            Ok(format!("{} faces {all}, {colliding}, {slowest}", row.faces))
        });
        let ratios = ratios.collect::<Result<Vec<_>>>()?.join("; ");
        lab.note(format!(
            "Time of closest features over that of {method}, mean of all cycles, of colliding \
             ones, and slowest: {ratios}."
        ));
    }
    let walks = rows.iter().filter(|row| row.run.name == CLOSEST);
    let searches: u64 = walks.flat_map(|row| &row.run.outcomes).map(|cycle| cycle.face_tests).sum();
    lab.note(format!(
        "Closest features only say whether bodies touch; the others find all pairs of faces. Walks \
         that did not end, so that all features were looked at: {searches}.",
    ));
    Ok(())
}

/// As Figure 18: mean time against the number of faces, for all cycles and for colliding ones.
fn by_faces(rows: &[Row]) -> Plot {
    let mut series: Vec<Series> = Vec::new();
    for Row { faces, run } in rows {
        let [all, colliding, _] = times(run);
        for (cycles, us) in [("all cycles", all), ("colliding", colliding)] {
            let (name, point) = (format!("{}, {cycles}", run.name), [f64::from(*faces), us]);
            match series.iter_mut().find(|series| series.name == name) {
                Some(series) => series.points.push(point),
                None => series.push(Series { name, mark: Mark::Line, points: vec![point] }),
            }
        }
    }
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let (x, y) = (axis("faces of a sphere"), axis("µs per cycle, one core"));
    Plot { title: EXPERIMENT.title.to_owned(), x, y, series }
}

/// As Figures 16 and 17: each cycle, at the largest number of faces.
fn by_cycle(rows: &[Row]) -> Plot {
    let largest = rows.iter().map(|row| row.faces).max().unwrap_or_default();
    let shown = rows.iter().filter(|row| row.faces == largest);
    let series = shown.map(|Row { run, .. }| Series {
        name: run.name.clone(),
        mark: Mark::Line,
        points: (1..).zip(&run.us).map(|(cycle, us)| [f64::from(cycle), *us]).collect(),
    });
    Plot {
        title: format!("Fifteen spheres of {largest} faces, cycle by cycle"),
        x: Axis { label: "cycle".to_owned(), scale: Scale::Linear },
        y: Axis { label: "µs per cycle, one core".to_owned(), scale: Scale::Log },
        series: series.collect(),
    }
}
