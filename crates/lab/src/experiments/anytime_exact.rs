//! Engine `sphere-tree` run to the end, beside engine `bvh`.

use crate::near::{Approach, poses};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::Result;
use impinge::narrow;
use impinge::prelude::*;
use std::sync::Arc;
use std::time::Instant;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "anytime-exact",
    title: "Engine sphere-tree run to the end, beside engine bvh",
    paper: Some("[H93]"),
    about: "Meshes of 100 000 faces against themselves: poses that touch (all pairs of \
            triangles that meet), and poses near contact and with gaps of 1, 10 and 50 % \
            of the size (the exact distance). One thread; of five passes the fastest, mean \
            per pose.",
    run,
};

const MESHES: [(&str, &str); 3] = [
    ("knot", "torus-knot?segments=1000&sides=50"),
    ("sphere", "sphere?faces=99856"),
    ("bumpy", "bumpy-sphere?faces=99856"),
];
const GAPS: [(&str, f64); 4] = [("near", 0.0), ("1 %", 0.01), ("10 %", 0.1), ("50 %", 0.5)];
const POSES: usize = 30;

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let columns =
        [("body", ""), ("poses", ""), ("sphere-tree", "µs"), ("bvh", "µs"), ("ratio", "")];
    let mut table = Table::new(&columns);
    for (name, text) in MESHES {
        let text = if quick { "torus?segments=20&sides=8" } else { text };
        let mesh = Arc::new(impinge_samples::build_mesh(text)?);
        let pair = |engine: &str| {
            let engine = narrow::by_name(engine).expect("one of ours");
            PosedPair::with(engine, Arc::clone(&mesh), Arc::clone(&mesh))
        };
        let mut pairs = [pair("sphere-tree")?, pair("bvh")?];
        let approach = Approach::of([&mesh, &mesh], lab.settings.seed);
        let all = poses(&mut pairs[1], &approach, 2 * if quick { 2 } else { POSES })?;
        let bounds = mesh.bounds();
        let size = (0..3).map(|k| (bounds.max[k] - bounds.min[k]).powi(2)).sum::<f64>().sqrt();
        let hits: Vec<Pose> = all.iter().step_by(2).copied().collect();
        let mut row = |label: &str, poses: &[Pose], query: &Query| {
            let [tree, bvh] = [0, 1].map(|k| time(&mut pairs[k], poses, query));
            let mut row = vec![Cell::Text(name.to_owned()), Cell::Text(label.to_owned())];
            row.extend([tree, bvh, tree / bvh].map(Cell::Real));
            table.push(row);
        };
        row("touching, first", &hits, &Query::TOUCHING);
        row("touching, all pairs", &hits, &Query::PAIRS);
        for (gap, share) in GAPS {
            let pushed = |pose: &Pose| {
                let place = pose.translation();
                let length = place.iter().map(|x| x * x).sum::<f64>().sqrt();
                Pose::new(pose.rotation(), place.map(|x| x * (1.0 + share * size / length)))
            };
            let near = all.iter().skip(1).step_by(2).map(pushed).collect::<Result<Vec<_>, _>>()?;
            row(gap, &near, &Query::CLEARANCE);
        }
    }
    lab.publish(&table, None)
}

/// Microseconds per pose.
fn time(pair: &mut PosedPair, poses: &[Pose], query: &Query) -> f64 {
    let pass = |pair: &mut PosedPair| {
        let start = Instant::now();
        for pose in poses {
            // One at a time, so that it stays on this thread.
            pair.check(std::slice::from_ref(pose), query);
        }
        start.elapsed().as_secs_f64() * 1e6 / poses.len() as f64
    };
    (0..5).map(|_| pass(pair)).fold(f64::INFINITY, f64::min)
}
