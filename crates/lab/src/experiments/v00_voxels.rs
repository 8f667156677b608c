//! Update rate against the number of voxels, with shells to match [V00 fig. 11].

use crate::near::Random;
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::shells::{Desk, body, edge_for};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::Result;
use impinge::prelude::Pose;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "v00-voxels",
    title: "Update rate of a pair against the number of voxels",
    paper: Some("[V00 fig. 11]"),
    about: "Two bodies of 36 faces whose boxes overlap, at 64 places; the size of the body stays, \
            that of the voxels shrinks, and the points of the shell grow in number with them. \
            Rates of looking up every point, as in the paper, of skipping what is far, and of \
            asking only whether anything touches.",
    run,
};

/// From 20 to 200 000, as in the paper, and on to where memory is large today.
const VOXELS: [f64; 15] =
    [20.0, 50.0, 100.0, 250.0, 500.0, 1e3, 2.5e3, 5e3, 1e4, 2.5e4, 7e4, 2e5, 1e6, 5e6, 2e7];
const PLACES: usize = 64;

fn run(lab: &mut Lab) -> Result<()> {
    let mesh = impinge_samples::build_mesh("polytope")?;
    let sizes = if lab.settings.quick { &VOXELS[..4] } else { &VOXELS[..] };
    let poses = places(lab.settings.seed)?;
    let mut table = Table::new(&[
        ("voxels", ""),
        ("along the longest side", ""),
        ("points", ""),
        ("map", "KB"),
        ("every point", "Hz"),
        ("per point", "ns"),
        ("near ones", "Hz"),
        ("any", "Hz"),
    ]);
    let mut lines: [Vec<[f64; 2]>; 3] = Default::default();
    for &voxels in sizes {
        let body = body(&mesh, edge_for(&mesh, voxels))?;
        let counts = body.map().grid().counts();
        let count = counts.iter().map(|&n| f64::from(n)).product::<f64>();
        let mut desk = Desk::default();
        let flat = lab.time(PLACES, |i| _ = desk.flat(&body, &body, &poses[i])).min_us;
        let near = lab.time(PLACES, |i| _ = desk.near(&body, &body, &poses[i])).min_us;
        let any = lab.time(PLACES, |i| _ = desk.any(&body, &body, &poses[i])).min_us;
        for (line, us) in lines.iter_mut().zip([flat, near, any]) {
            line.push([count, 1e6 / us]);
        }
        let points = body.shell().count();
        table.push([
            Cell::Count(count as u64),
            Cell::Count(u64::from(counts.into_iter().max().unwrap_or(0))),
            Cell::Count(points as u64),
            Cell::Real(body.map().bytes() as f64 / 1024.0),
            Cell::Real(1e6 / flat),
            Cell::Real(1e3 * flat / points as f64),
            Cell::Real(1e6 / near),
            Cell::Real(1e6 / any),
        ]);
    }
    lab.note(
        "In the paper's plot, of 12 points from 20 to 200 000 voxels, the rate falls in inverse \
         proportion to the accuracy; the text has no figures of it.",
    );
    let names = ["every point", "near ones", "any"];
    let series = names.iter().zip(lines).map(|(name, points)| Series {
        name: (*name).to_owned(),
        mark: Mark::Line,
        points,
    });
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let plot = Plot {
        title: "Update rate of a pair".to_owned(),
        x: axis("voxels"),
        y: axis("Hz"),
        series: series.collect(),
    };
    lab.publish(&table, Some(&plot))
}

/// Places of the second body at which the boxes overlap, touching or nearly so.
fn places(seed: u64) -> Result<Vec<Pose>> {
    let mut random = Random::of([seed, 0, 0]);
    let place = |_| {
        let way = random.between([1.4, 2.0]);
        let direction: [f64; 3] = random.on_sphere();
        Ok(Pose::new(random.on_sphere::<4>(), direction.map(|x| x * way))?)
    };
    (0..PLACES).map(place).collect()
}
