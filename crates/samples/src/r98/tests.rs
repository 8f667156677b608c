//! Shapes are convex and have their counts, combs touch when they should, hands close around the ball.

use super::comb::{Comb, Moved};
use super::grasp::{TABLE, grasp};
use super::random::{Crowd, MIXED};
use super::*;
use crate::surface::tests::closed_outward;
use crate::{Sampled, build, build_mesh};
use glam::DVec3;
use impinge_geom::pose::Pose;
use impinge_geom::tri_tri::intersect;
use impinge_geom::{Point, Triangle};

fn placed(mesh: &Mesh, pose: &Pose) -> Vec<Triangle> {
    let all = 0..mesh.triangles().len() as u32;
    all.map(|i| mesh.triangle(i).map(|p| pose.apply(&p))).collect()
}

#[test]
fn shapes_have_as_many_triangles_as_in_the_paper_and_are_convex() {
    for shape in Shape::ALL {
        for triangles in [36, 144, 576, 2304, 11_520] {
            let name = format!("r98-body?shape={}&triangles={triangles}", shape.name());
            let mesh = build_mesh(&name).unwrap();
            assert_eq!(mesh.face_count(), triangles, "{name}");
            assert_eq!(closed_outward(&mesh), 2, "{name}");
            let farthest = mesh.vertices().iter().map(|v| DVec3::from(*v).length());
            assert!(farthest.fold(0.0, f64::max) <= 1.0 + 1e-6, "{name}");
            if triangles > 600 {
                continue;
            }
            for i in 0..triangles as u32 {
                let [a, b, c] = mesh.triangle(i).map(DVec3::from);
                let normal = (b - a).cross(c - a).normalize();
                let above = mesh.vertices().iter().map(|v| (DVec3::from(*v) - a).dot(normal));
                assert!(above.fold(f64::MIN, f64::max) < 1e-5, "{name}, face {i}");
            }
        }
    }
    let error = build_mesh("r98-body?shape=cubes").unwrap_err().to_string();
    assert_eq!(error, "`r98-body?shape=cubes`: one of ellipsoids, capped-cones, cones is needed");
    assert_eq!(Division::of(22), Division { segments: 4, rings: 3 });
}

#[test]
fn the_motion_is_the_same_for_all_triangles_and_stays_in_the_room() {
    let [mut few, mut many] =
        [36, 144].map(|triangles| Crowd::new(Shape::Cones, [100, triangles], (1, MIXED)).unwrap());
    let first = few.poses();
    for _ in 0..300 {
        few.step();
        many.step();
    }
    assert_eq!(few.poses(), many.poses());
    let side = (4.0 / 3.0 * std::f64::consts::PI * 100.0 / 0.25f64).cbrt() + 2.0;
    for (pose, first) in few.poses().iter().zip(&first) {
        assert!(pose.translation().iter().all(|x| (1.0..side - 1.0 + 1e-9).contains(x)));
        assert!(pose != first && pose.rotation() != first.rotation());
    }
    let Ok(Sampled::Scene(scene)) = build("r98-random?shape=cones&n=100&frame=300") else {
        panic!("no scene")
    };
    assert_eq!(scene.parts[99].pose, few.poses()[99]);
}

#[test]
fn combs_touch_in_the_known_frame_and_not_before() {
    for offset in [false, true] {
        for moved in [Moved::Translation, Moved::Rotation] {
            let comb = Comb::new(offset, moved, 2).unwrap();
            for frame in [0, 20, 38, 39, 40, 41, 50, 59] {
                let placed: Vec<Vec<Triangle>> =
                    comb.poses(frame).iter().map(|pose| placed(&comb.mesh, pose)).collect();
                let meet = |a: usize, b: usize| {
                    placed[a].iter().any(|s| placed[b].iter().any(|t| intersect(s, t)))
                };
                let pairs = (0..10).flat_map(|a| (a + 1..10).map(move |b| [a, b]));
                let found: Vec<[usize; 2]> = pairs.filter(|&[a, b]| meet(a, b)).collect();
                let want: Vec<[usize; 2]> =
                    (0..5).take(Comb::touching(frame)).map(|i| [i, i + 5]).collect();
                assert_eq!(found, want, "offset {offset}, {moved:?}, frame {frame}");
            }
        }
    }
}

#[test]
fn aligned_tips_touch_in_a_point() {
    let tip = |comb: &Comb| {
        let highest = |v: &&Point| v[2] == 1.0;
        *comb.mesh.vertices().iter().find(highest).unwrap()
    };
    for moved in [Moved::Translation, Moved::Rotation] {
        for fineness in 2..=6 {
            let comb = Comb::new(false, moved, fineness).unwrap();
            assert_eq!(comb.mesh.face_count(), 2 * 4usize.pow(fineness));
            let poses = comb.poses(Comb::TOUCHING);
            for i in 0..5 {
                let at = [3.0 * (i + 1) as f64, 0.0, 0.0];
                assert_eq!(poses[i].apply(&tip(&comb)), at);
                assert_eq!(poses[i + 5].apply(&tip(&comb)).map(|x| x + 0.0), at);
            }
        }
    }
}

#[test]
fn hands_have_the_counts_of_the_paper_and_close_around_the_ball() {
    for triangles in TABLE {
        let scene = grasp(triangles, 2).unwrap();
        let faces: usize = scene.parts.iter().map(|part| part.mesh.face_count()).sum();
        assert_eq!(faces, triangles as usize);
    }
    let scene = grasp(1860, 70).unwrap();
    let ball = placed(&scene.parts[2].mesh, &scene.parts[2].pose);
    let frames = &scene.frames[&0];
    let at = |k: usize| {
        let mesh = scene.parts[0].mesh.with_vertices(frames.frame(k).to_vec()).unwrap();
        let hand = placed(&mesh, &scene.parts[0].pose);
        hand.iter().map(|s| ball.iter().filter(|t| intersect(s, t)).count()).sum::<usize>()
    };
    let found = [0, 20, 40, 60, 69].map(at);
    assert!(found[..3] == [0; 3] && found[3] > 20 && found[4] > found[3], "{found:?}");
    for k in 1..frames.len() {
        let moved = |(a, b): (&Point, &Point)| a != b;
        assert!(frames.frame(k - 1).iter().zip(frames.frame(k)).all(moved), "frame {k}");
    }
}
