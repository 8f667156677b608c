//! What `impinge bench poses` and `motions` have in common: an engine alone, timed over all queries of
//! a file, the same figures for both.

use crate::args::bench::{ClockArg, ColdArg, TimedArgs};
use crate::bench::pair::{ensure_spared, load};
use crate::check::places::Kind;
use crate::number::{count, of, short};
use anyhow::{Context, Result};
use impinge::prelude::Query;
use impinge_lab::poses::{self, Bench, Cold, Passes, Plan};
use impinge_lab::timing::Clock;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// What is told of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Figures {
    /// Queries of a pass: the poses or motions of the file.
    pub(super) queries: usize,
    /// How many of them touch.
    pub(super) hits: u64,
    /// Intersecting triangle pairs of all queries together, if they were asked for.
    pub(super) pairs: u64,
    /// How many passes were timed.
    pub(super) passes: usize,
    /// The mean per query of the middle pass.
    pub(super) median_us: f64,
    /// The mean per query of the fastest pass.
    pub(super) min_us: f64,
    /// The slowest query, asked alone.
    pub(super) worst_query_us: f64,
    /// Preparing a mesh: the mean of the two.
    pub(super) build_ms: f64,
    /// The memory of the prepared models beyond the meshes, per triangle of both meshes.
    pub(super) bytes_per_triangle: f64,
    /// How many threads there were for the queries of a pass.
    pub(super) threads: usize,
    /// How queries were decided.
    pub(super) engine: String,
    /// Which time counted: `cpu` is that of the process, `wall` that of the wall.
    pub(super) clock: &'static str,
    /// Caches were emptied before each `pass` or `query`; `no` if they were not.
    pub(super) cold: &'static str,
    /// Queries that could not be decided.
    pub(super) unknown: u64,
}

/// The names of the figures.
pub(super) const NAMES: [&str; 14] = [
    "queries",
    "hits",
    "pairs",
    "passes",
    "median_us",
    "min_us",
    "worst_query_us",
    "build_ms",
    "bytes_per_triangle",
    "threads",
    "engine",
    "clock",
    "cold",
    "unknown",
];

/// Asks `query` of all poses or motions of a file.
pub(super) fn run(
    args: &TimedArgs,
    (places, kind): (&Path, Kind),
    query: Query,
) -> Result<Figures> {
    if let Some(answers) = &args.answers {
        ensure_spared("--answers", answers, [&args.a, &args.b], Some(places))?;
    }
    let input = load([&args.a, &args.b], places, kind)?;
    let clock = match args.clock {
        Some(ClockArg::Wall) => Clock::Wall,
        Some(ClockArg::Cpu) => Clock::Cpu,
        None => Clock::for_threads(rayon::current_num_threads()),
    };
    let mut bench = Bench::new(&args.engine, input.meshes, &input.places, clock)?;
    bench.ask(query);
    let cold = args.cold.map(|cold| match cold {
        ColdArg::Pass => Cold::Pass,
        ColdArg::Query => Cold::Query,
    });
    let passes = args.repeat.map_or(Passes::Within(args.seconds), Passes::Exactly);
    let timing = bench.time(&Plan { clock, passes, cold });
    let answers = bench.answers();
    let tally = poses::tally(answers, &query);
    if let Some(path) = &args.answers {
        let numbers = answers.all().iter().map(|answer| poses::number(answers, answer, &query));
        let text: String = numbers.map(|number| format!("{number}\n")).collect();
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(Figures {
        queries: timing.queries,
        hits: tally.hits,
        pairs: tally.pairs,
        passes: timing.passes,
        median_us: timing.median_us,
        min_us: timing.min_us,
        worst_query_us: timing.worst_query_us,
        build_ms: bench.build().as_secs_f64() * 1e3 / 2.0,
        bytes_per_triangle: bench.bytes_per_triangle(),
        threads: rayon::current_num_threads(),
        engine: args.engine.clone(),
        clock: clock.name(),
        cold: args.cold.map_or("no", ColdArg::name),
        unknown: tally.unknown,
    })
}

impl Figures {
    /// For people; `what` was asked, `one` is a query, and `more` was found.
    pub(super) fn text(&self, what: &str, one: &str, more: &str) -> String {
        let cold = match self.cold {
            "no" => String::new(),
            when => format!(", caches emptied before each {when}"),
        };
        let unknown = match self.unknown {
            0 => String::new(),
            unknown => format!(", {} unknown", count(unknown)),
        };
        let passes = match self.passes {
            1 => "1 pass".to_owned(),
            passes => format!("{passes} passes"),
        };
        format!(
            "{what}, {}, engine {}, {}, {} time{cold}\n{} µs per query (median of {passes}), {} at \
             best; the slowest query {} µs\n{} of {} touch{unknown}{more}\n{} ms to prepare a \
             mesh, {} bytes per triangle\n",
            of(self.queries as u64, one),
            self.engine,
            of(self.threads as u64, "thread"),
            self.clock,
            short(self.median_us),
            short(self.min_us),
            short(self.worst_query_us),
            count(self.hits),
            count(self.queries as u64),
            short(self.build_ms),
            short(self.bytes_per_triangle),
        )
    }
}
