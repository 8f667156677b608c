//! `impinge bench deform`: every vertex moves every frame, and all pairs of faces are found.

use crate::args::bench::{ClockArg, DeformArgs};
use crate::args::{Common, Format};
use crate::bench::pair::{ensure_spared, one_mesh, pair};
use crate::number::{count, of, short};
use crate::outcome::Outcome;
use crate::output;
use anyhow::{Context, Result, ensure};
use impinge_lab::deform::{Bench, Frame, PERIOD, Plan};
use impinge_lab::nbody::Summary;
use impinge_lab::timing::Clock;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;

/// The line of `impinge bench deform --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "impinge bench deform")]
pub(crate) struct DeformLine {
    /// How many faces, of all bodies together.
    n: usize,
    /// How many frames were timed.
    frames: usize,
    /// The pairs of faces of all timed frames together.
    pairs: u64,
    /// The middle frame.
    median_ms: f64,
    /// The fastest frame.
    min_ms: f64,
    /// The mean of all frames.
    mean_ms: f64,
    /// The slowest frame.
    worst_ms: f64,
    /// Reading all vertices and faces once, at best.
    stream_ms: f64,
    /// How many threads there were.
    threads: usize,
    /// How pairs were found.
    engine: String,
    /// Which time counted: `cpu` is that of the process, `wall` that of the wall.
    clock: &'static str,
    /// `complete`, or `limit` if a frame was not decided.
    progress: &'static str,
}

const NAMES: [&str; 12] = [
    "n",
    "frames",
    "pairs",
    "median_ms",
    "min_ms",
    "mean_ms",
    "worst_ms",
    "stream_ms",
    "threads",
    "engine",
    "clock",
    "progress",
];

/// Runs the command.
pub(crate) fn run(args: &DeformArgs, common: &Common) -> Result<Outcome> {
    let (line, counts) = measure(args)?;
    if let Some(path) = &args.answers {
        let text: String = counts.iter().map(|pairs| format!("{pairs}\n")).collect();
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let shown = match common.format {
        Format::Text => text(&line),
        Format::Json => serde_json::to_string(&line)? + "\n",
        Format::Csv => super::csv(&serde_json::to_value(&line)?, &NAMES),
    };
    output::print(&shown)?;
    Ok(if line.progress == COMPLETE { Outcome::Done } else { Outcome::Unknown })
}

const COMPLETE: &str = "complete";

/// Runs all frames; also the number of pairs of each.
fn measure(args: &DeformArgs) -> Result<(DeformLine, Vec<u64>)> {
    let second = args.b.as_deref();
    if let Some(answers) = &args.answers {
        ensure_spared("--answers", answers, [&args.a, second.unwrap_or(&args.a)], None)?;
    }
    ensure!(
        second.is_some() || args.itself,
        "one mesh alone meets nothing; a second mesh is needed, or --self"
    );
    let meshes = match second {
        Some(second) => pair([&args.a, second])?.to_vec(),
        None => vec![one_mesh(&args.a)?],
    };
    let clock = match args.clock {
        Some(ClockArg::Wall) => Clock::Wall,
        Some(ClockArg::Cpu) => Clock::Cpu,
        None => Clock::for_threads(rayon::current_num_threads()),
    };
    let plan = Plan { engine: args.engine.clone(), itself: args.itself, clock };
    let mut bench = Bench::new(meshes, args.offset, plan)?;
    // Once through all places, so that every buffer has the size it needs.
    for frame in 0..PERIOD {
        bench.frame(frame)?;
    }
    let seen = (0..args.frames).map(|frame| bench.frame(frame)).collect::<Result<Vec<Frame>>>()?;
    let stream = (0..args.frames.max(PERIOD)).map(|frame| bench.stream(frame)).min();
    let summary = Summary::of(seen.iter().map(|frame| frame.time));
    let line = DeformLine {
        n: bench.faces(),
        frames: seen.len(),
        pairs: seen.iter().map(|frame| frame.pairs).sum(),
        median_ms: summary.median_ms,
        min_ms: summary.min_ms,
        mean_ms: summary.mean_ms,
        worst_ms: summary.worst_ms,
        stream_ms: stream.unwrap_or(Duration::ZERO).as_secs_f64() * 1e3,
        threads: rayon::current_num_threads(),
        engine: args.engine.clone(),
        clock: clock.name(),
        progress: if seen.iter().all(|frame| frame.complete) { COMPLETE } else { "limit" },
    };
    Ok((line, seen.iter().map(|frame| frame.pairs).collect()))
}

fn text(line: &DeformLine) -> String {
    let note = if line.progress == COMPLETE { "" } else { "\na frame was not decided" };
    format!(
        "{}, {}, engine {}, {}, {} time\n{} ms per frame (median), {} at best, {} on average, \
         {} at worst\n{} ms to read all vertices and faces once\n{} pairs of faces per frame, \
         {} in all{note}\n",
        of(line.n as u64, "face"),
        of(line.frames as u64, "frame"),
        line.engine,
        of(line.threads as u64, "thread"),
        line.clock,
        short(line.median_ms),
        short(line.min_ms),
        short(line.mean_ms),
        short(line.worst_ms),
        short(line.stream_ms),
        short(line.pairs as f64 / line.frames as f64),
        count(line.pairs),
    )
}
