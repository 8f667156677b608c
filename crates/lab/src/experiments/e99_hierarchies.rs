//! What the parameters of hierarchies do: the measurements that [E99 §5] mentions and leaves out.

use super::pairs::Random;
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table, significant};
use crate::timing::{Plan, measure, stopwatch};
use crate::{Experiment, Lab};
use anyhow::{Context, Result, ensure};
use impinge::contract::answer::Answers;
use impinge::contract::engine::{Engine, Scratch};
use impinge::contract::job::{Batch, Job, Placed, Placement};
use impinge::narrow::e99::E99;
use impinge::prelude::*;
use impinge_geom::aabb::Aabb;
use impinge_geom::hierarchy::{Bound, Hierarchy, Kind, Params, Quality, Splitter};
use impinge_geom::obb::Obb;
use impinge_geom::sphere::Sphere;
use impinge_samples::build_mesh;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "e99-hierarchies",
    title: "Hierarchies of spheres and boxes: α, degree, volume, splitter, quality",
    paper: Some("[E99 §3, §5]"),
    about: "Two knots near each other, and a bumpy ball within a ring: poses on both sides of \
            first contact, all triangle pairs and the clearance, for every combination of the \
            paper's parameters. Tests are per query for all pairs. One core.",
    run,
};

const KINDS: [(Kind, &str); 3] =
    [(Kind::Spheres, "sphere"), (Kind::Aabbs, "aabb"), (Kind::Obbs, "obb")];
const SPLITTERS: [(Splitter, &str); 3] = [
    (Splitter::Plain, "plain §3.1"),
    (Splitter::Heuristic, "heuristic §3.2"),
    (Splitter::Gottschalk, "gottschalk §3.3"),
];
const QUALITIES: [(Quality, &str); 3] =
    [(Quality::Volume, "volume"), (Quality::Surface, "surface"), (Quality::Hausdorff, "hausdorff")];
/// With the flexible degree.
const ALPHAS: [f64; 3] = [0.5, 0.75, 0.9];
/// Where α has nothing to choose from.
const FIXED: [u8; 3] = [2, 4, 6];

/// Two bodies: the second one is moved from a place where they are apart until they touch.
struct Story {
    name: &'static str,
    meshes: [&'static str; 2],
    small: [&'static str; 2],
    /// Where ways come together.
    middle: Point,
    /// How far along the way it begins, free, and ends.
    free: f64,
    far: f64,
}

const STORIES: [Story; 2] = [
    Story {
        name: "knots",
        meshes: ["torus-knot?segments=250&sides=8"; 2],
        small: ["torus-knot?segments=30&sides=4"; 2],
        middle: [0.0; 3],
        free: 4.0,
        far: 0.0,
    },
    Story {
        name: "ring",
        meshes: ["torus?segments=100&sides=20", "bumpy-sphere?faces=3000&radius=0.5"],
        small: ["torus?segments=20&sides=6", "bumpy-sphere?faces=100&radius=0.5"],
        middle: [0.0; 3],
        free: 0.0,
        far: 0.5,
    },
];

/// How far to both sides of first contact the poses are, in units of the way.
const OFFSETS: [f64; 4] = [-1e-2, -1e-3, 1e-3, 1e-2];

/// The bodies of a story with the poses of the second one.
struct Set {
    meshes: [Arc<Mesh>; 2],
    near: Vec<Pose>,
}

fn run(lab: &mut Lab) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let (rows, sets) = pool.install(|| -> Result<_> {
        let sets: Vec<Set> =
            STORIES.iter().map(|story| set_of(story, lab)).collect::<Result<_>>()?;
        let mut rows: Vec<Row> = Vec::new();
        for params in combinations(lab.settings.quick) {
            let row = Row::of(params, &sets, lab.settings.quick)?;
            if let Some(first) = rows.first() {
                ensure!(row.pairs == first.pairs, "all hierarchies find the same triangle pairs");
            }
            rows.push(row);
        }
        Ok((rows, sets))
    })?;
    for (story, set) in STORIES.iter().zip(&sets) {
        let faces = set.meshes.each_ref().map(|mesh| mesh.triangles().len());
        let [name, poses] = [story.name, &set.near.len().to_string()];
        lab.note(format!("{name}: {} and {} faces, {poses} poses.", faces[0], faces[1]));
    }
    conclude(lab, &rows);
    lab.publish(&table(&rows), Some(&plot(&rows)))
}

fn combinations(quick: bool) -> Vec<Params> {
    let flexible = ALPHAS.iter().map(|&alpha| (alpha, [2, 6]));
    let fixed = FIXED.iter().map(|&degree| (Params::default().alpha, [degree; 2]));
    let mut all = Vec::new();
    for (kind, _) in KINDS {
        for (splitter, _) in SPLITTERS {
            for (quality, _) in QUALITIES {
                for (alpha, degrees) in flexible.clone().chain(fixed.clone()) {
                    let leaf_max = Params::default().leaf_max;
                    all.push(Params { kind, splitter, quality, alpha, degrees, leaf_max });
                }
            }
        }
    }
    // A quick run still sees each value of each parameter.
    if quick { all.into_iter().step_by(7).collect() } else { all }
}

/// Random rotations and ways; along each way, poses on both sides of first contact.
fn set_of(story: &Story, lab: &Lab) -> Result<Set> {
    let (names, ways) = if lab.settings.quick { (&story.small, 2) } else { (&story.meshes, 10) };
    let first = Arc::new(build_mesh(names[0])?);
    let same = names[0] == names[1];
    let second = if same { Arc::clone(&first) } else { Arc::new(build_mesh(names[1])?) };
    let meshes = [first, second];
    let mut trial = Trial::of(Params::default(), &meshes)?;
    let mut random = Random(lab.settings.seed);
    let mut near = Vec::new();
    while near.len() < ways * OFFSETS.len() {
        let turn: [f64; 4] = std::array::from_fn(|_| random.between(-1.0, 1.0));
        // The ball must not leave the ring through its hole; for the knots any way will do.
        let angle = random.between(0.0, std::f64::consts::TAU);
        let way = [angle.cos(), angle.sin(), random.between(-0.3, 0.3)];
        let pose = |s: f64| {
            let place: Point = std::array::from_fn(|k| story.middle[k] + way[k] * s);
            Pose::new(turn, place).context("a random rotation")
        };
        let Some(first) = first_contact(story, |s| Ok(trial.touches(&pose(s)?)))? else {
            continue;
        };
        let whole = story.far - story.free;
        for offset in OFFSETS {
            near.push(pose(first + offset * whole)?);
        }
    }
    Ok(Set { meshes, near })
}

/// How far along the way the bodies first touch; `None` if they pass each other.
fn first_contact(
    story: &Story,
    mut touches: impl FnMut(f64) -> Result<bool>,
) -> Result<Option<f64>> {
    const STEPS: u32 = 40;
    let at = |step: u32| story.free + (story.far - story.free) * f64::from(step) / f64::from(STEPS);
    for step in 0..=STEPS {
        if !touches(at(step))? {
            continue;
        }
        ensure!(step > 0, "{}: it should begin free", story.name);
        let (mut free, mut touching) = (at(step - 1), at(step));
        for _ in 0..12 {
            let middle = 0.5 * (free + touching);
            if touches(middle)? { touching = middle } else { free = middle }
        }
        return Ok(Some(free));
    }
    Ok(None)
}

/// An engine with two shapes.
struct Trial {
    engine: E99,
    answers: Answers,
    jobs: [Job; 1],
}

impl Trial {
    fn of(params: Params, meshes: &[Arc<Mesh>; 2]) -> Result<Self> {
        let mut engine = E99::new(params);
        let placed =
            |k: u32| Placed { shape: ShapeId(k), placement: Placement::Fixed(Pose::IDENTITY) };
        let [a, b] = meshes;
        engine.prepare(ShapeId(0), a)?;
        let second = u32::from(!Arc::ptr_eq(a, b));
        if second > 0 {
            engine.prepare(ShapeId(second), b)?;
        }
        let jobs =
            [Job { a: placed(0), b: placed(second), itself: false, memory: None, priority: 1.0 }];
        Ok(Self { engine, answers: Answers::default(), jobs })
    }

    fn ask(&mut self, pose: &Pose, query: &Query) {
        self.jobs[0].b.placement = Placement::Fixed(*pose);
        let batch = Batch { jobs: &self.jobs, query };
        self.engine.collide(&batch, &mut Scratch::default(), &mut self.answers.refill());
    }

    fn touches(&mut self, pose: &Pose) -> bool {
        self.ask(pose, &Query::TOUCHING);
        matches!(self.answers.all()[0].verdict, Verdict::Hit(_))
    }
}

/// What came out for one combination.
struct Row {
    params: Params,
    build_ms: f64,
    nodes: u64,
    depth: u32,
    /// Per query, over both stories.
    node_tests: f64,
    face_tests: f64,
    /// By story.
    pairs_us: Vec<f64>,
    clearance_us: Vec<f64>,
    /// All triangle pairs found.
    pairs: u64,
}

impl Row {
    fn of(params: Params, sets: &[Set], quick: bool) -> Result<Self> {
        let mut row = Self {
            params,
            build_ms: 0.0,
            nodes: 0,
            depth: 0,
            node_tests: 0.0,
            face_tests: 0.0,
            pairs_us: Vec::new(),
            clearance_us: Vec::new(),
            pairs: 0,
        };
        let budget = Duration::from_millis(if quick { 0 } else { 10 });
        let plan = Plan { budget, passes_min: 1 };
        let queries: usize = sets.iter().map(|set| set.near.len()).sum();
        for set in sets {
            // Each mesh once, also where both bodies have the same.
            let [a, b] = &set.meshes;
            row.build(a);
            if !Arc::ptr_eq(a, b) {
                row.build(b);
            }
            let mut trial = Trial::of(params, &set.meshes)?;
            for pose in &set.near {
                trial.ask(pose, &Query::PAIRS);
                let answer = &trial.answers.all()[0];
                row.pairs += trial.answers.triangle_pairs(answer).len() as u64;
                row.node_tests += answer.counters.node_tests as f64 / queries as f64;
                row.face_tests += answer.counters.triangle_pairs as f64 / queries as f64;
            }
            let mut time = |query: &Query| {
                let count = set.near.len();
                measure(&plan, stopwatch(), count, |i| trial.ask(&set.near[i], query)).min_us
            };
            row.pairs_us.push(time(&Query::PAIRS));
            row.clearance_us.push(time(&Query::CLEARANCE));
        }
        Ok(row)
    }

    fn build(&mut self, mesh: &Mesh) {
        match self.params.kind {
            Kind::Spheres => self.build_as::<Sphere>(mesh),
            Kind::Aabbs => self.build_as::<Aabb>(mesh),
            Kind::Obbs => self.build_as::<Obb>(mesh),
        }
    }

    fn build_as<B: Bound>(&mut self, mesh: &Mesh) {
        let start = Instant::now();
        let tree = Hierarchy::<B>::of(mesh, &self.params);
        self.build_ms += start.elapsed().as_secs_f64() * 1e3;
        self.nodes += tree.nodes().len() as u64;
        self.depth = self.depth.max(tree.depth());
    }

    /// The time of a query for all pairs, over both stories.
    fn query_us(&self) -> f64 {
        geometric_mean(self.pairs_us.iter().copied())
    }

    fn is_flexible(&self) -> bool {
        self.params.degrees[0] < self.params.degrees[1]
    }
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, n), x| (sum + x.ln(), n + 1));
    (sum / f64::from(count)).exp()
}

fn name_of<T: PartialEq>(names: &[(T, &'static str)], value: &T) -> &'static str {
    names.iter().find(|(known, _)| known == value).map_or("", |(_, name)| name)
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        ("volume", ""),
        ("splitter", ""),
        ("quality", ""),
        ("degree", ""),
        ("alpha", ""),
        ("build", "ms"),
        ("nodes", ""),
        ("depth", ""),
        ("node tests", ""),
        ("face tests", ""),
        ("pairs, knots", "µs"),
        ("pairs, ring", "µs"),
        ("clearance, knots", "µs"),
        ("clearance, ring", "µs"),
    ]);
    for row in rows {
        let params = &row.params;
        let [low, high] = params.degrees;
        let text = |text: &str| Cell::Text(text.to_owned());
        let mut cells = vec![
            text(name_of(&KINDS, &params.kind)),
            text(name_of(&SPLITTERS, &params.splitter)),
            text(name_of(&QUALITIES, &params.quality)),
            Cell::Text(if low < high { format!("{low}-{high}") } else { low.to_string() }),
            if low < high { Cell::Real(params.alpha) } else { Cell::Missing },
            Cell::Real(row.build_ms),
            Cell::Count(row.nodes),
            Cell::Count(row.depth.into()),
            Cell::Real(row.node_tests),
            Cell::Real(row.face_tests),
        ];
        cells.extend(row.pairs_us.iter().chain(&row.clearance_us).map(|&us| Cell::Real(us)));
        table.push(cells);
    }
    table
}

/// Query time against α, a line for each volume and splitter.
fn plot(rows: &[Row]) -> Plot {
    let mut series = Vec::new();
    for (kind, kind_name) in KINDS {
        for (splitter, splitter_name) in SPLITTERS {
            let point = |&alpha: &f64| {
                let same = |row: &&Row| {
                    let params = &row.params;
                    row.is_flexible()
                        && (params.kind, params.splitter) == (kind, splitter)
                        && params.alpha == alpha
                };
                let us = geometric_mean(rows.iter().filter(same).map(Row::query_us));
                us.is_finite().then_some([alpha, us])
            };
            let points: Vec<_> = ALPHAS.iter().filter_map(point).collect();
            let name = format!("{kind_name}, {splitter_name}");
            if !points.is_empty() {
                series.push(Series { name, mark: Mark::Line, points });
            }
        }
    }
    Plot {
        title: "All triangle pairs, degree 2-6: time against α".to_owned(),
        x: Axis { label: "improvement factor α".to_owned(), scale: Scale::Linear },
        y: Axis { label: "µs per query, one core".to_owned(), scale: Scale::Log },
        series,
    }
}

/// What a parameter does on its own: the mean over all combinations of the others.
fn effect(rows: &[Row], of: &str, groups: &[Group<'_>]) -> String {
    let mean = |keep: &dyn Fn(&Row) -> bool, value: fn(&Row) -> f64| {
        geometric_mean(rows.iter().filter(|row| keep(row)).map(value))
    };
    let means: Vec<[f64; 2]> = groups
        .iter()
        .map(|(_, keep)| [mean(*keep, Row::query_us), mean(*keep, |row| row.node_tests)])
        .collect();
    let best = means.iter().fold(f64::INFINITY, |best, [us, _]| best.min(*us));
    let mut text = format!("By {of}, time for all pairs over the best (and node tests):");
    for ((name, _), [us, tests]) in groups.iter().zip(&means) {
        let over = significant((us / best * 100.0).round() / 100.0);
        let _ = write!(text, " {name} {over} ({}),", significant(tests.round()));
    }
    text.trim_end_matches(',').to_owned() + "."
}

/// Whether the paper's α is the best one here.
fn paper_alpha(rows: &[Row]) -> String {
    let of_alpha = |alpha: f64, value: fn(&Row) -> f64| {
        let same = rows.iter().filter(|row| row.is_flexible() && row.params.alpha == alpha);
        geometric_mean(same.map(value))
    };
    let best = |value: fn(&Row) -> f64| {
        let by = |a: &f64, b: &f64| of_alpha(*a, value).total_cmp(&of_alpha(*b, value));
        ALPHAS.into_iter().min_by(by).unwrap_or(f64::NAN)
    };
    format!(
        "The paper found α = 0.75 best; here the best is {} by time, {} by node tests and {} \
         by face tests.",
        best(Row::query_us),
        best(|row| row.node_tests),
        best(|row| row.face_tests),
    )
}

/// Sentences that are true of these rows.
fn conclude(lab: &mut Lab, rows: &[Row]) {
    let kinds = KINDS.map(|(kind, name)| (name, move |row: &Row| row.params.kind == kind));
    lab.note(effect(rows, "volume", &named(&kinds)));
    let splitters =
        SPLITTERS.map(|(splitter, name)| (name, move |row: &Row| row.params.splitter == splitter));
    lab.note(effect(rows, "splitter", &named(&splitters)));
    let qualities =
        QUALITIES.map(|(quality, name)| (name, move |row: &Row| row.params.quality == quality));
    lab.note(effect(rows, "quality", &named(&qualities)));
    let alphas = ALPHAS
        .map(|alpha| (alpha, move |row: &Row| row.is_flexible() && row.params.alpha == alpha));
    lab.note(effect(rows, "α at degree 2-6", &named(&alphas)));
    lab.note(paper_alpha(rows));
    let fixed = FIXED.map(|degree| (degree, move |row: &Row| row.params.degrees == [degree; 2]));
    let flexible = |row: &Row| row.is_flexible() && row.params.alpha == 0.75;
    let mut degrees = named(&fixed);
    degrees.push(("2-6 with α = 0.75".to_owned(), &flexible));
    lab.note(effect(rows, "degree", &degrees));
    for (kind, name) in KINDS {
        let of_kind = rows.iter().filter(|row| row.params.kind == kind);
        let best = of_kind.min_by(|a, b| a.query_us().total_cmp(&b.query_us()));
        if let Some(Row { params, .. }) = best {
            let [low, high] = params.degrees;
            lab.note(format!(
                "Fastest {name}: {}, {}, degree {low}-{high}, α = {}.",
                name_of(&SPLITTERS, &params.splitter),
                name_of(&QUALITIES, &params.quality),
                params.alpha,
            ));
        }
    }
}

type Group<'a> = (String, &'a dyn Fn(&Row) -> bool);

fn named<'a, N: std::fmt::Display, F: Fn(&Row) -> bool>(groups: &'a [(N, F)]) -> Vec<Group<'a>> {
    groups.iter().map(|(name, keep)| (name.to_string(), keep as &dyn Fn(&Row) -> bool)).collect()
}
