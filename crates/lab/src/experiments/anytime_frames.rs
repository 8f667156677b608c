//! How well a distance is known within 20 µs, frame after frame.

use crate::near::{Approach, Random, poses};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::Result;
use impinge::narrow;
use impinge::prelude::*;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "anytime-frames",
    title: "How well a distance is known within 20 µs, frame after frame",
    paper: Some("[H93]"),
    about: "Two meshes of 100 000 faces; one goes on a small way in every frame, from \
            poses near contact (a gap of 0.2 %), and pushed away to 1, 10 and 50 % of the \
            size, the diagonal of the box. A frame is a whole step of the world with \
            engine sphere-tree and a deadline of 20 µs, done once. The width of the \
            interval that holds the distance, as a part of the size, is the median of all \
            frames: every frame on its own, and with what is remembered of the frame \
            before.",
    run,
};

const MESHES: [(&str, &str); 3] = [
    ("knot", "torus-knot?segments=1000&sides=50"),
    ("sphere", "sphere?faces=99856"),
    ("bumpy", "bumpy-sphere?faces=99856"),
];
const GAPS: [(&str, f64); 4] = [("near", 0.002), ("1 %", 0.01), ("10 %", 0.1), ("50 %", 0.5)];
const MOTIONS: [f64; 2] = [1e-4, 1e-3];
const TIME: Duration = Duration::from_micros(20);
const WAYS: usize = 20;
const FRAMES: usize = 40;

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let columns = [
        ("body", ""),
        ("gap", ""),
        ("motion per frame", "%"),
        ("alone, median", "%"),
        ("p90", "%"),
        ("with a front, median", "%"),
        ("p90", "%"),
        ("frame, median", "µs"),
    ];
    let mut table = Table::new(&columns);
    for (name, text) in MESHES {
        let text = if quick { "torus?segments=20&sides=8" } else { text };
        let mesh = Arc::new(impinge_samples::build_mesh(text)?);
        let mut exact = PosedPair::new(Arc::clone(&mesh), Arc::clone(&mesh))?;
        let approach = Approach::of([&mesh, &mesh], lab.settings.seed);
        let all = poses(&mut exact, &approach, 2 * if quick { 2 } else { WAYS })?;
        let near: Vec<&Pose> = all.iter().skip(1).step_by(2).collect();
        let mut pair = Pair::new(&mesh)?;
        for (gap, share) in GAPS {
            for motion in MOTIONS {
                let mut row = vec![Cell::Text(name.to_owned()), Cell::Text(gap.to_owned())];
                row.push(Cell::Real(100.0 * motion));
                let mut took = Vec::new();
                for memory in [false, true] {
                    pair.world.set_memory(memory);
                    let mut widths = Vec::new();
                    for (k, pose) in near.iter().enumerate() {
                        let way = Way { start: **pose, share, motion, seed: k as u64 };
                        pair.go(&way, &mut widths, &mut took)?;
                    }
                    row.push(Cell::Real(100.0 * at(&mut widths, 0.5)));
                    row.push(Cell::Real(100.0 * at(&mut widths, 0.9)));
                }
                row.push(Cell::Real(at(&mut took, 0.5)));
                table.push(row);
            }
        }
    }
    lab.publish(&table, None)
}

fn at(numbers: &mut [f64], share: f64) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[((share * numbers.len() as f64) as usize).min(numbers.len() - 1)]
}

/// A way of small steps.
struct Way {
    start: Pose,
    /// How far it is pushed away, as a part of the size.
    share: f64,
    motion: f64,
    seed: u64,
}

struct Pair {
    world: World,
    walker: BodyId,
    size: f64,
}

impl Pair {
    fn new(mesh: &Arc<Mesh>) -> Result<Self> {
        let engine = narrow::by_name("sphere-tree").expect("one of ours");
        let mut world = World::with(impinge::broad::by_name("brute").expect("one of ours"), engine);
        let bounds = mesh.bounds();
        let size = (0..3).map(|k| (bounds.max[k] - bounds.min[k]).powi(2)).sum::<f64>().sqrt();
        let shape = world.add_shape(Arc::clone(mesh))?;
        world.insert(Body::new(shape))?;
        let walker = world.insert(Body::new(shape))?;
        Ok(Self { world, walker, size })
    }

    fn go(&mut self, way: &Way, widths: &mut Vec<f64>, took: &mut Vec<f64>) -> Result<()> {
        let mut random = Random::of([way.seed, 0, 0]);
        let away = way.start.translation();
        let length = away.iter().map(|x| x * x).sum::<f64>().sqrt();
        let away = away.map(|x| x * (1.0 + way.share * self.size / length));
        // Half of the motion is a shift, half a turn; the direction changes slowly.
        let mut shift = [0.0f64; 3];
        let mut course = [0; 3].map(|_| random.between([-1.0, 1.0]));
        let upright = Pose::new(way.start.rotation(), [0.0; 3])?;
        let mut angle = 0.0f64;
        let query = Query { budget: Budget::Time(TIME), ..Query::CLEARANCE };
        for frame in 0..=FRAMES {
            course = course.map(|x| 0.9 * x + 0.3 * random.between([-1.0, 1.0]));
            let speed = course.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-9);
            shift = [0, 1, 2].map(|k| shift[k] + 0.5 * way.motion * self.size * course[k] / speed);
            // A turn by the angle moves the farthest points by half the size times that.
            angle += way.motion;
            let (sine, cosine) = (0.5 * angle).sin_cos();
            let turn = Pose::new([cosine, 0.0, 0.0, sine], [0.0; 3])?.after(&upright).rotation();
            let place = [0, 1, 2].map(|k| away[k] + shift[k]);
            self.world.set_pose(self.walker, Pose::new(turn, place)?);
            let start = Instant::now();
            let report = self.world.step(&query);
            let time = start.elapsed().as_secs_f64() * 1e6;
            let Some(pair) = report.pairs().next() else { continue };
            let width = match (pair.answer.verdict, pair.answer.clearance) {
                (Verdict::Hit(_), _) => 0.0,
                (_, Some(gap)) => gap.at_most - gap.at_least,
                (_, None) => f64::INFINITY,
            };
            // The first of a way has nothing before it.
            if frame > 0 {
                widths.push(width / self.size);
                took.push(time);
            }
        }
        Ok(())
    }
}
