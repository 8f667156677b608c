//! The registry as a whole: every sample is what it claims to be, and errors tell what is possible.

use super::*;
use impinge_geom::Point;
use proptest::prelude::*;
use surface::tests::closed_outward;

fn meshes() -> impl Iterator<Item = &'static Sample> {
    all().iter().filter(|sample| sample.kind() == Kind::Mesh)
}

#[test]
fn names_are_unique_and_defaults_are_within_their_ranges() {
    for (i, sample) in all().iter().enumerate() {
        assert!(all()[..i].iter().all(|other| other.name != sample.name), "{}", sample.name);
        for (j, p) in sample.parameters.iter().enumerate() {
            assert!(p.min <= p.default && p.default <= p.max, "{}?{}", sample.name, p.name);
            assert!(sample.parameters[..j].iter().all(|other| other.name != p.name));
        }
    }
    assert!(matches!(build(DEFAULT_SCENE), Ok(Sampled::Scene(_))));
}

#[test]
fn every_mesh_is_closed_outward_and_exact_in_f32() {
    for sample in meshes() {
        let mesh = build_mesh(sample.name).unwrap();
        if sample.name != "cloth" {
            let euler = match sample.name {
                "torus" | "torus-knot" | "chair" => 0,
                // Two pieces, of which one has 14 handles, mostly windows of the railing.
                "shrine" => 2 + (2 - 2 * 14),
                // The hull and two engines.
                "spaceship" => 3 * 2,
                _ => 2,
            };
            assert_eq!(closed_outward(&mesh), euler, "{}", sample.name);
        }
        let exact = |x: &f64| f64::from(*x as f32) == *x && x.to_bits() != (-0.0f64).to_bits();
        assert!(mesh.vertices().as_flattened().iter().all(exact), "{}", sample.name);
    }
}

/// Two faces that share no corner but meet, if there are such: every pair whose boxes overlap.
pub(crate) fn meets_itself(mesh: &Mesh) -> Option<[u32; 2]> {
    let count = mesh.triangles().len() as u32;
    let boxes: Vec<[Point; 2]> = (0..count)
        .map(|i| {
            let corners = mesh.triangle(i);
            let over = |f: fn(f64, f64) -> f64| {
                std::array::from_fn(|k| f(f(corners[0][k], corners[1][k]), corners[2][k]))
            };
            [over(f64::min), over(f64::max)]
        })
        .collect();
    let mut order: Vec<u32> = (0..count).collect();
    order.sort_by(|&a, &b| boxes[a as usize][0][0].total_cmp(&boxes[b as usize][0][0]));
    for (place, &a) in order.iter().enumerate() {
        let [low, high] = boxes[a as usize];
        for &b in &order[place + 1..] {
            let [other_low, other_high] = boxes[b as usize];
            if other_low[0] > high[0] {
                break;
            }
            let apart = (1..3).any(|k| other_low[k] > high[k] || low[k] > other_high[k]);
            let [s, t] = [a, b].map(|i| mesh.triangles()[i as usize]);
            if apart || s.iter().any(|v| t.contains(v)) {
                continue;
            }
            if impinge_geom::tri_tri::intersect(&mesh.triangle(a), &mesh.triangle(b)) {
                return Some([a, b]);
            }
        }
    }
    None
}

#[test]
fn models_do_not_meet_themselves() {
    for name in ["shuttle", "shuttle?faces=2000", "chair", "chair?faces=1000", "head", "shrine"] {
        assert_eq!(meets_itself(&build_mesh(name).unwrap()), None, "{name}");
    }
    for name in ["spaceship", "spaceship?faces=1024", "spaceship?faces=9000"] {
        assert_eq!(meets_itself(&build_mesh(name).unwrap()), None, "{name}");
    }
    assert!(meets_itself(&build_mesh("head?faces=200").unwrap()).is_none());
    // The search does find: a sphere whose lower end is pulled out at the top.
    let sphere = build_mesh("sphere?faces=960").unwrap();
    let mut vertices = sphere.vertices().to_vec();
    vertices[0] = [0.0, 0.0, 2.0];
    let tangled = sphere.with_vertices(vertices).unwrap();
    assert!(meets_itself(&tangled).is_some());
}

#[test]
fn face_counts_are_as_documented() {
    let count = |text: &str| build_mesh(text).unwrap().face_count();
    for faces in [8, 10, 24, 48, 54, 80, 120, 168, 224, 360, 528, 728, 960, 3968, 10_200, 499_848] {
        assert_eq!(count(&format!("sphere?faces={faces}")), faces);
    }
    assert_eq!(count("torus?segments=126&sides=40"), 10_080);
    assert_eq!(count("torus-knot?segments=833&sides=60"), 99_960);
    assert_eq!(count("box"), 12);
    assert_eq!(count("cone?segments=18"), 36);
    assert_eq!(count("capped-cone?segments=9"), 36);
    assert_eq!(count("cylinder?segments=10&rings=3"), 80);
    assert_eq!(count("icosahedron"), 20);
    assert_eq!(count("stellated-dodecahedron"), 60);
    assert_eq!(count("polytope"), 36);
    for (faces, made) in [(1024, 1152), (3072, 3072), (10_000, 10_080)] {
        assert_eq!(count(&format!("spaceship?faces={faces}")), made);
    }
    for (name, faces) in [("shuttle", 528), ("chair", 146), ("head", 1816), ("shrine", 5264)] {
        assert_eq!(count(name), faces);
        for more in [7777usize, 10_000] {
            assert_eq!(count(&format!("{name}?faces={more}")), more.next_multiple_of(2));
        }
    }
}

#[test]
fn volumes_are_those_of_the_solids() {
    let volume = |text: &str| -> f64 {
        let mesh = build_mesh(text).unwrap();
        let six = |t: [Point; 3]| {
            let [a, b, c] = t.map(glam::DVec3::from_array);
            a.dot(b.cross(c))
        };
        (0..mesh.triangles().len() as u32).map(|i| six(mesh.triangle(i)) / 6.0).sum()
    };
    let pi = std::f64::consts::PI;
    let close = |text: &str, want: f64| {
        let found = volume(text);
        assert!((found / want - 1.0).abs() < 0.01, "{text}: {found}, not {want}");
    };
    close("sphere?faces=10200&radius=3", 36.0 * pi);
    close("ellipsoid?faces=10200&rx=1&ry=2&rz=3", 8.0 * pi);
    close("torus?segments=126&sides=40&ring=1&thickness=0.35", 2.0 * pi * pi * 0.35 * 0.35);
    close("box?x=1&y=2&z=3", 6.0);
    close("cone?segments=100&radius=2&height=3", 4.0 * pi);
    close("capped-cone?segments=100&radius=2&top=1&height=3", 7.0 * pi);
    close("cylinder?segments=100&radius=2&height=3", 12.0 * pi);
    close("cup?segments=100&radius=2&height=3&wall=1", 10.0 * pi);
    // 5 (3 + √5) / 12 · a³ with the edge a = 4 / √(10 + 2√5) for a radius of 1.
    close("icosahedron", 2.536_15);
}

#[test]
fn the_sides_of_the_star_lie_in_the_planes_of_the_dodecahedron() {
    let mesh = build_mesh("stellated-dodecahedron").unwrap();
    // Each plane holds five sides of the star, one of each of five pyramids.
    for i in 0..60 {
        let [a, b, c] = mesh.triangle(i).map(glam::DVec3::from_array);
        let normal = (b - a).cross(c - a).normalize();
        let inside = |j: &u32| {
            mesh.triangle(*j)
                .iter()
                .all(|p| (glam::DVec3::from_array(*p) - a).dot(normal).abs() < 1e-5)
        };
        assert_eq!((0..60).filter(inside).count(), 5, "face {i}");
    }
}

#[test]
fn what_cannot_be_made_is_refused_with_what_can() {
    let message = |text: &str| build(text).unwrap_err().to_string();
    assert!(
        message("spere").starts_with("there is no sample `spere`; known are sphere, ellipsoid")
    );
    assert_eq!(
        message("sphere?face=9"),
        "the sample `sphere` has no parameter `face`; it has faces, radius"
    );
    assert_eq!(
        message("sphere?faces=10000001"),
        "`sphere?faces=10000001`: a whole number from 8 to 10000000 is needed"
    );
    for bad in ["7", "8.5", "-8", "nan", "inf", "", "ten", "1e99"] {
        assert!(message(&format!("sphere?faces={bad}")).contains("from 8 to 10000000"), "{bad}");
    }
    assert!(message("sphere?faces").contains("`name=value` is needed"));
    assert!(message("sphere?faces=8&faces=8").contains("given twice"));
    assert!(message("box?x=0").contains("from 0.000001 to 1000000"));
    assert!(message("torus?thickness=1").contains("must be smaller than the ring"));
    assert!(message("torus-knot?p=2&q=4").contains("no common divisor"));
    assert!(message("torus?segments=1000000&sides=6").contains("would have 12000000 faces"));
    assert!(message("cone?segments=1000000&rings=6").contains("would have 12000000 faces"));
    assert!(message("torus?thickness=1e-6&sides=100").contains("shrinks to nothing"));
    assert!(message("headlight?x=1").contains("it has none"));
    assert!(build_mesh("headlight").unwrap_err().to_string().contains("one mesh is needed"));
}

#[test]
fn scenes_have_closed_parts_with_unique_names() {
    for sample in all().iter().filter(|sample| sample.kind() == Kind::Scene) {
        let Sampled::Scene(scene) = build(sample.name).unwrap() else { panic!("{sample:?}") };
        assert!(scene.parts.len() >= 2);
        for (i, part) in scene.parts.iter().enumerate() {
            if part.name != "cloth" {
                closed_outward(&part.mesh);
            }
            assert!(scene.parts[..i].iter().all(|other| other.name != part.name));
        }
    }
}

/// All pairs of bodies whose surfaces touch, by comparing every face with every face.
fn touching(scene: &SampleScene) -> Vec<[&str; 2]> {
    let placed: Vec<Vec<impinge_geom::Triangle>> = scene
        .parts
        .iter()
        .map(|part| {
            let triangle = |i| part.mesh.triangle(i).map(|p| part.pose.apply(&p));
            (0..part.mesh.triangles().len() as u32).map(triangle).collect()
        })
        .collect();
    let mut found = Vec::new();
    for a in 0..placed.len() {
        for b in a + 1..placed.len() {
            let meets = |s| placed[b].iter().any(|t| impinge_geom::tri_tri::intersect(s, t));
            if placed[a].iter().any(meets) {
                found.push([scene.parts[a].name.as_str(), scene.parts[b].name.as_str()]);
            }
        }
    }
    found
}

#[test]
fn exactly_the_parts_that_should_touch_do() {
    let touching_in = |name: &str| match build(name) {
        Ok(Sampled::Scene(scene)) => {
            touching(&scene).iter().map(|pair| pair.map(str::to_owned)).collect::<Vec<_>>()
        }
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(touching_in("headlight"), [["housing", "screw"]]);
    assert_eq!(touching_in("headlight-seated"), [["housing", "cover"]]);
    assert!(touching_in("interlocked-tori").is_empty());
    assert!(touching_in("cloth-ball?faces=400").is_empty());
    assert!(touching_in("hands").is_empty());
}

#[test]
fn the_seated_cover_lies_exactly_in_the_plane_of_the_rim() {
    let Ok(Sampled::Scene(scene)) = build("headlight-seated") else { panic!("no scene") };
    let height = |name: &str| {
        let part = scene.parts.iter().find(|part| part.name == name).unwrap();
        let placed = part.mesh.vertices().iter().map(|v| part.pose.apply(v)[2]);
        placed.fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], z| [lo.min(z), hi.max(z)])
    };
    assert_eq!(height("housing")[1], height("cover")[0]);
}

#[test]
fn knots_that_would_meet_themselves_are_refused() {
    let refusal = |text: &str| build_mesh(text).unwrap_err().to_string();
    assert!(refusal("torus-knot?p=3&q=50").contains("strands are 0.0"));
    assert!(refusal("torus-knot?p=2&q=9&segments=60&thickness=0.05").contains("at least 72"));
}

proptest! {
    #[test]
    fn any_parameters_give_a_good_mesh_or_an_error(
        which in 0..13usize,
        parts in prop::collection::vec(0.0..1.0f64, 7),
    ) {
        let sample = meshes().nth(which).unwrap();
        let mut text = format!("{}?", sample.name);
        for (p, part) in sample.parameters.iter().zip(&parts) {
            // Spread over the orders of magnitude, but no more than some thousand faces.
            let max = if p.whole { p.max.min(60.0) } else { p.max };
            let low = p.min.max(1e-9).ln();
            let value = (low + part * (max.ln() - low)).exp().clamp(p.min, max);
            let value = if p.whole { value.floor() } else { value };
            text += &format!("{}={value}&", p.name);
        }
        match build_mesh(&text) {
            Ok(mesh) => { closed_outward(&mesh); }
            Err(error) => prop_assert!(matches!(
                error,
                SampleError::Conflict { .. } | SampleError::TooFine { .. }
            ), "{text}: {error}"),
        }
    }
}
