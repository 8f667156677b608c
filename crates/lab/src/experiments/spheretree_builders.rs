//! How far levels of sphere trees reach beyond the surface, for each builder.

use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::Result;
use impinge_geom::coins::cover::{CoverError, Form, Ruler};
use impinge_geom::coins::{Builder, CoinTree};
use impinge_geom::mesh::Mesh;
use std::time::Instant;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "spheretree-builders",
    title: "How far levels of sphere trees reach beyond the surface",
    paper: Some("[H93]"),
    about: "Meshes of 100 000 faces. A row is a level of the octree [H93], with all spheres of that \
            depth; the other trees are cut where they have no more spheres than that, the largest \
            being opened first. Errors are distances from the surface, in % of the size (the \
            diagonal of the box), of points on the outside of the covering: those of a sphere's \
            boundary that are in no other sphere; 64 points of each of up to 1024 spheres. `coins` \
            are spheres cut by slabs, `balls` the same spheres uncut, `annealed` the octree \
            improved by simulated annealing. Build times are those of one run on all cores.",
    run,
};

const MESHES: [(&str, &str); 3] = [
    ("knot", "torus-knot?segments=1000&sides=50"),
    ("sphere", "sphere?faces=99856"),
    ("bumpy", "bumpy-sphere?faces=99856"),
];
/// After the octree: what is cut to as many spheres, and how it is measured.
const RIVALS: [(&str, Builder, Form); 3] = [
    ("coins", Builder::Coins, Form::Coins),
    ("balls", Builder::Coins, Form::Balls),
    ("annealed", Builder::Annealed, Form::Balls),
];

fn run(lab: &mut Lab) -> Result<()> {
    let mut table = Table::new(&[
        ("body", ""),
        ("spheres", ""),
        ("octree, max", "%"),
        ("octree, mean", "%"),
        ("coins, max", "%"),
        ("coins, mean", "%"),
        ("balls, max", "%"),
        ("balls, mean", "%"),
        ("annealed, max", "%"),
        ("annealed, mean", "%"),
        ("coins to octree, max", ""),
        ("coins to octree, mean", ""),
        ("balls to octree, max", ""),
        ("balls to octree, mean", ""),
        ("octree built in", "ms"),
        ("coins built in", "ms"),
        ("annealed built in", "ms"),
    ]);
    let mut series = Vec::new();
    for (name, text) in MESHES {
        let text = if lab.settings.quick { "torus?segments=20&sides=8" } else { text };
        let mesh = impinge_samples::build_mesh(text)?;
        for (label, points) in measured(&mesh, name, &mut table) {
            series.push(Series { name: format!("{name}, {label}"), mark: Mark::Line, points });
        }
    }
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log };
    let plot = Plot {
        title: "Mean error against the number of spheres".to_owned(),
        x: axis("spheres"),
        y: axis("% of the size"),
        series,
    };
    lab.publish(&table, Some(&plot))
}

/// The points of a curve, and its name.
type Curve = (&'static str, Vec<[f64; 2]>);

/// All levels of the octree, and the others at as many spheres.
fn measured(mesh: &Mesh, name: &str, table: &mut Table) -> Vec<Curve> {
    let built = |builder: Builder| {
        let start = Instant::now();
        let tree = CoinTree::build(mesh, builder);
        (tree, start.elapsed().as_secs_f64() * 1e3)
    };
    let (octree, octree_ms) = built(Builder::Octree);
    let (coins, coins_ms) = built(Builder::Coins);
    let (annealed, annealed_ms) = built(Builder::Annealed);
    let (ruler, size) = (Ruler::of(mesh), mesh.bounds().diagonal());
    let mut curves: Vec<Curve> = vec![("octree", Vec::new())];
    curves.extend(RIVALS.map(|(label, ..)| (label, Vec::new())));
    let mut level = vec![CoinTree::ROOT];
    loop {
        let mut found = vec![ruler.measure(&octree, &level, Form::Balls)];
        for (_, builder, form) in RIVALS {
            let tree = if builder == Builder::Annealed { &annealed } else { &coins };
            found.push(ruler.measure(tree, &tree.cut(level.len()), form));
        }
        for ((_, points), error) in curves.iter_mut().zip(&found) {
            // What is nothing has no place on a logarithmic scale.
            if error.seen_mean > 0.0 {
                points.push([error.count as f64, 100.0 * error.seen_mean / size]);
            }
        }
        let mut row = vec![Cell::Text(name.to_owned()), Cell::Count(level.len() as u64)];
        for error in &found {
            row.extend([error.seen_max, error.seen_mean].map(|x| Cell::Real(100.0 * x / size)));
        }
        row.extend(found[1..3].iter().flat_map(|error| ratios(error, &found[0])));
        row.extend([octree_ms, coins_ms, annealed_ms].map(Cell::Real));
        table.push(row);
        let next = octree.deeper(&level);
        if next == level {
            return curves;
        }
        level = next;
    }
}

/// Greatest and mean error, as parts of another's.
fn ratios(error: &CoverError, other: &CoverError) -> [Cell; 2] {
    [error.seen_max / other.seen_max, error.seen_mean / other.seen_mean].map(Cell::Real)
}
