//! Hierarchies of every kind, splitter and measure against brute force: the same triangle pairs,
//! contacts, verdicts and clearances, on soups that are made to be nasty.

use impinge::contract::engine::Engine;
use impinge::narrow::brute::Brute;
use impinge::narrow::e99::E99;
use impinge::prelude::*;
use impinge::{broad, narrow};
use impinge_geom::hierarchy::{Kind, Params, Quality, Splitter};
use impinge_geom::mesh::Mesh;
use impinge_geom::{Point, Triangle};
use proptest::prelude::*;

type Soup = Vec<Triangle>;

fn mesh(triangles: &[Triangle]) -> Mesh {
    let indices = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(triangles.as_flattened().to_vec(), indices).expect("finite corners")
}

/// On a coarse grid (touching, flat, degenerate and equal faces), near it, or anywhere.
fn soups() -> impl Strategy<Value = Soup> {
    let number = prop_oneof![
        6 => (0i8..4).prop_map(f64::from),
        1 => (0i8..4).prop_map(|x| f64::from(x).next_up()),
        3 => 0.0..3.0f64,
    ];
    let corner = prop::array::uniform3(number);
    (prop::collection::vec(prop::array::uniform3(corner), 1..40), prop::bool::ANY).prop_map(
        |(soup, flat)| {
            let place = |p: Point| if flat { [p[0], p[1], 1.0] } else { p };
            soup.into_iter().map(|triangle| triangle.map(place)).collect()
        },
    )
}

/// In place, by a grid step, a quarter turn, anyhow, or so far out that rounding is coarse.
fn poses() -> impl Strategy<Value = Pose> {
    let turn = prop_oneof![
        Just([1.0, 0.0, 0.0, 0.0]),
        Just([1.0, 0.0, 0.0, 1.0]),
        prop::array::uniform4(-1.0..1.0f64),
    ];
    let shift = prop_oneof![
        prop::array::uniform3((-1i8..3).prop_map(f64::from)),
        prop::array::uniform3(-4.0..4.0f64),
    ];
    (turn, shift).prop_filter_map("no rotation", |(turn, shift)| Pose::new(turn, shift).ok())
}

fn params() -> impl Strategy<Value = Params> {
    let kind = prop_oneof![Just(Kind::Spheres), Just(Kind::Aabbs), Just(Kind::Obbs)];
    let splitter =
        prop_oneof![Just(Splitter::Plain), Just(Splitter::Heuristic), Just(Splitter::Gottschalk)];
    let quality =
        prop_oneof![Just(Quality::Volume), Just(Quality::Surface), Just(Quality::Hausdorff)];
    (kind, splitter, quality, 0.1..0.99f64, prop::array::uniform2(2u8..7), 1u32..6).prop_map(
        |(kind, splitter, quality, alpha, [p, q], leaf_max)| {
            let degrees = [p.min(q), p.max(q)];
            Params { kind, splitter, quality, alpha, degrees, leaf_max }
        },
    )
}

/// What a world of two bodies says, in all that must not depend on the engine.
#[derive(Debug, PartialEq)]
struct Said {
    verdict: Verdict,
    pairs: Vec<[u32; 2]>,
    contacts: Vec<Contact>,
}

struct Trial {
    world: World,
}

impl Trial {
    fn of(engine: Box<dyn Engine>, bodies: &[(&Soup, Pose)]) -> Self {
        let mut world = World::with(broad::by_name("brute").expect("it is there"), engine);
        for (soup, pose) in bodies {
            let shape = world.add_shape(mesh(soup)).expect("soup is legal");
            world.insert(Body::new(shape).at(*pose)).expect("a known shape");
        }
        Self { world }
    }

    fn ask(&mut self, query: &Query) -> Vec<Said> {
        let report = self.world.step(query);
        let said = |pair: PairReport<'_>| Said {
            verdict: pair.answer.verdict,
            pairs: pair.triangle_pairs.to_vec(),
            contacts: pair.contacts.to_vec(),
        };
        report.pairs().map(said).collect()
    }

    fn clearance(&mut self) -> Option<Clearance> {
        let report = self.world.step(&Query::CLEARANCE);
        report.pairs().next().and_then(|pair| pair.answer.clearance)
    }
}

/// How many poses the clearance is held against brute force at.
const CASES: u32 = 400;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn two_bodies_are_judged_as_by_brute_force(
        soups in [soups(), soups()], poses in [poses(), poses()], params in params(),
        far in prop_oneof![2 => Just(0.0), 1 => Just(1e4), 1 => Just(1e9), 1 => Just(1e13)],
    ) {
        // Far from the origin the posed vertices differ from a rigid placement by much.
        let away = |pose: &Pose| {
            let shift = pose.translation().map(|x| x + far);
            Pose::new(pose.rotation(), shift).expect("finite")
        };
        let bodies = [(&soups[0], away(&poses[0])), (&soups[1], away(&poses[1]))];
        let mut brute = Trial::of(Box::new(Brute::default()), &bodies);
        let mut tree = Trial::of(Box::new(E99::new(params)), &bodies);
        prop_assert_eq!(tree.ask(&Query::CONTACTS), brute.ask(&Query::CONTACTS));
        prop_assert_eq!(tree.ask(&Query::PAIRS), brute.ask(&Query::PAIRS));
        let verdicts = |said: Vec<Said>| said.iter().map(|s| s.verdict).collect::<Vec<_>>();
        let touching = verdicts(tree.ask(&Query::TOUCHING));
        prop_assert_eq!(touching, verdicts(brute.ask(&Query::TOUCHING)));
        let within = Query { itself: true, ..Query::PAIRS };
        prop_assert_eq!(tree.ask(&within), brute.ask(&within));
    }

    #[test]
    fn the_clearance_is_that_of_brute_force(
        soups in [soups(), soups()], poses in [poses(), poses()], params in params(),
        apart in 0.0..6.0f64,
    ) {
        let [x, y, z] = poses[1].translation();
        let shift = [x + apart, y, z];
        let moved = Pose::new(poses[1].rotation(), shift).expect("finite");
        let bodies = [(&soups[0], poses[0]), (&soups[1], moved)];
        let mut brute = Trial::of(Box::new(Brute::default()), &bodies);
        let mut tree = Trial::of(Box::new(E99::new(params)), &bodies);
        let (found, known) = (tree.clearance(), brute.clearance());
        prop_assert_eq!(found.is_some(), known.is_some());
        if let (Some(found), Some(known)) = (found, known) {
            prop_assert!((found.at_most - known.at_most).abs() < 1e-12, "{:?} {:?}", found, known);
            prop_assert!(found.at_least <= known.at_most && known.at_least <= found.at_most);
            let [p, q] = found.points;
            let length = (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
            prop_assert!((length - found.at_most).abs() < 1e-12);
            let below = Query { gap: Gap::Below(found.at_most * 1.001), ..Query::TOUCHING };
            let told = tree.world.step(&below).pairs().all(|pair| pair.answer.clearance.is_some());
            prop_assert!(told);
            let above = Query { gap: Gap::Below(found.at_least * 0.999), ..Query::TOUCHING };
            let told = tree.world.step(&above).pairs().any(|pair| pair.answer.clearance.is_some());
            prop_assert!(!told || found.at_least == 0.0);
        }
    }
}

#[test]
fn one_inside_the_other_is_found_at_any_pose() {
    let outer = impinge_samples::build_mesh("bumpy-sphere?faces=960&radius=2").unwrap();
    let inner = impinge_samples::build_mesh("torus-knot?segments=40&sides=6").unwrap();
    let hollow = impinge_samples::build_mesh("cup?segments=40&radius=4&height=6").unwrap();
    for name in narrow::exact_names() {
        for (k, angle) in [0.0f64, 0.3, 1.2, 2.5].into_iter().enumerate() {
            let verdict = |outer: &Mesh, shift: [f64; 3]| {
                let engine = narrow::by_name(name).unwrap();
                let mut world = World::with(broad::by_name("brute").unwrap(), engine);
                let outer = world.add_shape(outer.clone()).unwrap();
                let inner = world.add_shape(inner.clone()).unwrap();
                let far = [1e3 * k as f64, -50.0, 7.0];
                let pose = |shift: [f64; 3]| {
                    let place = std::array::from_fn(|k| far[k] + shift[k]);
                    Pose::new([angle.cos(), 0.1, angle.sin(), 0.2], place).unwrap()
                };
                world.insert(Body::new(outer).at(pose([0.0; 3]))).unwrap();
                // Small enough to be inside, and its middle is hollow: it is no shell around one.
                world.insert(Body::new(inner).at(pose(shift))).unwrap();
                world.step(&Query::TOUCHING).pairs().next().map(|pair| pair.answer.verdict)
            };
            let within = verdict(&outer, [0.0; 3]);
            assert_eq!(within, Some(Verdict::Hit(HitKind::Inside { inner: Side::B })), "{name}");
            assert_ne!(verdict(&hollow, [100.0, 0.0, 0.0]), within, "{name}");
        }
    }
}

#[test]
fn a_spent_budget_is_told_and_replays() {
    let knot = impinge_samples::build_mesh("torus-knot?segments=100&sides=8").unwrap();
    let ask = |budget: Budget| {
        let mut world =
            World::with(broad::by_name("brute").unwrap(), narrow::by_name("e99-obb").unwrap());
        let shape = world.add_shape(knot.clone()).unwrap();
        world.insert(Body::new(shape)).unwrap();
        let pose = Pose::new([0.9, 0.1, 0.3, 0.2], [0.3, 0.2, 0.4]).unwrap();
        world.insert(Body::new(shape).at(pose)).unwrap();
        let report = world.step(&Query { budget, ..Query::PAIRS });
        let pair = report.pairs().next().unwrap();
        (pair.answer.complete, pair.answer.verdict, pair.triangle_pairs.to_vec())
    };
    let (complete, _, all) = ask(Budget::Unlimited);
    assert!(complete && !all.is_empty());
    assert_eq!(ask(Budget::Work(50)), (false, Verdict::Unknown, Vec::new()));
    let some = ask(Budget::Work(3000));
    assert!(!some.0 && !some.2.is_empty() && some.2.iter().all(|pair| all.contains(pair)));
    assert_eq!(ask(Budget::Work(3000)), some);
    assert_eq!(ask(Budget::Work(10_000_000)).2, all);
    assert!(!ask(Budget::Time(std::time::Duration::ZERO)).0);
}

#[test]
fn heaps_of_equal_faces_are_held_against_each_other() {
    let face = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let heap: Soup = vec![face; 300];
    let above = Pose::shift([0.0, 0.0, 0.5]).unwrap();
    for kind in [Kind::Spheres, Kind::Aabbs, Kind::Obbs] {
        let engine = || Box::new(E99::of_kind(kind));
        let mut same = Trial::of(engine(), &[(&heap, Pose::IDENTITY), (&heap, Pose::IDENTITY)]);
        assert_eq!(same.ask(&Query::PAIRS)[0].pairs.len(), 300 * 300);
        let mut apart = Trial::of(engine(), &[(&heap, Pose::IDENTITY), (&heap, above)]);
        let clearance = apart.clearance().unwrap();
        assert!(clearance.at_least <= 0.5 && 0.5 <= clearance.at_most);
    }
}
