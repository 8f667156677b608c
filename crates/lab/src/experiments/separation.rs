//! Translations that part bodies: how near they come to the shortest, and what they cost.

use super::pairs::Random;
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Result, ensure};
use glam::DVec3;
use impinge::prelude::*;
use impinge_geom::penetration::Pair;
use impinge_geom::penetration::outline::Outline;
use impinge_samples::build_mesh;
use std::hint::black_box;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "separation",
    title: "Parting bodies that overlap",
    paper: None,
    about: "Pairs in random poses that overlap: the length of the translation found against the \
            optimum (over all face normals and products of edges, where bodies are convex and \
            small), how often it is proven to be within a tenth, and the time for the way out of \
            the hulls and for the whole answer. One core.",
    run,
};

/// A kind of pairs: two samples, and how far apart their centres may be drawn.
struct Kind {
    name: &'static str,
    bodies: [&'static str; 2],
    spread: f64,
    /// Small and convex enough for all its directions to be tried.
    exhaustive: bool,
    pairs: usize,
}

const fn kind(name: &'static str, bodies: [&'static str; 2], spread: f64) -> Kind {
    Kind { name, bodies, spread, exhaustive: true, pairs: 500 }
}

const KINDS: [Kind; 9] = [
    kind("boxes", ["box", "box?x=2&y=0.5&z=0.1"], 0.7),
    kind("polytopes, 36 faces", ["polytope", "polytope?seed=7"], 1.0),
    kind("box in box", ["box?x=8&y=9&z=10", "box"], 2.0),
    Kind { pairs: 100, ..kind("spheres, 120 faces", ["sphere?faces=120"; 2], 1.0) },
    Kind { pairs: 100, ..kind("cylinder and cone", ["cylinder", "cone"], 0.7) },
    large("spheres, 10 000 faces", ["sphere?faces=10000"; 2], 1.0),
    large("the same, one centre", ["sphere?faces=10000"; 2], 1e-3),
    large("tori", ["torus?segments=48&sides=16"; 2], 1.0),
    large("knots, 1000 faces", ["torus-knot?segments=50&sides=10"; 2], 1.0),
];

const fn large(name: &'static str, bodies: [&'static str; 2], spread: f64) -> Kind {
    Kind { name, bodies, spread, exhaustive: false, pairs: 20 }
}

fn run(lab: &mut Lab) -> Result<()> {
    let mut table = Table::new(&[
        ("bodies", ""),
        ("pairs", ""),
        ("ratio, mean", ""),
        ("ratio, max", ""),
        ("proven", "%"),
        ("bound, mean", "of depth"),
        ("prepare", "ms"),
        ("hulls", "µs"),
        ("whole", "µs"),
    ]);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for kind in &KINDS {
        table.push(pool.install(|| measure(lab, kind))?);
    }
    lab.note("Every translation was checked to be free by the engine, as part of the answer.");
    lab.publish(&table, None)
}

fn measure(lab: &Lab, kind: &Kind) -> Result<Vec<Cell>> {
    let meshes = kind.bodies.map(build_mesh);
    let [first, second] = meshes;
    let meshes = [Arc::new(first?), Arc::new(second?)];
    let mut world = World::new();
    let shapes = [world.add_shape(meshes[0].clone())?, world.add_shape(meshes[1].clone())?];
    let bodies = [world.insert(Body::new(shapes[0]))?, world.insert(Body::new(shapes[1]))?];
    let outlines = [Outline::of(&meshes[0]), Outline::of(&meshes[1])];
    let prepare = lab.time(1, |_| drop(black_box(Outline::of(&meshes[0])))).min_us / 1e3;
    let count = if lab.settings.quick { 3 } else { kind.pairs };
    let mut random = Random(lab.settings.seed);
    let (mut poses, mut found) = (Vec::new(), Vec::new());
    let mut ratios = Vec::new();
    while poses.len() < count {
        let pair = [random.placed(0.0), random.placed(kind.spread)];
        place(&mut world, bodies, &pair);
        let Some(separation) = world.separation(bodies[0], bodies[1]) else { continue };
        if kind.exhaustive {
            let best = optimum([(&meshes[0], &pair[0]), (&meshes[1], &pair[1])]);
            let least = best + 8.0 * separation.rounding;
            ensure!(separation.at_least <= least, "the bound of {pair:?} does not hold");
            ratios.push(separation.depth / best);
        }
        poses.push(pair);
        found.push(separation);
    }
    let hulls = lab.time(count, |i| {
        let [a, b] = poses[i];
        black_box(Pair::new((&outlines[0], a), (&outlines[1], b)).exit());
    });
    let whole = lab.time(count, |i| {
        place(&mut world, bodies, &poses[i]);
        black_box(world.separation(bodies[0], bodies[1]));
    });
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let or_missing = |value: f64| if ratios.is_empty() { Cell::Missing } else { Cell::Real(value) };
    let proven = found.iter().filter(|separation| separation.is_proven()).count();
    let bounds: Vec<f64> = found.iter().map(|each| each.at_least / each.depth).collect();
    Ok(vec![
        Cell::Text(kind.name.to_owned()),
        Cell::Count(count as u64),
        or_missing(mean(&ratios)),
        or_missing(ratios.iter().copied().fold(0.0, f64::max)),
        Cell::Real(100.0 * proven as f64 / count as f64),
        Cell::Real(mean(&bounds)),
        Cell::Real(prepare),
        Cell::Real(hulls.median_us),
        Cell::Real(whole.median_us),
    ])
}

fn place(world: &mut World, bodies: [BodyId; 2], poses: &[Pose; 2]) {
    for (body, pose) in bodies.into_iter().zip(poses) {
        world.set_pose(body, *pose);
    }
}

/// The least overlap of two convex polytopes: over the normals of all faces and the products of all
/// edges, one of which is the normal of a face of the difference body.
fn optimum(bodies: [(&Mesh, &Pose); 2]) -> f64 {
    let vertices = bodies.map(|(mesh, pose)| -> Vec<DVec3> {
        mesh.vertices().iter().map(|v| pose.apply(v).into()).collect()
    });
    let vertices = &vertices;
    let faces = |k: usize| {
        let corner = move |v: u32| vertices[k][v as usize];
        bodies[k].0.triangles().iter().map(move |t| t.map(corner))
    };
    let edges = |k: usize| -> Vec<DVec3> {
        let all = faces(k).flat_map(|[p, q, r]| [q - p, r - q, p - r]);
        let mut found: Vec<DVec3> = Vec::new();
        for edge in all.filter_map(DVec3::try_normalize) {
            if !found.iter().any(|other| other.dot(edge).abs() > 1.0 - 1e-15) {
                found.push(edge);
            }
        }
        found
    };
    let normals = faces(0).chain(faces(1)).map(|[p, q, r]| (q - p).cross(r - p));
    let (ea, eb) = (edges(0), edges(1));
    let products = ea.iter().flat_map(|u| eb.iter().map(|v| u.cross(*v)));
    let axes = normals.chain(products.filter(|p| p.length() > 1e-9));
    let range = |k: usize, axis: DVec3| {
        vertices[k].iter().fold([f64::MAX, f64::MIN], |[low, high], p| {
            [low.min(axis.dot(*p)), high.max(axis.dot(*p))]
        })
    };
    let overlap = |axis: DVec3| {
        let ([a_low, a_high], [b_low, b_high]) = (range(0, axis), range(1, axis));
        (a_high - b_low).min(b_high - a_low)
    };
    axes.filter_map(DVec3::try_normalize).map(overlap).fold(f64::INFINITY, f64::min)
}
