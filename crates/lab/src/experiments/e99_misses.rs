//! What the paper's basic tests get wrong: misses, late and invented contacts on queries whose truth is
//! known exactly [E99 §4.2].

use crate::table::{Cell, Table};
use crate::timing::Clock;
use crate::{Experiment, Lab};
use anyhow::{Context, Result, ensure};
use impinge_geom::Point;
use impinge_geom::first_contact::paper::Method;
use std::hint::black_box;
use std::path::{Path, PathBuf};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "e99-misses",
    title: "The paper's tests of vertices and faces, edges and edges: what they get wrong",
    paper: Some("[E99 §4.2]"),
    about: "Linear interpolation and regula falsi of d(t) on the queries of $IMPINGE_DATA/ccd/dev \
            (linear motion of vertices), whose first contacts are known exactly. Late and early \
            are by more than 1e-6 of the motion.",
    run,
};

const METHODS: [(Method, &str); 2] =
    [(Method::Linear, "linear"), (Method::RegulaFalsi, "regula falsi")];
/// Four points at the start, four at the end, and a byte.
const RECORD: usize = 24 * 8 + 1;
/// Differences of times that do not count.
const TOLERANCE: f64 = 1e-6;

/// Queries of one kind and their truth.
struct Set {
    name: String,
    edges: bool,
    /// Start and end of the four points, and the time of the first contact.
    queries: Vec<([Point; 4], [Point; 4], Option<f64>)>,
}

#[derive(Default)]
struct Tally {
    hits: u64,
    misses: u64,
    late: u64,
    early: u64,
    invented: u64,
}

fn run(lab: &mut Lab) -> Result<()> {
    let mut table = Table::new(&[
        ("set", ""),
        ("method", ""),
        ("queries", ""),
        ("contacts", ""),
        ("missed", ""),
        ("late", ""),
        ("early", ""),
        ("invented", ""),
        ("mean", "ns"),
    ]);
    let sets = match std::env::var_os("IMPINGE_DATA") {
        Some(root) => read_all(&PathBuf::from(root).join("ccd/dev"))?,
        None => {
            lab.note("skipped: IMPINGE_DATA is not set");
            Vec::new()
        }
    };
    for (method, name) in METHODS {
        let mut sum = Tally::default();
        for set in &sets {
            let tally = judge(set, method);
            let mut row = vec![Cell::Text(set.name.clone()), Cell::Text(name.to_owned())];
            row.extend(tally.cells(set.queries.len()));
            row.push(Cell::Real(mean_ns(set, method, lab.settings.quick)));
            table.push(row);
            sum.add(&tally);
        }
        let queries = sets.iter().map(|set| set.queries.len()).sum();
        let mut row = vec![Cell::Text("all".to_owned()), Cell::Text(name.to_owned())];
        row.extend(sum.cells(queries));
        row.push(Cell::Missing);
        table.push(row);
    }
    lab.publish(&table, None)
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.hits += other.hits;
        self.misses += other.misses;
        self.late += other.late;
        self.early += other.early;
        self.invented += other.invented;
    }

    fn count(&mut self, truth: Option<f64>, found: Option<f64>) {
        self.hits += u64::from(truth.is_some());
        match (truth, found) {
            (Some(_), None) => self.misses += 1,
            (None, Some(_)) => self.invented += 1,
            (Some(truth), Some(found)) if found > truth + TOLERANCE => self.late += 1,
            (Some(truth), Some(found)) if found < truth - TOLERANCE => self.early += 1,
            _ => {}
        }
    }

    fn cells(&self, queries: usize) -> [Cell; 6] {
        let Self { hits, misses, late, early, invented } = *self;
        [queries as u64, hits, misses, late, early, invented].map(Cell::Count)
    }
}

fn find(set: &Set, method: Method, start: &[Point; 4], end: &[Point; 4]) -> Option<f64> {
    if set.edges { method.edge_edge(start, end) } else { method.vertex_face(start, end) }
}

fn judge(set: &Set, method: Method) -> Tally {
    let mut tally = Tally::default();
    for (start, end, truth) in &set.queries {
        tally.count(*truth, find(set, method, start, end));
    }
    tally
}

/// The mean time of a query in the fastest of some passes.
fn mean_ns(set: &Set, method: Method, quick: bool) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..if quick { 1 } else { 9 } {
        let watch = Clock::Cpu.start();
        for (start, end, _) in &set.queries {
            black_box(find(set, method, black_box(start), end));
        }
        best = best.min(watch.elapsed().as_secs_f64() * 1e9 / set.queries.len() as f64);
    }
    best
}

/// All sets of a folder, by name.
fn read_all(folder: &Path) -> Result<Vec<Set>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read the folder {}", folder.display()))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "bin"));
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Result<Set> {
    let load = |path: &Path| {
        std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let (records, times) = (load(path)?, load(&path.with_extension("toi"))?);
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let count = records.len() / RECORD;
    let whole = records.len() == count * RECORD && times.len() == count * 8;
    ensure!(whole, "{name}: {} and {} bytes are no queries", records.len(), times.len());
    let queries = records.chunks_exact(RECORD).zip(times.chunks_exact(8));
    let query = |(record, time): (&[u8], &[u8])| {
        let mut numbers = record.chunks_exact(8).map(number);
        let mut points = || [(); 4].map(|()| [(); 3].map(|()| numbers.next().unwrap_or(f64::NAN)));
        let (start, end) = (points(), points());
        let time = number(time);
        (start, end, (!time.is_nan()).then_some(time))
    };
    Ok(Set { edges: name.ends_with("-ee"), queries: queries.map(query).collect(), name })
}

fn number(bytes: &[u8]) -> f64 {
    f64::from_le_bytes(bytes.try_into().expect("chunks of eight bytes"))
}
