//! How much space two bodies share, as `impinge_geom::image::volume` tells it: bounds and estimate against
//! the resolution, beside the true volume.
//!
//! Of boxes the truth is known. Of spheres the formula of a lens is that of round ones, and meshes are a
//! little smaller: so the truth is that of the meshes, by cutting every face of one off at the planes of all
//! faces of the other, which no image takes part in.

use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::table::{Cell, Table};
use crate::{Experiment, Lab};
use anyhow::{Result, ensure};
use glam::DVec3;
use impinge::prelude::{Mesh, Point, Pose};
use impinge_geom::image::volume::{Solid, Volume, shared};
use impinge_geom::shells::shells;
use impinge_samples::build_mesh;
use std::f64::consts::PI;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "image-volume",
    title: "Shared volume of two bodies: bounds and estimate against resolution",
    paper: None,
    about: "two spheres and two boxes that overlap by several depths: certified bounds and the \
            estimate of their shared volume in images of 8 to 1024 pixels along a side, over the \
            true volume",
    run,
};

const RESOLUTIONS: [u16; 8] = [8, 16, 32, 64, 128, 256, 512, 1024];
/// How far one sphere of radius 1 is in the other.
const DEPTHS: [f64; 3] = [0.5, 0.1, 0.01];

/// Two bodies and the volume that they share.
struct Case {
    name: String,
    meshes: [Mesh; 2],
    /// That of what the meshes stand for.
    formula: f64,
    /// That of the meshes.
    truth: f64,
}

fn run(lab: &mut Lab) -> Result<()> {
    let quick = lab.settings.quick;
    let resolutions = if quick { &RESOLUTIONS[..3] } else { &RESOLUTIONS[..] };
    let faces = if quick { 960 } else { 10_200 };
    let mut table = Table::new(&[
        ("bodies", ""),
        ("pixels", ""),
        ("at least", "of the truth"),
        ("estimate", "of the truth"),
        ("at most", "of the truth"),
        ("estimate's error", ""),
        ("width of the bounds", ""),
        ("truth over formula", ""),
        ("time", "ms"),
    ]);
    let mut series = Vec::new();
    for case in cases(faces, if quick { &DEPTHS[..1] } else { &DEPTHS[..] })? {
        let truth = case.truth;
        let mut points = Vec::new();
        for &resolution in resolutions {
            let (volume, ms) = ask(lab, &case, resolution);
            let Volume { at_least, at_most, estimate } = volume;
            // Faces that are flat squares but for rounding make meshes not quite convex.
            let within = at_least <= truth * (1.0 + 1e-6) && truth * (1.0 - 1e-6) <= at_most;
            ensure!(within, "{}: {volume:?}, not {truth}", case.name);
            points.push([f64::from(resolution), ((at_most - at_least) / truth).max(1e-12)]);
            table.push([
                Cell::Text(case.name.clone()),
                Cell::Count(u64::from(resolution)),
                Cell::Real(at_least / truth),
                Cell::Real(estimate / truth),
                Cell::Real(at_most / truth),
                Cell::Real((estimate - truth) / truth),
                Cell::Real((at_most - at_least) / truth),
                Cell::Real(truth / case.formula),
                Cell::Real(ms),
            ]);
        }
        series.push(Series { name: case.name, mark: Mark::Line, points });
    }
    lab.note(format!(
        "Spheres have {faces} faces. The truth is the volume that the meshes share, by \
        cutting their faces off at each other's planes; `truth over formula` shows what \
        tessellation takes away from the lens of round spheres. The truth was within all \
        bounds."
    ));
    let plot = Plot {
        title: "Width of the certified bounds, relative to the volume".to_owned(),
        x: Axis { label: "pixels along a side".to_owned(), scale: Scale::Log },
        y: Axis { label: "upper minus lower bound, over the truth".to_owned(), scale: Scale::Log },
        series,
    };
    lab.publish(&table, Some(&plot))
}

fn cases(faces: u32, depths: &[f64]) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let sphere = build_mesh(&format!("sphere?faces={faces}"))?;
    for depth in depths {
        let distance = 2.0 - depth;
        // Aslant, so that no axis is special.
        let way = [2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0].map(|x| x * distance);
        let height = 1.0 - distance / 2.0;
        let meshes = [sphere.clone(), moved(&sphere, &Pose::shift(way)?)?];
        cases.push(Case {
            name: format!("spheres, {depth} deep"),
            truth: common(&meshes, DVec3::from(way) / 2.0),
            meshes,
            formula: 2.0 * PI * height * height * (3.0 - height) / 3.0,
        });
    }
    let cube = build_mesh("box")?;
    for [x, y, z] in [[0.5, 0.25, 0.75], [0.875, 0.0, 0.0]] {
        let truth = (1.0 - x) * (1.0 - y) * (1.0 - z);
        cases.push(Case {
            name: format!("boxes, {x} {y} {z} apart"),
            meshes: [cube.clone(), moved(&cube, &Pose::shift([x, y, z])?)?],
            formula: truth,
            truth,
        });
    }
    // Two cubes with one middle, one of them turned by 45 degrees about z: their sections share an octagon.
    let half = (PI / 8.0).sin();
    let turned = Pose::new([(PI / 8.0).cos(), 0.0, 0.0, half], [0.0; 3])?;
    // That is a square without its four corners, each a right triangle as high as half of √2 − 1.
    let corner = (2f64.sqrt() - 1.0) / 2.0;
    cases.push(Case {
        name: "boxes, turned by 45 degrees".to_owned(),
        meshes: [cube.clone(), moved(&cube, &turned)?],
        formula: 1.0 - 4.0 * corner * corner,
        truth: 1.0 - 4.0 * corner * corner,
    });
    Ok(cases)
}

/// The volume that two convex bodies share, from their faces within each other.
///
/// Corners of spheres are rounded, so that they are a millionth short of convex, and a little too much is cut
/// off the faces. That counts as often as the faces are far from `middle`: it has to be within what is shared.
fn common([a, b]: &[Mesh; 2], middle: DVec3) -> f64 {
    cut_off(a, b, middle) + cut_off(b, a, middle)
}

/// What the faces of one convex body within another add to the volume of what both share: a third of
/// each area times its distance from a point.
fn cut_off(one: &Mesh, other: &Mesh, from: DVec3) -> f64 {
    let corners = |mesh: &Mesh, i: u32| mesh.triangle(i).map(DVec3::from);
    let planes: Vec<(DVec3, f64)> = (0..other.triangles().len() as u32)
        .map(|i| {
            let [a, b, c] = corners(other, i);
            let normal = (b - a).cross(c - a).normalize();
            (normal, normal.dot(a))
        })
        .collect();
    let mut sum = 0.0;
    for i in 0..one.triangles().len() as u32 {
        let mut polygon = corners(one, i).to_vec();
        for (normal, offset) in &planes {
            let above: Vec<f64> = polygon.iter().map(|p| normal.dot(*p) - offset).collect();
            if above.iter().all(|&height| height <= 0.0) {
                continue;
            }
            let mut cut = Vec::new();
            for k in 0..polygon.len() {
                let next = (k + 1) % polygon.len();
                if above[k] <= 0.0 {
                    cut.push(polygon[k]);
                }
                if (above[k] <= 0.0) != (above[next] <= 0.0) {
                    let part = above[k] / (above[k] - above[next]);
                    cut.push(polygon[k].lerp(polygon[next], part));
                }
            }
            polygon = cut;
            if polygon.len() < 3 {
                break;
            }
        }
        for k in 2..polygon.len() {
            let [a, b, c] = [polygon[0], polygon[k - 1], polygon[k]].map(|p| p - from);
            sum += a.dot(b.cross(c)) / 6.0;
        }
    }
    sum
}

fn moved(mesh: &Mesh, pose: &Pose) -> Result<Mesh> {
    let vertices: Vec<Point> = mesh.vertices().iter().map(|v| pose.apply(v)).collect();
    Ok(mesh.with_vertices(vertices)?)
}

/// The volume, and the milliseconds that it took.
fn ask(lab: &Lab, case: &Case, resolution: u16) -> (Volume, f64) {
    let shells = case.meshes.each_ref().map(shells);
    let solid = |k: usize| Solid {
        points: case.meshes[k].vertices(),
        triangles: case.meshes[k].triangles(),
        shells: &shells[k],
    };
    let clock = crate::timing::Clock::for_threads(lab.settings.threads);
    let watch = clock.start();
    let volume = shared([solid(0), solid(1)], resolution);
    (volume, 1000.0 * watch.elapsed().as_secs_f64())
}
