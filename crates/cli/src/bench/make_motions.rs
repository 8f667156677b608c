//! `impinge bench make-motions`: inputs for `impinge bench motions`.

use crate::args::bench::MakeMotionsArgs;
use crate::args::{Common, Format};
use crate::bench::pair::{ensure_spared, pair, pose_text};
use crate::number::{count, of};
use crate::outcome::Outcome;
use crate::output;
use anyhow::{Context, Result};
use impinge::narrow;
use impinge::prelude::{PosedPair, Query};
use impinge_lab::near::{Approach, motions};
use impinge_lab::poses::tally;
use schemars::JsonSchema;
use serde::Serialize;

/// The line of `impinge bench make-motions --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "impinge bench make-motions")]
pub(crate) struct MakeMotionsLine {
    /// How many motions were written.
    motions: usize,
    /// Of how many the engine says that they touch.
    touching: u64,
    /// Of how many it cannot say.
    unknown: u64,
}

/// Runs the command.
pub(crate) fn run(args: &MakeMotionsArgs, common: &Common) -> Result<Outcome> {
    ensure_spared("--out", &args.out, [&args.a, &args.b], None)?;
    let [a, b] = pair([&args.a, &args.b])?;
    let approach = Approach::of([&a, &b], args.seed);
    let mut pair = PosedPair::with(narrow::by_text(&args.engine)?, a, b)?;
    let made = motions(&mut pair, &approach, args.count, args.angle)?;
    let ends = made.iter().map(|motion| [motion.pose0(), motion.pose1()].map(pose_text));
    let text: String = ends.map(|[start, end]| format!("{start} {end}\n")).collect();
    std::fs::write(&args.out, text)
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    let tally = tally(pair.check(&made, &Query::FIRST_CONTACT), &Query::FIRST_CONTACT);
    let line =
        MakeMotionsLine { motions: made.len(), touching: tally.hits, unknown: tally.unknown };
    let shown = match common.format {
        Format::Text => {
            let unknown = match line.unknown {
                0 => String::new(),
                unknown => format!(", {} unknown", count(unknown)),
            };
            format!(
                "{}, {} of them touching{unknown}, written to {}\n",
                of(line.motions as u64, "motion"),
                count(line.touching),
                args.out.display()
            )
        }
        Format::Json => serde_json::to_string(&line)? + "\n",
        Format::Csv => {
            super::csv(&serde_json::to_value(&line)?, &["motions", "touching", "unknown"])
        }
    };
    output::print(&shown)?;
    Ok(Outcome::Done)
}
