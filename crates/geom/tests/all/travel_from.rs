//! The first contact at or after a time: plates that are passed one after the other, in closed form.

use impinge_geom::first_contact::{Found, Wanted};
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::Motion;
use impinge_geom::motion::moment::Travel;
use impinge_geom::obb_tree::ObbTree;
use impinge_geom::obb_tree::cross::Work;
use impinge_geom::obb_tree::travel::{TravelScratch, TravelSearch, Traveller};
use impinge_geom::pose::Pose;
use proptest::prelude::*;

/// Squares across the x axis.
fn plates(places: &[f64], half: f64) -> Mesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for &x in places {
        let first = vertices.len() as u32;
        vertices.extend([[x, -half, -half], [x, half, -half], [x, half, half], [x, -half, half]]);
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    Mesh::new(vertices, triangles).unwrap()
}

fn from(start: f64, turns: bool, distance: f64) -> Found {
    // Plates at 1…9 pass one at 0 while it goes from 0 to 10, and turns about its way if wanted.
    let (fixed, moving) = (plates(&[1.0, 3.0, 4.0, 8.0, 9.0], 2.0), plates(&[0.0], 0.5));
    let trees = [ObbTree::of(&fixed), ObbTree::of(&moving)];
    let turn = if turns { [0.5, 0.8, 0.0, 0.0] } else { [1.0, 0.0, 0.0, 0.0] };
    let end = Pose::new(turn, [10.0, 0.0, 0.0]).unwrap();
    let motion = Motion::lerp_slerp(Pose::IDENTITY, end);
    let bodies = [
        Traveller { mesh: &fixed, tree: &trees[0], travel: Travel::Still(&Pose::IDENTITY) },
        Traveller { mesh: &moving, tree: &trees[1], travel: Travel::Moving(&motion) },
    ];
    let scratch = &mut TravelScratch::default();
    let wanted = Wanted { tolerance: 1e-9, distance, until: 1.0, except: &[] };
    TravelSearch { bodies, scratch, work: Work::default() }.run_from(start, &wanted, |_| 1 << 20)
}

proptest! {
    #[test]
    fn what_was_passed_before_does_not_count(
        start in prop_oneof![0.0..1.0f64, (0..=64u32).prop_map(|k| f64::from(k) / 64.0)],
        turns: bool,
        distance in prop_oneof![Just(0.0), Just(0.25)],
    ) {
        let next = [0.1, 0.3, 0.4, 0.8, 0.9].into_iter().find(|x| start <= x + 0.1 * distance);
        match (next, from(start, turns, distance)) {
            (None, found) => prop_assert_eq!(found, Found::Free),
            (Some(x), Found::Contact(first)) => {
                let expected = (x - 0.1 * distance).max(start);
                prop_assert!(start <= first.time[0] && first.time[0] <= expected + 1e-14);
                prop_assert!(expected - 1e-14 <= first.time[1] && first.time[1] <= expected + 2e-9);
            }
            (Some(_), found) => prop_assert!(false, "{found:?}"),
        }
    }
}

#[test]
fn a_start_within_a_contact_is_that_contact() {
    let Found::Contact(first) = from(0.2875, false, 0.25) else { panic!("plates are near") };
    assert_eq!(first.time[0], 0.2875);
}
