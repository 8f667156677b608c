//! Fifteen space shuttles in one room, of which two come to touch [K98 §4.2].

use super::k98_frames::{PAPER, against_paper, exact_against_boxes, race, touching};
use crate::frames::{Outcome, Run, Story};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Context, Result};
use impinge::prelude::*;
use impinge_samples::build_mesh;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "k98-shuttles",
    title: "Fifteen shuttles and two of them: face octrees among many bodies",
    paper: Some("[K98 §4.2]"),
    about: "Shuttles of 528 faces turn so near to each other that boxes always overlap, and one \
            comes nearer to another until they touch at the last cycle: microseconds per frame \
            (all pairs of faces, poses moved) of the paper's method and its variants, of `octree` \
            and of `bvh`, for all 15 and for the two alone. The fastest of 12 runs.",
    run,
};

const SHUTTLE: &str = "shuttle?faces=528";
const MANY: usize = 15;
/// The last cycle with 15 and with 2, in milliseconds on an R4400 of 150 MHz.
const PAPER_MS: [(usize, f64); 2] = [(15, 31.0), (2, 16.0)];
/// How far a shuttle turns in a cycle, in radians.
const TURN: f64 = 0.02;
/// How near the second one comes to the first in a cycle, as a part of their first distance.
const NEARER: f64 = 0.006;
const CYCLES_MAX: u32 = 160;

struct Row {
    bodies: usize,
    run: Run,
}

fn run(lab: &mut Lab) -> Result<()> {
    let mesh = Arc::new(build_mesh(SHUTTLE)?);
    let (many, spacing) = story(&mesh)?;
    // The room is five places long.
    let world = 6.0 * spacing;
    let pair = many.cycles.iter().map(|poses| poses[..2].to_vec()).collect();
    let pair = Story { meshes: vec![mesh; 2], cycles: pair };
    let mut rows = Vec::new();
    for (bodies, story) in [(MANY, &many), (2, &pair)] {
        rows.extend(race(lab, world, story)?.into_iter().map(|run| Row { bodies, run }));
    }
    conclude(lab, &rows, &many)?;
    lab.publish(&table(&rows), Some(&plot(&rows)))
}

/// All poses at a cycle, counted from 1: places of a grid, each shuttle turning about its own axis,
/// and the second one on its way to the first.
fn poses(cycle: u32, spacing: f64) -> Result<Vec<Pose>> {
    let turned = f64::from(cycle) * TURN;
    let one = |k: usize| {
        let [column, row] = [k % 5, k / 5].map(|x| x as f64);
        let mut place = [column - 2.0, row - 1.0, 0.3 * (column - 2.0 * row)].map(|x| x * spacing);
        if k == 1 {
            let first = [-2.0, -1.0, -0.0].map(|x| x * spacing);
            let part = f64::from(cycle - 1) * NEARER;
            place = std::array::from_fn(|k| place[k] + part * (first[k] - place[k]));
        }
        let half = 0.5 * (turned + k as f64);
        // Axes that differ from body to body.
        let around = 2.4 * k as f64;
        let axis = [0.8 * around.cos(), 0.8 * around.sin(), 0.6].map(|x| x * half.sin());
        let sway = 0.02 * spacing * (turned + around).sin();
        let place = [place[0], place[1], place[2] + sway];
        Pose::new([half.cos(), axis[0], axis[1], axis[2]], place).context("a rotation")
    };
    (0..MANY).map(one).collect()
}

/// The densest grid in which only the second shuttle comes to touch, and only the first one.
fn story(mesh: &Arc<Mesh>) -> Result<(Story, f64)> {
    let mut touching = touching(mesh, MANY)?;
    let wide = mesh.bounds().diagonal();
    let mut best = None;
    for step in 0..20 {
        let spacing = wide * (1.0 - 0.04 * f64::from(step));
        match until_contact(&mut touching, spacing)? {
            Some(cycles) => best = Some((cycles, spacing)),
            None => break,
        }
    }
    let (cycles, spacing) = best.context("shuttles a length apart should turn freely")?;
    Ok((Story { meshes: vec![Arc::clone(mesh); MANY], cycles }, spacing))
}

/// The cycles up to the contact of the first two; `None` if others touch before or with them.
fn until_contact(
    touching: &mut impl FnMut(&[Pose]) -> Result<u64>,
    spacing: f64,
) -> Result<Option<Vec<Vec<Pose>>>> {
    let mut cycles = Vec::new();
    for cycle in 1..=CYCLES_MAX {
        let mut all = poses(cycle, spacing)?;
        cycles.push(all.clone());
        let hits = touching(&all)?;
        if hits == 0 {
            continue;
        }
        // Far away, the second one touches nothing.
        all[1] = Pose::shift([100.0 * spacing, 0.0, 0.0]).context("far away")?;
        let theirs = hits == 1 && touching(&all)? == 0;
        return Ok((theirs && cycle > CYCLES_MAX / 4).then_some(cycles));
    }
    Ok(None)
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        ("shuttles", ""),
        ("method", ""),
        ("cycles", ""),
        ("first cycle", "µs"),
        ("median cycle", "µs"),
        ("last cycle", "µs"),
        ("face-cell tests", ""),
        ("face pairs", ""),
        ("paper", "ms"),
    ]);
    for Row { bodies, run } in rows {
        let Outcome { bound_tests, face_tests, .. } = run.last();
        let paper = PAPER_MS.iter().find(|(known, _)| known == bodies);
        let paper = paper.filter(|_| run.name == PAPER);
        let mut sorted = run.us.clone();
        sorted.sort_by(f64::total_cmp);
        table.push([
            Cell::Count(*bodies as u64),
            Cell::Text(run.name.clone()),
            Cell::Count(run.us.len() as u64),
            Cell::Real(run.us[0]),
            Cell::Real(sorted[sorted.len() / 2]),
            Cell::Real(run.last_us()),
            Cell::Count(bound_tests),
            Cell::Count(face_tests),
            paper.map_or(Cell::Missing, |(_, ms)| Cell::Real(*ms)),
        ]);
    }
    table
}

/// As Figure 8: each cycle, for all and for the two alone.
fn plot(rows: &[Row]) -> Plot {
    let shown = [PAPER, "level from faces", "octree", "bvh"];
    let rows = rows.iter().filter(|row| shown.contains(&row.run.name.as_str()));
    let series = rows.map(|Row { bodies, run }| Series {
        name: format!("{bodies}, {}", run.name),
        mark: Mark::Line,
        points: (1..).zip(&run.us).map(|(cycle, us)| [f64::from(cycle), *us]).collect(),
    });
    Plot {
        title: EXPERIMENT.title.to_owned(),
        x: Axis { label: "cycle".to_owned(), scale: Scale::Linear },
        y: Axis { label: "µs per frame, one core".to_owned(), scale: Scale::Log },
        series: series.collect(),
    }
}

fn conclude(lab: &mut Lab, rows: &[Row], many: &Story) -> Result<()> {
    let mut overlaps = Vec::new();
    let mut bodies = World::new();
    let mesh = many.meshes.first().context("there are shuttles")?;
    let shape = bodies.add_shape(Arc::clone(mesh))?;
    let ids = (0..MANY).map(|_| bodies.insert(Body::new(shape)));
    let ids: Vec<BodyId> = ids.collect::<Result<_, _>>()?;
    for poses in &many.cycles {
        ids.iter().zip(poses).for_each(|(id, pose)| _ = bodies.set_pose(*id, *pose));
        overlaps.push(bodies.step(&Query::TOUCHING).pairs().count());
    }
    let (least, most) = overlaps.iter().min().zip(overlaps.iter().max()).context("some cycles")?;
    lab.note(format!(
        "Pairs of bodies whose boxes and balls overlap, by cycle: {least} to {most}."
    ));
    let of = |bodies: usize| -> Vec<&Run> {
        rows.iter().filter(|row| row.bodies == bodies).map(|row| &row.run).collect()
    };
    let (all, two) = (of(MANY), of(2));
    lab.note(format!(
        "15 shuttles over 2, last cycle, octree of level 6: {:.2}; in the paper {:.2} (31 and 16 \
         ms).",
        all[0].last_us() / two[0].last_us(),
        31.0 / 16.0
    ));
    lab.note(format!("With 15. {}", against_paper(&all)));
    if let Some(note) = exact_against_boxes(&all) {
        lab.note(note);
    }
    Ok(())
}
