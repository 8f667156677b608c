//! The summary for people, and as a table.

use super::line::SummaryLine;
use crate::number::{point, short};
use std::fmt::Write;

pub(super) fn summary(line: &SummaryLine<'_>) -> String {
    let mut text = String::new();
    let SummaryLine { frames, bodies, dt, engine, pruner, .. } = line;
    let (response, integrator, mode) = (line.response, line.integrator, line.mode);
    let ended = if line.cancelled { " (ended by Ctrl-C)" } else { "" };
    let _ = writeln!(text, "{bodies} bodies, {frames} frames of {} s{ended}", short(*dt));
    let _ = writeln!(
        text,
        "  how         engine {engine}, pruner {pruner}, {mode}, response {response}, {integrator}"
    );
    let hz = &line.hz;
    let _ = writeln!(
        text,
        "  rate        {:.0} Hz mean, {:.0} Hz median, {:.0} Hz slowest frame",
        hz.mean, hz.median, hz.worst
    );
    let us = &line.us;
    let _ = writeln!(
        text,
        "  per frame   motion {:.1} us, detection {:.1} us, response {:.1} us",
        us.motion, us.detection, us.response
    );
    let _ = writeln!(
        text,
        "  collisions  {} ({} with walls); contacts begun {}, pairs touching {:.2} on average",
        line.collisions, line.wall_collisions, line.begins, line.touching
    );
    let [start, end] = line.energy.map(short);
    let drift = line.energy_drift.map_or(String::new(), |drift| format!(", drift {drift:+.2e}"));
    let _ = writeln!(text, "  energy      {start} at the start, {end} at the end{drift}");
    let [start, end] = line.momentum.map(|momentum| point(&momentum));
    let _ = writeln!(text, "  momentum    {start} at the start, {end} at the end");
    if line.boxed > 0 {
        let count = line.boxed;
        let _ = writeln!(text, "  note        {count} bodies are not closed: mass of their boxes");
    }
    if line.halted > 0 {
        let count = line.halted;
        let _ =
            writeln!(text, "  note        {count} times a body was put to rest: too far, too fast");
    }
    if line.broken_promises > 0 {
        let count = line.broken_promises;
        let _ = writeln!(
            text,
            "  note        {count} times a body broke what was promised of its acceleration"
        );
    }
    text
}

/// One row with a head.
pub(super) fn csv(line: &SummaryLine<'_>) -> String {
    let engine = crate::output::csv_field(line.engine);
    let [start, end] = line.energy;
    let (hz, us, broken) = (&line.hz, &line.us, line.broken_promises);
    format!(
        "bodies,frames,dt,engine,pruner,response,integrator,mode,mean_hz,median_hz,worst_hz,\
         motion_us,detection_us,response_us,collisions,wall_collisions,touching,\
         energy_start,energy_end,broken_promises\n\
         {},{},{},{engine},{},{},{},{},{},{},{},{},{},{},{},{},{},{start},{end},{broken}\n",
        line.bodies,
        line.frames,
        line.dt,
        line.pruner,
        line.response,
        line.integrator,
        line.mode,
        hz.mean,
        hz.median,
        hz.worst,
        us.motion,
        us.detection,
        us.response,
        line.collisions,
        line.wall_collisions,
        line.touching,
    )
}
