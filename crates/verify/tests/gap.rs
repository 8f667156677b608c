//! The one inequality, against dense sampling of the motion: a gap is never wider than what is seen.

use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::distance::triangle_triangle;
use impinge_geom::motion::path::Path;
use impinge_geom::motion::{Motion, Screw};
use impinge_geom::pose::Pose;
use impinge_verify::body::Body;
use impinge_verify::gap::{Case, Pair, Track};
use impinge_verify::route::{Place, Span};
use proptest::prelude::*;
use std::rc::Rc;

fn places(size: f64) -> impl Strategy<Value = Point> {
    prop::array::uniform3(-1.0..1.0f64).prop_map(move |p| p.map(|x| x * size))
}

fn faces() -> impl Strategy<Value = Vec<[Point; 3]>> {
    prop::collection::vec(prop::array::uniform3(places(1.0)), 1..20)
}

/// From a pose by a turn of the short way, or by a screw of several turns.
#[derive(Clone, Debug)]
enum Step {
    Turn([f64; 4], Point),
    Screw(Screw),
}

fn steps() -> impl Strategy<Value = Step> {
    let turn = (prop::array::uniform4(-1.0..1.0f64), places(5.0))
        .prop_filter("no rotation", |(q, _)| q.iter().any(|x| x.abs() > 0.1))
        .prop_map(|(q, shift)| Step::Turn(q, shift));
    let screw = (places(3.0), places(1.0), -20.0..20.0f64, -3.0..3.0f64)
        .prop_filter("no axis", |(_, way, _, _)| way.iter().any(|x| x.abs() > 0.1))
        .prop_map(|(point, direction, angle, advance)| {
            Step::Screw(Screw { point, direction, angle, advance })
        });
    prop_oneof![turn, screw]
}

fn path(steps: &[Step]) -> Path {
    let mut at = Pose::shift([4.0, 0.0, 0.0]).unwrap();
    let mut motions = Vec::new();
    for step in steps {
        let motion = match step {
            Step::Turn(q, shift) => Motion::lerp_slerp(at, Pose::new(*q, *shift).unwrap()),
            Step::Screw(screw) => Motion::screw(at, *screw).unwrap(),
        };
        at = *motion.pose1();
        motions.push(motion);
    }
    Path::new((0..=motions.len()).map(|i| i as f64).collect(), motions).unwrap()
}

/// How far apart the bodies are along a direction at many instants of a span.
fn seen(pair: (&[[Point; 3]], &[[Point; 3]]), path: &Path, span: &Span, n: DVec3) -> f64 {
    let height = |p: &Point| DVec3::from(*p).dot(n.normalize());
    let ceiling = pair.0.as_flattened().iter().map(height).fold(f64::NEG_INFINITY, f64::max);
    let mut least = f64::INFINITY;
    for (piece, [start, end]) in span.pieces() {
        for k in 0..=200 {
            let time = start + (end - start) * f64::from(k) / 200.0;
            let pose = path.motions()[piece].pose_at(time);
            let points = pair.1.as_flattened().iter().map(|p| height(&pose.apply(p)) - ceiling);
            least = points.fold(least, f64::min);
        }
    }
    least
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn a_gap_is_never_wider_than_what_is_seen(
        rest in faces(), mover in faces(), steps in prop::collection::vec(steps(), 1..4),
        ends in prop::array::uniform2(0.0..1.0f64), n in places(1.0),
    ) {
        let path = path(&steps);
        let [from, to] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        let span = Span { from: Place(0, from), to: Place(steps.len() - 1, to) };
        let bodies = [&rest, &mover].map(|faces| Body::new(faces).unwrap());
        let pair = Pair { rest: &bodies[0], mover: &bodies[1], path: &path };
        let track = Rc::new(Track::new(&path, span));
        let case = Case { rest: bodies[0].all(), mover: bodies[1].all(), track };
        let gap = pair.gap(&case, n.into(), f64::NEG_INFINITY);
        let seen = seen((&rest, &mover), &path, &span, n.into());
        prop_assert!(gap <= seen, "{gap} {seen}");
        // The corners are asked as well, and do not claim more either.
        let more = seen.next_up();
        prop_assert!(pair.gap(&case, n.into(), more) < more, "{seen}");
    }

    /// Without turning nothing is lost but rounding.
    #[test]
    fn a_gap_of_straight_motion_is_the_least_at_both_ends(
        rest in faces(), mover in faces(), way in places(5.0), n in places(1.0),
    ) {
        let start = Pose::shift([4.0, 0.0, 0.0]).unwrap();
        let motion = Motion::lerp_slerp(start, Pose::shift(way).unwrap());
        let path = Path::new(vec![0.0, 1.0], vec![motion]).unwrap();
        let span = Span { from: Place::START, to: Place::end(&path) };
        let bodies = [&rest, &mover].map(|faces| Body::new(faces).unwrap());
        let pair = Pair { rest: &bodies[0], mover: &bodies[1], path: &path };
        let track = Rc::new(Track::new(&path, span));
        let case = Case { rest: bodies[0].all(), mover: bodies[1].all(), track };
        let seen = seen((&rest, &mover), &path, &span, n.into());
        let gap = pair.gap(&case, n.into(), seen - 1e-11);
        prop_assert!(gap <= seen && gap >= seen - 1e-11, "{gap} {seen}");
    }
}

/// The least distance at many instants of a span.
fn nearest(pair: (&[[Point; 3]], &[[Point; 3]]), path: &Path, span: &Span) -> f64 {
    let mut least = f64::INFINITY;
    for (piece, [start, end]) in span.pieces() {
        for k in 0..=60 {
            let pose = path.motions()[piece].pose_at(start + (end - start) * f64::from(k) / 60.0);
            for moved in pair.1.iter().map(|face| face.map(|p| pose.apply(&p))) {
                let gaps = pair.0.iter().map(|face| triangle_triangle(face, &moved).hi);
                least = gaps.fold(least, f64::min);
            }
        }
    }
    least
}

/// Faces around the z axis, at some distance from it.
fn around(from: f64, to: f64) -> impl Strategy<Value = Vec<[Point; 3]>> {
    let corner = (0.0..0.3f64, from..to, -1.0..1.0f64);
    let face = (0.0..6.3f64, prop::array::uniform3(corner)).prop_map(|(angle, corners)| {
        corners.map(|(off, r, z)| [r * (angle + off).cos(), r * (angle + off).sin(), z])
    });
    prop::collection::vec(face, 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn a_cylinder_claims_no_more_than_what_is_seen(
        (inner, outer) in (around(0.0, 1.0), around(1.0, 2.0)), swaps in any::<bool>(),
        turns in prop::collection::vec((-20.0..20.0f64, -1.0..1.0f64), 1..4),
        aside in prop_oneof![Just(0.0), -0.3..0.3f64], point in places(0.1),
    ) {
        let (rest, mover) = if swaps { (inner, outer) } else { (outer, inner) };
        let mut at = Pose::IDENTITY;
        let mut motions = Vec::new();
        for (angle, advance) in turns {
            let (point, direction) = (point.map(|x| x * aside), [0.0, 0.0, 1.0]);
            let screw = Screw { point, direction, angle, advance };
            let motion = match aside == 0.0 {
                true => Motion::screw(at, screw).unwrap(),
                // The short way, while the axis goes aside.
                false => {
                    let end = Motion::screw(at, screw).unwrap();
                    let [x, y, z] = end.pose1().translation();
                    let end = Pose::new(end.pose1().rotation(), [x + aside, y, z]).unwrap();
                    Motion::lerp_slerp(at, end)
                }
            };
            at = *motion.pose1();
            motions.push(motion);
        }
        let count = motions.len();
        let path = Path::new((0..=count).map(|i| i as f64).collect(), motions).unwrap();
        let span = Span { from: Place(0, 0.1), to: Place(count - 1, 0.8) };
        let bodies = [&rest, &mover].map(|faces| Body::new(faces).unwrap());
        let pair = Pair { rest: &bodies[0], mover: &bodies[1], path: &path };
        let track = Rc::new(Track::new(&path, span));
        let case = Case { rest: bodies[0].all(), mover: bodies[1].all(), track };
        let gap = pair.gap_around(&case, f64::MIN_POSITIVE);
        if gap > 0.0 {
            let seen = nearest((&rest, &mover), &path, &span);
            prop_assert!(gap <= seen, "{gap} {seen}");
        }
    }
}

#[test]
fn a_cylinder_parts_a_pin_and_its_bore() {
    let wall = |r: f64, k: u32| {
        let [a, b] = [k, k + 1].map(|k| f64::from(k) * std::f64::consts::TAU / 24.0);
        [
            [r * a.cos(), r * a.sin(), 0.0],
            [r * b.cos(), r * b.sin(), 0.0],
            [r * a.cos(), r * a.sin(), 5.0],
        ]
    };
    let [pin, bore] = [1.0, 1.2].map(|r| (0..24).map(|k| wall(r, k)).collect::<Vec<_>>());
    let [pin, bore] = [&pin, &bore].map(|faces| Body::new(faces).unwrap());
    let screw = Screw { point: [0.0; 3], direction: [0.0, 0.0, 2.0], angle: 50.0, advance: 1.0 };
    let motion = Motion::screw(Pose::IDENTITY, screw).unwrap();
    let path = Path::new(vec![0.0, 1.0], vec![motion]).unwrap();
    let span = Span { from: Place::START, to: Place::end(&path) };
    // The flats of the bore are nearer than its corners.
    let gap = 1.2 * (std::f64::consts::PI / 24.0).cos() - 1.0;
    for (rest, mover) in [(&bore, &pin), (&pin, &bore)] {
        let pair = Pair { rest, mover, path: &path };
        let track = Rc::new(Track::new(&path, span));
        let case = Case { rest: rest.all(), mover: mover.all(), track };
        let found = pair.gap_around(&case, 0.1);
        assert!(found <= gap && found > gap - 1e-11, "{found} {gap}");
    }
}

#[test]
fn what_is_no_direction_keeps_nothing_apart() {
    let faces = [[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]];
    let body = Body::new(&faces).unwrap();
    let far = Pose::shift([0.0, 0.0, 9.0]).unwrap();
    let path = Path::new(vec![0.0, 1.0], vec![Motion::lerp_slerp(far, far)]).unwrap();
    let pair = Pair { rest: &body, mover: &body, path: &path };
    let span = Span { from: Place::START, to: Place::end(&path) };
    let track = Rc::new(Track::new(&path, span));
    let case = Case { rest: body.all(), mover: body.all(), track };
    assert!(pair.gap(&case, DVec3::Z, 1.0) > 8.9);
    let nan = f64::NAN;
    for bad in [[0.0; 3], [nan, 0.0, 1.0], [0.0, 0.0, f64::INFINITY], [0.0, 0.0, 1e-30]] {
        assert_eq!(pair.gap(&case, bad.into(), 1.0), f64::NEG_INFINITY, "{bad:?}");
    }
}
