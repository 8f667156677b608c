//! The scenes as built. That their answers are right is tested where there is an engine, in
//! `impinge/tests/all/fitting_scenes.rs`.

use super::*;
use crate::surface::tests::closed_outward;

#[test]
fn bodies_are_closed_and_paths_begin_where_they_are() {
    let (mut faces, mut pieces) = (Vec::new(), Vec::new());
    for seed in 0..600 {
        let made = generated(seed);
        let fit = made.scene.fit.as_ref().expect("a fitting check");
        for part in &made.scene.parts {
            closed_outward(&part.mesh);
            faces.push(part.mesh.face_count());
        }
        assert_eq!(made.scene.parts[1].pose, *fit.path.motions()[0].pose0(), "{}", made.name);
        pieces.push(fit.path.motions().len());
        let [begin, end] = fit.path.span();
        let within = |time: f64| begin <= time && time <= end;
        match made.truth {
            Truth::Free { clearance, at } => assert!(clearance > 0.0 && within(at)),
            Truth::Contact { time: [from, to] } => {
                assert!(within(from) && within(to) && from < to, "{}", made.name);
                assert!(to - from < 1e-6 * (end - begin), "{}: {from} {to}", made.name);
            }
        }
    }
    faces.sort_unstable();
    pieces.sort_unstable();
    assert_eq!((faces[0], pieces[0]), (12, 1));
    assert!(faces[faces.len() - 1] > 1000 && pieces[pieces.len() - 1] > 30);
}

#[test]
fn both_answers_come_at_every_distance_from_the_limit() {
    for family in 0..FAMILIES.len() as u64 {
        let made = |k: u64| generated(family + k * FAMILIES.len() as u64);
        let free = (0..60).filter(|&k| matches!(made(k).truth, Truth::Free { .. })).count();
        assert!((15..45).contains(&free), "{}: {free} of 60", FAMILIES[family as usize]);
        let close = (0..60).any(|k| {
            let Truth::Free { clearance, .. } = made(k).truth else { return false };
            let wide = made(k).scene.parts[0].mesh.bounds();
            clearance < 2e-6 * (0..3).map(|k| wide.max[k] - wide.min[k]).fold(0.0, f64::max)
        });
        assert!(close, "{}", FAMILIES[family as usize]);
    }
}

#[test]
fn a_seed_makes_the_same_bits() {
    for seed in [0, 5, 17, u64::MAX] {
        let [a, b] = [generated(seed), generated(seed)];
        assert_eq!((a.scene.fit, a.truth), (b.scene.fit, b.truth));
        for (a, b) in a.scene.parts.iter().zip(&b.scene.parts) {
            assert_eq!(a.mesh.vertices(), b.mesh.vertices());
        }
    }
}
