//! `impinge bench nbody`: the broad phase on a world of moving boxes.

use crate::args::bench::NbodyArgs;
use crate::args::{Common, Format};
use crate::input;
use crate::number::{count, of, short};
use crate::outcome::Outcome;
use crate::output;
use anyhow::{Context, Result, ensure};
use impinge::broad;
use impinge::contract::answer::Progress;
use impinge_lab::nbody::{Frame, Frames, Summary, prune};
use impinge_samples::{PREFIX, nbody};
use impinge_scene::nbody::NBody;
use indicatif::ProgressBar;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// The line of `impinge bench nbody --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "impinge bench nbody")]
pub(crate) struct NbodyLine {
    /// How many bodies.
    n: usize,
    /// How many frames were timed.
    frames: usize,
    /// The overlapping pairs of all timed frames together.
    pairs: u64,
    /// The middle frame.
    median_ms: f64,
    /// The fastest frame.
    min_ms: f64,
    /// The mean of all frames.
    mean_ms: f64,
    /// The slowest frame.
    worst_ms: f64,
    /// The frame before the timed ones, in which the pruner begins without memory of another.
    first_ms: f64,
    /// How many threads the pruner could use.
    threads: usize,
    /// How pairs were found.
    pruner: String,
    /// The memory that the pruner keeps between frames.
    bytes_per_body: f64,
    /// `complete`, or `limit` if a frame had more pairs than --pair-limit.
    progress: &'static str,
}

/// Runs the command.
pub(crate) fn run(args: &NbodyArgs, common: &Common) -> Result<Outcome> {
    if let Some(answers) = &args.answers {
        input::spare([Path::new(&args.file)].into_iter(), ("--answers", answers))?;
    }
    let (line, counts) = measure(args, common, load(&args.file)?)?;
    if let Some(path) = &args.answers {
        let text: String = counts.iter().map(|pairs| format!("{pairs}\n")).collect();
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let shown = match common.format {
        Format::Text => text(&line),
        Format::Json => serde_json::to_string(&line)? + "\n",
        Format::Csv => csv(&line)?,
    };
    output::print(&shown)?;
    let complete = line.progress == COMPLETE;
    Ok(if complete { Outcome::Done } else { Outcome::Unknown })
}

const COMPLETE: &str = "complete";

fn load(file: &str) -> Result<NBody> {
    ensure!(!file.is_empty(), "FILE is an empty text; a file or `sample:nbody` is needed");
    match file.strip_prefix(PREFIX) {
        Some(sample) => Ok(nbody::build(sample)?),
        None => Ok(NBody::load(Path::new(file))?),
    }
}

/// Runs all frames; also the number of pairs of each.
fn measure(args: &NbodyArgs, common: &Common, world: NBody) -> Result<(NbodyLine, Vec<usize>)> {
    let mut pruner = broad::by_name(&args.pruner).context("pruners were checked by name")?;
    let mut frames = Frames::new(world);
    let mut pairs = Vec::new();
    let first = prune(pruner.as_mut(), frames.bounds(), &mut pairs, args.pair_limit);
    let wanted = common.format == Format::Text && !common.quiet;
    let bar = if wanted { ProgressBar::new(args.frames as u64) } else { ProgressBar::hidden() };
    let mut seen: Vec<Frame> = Vec::with_capacity(args.frames);
    for _ in 0..args.frames {
        frames.advance();
        seen.push(prune(pruner.as_mut(), frames.bounds(), &mut pairs, args.pair_limit));
        bar.inc(1);
    }
    bar.finish_and_clear();
    let summary = Summary::of(seen.iter().map(|frame| frame.time));
    let complete = seen.iter().all(|frame| frame.progress == Progress::Complete);
    let line = NbodyLine {
        n: frames.bodies(),
        frames: seen.len(),
        pairs: seen.iter().map(|frame| frame.pairs as u64).sum(),
        median_ms: summary.median_ms,
        min_ms: summary.min_ms,
        mean_ms: summary.mean_ms,
        worst_ms: summary.worst_ms,
        first_ms: first.time.as_secs_f64() * 1e3,
        threads: rayon::current_num_threads(),
        pruner: args.pruner.clone(),
        bytes_per_body: pruner.bytes() as f64 / frames.bodies() as f64,
        progress: if complete { COMPLETE } else { "limit" },
    };
    Ok((line, seen.iter().map(|frame| frame.pairs).collect()))
}

fn text(line: &NbodyLine) -> String {
    let per_frame = line.pairs as f64 / line.frames as f64;
    let note = match line.progress {
        COMPLETE => "",
        _ => "\na frame had more pairs than --pair-limit: not all were found",
    };
    format!(
        "{}, {}, pruner {}, {}\n{} ms per frame (median), {} at best, {} on average, {} at worst\n\
         {} ms for the frame before the first\n{} pairs per frame, {} in all\n\
         {} bytes of the pruner per body{note}\n",
        of(line.n as u64, "body"),
        of(line.frames as u64, "frame"),
        line.pruner,
        of(line.threads as u64, "thread"),
        short(line.median_ms),
        short(line.min_ms),
        short(line.mean_ms),
        short(line.worst_ms),
        short(line.first_ms),
        short(per_frame),
        count(line.pairs),
        short(line.bytes_per_body),
    )
}

/// A line of names and one of values, in the order of the JSON.
fn csv(line: &NbodyLine) -> Result<String> {
    let value = serde_json::to_value(line)?;
    let names = [
        "n",
        "frames",
        "pairs",
        "median_ms",
        "min_ms",
        "mean_ms",
        "worst_ms",
        "first_ms",
        "threads",
        "pruner",
        "bytes_per_body",
        "progress",
    ];
    Ok(super::csv(&value, &names))
}
