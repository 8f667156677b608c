//! The space that two bodies share, as `World` and `PosedPair` tell it: bounds hold what the meshes
//! share and close in on it. Truth is in closed form, or by clipping the faces of convex meshes.

use crate::random::Random;
use impinge::prelude::*;
use impinge_samples::build_mesh;
use std::sync::Arc;

fn sample(name: &str) -> Arc<Mesh> {
    Arc::new(build_mesh(name).expect("a sample"))
}

fn pose(random: &mut Random, away: f64) -> Pose {
    Pose::new(random.quaternion(), random.vector(away)).expect("a rotation")
}

fn at(mesh: &Mesh, pose: &Pose) -> Mesh {
    let vertices = mesh.vertices().iter().map(|vertex| pose.apply(vertex)).collect();
    mesh.with_vertices(vertices).expect("finite")
}

fn sub(p: Point, q: Point) -> Point {
    std::array::from_fn(|k| p[k] - q[k])
}

fn cross([a, b, c]: Point, [x, y, z]: Point) -> Point {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

fn dot(p: Point, q: Point) -> f64 {
    (0..3).map(|k| p[k] * q[k]).sum()
}

/// Normal and offset of each face.
fn planes(mesh: &Mesh) -> Vec<(Point, f64)> {
    let plane = |i: u32| {
        let [p, q, r] = mesh.triangle(i);
        let normal = cross(sub(q, p), sub(r, p));
        (normal, dot(normal, p))
    };
    (0..mesh.triangles().len() as u32).map(plane).collect()
}

/// Six times the part of a volume that a face of one convex mesh has, where it is within another.
fn clipped(face: [Point; 3], planes: &[(Point, f64)]) -> f64 {
    let mut polygon = face.to_vec();
    for (normal, offset) in planes {
        let above = |p: Point| dot(*normal, p) - offset;
        let mut kept = Vec::new();
        for (i, &p) in polygon.iter().enumerate() {
            let q = polygon[(i + 1) % polygon.len()];
            let (from, to) = (above(p), above(q));
            if from <= 0.0 {
                kept.push(p);
            }
            if (from < 0.0) != (to < 0.0) && from != to {
                let t = from / (from - to);
                kept.push(std::array::from_fn(|k| p[k] + t * (q[k] - p[k])));
            }
        }
        polygon = kept;
    }
    let fans = (2..polygon.len()).map(|i| [polygon[0], polygon[i - 1], polygon[i]]);
    fans.map(|[p, q, r]| dot(p, cross(q, r))).sum()
}

/// What two convex meshes share, none of whose faces lie in one plane.
fn truth(a: &Mesh, b: &Mesh) -> f64 {
    let half = |one: &Mesh, other: &Mesh| {
        let planes = planes(other);
        let faces = 0..one.triangles().len() as u32;
        faces.map(|i| clipped(one.triangle(i), &planes)).sum::<f64>()
    };
    (half(a, b) + half(b, a)) / 6.0
}

fn own_volume(mesh: &Mesh) -> f64 {
    let faces = 0..mesh.triangles().len() as u32;
    faces.map(|i| clipped(mesh.triangle(i), &[])).sum::<f64>() / 6.0
}

#[track_caller]
fn assert_holds(volume: &Volume, truth: f64) {
    let off = 1e-9 * truth;
    assert!(volume.at_least <= truth + off && truth - off <= volume.at_most, "{volume:?} {truth}");
    assert!(volume.at_least <= volume.estimate * (1.0 + 1e-9), "{volume:?}");
    assert!(volume.estimate <= volume.at_most * (1.0 + 1e-9), "{volume:?}");
}

#[test]
fn boxes_share_a_box_wherever_they_stand() {
    let cube = sample("box");
    let mut world = World::new();
    let shape = world.add_shape(Arc::clone(&cube)).expect("any mesh");
    let [a, b] = [(); 2].map(|()| world.insert(Body::new(shape)).expect("a known shape"));
    let pair = PosedPair::new(Arc::clone(&cube), cube).expect("any mesh");
    let mut random = Random(3);
    for shift in [[0.3, 0.2, 0.1], [0.0, 0.0, 0.5], [0.9, -0.9, 0.9], [0.0; 3]] {
        let truth: f64 = shift.iter().map(|x: &f64| 1.0 - x.abs()).product();
        let beside = Pose::shift(shift).expect("finite");
        assert_holds(&pair.shared_volume(&beside, 64).expect("both are closed"), truth);
        // The same two, turned and moved together.
        let place = pose(&mut random, 5.0);
        world.teleport(a, place);
        world.teleport(b, place.after(&beside));
        for resolution in [1, 16, 128] {
            let volume = world.shared_volume(a, b, resolution).expect("both are closed");
            assert_holds(&volume, truth);
            assert_eq!(world.shared_volume(a, b, resolution), Ok(volume));
        }
        let fine = world.shared_volume(a, b, 256).expect("both are closed");
        assert!((fine.estimate - truth).abs() < 2e-2 * truth, "{fine:?} {truth}");
    }
    // Faces on each other have no volume, to rounding; what is apart has none at all.
    let touching = pair.shared_volume(&Pose::shift([0.0, 1.0, 0.0]).expect("finite"), 64);
    let touching = touching.expect("both are closed");
    assert!(touching.at_least <= 0.0 && touching.at_most < 1e-10, "{touching:?}");
    let apart = pair.shared_volume(&Pose::shift([0.0, 1.5, 0.0]).expect("finite"), 64);
    assert_eq!(apart, Ok(Volume { at_least: 0.0, at_most: 0.0, estimate: 0.0 }));
}

#[test]
fn balls_close_in_on_what_their_meshes_share() {
    let (a, b) = (sample("sphere?faces=1520"), sample("sphere?faces=960&radius=0.8"));
    let pair = PosedPair::new(Arc::clone(&a), Arc::clone(&b)).expect("any mesh");
    let mut random = Random(8);
    for away in [0.5, 1.2, 1.7] {
        let turned = pose(&mut random, 0.0);
        let way = Pose::shift([0.48 * away, -0.6 * away, 0.64 * away]).expect("finite");
        let place = way.after(&turned);
        let truth = truth(&a, &at(&b, &place));
        let mut before = f64::INFINITY;
        for (resolution, off) in [(32, 1e-2), (128, 2e-3), (512, 1e-3)] {
            let volume = pair.shared_volume(&place, resolution).expect("both are closed");
            assert_holds(&volume, truth);
            assert!((volume.estimate / truth - 1.0).abs() < off, "{volume:?} {truth}");
            let width = volume.at_most - volume.at_least;
            assert!(width < 0.5 * before, "{resolution}: {volume:?}");
            before = width;
        }
        assert!(before < 0.05 * truth, "{before} {truth}");
    }
}

#[test]
fn what_is_inside_shares_all_of_its_own() {
    let (knot, ball) =
        (sample("torus-knot?segments=60&sides=8"), sample("sphere?faces=960&radius=4"));
    let mut world = World::new();
    let [inner, outer] = [&knot, &ball].map(|mesh| {
        let shape = world.add_shape(Arc::clone(mesh)).expect("any mesh");
        world.insert(Body::new(shape)).expect("a known shape")
    });
    world.teleport(inner, pose(&mut Random(1), 0.5));
    let truth = own_volume(&knot);
    let volume = world.shared_volume(inner, outer, 256).expect("both are closed");
    assert_holds(&volume, truth);
    assert!((volume.estimate / truth - 1.0).abs() < 1e-2, "{volume:?} {truth}");
    // Half as large in each direction: an eighth.
    let small: Vec<Point> = knot.vertices().iter().map(|v| v.map(|x| 0.5 * x)).collect();
    world.deform(inner, &small).expect("as many vertices");
    let volume = world.shared_volume(outer, inner, 256).expect("both are closed");
    assert_holds(&volume, truth / 8.0);
}

#[test]
fn what_has_no_inside_is_an_error_and_not_zero() {
    let ball = sample("sphere?faces=60");
    let sheet =
        Mesh::new(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]).expect("ok");
    let mut world = World::new();
    let [ball, sheet] = [Mesh::clone(&ball), sheet].map(|mesh| {
        let shape = world.add_shape(mesh).expect("any mesh");
        world.insert(Body::new(shape)).expect("a known shape")
    });
    assert_eq!(world.shared_volume(ball, sheet, 64), Err(VolumeError::NotClosed(Side::B)));
    assert_eq!(world.shared_volume(sheet, ball, 64), Err(VolumeError::NotClosed(Side::A)));
    assert_eq!(world.shared_volume(ball, ball, 64), Err(VolumeError::Same));
    for resolution in [0, 1025] {
        let refused = world.shared_volume(ball, sheet, resolution).expect_err("out of range");
        assert_eq!(refused, VolumeError::Resolution(resolution));
        assert!(refused.to_string().contains("1 to 1024"), "{refused}");
    }
    assert_eq!((world.has_inside(ball), world.has_inside(sheet)), (Some(true), Some(false)));
    world.remove(sheet);
    assert_eq!(world.shared_volume(ball, sheet, 64), Err(VolumeError::Unknown(Side::B)));
    assert_eq!(world.has_inside(sheet), None);
}
