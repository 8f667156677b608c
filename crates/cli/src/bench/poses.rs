//! `impinge bench poses`: one pair of meshes at many poses.

use crate::args::bench::{ClockArg, ColdArg, PosesArgs};
use crate::args::{Common, Format};
use crate::bench::pair::{ensure_spared, load};
use crate::number::{count, of, short};
use crate::outcome::Outcome;
use crate::output;
use anyhow::{Context, Result};
use impinge_lab::poses::{self, Bench, Cold, Passes, Plan};
use impinge_lab::timing::Clock;
use schemars::JsonSchema;
use serde::Serialize;

/// The line of `impinge bench poses --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "impinge bench poses")]
pub(crate) struct PosesLine {
    /// Queries of a pass: the poses of the file.
    queries: usize,
    /// How many of them touch.
    hits: u64,
    /// Intersecting triangle pairs of all queries together, if they were asked for.
    pairs: u64,
    /// How many passes were timed.
    passes: usize,
    /// The mean per query of the middle pass.
    median_us: f64,
    /// The mean per query of the fastest pass.
    min_us: f64,
    /// The slowest query, asked alone.
    worst_query_us: f64,
    /// Preparing a mesh: the mean of the two.
    build_ms: f64,
    /// The memory of the prepared models beyond the meshes, per triangle of both meshes.
    bytes_per_triangle: f64,
    /// How many threads there were for the queries of a pass.
    threads: usize,
    /// How queries were decided.
    engine: String,
    /// What was asked: `touching`, `pairs`, `contacts` or `clearance`.
    want: &'static str,
    /// Which time counted: `cpu` is that of the process, `wall` that of the wall.
    clock: &'static str,
    /// Caches were emptied before each `pass` or `query`; `no` if they were not.
    cold: &'static str,
    /// Queries that could not be decided.
    unknown: u64,
}

/// Runs the command.
pub(crate) fn run(args: &PosesArgs, common: &Common) -> Result<Outcome> {
    if let Some(answers) = &args.answers {
        ensure_spared("--answers", answers, [&args.a, &args.b], Some(&args.poses))?;
    }
    let input = load([&args.a, &args.b], &args.poses)?;
    let clock = match args.clock {
        Some(ClockArg::Wall) => Clock::Wall,
        Some(ClockArg::Cpu) => Clock::Cpu,
        None => Clock::for_threads(rayon::current_num_threads()),
    };
    let mut bench = Bench::new(&args.engine, input.meshes, &input.poses, clock)?;
    let query = args.want.query();
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
    let line = PosesLine {
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
        want: args.want.name(),
        clock: clock.name(),
        cold: args.cold.map_or("no", ColdArg::name),
        unknown: tally.unknown,
    };
    let shown = match common.format {
        Format::Text => text(&line),
        Format::Json => serde_json::to_string(&line)? + "\n",
        Format::Csv => csv(&line)?,
    };
    output::print(&shown)?;
    Ok(if line.unknown == 0 { Outcome::Done } else { Outcome::Unknown })
}

fn text(line: &PosesLine) -> String {
    let cold = match line.cold {
        "no" => String::new(),
        when => format!(", caches emptied before each {when}"),
    };
    let unknown = match line.unknown {
        0 => String::new(),
        unknown => format!(", {} unknown", count(unknown)),
    };
    format!(
        "{}, {}, engine {}, {}, {} time{cold}\n{} µs per query (median of {}), {} at best; the \
         slowest query {} µs\n{} of {} touch{unknown}; {}\n{} ms to prepare a mesh, {} bytes per \
         triangle\n",
        line.want,
        of(line.queries as u64, "pose"),
        line.engine,
        of(line.threads as u64, "thread"),
        line.clock,
        short(line.median_us),
        if line.passes == 1 { "1 pass".to_owned() } else { format!("{} passes", line.passes) },
        short(line.min_us),
        short(line.worst_query_us),
        count(line.hits),
        count(line.queries as u64),
        of(line.pairs, "triangle pair"),
        short(line.build_ms),
        short(line.bytes_per_triangle),
    )
}

/// A line of names and one of values, in the order of the JSON.
fn csv(line: &PosesLine) -> Result<String> {
    let value = serde_json::to_value(line)?;
    let names = [
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
        "want",
        "clock",
        "cold",
        "unknown",
    ];
    Ok(super::csv(&value, &names))
}
