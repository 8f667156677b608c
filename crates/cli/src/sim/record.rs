//! A run as JSON lines: a head, one line per frame, and if it ended early a line that says so. Numbers
//! are written so that they come back as the same bits, and a replay compares line by line.

use super::load::Loaded;
use anyhow::{Context, Result};
use impinge_sim::prelude::{Collision, Event, Frame, Mode, Other, Plan, Simulation};
use impinge_sim::settings::{INTEGRATORS, RESPONSES};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The form of the lines below; another number means another form.
pub(super) const FORM: u32 = 1;

/// The first line.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    /// [`FORM`].
    pub(super) impinge_sim: u32,
    /// Of the program that wrote it.
    pub(super) version: String,
    /// As it was named.
    pub(super) scene: String,
    /// Of meshes, frames and poses, as [`Loaded::content`] tells.
    pub(super) content: String,
    /// As many as were asked for; an [`EndLine`] tells if the run ended before.
    pub(super) frames: usize,
    pub(super) dt: f64,
    pub(super) engine: String,
    pub(super) pruner: String,
    pub(super) integrator: String,
    pub(super) response: String,
    pub(super) dynamic: bool,
    pub(super) bodies: Vec<String>,
}

/// A line of a frame.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FrameLine {
    pub(super) frame: u64,
    pub(super) time: f64,
    /// Of each body: turn `w x y z`, place, velocity, spin.
    pub(super) bodies: Vec<[f64; 13]>,
    /// Contacts that begin or end: which, and the two bodies.
    pub(super) events: Vec<(String, usize, usize)>,
    /// Body, what it met, how fast.
    pub(super) collisions: Vec<(usize, String, f64)>,
}

/// The last line of a run that Ctrl-C ended. Without it a recording with fewer frames than its head
/// tells of was cut.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndLine {
    /// After how many frames.
    pub(super) ended: usize,
}

/// A frame while the simulation is still borrowed by its report.
pub(super) struct Recorded {
    line: FrameLine,
}

impl Recorded {
    pub(super) fn of(frame: &Frame<'_>) -> Self {
        let changed = |event: &Event| match *event {
            Event::Begin(a, b) => Some(("begin".to_owned(), a, b)),
            Event::End(a, b) => Some(("end".to_owned(), a, b)),
            Event::Stay(..) => None,
        };
        let met = |collision: &Collision| {
            let with = other(collision.with);
            (collision.body, with, collision.speed)
        };
        let line = FrameLine {
            frame: frame.number,
            time: frame.time,
            bodies: Vec::new(),
            events: frame.events.iter().filter_map(changed).collect(),
            collisions: frame.collisions.iter().map(met).collect(),
        };
        Self { line }
    }

    pub(super) fn finish(mut self, simulation: &Simulation) -> FrameLine {
        self.line.bodies.extend((0..simulation.len()).map(|i| state(simulation, i)));
        self.line
    }
}

fn state(simulation: &Simulation, i: usize) -> [f64; 13] {
    let pose = simulation.pose(i);
    let [a, b, c, d] = pose.rotation();
    let ([e, f, g], [h, j, k]) = (pose.translation(), simulation.velocity(i));
    let [l, m, n] = simulation.spin(i);
    [a, b, c, d, e, f, g, h, j, k, l, m, n]
}

fn other(with: Other) -> String {
    let axis = |k: usize| ["x", "y", "z"][k];
    match with {
        Other::Body(b) => b.to_string(),
        Other::Lower(k) => format!("wall -{}", axis(k)),
        Other::Upper(k) => format!("wall +{}", axis(k)),
    }
}

/// What a replay needs to know.
pub(super) fn head(scene: &str, loaded: &Loaded, plan: &Plan, frames: usize) -> Head {
    let settings = &plan.settings;
    Head {
        impinge_sim: FORM,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        scene: scene.to_owned(),
        content: loaded.content(),
        frames,
        dt: plan.dt,
        engine: settings.engine.clone(),
        pruner: settings.pruner.clone(),
        integrator: name(&INTEGRATORS, settings.integrator).to_owned(),
        response: name(&RESPONSES, settings.response).to_owned(),
        dynamic: settings.mode == Mode::Dynamic,
        bodies: plan.bodies.iter().map(|body| body.name.clone()).collect(),
    }
}

/// How users write a value.
pub(super) fn name<T: Copy + PartialEq>(names: &[(&'static str, T)], value: T) -> &'static str {
    names.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
}

/// A file that lines are written to.
pub(super) struct Recorder {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Recorder {
    pub(super) fn create(path: &Path, head: &Head) -> Result<Self> {
        let file = File::create(path);
        let file = file.with_context(|| format!("{}: cannot be written", path.display()))?;
        let mut recorder = Self { path: path.to_owned(), file: BufWriter::new(file) };
        recorder.write(head)?;
        Ok(recorder)
    }

    pub(super) fn write(&mut self, line: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string(line)? + "\n";
        let written = self.file.write_all(text.as_bytes());
        written.with_context(|| format!("{}: cannot be written", self.path.display()))
    }

    /// `ended` is after how many frames the run ended, if that was early.
    pub(super) fn finish(mut self, ended: Option<usize>) -> Result<()> {
        if let Some(ended) = ended {
            self.write(&EndLine { ended })?;
        }
        let flushed = self.file.flush();
        flushed.with_context(|| format!("{}: cannot be written", self.path.display()))
    }
}
