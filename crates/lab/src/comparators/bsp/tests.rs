//! Trees are held against exact arithmetic, and are as deep and as tolerant as they are said to be.

use super::*;
use crate::near::{Approach, Random, poses};
use impinge::contract::answer::Verdict;
use impinge::prelude::{PosedPair, Query};
use impinge_geom::inside::{Location, locate};
use impinge_samples::build_mesh;

const BOTH: [Splitters; 2] = [Splitters::Faces, Splitters::FacesAndAxes];

fn mesh(text: &str) -> Arc<Mesh> {
    Arc::new(build_mesh(text).unwrap())
}

fn solid(text: &str, splitters: Splitters) -> Solid {
    Solid::of(mesh(text), splitters).unwrap()
}

fn meets(a: &Solid, b: &Solid, pose: &Pose) -> bool {
    meet([a, b], [&Pose::IDENTITY, pose], &mut Scratch::default())
}

#[test]
fn leaves_are_inside_where_the_solid_is() {
    for text in ["sphere?faces=480", "torus", "shuttle", "chair", "shrine", "spaceship?faces=1024"]
    {
        let mesh = mesh(text);
        let all: Vec<_> = (0..mesh.triangles().len() as u32).map(|i| mesh.triangle(i)).collect();
        let bounds = mesh.bounds();
        for splitters in BOTH {
            let solid = Solid::of(mesh.clone(), splitters).unwrap();
            let mut random = Random::of([1, 2, 3]);
            let mut found = [0; 2];
            for _ in 0..600 {
                let point: Point =
                    std::array::from_fn(|k| random.between([bounds.min[k], bounds.max[k]]));
                let inside = locate(&point, all.iter().copied()) == Location::Inside;
                assert_eq!(solid.holds(point), inside, "{text}, {splitters:?}: {point:?}");
                found[usize::from(inside)] += 1;
            }
            assert!(found.iter().all(|count| *count > 20), "{text}: {found:?}");
        }
    }
}

/// Poses that are just touching or just apart, none nearer to that than 10⁻⁵ of the size, and the
/// same as an exact engine sees them.
#[test]
fn verdicts_are_those_of_exact_arithmetic() {
    let pairs = [
        ("sphere?faces=120", "torus?segments=20&sides=8"),
        ("shuttle", "chair"),
        ("spaceship?faces=1024", "spaceship?faces=1024"),
        ("shrine", "spaceship?faces=1024"),
    ];
    for (first, second) in pairs {
        let (a, b) = (mesh(first), mesh(second));
        let mut exact = PosedPair::new(a.clone(), b.clone()).unwrap();
        let near = poses(&mut exact, &Approach::of([&a, &b], 5), 120).unwrap();
        let truth: Vec<bool> = exact
            .check(&near, &Query::TOUCHING)
            .all()
            .iter()
            .map(|answer| matches!(answer.verdict, Verdict::Hit(_)))
            .collect();
        let hits = truth.iter().filter(|hit| **hit).count();
        assert!((20..100).contains(&hits), "{first} and {second}: {hits}");
        for splitters in BOTH {
            let [a, b] = [&a, &b].map(|mesh| Solid::of(mesh.clone(), splitters).unwrap());
            for (pose, hit) in near.iter().zip(&truth) {
                let told = meets(&a, &b, pose);
                assert_eq!(told, *hit, "{first} and {second}, {splitters:?}: {pose:?}");
                let back = meet([&b, &a], [pose, &Pose::IDENTITY], &mut Scratch::default());
                assert_eq!(back, *hit, "{second} and {first}, {splitters:?}: {pose:?}");
            }
        }
    }
}

#[test]
fn a_body_inside_another_meets_it_from_both_sides() {
    for splitters in BOTH {
        let (room, ball) = (solid("box?x=9&y=9&z=9", splitters), solid("sphere", splitters));
        let cup = solid("cup?radius=3&height=6&wall=0.5", splitters);
        let inner = Pose::shift([0.0, 0.0, 3.0]).unwrap();
        assert!(meets(&room, &ball, &Pose::IDENTITY) && meets(&ball, &room, &Pose::IDENTITY));
        assert!(!meets(&cup, &ball, &inner), "the hollow of a cup is outside");
        assert!(!meets(&ball, &cup, &inner.inverse()));
    }
}

#[test]
fn its_tolerance_is_as_told() {
    let mut random = Random::of([4, 4, 4]);
    for splitters in BOTH {
        let (a, b) = (solid("box", splitters), solid("box", splitters));
        let size = 3f64.sqrt();
        for _ in 0..200 {
            // A corner comes down on the middle of a side.
            let turned = Pose::new(random.on_sphere::<4>(), [0.0; 3]).unwrap();
            let corners = b.mesh.vertices().iter().map(|v| turned.apply(v));
            let lowest = corners.min_by(|p, q| p[2].total_cmp(&q[2])).unwrap();
            let at = |gap: f64| {
                let place = [-lowest[0], -lowest[1], 0.5 - lowest[2] + gap];
                Pose::new(turned.rotation(), place).unwrap()
            };
            assert!(!meets(&a, &b, &at(10.0 * TOLERANCE * size)));
            assert!(meets(&a, &b, &at(-10.0 * TOLERANCE * size)));
        }
        // Sides flush against each other touch, as exact engines say; a gap parts them.
        let beside = |gap: f64| Pose::shift([1.0 + gap, 0.25, 0.0]).unwrap();
        assert!(meets(&a, &b, &beside(0.0)));
        assert!(!meets(&a, &b, &beside(10.0 * TOLERANCE * size)));
    }
}

#[test]
fn trees_are_deep_as_their_splitters_make_them() {
    let sphere = "sphere?faces=480";
    let (chain, tree) = (solid(sphere, Splitters::Faces), solid(sphere, Splitters::FacesAndAxes));
    // Each face of a convex body has all others behind it; this one is convex but for rounding.
    assert!(chain.depth() > 300 && chain.planes() < 2 * 480, "{}", chain.depth());
    assert!(tree.depth() < 40, "{}", tree.depth());
}

#[test]
fn an_open_mesh_is_refused() {
    let closed = build_mesh("box").unwrap();
    let open = Mesh::new(closed.vertices().to_vec(), closed.triangles()[1..].to_vec()).unwrap();
    let error = Solid::of(open, Splitters::Faces).unwrap_err().to_string();
    assert!(error.contains("not on closed shells"), "{error}");
}
