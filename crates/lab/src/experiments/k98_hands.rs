//! Two hands that bend, grasp and push, a sphere that pulsates, a shuttle and a head [K98 §4.3].
//!
//! The paper's users moved the hands; here they go along ways of their own, over and over again, and
//! the left one takes hold of what it touches for a while. The motion is made once, and then each
//! engine goes through the same cycles.

use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::timing::{Clock, microseconds};
use crate::{Experiment, Lab};
use anyhow::{Context, Result, bail, ensure};
use impinge::prelude::{Body, Motion, Progress, Query, World};
use impinge::{broad, narrow};
use impinge_geom::aabb::Aabb;
use impinge_geom::motion::path::Path;
use impinge_samples::{Part, SampleScene, Sampled, build};
use impinge_scene::frames::Frames;
use impinge_sim::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "k98-hands",
    title: "Two deforming hands among a deforming sphere, a shuttle and a head",
    paper: Some("[K98 §4.3, fig. 12]"),
    about: "Hands of 960 faces bend and move, a sphere of 960 pulsates, a shuttle of 528 and a \
            head of 1816 faces are reflected by the normals of the faces that meet and by walls: \
            microseconds per cycle (new vertices and poses taken in, all pairs of faces) over 800 \
            cycles. The fastest of 5 runs.",
    run,
};

/// One period of bending takes so many cycles.
const SCENE: &str = "hands?frames=64";
const CYCLES: usize = 800;
const PASSES: usize = 5;
/// Where a hand goes to and back from, and the cycles that it takes each way.
const WAYS: [([f64; 3], f64); 2] = [([3.0, 2.0, 1.0], 90.0), ([-2.0, 1.5, -3.0], 70.0)];
/// The cycles in which the left hand takes hold of what it touches.
const GRASP: [f64; 2] = [200.0, 320.0];
/// Of what is free, per cycle: sphere, shuttle, head.
const VELOCITIES: [[f64; 3]; 3] = [[0.06, 0.04, 0.0], [-0.12, -0.05, 0.03], [0.1, -0.04, -0.05]];
/// How far the room reaches beyond where all begin, in centimetres.
const ROOM: f64 = 2.0;
/// Hands give speed to what they hit; this takes it away again.
const RESTITUTION: f64 = 0.9;
/// All cycles, on an R4400 of 150 MHz.
const PAPER_MEAN_MS: f64 = 11.5;
const PAPER: &str = "octree of level 6";

/// Who is where at each cycle, and which frame of what deforms is on.
struct Story {
    scene: SampleScene,
    meshes: Vec<Arc<Mesh>>,
    cycles: Vec<Vec<Pose>>,
    side: f64,
}

/// An engine's way through the story.
struct Run {
    name: &'static str,
    us: Vec<f64>,
    /// Pairs of bodies that touch, and pairs of faces that meet.
    found: Vec<[u64; 2]>,
}

fn run(lab: &mut Lab) -> Result<()> {
    let (cycles, passes) = if lab.settings.quick { (60, 1) } else { (CYCLES, PASSES) };
    let story = story(cycles)?;
    let paper = format!("k98-octree?world={}", story.side);
    let methods = [(PAPER, paper.as_str()), ("octree", "octree"), ("auto", "auto"), ("bvh", "bvh")];
    let threads = lab.settings.threads;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut runs: Vec<Run> = Vec::new();
    for (name, engine) in methods {
        let clock = Clock::for_threads(threads);
        let run = pool.install(|| race(&story, (name, engine), clock, passes))?;
        let same = runs.iter().all(|other| other.found == run.found);
        ensure!(same, "{name} finds other pairs of faces");
        runs.push(run);
    }
    conclude(lab, &runs)?;
    lab.publish(&table(&runs), Some(&by_cycle(&runs)))?;
    lab.draw("-faces", &faces(&runs))
}

/// Runs the simulation once.
fn story(cycles: usize) -> Result<Story> {
    let Sampled::Scene(mut scene) = build(SCENE)? else { bail!("`{SCENE}` is a scene") };
    // The paper's world cube is about the origin.
    let all = scene.parts.iter().map(around).fold(Aabb::EMPTY, |a, b| a.union(&b));
    let back = all.center().map(|x| -x);
    for part in &mut scene.parts {
        part.pose = Pose::shift(back)?.after(&part.pose);
    }
    let half = all.size().map(|x| 0.5 * x + ROOM);
    let bodies: Vec<BodySpec> =
        scene.parts.iter().enumerate().map(|(i, _)| body(&scene, i)).collect::<Result<_>>()?;
    let settings = Settings {
        response: Response::Reflect,
        restitution: RESTITUTION,
        room: Some(Room::new(half.map(|x| -x), half)?),
        ..Settings::default()
    };
    let mut simulation = Simulation::new(settings, &bodies)?;
    let count = bodies.len();
    let cycle = |_| {
        simulation.step(1.0);
        (0..count).map(|body| *simulation.pose(body)).collect()
    };
    let cycles = (0..cycles).map(cycle).collect();
    let meshes = bodies.iter().map(|body| Arc::clone(&body.mesh)).collect();
    // Hands may leave the room by as much as they go, and fingers by their length.
    let side = 2.0 * half.iter().fold(0.0f64, |most, x| most.max(*x)) + 16.0;
    Ok(Story { scene, meshes, cycles, side })
}

fn around(part: &Part) -> Aabb {
    let posed: Vec<Point> = part.mesh.vertices().iter().map(|v| part.pose.apply(v)).collect();
    Aabb::around(&posed)
}

/// The hands are led, all else is free.
fn body(scene: &SampleScene, index: usize) -> Result<BodySpec> {
    let part = &scene.parts[index];
    let mut body = BodySpec::new(Arc::new(part.mesh.clone())).at(part.pose);
    body.deformation = scene
        .frames
        .get(&index)
        .map(|frames| Deformation { frames: Arc::clone(frames), period: 1.0 });
    if let Some((way, cycles)) = WAYS.get(index) {
        let far = Pose::shift(*way)?.after(&part.pose);
        let ways = vec![Motion::lerp_slerp(part.pose, far), Motion::lerp_slerp(far, part.pose)];
        let path = Path::new(vec![0.0, *cycles, 2.0 * cycles], ways)?;
        body.kind = Kind::Scripted(Script { looping: true, ..Script::along(path) });
        body.grasps = (index == 0).then_some(GRASP);
    } else {
        body.velocity = VELOCITIES[index - WAYS.len()];
        body.spin = [0.01, -0.02, 0.015];
    }
    Ok(body)
}

/// Takes an engine through all cycles, several times; each cycle counts with its best run.
fn race(
    story: &Story,
    (name, engine): (&'static str, &str),
    clock: Clock,
    passes: usize,
) -> Result<Run> {
    let mut least = vec![Duration::MAX; story.cycles.len()];
    let mut found = Vec::new();
    for _ in 0..passes {
        found.clear();
        let pruner = Box::new(broad::auto::Auto::default());
        let mut world = World::with(pruner, narrow::by_text(engine)?);
        let mut ids = Vec::new();
        for (mesh, part) in story.meshes.iter().zip(&story.scene.parts) {
            let shape = world.add_shape(Arc::clone(mesh))?;
            ids.push(world.insert(Body::new(shape).at(part.pose))?);
        }
        for (k, poses) in story.cycles.iter().enumerate() {
            let vertices = vertices(&story.scene.frames, &ids, k + 1);
            let watch = clock.start();
            ids.iter().zip(poses).for_each(|(id, pose)| _ = world.set_pose(*id, *pose));
            world.deform_all(&vertices)?;
            let report = world.step(&Query::PAIRS);
            least[k] = least[k].min(watch.elapsed());
            ensure!(report.progress() == Progress::Complete, "a step was not completed");
            let pairs = report.hits().map(|pair| pair.triangle_pairs.len() as u64);
            found.push([report.hits().count() as u64, pairs.sum()]);
        }
    }
    Ok(Run { name, us: least.into_iter().map(microseconds).collect(), found })
}

/// The new vertices of what deforms.
fn vertices<'a>(
    frames: &'a BTreeMap<usize, Arc<Frames>>,
    ids: &[BodyId],
    cycle: usize,
) -> Vec<(BodyId, &'a [Point])> {
    frames.iter().map(|(&i, frames)| (ids[i], frames.frame(cycle % frames.len()))).collect()
}

/// The means of all cycles, of those without and with contact, and the slowest, in microseconds.
fn times(run: &Run) -> [f64; 4] {
    let mean = |wanted: &dyn Fn(u64) -> bool| {
        let cycles = run.us.iter().zip(&run.found);
        let chosen: Vec<f64> =
            cycles.filter(|(_, found)| wanted(found[0])).map(|(us, _)| *us).collect();
        chosen.iter().sum::<f64>() / chosen.len().max(1) as f64
    };
    let slowest = run.us.iter().copied().fold(0.0, f64::max);
    [mean(&|_| true), mean(&|hits| hits == 0), mean(&|hits| hits > 0), slowest]
}

fn table(runs: &[Run]) -> Table {
    let mut table = Table::new(&[
        ("engine", ""),
        ("cycles", ""),
        ("colliding cycles", ""),
        ("face pairs in those", ""),
        ("mean cycle", "µs"),
        ("mean free cycle", "µs"),
        ("mean colliding cycle", "µs"),
        ("slowest cycle", "µs"),
        ("paper, mean", "ms"),
    ]);
    for run in runs {
        let colliding = run.found.iter().filter(|found| found[0] > 0).count();
        let pairs: u64 = run.found.iter().map(|found| found[1]).sum();
        let mut cells = vec![
            Cell::Text(run.name.to_owned()),
            Cell::Count(run.us.len() as u64),
            Cell::Count(colliding as u64),
            Cell::Real(pairs as f64 / colliding.max(1) as f64),
        ];
        cells.extend(times(run).map(Cell::Real));
        let paper = run.name == PAPER;
        cells.push(if paper { Cell::Real(PAPER_MEAN_MS) } else { Cell::Missing });
        table.push(cells);
    }
    table
}

fn conclude(lab: &mut Lab, runs: &[Run]) -> Result<()> {
    let paper = runs.first().context("the paper's method is the first")?;
    let of_paper = times(paper);
    lab.note(format!(
        "In the paper a cycle took 11.5 ms on average, and rarely more than 5 ms without \
         collisions. Colliding over free cycles, octree of level 6: {:.2}.",
        of_paper[2] / of_paper[1]
    ));
    let ratio = |run: &Run| format!("{} {:.3}", run.name, times(run)[0] / of_paper[0]);
    let ratios = runs.iter().skip(1).map(ratio).collect::<Vec<_>>().join(", ");
    lab.note(format!("The mean cycle over that of octree of level 6: {ratios}."));
    lab.note(
        "The paper's hands followed its users. These go to and fro; the left one holds what it \
         touches from cycle 200 to 320, and its contact with that counts.",
    );
    Ok(())
}

/// As Figure 12.
fn by_cycle(runs: &[Run]) -> Plot {
    let series = runs.iter().map(|run| Series {
        name: run.name.to_owned(),
        mark: Mark::Line,
        points: (1..).zip(&run.us).map(|(cycle, us)| [f64::from(cycle), *us]).collect(),
    });
    Plot {
        title: EXPERIMENT.title.to_owned(),
        x: Axis { label: "cycle".to_owned(), scale: Scale::Linear },
        y: Axis { label: "µs per cycle, one core".to_owned(), scale: Scale::Log },
        series: series.collect(),
    }
}

/// What was found in each cycle, by all engines alike.
fn faces(runs: &[Run]) -> Plot {
    let found = runs.first().map_or(&[][..], |run| &run.found);
    let points = (1..).zip(found).map(|(cycle, found)| [f64::from(cycle), found[1] as f64]);
    Plot {
        title: "Pairs of faces that meet, cycle by cycle".to_owned(),
        x: Axis { label: "cycle".to_owned(), scale: Scale::Linear },
        y: Axis { label: "pairs of faces".to_owned(), scale: Scale::Linear },
        series: vec![Series {
            name: "all bodies".to_owned(),
            mark: Mark::Line,
            points: points.collect(),
        }],
    }
}
