//! What deforms: the same triangles at every phase, smooth and periodic, and nowhere through itself.

use super::*;
use crate::surface::tests::closed_outward;
use crate::tests::meets_itself;
use crate::{all, build_mesh, deforming};
use glam::DVec3;

const CLOSED: [&str; 3] = ["hand", "pulsating-sphere", "twisting-rod"];

/// The mesh at a phase.
fn at(made: &Deforming, phase: f64) -> Mesh {
    let mut vertices = Vec::new();
    made.vertices_at(phase, &mut vertices);
    made.mesh.with_vertices(vertices).unwrap()
}

#[test]
fn a_phase_in_the_name_is_the_same_as_one_that_is_asked_for() {
    for sample in all().iter().filter(|sample| sample.deforms()) {
        let made = deforming(sample.name).unwrap();
        assert_eq!(made.mesh, build_mesh(sample.name).unwrap());
        for phase in [0.125, 0.25, 0.375] {
            let named = build_mesh(&format!("{}?phase={phase}", sample.name)).unwrap();
            assert_eq!(at(&made, phase), named, "{} at {phase}", sample.name);
            assert_ne!(named, made.mesh);
        }
        let later = deforming(&format!("{}?phase=0.25", sample.name)).unwrap();
        assert_eq!(at(&later, 0.5), at(&made, 0.75));
        assert_eq!((at(&made, 1.0), at(&made, -0.25)), (at(&made, 0.0), at(&made, 0.75)));
    }
    let error = deforming("chair").unwrap_err().to_string();
    assert_eq!(
        error,
        "the sample `chair` does not deform; those that do are hand, pulsating-sphere, \
         twisting-rod, cloth"
    );
}

#[test]
fn nothing_jumps() {
    for sample in all().iter().filter(|sample| sample.deforms()) {
        let made = deforming(sample.name).unwrap();
        let size = made.mesh.bounds().size().into_iter().fold(0.0, f64::max);
        let (mut before, mut now) = (Vec::new(), Vec::new());
        made.vertices_at(0.0, &mut before);
        let mut moved = false;
        for i in 1..=400 {
            made.vertices_at(f64::from(i) / 400.0, &mut now);
            for (a, b) in before.iter().zip(&now) {
                let way = DVec3::from_array(*a).distance(DVec3::from_array(*b));
                assert!(way < 0.03 * size, "{}: {way} of {size} at {i}", sample.name);
                moved |= way > 0.0;
            }
            std::mem::swap(&mut before, &mut now);
        }
        assert!(moved);
        assert_eq!(before, made.mesh.vertices(), "{} does not come back", sample.name);
    }
}

#[test]
fn closed_and_free_of_self_intersections_all_the_time() {
    for name in CLOSED {
        for text in [name.to_owned(), format!("{name}?faces=400"), format!("{name}?faces=5000")] {
            let made = deforming(&text).unwrap();
            for i in 0..8 {
                let mesh = at(&made, f64::from(i) / 8.0);
                assert_eq!(closed_outward(&mesh), 2, "{text} at {i}/8");
                assert_eq!(meets_itself(&mesh), None, "{text} at {i}/8");
            }
        }
    }
}

#[test]
fn face_counts_are_met() {
    let count = |text: &str| deforming(text).unwrap().mesh.face_count();
    assert_eq!(count("hand"), 960);
    for faces in [400, 401, 960, 3333, 40_000usize] {
        assert_eq!(count(&format!("hand?faces={faces}")), faces.next_multiple_of(2));
    }
    assert_eq!(count("pulsating-sphere"), 960);
    assert_eq!(count("twisting-rod"), 2000);
    for faces in [400, 5000, 20_000, 100_000] {
        assert_eq!(count(&format!("cloth?faces={faces}")), faces);
    }
    assert!(deforming("hand?faces=398").unwrap_err().to_string().contains("from 400 to 40000"));
}

#[test]
fn the_cloth_is_one_sheet_that_stays_off_the_ball_and_itself() {
    for (faces, phases) in [(400, 8), (5000, 8), (100_000, 2)] {
        let made = deforming(&format!("cloth?faces={faces}")).unwrap();
        for i in 0..phases {
            let mesh = at(&made, f64::from(i) / f64::from(phases));
            assert_eq!(meets_itself(&mesh), None, "{faces} faces at {i}/{phases}");
        }
    }
    let made = deforming("cloth?faces=5000").unwrap();
    for i in 0..=40 {
        let mesh = at(&made, f64::from(i) / 40.0);
        let near = (0..mesh.triangles().len() as u32).map(|t| {
            // Faces are small: their middles tell how near they come.
            mesh.triangle(t).map(DVec3::from_array).into_iter().sum::<DVec3>().length() / 3.0
        });
        let near = near.fold(f64::INFINITY, f64::min);
        assert!(near > 0.99, "{near} at {i}");
    }
}

#[test]
fn the_cloth_has_folds_about_as_long_as_itself() {
    let made = deforming("cloth?faces=100000").unwrap();
    let draped = at(&made, 0.5);
    let length = |mesh: &Mesh, [a, b]: [u32; 2]| {
        let [a, b] = [a, b].map(|v| DVec3::from_array(mesh.vertices()[v as usize]));
        a.distance(b)
    };
    // Along the border, whose cloth hangs free.
    let edge = |[a, b]: &[u32; 2]| {
        let on = |v: &u32| made.mesh.vertices()[*v as usize][0] == 2.5;
        on(a) && on(b)
    };
    let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
    let border: Vec<[u32; 2]> = made.mesh.triangles().iter().flat_map(sides).filter(edge).collect();
    let sum = |mesh: &Mesh| border.iter().map(|e| length(mesh, *e)).sum::<f64>();
    let ratio = sum(&draped) / sum(&made.mesh);
    assert!((0.7..1.4).contains(&ratio), "{ratio}");
}

#[test]
fn frames_are_phases() {
    let made = deforming("hand?faces=400").unwrap();
    let frames = made.frames(5);
    assert_eq!(frames.len(), 5);
    assert_eq!(frames.frame(0), made.mesh.vertices());
    assert_eq!(frames.frame(2), at(&made, 0.4).vertices());
}
