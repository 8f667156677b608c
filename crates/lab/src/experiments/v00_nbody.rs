//! Whole frames of many bodies: motion, pruning, points against voxels, response [V00 §8, fig. 14].

use crate::crowd::{Crowd, Params};
use crate::frames::known_engines;
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table, significant};
use crate::{Experiment, Lab};
use anyhow::{Context, Result, ensure};
use impinge::contract::answer::{Answer, Answers};
use impinge::contract::engine::Scratch;
use impinge::contract::job::{Batch, Job, Placed};
use impinge::narrow;
use impinge::prelude::{Pose, Query, ShapeId, Verdict};
use impinge_samples::room;
use impinge_sim::prelude::Simulation;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "v00-nbody",
    title: "Update rate of whole frames against the number of objects, for each pruning technique",
    paper: Some("[V00 fig. 14]"),
    about: "The room of side 100, density 2.5 %, bodies of 36 faces that go up to a tenth of their \
            radius per frame, turn, and exchange velocities when they touch: frames per second \
            (motion, walls, pruning, detection, response) with an accuracy of one world unit and \
            of two, and with exact tests, for each pruner of the paper, ours, and all pairs. 1000 \
            frames after 200 others, each counting with the best of three runs; and 10 000 bodies \
            in a larger room on two threads.",
    run,
};

/// Accuracy of one world unit, half of that, and exact tests.
const ENGINES: [&str; 3] = ["voxel?size=1", "voxel?size=2", "bvh"];
/// As in the paper, from 2 to 256 in ten steps.
const SIZES: [usize; 10] = [2, 4, 8, 16, 32, 48, 64, 96, 128, 256];
/// Those of the paper (its fast boxes are our `sweep`), and ours.
const PRUNERS: [&str; 5] = ["spheres", "sweep", "coherent", "queue", OURS];
const OURS: &str = "auto";
/// In a room that is so much larger that they are as large as with the largest of [`SIZES`].
const MANY: usize = 10_000;
const THREADS_OF_MANY: usize = 2;
const RUNS: usize = 3;
const FRAMES: usize = 1000;
/// A body goes half a radius in ten frames, and others are some radii away.
const WARM_UP: usize = 200;
/// Frames per second on a Pentium of 166 MHz, as far as the text tells them: technique, objects, rate.
const PAPER_HZ: [(&str, f64, f64); 5] = [
    ("spheres", 8.0, 99.5),
    ("spheres", 64.0, 12.9),
    ("sweep", 8.0, 57.4),
    ("sweep", 64.0, 19.2),
    ("queue", 2.0, 1000.0),
];

/// How long to run.
struct Length {
    /// Before the clock runs, so that those that begin apart are mixed.
    warm_up: usize,
    frames: usize,
    runs: usize,
    /// All pairs are asked in one of so many frames, for most of it is the same over and over.
    all_every: usize,
}

/// The outcome of all runs with one pruner.
struct Rate {
    hz: f64,
    /// Motion, detection and response, in microseconds per frame.
    stages_us: [f64; 3],
    /// Pairs that touch, per frame.
    touching: f64,
}

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let (sizes, many) = if quick { (&SIZES[..3], 300) } else { (&SIZES[..], MANY) };
    let length = if quick {
        Length { warm_up: 20, frames: 20, runs: 2, all_every: 10 }
    } else {
        Length { warm_up: WARM_UP, frames: FRAMES, runs: RUNS, all_every: 50 }
    };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (few_pool, many_pool) = (pool(lab.settings.threads)?, pool(THREADS_OF_MANY)?);
    let mut table = empty_table();
    let mut lines: Vec<Series> = Vec::new();
    for engine in known_engines(&ENGINES) {
        for &n in sizes {
            let crowd = crowd(n, lab.settings.seed)?;
            let mut rates = Vec::new();
            for pruner in PRUNERS {
                let rate = few_pool.install(|| measure(&crowd, engine, pruner, &length))?;
                rates.push((pruner, rate));
            }
            let same = rates.iter().all(|(_, rate)| rate.touching == rates[0].1.touching);
            ensure!(same || invents(engine)?, "{engine}: what touches depends on the pruner");
            let rest = rates[4].1.stages_us[0] + rates[4].1.stages_us[2];
            let every = few_pool.install(|| all_pairs(&crowd, engine, &length))?;
            let all = 1e6 / (rest + every.as_secs_f64() * 1e6);
            for (name, hz) in rates.iter().map(|(name, rate)| (*name, rate.hz)).chain([(ALL, all)])
            {
                add(&mut lines, format!("{name}, {engine}"), [n as f64, hz]);
            }
            table.push(row((n, lab.settings.threads), engine, &rates, Some(all)));
        }
        let few = Length { frames: length.frames / 5, ..length };
        let crowd = crowd(many, lab.settings.seed)?;
        let ours = many_pool.install(|| measure(&crowd, engine, OURS, &few))?;
        table.push(row((many, THREADS_OF_MANY), engine, &[(OURS, ours)], None));
    }
    tell(lab);
    tell_of_accuracy(lab, &lines);
    lab.publish(&table, Some(&plot(lines)))
}

const ALL: &str = "all pairs";

/// Bodies as large as they are at that number in a room of side 100, or at the largest of [`SIZES`].
fn crowd(n: usize, seed: u64) -> Result<Crowd> {
    let params = room::Params { n: n.min(SIZES[SIZES.len() - 1]), ..room::Params::default() };
    let mesh = Arc::new(room::Room::new(&params)?.mesh);
    let (density, speed, turn) = (params.density, [0.0, params.speed], [0.0, 0.1]);
    Crowd::new(&Params { mesh, n, density, speed, turn, seed })
}

/// Runs a crowd several times, which is the same motion each time; each frame counts with its best run.
fn measure(crowd: &Crowd, engine: &str, pruner: &str, length: &Length) -> Result<Rate> {
    let mut best = vec![[Duration::MAX; 3]; length.frames];
    let mut touching = 0;
    for _ in 0..length.runs {
        let mut simulation = warmed_up(crowd, (engine, pruner), length)?;
        touching = 0;
        for stages in &mut best {
            let frame = simulation.step(1.0);
            touching += frame.touching;
            let spent = [frame.spent.motion, frame.spent.detection, frame.spent.response];
            if spent.iter().sum::<Duration>() < stages.iter().fold(Duration::ZERO, sum) {
                *stages = spent;
            }
        }
    }
    let frames = length.frames as f64;
    let stage = |k: usize| best.iter().map(|stages| stages[k].as_secs_f64()).sum::<f64>();
    let stages_us = [0, 1, 2].map(|k| stage(k) * 1e6 / frames);
    let hz = 1e6 / stages_us.iter().sum::<f64>();
    Ok(Rate { hz, stages_us, touching: touching as f64 / frames })
}

/// With the engine and pruner of these names.
fn warmed_up(crowd: &Crowd, (engine, pruner): (&str, &str), length: &Length) -> Result<Simulation> {
    let mut simulation = crowd.simulation(engine, pruner)?;
    (0..length.warm_up).for_each(|_| _ = simulation.step(1.0));
    Ok(simulation)
}

/// Adds without an overflow, since a frame that was not run yet took for ever.
fn sum(all: Duration, one: &Duration) -> Duration {
    all.saturating_add(*one)
}

/// The time that an engine takes for a frame if nothing is pruned: every pair is a job of its batch.
fn all_pairs(crowd: &Crowd, engine: &str, length: &Length) -> Result<Duration> {
    let mut engine_alone = narrow::by_text(engine)?;
    let mesh = &crowd.bodies.first().context("there are bodies")?.mesh;
    let shape = ShapeId(0);
    engine_alone.prepare(shape, mesh)?;
    let mut simulation = warmed_up(crowd, (engine, OURS), length)?;
    let (mut scratch, mut answers) = (Scratch::default(), Answers::default());
    let (mut total, mut asked) = (Duration::ZERO, 0);
    for frame in 0..length.frames {
        let touching = simulation.step(1.0).touching;
        if frame % length.all_every > 0 {
            continue;
        }
        let jobs = jobs(&simulation, shape);
        let batch = Batch { jobs: &jobs, query: &Query::TOUCHING };
        let mut least = Duration::MAX;
        for _ in 0..length.runs {
            let start = Instant::now();
            engine_alone.collide(&batch, &mut scratch, &mut answers.refill());
            least = least.min(start.elapsed());
        }
        let hits = answers.all().iter().filter(|answer| is_hit(answer)).count();
        let right = if invents(engine)? { hits >= touching } else { hits == touching };
        ensure!(right, "{engine}: {touching} pairs touch, of all pairs {hits}");
        total += least;
        asked += 1;
    }
    Ok(total / asked)
}

/// Whether an engine may call a pair a hit that does not touch, if the pruner lets it see that pair.
fn invents(engine: &str) -> Result<bool> {
    Ok(narrow::by_text(engine)?.guarantee().may_invent)
}

fn is_hit(answer: &Answer) -> bool {
    matches!(answer.verdict, Verdict::Hit(_))
}

fn jobs(simulation: &Simulation, shape: ShapeId) -> Vec<Job> {
    let placed = |pose: &Pose| Placed { shape, placement: (*pose).into() };
    let n = simulation.len();
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
    let job = |[a, b]: [usize; 2]| Job {
        a: placed(simulation.pose(a)),
        b: placed(simulation.pose(b)),
        itself: false,
        memory: None,
        priority: 1.0,
    };
    pairs.map(job).collect()
}

fn empty_table() -> Table {
    let mut columns = vec![("objects", ""), ("engine", ""), ("threads", ""), ("touching", "pairs")];
    columns.push((ALL, "Hz"));
    columns.extend(PRUNERS.map(|name| (name, "Hz")));
    columns.extend(["motion", "detection", "response"].map(|stage| (stage, "µs")));
    columns.extend([("paper, spheres", "Hz"), ("paper, fast boxes", "Hz")]);
    Table::new(&columns)
}

/// Of a number of objects on a number of threads.
fn row(
    (n, threads): (usize, usize),
    engine: &str,
    rates: &[(&str, Rate)],
    all: Option<f64>,
) -> Vec<Cell> {
    let real = |x: Option<f64>| x.map_or(Cell::Missing, Cell::Real);
    let of = |name: &str| rates.iter().find(|(other, _)| *other == name).map(|(_, rate)| rate);
    let ours = of(OURS);
    let mut cells = vec![
        Cell::Count(n as u64),
        Cell::Text(engine.to_owned()),
        Cell::Count(threads as u64),
        real(ours.map(|rate| rate.touching)),
        real(all),
    ];
    cells.extend(PRUNERS.map(|name| real(of(name).map(|rate| rate.hz))));
    cells.extend([0, 1, 2].map(|k| real(ours.map(|rate| rate.stages_us[k]))));
    let paper = |technique: &str| {
        PAPER_HZ.iter().find(|known| known.0 == technique && known.1 == n as f64).map(|k| k.2)
    };
    cells.extend(["spheres", "sweep"].map(|technique| real(paper(technique))));
    cells
}

fn add(lines: &mut Vec<Series>, name: String, point: [f64; 2]) {
    match lines.iter_mut().find(|series| series.name == name) {
        Some(series) => series.points.push(point),
        None => lines.push(Series { name, mark: Mark::Line, points: vec![point] }),
    }
}

fn tell(lab: &mut Lab) {
    lab.note(
        "`sweep` is the paper's fast and `coherent` its coherent boxes, `queue` its priority \
         queue. All pairs: every pair goes to the engine in one batch, measured in one frame of \
         50; motion and response are those of `auto`. Stages are those of `auto`.",
    );
    lab.note(
        "The paper's rates (166 MHz): spheres 99.5 Hz for 8 objects and 12.9 for 64, fast boxes \
         57.4 and 19.2, the queue more than 1000 for 2. Why coherent boxes were slower than fast \
         ones is answered by experiment `coherent-anomaly`.",
    );
    lab.note(
        "Points in voxels may meet where bodies are less than a voxel apart. A pruner that knows \
         them to be apart spares them that, so that motions may differ from pruner to pruner.",
    );
    lab.note("10 000 bodies are as large as 256 in the room of side 100; a fifth of the frames.");
}

/// What half the accuracy gains, which the paper puts at two to eight times.
fn tell_of_accuracy(lab: &mut Lab, lines: &[Series]) {
    let of = |engine: &str| {
        let name = format!("{OURS}, {engine}");
        lines.iter().find(|line| line.name == name).map(|line| &line.points[..])
    };
    let (Some(whole), Some(half)) = (of(ENGINES[0]), of(ENGINES[1])) else { return };
    let gain = |(whole, half): (&[f64; 2], &[f64; 2])| {
        format!("{} at {}", significant(half[1] / whole[1]), whole[0])
    };
    let gains = whole.iter().zip(half).map(gain).collect::<Vec<_>>().join(", ");
    lab.note(format!(
        "Half the accuracy, frames per second over those of the whole, by number of objects: \
         {gains}. The paper expects a factor of at least two, for detection alone."
    ));
}

/// What the first engine does, and the paper's.
fn plot(mut lines: Vec<Series>) -> Plot {
    let first = known_engines(&ENGINES)[0];
    lines.retain(|line| line.name.ends_with(&format!(", {first}")));
    for technique in ["spheres", "sweep", "queue"] {
        let points = PAPER_HZ.iter().filter(|known| known.0 == technique);
        lines.push(Series {
            name: format!("{technique}, paper"),
            mark: Mark::Points,
            points: points.map(|known| [known.1, known.2]).collect(),
        });
    }
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    Plot {
        title: EXPERIMENT.title.to_owned(),
        x: axis("objects"),
        y: axis("whole frames per second"),
        series: lines,
    }
}
