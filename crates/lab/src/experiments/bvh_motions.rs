//! How long a certified first contact takes, above all at worst: knots of many faces, wide turns,
//! plates that meet flat, and plates that slide past each other at hardly any gap.
//!
//! The plates are what makes searches explode: on meeting flat, all their faces touch at the same
//! time, and while they slide, none does but all nearly do.

use super::models::{Model, twice};
use crate::near::{Approach, Random, motions};
use crate::poses::tally;
use crate::table::{Cell, Table};
use crate::timing::{Clock, microseconds};
use crate::{Experiment, Lab};
use anyhow::{Context, Result};
use impinge::contract::answer::Answers;
use impinge::narrow::{self, bvh};
use impinge::prelude::{Mesh, Motion, Point, Pose, PosedPair, Query};
use rayon::ThreadPool;
use std::f64::consts::PI;
use std::sync::Arc;
use std::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bvh-motions",
    title: "First contacts along motions, easy and hard ones",
    paper: None,
    about: "Certified first contacts by engine bvh, one motion per call, one thread, processor \
            time; of each motion the best of five passes counts. Meshes against themselves on ways \
            near contact that turn by up to 0.8 and up to pi, plates that meet flat, turned or \
            tilted, and plates that slide past each other at gaps down to 1e-12. The bar: none \
            above 5 ms. No pass of a case goes on after 2 s, and after a motion of 100 ms harder \
            cases of its kind are left out.",
    run,
};

/// No motion may take longer, in microseconds.
const BAR_US: f64 = 5000.0;
const PASSES: usize = 5;
/// After that time no motion of a case is begun.
const BUDGET: Duration = Duration::from_secs(2);
/// What is slower than that makes harder cases of its kind not worth the wait, in microseconds.
const HOPELESS_US: f64 = 20.0 * BAR_US;
const NEAR: [(Model, u32); 5] = [
    (Model::Sphere, 1000),
    (Model::Knot, 1000),
    (Model::Knot, 10_000),
    (Model::Knot, 100_000),
    (Model::Knot, 500_000),
];
const NEAR_COUNT: usize = 200;
const ANGLES: [f64; 2] = [0.8, PI];
/// Squares along a side of a plate: 480 and 20,160 faces.
const PLATE_STEPS: [usize; 2] = [10, 70];
const PLATE_COUNT: usize = 20;
const TILTS: [f64; 5] = [1e-1, 1e-3, 1e-6, 1e-9, 1e-12];
const GAPS: [f64; 6] = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12];
/// Half the thickness of a plate whose side is 2; a power of two, so that gaps are what they say.
const HALF_THICKNESS: f64 = 0.0625;
/// How far a plate turns in its plane on its way, if it does.
const SPIN: f64 = 1.0;

/// A row: the times of each motion alone.
struct Row {
    case: String,
    faces: usize,
    hits: u64,
    unknown: u64,
    /// Of each motion.
    us: Vec<f64>,
    /// The widest interval of a first contact.
    widest: f64,
    /// The largest distance that the bodies of a hit are proven to come to, zero if all touch.
    within: f64,
}

impl Row {
    /// A motion that is asked for the first time.
    fn add(&mut self, us: f64, answers: &Answers) {
        let found = tally(answers, &Query::FIRST_CONTACT);
        self.hits += found.hits;
        self.unknown += found.unknown;
        self.us.push(us);
        for first in answers.all().iter().filter_map(|answer| answer.first.as_ref()) {
            self.within = self.within.max(first.within);
            self.widest = self.widest.max(first.time[1] - first.time[0]);
        }
    }

    fn mean(&self) -> f64 {
        self.us.iter().sum::<f64>() / self.us.len() as f64
    }

    fn median(&self) -> f64 {
        let mut sorted = self.us.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let even = sorted.len().is_multiple_of(2);
        if even { 0.5 * (sorted[middle - 1] + sorted[middle]) } else { sorted[middle] }
    }

    /// The slowest motion: its number, and its time.
    fn worst(&self) -> (usize, f64) {
        let by_time = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
        self.us.iter().copied().enumerate().max_by(by_time).unwrap_or((0, 0.0))
    }
}

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let (mut rows, mut left_out) = (Vec::new(), Vec::new());
    for &(model, faces) in if quick { &NEAR[..2] } else { &NEAR[..] } {
        let mesh = model.mesh(faces)?;
        let count = if quick { 10 } else { NEAR_COUNT };
        for angle in ANGLES {
            let ways = near(&mesh, count, angle, lab.settings.seed)?;
            let case = format!("{}, angles up to {angle:.2}", model.name());
            rows.push(measure(lab, &pool, (case, &mesh), &ways)?);
        }
    }
    for &steps in if quick { &PLATE_STEPS[..1] } else { &PLATE_STEPS[..] } {
        let mesh = plate(steps)?;
        let count = if quick { 4 } else { PLATE_COUNT };
        let mut hopeless: Vec<Course> = Vec::new();
        for course in courses(quick) {
            if hopeless.iter().any(|known| course.is_harder(known)) {
                left_out.push(format!("{} ({} faces)", course.name(), mesh.triangles().len()));
                continue;
            }
            let ways = course.motions(count, lab.settings.seed)?;
            let row = measure(lab, &pool, (course.name(), &mesh), &ways)?;
            if row.worst().1 > HOPELESS_US {
                hopeless.push(course);
            }
            rows.push(row);
        }
    }
    conclude(lab, &rows, &left_out);
    lab.publish(&table(&rows), None)
}

fn near(mesh: &Arc<Mesh>, count: usize, angle: f64, seed: u64) -> Result<Vec<Motion>> {
    let engine = narrow::by_name(bvh::NAME).context("engines are named from their list")?;
    let mut pair = PosedPair::with(engine, Arc::clone(mesh), Arc::clone(mesh))?;
    motions(&mut pair, &Approach::of([mesh, mesh], seed), count, angle)
}

/// Times each motion alone; those that begin within the budget.
fn measure(
    lab: &Lab,
    pool: &ThreadPool,
    (case, mesh): (String, &Arc<Mesh>),
    ways: &[Motion],
) -> Result<Row> {
    let engine = narrow::by_name(bvh::NAME).context("engines are named from their list")?;
    let [a, b] = twice(mesh);
    let mut pair = PosedPair::with(engine, a, b)?;
    let jobs = pair.jobs(ways);
    let faces = mesh.triangles().len();
    let mut row =
        Row { case, faces, hits: 0, unknown: 0, us: Vec::new(), widest: 0.0, within: 0.0 };
    let passes = if lab.settings.quick { 1 } else { PASSES };
    pool.install(|| {
        let watch = Clock::Cpu.start();
        for (k, job) in (0..passes).flat_map(|_| jobs.iter().enumerate()) {
            if k > 0 && watch.elapsed() > BUDGET {
                break;
            }
            let start = Clock::Cpu.start();
            let answers = pair.answer(std::slice::from_ref(job), &Query::FIRST_CONTACT);
            let us = microseconds(start.elapsed());
            match row.us.get_mut(k) {
                Some(best) => *best = best.min(us),
                None => row.add(us, answers),
            }
        }
    });
    Ok(row)
}

/// A square plate of side 2 about the origin, closed, whose sides are cut into so many pieces.
fn plate(steps: usize) -> Result<Arc<Mesh>> {
    let at = |i: usize| 2.0 * i as f64 / steps as f64 - 1.0;
    let index = |i: usize, j: usize, top: usize| ((top * (steps + 1) + i) * (steps + 1) + j) as u32;
    let mut vertices = Vec::new();
    for (z, i) in [-HALF_THICKNESS, HALF_THICKNESS]
        .map(|z| (0..=steps).map(move |i| (z, i)))
        .into_iter()
        .flatten()
    {
        vertices.extend((0..=steps).map(|j| [at(i), at(j), z]));
    }
    let mut triangles = Vec::new();
    let mut quad = |[a, b, c, d]: [u32; 4]| triangles.extend([[a, b, c], [a, c, d]]);
    for (i, j) in (0..steps).flat_map(|i| (0..steps).map(move |j| (i, j))) {
        let corners =
            |top| [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(|[i, j]| index(i, j, top));
        quad(corners(1));
        let [a, b, c, d] = corners(0);
        quad([a, d, c, b]);
    }
    for k in 0..steps {
        // Counterclockwise about the plate, as seen from above.
        let borders = [
            [[k, 0], [k + 1, 0]],
            [[steps, k], [steps, k + 1]],
            [[k + 1, steps], [k, steps]],
            [[0, k + 1], [0, k]],
        ];
        for [[i, j], [m, n]] in borders {
            quad([index(i, j, 0), index(m, n, 0), index(m, n, 1), index(i, j, 1)]);
        }
    }
    Ok(Arc::new(Mesh::new(vertices, triangles)?))
}

/// What one plate does to the other.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Course {
    kind: Kind,
    yaw: Yaw,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// From above through the other, at that angle to it.
    Meet(f64),
    /// Beside it, at that gap.
    Slide(f64),
}

/// How it lies in its plane.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Yaw {
    /// As the other: edges run along edges.
    Aligned,
    /// Anyhow.
    Turned,
    /// Anyhow, and it turns on its way.
    Turning,
}

fn courses(quick: bool) -> Vec<Course> {
    let yaws = [Yaw::Aligned, Yaw::Turned, Yaw::Turning];
    let (tilts, gaps) = if quick { (&TILTS[1..2], &GAPS[1..2]) } else { (&TILTS[..], &GAPS[..]) };
    let flat = yaws.map(|yaw| Course { kind: Kind::Meet(0.0), yaw });
    let tilted = tilts.iter().flat_map(|&tilt| {
        [Yaw::Turned, Yaw::Turning].map(|yaw| Course { kind: Kind::Meet(tilt), yaw })
    });
    let sliding =
        gaps.iter().flat_map(|&gap| yaws.map(|yaw| Course { kind: Kind::Slide(gap), yaw }));
    flat.into_iter().chain(tilted).chain(sliding).collect()
}

impl Course {
    fn name(&self) -> String {
        let yaw = match self.yaw {
            Yaw::Aligned => "aligned",
            Yaw::Turned => "turned",
            Yaw::Turning => "turning",
        };
        match self.kind {
            Kind::Meet(0.0) => format!("plates meet flat, {yaw}"),
            Kind::Meet(tilt) => format!("plates meet at {tilt:e}, {yaw}"),
            Kind::Slide(gap) => format!("plates slide at {gap:e}, {yaw}"),
        }
    }

    /// The same with a smaller gap or angle.
    fn is_harder(&self, other: &Self) -> bool {
        self.yaw == other.yaw
            && match (self.kind, other.kind) {
                (Kind::Meet(tilt), Kind::Meet(known)) => tilt < known,
                (Kind::Slide(gap), Kind::Slide(known)) => gap < known,
                _ => false,
            }
    }

    fn motions(&self, count: usize, seed: u64) -> Result<Vec<Motion>> {
        (0..count).map(|k| self.motion(&mut Random::of([seed, k as u64, 0]))).collect()
    }

    fn motion(&self, random: &mut Random) -> Result<Motion> {
        let yaw = if self.yaw == Yaw::Aligned { 0.0 } else { random.between([-PI, PI]) };
        let spin = if self.yaw == Yaw::Turning { SPIN } else { 0.0 };
        let axis = random.between([-PI, PI]);
        let [x, y] = [0, 1].map(|_| random.between([-0.4, 0.4]));
        // Where the one rests upon the other.
        let rest = 2.0 * HALF_THICKNESS;
        let (tilt, ends): (f64, [Point; 2]) = match self.kind {
            Kind::Meet(tilt) => {
                let lift = random.between([0.4, 0.8]);
                (tilt, [[x, y, rest + lift], [0.5 * x, 0.5 * y, rest + lift - 1.0]])
            }
            Kind::Slide(gap) => (0.0, [[x - 1.5, y, rest + gap], [x + 1.5, -y, rest + gap]]),
        };
        let (half, lean) = (0.5 * tilt, [axis.cos(), axis.sin()]);
        let tilted = [half.cos(), half.sin() * lean[0], half.sin() * lean[1], 0.0];
        let tilted = Pose::new(tilted, [0.0; 3])?;
        let place = |yaw: f64, at: Point| -> Result<Pose> {
            let turned = Pose::new([(0.5 * yaw).cos(), 0.0, 0.0, (0.5 * yaw).sin()], [0.0; 3])?;
            Ok(Pose::new(tilted.after(&turned).rotation(), at)?)
        };
        Ok(Motion::lerp_slerp(place(yaw, ends[0])?, place(yaw + spin, ends[1])?))
    }
}

fn conclude(lab: &mut Lab, rows: &[Row], left_out: &[String]) {
    if !left_out.is_empty() {
        lab.note(format!("Left out: {}.", left_out.join("; ")));
    }
    let slowest = rows.iter().max_by(|a, b| a.worst().1.total_cmp(&b.worst().1));
    if let Some(row) = slowest {
        let (k, us) = row.worst();
        lab.note(format!(
            "The slowest motion takes {us:.0} µs: number {k} of `{}` with {} faces, seed {}. \
             Above 5 ms: {} of {} motions.",
            row.case,
            row.faces,
            lab.settings.seed,
            rows.iter().flat_map(|row| &row.us).filter(|us| **us > BAR_US).count(),
            rows.iter().map(|row| row.us.len()).sum::<usize>(),
        ));
    }
    let near = |row: &&Row| row.within > 0.0;
    for row in rows.iter().filter(near) {
        lab.note(format!(
            "`{}` with {} faces: a hit that is only proven to come within {:e}.",
            row.case, row.faces, row.within
        ));
    }
    let unknown: u64 = rows.iter().map(|row| row.unknown).sum();
    lab.note(format!(
        "{unknown} motions undecided. An interval is a part of the motion; asked for were {:e}.",
        Query::FIRST_CONTACT.tolerance
    ));
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        ("case", ""),
        ("faces", ""),
        ("motions", ""),
        ("hits", ""),
        ("mean", "µs"),
        ("median", "µs"),
        ("worst", "µs"),
        ("slowest motion", ""),
        ("widest interval", ""),
    ]);
    for row in rows {
        let (slowest, worst) = row.worst();
        table.push([
            Cell::Text(row.case.clone()),
            Cell::Count(row.faces as u64),
            Cell::Count(row.us.len() as u64),
            Cell::Count(row.hits),
            Cell::Real(row.mean()),
            Cell::Real(row.median()),
            Cell::Real(worst),
            Cell::Count(slowest as u64),
            if row.hits > 0 { Cell::Real(row.widest) } else { Cell::Missing },
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::prelude::{Mode, Verdict};
    use impinge_geom::topology::Topology;

    #[test]
    fn plates_are_closed_and_do_what_their_courses_say() {
        let mesh = plate(10).unwrap();
        assert_eq!(mesh.triangles().len(), 480);
        let topology = Topology::of(&mesh);
        assert!(topology.watertight_manifold && topology.signed_volume > 0.0);
        let mut pair = PosedPair::new(Arc::clone(&mesh), mesh).unwrap();
        // Sampling does not see what lies between its poses, but all of these go right through.
        let query = Query { mode: Mode::PseudoDynamic(64), ..Query::TOUCHING };
        for course in courses(false) {
            let meets = matches!(course.kind, Kind::Meet(_));
            let ways = course.motions(5, 3).unwrap();
            for answer in pair.check(&ways, &query).all() {
                assert_eq!(answer.verdict != Verdict::Free, meets, "{}", course.name());
            }
            let starts: Vec<Pose> = ways.iter().map(|way| *way.pose0()).collect();
            for answer in pair.check(&starts, &Query::CLEARANCE).all() {
                let gap = answer.clearance.map(|gap| gap.at_most).unwrap();
                match course.kind {
                    Kind::Meet(_) => assert!(gap > 0.1),
                    Kind::Slide(wanted) => assert!(gap >= 0.999 * wanted),
                }
            }
        }
    }

    #[test]
    fn a_smaller_gap_is_harder() {
        let course = |kind, yaw| Course { kind, yaw };
        let known = course(Kind::Slide(1e-4), Yaw::Turning);
        assert!(course(Kind::Slide(1e-6), Yaw::Turning).is_harder(&known));
        assert!(!course(Kind::Slide(1e-2), Yaw::Turning).is_harder(&known));
        assert!(!course(Kind::Slide(1e-6), Yaw::Turned).is_harder(&known));
        assert!(!course(Kind::Meet(0.0), Yaw::Turning).is_harder(&known));
    }

    #[test]
    fn the_figures_of_a_row_are_those_of_its_motions() {
        let row = Row {
            case: String::new(),
            faces: 1,
            hits: 0,
            unknown: 0,
            us: vec![3.0, 1.0, 10.0, 2.0],
            widest: 0.0,
            within: 0.0,
        };
        assert_eq!((row.mean(), row.median(), row.worst()), (4.0, 2.5, (2, 10.0)));
    }
}
