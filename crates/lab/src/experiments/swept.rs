//! Everything that collides in a step of a mesh whose vertices move: times, and truth where it is known.

use crate::swept::{Score, Step, published, roll, score};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::Result;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "swept",
    title: "A deforming mesh against itself over a step: all colliding features, and the first",
    paper: None,
    about: "Frames of $IMPINGE_DATA/broadphase, whose collisions are listed, and a rolled cloth \
            whose layers are driven into each other. Boxes: pairs of features whose boxes over \
            the step overlap; judged: those that took more than a quick look. Best of several \
            frames, processor time on one thread, time by the wall on two.",
    run,
};

fn run(lab: &mut Lab) -> Result<()> {
    let mut table = Table::new(&[
        ("mesh", ""),
        ("faces", ""),
        ("threads", ""),
        ("boxes", ""),
        ("judged", ""),
        ("vertex-face", ""),
        ("edge-edge", ""),
        ("missed", ""),
        ("unlisted", ""),
        ("all", "ms"),
        ("first", "ms"),
    ]);
    let sizes: &[usize] = if lab.settings.quick { &[2000] } else { &[20_000, 100_000] };
    let mut steps: Vec<Step> = sizes.iter().map(|&faces| roll(faces)).collect();
    match published()? {
        None => lab.note("the published frames are skipped: IMPINGE_DATA is not set"),
        Some(_) if lab.settings.quick => {}
        Some(frames) => steps.extend(frames),
    }
    let frames = if lab.settings.quick { 1 } else { 15 };
    for step in &steps {
        for threads in [1, 2] {
            table.push(row(step, threads, &score(step, threads, frames)?));
        }
    }
    lab.publish(&table, None)
}

fn row(step: &Step, threads: usize, score: &Score) -> Vec<Cell> {
    let work = &score.found.work;
    let counts = [step.triangles.len() as u64, threads as u64, work.boxes, work.features];
    let found = [score.found.vertex_face.len() as u64, score.found.edge_edge.len() as u64];
    let mut row = vec![Cell::Text(step.name.clone())];
    row.extend(counts.into_iter().chain(found).map(Cell::Count));
    match &step.truth {
        Some(truth) => row.extend(score.errors(truth).map(|n| Cell::Count(n as u64))),
        None => row.extend([Cell::Missing, Cell::Missing]),
    }
    row.extend([score.all_ms, score.first_ms].map(Cell::Real));
    row
}
