//! First contacts of meshes that deform, against the exact test of all triangles at many instants.

use impinge_geom::first_contact::deforming::{Mover, Way, first_contact};
use impinge_geom::first_contact::{Found, Wanted};
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::moment::Travel;
use impinge_geom::motion::vertex::VertexMotion;
use impinge_geom::motion::{Motion, Screw};
use impinge_geom::pose::Pose;
use impinge_geom::tri_tri::intersect;
use impinge_geom::{Point, Triangle};
use proptest::prelude::*;

const WANTED: Wanted<'static> = Wanted { tolerance: 1e-6, distance: 0.0, until: 1.0, except: &[] };

/// A strip of four triangles.
fn strip(corners: &[Point; 6]) -> Mesh {
    let triangles = (0..4).map(|k| [k, k + 1, k + 2]).collect();
    Mesh::new(corners.to_vec(), triangles).expect("points")
}

fn triangles(mover: &Mover<'_>, time: f64) -> Vec<Triangle> {
    let place = |vertex: u32| match &mover.way {
        Way::Rigid(travel) => travel.pose_at(time).apply(&mover.mesh.vertices()[vertex as usize]),
        Way::Deforming(motion) => motion.at(time, vertex as usize),
    };
    mover.mesh.triangles().iter().map(|corners| corners.map(place)).collect()
}

fn touch(a: &Mover<'_>, b: &Mover<'_>, time: f64) -> bool {
    let [a, b] = [triangles(a, time), triangles(b, time)];
    a.iter().any(|x| b.iter().any(|y| intersect(x, y)))
}

fn check(a: &Mover<'_>, b: &Mover<'_>) -> Result<bool, TestCaseError> {
    let found = first_contact(a, b, &WANTED);
    let (from, to) = match found {
        Found::Free => (1.0, None),
        Found::Contact(first) => (first.time[0], Some(first)),
        Found::CutShort(_) => unreachable!("nothing limits it"),
    };
    let even = (0..300).map(|k| from * f64::from(k) / 300.0);
    for time in even.chain((4..40).map(|k| from - from * 0.5f64.powi(k))) {
        prop_assert!(time >= from || !touch(a, b, time), "late: {time} {found:?}");
    }
    match to {
        Some(first) if first.within == 0.0 => prop_assert!(touch(a, b, first.time[1]), "{first:?}"),
        Some(_) => {}
        None => prop_assert!(!touch(a, b, 1.0)),
    }
    Ok(to.is_some())
}

fn points() -> impl Strategy<Value = [Point; 6]> {
    prop::array::uniform6(prop::array::uniform3(-1.0..1.0f64))
}

fn shifted(points: &[Point; 6], by: f64) -> [Point; 6] {
    points.map(|[x, y, z]| [x + by, y, z])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn two_that_deform(
        a0 in points(), a1 in points(), b0 in points(), b1 in points(), to in -1.0..3.0f64,
    ) {
        let (b0, b1) = (shifted(&b0, 2.2), shifted(&b1, to));
        let meshes = [strip(&a0), strip(&b0)];
        let ways = [VertexMotion::new(&a0, &a1), VertexMotion::new(&b0, &b1)];
        let [a, b] = ways.map(|way| Way::Deforming(way.expect("as many")));
        check(&Mover { mesh: &meshes[0], way: a }, &Mover { mesh: &meshes[1], way: b })?;
    }

    #[test]
    fn one_that_deforms_and_one_that_turns(
        a0 in points(), a1 in points(), b in points(),
        angle in -13.0..13.0f64, advance in -2.0..2.0f64,
    ) {
        let meshes = [strip(&a0), strip(&b)];
        let start = Pose::shift([2.5, 0.0, 0.0]).expect("finite");
        let screw = Screw { point: [1.0, 2.0, 0.0], direction: [0.2, 0.1, 1.0], angle, advance };
        let motion = Motion::screw(start, screw).expect("finite");
        let deforming = Way::Deforming(VertexMotion::new(&a0, &a1).expect("as many"));
        let turning = Way::Rigid(Travel::Moving(&motion));
        let [a, b] = [
            Mover { mesh: &meshes[0], way: deforming },
            Mover { mesh: &meshes[1], way: turning },
        ];
        check(&a, &b)?;
        check(&b, &a)?;
    }
}

/// What is known: a flag whose free corner swings down onto a floor.
#[test]
fn a_flag_meets_the_floor_with_its_corner() {
    let start = [
        [0.0, 0.0, 1.0],
        [0.0, 1.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 1.0, 1.0],
        [2.0, 0.0, 1.0],
        [2.0, 1.0, 1.0],
    ];
    let mut end = start;
    end[4][2] = -1.0;
    let floor = [
        [-3.0, -3.0, 0.0],
        [-3.0, 3.0, 0.0],
        [0.0, -3.0, 0.0],
        [0.0, 3.0, 0.0],
        [3.0, -3.0, 0.0],
        [3.0, 3.0, 0.0],
    ];
    let meshes = [strip(&floor), strip(&start)];
    let way = Way::Deforming(VertexMotion::new(&start, &end).expect("as many"));
    let still = Way::Rigid(Travel::Still(&Pose::IDENTITY));
    let found = first_contact(
        &Mover { mesh: &meshes[0], way: still },
        &Mover { mesh: &meshes[1], way },
        &WANTED,
    );
    let Found::Contact(first) = found else { panic!("{found:?}") };
    assert!(first.time[0] <= 0.5 && 0.5 <= first.time[1], "{first:?}");
    assert_eq!(first.features[1], impinge_geom::first_contact::Feature::Vertex(4));
}
