//! Parts made of boxes, and paths, for scenes whose answer is known in closed form.

use impinge_fit::prelude::*;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::Motion;
use impinge_geom::motion::path::Path;
use impinge_geom::pose::Pose;
use impinge_scene::scene::fit::{Allowed, Fit, Until};
use impinge_scene::scene::{SceneBody, Selector, Source};
use impinge_scene::units::Unit;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Boxes from one corner to the other, as one mesh.
pub(crate) fn boxes(corners: &[[Point; 2]]) -> Arc<Mesh> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for corner in corners {
        let first = vertices.len() as u32;
        let pick = |i: usize| [0, 1, 2].map(|k| corner[(i >> k) & 1][k]);
        vertices.extend((0..8).map(pick));
        let quads =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        for [a, b, c, d] in quads.map(|quad: [u32; 4]| quad.map(|v| first + v)) {
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Arc::new(Mesh::new(vertices, triangles).unwrap())
}

/// A box about the origin.
pub(crate) fn cube(half: f64) -> Arc<Mesh> {
    boxes(&[[[-half; 3], [half; 3]]])
}

/// A square tube along z from `from` to `to`: four walls around a hole.
pub(crate) fn tube(hole: f64, [from, to]: [f64; 2]) -> Arc<Mesh> {
    let far = hole + 1.0;
    boxes(&[
        [[-far, -far, from], [-hole, far, to]],
        [[hole, -far, from], [far, far, to]],
        [[-hole, -far, from], [hole, -hole, to]],
        [[-hole, hole, from], [hole, far, to]],
    ])
}

pub(crate) fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::shift([x, y, z]).unwrap()
}

pub(crate) fn body(name: &str, mesh: Arc<Mesh>, pose: Pose) -> SceneBody {
    let source = Source { mesh: name.to_owned(), path: None, object: None, unit: Unit::Mm };
    let (name, groups) = (name.to_owned(), Vec::new());
    SceneBody { name, mesh, frames: None, pose, voxel: None, groups, source }
}

/// Straight from pose to pose, one unit of time each.
pub(crate) fn path(poses: &[Pose]) -> Path {
    let motions: Vec<Motion> =
        poses.windows(2).map(|two| Motion::lerp_slerp(two[0], two[1])).collect();
    Path::new((0..poses.len()).map(|k| k as f64).collect(), motions).unwrap()
}

/// The first body moves.
pub(crate) fn assembly(bodies: Vec<SceneBody>, path: Path) -> Assembly {
    let fit = Fit { moving: vec![0], path, allowed: Vec::new() };
    Assembly { bodies, ignored: BTreeSet::new(), fit }
}

pub(crate) fn allow(a: &str, b: &str, until: Until) -> Allowed {
    let [a, b] = [a, b].map(|name| Selector::Body(name.to_owned()));
    Allowed { a, b, until, within: None, reason: None }
}

pub(crate) fn ask(assembly: Assembly, question: &Question) -> (Prepared, Answer) {
    let prepared = Prepared::new(assembly).unwrap();
    let answer = fit(&prepared, question, &());
    (prepared, answer)
}

pub(crate) fn answer(assembly: Assembly) -> Answer {
    ask(assembly, &Question::default()).1
}

/// Whether an interval holds a number and is no wider than `width`.
#[track_caller]
pub(crate) fn assert_holds([low, high]: [f64; 2], truth: f64, width: f64) {
    let rounding = 1e-12 * (1.0 + truth.abs());
    assert!(low <= truth + rounding && truth - rounding <= high, "{low} {truth} {high}");
    assert!(high - low <= width, "{low} to {high}");
}
