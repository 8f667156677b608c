//! How far brute force carries: whole queries against the number of faces.

use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Result, ensure};
use impinge::prelude::*;
use impinge_samples::build_mesh;
use std::hint::black_box;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "brute",
    title: "The brute-force engine against the number of faces",
    paper: None,
    about: "Two equal torus knots, hooked into each other so that they intersect, or moved a tenth \
            of their size apart: one world step for all triangle pairs, for contacts, for the \
            clearance. One core.",
    run,
};

/// Segments and sides of the knots; they have twice the product in faces.
const SIZES: [[u32; 2]; 4] = [[64, 8], [125, 20], [250, 20], [400, 50]];

fn run(lab: &mut Lab) -> Result<()> {
    let sizes = if lab.settings.quick { &SIZES[..1] } else { &SIZES[..] };
    let mut table = Table::new(&[
        ("faces each", ""),
        ("triangle pairs", ""),
        ("all pairs", "ms"),
        ("contacts", "ms"),
        ("clearance", "ms"),
    ]);
    let mut lines: [Vec<[f64; 2]>; 3] = Default::default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for [segments, sides] in sizes {
        let name = format!("torus-knot?segments={segments}&sides={sides}");
        let mut world = World::new();
        let shape = world.add_shape(build_mesh(&name)?)?;
        let faces = world.mesh(shape).map_or(0, |mesh| mesh.triangles().len());
        world.insert(Body::new(shape))?;
        let near = Pose::new([0.9, 0.1, 0.3, 0.2], [0.3, 0.2, 0.4])?;
        let other = world.insert(Body::new(shape).at(near))?;
        let report = world.step(&Query::PAIRS);
        let pairs: usize = report.hits().map(|hit| hit.triangle_pairs.len()).sum();
        ensure!(pairs > 0, "the knots should intersect");
        let mut times = [0.0; 3];
        pool.install(|| {
            times[0] = step_ms(lab, &mut world, &Query::PAIRS);
            times[1] = step_ms(lab, &mut world, &Query::CONTACTS);
        });
        world.set_pose(other, Pose::new([0.9, 0.1, 0.3, 0.2], [3.4, 0.0, 0.0])?);
        pool.install(|| times[2] = step_ms(lab, &mut world, &Query::CLEARANCE));
        ensure!(world.step(&Query::TOUCHING).hits().count() == 0, "the knots should be apart");
        lines.iter_mut().zip(times).for_each(|(line, ms)| line.push([faces as f64, ms]));
        let [all, contacts, clearance] = times.map(Cell::Real);
        table.push([
            Cell::Count(faces as u64),
            Cell::Count(pairs as u64),
            all,
            contacts,
            clearance,
        ]);
    }
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let names = ["all pairs", "contacts", "clearance"];
    let series = names.into_iter().zip(lines).map(|(name, points)| Series {
        name: name.to_owned(),
        mark: Mark::Line,
        points,
    });
    let plot = Plot {
        title: EXPERIMENT.title.to_owned(),
        x: axis("faces of each body"),
        y: axis("ms per step, one core"),
        series: series.collect(),
    };
    lab.publish(&table, Some(&plot))
}

fn step_ms(lab: &Lab, world: &mut World, query: &Query) -> f64 {
    let timing = lab.time(1, |_| {
        black_box(world.step(query).counters());
    });
    timing.min_us / 1000.0
}
