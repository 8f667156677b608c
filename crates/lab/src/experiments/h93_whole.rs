//! Whole detectors on the spaceship simulator of [H93]: broad phase and narrow phase, frame by frame.

use crate::comparators::bsp::{Scratch, Solid, Splitters, meet};
use crate::flight::{Flight, Params};
use crate::frames::{Outcome, Plan, Run, run as run_story};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table, significant};
use crate::timing::Clock;
use crate::{Experiment, Lab};
use anyhow::{Context, Result, bail, ensure};
use impinge::contract::query::Budget;
use impinge::prelude::*;
use impinge::{broad, narrow};
use impinge_geom::coins::levels::Descent;
use impinge_geom::coins::{Builder, CoinTree, Couple, Placed};
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "h93-whole",
    title: "Whole detectors on the spaceship simulator, beside Turk's grid with BSP trees",
    paper: Some("[H93]"),
    about: "Ships of 3072 faces steered at random by thrust and turn; the recorded frames go \
            through whole detectors, broad and narrow phase, each frame with new poses for all: \
            time of all frames and of the slowest, and how many times as long the grid with BSP \
            trees takes. Detectors that stop at a depth or a budget report pairs that may meet. \
            The best of some passes for each frame.",
    run,
};

const FLIGHTS: [Params; 2] = [
    Params { ships: 16, faces: 3072, range: 25.0, frames: 1000, seed: 0 },
    Params { ships: 64, faces: 3072, range: 60.0, frames: 500, seed: 0 },
];
const QUICK: Params = Params { ships: 4, faces: 1024, range: 8.0, frames: 200, seed: 0 };
const PASSES: usize = 3;
/// Where the descent of sphere trees is stopped: the paper's and ours.
const DEPTHS: [u32; 2] = [3, 2];
/// Work for all pairs of a frame, for engine `sphere-tree`.
const WORK: u64 = 500;
/// The pruner that promises are made to.
const SPACETIME: &str = "spacetime";

/// How pairs that the broad phase leaves are decided.
#[derive(Clone, Copy, PartialEq)]
enum Narrow {
    Bsp(Splitters),
    /// Trees of spheres, level by level down to a depth.
    Levels(Builder, u32),
    /// An engine of ours, in a step of the world.
    Engine(&'static str, Budget),
}

/// A whole detector.
struct Detector {
    name: String,
    pruner: &'static str,
    narrow: Narrow,
}

impl Detector {
    /// Whether it tells exactly those pairs that meet.
    fn is_exact(&self) -> bool {
        matches!(self.narrow, Narrow::Bsp(_) | Narrow::Engine(_, Budget::Unlimited))
    }
}

/// Turk's grid with BSP trees first, the rest beside it.
fn detectors() -> Vec<Detector> {
    let detector = |name: &str, pruner: &'static str, narrow: Narrow| Detector {
        name: format!("{pruner} + {name}"),
        pruner,
        narrow,
    };
    let [octree_name, coins_name] = [("octree of spheres", 0), ("coins", 1)]
        .map(|(name, k)| format!("{name} to depth {}", DEPTHS[k]));
    let octree = Narrow::Levels(Builder::Octree, DEPTHS[0]);
    let coins = Narrow::Levels(Builder::Coins, DEPTHS[1]);
    let budget = format!("sphere-tree, {WORK} units of work per frame");
    let [faces, axes] = [Splitters::Faces, Splitters::FacesAndAxes].map(Narrow::Bsp);
    let limited = Narrow::Engine("sphere-tree", Budget::Work(WORK));
    let [spheres, bvh] = ["sphere-tree", "bvh"].map(|e| Narrow::Engine(e, Budget::Unlimited));
    vec![
        detector("BSP tree, planes of faces", "grid", faces),
        detector("BSP tree, planes across axes too", "grid", axes),
        detector("BSP tree, planes of faces", "brute", faces),
        detector(&octree_name, "grid", octree),
        detector(&octree_name, SPACETIME, octree),
        detector(&coins_name, SPACETIME, coins),
        detector(&budget, SPACETIME, limited),
        detector("sphere-tree to the end", SPACETIME, spheres),
        detector("bvh", SPACETIME, bvh),
        detector("bvh", "auto", bvh),
    ]
}

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let flights = if quick { &[QUICK][..] } else { &FLIGHTS[..] };
    let plan = Plan {
        clock: Clock::for_threads(lab.settings.threads),
        passes: if quick { 1 } else { PASSES },
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(lab.settings.threads).build()?;
    let mut table = Table::new(&COLUMNS);
    let mut series = Vec::new();
    for params in flights {
        let flight = Flight::record(&Params { seed: lab.settings.seed, ..*params })?;
        let runs = pool.install(|| measure(&flight, &plan))?;
        let all: u64 = runs[0].1.outcomes.iter().map(|outcome| outcome.hits).sum();
        lab.note(format!(
            "{} ships: {} collisions; {all} pairs meet, over all {} frames.",
            params.ships, flight.collisions, params.frames
        ));
        lab.note(format!(
            "{} ships promise pruner spacetime that their ways change by at most {} per frame, \
             which is thrust, drag and a steady turn; {} promises were broken, by collisions and \
             new turns.",
            params.ships,
            significant(flight.acceleration()),
            broken(&flight)?
        ));
        for (detector, run) in &runs {
            check(detector, run, &runs[0].1)?;
            table.push(row(params.ships, run, &runs));
            if params.ships == flights[0].ships {
                series.push(line(run));
            }
        }
    }
    tell(lab);
    let plot = Plot {
        title: format!("Time of frames, {} ships", flights[0].ships),
        x: Axis { label: "frames that are at least as fast [%]".to_owned(), scale: Scale::Linear },
        y: Axis { label: "µs".to_owned(), scale: Scale::Log },
        series,
    };
    lab.publish(&table, Some(&plot))
}

/// Whatever is exact tells the same pairs, and what is not tells no fewer.
fn check(detector: &Detector, run: &Run, exact: &Run) -> Result<()> {
    for (frame, (told, truth)) in run.outcomes.iter().zip(&exact.outcomes).enumerate() {
        let right =
            if detector.is_exact() { told.hits == truth.hits } else { told.hits >= truth.hits };
        let (name, told, truth) = (&run.name, told.hits, truth.hits);
        ensure!(right, "{name}: frame {frame}: {told} pairs, {truth} meet");
    }
    Ok(())
}

/// All detectors on a flight.
fn measure(flight: &Flight, plan: &Plan) -> Result<Vec<(Detector, Run)>> {
    let solids = Solids::of(flight)?;
    let mut runs = Vec::new();
    for detector in detectors() {
        let story = &flight.story;
        let run = match detector.narrow {
            Narrow::Engine(engine, budget) => run_story(&detector.name, story, plan, || {
                let mut crew = Crew::of(flight, detector.pruner, engine)?;
                Ok(move |poses: &[Pose]| Ok(crew.step(poses, budget)))
            })?,
            narrow => run_story(&detector.name, story, plan, || {
                // Nobody asks its engine.
                let mut crew = Crew::of(flight, detector.pruner, "brute")?;
                let mut asker = Asker::new(&solids, narrow);
                Ok(move |poses: &[Pose]| crew.ask(poses, |pair| asker.may_meet(pair)))
            })?,
        };
        runs.push((detector, run));
    }
    Ok(runs)
}

/// What is made beforehand.
struct Solids {
    mesh: Arc<Mesh>,
    trees: [Solid; 2],
    octree: CoinTree,
    coins: CoinTree,
}

impl Solids {
    fn of(flight: &Flight) -> Result<Self> {
        let mesh = Arc::clone(flight.mesh());
        let [faces, axes] = [Splitters::Faces, Splitters::FacesAndAxes]
            .map(|splitters| Solid::of(Arc::clone(&mesh), splitters));
        let [octree, coins] =
            [Builder::Octree, Builder::Coins].map(|builder| CoinTree::build(&mesh, builder));
        Ok(Self { mesh, trees: [faces?, axes?], octree, coins })
    }
}

/// A comparator's narrow phase, with its memory.
struct Asker<'a> {
    solids: &'a Solids,
    narrow: Narrow,
    scratch: Scratch,
    descent: Descent,
}

impl<'a> Asker<'a> {
    fn new(solids: &'a Solids, narrow: Narrow) -> Self {
        let (scratch, descent) = (Scratch::default(), Descent::default());
        Self { solids, narrow, scratch, descent }
    }

    fn may_meet(&mut self, poses: [&Pose; 2]) -> Result<bool> {
        match self.narrow {
            Narrow::Bsp(splitters) => {
                let tree = &self.solids.trees[usize::from(splitters == Splitters::FacesAndAxes)];
                Ok(meet([tree, tree], poses, &mut self.scratch))
            }
            Narrow::Levels(Builder::Octree, depth) => {
                Ok(self.may_meet_in_levels(&self.solids.octree, depth, poses))
            }
            Narrow::Levels(_, depth) => {
                Ok(self.may_meet_in_levels(&self.solids.coins, depth, poses))
            }
            Narrow::Engine(name, _) => bail!("engine {name} answers in a step of the world"),
        }
    }

    fn may_meet_in_levels(&mut self, tree: &CoinTree, depth: u32, poses: [&Pose; 2]) -> bool {
        let mesh = &self.solids.mesh;
        let [a, b] = poses.map(|pose| Placed { mesh, tree, pose });
        let couple = Couple::new(a, b);
        self.descent.start(&couple, 0.0);
        while self.descent.depth() < depth && !self.descent.is_done() {
            self.descent.pass(&couple);
        }
        !self.descent.apart()
    }
}

/// How many promises were broken in a flight.
fn broken(flight: &Flight) -> Result<usize> {
    let mut crew = Crew::of(flight, SPACETIME, "bvh")?;
    let count = |poses: &Vec<Pose>| {
        crew.place(poses);
        crew.world.step(&Query::TOUCHING).broken_promises().count()
    };
    Ok(flight.story.cycles.iter().map(count).sum())
}

/// The ships in a world.
struct Crew {
    world: World,
    ids: Vec<BodyId>,
}

impl Crew {
    fn of(flight: &Flight, pruner: &str, engine: &str) -> Result<Self> {
        let pruner = broad::by_name(pruner).with_context(|| format!("no pruner `{pruner}`"))?;
        let mut world = World::with(pruner, narrow::by_text(engine)?);
        let shape = world.add_shape(Arc::clone(flight.mesh()))?;
        let insert = |pose: &Pose| world.insert(Body::new(shape).at(*pose));
        let ids: Vec<BodyId> =
            flight.story.cycles[0].iter().map(insert).collect::<Result<_, _>>()?;
        // Pruners but `spacetime` do not mind.
        let promise = Promise::new(flight.acceleration())?;
        ids.iter().for_each(|id| _ = world.promise(*id, Some(promise)));
        Ok(Self { world, ids })
    }

    fn place(&mut self, poses: &[Pose]) {
        for (id, pose) in self.ids.iter().zip(poses) {
            self.world.set_pose(*id, *pose);
        }
    }

    /// A whole step of the world.
    fn step(&mut self, poses: &[Pose], budget: Budget) -> Outcome {
        self.place(poses);
        let report = self.world.step(&Query { budget, ..Query::TOUCHING });
        let counters = report.counters();
        let may = |pair: &PairReport<'_>| pair.answer.verdict != Verdict::Free;
        Outcome {
            hits: report.pairs().filter(may).count() as u64,
            pairs: report.pairs().count() as u64,
            bound_tests: counters.node_tests,
            face_tests: counters.triangle_pairs,
        }
    }

    /// The broad phase of a step, and something else for the pairs that it leaves.
    fn ask(
        &mut self,
        poses: &[Pose],
        mut may_meet: impl FnMut([&Pose; 2]) -> Result<bool>,
    ) -> Result<Outcome> {
        self.place(poses);
        let (pairs, progress) = self.world.candidates(&Query::TOUCHING);
        ensure!(progress == Progress::Complete, "a broad phase was not completed");
        // None was ever removed, so that ids rise with the places.
        let place = |id: &BodyId| self.ids.binary_search(id).ok().context("an unknown ship");
        let mut hits = 0;
        for [a, b] in &pairs {
            hits += u64::from(may_meet([&poses[place(a)?], &poses[place(b)?]])?);
        }
        Ok(Outcome { hits, pairs: pairs.len() as u64, ..Outcome::default() })
    }
}

const COLUMNS: [(&str, &str); 9] = [
    ("ships", ""),
    ("detector", ""),
    ("all frames", "ms"),
    ("mean frame", "µs"),
    ("slowest frame", "µs"),
    ("speed-up", "× grid + BSP"),
    ("speed-up, axes", "× grid + BSP with axes"),
    ("pairs asked", "per frame"),
    ("pairs reported", "per frame"),
];

fn row(ships: usize, run: &Run, runs: &[(Detector, Run)]) -> Vec<Cell> {
    let total = |run: &Run| run.us.iter().sum::<f64>();
    let frames = run.us.len() as f64;
    let mean = |of: fn(&Outcome) -> u64| run.outcomes.iter().map(of).sum::<u64>() as f64 / frames;
    let mut row = vec![
        Cell::Count(ships as u64),
        Cell::Text(run.name.clone()),
        Cell::Real(total(run) / 1e3),
        Cell::Real(total(run) / frames),
        Cell::Real(run.us.iter().copied().fold(0.0, f64::max)),
    ];
    row.extend(runs[..2].iter().map(|(_, bsp)| Cell::Real(total(bsp) / total(run))));
    row.extend([Cell::Real(mean(|o| o.pairs)), Cell::Real(mean(|o| o.hits))]);
    row
}

/// Frames in the order of their times.
fn line(run: &Run) -> Series {
    let mut sorted = run.us.clone();
    sorted.sort_by(f64::total_cmp);
    // Some points show as much as all.
    let step = sorted.len().div_ceil(50);
    let share = |k: usize| 100.0 * (k + 1) as f64 / sorted.len() as f64;
    let shown = (0..sorted.len()).rev().step_by(step).map(|k| [share(k), sorted[k]]);
    Series { name: run.name.clone(), mark: Mark::Line, points: shown.collect() }
}

fn tell(lab: &mut Lab) {
    lab.note(
        "Octree of spheres: the paper's trees; coins: balls cut by slabs, those of engine \
         sphere-tree. The grid is pruner `grid`; Turk's had cells of one size. Brute is all \
         pairs of boxes in every frame. Boxes and balls of all ships are made anew in every \
         frame, in all rows, and pairs whose balls do not meet are not asked. The broad phase \
         is that of the world; BSP trees and descents to a depth are asked directly and spared \
         the events of a step.",
    );
    lab.note(format!(
        "A budget of {WORK} is for all pairs of a frame together; what it leaves open counts as \
         reported. The slowest frame is that of the best passes."
    ));
}
