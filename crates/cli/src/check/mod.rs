//! `impinge check`: arguments to a plan, the plan to answers, the answers to text, JSON or CSV.

mod ask;
mod csv;
mod export;
pub(crate) mod frames;
pub(crate) mod line;
mod pictures;
pub(crate) mod places;
pub(crate) mod plan;
mod print;
mod run;
mod text;

use crate::args::check::CheckArgs;
use crate::args::{Common, Format};
use crate::outcome::Outcome;
use anyhow::Result;
use clap::Parser;
use impinge::prelude::Gap;
use pictures::Gallery;
use places::{Kind, Places};
use plan::Plan;
use print::Printer;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, common: &Common) -> Result<Outcome> {
    let plan = Plan::of(args)?;
    let queries = match (&args.poses, &args.motions) {
        (Some(path), _) => Some(Places::open(path, Kind::Poses)?),
        (None, Some(path)) => Some(Places::open(path, Kind::Motions)?),
        (None, None) => None,
    };
    let mut gallery = args.images.as_ref().map(|to| Gallery::open(to, &plan.engine)).transpose()?;
    let mut printer = Printer::new(&plan, common, queries.as_ref());
    printer.begin()?;
    let tally = run::run(&plan, queries, (&mut printer, gallery.as_mut()))?;
    printer.end(&tally.summary(&plan), &tally.before(&plan))?;
    if let Some(path) = &args.export {
        export::write(path, &plan, &tally.shown)?;
    }
    if let Some(note) = gallery.map(|gallery| gallery.end(&plan)).transpose()?.flatten() {
        eprintln!("{note}");
    }
    Ok(if tally.has_findings() {
        Outcome::Hit
    } else if tally.has_unknown() {
        Outcome::Unknown
    } else {
        Outcome::Done
    })
}

/// The arguments of the demonstration.
#[derive(Parser)]
struct Demonstration {
    #[command(flatten)]
    check: CheckArgs,
}

/// What is shown when nothing is asked for: a real check of a built-in scene. It ends well although
/// parts of that scene touch, for nobody asked whether they do.
pub(crate) fn demonstrate(common: &Common) -> Result<Outcome> {
    let scene = format!("sample:{}", impinge_samples::DEFAULT_SCENE);
    let args = Demonstration::try_parse_from(["impinge", &scene])?.check;
    let mut plan = Plan::of(&args)?;
    plan.query.gap = Gap::Measure;
    let mut printer = Printer::new(&plan, common, None);
    printer.begin()?;
    let tally = run::run(&plan, None, (&mut printer, None))?;
    printer.end(&tally.summary(&plan), &tally.before(&plan))?;
    if common.format == Format::Text && !common.quiet {
        printer.hint(&format!(
            "\nThis was the built-in sample `{}`. It is only shown, so the exit code is 0 although \
             parts of it touch.\nTry next:\n\
             \x20 impinge check A.stl B.stl     your own parts\n\
             \x20 impinge samples               what else is built in\n\
             \x20 impinge --help                all commands\n",
            impinge_samples::DEFAULT_SCENE
        ))?;
    }
    Ok(Outcome::Done)
}
