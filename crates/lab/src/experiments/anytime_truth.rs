//! Whether what is known after any budget is true.

use crate::near::Random;
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::Result;
use impinge::contract::answer::Answer;
use impinge::narrow;
use impinge::prelude::*;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "anytime-truth",
    title: "Whether what is known after any budget is true",
    paper: Some("[H93]"),
    about: "Concave samples against each other in random poses, from overlapping to far apart. \
            Engine sphere-tree is asked with budgets of work from one step to many, engine bvh \
            tells the truth. Outside: trials whose interval does not hold the distance. Grown: \
            those whose interval is wider than with a smaller budget. Contradicting: those whose \
            verdict is not the truth, nor unknown. The last row is of steps with deadlines of \
            5 to 60 µs, where a pair goes on from the frame before.",
    run,
};

const SAMPLES: [&str; 5] = [
    "torus-knot?segments=60&sides=6",
    "stellated-dodecahedron",
    "bumpy-sphere?faces=480",
    "cup?segments=24",
    "shuttle",
];
const BUDGETS: [u64; 16] =
    [8, 16, 32, 48, 64, 96, 128, 192, 256, 400, 600, 1000, 2000, 4000, 10_000, u64::MAX];
const POSES: usize = 4400;
const FRAMES: usize = 60_000;

/// What was seen.
#[derive(Default)]
struct Seen {
    trials: u64,
    outside: u64,
    grown: u64,
    contradicting: u64,
    unknown: u64,
}

impl Seen {
    fn look(&mut self, told: &Answer, truth: &Answer, before: &mut [f64; 2]) {
        self.trials += 1;
        match told.verdict {
            Verdict::Unknown => self.unknown += 1,
            verdict => self.contradicting += u64::from(verdict != truth.verdict),
        }
        let Some(told) = told.clearance else { return };
        let now = [told.at_least, told.at_most];
        self.grown += u64::from(now[0] < before[0] || now[1] > before[1]);
        *before = now;
        let holds = match truth.verdict {
            // Surfaces of what is inside are apart, but the bodies are not.
            Verdict::Hit(_) => now[0] == 0.0,
            _ => truth.clearance.is_some_and(|gap| now[0] <= gap.at_most && gap.at_least <= now[1]),
        };
        self.outside += u64::from(!holds);
    }

    fn row(&self, names: [&str; 2]) -> Vec<Cell> {
        let mut row = names.map(|name| Cell::Text(name.to_owned())).to_vec();
        let counts = [self.trials, self.outside, self.grown, self.contradicting];
        row.extend(counts.map(Cell::Count));
        row.push(Cell::Real(100.0 * self.unknown as f64 / self.trials.max(1) as f64));
        row
    }
}

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let columns = [
        ("A", ""),
        ("B", ""),
        ("trials", ""),
        ("outside", ""),
        ("grown", ""),
        ("contradicting", ""),
        ("unknown", "%"),
    ];
    let mut table = Table::new(&columns);
    let mut all = Seen::default();
    let mut unknown = [0u64; BUDGETS.len()];
    let mut random = Random::of([lab.settings.seed, 0, 0]);
    let poses = if quick { 4 } else { POSES };
    for (k, a) in SAMPLES.iter().enumerate() {
        for b in &SAMPLES[k..] {
            let meshes = [a, b].map(|name| impinge_samples::build_mesh(name).map(Arc::new));
            let [one, other] = meshes;
            let (one, other) = (one?, other?);
            let reach = size(&one) + size(&other);
            let engine = narrow::by_name("sphere-tree").expect("one of ours");
            let mut tree = PosedPair::with(engine, Arc::clone(&one), Arc::clone(&other))?;
            let mut exact = PosedPair::new(one, other)?;
            let mut seen = Seen::default();
            for _ in 0..poses {
                let pose = pose(&mut random, 0.6 * reach)?;
                let truth = exact.check(&[pose], &Query::CLEARANCE).all()[0].clone();
                let mut before = [0.0, f64::INFINITY];
                for (work, unknown) in BUDGETS.iter().zip(&mut unknown) {
                    let query = Query { budget: Budget::Work(*work), ..Query::CLEARANCE };
                    let told = &tree.check(&[pose], &query).all()[0];
                    seen.look(told, &truth, &mut before);
                    *unknown += u64::from(told.verdict == Verdict::Unknown);
                }
            }
            table.push(seen.row([a, b]));
            all.trials += seen.trials;
            all.outside += seen.outside;
            all.grown += seen.grown;
            all.contradicting += seen.contradicting;
            all.unknown += seen.unknown;
        }
    }
    table.push(all.row(["all", "all"]));
    table.push(frames(&mut random, if quick { 40 } else { FRAMES })?.row([SAMPLES[0], "fronts"]));
    let per_budget = all.trials as f64 / BUDGETS.len() as f64;
    let points =
        BUDGETS.iter().zip(&unknown).filter(|(work, count)| **work < u64::MAX && **count > 0);
    let plot = Plot {
        title: "Undecided pairs against the budget".to_owned(),
        x: Axis { label: "work".to_owned(), scale: Scale::Log },
        y: Axis { label: "% unknown".to_owned(), scale: Scale::Log },
        series: vec![Series {
            name: "all samples".to_owned(),
            mark: Mark::Line,
            points: points
                .map(|(work, n)| [*work as f64, 100.0 * *n as f64 / per_budget])
                .collect(),
        }],
    };
    lab.publish(&table, Some(&plot))
}

/// Half the diagonal of the box.
fn size(mesh: &Mesh) -> f64 {
    let bounds = mesh.bounds();
    0.5 * (0..3).map(|k| (bounds.max[k] - bounds.min[k]).powi(2)).sum::<f64>().sqrt()
}

/// Somewhere within `reach`.
fn pose(random: &mut Random, reach: f64) -> Result<Pose> {
    let turn = [0; 4].map(|_| random.between([-1.0, 1.0]));
    let place = [0; 3].map(|_| reach * random.between([-1.0, 1.0]));
    let turn =
        if turn.iter().map(|x| x * x).sum::<f64>() < 1e-6 { [1.0, 0.0, 0.0, 0.0] } else { turn };
    Ok(Pose::new(turn, place)?)
}

/// A walk with deadlines.
fn frames(random: &mut Random, count: usize) -> Result<Seen> {
    let mesh = Arc::new(impinge_samples::build_mesh(SAMPLES[0])?);
    let mut exact = PosedPair::new(Arc::clone(&mesh), Arc::clone(&mesh))?;
    let engine = narrow::by_name("sphere-tree").expect("one of ours");
    let mut world = World::with(impinge::broad::by_name("brute").expect("one of ours"), engine);
    let reach = size(&mesh);
    let shape = world.add_shape(mesh)?;
    world.insert(Body::new(shape))?;
    let walker = world.insert(Body::new(shape).at(Pose::shift([2.0 * reach, 0.0, 0.0])?))?;
    let mut seen = Seen::default();
    let (mut turn, mut place) = ([1.0, 0.0, 0.0, 0.0f64], [2.0 * reach, 0.0, 0.0f64]);
    for _ in 0..count {
        let by = reach * 10f64.powf(-3.25 + 1.75 * random.between([-1.0, 1.0]));
        let home = if place.iter().map(|x| x * x).sum::<f64>() > (2.5 * reach).powi(2) {
            0.98
        } else {
            1.0
        };
        place = place.map(|x| x * home + by * random.between([-1.0, 1.0]));
        turn = turn.map(|x| x + by / reach * random.between([-1.0, 1.0]));
        let pose = Pose::new(turn, place)?;
        world.set_pose(walker, pose);
        let time =
            std::time::Duration::from_micros((32.0 + 27.0 * random.between([-1.0, 1.0])) as u64);
        let truth = exact.check(&[pose], &Query::CLEARANCE).all()[0].clone();
        let report = world.step(&Query { budget: Budget::Time(time), ..Query::CLEARANCE });
        if let Some(pair) = report.pairs().next() {
            seen.look(pair.answer, &truth, &mut [0.0, f64::INFINITY]);
        }
    }
    Ok(seen)
}
