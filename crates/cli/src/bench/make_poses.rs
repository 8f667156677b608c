//! `impinge bench make-poses`: inputs for `impinge bench poses`.

use crate::args::bench::MakePosesArgs;
use crate::args::{Common, Format};
use crate::bench::pair::{ensure_spared, pair, pose_text};
use crate::number::{count, of};
use crate::outcome::Outcome;
use crate::output;
use anyhow::{Context, Result};
use impinge::contract::answer::Verdict;
use impinge::narrow;
use impinge::prelude::{PosedPair, Query};
use impinge_lab::near::{Approach, poses};
use schemars::JsonSchema;
use serde::Serialize;

/// The line of `impinge bench make-poses --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "impinge bench make-poses")]
pub(crate) struct MakePosesLine {
    /// How many poses were written.
    poses: usize,
    /// How many of them touch.
    touching: usize,
}

/// Runs the command.
pub(crate) fn run(args: &MakePosesArgs, common: &Common) -> Result<Outcome> {
    ensure_spared("--out", &args.out, [&args.a, &args.b], None)?;
    let [a, b] = pair([&args.a, &args.b])?;
    let approach = Approach::of([&a, &b], args.seed);
    let engine = narrow::by_text(&args.engine)?;
    let mut pair = PosedPair::with(engine, a, b)?;
    let made = poses(&mut pair, &approach, args.count)?;
    let text: String = made.iter().map(|pose| pose_text(pose) + "\n").collect();
    std::fs::write(&args.out, text)
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    let found = pair.check(&made, &Query::TOUCHING).all();
    let touching = found.iter().filter(|answer| answer.verdict != Verdict::Free).count();
    let line = MakePosesLine { poses: made.len(), touching };
    let shown = match common.format {
        Format::Text => format!(
            "{}, {} of them touching, written to {}\n",
            of(line.poses as u64, "pose"),
            count(line.touching as u64),
            args.out.display()
        ),
        Format::Json => serde_json::to_string(&line)? + "\n",
        Format::Csv => super::csv(&serde_json::to_value(&line)?, &["poses", "touching"]),
    };
    output::print(&shown)?;
    Ok(Outcome::Done)
}
