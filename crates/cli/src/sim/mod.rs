//! `impinge sim`: bodies in motion, and what came of it.

pub(crate) mod line;
mod load;
mod record;
mod replay;
mod sound;
mod tally;
mod text;

use crate::args::sim::SimArgs;
use crate::args::{Common, Format};
use crate::outcome::Outcome;
use crate::{input, output};
use anyhow::{Context, Result};
use impinge_sim::prelude::{Frame, Plan, Simulation};
use indicatif::ProgressBar;
use line::{EventLine, SimLine, SummaryLine};
use record::Recorder;
use sound::Sound;
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tally::Tally;

/// Runs the command.
pub(crate) fn run(args: &SimArgs, common: &Common) -> Result<Outcome> {
    if let Some(path) = &args.replay {
        return replay::run(path, args, common);
    }
    let scene = args.scene.as_deref().context("a SCENE is needed")?;
    let (record, sound) = (args.record.as_deref(), args.sound.as_deref());
    input::keep_apart(("--record", record), ("--sound", sound))?;
    let loaded = load::load(scene)?;
    loaded.spare("--record", record)?;
    loaded.spare("--sound", sound)?;
    let mut plan = Plan::of(&loaded.scene).with_context(|| scene.to_owned())?;
    choose(&mut plan, args);
    let frames = args.frames.context("--frames is needed")?;
    let mut sound = match &args.sound {
        Some(path) => Some(Sound::new(path, &plan, frames)?),
        None => None,
    };
    let mut recorder = match &args.record {
        Some(path) => Some(Recorder::create(path, &record::head(scene, &loaded, &plan, frames))?),
        None => None,
    };
    let names = plan.bodies.iter().map(|body| body.name.clone()).collect();
    let mut tally = Tally::new(&plan, names);
    let dt = plan.dt;
    let mut simulation = plan.start().with_context(|| scene.to_owned())?;
    tally.begin(&simulation);
    let mut out = output::stdout();
    let waiting = Waiting::start(frames, !common.quiet);
    for _ in 0..frames {
        if waiting.is_cancelled() {
            tally.cancelled = true;
            break;
        }
        let frame = simulation.step(dt);
        tally.add(&frame);
        if args.events {
            print_events(&frame, &tally.names, &mut out)?;
        }
        if let Some(sound) = &mut sound {
            sound.add(&frame);
        }
        if let Some(recorder) = &mut recorder {
            let line = record::Recorded::of(&frame);
            recorder.write(&line.finish(&simulation))?;
        }
        waiting.advance();
    }
    waiting.end();
    if let Some(recorder) = recorder {
        recorder.finish(tally.cancelled.then_some(tally.frames))?;
    }
    if let Some(sound) = sound {
        sound.write()?;
    }
    out.flush().context(output::CANNOT_WRITE)?;
    tell(&tally, &simulation, common)?;
    Ok(Outcome::Done)
}

/// What was asked for replaces what the scene says.
fn choose(plan: &mut Plan, args: &SimArgs) {
    let settings = &mut plan.settings;
    if let Some(engine) = &args.engine {
        settings.engine.clone_from(engine);
    }
    if let Some(pruner) = &args.pruner {
        settings.pruner.clone_from(pruner);
    }
    settings.response = args.response.map_or(settings.response, Into::into);
    settings.integrator = args.integrator.map_or(settings.integrator, Into::into);
    settings.mode = args.mode.map_or(settings.mode, Into::into);
    plan.dt = args.dt.unwrap_or(plan.dt);
}

fn print_events(frame: &Frame<'_>, names: &[String], out: &mut impl Write) -> Result<()> {
    for event in frame.events {
        if let Some(line) = EventLine::of(event, frame, names) {
            serde_json::to_writer(&mut *out, &SimLine::Event(line))?;
            out.write_all(b"\n").context(output::CANNOT_WRITE)?;
        }
    }
    Ok(())
}

fn tell(tally: &Tally, simulation: &Simulation, common: &Common) -> Result<()> {
    let summary = SummaryLine::of(tally, simulation);
    output::print(&match common.format {
        Format::Text => text::summary(&summary),
        Format::Json => serde_json::to_string(&SimLine::Summary(Box::new(summary)))? + "\n",
        Format::Csv => text::csv(&summary),
    })
}

/// Somebody waits, may look at a bar, and may lose patience.
struct Waiting {
    bar: ProgressBar,
    cancelled: Arc<AtomicBool>,
}

/// The exit code of a program that Ctrl-C ended, as shells know it.
const SECOND: i32 = 130;

impl Waiting {
    fn start(frames: usize, wants_bar: bool) -> Self {
        let seen = wants_bar && std::io::stderr().is_terminal();
        let bar = if seen { ProgressBar::new(frames as u64) } else { ProgressBar::hidden() };
        let cancelled = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&cancelled);
        // If there is a handler already, or none can be had, Ctrl-C ends the program as ever.
        let _ = ctrlc::try_set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(SECOND);
            }
        });
        Self { bar, cancelled }
    }

    fn advance(&self) {
        if !self.bar.is_hidden() {
            self.bar.inc(1);
        }
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}
