//! Two spheres that move towards each other and turn until they touch [K98 §4.1].

use super::k98_frames::{PAPER, against_paper, exact_against_boxes, race, touching};
use crate::frames::{Outcome, Run, Story};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table, significant};
use crate::{Experiment, Lab};
use anyhow::{Context, Result};
use impinge::prelude::*;
use impinge_samples::build_mesh;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "k98-spheres",
    title: "Two spheres until they touch: face octrees by number of faces",
    paper: Some("[K98 §4.1]"),
    about: "Two spheres of 8 to 3968 faces come nearer and turn until they touch at cycle 72: \
            microseconds per frame (all pairs of faces, poses moved) of the paper's method and \
            its variants, of `octree` and of `bvh`, beside the paper's milliseconds. The fastest \
            of 12 runs.",
    run,
};

const FACES: [u32; 14] = [8, 10, 24, 48, 54, 80, 120, 168, 224, 360, 528, 728, 960, 3968];
/// The last cycle by faces, in milliseconds on an R4400 of 150 MHz.
const PAPER_MS: [(u32, f64); 4] = [(168, 11.0), (528, 16.0), (960, 24.0), (3968, 70.0)];
const CYCLES: u32 = 72;
/// The spheres have radius 1 and begin so far apart.
const START: f64 = 4.0;
/// How far a sphere turns in a cycle, in radians.
const TURN: f64 = 0.03;
/// How deep they are in each other at the last cycle, so that faces intersect.
const DEPTH: f64 = 0.005;
/// The edge of the world cube: all is within it at all cycles.
const WORLD: f64 = 8.0;

struct Row {
    faces: u32,
    run: Run,
}

fn run(lab: &mut Lab) -> Result<()> {
    let faces = if lab.settings.quick { &FACES[6..8] } else { &FACES[..] };
    let mut rows = Vec::new();
    for &faces in faces {
        let story = story(faces)?;
        rows.extend(race(lab, WORLD, &story)?.into_iter().map(|run| Row { faces, run }));
    }
    conclude(lab, &rows);
    lab.publish(&table(&rows), Some(&by_faces(&rows)))?;
    lab.draw("-cycles", &by_cycle(&rows))
}

/// Both poses at a cycle, counted from 1, the centres `distance` apart.
fn poses(cycle: u32, distance: f64) -> Result<Vec<Pose>> {
    // Along no axis and no diagonal.
    let way = [0.8, 0.48, 0.36];
    let half = 0.5 * TURN * f64::from(cycle);
    [([0.6, 0.8, 0.0], -0.5), ([0.0, -0.6, 0.8], 0.5)]
        .map(|(axis, side): ([f64; 3], f64)| {
            let [x, y, z] = axis.map(|a| a * half.sin());
            let place: Point = way.map(|w| w * side * distance);
            Pose::new([half.cos(), x, y, z], place).context("a rotation")
        })
        .into_iter()
        .collect()
}

fn story(faces: u32) -> Result<Story> {
    let mesh = Arc::new(build_mesh(&format!("sphere?faces={faces}"))?);
    let mut touching = touching(&mesh, 2)?;
    // As they are turned at the last cycle: the largest distance at which they touch.
    let [mut near, mut far] = [0.5, 2.1];
    for _ in 0..40 {
        let middle = 0.5 * (near + far);
        let touch = touching(&poses(CYCLES, middle)?)? > 0;
        *(if touch { &mut near } else { &mut far }) = middle;
    }
    let end = near - DEPTH;
    let distance =
        |cycle: u32| START + (end - START) * f64::from(cycle - 1) / f64::from(CYCLES - 1);
    let cycles: Vec<_> =
        (1..=CYCLES).map(|cycle| poses(cycle, distance(cycle))).collect::<Result<_>>()?;
    Ok(Story { meshes: vec![Arc::clone(&mesh), mesh], cycles })
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        ("faces", ""),
        ("method", ""),
        ("cycle 1", "µs"),
        ("cycle 36", "µs"),
        ("cycle 60", "µs"),
        ("cycle 71", "µs"),
        ("cycle 72", "µs"),
        ("face-cell tests", ""),
        ("face pairs", ""),
        ("paper", "ms"),
    ]);
    for Row { faces, run } in rows {
        let Outcome { bound_tests, face_tests, .. } = run.last();
        let paper = PAPER_MS.iter().find(|(known, _)| known == faces);
        let mut cells = vec![Cell::Count(u64::from(*faces)), Cell::Text(run.name.clone())];
        cells.extend([1, 36, 60, 71, 72].map(|cycle: usize| Cell::Real(run.us[cycle - 1])));
        cells.extend([bound_tests, face_tests].map(Cell::Count));
        let paper = paper.filter(|_| run.name == PAPER);
        cells.push(paper.map_or(Cell::Missing, |(_, ms)| Cell::Real(*ms)));
        table.push(cells);
    }
    table
}

/// As Figure 7: the last cycle against the number of faces.
fn by_faces(rows: &[Row]) -> Plot {
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let mut series: Vec<Series> = Vec::new();
    for Row { faces, run } in rows {
        let point = [f64::from(*faces), run.last_us()];
        match series.iter_mut().find(|series| series.name == run.name) {
            Some(series) => series.points.push(point),
            None => {
                let name = run.name.clone();
                series.push(Series { name, mark: Mark::Line, points: vec![point] });
            }
        }
    }
    let points = PAPER_MS.map(|(faces, ms)| [f64::from(faces), 1e3 * ms]).to_vec();
    series.push(Series { name: "paper, R4400/150 MHz".to_owned(), mark: Mark::Points, points });
    Plot {
        title: "Last cycle against the number of faces".to_owned(),
        x: axis("faces of a sphere"),
        y: axis("µs per frame, one core"),
        series,
    }
}

/// As Figure 6: each cycle, the paper's method.
fn by_cycle(rows: &[Row]) -> Plot {
    let paper = |row: &&Row| {
        let shown = PAPER_MS.iter().any(|(faces, _)| *faces == row.faces);
        shown && row.run.name == PAPER
    };
    let series = rows.iter().filter(paper).map(|Row { faces, run }| Series {
        name: format!("{faces} faces"),
        mark: Mark::Line,
        points: (1..).zip(&run.us).map(|(cycle, us)| [f64::from(cycle), *us]).collect(),
    });
    Plot {
        title: "Two spheres, octree of level 6".to_owned(),
        x: Axis { label: "cycle".to_owned(), scale: Scale::Linear },
        y: Axis { label: "µs per frame, one core".to_owned(), scale: Scale::Log },
        series: series.collect(),
    }
}

fn conclude(lab: &mut Lab, rows: &[Row]) {
    let at = |faces: u32, method: &str| {
        let same = |row: &&Row| row.faces == faces && row.run.name == method;
        rows.iter().find(same).map(|row| row.run.last_us())
    };
    if let (Some(small), Some(large)) = (at(168, PAPER), at(3968, PAPER)) {
        lab.note(format!(
            "From 168 to 3968 faces the last cycle takes {:.1} times as long; in the paper {:.1} \
             times (11 to 70 ms). At 3968 faces it is {} times as fast as in the paper.",
            large / small,
            70.0 / 11.0,
            significant((70e3 / large).round()),
        ));
    }
    let largest = rows.last().map_or(0, |row| row.faces);
    let of_largest = rows.iter().filter(|row| row.faces == largest);
    let runs: Vec<&Run> = of_largest.map(|row| &row.run).collect();
    lab.note(format!("With {largest} faces. {}", against_paper(&runs)));
    if let Some(note) = exact_against_boxes(&runs) {
        lab.note(note);
    }
}
