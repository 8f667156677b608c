//! Labelled queries of two features whose corners move linearly: files of them, how methods answer,
//! and what that takes.
//!
//! A file has records of 193 bytes: 24 little-endian f64 (four corners at the start, the same four at
//! the end) and a byte, 1 if they touch. Files whose name ends in `-vf` are of a vertex and a face
//! (`v f0 f1 f2`), those in `-ee` of two edges (`a0 a1 b0 b1`). A file of the same name that ends in
//! `.toi`, if there is one, has the time of the first contact of each query as f64, NaN for none.

use crate::poses::{PASSES, Passes};
use crate::timing::{Clock, median};
use anyhow::{Context, Result, bail, ensure};
use impinge_geom::first_contact::linear::{Ask, Outcome, edge_edge, vertex_face};
use impinge_geom::first_contact::paper;
use impinge_geom::{COORDINATE_MAX, Point, flush};
use rayon::prelude::*;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The bytes of a query.
const RECORD: usize = 24 * 8 + 1;
/// Each query is timed alone so many times; the best counts.
const ALONE: usize = 9;

/// Which two features a query is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Features {
    /// A vertex and a face.
    VertexFace,
    /// Two edges.
    EdgeEdge,
}

/// Four corners on their way, and the truth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Labelled {
    /// Where they are at the start.
    pub start: [Point; 4],
    /// Where they are at the end.
    pub end: [Point; 4],
    /// Whether the features touch at some time.
    pub touches: bool,
    /// When they touch first, if that is known.
    pub time: Option<f64>,
}

/// The queries of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Queries {
    /// What all of them are about.
    pub features: Features,
    /// In the order of the file.
    pub all: Vec<Labelled>,
    /// Whether there was a file of times.
    pub timed: bool,
}

/// How queries are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// With all rounding accounted for: never late, never missed.
    Certified,
    /// As printed in a paper [E99 §4.2]: one time, without an interval and without a guarantee.
    Paper(paper::Method),
}

/// What a method tells of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told {
    /// No contact before the first, and one at or before the second; none if there is no contact.
    pub time: Option<[f64; 2]>,
    /// By how much the method lets these times be wrong.
    pub margin: f64,
    /// Whether exact arithmetic had to decide.
    pub exact: bool,
    /// Whether the interval is longer than was asked for.
    pub wide: bool,
    /// Whether a common point is proven.
    pub proven: bool,
}

/// How often a method was wrong, and what else is to be counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Queries.
    pub queries: u64,
    /// Those that were answered with a contact.
    pub hits: u64,
    /// Contacts that were not found.
    pub misses: u64,
    /// Contacts whose interval begins after the true time; counted where that is known.
    pub late: u64,
    /// Contacts whose interval ends before the true time; counted where that is known.
    pub early: u64,
    /// Free queries that were answered with a contact.
    pub false_alarms: u64,
    /// Queries that needed exact arithmetic.
    pub exact: u64,
    /// Contacts in a longer interval than was asked for.
    pub wide: u64,
    /// Contacts that are not proven, but could not be told from one.
    pub unproven: u64,
}

/// What queries took, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// The mean per query of the middle pass.
    pub mean_ns: f64,
    /// That of the fastest pass.
    pub min_ns: f64,
    /// Each query, timed alone, at its best.
    pub each_ns: Vec<f64>,
    /// How many passes were timed.
    pub passes: usize,
}

/// The files of queries whose truth is known, by name; none if IMPINGE_DATA is not set.
pub fn reference_files() -> Result<Option<Vec<PathBuf>>> {
    let Some(root) = std::env::var_os("IMPINGE_DATA") else { return Ok(None) };
    let folder = PathBuf::from(root).join("ccd/dev");
    let entries = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot read the folder {}", folder.display()))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "bin"));
    paths.sort();
    Ok(Some(paths))
}

impl Queries {
    /// Reads a file, and the times beside it.
    pub fn load(path: &Path) -> Result<Self> {
        let shown = path.display();
        let stem = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
        let features = match stem.rsplit('-').next() {
            Some("vf") => Features::VertexFace,
            Some("ee") => Features::EdgeEdge,
            _ => bail!("{shown}: the name must end in -vf.bin (vertex, face) or -ee.bin (edges)"),
        };
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {shown}"))?;
        ensure!(!bytes.is_empty(), "{shown}: there are no queries; at least one is needed");
        ensure!(
            bytes.len().is_multiple_of(RECORD),
            "{shown}: {} bytes are no whole number of queries of {RECORD} bytes",
            bytes.len()
        );
        let mut all = Vec::with_capacity(bytes.len() / RECORD);
        for (i, record) in bytes.chunks_exact(RECORD).enumerate() {
            all.push(labelled(record).with_context(|| format!("{shown}: query {i}"))?);
        }
        let times = path.with_extension("toi");
        let timed = times.is_file();
        if timed {
            let shown = times.display();
            let bytes = std::fs::read(&times).with_context(|| format!("cannot read {shown}"))?;
            let times = numbers(&bytes);
            ensure!(
                bytes.len() == 8 * all.len(),
                "{shown}: {} times for {} queries; one each is needed",
                times.len(),
                all.len()
            );
            for (query, time) in all.iter_mut().zip(times) {
                query.time = Some(time).filter(|time| !time.is_nan());
            }
        }
        Ok(Self { features, all, timed })
    }

    /// What a method tells of each query.
    pub fn answer(&self, method: Method, ask: &Ask) -> Vec<Told> {
        self.all.iter().map(|query| method.tell(self.features, query, ask)).collect()
    }

    /// How often that is wrong.
    pub fn judge(&self, told: &[Told]) -> Tally {
        let mut tally = Tally::default();
        for (query, told) in self.all.iter().zip(told) {
            tally.count(query, told);
        }
        tally
    }

    /// Times passes over all queries, and each query alone. On several threads the former are
    /// shared among them.
    pub fn time(&self, method: Method, ask: &Ask, passes: Passes) -> Times {
        let each_ns = self.each(method, ask);
        let threads = rayon::current_num_threads();
        let one = |query: &Labelled| {
            black_box(method.tell(self.features, black_box(query), ask));
        };
        let clock = Clock::for_threads(threads).start();
        let mut took: Vec<Duration> = Vec::new();
        let mut last = clock.elapsed();
        loop {
            if threads == 1 {
                self.all.iter().for_each(one);
            } else {
                self.all.par_chunks(512).for_each(|some| some.iter().for_each(one));
            }
            let now = clock.elapsed();
            took.push(now - last);
            last = now;
            let enough = match passes {
                Passes::Exactly(count) => took.len() >= count,
                Passes::Within(budget) => {
                    took.len() >= PASSES[1] || (took.len() >= PASSES[0] && now >= budget)
                }
            };
            if enough {
                break;
            }
        }
        took.sort_unstable();
        let per_query = |pass: Duration| pass.as_secs_f64() * 1e9 / self.all.len() as f64;
        let (mean_ns, min_ns) = (per_query(median(&took)), per_query(took[0]));
        Times { mean_ns, min_ns, each_ns, passes: took.len() }
    }

    /// Each query alone, less the time that looking at the clock takes.
    fn each(&self, method: Method, ask: &Ask) -> Vec<f64> {
        let timed = |query: Option<&Labelled>| {
            let start = Instant::now();
            if let Some(query) = query {
                black_box(method.tell(self.features, black_box(query), ask));
            }
            start.elapsed().as_nanos() as f64
        };
        let looking = (0..1000).map(|_| timed(black_box(None))).fold(f64::INFINITY, f64::min);
        let mut best = vec![f64::INFINITY; self.all.len()];
        for _ in 0..ALONE {
            for (best, query) in best.iter_mut().zip(&self.all) {
                *best = best.min(timed(Some(query)) - looking);
            }
        }
        best.into_iter().map(|ns| ns.max(0.0)).collect()
    }
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    let number = |eight: &[u8]| f64::from_le_bytes(eight.try_into().unwrap_or_default());
    bytes.chunks_exact(8).map(number).collect()
}

fn labelled(record: &[u8]) -> Result<Labelled> {
    let all = numbers(&record[..RECORD - 1]);
    if let Some(bad) = all.iter().find(|x| x.is_nan() || x.abs() > COORDINATE_MAX) {
        bail!("the coordinate {bad:e} is out of range; finite ones up to 2e90 are needed");
    }
    let touches = match record[RECORD - 1] {
        0 => false,
        1 => true,
        other => bail!("the label is {other}; 0 (free) or 1 (touches) is needed"),
    };
    let corner = |i: usize| [all[3 * i], all[3 * i + 1], all[3 * i + 2]].map(flush);
    let (start, end) = (std::array::from_fn(corner), std::array::from_fn(|i| corner(4 + i)));
    Ok(Labelled { start, end, touches, time: None })
}

impl Method {
    /// How it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Self::Certified => "certified",
            Self::Paper(paper::Method::RegulaFalsi) => "regula-falsi",
            Self::Paper(paper::Method::Linear) => "linear",
        }
    }

    /// What it tells of a query.
    #[inline]
    pub fn tell(self, features: Features, query: &Labelled, ask: &Ask) -> Told {
        let (start, end) = (&query.start, &query.end);
        match (self, features) {
            (Self::Certified, Features::VertexFace) => told(&vertex_face(start, end, ask)),
            (Self::Certified, Features::EdgeEdge) => told(&edge_edge(start, end, ask)),
            (Self::Paper(method), Features::VertexFace) => {
                about(method.vertex_face(start, end), ask)
            }
            (Self::Paper(method), Features::EdgeEdge) => about(method.edge_edge(start, end), ask),
        }
    }
}

#[inline]
fn told(outcome: &Outcome) -> Told {
    match outcome {
        &Outcome::Free { exact } => {
            Told { time: None, margin: 0.0, exact, wide: false, proven: true }
        }
        Outcome::Contact(contact) => Told {
            time: Some(contact.time),
            margin: 0.0,
            exact: contact.exact,
            wide: contact.wide,
            proven: contact.within == 0.0,
        },
    }
}

/// What a method says that tells one time.
#[inline]
fn about(time: Option<f64>, ask: &Ask) -> Told {
    let proven = time.is_none();
    let time = time.map(|time| [time; 2]);
    Told { time, margin: ask.tolerance, exact: false, wide: false, proven }
}

impl Tally {
    fn count(&mut self, query: &Labelled, told: &Told) {
        self.queries += 1;
        self.exact += u64::from(told.exact);
        self.wide += u64::from(told.wide);
        self.unproven += u64::from(!told.proven);
        let Some([low, high]) = told.time else {
            self.misses += u64::from(query.touches);
            return;
        };
        self.hits += 1;
        self.false_alarms += u64::from(!query.touches);
        if let Some(time) = query.time.filter(|_| query.touches) {
            self.late += u64::from(low > time + told.margin);
            // True times are rounded to f64.
            self.early += u64::from(high < time.next_down() - told.margin);
        }
    }

    /// Both together.
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            queries: self.queries + other.queries,
            hits: self.hits + other.hits,
            misses: self.misses + other.misses,
            late: self.late + other.late,
            early: self.early + other.early,
            false_alarms: self.false_alarms + other.false_alarms,
            exact: self.exact + other.exact,
            wide: self.wide + other.wide,
            unproven: self.unproven + other.unproven,
        }
    }
}

impl Times {
    /// The time that 99 of 100 queries do not exceed.
    pub fn p99_ns(&self) -> f64 {
        let mut sorted = self.each_ns.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        sorted.get((last * 99).div_ceil(100)).copied().unwrap_or(0.0)
    }

    /// The slowest query.
    pub fn max_ns(&self) -> f64 {
        self.each_ns.iter().copied().fold(0.0, f64::max)
    }

    /// Both together, as if they were one file.
    pub fn plus(&self, other: &Self) -> Self {
        let (n, m) = (self.each_ns.len() as f64, other.each_ns.len() as f64);
        let mean = |a: f64, b: f64| (a * n + b * m) / (n + m);
        Self {
            mean_ns: mean(self.mean_ns, other.mean_ns),
            min_ns: mean(self.min_ns, other.min_ns),
            each_ns: [&self.each_ns[..], &other.each_ns].concat(),
            passes: self.passes.max(other.passes),
        }
    }
}
