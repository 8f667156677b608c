//! The headlight as built. That nothing touches, and what its covers meet on their ways, is tested
//! where there is an engine, in `impinge/tests/all/headlight.rs`.

use super::*;
use crate::surface::tests::closed_outward;

fn made(faces: u32) -> Headlight {
    Headlight::new(&Params { faces, ..Params::default() }).unwrap()
}

#[test]
fn faces_are_as_many_as_asked_for() {
    for faces in [20_000, 27_000, 43_210, 60_000, 90_000, 200_000] {
        let found = face_count(&made(faces).scene.parts);
        let off = found / f64::from(faces) - 1.0;
        assert!(off.abs() < 0.05, "{faces}: {found}");
    }
}

#[test]
fn parts_are_closed_and_have_the_openings_that_they_should() {
    for lugs in [2, 3, 6] {
        let params = Params { faces: 20_000, lugs, ..Params::default() };
        for part in Headlight::new(&params).unwrap().scene.parts {
            // Two less two for each opening.
            let wanted = if ["housing", "reflector"].contains(&&*part.name) { -2 } else { 2 };
            assert_eq!(closed_outward(&part.mesh), wanted, "{}", part.name);
        }
    }
}

#[test]
fn parts_are_meshes_too() {
    let parts = made(20_000).scene.parts;
    assert_eq!(parts.len(), PARTS as usize);
    let mesh = |part: usize| {
        crate::build_mesh(&format!("headlight-part?faces=20000&part={part}")).unwrap()
    };
    for (i, part) in parts.iter().enumerate() {
        assert_eq!(mesh(i + 1).vertices(), part.mesh.vertices());
        assert_eq!(mesh(i + 1).triangles(), part.mesh.triangles());
    }
    let rest = mesh(0);
    closed_outward(&rest);
    let all: usize = parts.iter().map(|part| part.mesh.face_count()).sum();
    assert_eq!(rest.face_count(), all - mesh(PARTS as usize).face_count());
}

#[test]
fn the_same_parameters_make_the_same_bits() {
    let [a, b] = [made(30_000), made(30_000)];
    for (a, b) in a.scene.parts.iter().zip(&b.scene.parts) {
        assert_eq!((&a.name, a.pose), (&b.name, b.pose));
        assert_eq!(a.mesh.vertices(), b.mesh.vertices());
        assert_eq!(a.mesh.triangles(), b.mesh.triangles());
    }
    let exact = |x: &f64| f64::from(*x as f32) == *x;
    for part in &a.scene.parts {
        assert!(part.mesh.vertices().as_flattened().iter().all(exact), "{}", part.name);
    }
}

#[test]
fn removals_begin_where_the_cover_is_and_go_on_without_jumps() {
    let made = made(20_000);
    for (side, way) in [
        (Side::Left, Way::Free),
        (Side::Right, Way::Free),
        (Side::Left, Way::Forced),
        (Side::Right, Way::Forced),
    ] {
        let sequence = made.removal(side, way);
        let cover = &made.scene.parts[sequence.part];
        assert_eq!((cover.name.as_str(), cover.pose), (side.cover(), sequence.poses[0]));
        let motions: Vec<_> = sequence.motions().collect();
        assert!(motions.len() >= 300);
        for two in motions.windows(2) {
            assert_eq!(two[0].pose1(), two[1].pose0());
        }
        for motion in motions {
            let way = |k: usize| motion.pose1().translation()[k] - motion.pose0().translation()[k];
            assert!((0..3).all(|k| way(k).abs() < 2.0) && motion.turn().1 < 0.02);
        }
    }
}

#[test]
fn fitting_checks_begin_where_their_part_is() {
    for (name, part) in [
        ("headlight-cover", "cover-left"),
        ("headlight-cover-early", "cover-left"),
        ("headlight-bulb", "bulb-left"),
        ("headlight-bulb-early", "bulb-left"),
    ] {
        let Ok(crate::Sampled::Scene(scene)) = crate::build(&format!("{name}?faces=20000")) else {
            panic!("{name} is a scene")
        };
        let fit = scene.fit.expect("a fitting check");
        let [moving] = fit.moving[..] else { panic!("{name} moves one part") };
        assert_eq!(scene.parts[moving].name, part, "{name}");
        let motions = fit.path.motions();
        assert_eq!(scene.parts[moving].pose, *motions[0].pose0(), "{name}");
        assert!(motions.len() >= 100 && fit.path.span() == [0.0, 1.0], "{name}");
    }
}

#[test]
fn the_sample_offers_the_removals() {
    let made = made(20_000);
    let named = |name: &str| crate::sequence("headlight-fitting?faces=20000", name);
    assert_eq!(named("free-left").unwrap(), made.removal(Side::Left, Way::Free));
    assert_eq!(named("forced-right").unwrap(), made.removal(Side::Right, Way::Forced));
    let right = crate::sequence("headlight-fitting?faces=20000&last=2", "free-right").unwrap();
    assert_eq!(right.part, made.scene.parts.len() - 1);
    assert_eq!(
        named("left").unwrap_err().to_string(),
        "the sample `headlight-fitting` has no motion `left`; it has free-left, free-right, \
         forced-left, forced-right"
    );
    assert_eq!(
        crate::sequence("sphere", "free-left").unwrap_err().to_string(),
        "the sample `sphere` has no motion `free-left`; it has none"
    );
}

#[test]
fn what_cannot_be_made_is_refused() {
    let refusal = |text: &str| crate::build(&format!("{NAME}?{text}")).unwrap_err().to_string();
    assert_eq!(
        refusal("faces=19999"),
        "`headlight-fitting?faces=19999`: a whole number from 20000 to 1000000 is needed"
    );
    assert!(refusal("clearance=0.6").contains("a number from 0.2 to 0.5"));
    assert!(refusal("lugs=1").contains("from 2 to 6"));
    assert!(refusal("last=3").contains("from 1 to 2"));
    for clearance in [0.0, 1.0, f64::NAN] {
        let error = Headlight::new(&Params { clearance, ..Params::default() }).unwrap_err();
        assert!(error.to_string().contains("0.2 to 0.5 is needed"), "{error}");
    }
}
