//! What it costs to prepare a mesh: time on one and on two threads, memory.

use super::models::Model;
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::timing::Clock;
use crate::{Experiment, Lab};
use anyhow::{Context, Result};
use impinge::contract::ids::ShapeId;
use impinge::narrow::{self, bvh};
use impinge::prelude::Mesh;
use std::sync::Arc;
use std::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bvh-build",
    title: "Preparing a mesh for the engine bvh",
    paper: None,
    about: "Milliseconds (the best of several in turns) to prepare a mesh on one and on two \
            threads by the wall, on one also by processor time, which a busy machine disturbs \
            less; and the bytes per triangle that the model takes beyond the mesh.",
    run,
};

const FACES: [u32; 4] = [10_000, 30_000, 100_000, 500_000];
const TURNS: usize = 9;

struct Row {
    model: Model,
    faces: usize,
    /// By the wall, by number of threads.
    ms: [f64; 2],
    /// Processor time on one thread.
    cpu_ms: f64,
    bytes: f64,
}

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let sizes = if quick { &[500, 1000] } else { &FACES[..] };
    let turns = if quick { 1 } else { TURNS };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pools = [pool(1)?, pool(2)?];
    let mut rows = Vec::new();
    for model in Model::ALL {
        for &faces in sizes {
            let mesh = model.mesh(faces)?;
            let mut best = [[Duration::MAX; 2]; 2];
            let mut bytes = 0;
            for _ in 0..turns {
                for (pool, best) in pools.iter().zip(&mut best) {
                    let (times, model_bytes) = pool.install(|| prepare(&mesh))?;
                    *best = [0, 1].map(|k| times[k].min(best[k]));
                    bytes = model_bytes;
                }
            }
            let faces = mesh.triangles().len();
            let [[one, cpu_ms], [two, _]] =
                best.map(|times| times.map(|time| time.as_secs_f64() * 1e3));
            let bytes = bytes as f64 / faces as f64;
            rows.push(Row { model, faces, ms: [one, two], cpu_ms, bytes });
        }
    }
    let largest = |of: fn(&Row) -> f64| rows.iter().map(of).fold(0.0, f64::max);
    let (ms, bytes) = (largest(|row| row.ms[1]), largest(|row| row.bytes));
    lab.note(format!("At most {ms:.0} ms on two threads, and {bytes:.1} bytes per triangle."));
    lab.publish(&table(&rows), Some(&plot(&rows)))
}

/// The time by the wall and by the processor, and the memory.
fn prepare(mesh: &Arc<Mesh>) -> Result<([Duration; 2], usize)> {
    let mut engine = narrow::by_name(bvh::NAME).context("engines are named from their list")?;
    let watches = [Clock::Wall, Clock::Cpu].map(Clock::start);
    engine.prepare(ShapeId(0), mesh)?;
    Ok((watches.map(|watch| watch.elapsed()), engine.bytes()))
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        ("mesh", ""),
        ("faces", ""),
        ("1 thread", "ms"),
        ("processor time", "ms"),
        ("2 threads", "ms"),
        ("speed-up", ""),
        ("memory per triangle", "bytes"),
    ]);
    for row in rows {
        table.push([
            Cell::Text(row.model.name().to_owned()),
            Cell::Count(row.faces as u64),
            Cell::Real(row.ms[0]),
            Cell::Real(row.cpu_ms),
            Cell::Real(row.ms[1]),
            Cell::Real(row.ms[0] / row.ms[1]),
            Cell::Real(row.bytes),
        ]);
    }
    table
}

fn plot(rows: &[Row]) -> Plot {
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let lines = [0, 1].into_iter().flat_map(|k| Model::ALL.map(|model| (k, model)));
    let series = lines.map(|(k, model)| Series {
        name: format!("{}, {} thread{}", model.name(), k + 1, if k == 0 { "" } else { "s" }),
        mark: Mark::Line,
        points: rows
            .iter()
            .filter(|row| row.model == model)
            .map(|row| [row.faces as f64, row.ms[k]])
            .collect(),
    });
    Plot {
        title: EXPERIMENT.title.to_owned(),
        x: axis("faces"),
        y: axis("ms"),
        series: series.collect(),
    }
}
