//! `impinge sim --replay`: runs a recording again and compares every bit. What was cut off a recording
//! cannot be compared, so that a part of one is not the same.

use super::record::{EndLine, FORM, FrameLine, Head, Recorded};
use super::{Waiting, choose, load};
use crate::args::sim::SimArgs;
use crate::args::{Common, Format};
use crate::outcome::Outcome;
use crate::output;
use anyhow::{Context, Result, bail, ensure};
use impinge_sim::prelude::{Mode, Plan};
use impinge_sim::settings::{INTEGRATORS, RESPONSES};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Runs the command.
pub(super) fn run(path: &Path, args: &SimArgs, common: &Common) -> Result<Outcome> {
    let shown = path.display();
    ensure!(common.format != Format::Csv, "a replay has no table; --format csv is not for it");
    let file = File::open(path).with_context(|| format!("{shown}: cannot be read"))?;
    let mut lines = BufReader::new(file).lines();
    let first = match lines.next() {
        Some(line) => line.with_context(|| format!("{shown}:1: cannot be read"))?,
        None => bail!("{shown}: the file is empty; a recording of `impinge sim` is needed"),
    };
    let head: Head = serde_json::from_str(&first)
        .with_context(|| format!("{shown}:1: no head of a recording of `impinge sim`"))?;
    let found = head.impinge_sim;
    ensure!(found == FORM, "{shown}:1: the form of the recording is {found}; {FORM} is needed");
    let plan = plan(path, &head, args)?;
    let dt = plan.dt;
    let mut simulation = plan.start().with_context(|| head.scene.clone())?;
    let waiting = Waiting::start(head.frames, !common.quiet);
    let mut frames = 0usize;
    let mut ended = None;
    for line in lines {
        if waiting.is_cancelled() {
            waiting.end();
            return gave_up([frames, head.frames], common);
        }
        let place = || format!("{shown}:{}", frames + 2);
        let line = line.with_context(|| format!("{}: cannot be read", place()))?;
        ensure!(ended.is_none(), "{}: the recording goes on behind its end", place());
        if let Ok(end) = serde_json::from_str::<EndLine>(&line) {
            ended = Some(end.ended);
            continue;
        }
        let recorded = Recorded::of(&simulation.step(dt));
        let again = recorded.finish(&simulation);
        // Equal bits have equal texts; only what differs is looked at.
        if serde_json::to_string(&again)? != line {
            let before: FrameLine = serde_json::from_str(&line)
                .with_context(|| format!("{}: no frame of a recording", place()))?;
            waiting.end();
            return differs(&difference(&before, &again, &head.bodies), frames + 1, common);
        }
        frames += 1;
        waiting.advance();
    }
    waiting.end();
    let told = ended.unwrap_or(head.frames);
    if frames != told {
        return is_cut([frames, told], ended.is_some(), common);
    }
    output::print(&match common.format {
        Format::Json => format!("{{\"same\":true,\"frames\":{frames}}}\n"),
        Format::Text | Format::Csv => format!("the same bit for bit: {frames} frames\n"),
    })?;
    Ok(Outcome::Done)
}

fn plan(path: &Path, head: &Head, args: &SimArgs) -> Result<Plan> {
    let shown = path.display();
    let scene = args.scene.as_deref().unwrap_or(&head.scene);
    let loaded = load::load(scene)?;
    let content = loaded.content();
    ensure!(
        content == head.content,
        "{shown}:1: `{scene}` is not the scene that was recorded; its meshes or poses have changed"
    );
    let mut plan = Plan::of(&loaded.scene).with_context(|| scene.to_owned())?;
    ensure!(
        head.dt.is_finite() && head.dt > 0.0,
        "{shown}:1: the time of a frame is {}; a number above 0 is needed",
        head.dt
    );
    plan.dt = head.dt;
    let settings = &mut plan.settings;
    settings.engine.clone_from(&head.engine);
    settings.pruner.clone_from(&head.pruner);
    settings.mode = if head.dynamic { Mode::Dynamic } else { Mode::Static };
    settings.integrator = known(&INTEGRATORS, &head.integrator)
        .with_context(|| format!("{shown}:1: there is no integrator `{}`", head.integrator))?;
    settings.response = known(&RESPONSES, &head.response)
        .with_context(|| format!("{shown}:1: there is no response `{}`", head.response))?;
    choose(&mut plan, args);
    Ok(plan)
}

fn known<T: Copy>(names: &[(&str, T)], wanted: &str) -> Option<T> {
    names.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value)
}

fn differs(what: &str, frame: usize, common: &Common) -> Result<Outcome> {
    output::print(&match common.format {
        Format::Json => {
            let line = serde_json::json!({ "same": false, "frame": frame, "difference": what });
            line.to_string() + "\n"
        }
        Format::Text | Format::Csv => format!("DIFFERS in frame {frame}: {what}\n"),
    })?;
    Ok(Outcome::Hit)
}

/// What is there is the same, but it is not all that there was.
fn is_cut([found, told]: [usize; 2], by_end: bool, common: &Common) -> Result<Outcome> {
    let line = if by_end { "last line" } else { "head" };
    let what = format!("its {line} tells of {told} frames, and {found} are there");
    output::print(&match common.format {
        Format::Json => {
            let what = format!("the recording is not complete: {what}");
            let line = serde_json::json!({
                "same": false, "complete": false, "frames": found, "frames_told": told,
                "difference": what,
            });
            line.to_string() + "\n"
        }
        Format::Text | Format::Csv => {
            format!("NOT COMPLETE: the recording was cut, {what}; these are the same bit for bit\n")
        }
    })?;
    Ok(Outcome::Hit)
}

/// Ctrl-C ended the replay, so that the rest is not known.
fn gave_up([done, told]: [usize; 2], common: &Common) -> Result<Outcome> {
    output::print(&match common.format {
        Format::Json => {
            format!(
                "{{\"same\":null,\"cancelled\":true,\"frames\":{done},\"frames_told\":{told}}}\n"
            )
        }
        Format::Text | Format::Csv => {
            format!("ended by Ctrl-C: {done} of {told} frames are the same bit for bit\n")
        }
    })?;
    Ok(Outcome::Unknown)
}

/// The first difference of two frames.
fn difference(before: &FrameLine, again: &FrameLine, names: &[String]) -> String {
    if before.frame != again.frame {
        return format!("it is frame {}, the recording says {}", again.frame, before.frame);
    }
    if before.bodies.len() != again.bodies.len() {
        let (now, then) = (again.bodies.len(), before.bodies.len());
        return format!("there are {now} bodies, in the recording {then}");
    }
    let what = ["turn w", "turn x", "turn y", "turn z", "place x", "place y", "place z"];
    let more = ["velocity x", "velocity y", "velocity z", "spin x", "spin y", "spin z"];
    let what = [what.as_slice(), &more].concat();
    for (i, (then, now)) in before.bodies.iter().zip(&again.bodies).enumerate() {
        if let Some(k) = (0..13).find(|&k| then[k].to_bits() != now[k].to_bits()) {
            let name = names.get(i).map_or("", String::as_str);
            return format!("`{name}` has {} {}, the recording {}", what[k], now[k], then[k]);
        }
    }
    if before.events == again.events {
        "the time or the collisions are others".to_owned()
    } else {
        format!("the events are {:?}, in the recording {:?}", again.events, before.events)
    }
}
