//! `impinge lab`: runs experiments.

use crate::args::{Common, Format, LabArgs};
use crate::outcome::Outcome;
use crate::output::{self, csv_field};
use anyhow::{Context, Result, ensure};
use impinge_lab::{Experiment, Settings};
use schemars::JsonSchema;
use serde::Serialize;
use std::fs;
use std::path::Path;

/// One line of `impinge lab list --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "impinge lab list")]
pub(crate) struct ExperimentLine {
    /// How it is asked for: `impinge lab NAME`.
    name: &'static str,
    /// The heading of its result.
    title: &'static str,
    /// The place in a paper that it repeats; null if there is none.
    paper: Option<&'static str>,
    /// What it measures and how.
    about: &'static str,
}

/// Runs the command.
pub(crate) fn run(args: &LabArgs, common: &Common) -> Result<Outcome> {
    if args.name == "list" {
        output::print(&list(common.format)?)?;
        return Ok(Outcome::Done);
    }
    ensure!(
        common.format == Format::Text,
        "experiments print text and write CSV to --out; --format is for `lab list`"
    );
    let known = |experiment: &Experiment| args.name == "all" || args.name == experiment.name;
    // An unknown name is refused by the lab, and should leave no folder behind.
    if impinge_lab::all().iter().any(known) {
        make_ready(&args.out)?;
    }
    let settings = Settings {
        quick: args.quick,
        out: args.out.clone(),
        threads: common.threads.unwrap_or(1),
        seed: args.seed,
    };
    impinge_lab::run(&args.name, &settings)?;
    Ok(Outcome::Done)
}

fn list(format: Format) -> Result<String> {
    let line = |experiment: &Experiment| {
        let &Experiment { name, title, paper, about, .. } = experiment;
        ExperimentLine { name, title, paper, about }
    };
    let lines = impinge_lab::all().iter().map(line);
    Ok(match format {
        Format::Text => impinge_lab::list(),
        Format::Json => {
            let lines = lines.map(|line| serde_json::to_string(&line));
            lines.collect::<Result<Vec<_>, _>>()?.join("\n") + "\n"
        }
        Format::Csv => {
            let row = |line: ExperimentLine| {
                let ExperimentLine { name, title, paper, about } = line;
                [name, title, paper.unwrap_or(""), about].map(csv_field).join(",") + "\n"
            };
            "name,title,paper,about\n".to_owned() + &lines.map(row).collect::<String>()
        }
    })
}

/// Makes sure that results can be written, so that hours of work are not lost at their end.
fn make_ready(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let trial = folder.join(format!(".trial-{}", std::process::id()));
    fs::write(&trial, "")
        .and_then(|()| fs::remove_file(&trial))
        .with_context(|| format!("cannot write to the folder {}", folder.display()))
}
