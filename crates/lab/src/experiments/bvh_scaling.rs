//! Whether the cost of a query follows the contact rather than the mesh.

use super::models::{Model, near, twice};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::poses::{Bench, Passes, Plan, tally};
use crate::table::{Cell, Table};
use crate::timing::Clock;
use crate::{Experiment, Lab};
use anyhow::Result;
use impinge::narrow::bvh;
use impinge::prelude::Query;
use std::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bvh-scaling",
    title: "Queries against the number of faces",
    paper: None,
    about: "A mesh against itself at random poses near contact, with ever more faces: \
            microseconds per query for touching, and per reported pair for all pairs. One thread, \
            processor time.",
    run,
};

const FACES: [u32; 5] = [10_000, 30_000, 100_000, 250_000, 500_000];
const POSES: u64 = 1000;

struct Row {
    model: Model,
    faces: usize,
    touching_us: f64,
    pairs_us: f64,
    pairs: f64,
}

impl Row {
    fn per_pair_us(&self) -> f64 {
        self.pairs_us / self.pairs
    }
}

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let sizes = if quick { &[500, 1000] } else { &FACES[..] };
    let models = if quick { &Model::ALL[..1] } else { &Model::ALL[..] };
    let count = if quick { 10 } else { POSES };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut rows = Vec::new();
    for &model in models {
        for &faces in sizes {
            let mesh = model.mesh(faces)?;
            let poses = near(bvh::NAME, &mesh, [count, lab.settings.seed])?;
            let mut bench = Bench::new(bvh::NAME, twice(&mesh), &poses, Clock::Cpu)?;
            let passes = Passes::Within(Duration::from_secs_f64(if quick { 0.0 } else { 1.0 }));
            let plan = Plan { clock: Clock::Cpu, passes, cold: None };
            let [touching_us, pairs_us] = [Query::TOUCHING, Query::PAIRS].map(|query| {
                bench.ask(query);
                pool.install(|| bench.time(&plan)).median_us
            });
            let found = tally(bench.answers(), &Query::PAIRS).pairs;
            let pairs = found as f64 / poses.len() as f64;
            rows.push(Row { model, faces: mesh.triangles().len(), touching_us, pairs_us, pairs });
        }
    }
    conclude(lab, models, &rows);
    lab.publish(&table(&rows), Some(&plot(models, &rows)))
}

fn conclude(lab: &mut Lab, models: &[Model], rows: &[Row]) {
    for &model in models {
        let mut here = rows.iter().filter(|row| row.model == model);
        if let (Some(small), Some(large)) = (here.next(), here.next_back()) {
            lab.note(format!(
                "{}, from {} to {} faces: touching takes {:.2} times as long, a reported pair \
                 {:.2} times.",
                model.name(),
                small.faces,
                large.faces,
                large.touching_us / small.touching_us,
                large.per_pair_us() / small.per_pair_us(),
            ));
        }
    }
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        ("mesh", ""),
        ("faces", ""),
        ("touching", "µs"),
        ("pairs", "µs"),
        ("pairs per query", ""),
        ("per reported pair", "µs"),
    ]);
    for row in rows {
        table.push([
            Cell::Text(row.model.name().to_owned()),
            Cell::Count(row.faces as u64),
            Cell::Real(row.touching_us),
            Cell::Real(row.pairs_us),
            Cell::Real(row.pairs),
            Cell::Real(row.per_pair_us()),
        ]);
    }
    table
}

fn plot(models: &[Model], rows: &[Row]) -> Plot {
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    type Value = fn(&Row) -> f64;
    let values: [(&str, Value); 2] =
        [("touching", |row| row.touching_us), ("per reported pair", Row::per_pair_us)];
    let lines = values.iter().flat_map(|value| models.iter().map(move |model| (value, *model)));
    let series = lines.map(|((name, value), model)| Series {
        name: format!("{name}, {}", model.name()),
        mark: Mark::Line,
        points: rows
            .iter()
            .filter(|row| row.model == model)
            .map(|row| [row.faces as f64, value(row)])
            .collect(),
    });
    Plot {
        title: EXPERIMENT.title.to_owned(),
        x: axis("faces of each body"),
        y: axis("µs, one thread"),
        series: series.collect(),
    }
}
