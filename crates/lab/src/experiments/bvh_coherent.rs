//! What memory of the step before is worth when bodies move little.

use super::models::{Model, near, twice};
use crate::near::Random;
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::timing::{Clock, median, microseconds};
use crate::{Experiment, Lab};
use anyhow::{Context, Result, bail, ensure};
use impinge::contract::answer::{Answer, Answers, Verdict};
use impinge::contract::job::Job;
use impinge::narrow::{self, bvh};
use impinge::prelude::{Mesh, Pose, PosedPair, Query, Want};
use std::hint::black_box;
use std::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bvh-coherent",
    title: "Small steps, with and without memory",
    paper: None,
    about: "A mesh that drifts and turns about its twin in small steps (two thousandths, or two \
            ten-thousandths of its size each), always free but near, or always touching: \
            microseconds per step, each step a call of its own, with a key to remember the pair \
            by and without. The answers are compared. One thread, processor time.",
    run,
};

const FACES: [u32; 2] = [10_000, 100_000];
const STEPS: usize = 1000;
const PASSES: usize = 7;
/// Ways are begun at several places, since one may not be typical.
const WAYS: usize = 3;
/// Of a step: a part of the size, and an angle.
const STEP_SIZES: [f64; 2] = [0.002, 0.0002];
/// Free ways stay closer than this part of the size.
const NEAR: f64 = 0.05;
/// A way that is blocked looks for another direction so often.
const TURNS_MAX: usize = 1000;

const QUESTIONS: [(&str, Query); 3] =
    [("touching", Query::TOUCHING), ("pairs", Query::PAIRS), ("clearance", Query::CLEARANCE)];

/// One question on the ways of one kind.
struct Row {
    model: Model,
    faces: usize,
    touching: bool,
    step: f64,
    question: &'static str,
    /// Without memory, and with it.
    us: [f64; 2],
}

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let sizes = if quick { &[500] } else { &FACES[..] };
    let models = if quick { &Model::ALL[..1] } else { &Model::ALL[..] };
    let (steps, ways) = if quick { (20, 1) } else { (STEPS, WAYS) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut rows = Vec::new();
    for &model in models {
        for &faces in sizes {
            let mesh = model.mesh(faces)?;
            let starts = near(bvh::NAME, &mesh, [2 * ways as u64, lab.settings.seed])?;
            let engine = narrow::by_name(bvh::NAME).context("engines are named from their list")?;
            let [a, b] = twice(&mesh);
            let mut pair = PosedPair::with(engine, a, b)?;
            for (touching, step) in
                [false, true].into_iter().flat_map(|t| STEP_SIZES.map(|s| (t, s)))
            {
                // Even poses touch.
                let starts = starts.iter().skip(usize::from(!touching)).step_by(2);
                let walk = |(k, start): (usize, &Pose)| {
                    let seed = lab.settings.seed + k as u64;
                    way(&mut pair, start, (steps, touching), (seed, [size(&mesh), step]))
                };
                let poses: Vec<Vec<Pose>> = starts.enumerate().map(walk).collect::<Result<_>>()?;
                for (question, query) in &QUESTIONS {
                    let us = pool.install(|| measure(lab, &mut pair, &poses, query))?;
                    let faces = mesh.triangles().len();
                    rows.push(Row { model, faces, touching, step, question, us });
                }
            }
        }
    }
    conclude(lab, &rows);
    lab.publish(&table(&rows), Some(&plot(&rows)))
}

/// Half the longest side of the box.
fn size(mesh: &Mesh) -> f64 {
    let bounds = mesh.bounds();
    (0..3).map(|k| 0.5 * (bounds.max[k] - bounds.min[k])).fold(0.0, f64::max)
}

/// A way of small steps that keeps free or keeps touching. It goes straight on as long as it can,
/// and then somewhere else.
fn way(
    pair: &mut PosedPair,
    start: &Pose,
    (steps, touching): (usize, bool),
    (seed, [size, part]): (u64, [f64; 2]),
) -> Result<Vec<Pose>> {
    let mut random = Random::of([seed, u64::from(touching), 0]);
    let most = 2 * pairs_at(pair, start) + 10;
    let mut poses = vec![*start];
    let mut step = drift(&mut random, [size, part])?;
    let mut turns = 0;
    while poses.len() < steps {
        let last = &poses[poses.len() - 1];
        // About its own origin, so that it turns in place.
        let turned = last.after(&Pose::new(step.rotation(), [0.0; 3])?);
        let moved: [f64; 3] =
            std::array::from_fn(|k| last.translation()[k] + step.translation()[k]);
        let next = Pose::new(turned.rotation(), moved)?;
        let fits = if touching {
            (1..=most).contains(&pairs_at(pair, &next))
        } else {
            gap_at(pair, &next).is_some_and(|gap| gap <= NEAR * size)
        };
        if fits {
            poses.push(next);
            turns = 0;
        } else {
            step = drift(&mut random, [size, part])?;
            turns += 1;
            ensure!(turns < TURNS_MAX, "the way is blocked on all sides");
        }
    }
    Ok(poses)
}

/// A small step into a random direction, with a small turn.
fn drift(random: &mut Random, [size, part]: [f64; 2]) -> Result<Pose> {
    let axis: [f64; 3] = random.on_sphere();
    let direction: [f64; 3] = random.on_sphere();
    let [x, y, z] = axis.map(|x| x * (0.5 * part));
    Ok(Pose::new([1.0, x, y, z], direction.map(|x| x * part * size))?)
}

fn pairs_at(pair: &mut PosedPair, pose: &Pose) -> usize {
    let found = pair.check(std::slice::from_ref(pose), &Query::PAIRS);
    found.all().iter().map(|answer| found.triangle_pairs(answer).len()).sum()
}

/// None if it touches.
fn gap_at(pair: &mut PosedPair, pose: &Pose) -> Option<f64> {
    let found = pair.check(std::slice::from_ref(pose), &Query::CLEARANCE);
    found.all().first().and_then(|answer| answer.clearance).map(|gap| gap.at_most)
}

/// Microseconds per step without memory and with it, the median of passes in turns.
fn measure(lab: &Lab, pair: &mut PosedPair, ways: &[Vec<Pose>], query: &Query) -> Result<[f64; 2]> {
    let plain: Vec<Vec<Job>> = ways.iter().map(|way| pair.jobs(way)).collect();
    let mut remembered = plain.clone();
    for (k, jobs) in remembered.iter_mut().enumerate() {
        jobs.iter_mut().for_each(|job| job.memory = Some(k as u64));
    }
    compare(pair, [&plain, &remembered], query)?;
    let mut times: [Vec<Duration>; 2] = Default::default();
    let passes = if lab.settings.quick { 1 } else { PASSES };
    for _ in 0..passes {
        for (ways, times) in [&plain, &remembered].into_iter().zip(&mut times) {
            let start = Clock::Cpu.start();
            for job in ways.iter().flatten() {
                black_box(pair.answer(std::slice::from_ref(job), query));
            }
            times.push(start.elapsed());
        }
    }
    let steps: usize = ways.iter().map(Vec::len).sum();
    Ok(times.map(|mut times| {
        times.sort_unstable();
        microseconds(median(&times)) / steps as f64
    }))
}

/// Memory must not change an answer, but for the pair of triangles that stands for a hit.
fn compare(pair: &mut PosedPair, sides: [&[Vec<Job>]; 2], query: &Query) -> Result<()> {
    let mut said: [Vec<Essence>; 2] = Default::default();
    for (ways, said) in sides.into_iter().zip(&mut said) {
        for job in ways.iter().flatten() {
            let answers = pair.answer(std::slice::from_ref(job), query);
            let Some(answer) = answers.all().first() else { bail!("a job has no answer") };
            said.push(essence(answers, answer, query));
        }
    }
    let [plain, remembered] = said;
    let differs = plain.iter().zip(&remembered).position(|(a, b)| a != b);
    ensure!(differs.is_none(), "memory changes the answer of step {differs:?}");
    Ok(())
}

/// What must be the same; of a distance as many digits as do not depend on which of several equally
/// near pairs was seen first.
type Essence = (Verdict, Vec<[u32; 2]>, Option<f32>);

fn essence(answers: &Answers, answer: &Answer, query: &Query) -> Essence {
    let pairs = match query.want {
        Want::Touching => Vec::new(),
        _ => answers.triangle_pairs(answer).to_vec(),
    };
    (answer.verdict, pairs, answer.clearance.map(|gap| gap.at_most as f32))
}

fn conclude(lab: &mut Lab, rows: &[Row]) {
    for (question, _) in QUESTIONS {
        for (touching, step) in [false, true].into_iter().flat_map(|t| STEP_SIZES.map(|s| (t, s))) {
            let here = rows.iter().filter(|row| row.question == question && row.step == step);
            let gains =
                here.filter(|row| row.touching == touching).map(|row| row.us[0] / row.us[1]);
            let least = gains.clone().fold(f64::INFINITY, f64::min);
            let most = gains.fold(0.0, f64::max);
            lab.note(format!(
                "{question}, {} poses, steps of {step}: {least:.2} to {most:.2} times as fast with \
                 memory.",
                state(touching)
            ));
        }
    }
}

fn state(touching: bool) -> &'static str {
    if touching { "touching" } else { "free" }
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        ("mesh", ""),
        ("faces", ""),
        ("poses", ""),
        ("step", ""),
        ("question", ""),
        ("without", "µs"),
        ("with memory", "µs"),
        ("gain", "×"),
    ]);
    for row in rows {
        table.push([
            Cell::Text(row.model.name().to_owned()),
            Cell::Count(row.faces as u64),
            Cell::Text(state(row.touching).to_owned()),
            Cell::Real(row.step),
            Cell::Text(row.question.to_owned()),
            Cell::Real(row.us[0]),
            Cell::Real(row.us[1]),
            Cell::Real(row.us[0] / row.us[1]),
        ]);
    }
    table
}

/// Each row as a point: without memory across, with it upwards.
fn plot(rows: &[Row]) -> Plot {
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let kinds = QUESTIONS.iter().flat_map(|(name, _)| [false, true].map(|touch| (*name, touch)));
    let series = kinds.map(|(question, touching)| Series {
        name: format!("{question}, {}", state(touching)),
        mark: Mark::Points,
        points: rows
            .iter()
            .filter(|row| row.question == question && row.touching == touching)
            .map(|row| row.us)
            .collect(),
    });
    Plot {
        title: EXPERIMENT.title.to_owned(),
        x: axis("µs per step without memory"),
        y: axis("µs per step with memory"),
        series: series.collect(),
    }
}
