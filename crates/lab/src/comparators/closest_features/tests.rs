//! Against the exact engine, along motions, and from bad starts.

use super::*;
use crate::near::Random;
use impinge::contract::answer::Verdict;
use impinge::prelude::{Mesh, PosedPair, Query};
use impinge_geom::Point;
use impinge_samples::build_mesh;

/// Two meshes, their bodies, and the exact answer.
struct Trial {
    bodies: [Arc<Polytope>; 2],
    exact: PosedPair,
}

impl Trial {
    fn of(meshes: [Mesh; 2]) -> Self {
        let bodies = meshes.each_ref().map(|mesh| Arc::new(Polytope::of(mesh).unwrap()));
        let [a, b] = meshes;
        Self { bodies, exact: PosedPair::new(a, b).unwrap() }
    }

    fn samples(names: [&str; 2]) -> Self {
        Self::of(names.map(|name| build_mesh(name).unwrap()))
    }

    /// Compares a pair of places; whether it touches. Samples are convex but for the rounding of
    /// their coordinates, about 10⁻⁶.
    fn compare(&mut self, found: &Nearest, [a, b]: &[Pose; 2]) -> bool {
        let relative = a.inverse().after(b);
        let answer = &self.exact.check(&[relative], &Query::CLEARANCE).all()[0];
        let gap = answer.clearance.map_or(0.0, |gap| gap.at_most);
        let touches = matches!(answer.verdict, Verdict::Hit(_));
        assert!((found.distance - gap).abs() < 4e-6, "{found:?} {gap} {a:?} {b:?}");
        let apart = (found.points[0] - found.points[1]).length();
        assert!(found.distance == 0.0 || (apart - found.distance).abs() < 1e-9);
        touches
    }
}

#[test]
fn distances_are_exact_along_motions() {
    let mut random = Random::of([1, 2, 3]);
    for names in [
        ["sphere?faces=528", "sphere?faces=528"],
        ["box", "box"],
        ["polytope", "box"],
        ["cylinder", "polytope?corners=30"],
        ["icosahedron", "sphere?faces=120"],
    ] {
        let mut trial = Trial::samples(names);
        let mut features = ClosestFeatures::new(trial.bodies.clone());
        let (mut hits, mut cycles) = (0, 0);
        for _ in 0..8 {
            // Past each other at a distance that may be none, turning all the way.
            let turns = [random.on_sphere::<4>(), random.on_sphere::<4>()];
            let side = random.between([0.0, 2.0]);
            for k in 0..60 {
                let s = f64::from(k) / 60.0;
                let turn = std::array::from_fn(|i| turns[0][i] + s * turns[1][i]);
                let b = Pose::new(turn, [6.0 * s - 3.0, side, 0.3]).unwrap();
                let poses = [Pose::IDENTITY, b];
                let found = features.step(&poses);
                hits += u32::from(trial.compare(&found, &poses));
                cycles += 1;
            }
        }
        let work = features.work();
        assert!(hits > 10 && hits < cycles, "{names:?}: {hits} of {cycles}");
        // What coherence is for: few steps a cycle, and hardly ever a walk that is given up.
        assert!(work.steps < 12 * u64::from(cycles), "{names:?}: {work:?}");
        assert!(work.searches * 20 < u64::from(cycles), "{names:?}: {work:?}");
    }
}

#[test]
fn every_start_leads_to_the_same_distance() {
    let mut random = Random::of([4, 5, 6]);
    let mut trial = Trial::samples(["polytope", "sphere?faces=120"]);
    for round in 0..300 {
        let place = [(); 3].map(|()| random.between([-2.5, 2.5]));
        let poses = [Pose::IDENTITY, Pose::new(random.on_sphere::<4>(), place).unwrap()];
        let mut features = ClosestFeatures::new(trial.bodies.clone());
        let mut pick = |count: usize| (random.between([0.0, 1.0]) * count as f64) as u32;
        let start = |body: &Polytope, pick: &mut dyn FnMut(usize) -> u32| match round % 3 {
            0 => Feature::Vertex(pick(body.vertices.len())),
            1 => Feature::Edge(pick(body.edges.len())),
            _ => Feature::Face(pick(body.faces.len())),
        };
        features.features = [0, 1].map(|k| start(&trial.bodies[k], &mut pick));
        let found = features.step(&poses);
        trial.compare(&found, &poses);
    }
}

#[test]
fn looking_at_all_pairs_agrees_too() {
    let mut random = Random::of([8, 5, 6]);
    let mut trial = Trial::samples(["polytope", "box"]);
    let mut hits = 0;
    for _ in 0..200 {
        let place = [(); 3].map(|()| random.between([-1.5, 1.5]));
        let poses = [Pose::IDENTITY, Pose::new(random.on_sphere::<4>(), place).unwrap()];
        let bodies = [0, 1].map(|k| Placed { body: &trial.bodies[k], pose: &poses[k] });
        let found = exhaustive::search(&Pair { bodies, touching: 1e-11 });
        hits += u32::from(trial.compare(&found, &poses));
    }
    assert!(hits > 20 && hits < 180, "{hits}");
}

#[test]
fn lattices_with_faces_without_area_end() {
    // Boxes cut into needles and slivers, side by side on a lattice: parallel faces and edges, equal
    // distances everywhere, triangles without area.
    let points: Vec<Point> = (0..27).map(|k| [k % 3, k / 3 % 3, k / 9].map(f64::from)).collect();
    let triangles = (0..27u32).map(|k| [k, (k + 1) % 27, (k + 2) % 27]).collect();
    let grid = Mesh::new(points, triangles).unwrap();
    let body = Arc::new(Polytope::of(&grid).unwrap());
    assert!(grid.triangles().len() > body.faces.len());
    let mut features = ClosestFeatures::new([body.clone(), body]);
    for k in 0..343 {
        let at = DVec3::from([k % 7, k / 7 % 7, k / 49].map(|x| f64::from(x) - 3.0));
        for turn in [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]] {
            // Quarter turns about the middle of the grid map the box onto itself.
            let turned = Pose::new(turn, [0.0; 3]).unwrap();
            let middle = DVec3::from(turned.apply(&[1.0; 3]));
            let pose = Pose::new(turn, at + DVec3::ONE - middle).unwrap();
            let found = features.step(&[Pose::IDENTITY, pose]);
            let want = (at.abs() - DVec3::splat(2.0)).max(DVec3::ZERO).length();
            assert!((found.distance - want).abs() < 1e-9, "{at}: {found:?}");
        }
    }
}
