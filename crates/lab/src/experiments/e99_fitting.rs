//! The fitting simulation [E99 §5]: time per step along motions with free and colliding parts, for the
//! kinds of hierarchies (figure 4) and for static and dynamic queries (figure 5).

use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::timing::{Clock, microseconds};
use crate::{Experiment, Lab};
use anyhow::{Context, Result};
use impinge::contract::answer::{Answer, Answers};
use impinge::contract::engine::Scratch;
use impinge::contract::job::{Batch, Job, Placed, Placement};
use impinge::narrow;
use impinge::prelude::*;
use impinge_geom::aabb::Aabb;
use impinge_geom::motion::Motion;
use impinge_samples::headlight::removal::{Side, Way as Removal};
use impinge_samples::headlight::{Headlight, Params};
use std::sync::Arc;
use std::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "e99-fitting",
    title: "Fitting simulation: time per step, static and dynamic",
    paper: Some("[E99 §5, figures 4 and 5]"),
    about: "Covers are taken off a headlight. Each step is a motion of one part against all others \
            that its swept box meets; all of them are asked in one go. A step is a hit if one of \
            them is. One core, no memory from step to step, each step the best of some passes.",
    run,
};

/// Instants after the start that pseudo-dynamic queries look at.
const INSTANTS: u32 = 4;
/// Times before this part of a step are not told apart.
const TOLERANCE: f64 = 1e-6;

/// A way to ask about a step.
struct Method {
    name: &'static str,
    engine: &'static str,
    mode: Mode,
    figure: u32,
}

const fn method(name: &'static str, engine: &'static str, mode: Mode, figure: u32) -> Method {
    Method { name, engine, mode, figure }
}

/// The last one is certain, and what the others are held against.
const METHODS: [Method; 11] = [
    method("spheres", "e99-spheres", Mode::Static, 4),
    method("aabb", "e99-aabb", Mode::Static, 4),
    method("obb", "e99-obb", Mode::Static, 4),
    method("obb, heuristic", "e99-obb?splitter=heuristic", Mode::Static, 4),
    method("obb, gottschalk", "e99-obb?splitter=gottschalk", Mode::Static, 4),
    method("static", "e99-obb", Mode::Static, 5),
    method("pseudo-dynamic", "e99-obb", Mode::PseudoDynamic(INSTANTS), 5),
    method("linear", "e99-obb?dynamic=linear", Mode::Dynamic, 5),
    method("regula falsi", "e99-obb?dynamic=regula-falsi", Mode::Dynamic, 5),
    method("bvh static", "bvh", Mode::Static, 5),
    method("certified", "bvh", Mode::Dynamic, 5),
];

/// What moves among what.
struct Scene {
    parts: Vec<(Arc<Mesh>, Pose)>,
    ways: Vec<Way>,
}

/// The way of one part, in steps; the other parts stay.
struct Way {
    name: String,
    part: usize,
    steps: Vec<Motion>,
}

/// What became of a step.
#[derive(Clone, Copy)]
struct Outcome {
    us: f64,
    verdict: Verdict,
    /// When it touches first, as an interval.
    time: Option<[f64; 2]>,
}

/// A method on a way.
struct Run {
    method: &'static Method,
    way: usize,
    steps: Vec<Outcome>,
    node_tests: u64,
    face_pairs: u64,
}

fn run(lab: &mut Lab) -> Result<()> {
    let scene = scene(lab.settings.quick)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let quick = lab.settings.quick;
    let mut runs = Vec::new();
    for method in &METHODS {
        runs.extend(pool.install(|| runs_of(method, &scene, quick))?);
    }
    let faces: usize = scene.parts.iter().map(|(mesh, _)| mesh.triangles().len()).sum();
    lab.note(format!("{} parts, {faces} faces.", scene.parts.len()));
    let unknown = certified(&runs).flat_map(|run| &run.steps);
    let unknown = unknown.filter(|step| step.verdict == Verdict::Unknown).count();
    lab.note(format!("The certified answer leaves {unknown} steps unknown; they do not count."));
    lab.note(
        "Missed, invented, late: against the certified answer, whose hits include what touches \
              at the start of a step or on its way.",
    );
    let shown = scene.ways.len() - 1;
    lab.draw("-kinds", &plot(&runs, &scene, [shown, 4]))?;
    lab.publish(&table(&runs, &scene), Some(&plot(&runs, &scene, [shown, 5])))
}

fn runs_of(method: &'static Method, scene: &Scene, quick: bool) -> Result<Vec<Run>> {
    let mut engine = narrow::by_text(method.engine).context(method.engine)?;
    let shapes: Vec<(ShapeId, Arc<Mesh>)> =
        (0..).map(ShapeId).zip(scene.parts.iter().map(|(mesh, _)| Arc::clone(mesh))).collect();
    engine.prepare_all(&shapes)?;
    let query = Query { mode: method.mode, ..Query::TOUCHING };
    let (mut scratch, mut answers) = (Scratch::default(), Answers::default());
    let mut runs = Vec::new();
    for (number, way) in scene.ways.iter().enumerate() {
        let mut run = Run { method, way: number, steps: Vec::new(), node_tests: 0, face_pairs: 0 };
        for motion in &way.steps {
            let jobs = jobs(scene, way, motion);
            let batch = Batch { jobs: &jobs, query: &query };
            let mut best = Duration::MAX;
            for _ in 0..if quick { 1 } else { 5 } {
                let watch = Clock::Cpu.start();
                engine.collide(&batch, &mut scratch, &mut answers.refill());
                best = best.min(watch.elapsed());
            }
            run.steps.push(Outcome { us: microseconds(best), ..outcome(answers.all()) });
            let counters = answers.all().iter().map(|answer| answer.counters);
            let work: Counters = counters.sum();
            run.node_tests += work.node_tests;
            run.face_pairs += work.triangle_pairs;
        }
        runs.push(run);
    }
    Ok(runs)
}

/// The moving part against every other that its swept box meets: what a broad phase leaves.
fn jobs(scene: &Scene, way: &Way, motion: &Motion) -> Vec<Job> {
    let swept = |part: usize, motion: &Motion| -> Aabb {
        motion.aabb_bounds(&scene.parts[part].0.bounds(), 0.0, 1.0)
    };
    let moving = swept(way.part, motion);
    let placed = |part: usize, placement| Placed { shape: ShapeId(part as u32), placement };
    let near = |part: &usize| {
        let pose = scene.parts[*part].1;
        *part != way.part && moving.overlaps(&swept(*part, &Motion::lerp_slerp(pose, pose)))
    };
    let shared = Arc::new(*motion);
    let job = |part: usize| Job {
        a: placed(part, Placement::Fixed(scene.parts[part].1)),
        b: placed(way.part, Placement::Moving(Arc::clone(&shared))),
        itself: false,
        memory: None,
        priority: 1.0,
    };
    (0..scene.parts.len()).filter(near).map(job).collect()
}

/// A step is a hit if one pair is, else unknown if one is.
fn outcome(answers: &[Answer]) -> Outcome {
    let is_hit = |answer: &&Answer| matches!(answer.verdict, Verdict::Hit(_));
    let earliest = |one: [f64; 2], other: [f64; 2]| [one[0].min(other[0]), one[1].min(other[1])];
    let time = answers.iter().filter(is_hit).filter_map(|answer| answer.time).reduce(earliest);
    let hit = answers.iter().find(is_hit).map(|answer| answer.verdict);
    let unknown = answers.iter().any(|answer| answer.verdict == Verdict::Unknown);
    let rest = if unknown { Verdict::Unknown } else { Verdict::Free };
    Outcome { us: 0.0, verdict: hit.unwrap_or(rest), time }
}

/// The runs that are certain, one per way.
fn certified(runs: &[Run]) -> impl Iterator<Item = &Run> {
    let last = METHODS.last().map_or("", |method| method.name);
    runs.iter().filter(move |run| run.method.name == last)
}

fn is_hit(step: &Outcome) -> bool {
    matches!(step.verdict, Verdict::Hit(_))
}

fn table(runs: &[Run], scene: &Scene) -> Table {
    let mut table = Table::new(&[
        ("way", ""),
        ("figure", ""),
        ("method", ""),
        ("steps", ""),
        ("median", "µs"),
        ("worst", "µs"),
        ("hits", ""),
        ("missed", ""),
        ("invented", ""),
        ("late", ""),
        ("node tests", "per step"),
        ("face pairs", "per step"),
    ]);
    let count = |steps: usize| Cell::Count(steps as u64);
    for run in runs {
        let truth = certified(runs).find(|truth| truth.way == run.way).map(|truth| &truth.steps);
        let pairs = || run.steps.iter().zip(truth.into_iter().flatten());
        let missed = pairs().filter(|(step, truth)| is_hit(truth) && !is_hit(step)).count();
        let free = |step: &Outcome| step.verdict == Verdict::Free;
        let invented = pairs().filter(|(step, truth)| is_hit(step) && free(truth)).count();
        let late = pairs().filter(|(step, truth)| is_late(step, truth)).count();
        let mut times: Vec<f64> = run.steps.iter().map(|step| step.us).collect();
        times.sort_by(f64::total_cmp);
        let steps = times.len() as f64;
        table.push([
            Cell::Text(scene.ways[run.way].name.clone()),
            Cell::Count(run.method.figure.into()),
            Cell::Text(run.method.name.to_owned()),
            count(times.len()),
            times.get(times.len() / 2).map_or(Cell::Missing, |&us| Cell::Real(us)),
            times.last().map_or(Cell::Missing, |&us| Cell::Real(us)),
            count(run.steps.iter().filter(|step| is_hit(step)).count()),
            count(missed),
            count(invented),
            if run.method.mode == Mode::Static { Cell::Missing } else { count(late) },
            Cell::Real(run.node_tests as f64 / steps),
            Cell::Real(run.face_pairs as f64 / steps),
        ]);
    }
    table
}

/// Whether a contact was found at a time when it is over for certain.
fn is_late(step: &Outcome, truth: &Outcome) -> bool {
    let times = step.time.zip(truth.time);
    is_hit(step) && times.is_some_and(|(found, truth)| found[0] > truth[1] + TOLERANCE)
}

/// The time of each step of a way, a line for each method of a figure.
fn plot(runs: &[Run], scene: &Scene, [way, figure]: [usize; 2]) -> Plot {
    let of_figure = |run: &&Run| run.way == way && run.method.figure as usize == figure;
    let line = |run: &Run| Series {
        name: run.method.name.to_owned(),
        mark: Mark::Line,
        // The clock of the processor may tell no time at all for a step that meets nothing.
        points: run.steps.iter().zip(1u32..).map(|(s, i)| [f64::from(i), s.us.max(0.1)]).collect(),
    };
    Plot {
        title: format!("{}: time per step", scene.ways[way].name),
        x: Axis { label: "step".to_owned(), scale: Scale::Linear },
        y: Axis { label: "µs per step, one core".to_owned(), scale: Scale::Log },
        series: runs.iter().filter(of_figure).map(line).collect(),
    }
}

/// The headlight and the removals of its covers, each while the other one is in place. A quick run
/// sees a coarse one and few steps.
fn scene(quick: bool) -> Result<Scene> {
    let stride = if quick { 20 } else { 1 };
    let params =
        if quick { Params { faces: 20_000, ..Params::default() } } else { Params::default() };
    let headlight = Headlight::new(&params)?;
    let mut ways = Vec::new();
    for (kind, way) in [("free", Removal::Free), ("forced", Removal::Forced)] {
        for side in [Side::Right, Side::Left] {
            let sequence = headlight.removal(side, way);
            ways.push(Way {
                name: format!("{} {kind}", side.cover()),
                part: sequence.part,
                steps: sequence.motions().step_by(stride).collect(),
            });
        }
    }
    let parts = headlight.scene.parts.into_iter();
    Ok(Scene { parts: parts.map(|part| (Arc::new(part.mesh), part.pose)).collect(), ways })
}
