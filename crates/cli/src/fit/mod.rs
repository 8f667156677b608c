//! `impinge fit`: whether a part gets along its path, as text, JSON or CSV.

mod certificate;
mod csv;
pub(crate) mod line;
pub(crate) mod load;
mod report;
mod text;
mod watch;

use crate::args::fit::FitArgs;
use crate::args::{Common, Format};
use crate::outcome::Outcome;
use crate::output;
use anyhow::{Result, ensure};
use impinge_fit::answer::{Answer, Verdict};
use impinge_fit::assembly::Assembly;
use impinge_fit::prepared::Prepared;
use impinge_fit::question::{Budget, Question, Watch};
use impinge_scene::units::Unit;
use line::FitLine;
use load::Loaded;
use std::path::{Path, PathBuf};
use std::time::Instant;
use watch::Waiting;

/// A check that was run.
pub(crate) struct Fitted {
    pub(crate) prepared: Prepared,
    pub(crate) answer: Answer,
    /// The unit of everything.
    pub(crate) unit: Unit,
    /// The unit that people see: that of --clearance.
    pub(crate) shown: Unit,
    /// What is wanted.
    pub(crate) clearance: Option<f64>,
    /// Nobody waited for the end.
    pub(crate) cancelled: bool,
    /// Wall time of reading, and of making trees.
    pub(crate) before_seconds: [f64; 2],
}

/// Runs the command.
pub(crate) fn run(args: &FitArgs, common: &Common) -> Result<Outcome> {
    let waiting = Waiting::start(!common.quiet);
    let fitted = answer(args, &waiting)?;
    waiting.pause();
    // The answer first: it is not lost if a file cannot be written.
    output::print(&match common.format {
        Format::Text if common.quiet => text::verdict(&fitted),
        Format::Text => text::all(&fitted),
        Format::Json => serde_json::to_string(&FitLine::of(&fitted))? + "\n",
        Format::Csv => csv::curve(&fitted),
    })?;
    if let Some(path) = &args.report {
        report::write(&fitted, &args.scene, path)?;
    }
    if let Some(path) = &args.certificate {
        certificate::write(&fitted, path, &waiting)?;
    }
    waiting.pause();
    Ok(fitted.outcome())
}

fn answer(args: &FitArgs, waiting: &Waiting) -> Result<Fitted> {
    let start = Instant::now();
    let Loaded { assembly, unit, clearance } = load::load(&args.scene, args.meshes.as_deref())?;
    let read = start.elapsed().as_secs_f64();
    spare_inputs(args, &assembly)?;
    let prepared = Prepared::new(assembly)?;
    let built = start.elapsed().as_secs_f64() - read;
    let clearance = args.clearance.map_or(clearance, |length| Some(length.to(unit)));
    let question = Question {
        clearance,
        tolerance: args.tolerance,
        budget: match args.budget {
            Some(impinge::prelude::Budget::Time(time)) => Budget::Time(time),
            Some(impinge::prelude::Budget::Work(work)) => Budget::Work(work),
            Some(impinge::prelude::Budget::Unlimited) | None => Budget::Unlimited,
        },
        samples: args.samples,
    };
    let answer = impinge_fit::run::fit(&prepared, &question, waiting);
    Ok(Fitted {
        prepared,
        answer,
        unit,
        shown: args.clearance.and_then(|length| length.unit).unwrap_or(unit),
        clearance,
        cancelled: waiting.is_cancelled(),
        before_seconds: [read, built],
    })
}

/// Refuses to write over what was read, or two files into one.
fn spare_inputs(args: &FitArgs, assembly: &Assembly) -> Result<()> {
    let scene = PathBuf::from(&args.scene);
    let meshes = assembly.bodies.iter().filter_map(|body| body.source.path.as_ref());
    let inputs: Vec<&Path> = meshes.chain([&scene]).map(PathBuf::as_path).collect();
    let written = [("--report", &args.report), ("--certificate", &args.certificate)];
    for (option, path) in written {
        if let Some(path) = path {
            crate::input::spare(inputs.iter().copied(), (option, path))?;
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let is_there = folder.is_none_or(Path::is_dir) && !path.is_dir();
            ensure!(is_there, "{option}: {} cannot be written there", path.display());
        }
    }
    let [report, certificate] = written.map(|(option, path)| (option, path.as_deref()));
    crate::input::keep_apart(report, certificate)
}

impl Fitted {
    fn outcome(&self) -> Outcome {
        match self.answer.verdict {
            Verdict::Contact => Outcome::Hit,
            Verdict::Unknown => Outcome::Unknown,
            Verdict::Free if self.answer.too_close.is_some() => Outcome::Hit,
            Verdict::Free if self.clearance_is_open() => Outcome::Unknown,
            Verdict::Free => Outcome::Done,
        }
    }

    /// Whether it is not decided if the path keeps as far off as it should.
    pub(crate) fn clearance_is_open(&self) -> bool {
        let (Some(wanted), Some(found)) = (self.clearance, &self.answer.clearance) else {
            return false;
        };
        self.answer.too_close.is_none() && found.at_least < wanted * (1.0 - CLOSE_ENOUGH)
    }
}

/// A clearance counts as kept up to this part of it.
const CLOSE_ENOUGH: f64 = 2e-9;
