//! Separating planes with a cache beside our engines: 10 to 40 moving spheres, of which two collide at
//! the last cycle [K98 §5.1, figure 13].

use crate::comparators::polytope::Polytope;
use crate::comparators::separating_planes::{Search, SeparatingPlanes};
use crate::frames::{Outcome, Plan, Run, Story, known_engines, run as run_story, world};
use crate::near::Random;
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
    name: "k98-planes",
    title: "Separating planes beside our engines: 10 to 40 spheres of 528 faces",
    paper: Some("[K98 §5.1, figure 13]"),
    about: "Spheres that fill 5 % of a world of 40 move by a twentieth of their radius and turn by \
            10° per cycle; two of them collide at the last of 72 cycles. Time per cycle with all \
            poses new: separating planes tell which spheres collide, our engines all pairs of \
            faces. The best of some passes for each cycle.",
    run,
};

const SIDE: f64 = 10.0;
/// 40 spheres of this radius are 5 % of the world, as in [K98 §5.3]; fewer are less.
const RADIUS: f64 = 0.668;
/// Per cycle, in radii, as in [K98 §5.3].
const SPEED: f64 = 0.05;
/// Per cycle, as in [K98 §5.3].
const TURN_DEGREES: f64 = 10.0;
/// Spheres that are not to collide keep so many radii between their middles.
const APART: f64 = 2.05;
/// Two that do have so many at the last cycle, and 2.03 at the one before: the flat faces of a
/// sphere are at least 0.97 radii from its middle.
const TOGETHER: f64 = 1.93;
const TRIES_MAX: u32 = 100_000;
/// The number of spheres, and what the paper has in milliseconds: the proposed method at the last
/// cycle, separating planes per cycle.
const PAPER: [(usize, f64, f64); 4] =
    [(10, 16.0, 10.0), (20, 21.0, 35.0), (30, 22.0, 76.0), (40, 41.0, 140.0)];
const ENGINES: [&str; 3] = ["octree", "k98-octree", "bvh"];
const SEARCHES: [(Search, &str); 2] =
    [(Search::All, "planes, all vertices"), (Search::Climb, "planes, climbing")];

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let (sizes, cycles) = if quick { (&PAPER[..1], 10) } else { (&PAPER[..], 72) };
    let passes = if quick { 1 } else { 25 };
    let plan = Plan { clock: Clock::for_threads(lab.settings.threads), passes };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(lab.settings.threads).build()?;
    let mut all = Vec::new();
    for &(count, ..) in sizes {
        let story = story(count, cycles, lab.settings.seed)?;
        let runs = pool.install(|| measure(&story, &plan))?;
        for run in &runs {
            let hits: Vec<u64> = run.outcomes.iter().map(|outcome| outcome.hits).collect();
            let (last, before) = hits.split_last().context("cycles")?;
            let is_right = *last == 1 && before.iter().all(|&hits| hits == 0);
            ensure!(is_right, "{count} spheres, {}: two should collide at last", run.name);
        }
        all.push(runs);
    }
    conclude(lab, sizes, &all);
    lab.draw("-cycles", &by_cycle(sizes, &all))?;
    lab.publish(&table(sizes, &all), Some(&by_count(sizes, &all)))
}

/// Every method on one story.
fn measure(story: &Story, plan: &Plan) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    let body = Arc::new(Polytope::of(&story.meshes[0])?);
    for (search, name) in SEARCHES {
        let make = || {
            let bodies = vec![Arc::clone(&body); story.meshes.len()];
            let mut planes = SeparatingPlanes::new(bodies, search);
            Ok(move |poses: &[Pose]| {
                let before = planes.work();
                let hits = planes.step(poses).len() as u64;
                let work = planes.work();
                Ok(Outcome {
                    hits,
                    pairs: 0,
                    bound_tests: work.planes + work.rounds - before.planes - before.rounds,
                    face_tests: work.vertices - before.vertices,
                })
            })
        };
        runs.push(run_story(name, story, plan, make)?);
    }
    for engine in known_engines(&ENGINES) {
        for pruner in ["brute", "auto"] {
            let name = format!("{engine}, {pruner} boxes");
            runs.push(run_story(&name, story, plan, || world(story, engine, pruner))?);
        }
    }
    Ok(runs)
}

/// The way of one sphere: where it is at the last cycle, and how it came there.
struct Way {
    end: DVec3,
    velocity: DVec3,
    turn: DQuat,
    axis: DVec3,
}

impl Way {
    fn draw(random: &mut Random) -> Self {
        let end = DVec3::from([(); 3].map(|()| random.between([RADIUS, SIDE - RADIUS])));
        let velocity = DVec3::from(random.on_sphere::<3>()) * SPEED * RADIUS;
        let turn = DQuat::from_array(random.on_sphere::<4>());
        Self { end, velocity, turn, axis: DVec3::from(random.on_sphere::<3>()) }
    }

    /// So many cycles before the last one.
    fn at(&self, before: usize) -> DVec3 {
        self.end - self.velocity * before as f64
    }

    fn pose(&self, before: usize) -> Result<Pose> {
        let angle = -TURN_DEGREES.to_radians() * before as f64;
        let [x, y, z, w] = (DQuat::from_axis_angle(self.axis, angle) * self.turn).to_array();
        Ok(Pose::new([w, x, y, z], self.at(before))?)
    }

    fn stays_within(&self, cycles: usize) -> bool {
        let room = [RADIUS, SIDE - RADIUS];
        let is_within = |x: f64| (room[0]..=room[1]).contains(&x);
        [0, cycles - 1].iter().all(|&k| self.at(k).to_array().into_iter().all(is_within))
    }

    fn stays_apart(&self, other: &Self, cycles: usize) -> bool {
        (0..cycles).all(|k| (self.at(k) - other.at(k)).length() > APART * RADIUS)
    }
}

/// Spheres at random, the first two on their way to each other.
fn story(count: usize, cycles: usize, seed: u64) -> Result<Story> {
    let mut random = Random::of([seed, count as u64, 0]);
    let mut ways: Vec<Way> = Vec::new();
    for _ in 0..TRIES_MAX {
        let mut way = Way::draw(&mut random);
        if let [first] = &ways[..] {
            let toward = first.velocity.normalize_or_zero();
            way.end = first.end + toward * TOGETHER * RADIUS;
            way.velocity = -first.velocity;
        }
        // The second comes nearer to the first than others may.
        let others = if ways.len() == 1 { &[] } else { &ways[..] };
        let is_free = others.iter().all(|other| way.stays_apart(other, cycles));
        if way.stays_within(cycles) && is_free {
            ways.push(way);
        } else if ways.len() == 1 {
            ways.clear();
        }
        if ways.len() == count {
            break;
        }
    }
    ensure!(ways.len() == count, "there is no room for {count} spheres");
    let mesh = Arc::new(build_mesh(&format!("sphere?faces=528&radius={RADIUS}"))?);
    let poses = |before: usize| ways.iter().map(|way| way.pose(before)).collect();
    let cycles = (0..cycles).rev().map(poses).collect::<Result<_>>()?;
    Ok(Story { meshes: vec![mesh; count], cycles })
}

fn table(sizes: &[(usize, f64, f64)], all: &[Vec<Run>]) -> Table {
    let mut table = Table::new(&[
        ("spheres", ""),
        ("method", ""),
        ("mean cycle", "µs"),
        ("last cycle", "µs"),
        ("last, face pairs", ""),
        ("last, bound tests", ""),
        ("last, face or vertex tests", ""),
    ]);
    for (&(count, proposed, planes), runs) in sizes.iter().zip(all) {
        let text = |text: &str| Cell::Text(text.to_owned());
        for run in runs {
            let Outcome { pairs, bound_tests, face_tests, .. } = run.last();
            let told =
                if run.name.starts_with("planes") { Cell::Missing } else { Cell::Count(pairs) };
            table.push([
                Cell::Count(count as u64),
                text(&run.name),
                Cell::Real(run.mean_us()),
                Cell::Real(run.last_us()),
                told,
                Cell::Count(bound_tests),
                Cell::Count(face_tests),
            ]);
        }
        let known = [
            ("paper, planes", [Some(planes), Some(planes)]),
            ("paper, proposed", [None, Some(proposed)]),
        ];
        for (name, times) in known {
            let mut row = vec![Cell::Count(count as u64), text(name)];
            row.extend(times.map(|ms| ms.map_or(Cell::Missing, |ms| Cell::Real(1e3 * ms))));
            row.extend([Cell::Missing, Cell::Missing, Cell::Missing]);
            table.push(row);
        }
    }
    table
}

/// The last cycle against the number of spheres, with the paper's.
fn by_count(sizes: &[(usize, f64, f64)], all: &[Vec<Run>]) -> Plot {
    let mut series = Vec::new();
    for k in 0..all.first().map_or(0, Vec::len) {
        let points =
            sizes.iter().zip(all).map(|(size, runs)| [size.0 as f64, runs[k].last_us() / 1e3]);
        series.push(Series {
            name: all[0][k].name.clone(),
            mark: Mark::Line,
            points: points.collect(),
        });
    }
    let mut paper = |name: &str, value: fn(&(usize, f64, f64)) -> f64| {
        let points = sizes.iter().map(|size| [size.0 as f64, value(size)]).collect();
        series.push(Series { name: name.to_owned(), mark: Mark::Line, points });
    };
    paper("paper (1998), separating planes", |size| size.2);
    paper("paper (1998), proposed", |size| size.1);
    Plot {
        title: EXPERIMENT.title.to_owned(),
        x: Axis { label: "spheres".to_owned(), scale: Scale::Linear },
        y: Axis { label: "ms at the last cycle".to_owned(), scale: Scale::Log },
        series,
    }
}

/// Cycle by cycle, as figure 13, for the most spheres.
fn by_cycle(sizes: &[(usize, f64, f64)], all: &[Vec<Run>]) -> Plot {
    let count = sizes.last().map_or(0, |size| size.0);
    let series = all.iter().rev().take(1).flatten().map(|run| Series {
        name: run.name.clone(),
        mark: Mark::Line,
        points: run.us.iter().enumerate().skip(1).map(|(k, us)| [k as f64, us / 1e3]).collect(),
    });
    Plot {
        title: format!("Time of each cycle, {count} spheres"),
        x: Axis { label: "cycle".to_owned(), scale: Scale::Linear },
        y: Axis { label: "ms".to_owned(), scale: Scale::Log },
        series: series.collect(),
    }
}

/// How many times as long separating planes take as each of ours, beside the paper's ratios.
fn conclude(lab: &mut Lab, sizes: &[(usize, f64, f64)], all: &[Vec<Run>]) {
    let list = |ratios: Vec<f64>| {
        ratios
            .into_iter()
            .map(|x| significant((x * 100.0).round() / 100.0))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let counts = sizes.iter().map(|size| size.0.to_string()).collect::<Vec<_>>().join(", ");
    lab.note(format!(
        "Time of a cycle of separating planes over the last cycle of the proposed method, with \
         {counts} spheres: {} in the paper.",
        list(sizes.iter().map(|size| size.2 / size.1).collect())
    ));
    for ours in SEARCHES.len()..all.first().map_or(0, Vec::len) {
        let ratios = |planes: usize| {
            list(all.iter().map(|runs| runs[planes].mean_us() / runs[ours].last_us()).collect())
        };
        lab.note(format!(
            "Here, over the last cycle of {}: {} with all vertices, {} with climbing.",
            all[0][ours].name,
            ratios(0),
            ratios(1)
        ));
    }
    // Why: counted work, which the machine cannot blur.
    let last = |runs: &[Run], k: usize| runs[k].last();
    let [first, most] = [&all[0], &all[all.len() - 1]];
    lab.note(format!(
        "Separating planes ask every pair of spheres at every cycle, near or not: at the last one \
         {} planes and {} vertices with {} spheres, {} and {} with {}; climbing looks at {} and {} \
         vertices. Our engines look at faces only where boxes overlap, so their work follows the \
         near pairs and not the square of the number. Climbing leaves one in twenty vertices, \
         which moves the number of spheres from which on boxes win, as the ratios show; it tells \
         no pairs of faces and needs convex rigid bodies.",
        last(first, 0).bound_tests,
        last(first, 0).face_tests,
        sizes[0].0,
        last(most, 0).bound_tests,
        last(most, 0).face_tests,
        sizes[sizes.len() - 1].0,
        last(first, 1).face_tests,
        last(most, 1).face_tests,
    ));
}
