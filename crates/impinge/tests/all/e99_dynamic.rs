//! The paper's dynamic tests through the engines: right where they can be, and missing what they must.

use impinge::contract::answer::{Answer, Answers};
use impinge::contract::engine::Scratch;
use impinge::contract::job::{Batch, Job, Placed, Placement};
use impinge::narrow;
use impinge::prelude::*;
use impinge_geom::first_contact::Feature;
use impinge_geom::motion::{Motion, Screw};
use impinge_geom::{Point, Triangle};
use impinge_samples::build_mesh;
use proptest::prelude::*;
use std::sync::Arc;

const KINDS: [&str; 3] = ["e99-spheres", "e99-aabb", "e99-obb"];
const METHODS: [&str; 2] = ["linear", "regula-falsi"];

fn ask(
    engine: &str,
    meshes: [&Mesh; 2],
    ways: [&Placement; 2],
    query: &Query,
) -> (Answer, Answers) {
    let mut engine = narrow::by_text(engine).expect("it is registered");
    let place = |k: usize| Placed { shape: ShapeId(k as u32), placement: ways[k].clone() };
    for (k, mesh) in meshes.into_iter().enumerate() {
        engine.prepare(ShapeId(k as u32), &Arc::new(mesh.clone())).expect("it takes any mesh");
    }
    let jobs = [Job { a: place(0), b: place(1), itself: false, memory: None, priority: 1.0 }];
    let mut answers = Answers::default();
    let batch = Batch { jobs: &jobs, query };
    engine.collide(&batch, &mut Scratch::default(), &mut answers.refill());
    (answers.all()[0].clone(), answers)
}

fn shifted(by: Point) -> Pose {
    Pose::shift(by).expect("finite")
}

fn moving(from: Point, to: Point) -> Placement {
    Placement::Moving(Arc::new(Motion::lerp_slerp(shifted(from), shifted(to))))
}

fn still() -> Placement {
    Placement::Fixed(Pose::IDENTITY)
}

fn mesh(triangles: &[Triangle]) -> Mesh {
    let indices = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(triangles.as_flattened().to_vec(), indices).expect("finite corners")
}

/// A spike above a plate, pointing down at the height 1.
fn spike_and_plate() -> [Mesh; 2] {
    let spike = [[0.0, 0.0, 1.0], [0.1, 0.0, 2.0], [0.0, 0.1, 2.0]];
    let plate = [[-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [-1.0, 2.0, 0.0]];
    [mesh(&[spike]), mesh(&[plate])]
}

#[test]
fn a_spike_meets_a_plate() {
    let [spike, plate] = spike_and_plate();
    for kind in KINDS {
        for method in METHODS {
            let engine = format!("{kind}?dynamic={method}");
            // Both move: they approach by 2 in all, and the gap is 1.
            let ways = [&moving([0.0; 3], [0.0, 0.0, -1.5]), &moving([0.0; 3], [0.0, 0.0, 0.5])];
            let query = Query { want: Want::Contacts, ..Query::FIRST_CONTACT };
            let (answer, answers) = ask(&engine, [&spike, &plate], ways, &query);
            assert_eq!(answer.verdict, Verdict::Hit(HitKind::Surface), "{engine}");
            let first = answer.first.expect("it was free at the start");
            assert_eq!((first.time, answer.time), ([0.5; 2], Some([0.5; 2])));
            assert_eq!(first.features, [Feature::Vertex(0), Feature::Face(0)]);
            assert_eq!(first.points, [[0.0, 0.0, 0.25]; 2]);
            assert_eq!((first.normal, first.within), ([0.0, 0.0, -1.0], 0.0));
            assert!(answer.guarantee.may_miss && answer.guarantee.may_invent);
            assert_eq!(answers.triangle_pairs(&answer), [[0, 0]]);
            assert_eq!(answers.contacts(&answer).len(), 1);
            let swapped = ask(&engine, [&plate, &spike], [ways[1], ways[0]], &query).0;
            let other = swapped.first.expect("the same contact");
            assert_eq!(other.features, [Feature::Face(0), Feature::Vertex(0)]);
            assert_eq!((other.time, other.normal), (first.time, [0.0, 0.0, 1.0]));
        }
    }
}

#[test]
fn what_touches_at_the_start_is_said_or_left_out() {
    let [spike, plate] = spike_and_plate();
    // The spike is through the first plate, and on its way to the second.
    let lower = plate.triangle(0).map(|[x, y, z]| [x, y, z - 3.0]);
    let plates = mesh(&[plate.triangle(0), lower]);
    let way = moving([0.0, 0.0, -1.5], [0.0, 0.0, -5.5]);
    let ways = [&way, &still()];
    let (answer, answers) = ask("e99-obb", [&spike, &plates], ways, &Query::FIRST_CONTACT);
    assert_eq!(answer.verdict, Verdict::Hit(HitKind::Surface));
    assert_eq!((answer.time, answer.first), (Some([0.0; 2]), None));
    assert_eq!(answers.triangle_pairs(&answer), [[0, 0]]);
    assert!(!answer.guarantee.may_miss);
    let new = Query { onset: Onset::New, ..Query::FIRST_CONTACT };
    let (answer, _) = ask("e99-obb", [&spike, &plates], ways, &new);
    let first = answer.first.expect("the second plate is new");
    assert_eq!((first.triangles, first.time), ([0, 1], [0.625; 2]));
    let up = moving([0.0, 0.0, -1.5], [0.0, 0.0, 1.5]);
    let (answer, _) = ask("e99-obb", [&spike, &plates], [&up, &still()], &new);
    assert_eq!((answer.verdict, answer.time), (Verdict::Free, None));
    let there = Placement::Fixed(shifted([0.0, 0.0, -1.5]));
    let (answer, _) = ask("e99-obb", [&spike, &plates], [&there, &still()], &new);
    assert_eq!((answer.verdict, answer.guarantee.may_miss), (Verdict::Free, false));
}

#[test]
fn a_whole_turn_is_missed_and_the_answer_admits_it() {
    let [spike, plate] = spike_and_plate();
    // Over and through the plate, back to the start: all values of d are alike at both ends.
    let screw = Screw {
        point: [0.0, 0.0, 3.0],
        direction: [1.0, 0.0, 0.0],
        angle: std::f64::consts::TAU,
        advance: 0.0,
    };
    let low = shifted([0.0, 0.0, -1.5]);
    let motion = Motion::screw(low, screw).expect("a screw");
    let way = Placement::Moving(Arc::new(motion));
    let high = Placement::Fixed(shifted([0.0, 0.0, 6.0]));
    let truth = Query { mode: Mode::PseudoDynamic(100), ..Query::TOUCHING };
    assert!(matches!(
        ask("brute", [&spike, &plate], [&way, &high], &truth).0.verdict,
        Verdict::Hit(_)
    ));
    for engine in ["e99-obb", "e99-obb?between=16", "e99-spheres?dynamic=linear&between=16"] {
        let (answer, _) = ask(engine, [&spike, &plate], [&way, &high], &Query::FIRST_CONTACT);
        assert_eq!((answer.verdict, answer.guarantee.may_miss), (Verdict::Free, true), "{engine}");
    }
}

#[test]
fn a_spent_budget_leaves_it_unknown() {
    let knot = build_mesh("torus-knot?segments=64&sides=8").expect("a sample");
    let way = moving([9.0, 0.0, 0.0], [0.0; 3]);
    let ask_with = |budget: Budget| {
        let query = Query { budget, ..Query::FIRST_CONTACT };
        ask("e99-obb", [&knot, &knot], [&still(), &way], &query).0
    };
    let whole = ask_with(Budget::Unlimited);
    assert!(whole.complete && whole.first.is_some());
    let cut = ask_with(Budget::Work(20));
    assert_eq!((cut.complete, cut.verdict), (false, Verdict::Unknown));
    assert_eq!(cut.time, Some([0.0, 1.0]));
    assert_eq!(ask_with(Budget::Work(10_000_000)), whole);
}

fn soups() -> impl Strategy<Value = Vec<Triangle>> {
    let corner = prop::array::uniform3(-1.0..1.0f64);
    prop::collection::vec(prop::array::uniform3(corner), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Without turning every d is a straight line and every swept volume a bound: what is found is
    /// right, for bodies in no special position.
    #[test]
    fn a_shift_is_judged_rightly(
        soups in [soups(), soups()],
        far in prop::array::uniform3(2.1..4.0f64),
        to in prop::array::uniform3(-2.0..2.0f64),
    ) {
        let [a, b] = [mesh(&soups[0]), mesh(&soups[1])];
        let way = moving(far, to);
        let touches = |time: f64| {
            let place = Placement::Fixed(way.at(time));
            let (answer, _) = ask("brute", [&a, &b], [&still(), &place], &Query::TOUCHING);
            answer.verdict != Verdict::Free
        };
        let mut found = Vec::new();
        for kind in KINDS {
            let (answer, _) = ask(kind, [&a, &b], [&still(), &way], &Query::FIRST_CONTACT);
            found.push(answer.first);
        }
        prop_assert!(found.iter().all(|first| *first == found[0]), "{:?}", found);
        let end = found[0].map_or(1.0, |first| first.time[0] - 1e-9);
        for step in 0..=40 {
            prop_assert!(!touches(end * f64::from(step) / 40.0));
        }
        if let Some(first) = found[0] {
            prop_assert!(touches((first.time[0] + 1e-9).min(1.0)));
            prop_assert!(first.within < 1e-12);
        }
        let linear = "e99-obb?dynamic=linear&between=2";
        let (answer, _) = ask(linear, [&a, &b], [&still(), &way], &Query::FIRST_CONTACT);
        let times = [answer.first, found[0]].map(|first| first.map_or(2.0, |first| first.time[0]));
        prop_assert!((times[0] - times[1]).abs() < 1e-9);
    }
}
