//! How well a distance is known after so many microseconds.

use crate::near::{Approach, poses};
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::Result;
use impinge::prelude::{Mesh, Pose, PosedPair};
use impinge_geom::coins::search::Refinement;
use impinge_geom::coins::{Builder, CoinTree, Couple, Placed};
use std::sync::Arc;
use std::time::Instant;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "anytime-width",
    title: "How well a distance is known after so many microseconds",
    paper: Some("[H93]"),
    about: "Meshes of 100 000 faces against themselves, near contact and with gaps of 1, 10 and 50 \
            % of the size (the diagonal of the box). The search of engine sphere-tree is looked \
            at by the clock, each pose once, beginning with nothing but the trees; the width of \
            the interval that holds the distance, as a part of the size, is the median of all \
            poses. Trees are built as the engine does (coins); for the knot also as the octree \
            of [H93], and as that octree improved by annealing. A search is given up after 20 ms: \
            where the median is not exact by then the last two columns are empty.",
    run,
};

const MESHES: [(&str, &str); 3] = [
    ("knot", "torus-knot?segments=1000&sides=50"),
    ("sphere", "sphere?faces=99856"),
    ("bumpy", "bumpy-sphere?faces=99856"),
];
/// Which trees are searched, and what they are called.
const BUILDERS: [(&str, Builder); 3] =
    [("coins", Builder::Coins), ("octree", Builder::Octree), ("annealed", Builder::Annealed)];
const GAPS: [(&str, f64); 4] = [("near", 0.0), ("1 %", 0.01), ("10 %", 0.1), ("50 %", 0.5)];
const MARKS_US: [f64; 7] = [1.0, 2.0, 5.0, 20.0, 100.0, 1000.0, 10_000.0];
/// When a search is given up.
const LAST_US: f64 = 20_000.0;
const POSES: usize = 50;
/// So many steps are done between two looks at the clock, as in the engine.
const STEPS_PER_LOOK: usize = 4;
/// Steps for which room is made beforehand.
const ROOM: usize = 1 << 14;

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let mut columns = vec![("body", ""), ("built as", ""), ("gap", ""), ("built in", "ms")];
    columns.extend([
        ("after 1 µs", "%"),
        ("2 µs", "%"),
        ("5 µs", "%"),
        ("20 µs", "%"),
        ("100 µs", "%"),
        ("1 ms", "%"),
        ("10 ms", "%"),
        ("exact after", "µs"),
        ("steps to that", ""),
    ]);
    let mut table = Table::new(&columns);
    let mut series = Vec::new();
    for (name, text) in MESHES {
        let text = if quick { "torus?segments=20&sides=8" } else { text };
        let mesh = Arc::new(impinge_samples::build_mesh(text)?);
        let mut exact = PosedPair::new(Arc::clone(&mesh), Arc::clone(&mesh))?;
        let approach = Approach::of([&mesh, &mesh], lab.settings.seed);
        let count = if quick { 4 } else { 2 * POSES };
        let all = poses(&mut exact, &approach, count)?;
        let near: Vec<&Pose> = all.iter().skip(1).step_by(2).collect();
        let builders = if name == "knot" { &BUILDERS[..] } else { &BUILDERS[..1] };
        for (way, builder) in builders {
            let start = Instant::now();
            let tree = CoinTree::build(&mesh, *builder);
            let built = start.elapsed().as_secs_f64() * 1e3;
            for (gap, share) in GAPS {
                let (widths, cells) = widths((&mesh, &tree), &near, share)?;
                let mut row: Vec<Cell> =
                    [name, way, gap].map(|text| Cell::Text(text.to_owned())).into();
                row.push(Cell::Real(built));
                row.extend(cells);
                table.push(row);
                // What is exact has no place on a logarithmic scale.
                let points = MARKS_US.iter().zip(&widths).filter(|(_, width)| **width > 1e-9);
                series.push(Series {
                    name: format!("{name}, {way}, {gap}"),
                    mark: Mark::Line,
                    points: points.map(|(us, width)| [*us, 100.0 * width]).collect(),
                });
            }
        }
    }
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let plot = Plot {
        title: "Width of the interval against time".to_owned(),
        x: axis("µs"),
        y: axis("% of the size"),
        series,
    };
    lab.publish(&table, Some(&plot))
}

/// The medians of the widths at the marks, as parts of the size; and what is told of them.
fn widths(
    (mesh, tree): (&Mesh, &CoinTree),
    near: &[&Pose],
    share: f64,
) -> Result<(Vec<f64>, Vec<Cell>)> {
    let size = size(mesh);
    // One memory for all, as the engine has it.
    let mut search = Refinement::default();
    search.reserve(ROOM);
    let courses = near.iter().map(|pose| -> Result<Course> {
        let pose = pushed(pose, share * size)?;
        let here = Placed { mesh, tree, pose: &Pose::IDENTITY };
        Ok(course(here, Placed { pose: &pose, ..here }, &mut search, size))
    });
    let courses = courses.collect::<Result<Vec<Course>>>()?;
    let widths: Vec<f64> = (0..MARKS_US.len())
        .map(|k| median(courses.iter().map(|course| course.widths[k]).collect()))
        .collect();
    let mut cells: Vec<Cell> = widths.iter().map(|&width| Cell::Real(100.0 * width)).collect();
    for ends in [|course: &Course| course.ended_us, |course: &Course| course.steps] {
        let end = median(courses.iter().map(ends).collect());
        cells.push(if end.is_finite() { Cell::Real(end) } else { Cell::Missing });
    }
    Ok((widths, cells))
}

/// The diagonal of the box.
fn size(mesh: &Mesh) -> f64 {
    let bounds = mesh.bounds();
    (0..3).map(|k| (bounds.max[k] - bounds.min[k]).powi(2)).sum::<f64>().sqrt()
}

/// Farther from the origin.
fn pushed(pose: &Pose, way: f64) -> Result<Pose> {
    let place = pose.translation();
    let length = place.iter().map(|x| x * x).sum::<f64>().sqrt();
    Ok(Pose::new(pose.rotation(), place.map(|x| x * (1.0 + way / length)))?)
}

/// How a search went.
struct Course {
    /// At the marks, as a part of the size.
    widths: [f64; MARKS_US.len()],
    /// Infinite if it was given up.
    ended_us: f64,
    steps: f64,
}

fn course(a: Placed<'_>, b: Placed<'_>, search: &mut Refinement, size: f64) -> Course {
    let mut widths = [0.0; MARKS_US.len()];
    let start = Instant::now();
    let couple = Couple::new(a, b);
    search.start(&couple, f64::INFINITY);
    let mut next = 0;
    let mut ended_us = 0.0;
    while !search.is_done() {
        // What is known when the time is over is what was known at the look before.
        let [low, high] = search.ends(&couple);
        for _ in 0..STEPS_PER_LOOK {
            search.step(&couple, usize::MAX);
        }
        ended_us = start.elapsed().as_secs_f64() * 1e6;
        while next < MARKS_US.len() && ended_us > MARKS_US[next] {
            widths[next] = (high - low) / size;
            next += 1;
        }
        if ended_us > LAST_US {
            return Course { widths, ended_us: f64::INFINITY, steps: f64::INFINITY };
        }
    }
    Course { widths, ended_us, steps: search.steps() as f64 }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
