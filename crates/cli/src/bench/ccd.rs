//! `impinge bench ccd`: labelled queries of two features that move linearly.

use crate::args::bench::CcdArgs;
use crate::args::{Common, Format};
use crate::number::{count, of, short};
use crate::outcome::Outcome;
use crate::output;
use anyhow::{Context, Result, ensure};
use impinge_geom::first_contact::linear::Ask;
use impinge_lab::ccd::{Queries, Tally, Times, Told};
use impinge_lab::poses::Passes;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// A line of `impinge bench ccd --format json`: one per file, and the last for all together.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "impinge bench ccd")]
pub(crate) struct CcdLine {
    /// The name of the file without its folder; `total` in the last line.
    file: String,
    /// How queries were answered.
    method: &'static str,
    /// How many queries.
    queries: u64,
    /// Those that were answered with a contact.
    hits: u64,
    /// Labelled contacts that were not found.
    misses: u64,
    /// Contacts whose interval begins after the true time; null if no true times are known.
    late: Option<u64>,
    /// Contacts whose interval ends before the true time; null if no true times are known.
    early: Option<u64>,
    /// Queries labelled as free that were answered with a contact.
    false_alarms: u64,
    /// The mean per query of the middle pass over all queries.
    mean_ns: f64,
    /// That of the fastest pass.
    min_ns: f64,
    /// What 99 of 100 queries do not exceed, each timed alone, at the best of its times.
    p99_ns: f64,
    /// The slowest query, timed in the same way.
    max_ns: f64,
    /// The part of the queries that needed exact arithmetic.
    exact_share: f64,
    /// Contacts in a longer interval than --tolerance.
    wide: u64,
    /// Contacts that are not proven, but could not be told from one.
    unproven: u64,
    /// The longest interval that was asked for.
    tolerance: f64,
    /// How many passes were timed.
    passes: usize,
    /// How many threads there were for a pass.
    threads: usize,
}

/// The name of the last line.
const TOTAL: &str = "total";

/// Runs the command.
pub(crate) fn run(args: &CcdArgs, common: &Common) -> Result<Outcome> {
    if let Some(answers) = &args.answers {
        let same = |file: &Path| {
            let [a, b] = [file, answers].map(|path| path.canonicalize().ok());
            a.is_some() && a == b
        };
        ensure!(
            !args.files.iter().any(|file| same(file) || same(&file.with_extension("toi"))),
            "--answers {} would write over an input",
            answers.display()
        );
    }
    let files = args.files.iter().map(|path| Queries::load(path)).collect::<Result<Vec<_>>>()?;
    let ask = Ask { tolerance: args.tolerance, ..Ask::default() };
    let method = args.method.method();
    let passes = args.repeat.map_or(Passes::Within(args.seconds), Passes::Exactly);
    let mut lines = Vec::new();
    let mut numbers = String::new();
    let mut total: Option<(Tally, Times)> = None;
    for (path, queries) in args.files.iter().zip(&files) {
        let told = queries.answer(method, &ask);
        let number = |told: &Told| told.time.map_or(1.0, |time| time[0]);
        numbers.extend(told.iter().map(|told| format!("{}\n", number(told))));
        let (tally, times) = (queries.judge(&told), queries.time(method, &ask, passes));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        lines.push(line(args, &name, queries.timed, (&tally, &times)));
        total = Some(match total {
            None => (tally, times),
            Some((tallies, all)) => (tallies.plus(&tally), all.plus(&times)),
        });
    }
    if let Some((tally, times)) = &total {
        let timed = files.iter().any(|queries| queries.timed);
        lines.push(line(args, TOTAL, timed, (tally, times)));
    }
    if let Some(path) = &args.answers {
        std::fs::write(path, numbers)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let shown = match common.format {
        Format::Text => lines.iter().map(text).collect(),
        Format::Json => {
            let json = |line: &CcdLine| Ok(serde_json::to_string(line)? + "\n");
            lines.iter().map(json).collect::<Result<String>>()?
        }
        Format::Csv => csv(&lines)?,
    };
    output::print(&shown)?;
    Ok(Outcome::Done)
}

fn line(args: &CcdArgs, file: &str, timed: bool, found: (&Tally, &Times)) -> CcdLine {
    let (tally, times) = found;
    CcdLine {
        file: file.to_owned(),
        method: args.method.method().name(),
        queries: tally.queries,
        hits: tally.hits,
        misses: tally.misses,
        late: timed.then_some(tally.late),
        early: timed.then_some(tally.early),
        false_alarms: tally.false_alarms,
        mean_ns: times.mean_ns,
        min_ns: times.min_ns,
        p99_ns: times.p99_ns(),
        max_ns: times.max_ns(),
        exact_share: tally.exact as f64 / tally.queries.max(1) as f64,
        wide: tally.wide,
        unproven: tally.unproven,
        tolerance: args.tolerance,
        passes: times.passes,
        threads: rayon::current_num_threads(),
    }
}

fn text(line: &CcdLine) -> String {
    let late = line.late.map_or("late unknown".to_owned(), |late| format!("{} late", count(late)));
    format!(
        "{}: {} of {} touch; {}, {late}, {}; {} ns per query, 99 % within {}, the slowest {}; \
         {} % by exact arithmetic\n",
        line.file,
        count(line.hits),
        of(line.queries, "query"),
        match line.misses {
            1 => "1 miss".to_owned(),
            misses => format!("{} misses", count(misses)),
        },
        of(line.false_alarms, "false alarm"),
        short(line.mean_ns),
        short(line.p99_ns),
        short(line.max_ns),
        short(100.0 * line.exact_share),
    )
}

/// A line of names and one of values for each file, in the order of the JSON.
fn csv(lines: &[CcdLine]) -> Result<String> {
    let names = [
        "file",
        "method",
        "queries",
        "hits",
        "misses",
        "late",
        "early",
        "false_alarms",
        "mean_ns",
        "min_ns",
        "p99_ns",
        "max_ns",
        "exact_share",
        "wide",
        "unproven",
        "tolerance",
        "passes",
        "threads",
    ];
    let mut text = String::new();
    for line in lines {
        let both = super::csv(&serde_json::to_value(line)?, &names);
        // The names stand over the first line only.
        text +=
            if text.is_empty() { &both } else { both.split_once('\n').map_or("", |(_, row)| row) };
    }
    Ok(text)
}
