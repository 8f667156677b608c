//! By how much deadlines are overrun.

use crate::near::Random;
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::Result;
use impinge::narrow;
use impinge::prelude::*;
use std::time::{Duration, Instant};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "anytime-deadline",
    title: "By how much deadlines are overrun",
    paper: Some("[H93]"),
    about: "Knots of 100 000 faces close together, all moving a little in every frame; all \
            pairs, with their distances. A frame is a whole step of the world with engine \
            sphere-tree and a deadline. Needed: the time of a step without one, on one \
            thread. Overrun: what a frame took beyond its budget, zero if it took less. \
            Idle: loops that only look at the clock until the same time is over, in turn \
            with the frames, which is what the machine itself does.",
    run,
};

const MESH: &str = "torus-knot?segments=1000&sides=50";
/// Budgets, and the bodies of their scenes.
const SCENES: [(u64, usize); 3] = [(50, 6), (200, 12), (1000, 26)];
const FRAMES: usize = 100_000;

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let columns = [
        ("budget", "µs"),
        ("bodies", ""),
        ("pairs", ""),
        ("frames", ""),
        ("needed", "× budget"),
        ("used, median", "%"),
        ("overrun p50", "µs"),
        ("p90", "µs"),
        ("p99", "µs"),
        ("p99.9", "µs"),
        ("worst", "µs"),
        ("idle p50", "µs"),
        ("idle p99", "µs"),
        ("idle p99.9", "µs"),
        ("idle worst", "µs"),
    ];
    let mut table = Table::new(&columns);
    let mut series = Vec::new();
    for (budget, bodies) in SCENES {
        let mut scene = Scene::new(if quick { 3 } else { bodies }, quick, lab.settings.seed)?;
        let (needed, pairs) = scene.needed();
        let frames = if quick { 20 } else { FRAMES };
        let time = Duration::from_micros(budget);
        let (mut over, mut idle, mut used) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..frames {
            let took = scene.frame(time)?;
            used.push(100.0 * took.as_secs_f64() / time.as_secs_f64());
            over.push(took.saturating_sub(time).as_secs_f64() * 1e6);
            let start = Instant::now();
            while start.elapsed() < time {}
            idle.push(start.elapsed().saturating_sub(time).as_secs_f64() * 1e6);
        }
        for sorted in [&mut over, &mut idle, &mut used] {
            sorted.sort_by(f64::total_cmp);
        }
        let at = |sorted: &[f64], share: f64| {
            Cell::Real(sorted[((share * sorted.len() as f64) as usize).min(sorted.len() - 1)])
        };
        let mut row = vec![
            Cell::Count(budget),
            Cell::Count(scene.ids.len() as u64),
            Cell::Count(pairs as u64),
            Cell::Count(frames as u64),
            Cell::Real(needed.as_secs_f64() / time.as_secs_f64()),
            at(&used, 0.5),
        ];
        row.extend([0.5, 0.9, 0.99, 0.999, 1.0].map(|share| at(&over, share)));
        row.extend([0.5, 0.99, 0.999, 1.0].map(|share| at(&idle, share)));
        table.push(row);
        series.push(tail(format!("{budget} µs"), &over));
        series.push(tail(format!("{budget} µs, idle"), &idle));
    }
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let plot = Plot {
        title: "Frames that are overrun by more".to_owned(),
        x: axis("overrun in µs"),
        y: axis("% of the frames"),
        series,
    };
    lab.publish(&table, Some(&plot))
}

/// How many are above.
fn tail(name: String, sorted: &[f64]) -> Series {
    let share = |x: f64| {
        100.0 * (sorted.len() - sorted.partition_point(|&y| y <= x)) as f64 / sorted.len() as f64
    };
    let marks = (0..=50).map(|k| 0.05 * 10f64.powf(0.1 * f64::from(k)));
    let points = marks.map(|x| [x, share(x)]).filter(|[_, share]| *share > 0.0).collect();
    Series { name, mark: Mark::Line, points }
}

/// Bodies that sway about their places.
struct Scene {
    world: World,
    ids: Vec<BodyId>,
    homes: Vec<Pose>,
    size: f64,
    random: Random,
}

impl Scene {
    fn new(bodies: usize, quick: bool, seed: u64) -> Result<Self> {
        let engine = narrow::by_name("sphere-tree").expect("one of ours");
        let mut world = World::with(impinge::broad::by_name("brute").expect("one of ours"), engine);
        let mesh =
            impinge_samples::build_mesh(if quick { "torus?segments=20&sides=8" } else { MESH })?;
        let bounds = mesh.bounds();
        let size = (0..3).map(|k| bounds.max[k] - bounds.min[k]).fold(0.0, f64::max);
        let shape = world.add_shape(mesh)?;
        let mut random = Random::of([seed, 0, 0]);
        let (mut ids, mut homes) = (Vec::new(), Vec::new());
        for k in 0..bodies {
            // A lattice that is a little wider than the bodies.
            let cell = [k % 3, k / 3 % 3, k / 9].map(|x| 1.05 * size * x as f64);
            let turn = [0; 4].map(|_| 0.55 + 0.45 * random.between([-1.0, 1.0]));
            let home = Pose::new(turn, cell)?;
            ids.push(world.insert(Body::new(shape).at(home))?);
            homes.push(home);
        }
        Ok(Self { world, ids, homes, size, random })
    }

    /// What a step takes without a deadline, on this thread, and how many pairs it has.
    fn needed(&mut self) -> (Duration, usize) {
        let whole = Query { budget: Budget::Work(u64::MAX), ..Query::CLEARANCE };
        let report = self.world.step(&whole);
        (report.took(), report.pairs().count())
    }

    fn frame(&mut self, time: Duration) -> Result<Duration> {
        for (id, home) in self.ids.iter().zip(&self.homes) {
            let by = 1e-3 * self.size;
            let place = home.translation().map(|x| x + by * self.random.between([-1.0, 1.0]));
            self.world.set_pose(*id, Pose::new(home.rotation(), place)?);
        }
        let query = Query { budget: Budget::Time(time), ..Query::CLEARANCE };
        let start = Instant::now();
        self.world.step(&query);
        Ok(start.elapsed())
    }
}
