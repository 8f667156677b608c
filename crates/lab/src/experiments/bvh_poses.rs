//! Engines on poses near contact: three questions, warm and cold, on one and on two threads.

use super::models::{Model, near, twice};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::poses::{Bench, Cold, Passes, Plan, tally};
use crate::table::{Cell, Table};
use crate::timing::Clock;
use crate::{Experiment, Lab};
use anyhow::{Result, ensure};
use impinge::narrow::{brute, bvh};
use impinge::prelude::{Mesh, Pose, Query};
use rayon::ThreadPool;
use std::sync::Arc;
use std::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bvh-poses",
    title: "Engines on poses near contact",
    paper: None,
    about: "A mesh against itself at random poses, half of them just touching and half just free: \
            microseconds per query for touching, all pairs and clearance, warm (many poses in one \
            batch) and cold (caches emptied before each query), one thread, processor time; and \
            how many times as fast two threads are on the batch, wall time.",
    run,
};

const FACES: [u32; 4] = [1000, 10_000, 100_000, 500_000];
/// Brute force has no place beyond that.
const BRUTE_FACES_MAX: u32 = 1000;
const POSES: usize = 2000;
/// Poses that are asked cold: emptying the caches takes much longer than the query.
const COLD: usize = 60;
/// Brute force gets no more, either.
const BRUTE_POSES: usize = 60;

const QUESTIONS: [(&str, Query); 3] =
    [("touching", Query::TOUCHING), ("pairs", Query::PAIRS), ("clearance", Query::CLEARANCE)];

/// One engine on one mesh.
struct Row {
    model: Model,
    faces: usize,
    engine: &'static str,
    pairs: f64,
    /// By question.
    warm_us: [f64; 3],
    cold_us: [f64; 3],
    /// One thread's time by that of two.
    speed_up: [f64; 3],
}

fn run(lab: &mut Lab) -> Result<()> {
    let sizes = if lab.settings.quick { &FACES[..1] } else { &FACES[..] };
    let models = if lab.settings.quick { &Model::ALL[..1] } else { &Model::ALL[..] };
    let count = if lab.settings.quick { 8 } else { POSES };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pools = [pool(1)?, pool(2)?];
    let mut rows: Vec<Row> = Vec::new();
    for &model in models {
        for &faces in sizes {
            let mesh = model.mesh(faces)?;
            let seeds = [count as u64, lab.settings.seed];
            let poses = pools[1].install(|| near(bvh::NAME, &mesh, seeds))?;
            let first = rows.len();
            rows.push(measure(lab, bvh::NAME, (model, &mesh), (&poses, &pools))?);
            if faces <= BRUTE_FACES_MAX {
                let few = &poses[..BRUTE_POSES.min(poses.len())];
                rows.push(measure(lab, brute::NAME, (model, &mesh), (few, &pools))?);
            }
            ensure!(rows.len() > first, "an engine was measured");
        }
    }
    conclude(lab, &rows);
    lab.publish(&table(&rows), Some(&plot(&rows)))
}

fn measure(
    lab: &Lab,
    engine: &'static str,
    (model, mesh): (Model, &Arc<Mesh>),
    (poses, pools): (&[Pose], &[ThreadPool; 2]),
) -> Result<Row> {
    let seconds = if lab.settings.quick { 0.0 } else { 0.5 };
    let passes = Passes::Within(Duration::from_secs_f64(seconds));
    let cold_poses = &poses[..if lab.settings.quick { 2 } else { COLD.min(poses.len()) }];
    let mut cold = Bench::new(engine, twice(mesh), cold_poses, Clock::Cpu)?;
    let mut warm = Bench::new(engine, twice(mesh), poses, Clock::Cpu)?;
    let mut row = Row {
        model,
        faces: mesh.triangles().len(),
        engine,
        pairs: 0.0,
        warm_us: [0.0; 3],
        cold_us: [0.0; 3],
        speed_up: [0.0; 3],
    };
    for (k, (_, query)) in QUESTIONS.iter().enumerate() {
        warm.ask(*query);
        cold.ask(*query);
        let plan = |clock| Plan { clock, passes, cold: None };
        let chilled =
            Plan { clock: Clock::Cpu, passes: Passes::Exactly(1), cold: Some(Cold::Query) };
        row.warm_us[k] = pools[0].install(|| warm.time(&plan(Clock::Cpu))).median_us;
        row.cold_us[k] = pools[0].install(|| cold.time(&chilled)).median_us;
        // Twice in turn, and the best of each: what else the machine does hits only some.
        let mut best = [f64::INFINITY; 2];
        for turn in 0..4 {
            let timing = pools[turn % 2].install(|| warm.time(&plan(Clock::Wall)));
            best[turn % 2] = best[turn % 2].min(timing.min_us);
        }
        row.speed_up[k] = best[0] / best[1];
        let found = tally(warm.answers(), query);
        row.pairs = row.pairs.max(found.pairs as f64 / poses.len() as f64);
    }
    Ok(row)
}

fn conclude(lab: &mut Lab, rows: &[Row]) {
    let of_bvh = || rows.iter().filter(|row| row.engine == bvh::NAME);
    for (k, (name, _)) in QUESTIONS.iter().enumerate() {
        let cold = of_bvh().map(|row| row.cold_us[k] / row.warm_us[k]).fold(0.0, f64::max);
        let slow = of_bvh().map(|row| row.speed_up[k]).fold(f64::INFINITY, f64::min);
        lab.note(format!(
            "`bvh`, {name}: two threads are at least {slow:.2} times as fast as one; a cold query \
             takes at most {cold:.1} times as long as a warm one."
        ));
    }
}

fn table(rows: &[Row]) -> Table {
    let mut columns = vec![("mesh", ""), ("faces", ""), ("engine", ""), ("pairs per query", "")];
    let names: Vec<[String; 3]> = QUESTIONS
        .iter()
        .map(|(name, _)| [(*name).to_owned(), format!("{name} cold"), format!("{name} 2 threads")])
        .collect();
    for [warm, cold, threads] in &names {
        columns.extend([(warm.as_str(), "µs"), (cold.as_str(), "µs"), (threads.as_str(), "×")]);
    }
    let mut table = Table::new(&columns);
    for row in rows {
        let mut cells = vec![
            Cell::Text(row.model.name().to_owned()),
            Cell::Count(row.faces as u64),
            Cell::Text(row.engine.to_owned()),
            Cell::Real(row.pairs),
        ];
        for k in 0..QUESTIONS.len() {
            cells.extend([row.warm_us[k], row.cold_us[k], row.speed_up[k]].map(Cell::Real));
        }
        table.push(cells);
    }
    table
}

/// Warm times of `bvh` over faces, one line per question and model.
fn plot(rows: &[Row]) -> Plot {
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let lines = (0..QUESTIONS.len()).flat_map(|k| Model::ALL.map(|model| (k, model)));
    let series = lines.map(|(k, model)| Series {
        name: format!("{}, {}", QUESTIONS[k].0, model.name()),
        mark: Mark::Line,
        points: rows
            .iter()
            .filter(|row| row.model == model && row.engine == bvh::NAME)
            .map(|row| [row.faces as f64, row.warm_us[k]])
            .collect(),
    });
    Plot {
        title: "The engine bvh on poses near contact".to_owned(),
        x: axis("faces of each body"),
        y: axis("µs per query, one thread"),
        series: series.filter(|series| !series.points.is_empty()).collect(),
    }
}
