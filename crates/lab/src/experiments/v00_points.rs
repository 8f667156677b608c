//! Update rate against the number of points of the shell, in maps of one size and of sizes to match
//! [V00 figs. 12 and 13, table 1].

use crate::near::Random;
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::shells::{Desk, body, edge_for, longest};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::Result;
use impinge::prelude::Pose;
use impinge_geom::voxels::body::VoxelBody;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "v00-points",
    title: "Update rate against the number of points, in a map of 12 672 voxels and in maps to \
        match",
    paper: Some("[V00 figs. 12–13, table 1]"),
    about: "Shells of a body of 36 faces, every point of which is looked up in the map of an equal \
            body that it nearly coincides with, so that all points are inside the map. The map has \
            12 672 voxels, or as many as belong to the shell; beyond the paper's figures up to \
            millions of points.",
    run,
};

/// Points and rates on a Pentium of 166 MHz.
const PAPER: [(f64, f64); 12] = [
    (25.0, 618.4),
    (92.0, 261.0),
    (219.0, 173.0),
    (384.0, 73.4),
    (606.0, 58.7),
    (840.0, 41.7),
    (1150.0, 26.7),
    (1509.0, 22.5),
    (1909.0, 17.7),
    (2314.0, 13.8),
    (5321.0, 6.0),
    (9337.0, 1.0),
];
/// Beyond the paper.
const MORE: [f64; 4] = [4e4, 1.5e5, 6e5, 2.4e6];
const FIXED: f64 = 12_672.0;
const PLACES: usize = 16;

fn run(lab: &mut Lab) -> Result<()> {
    let mesh = impinge_samples::build_mesh("polytope")?;
    let fixed = body(&mesh, edge_for(&mesh, FIXED))?;
    let paper = PAPER.iter().map(|&(points, hz)| (points, Some(hz)));
    let all: Vec<(f64, Option<f64>)> = paper.chain(MORE.map(|points| (points, None))).collect();
    let all = if lab.settings.quick { &all[..4] } else { &all[..] };
    let poses = places(lab.settings.seed)?;
    let mut table = Table::new(&[
        ("points", ""),
        ("fixed map", "Hz"),
        ("per point", "ns"),
        ("map to match", "Hz"),
        ("per point in it", "ns"),
        ("its voxels", ""),
        ("paper's points", ""),
        ("paper", "Hz"),
        ("paper per point", "µs"),
    ]);
    let mut lines: [Vec<[f64; 2]>; 2] = Default::default();
    for &(wanted, paper) in all {
        let of_points = with_points(&mesh, wanted)?;
        let mut desk = Desk::default();
        let mut rate = |map: &VoxelBody| {
            lab.time(PLACES, |i| _ = desk.flat(&of_points, map, &poses[i])).min_us
        };
        let us = [rate(&fixed), rate(&of_points)];
        let points = of_points.shell().count() as f64;
        lines.iter_mut().zip(us).for_each(|(line, us)| line.push([points, 1e6 / us]));
        let voxels: u64 = of_points.map().grid().counts().iter().map(|&n| u64::from(n)).product();
        table.push([
            Cell::Count(points as u64),
            Cell::Real(1e6 / us[0]),
            Cell::Real(1e3 * us[0] / points),
            Cell::Real(1e6 / us[1]),
            Cell::Real(1e3 * us[1] / points),
            Cell::Count(voxels),
            paper.map_or(Cell::Text(String::new()), |_| Cell::Count(wanted as u64)),
            paper.map_or(Cell::Text(String::new()), Cell::Real),
            paper.map_or(Cell::Text(String::new()), |hz| Cell::Real(1e6 / hz / wanted)),
        ]);
    }
    lab.note(
        "The paper's two claims: time is proportional to the points, and does not depend on the \
         voxels of the map. Small shells pay for the start of a query, as there; large maps for \
         memory.",
    );
    let [fixed, varied] = lines;
    let paper = PAPER.iter().map(|&(points, hz)| [points, hz]).collect();
    let series = [("fixed map", fixed), ("map to match", varied), ("paper", paper)];
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let plot = Plot {
        title: "Update rate against points".to_owned(),
        x: axis("points"),
        y: axis("Hz"),
        series: series
            .map(|(name, points)| Series { name: name.to_owned(), mark: Mark::Line, points })
            .into(),
    };
    lab.publish(&table, Some(&plot))
}

/// The body in voxels of a size at which its shell has about so many points.
fn with_points(mesh: &impinge::prelude::Mesh, wanted: f64) -> Result<VoxelBody> {
    let mut size = longest(mesh) * (8.0 / wanted).sqrt();
    let mut best = body(mesh, size)?;
    // Points go with the square of the resolution, but not exactly, least so where they are few.
    for _ in 0..4 {
        let ratio = best.shell().count() as f64 / wanted;
        if (0.95..1.05).contains(&ratio) {
            break;
        }
        size *= ratio.sqrt();
        best = body(mesh, size)?;
    }
    Ok(best)
}

/// Turned in all ways and hardly moved.
fn places(seed: u64) -> Result<Vec<Pose>> {
    let mut random = Random::of([seed, 1, 0]);
    let place = |_| {
        let small: [f64; 3] = std::array::from_fn(|_| random.between([-0.02, 0.02]));
        let half = random.between([-0.05, 0.05]);
        let axis: [f64; 3] = random.on_sphere();
        let [x, y, z] = axis.map(|u| u * half);
        Ok(Pose::new([1.0, x, y, z], small)?)
    };
    (0..PLACES).map(place).collect()
}
