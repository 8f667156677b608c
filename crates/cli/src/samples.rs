//! `impinge samples`: what is built in.

use crate::args::{Common, Format, SamplesArgs};
use crate::input::{self, Source};
use crate::number::{count, short};
use crate::outcome::Outcome;
use crate::output::{self, csv_field};
use crate::paint::{self, Painted};
use anyhow::{Context, Result, ensure};
use impinge_geom::pose::Pose;
use impinge_samples::{Kind, Sample, nbody};
use impinge_scene::export::Color;
use impinge_scene::units::Unit;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

const COLOR: Color = [190, 200, 210];

/// One line of `impinge samples --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "impinge samples")]
pub(crate) struct SampleLine {
    /// How it is asked for: `sample:NAME`.
    name: &'static str,
    /// `mesh` or `scene`.
    kind: &'static str,
    /// How many bodies it has.
    bodies: usize,
    /// How many faces, with the parameters as they are by default.
    faces: usize,
    /// What it is.
    about: &'static str,
    /// What can be set.
    parameters: Vec<ParameterLine>,
    /// The motions of its last part, for `--poses` and `--motions`.
    motions: &'static [&'static str],
}

/// A parameter of a sample.
#[derive(Debug, Serialize, JsonSchema)]
struct ParameterLine {
    /// The name in `name=value`.
    name: &'static str,
    /// What it means.
    about: &'static str,
    /// The value when none is given.
    default: f64,
    /// The smallest value allowed.
    min: f64,
    /// The largest value allowed.
    max: f64,
    /// Whether only whole numbers are allowed.
    whole: bool,
    /// If there are any, one of these is to be given instead of its place among them, from 0 on.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    words: &'static [&'static str],
}

impl ParameterLine {
    /// As it is set unless something else is.
    fn setting(&self) -> String {
        let word = self.words.get(self.default as usize).map(|word| (*word).to_owned());
        format!("{}={}", self.name, word.unwrap_or_else(|| short(self.default)))
    }
}

/// Runs the command.
pub(crate) fn run(args: &SamplesArgs, common: &Common) -> Result<Outcome> {
    if let (Some(name), Some(path)) = (&args.name, &args.export) {
        write(name, path)?;
        return Ok(Outcome::Done);
    }
    if let (Some(name), Some(motion)) = (&args.name, args.poses.as_ref().or(args.motions.as_ref()))
    {
        let text = motion_text(name, motion, args.motions.is_some())?;
        match &args.out {
            Some(path) => std::fs::write(path, text)
                .with_context(|| format!("cannot write {}", path.display()))?,
            None => output::print(&text)?,
        }
        return Ok(Outcome::Done);
    }
    let mut lines = Vec::new();
    for sample in impinge_samples::all() {
        if args.name.as_deref().is_none_or(|name| name == sample.name) {
            lines.push(line(sample)?);
        }
    }
    if let (Some(name), true) = (&args.name, lines.is_empty()) {
        // Its error lists the known names.
        impinge_samples::build(name)?;
    }
    let text = match common.format {
        Format::Text => text(&lines, args.name.is_some()),
        Format::Json => json(&lines)?,
        Format::Csv => csv(&lines),
    };
    output::print(&text)?;
    Ok(Outcome::Done)
}

fn line(sample: &Sample) -> Result<SampleLine> {
    let source = built(sample.name)?;
    let parameters = sample.parameters.iter().map(|p| ParameterLine {
        name: p.name,
        about: p.about,
        default: p.default,
        min: p.min,
        max: p.max,
        whole: p.whole,
        words: p.words,
    });
    Ok(SampleLine {
        name: sample.name,
        kind: match sample.kind() {
            Kind::Mesh => "mesh",
            Kind::Scene => "scene",
        },
        bodies: source.bodies.len(),
        faces: source.bodies.iter().map(|body| body.mesh.face_count()).sum(),
        about: sample.about,
        parameters: parameters.collect(),
        motions: sample.motions(),
    })
}

/// A motion of a sample, a line for each pose or for each step.
fn motion_text(name: &str, motion: &str, steps: bool) -> Result<String> {
    let sequence = impinge_samples::sequence(name, motion)?;
    let bodies = built(name)?.bodies;
    // Who checks the sample with these poses would move another part.
    let last = bodies.len() - 1;
    ensure!(
        sequence.part == last,
        "`{motion}` moves `{}`, but the last part, which a check moves, is `{}`; parameters that \
         put the first one last are needed (`impinge samples NAME` lists them)",
        bodies[sequence.part].name,
        bodies[last].name
    );
    let mut text = format!("# {}: {motion} of sample:{name}\n", bodies[last].name);
    let line = |pose: &Pose| {
        let [w, x, y, z] = pose.rotation();
        let [tx, ty, tz] = pose.translation();
        format!("{w} {x} {y} {z} {tx} {ty} {tz}")
    };
    for two in sequence.poses.windows(if steps { 2 } else { 1 }) {
        text += &two.iter().map(line).collect::<Vec<_>>().join("  ");
        text.push('\n');
    }
    Ok(text)
}

fn built(name: &str) -> Result<Source> {
    input::read(&format!("sample:{name}"))
}

fn text(lines: &[SampleLine], full: bool) -> String {
    let width = lines.iter().map(|line| line.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for line in lines {
        let faces = count(line.faces as u64);
        let _ = writeln!(
            text,
            "{:width$}  {:5}  {faces:>6} faces  {}",
            line.name, line.kind, line.about
        );
        if full {
            for p in &line.parameters {
                let setting = p.setting();
                let range = match p.words {
                    [] => format!("{} … {}", short(p.min), short(p.max)),
                    words => words.join(", "),
                };
                let _ = writeln!(text, "  {setting:16}  {} ({range})", p.about);
            }
        } else if !line.parameters.is_empty() {
            let settings: Vec<String> =
                line.parameters.iter().map(ParameterLine::setting).collect();
            let _ = writeln!(text, "{:width$}  ?{}", "", settings.join("&"));
        }
        if !line.motions.is_empty() {
            let _ = writeln!(text, "{:width$}  motions: {}", "", line.motions.join(", "));
        }
    }
    if !full {
        let kinds: Vec<&str> = nbody::Kind::ALL.iter().map(|kind| kind.name()).collect();
        let kinds = kinds.join("|");
        let _ = writeln!(text, "\nFor `impinge bench nbody`: sample:nbody?n=1000&kind={kinds}");
    }
    text
}

fn json(lines: &[SampleLine]) -> Result<String> {
    let mut text = String::new();
    for line in lines {
        text += &serde_json::to_string(line).context("a sample as JSON")?;
        text.push('\n');
    }
    Ok(text)
}

fn csv(lines: &[SampleLine]) -> String {
    let mut text = "name,kind,bodies,faces,parameters,about\n".to_owned();
    for line in lines {
        let settings: Vec<String> = line.parameters.iter().map(ParameterLine::setting).collect();
        let SampleLine { name, kind, bodies, faces, about, .. } = line;
        let settings = settings.join("&");
        let _ = writeln!(text, "{name},{kind},{bodies},{faces},{settings},{}", csv_field(about));
    }
    text
}

fn write(name: &str, path: &Path) -> Result<()> {
    let source = built(name)?;
    let unit = source.bodies[0].unit.unwrap_or(Unit::Mm);
    let shown = source.bodies.iter().map(|body| Painted {
        name: &body.name,
        mesh: &body.mesh,
        pose: body.pose,
        colors: vec![COLOR; body.mesh.triangles().len()],
    });
    paint::write(path, &shown.collect::<Vec<_>>(), unit)
}
