//! First contact of features that move linearly, against exact truth, on nasty queries.

use crate::linear::{Features, first_contact};
use impinge_geom::Point;
use impinge_geom::first_contact::linear::{Ask, LinearContact, Outcome, edge_edge, vertex_face};
use proptest::prelude::*;

type Corners = [Point; 4];

fn ask(features: Features, start: &Corners, end: &Corners, ask: &Ask) -> Outcome {
    match features {
        Features::VertexFace => vertex_face(start, end, ask),
        Features::EdgeEdge => edge_edge(start, end, ask),
    }
}

/// How far apart the two points are that the weights name, at a time, and how large all is.
fn apart(features: Features, [start, end]: [&Corners; 2], contact: &LinearContact) -> [f64; 2] {
    let t = contact.time[0];
    let at = |i: usize, k: usize| (1.0 - t) * start[i][k] + t * end[i][k];
    let w = contact.weights;
    let first = if features == Features::VertexFace { 0..1 } else { 0..2 };
    let (mut gap, mut size) = (0.0, 0.0f64);
    for k in 0..3 {
        let a: f64 = first.clone().map(|i| w[i] * at(i, k)).sum();
        let b: f64 = (first.end..4).map(|i| w[i] * at(i, k)).sum();
        gap += (a - b) * (a - b);
        size = (0..4).fold(size, |s, i| s.max(start[i][k].abs()).max(end[i][k].abs()));
    }
    [gap.sqrt(), size]
}

fn check(features: Features, start: &Corners, end: &Corners) -> Result<(), TestCaseError> {
    check_sizes(features, [start, end], false)
}

/// With `mixed` sizes, of up to a hundred digits in one query, what is left open is let pass.
fn check_sizes(
    features: Features,
    [start, end]: [&Corners; 2],
    mixed: bool,
) -> Result<(), TestCaseError> {
    let truth = first_contact(features, start, end);
    for tolerance in [1e-6, 1e-2] {
        let asked = Ask { tolerance, ..Ask::default() };
        match (ask(features, start, end, &asked), truth) {
            (Outcome::Free { .. }, None) => {}
            (Outcome::Contact(contact), Some([from, to])) => {
                let [low, high] = contact.time;
                prop_assert!(low <= to, "late: {contact:?}, truth {truth:?}");
                prop_assert!(high >= from, "early: {contact:?}, truth {truth:?}");
                prop_assert!(0.0 <= low && low <= high && high <= 1.0);
                prop_assert!(contact.wide == (high - low > tolerance));
                prop_assert!(!contact.wide, "{contact:?}, truth {truth:?}");
                let [x, y, z] = contact.normal;
                prop_assert!((x * x + y * y + z * z - 1.0).abs() < 1e-12, "{contact:?}");
                prop_assert!(contact.weights.iter().all(|w| (0.0..=1.0).contains(w)));
                let [gap, size] = apart(features, [start, end], &contact);
                // Nothing is faster than twice the size of all in a step.
                let most = 16.0 * size * (high - low + 1e-13);
                prop_assert!(gap <= most.max(contact.within), "{gap} apart: {contact:?}");
            }
            // Told as what could not be decided, and as nearer than anybody can measure.
            (Outcome::Contact(contact), None) if mixed && contact.within > 0.0 => {
                let [gap, size] = apart(features, [start, end], &contact);
                prop_assert!(gap <= contact.within && contact.within <= 1e-12 * size);
            }
            (outcome, truth) => prop_assert!(false, "{outcome:?}, truth {truth:?}"),
        }
    }
    Ok(())
}

fn both() -> impl Strategy<Value = Features> {
    prop_oneof![Just(Features::VertexFace), Just(Features::EdgeEdge)]
}

/// Corners on a small grid, where everything that can coincide does.
fn grid(most: i32) -> impl Strategy<Value = Corners> {
    prop::array::uniform4(prop::array::uniform3((-most..=most).prop_map(f64::from)))
}

fn smooth() -> impl Strategy<Value = Corners> {
    prop::array::uniform4(prop::array::uniform3(-1.0..1.0f64))
}

/// Takes all corners through the same change.
fn each(corners: &Corners, mut change: impl FnMut(usize, usize, f64) -> f64) -> Corners {
    std::array::from_fn(|i| std::array::from_fn(|k| change(i, k, corners[i][k])))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn on_a_grid(f in both(), start in grid(2), end in grid(2)) {
        check(f, &start, &end)?;
    }

    #[test]
    fn on_a_wider_grid(f in both(), start in grid(7), end in grid(7)) {
        check(f, &start, &end)?;
    }

    #[test]
    fn in_a_moving_plane(f in both(), start in grid(3), end in grid(3), slope in -2i32..3) {
        let flat = |corners: &Corners| corners.map(|[x, y, _]| [x, y, x * f64::from(slope) + y]);
        check(f, &flat(&start), &flat(&end))?;
    }

    #[test]
    fn on_one_line(f in both(), start in grid(3), end in grid(3)) {
        let thin = |corners: &Corners| corners.map(|[x, _, _]| [x, 2.0 * x, -x]);
        check(f, &thin(&start), &thin(&end))?;
    }

    #[test]
    fn with_shared_corners_and_without_motion(
        f in both(), start in grid(3), end in grid(3),
        (i, j) in (0..4usize, 0..4usize), still: bool,
    ) {
        let (mut start, mut end) = (start, end);
        start[i] = start[j];
        if i % 2 == 0 {
            end[i] = end[j];
        }
        check(f, &start, if still { &start } else { &end })?;
    }

    #[test]
    fn smooth_motion(f in both(), start in smooth(), end in smooth()) {
        check(f, &start, &end)?;
    }

    #[test]
    fn off_by_the_last_bit(
        f in both(), start in grid(2), end in grid(2),
        nudges in prop::array::uniform24(-1i8..=1), third: bool,
    ) {
        // Thirds make rounded coordinates, so that coincidences are off by an ulp or not at all.
        let scale = if third { 1.0 / 3.0 } else { 1.0 };
        let nudged = |corners: &Corners, from: usize| each(corners, |i, k, x| {
            match nudges[from + 3 * i + k] {
                1 => (x * scale).next_up(),
                -1 => (x * scale).next_down(),
                _ => x * scale,
            }
        });
        let [start, end] = [nudged(&start, 0), nudged(&end, 12)];
        let flushed = [start, end].map(|c| each(&c, |_, _, x| impinge_geom::flush(x)));
        check(f, &flushed[0], &flushed[1])?;
    }

}

proptest! {
    // Long numbers take the oracle longer.
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn far_away_and_of_any_size(
        f in both(), start in grid(3), end in grid(3), shift in -6i32..7, power in -290i32..290,
    ) {
        let shift = f64::from(shift) * 1048576.0 / 3.0;
        let scale = 2f64.powi(power.clamp(-290, 270));
        let moved = |corners: &Corners| each(corners, |_, _, x| {
            impinge_geom::flush((x / 7.0 + shift) * scale)
        });
        check(f, &moved(&start), &moved(&end))?;
    }

    #[test]
    fn of_all_sizes_at_once(
        f in both(), start in grid(3), end in grid(3),
        powers in prop::array::uniform24(prop_oneof![Just(0i32), Just(-60), Just(-298), Just(40)]),
    ) {
        let sized = |corners: &Corners, from: usize| each(corners, |i, k, x| {
            x * 2f64.powi(powers[from + 3 * i + k])
        });
        check_sizes(f, [&sized(&start, 0), &sized(&end, 12)], true)?;
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// What does not depend on the order of things.
    #[test]
    fn order_does_not_matter(f in both(), start in grid(3), end in grid(3), turn in 0..3usize) {
        let outcome = |start: &Corners, end: &Corners| ask(f, start, end, &Ask::default());
        let order = match (f, turn) {
            (Features::VertexFace, 0) => [0, 2, 3, 1],
            (Features::VertexFace, 1) => [0, 2, 1, 3],
            (Features::VertexFace, _) => [0, 1, 3, 2],
            (Features::EdgeEdge, 0) => [2, 3, 0, 1],
            (Features::EdgeEdge, 1) => [1, 0, 2, 3],
            (Features::EdgeEdge, _) => [1, 0, 3, 2],
        };
        let other = |corners: &Corners| order.map(|i| corners[i]);
        match (outcome(&start, &end), outcome(&other(&start), &other(&end))) {
            (Outcome::Free { .. }, Outcome::Free { .. }) => {}
            (Outcome::Contact(a), Outcome::Contact(b)) => {
                prop_assert!(a.time[0] <= b.time[1] && b.time[0] <= a.time[1]);
            }
            (a, b) => prop_assert!(false, "{a:?} {b:?}"),
        }
        let back = matches!(outcome(&end, &start), Outcome::Contact(_));
        prop_assert_eq!(back, matches!(outcome(&start, &end), Outcome::Contact(_)));
    }

    /// Asking up to a time is asking about a shorter motion.
    #[test]
    fn what_comes_later_does_not_matter(
        f in both(), start in grid(3), end in grid(3), e in 0.0..1.0f64,
    ) {
        let asked = Ask { end: e, ..Ask::default() };
        match (ask(f, &start, &end, &asked), first_contact(f, &start, &end)) {
            (Outcome::Free { .. }, Some([_, to])) => prop_assert!(to >= e),
            (Outcome::Contact(contact), Some([from, to])) => {
                prop_assert!(from <= e && contact.time[0] <= to && contact.time[1] <= e);
            }
            (Outcome::Contact(contact), None) => prop_assert!(false, "{contact:?}"),
            (Outcome::Free { .. }, None) => {}
        }
    }
}

/// A face comes down to a vertex, and they touch at the very end or not at all.
#[test]
fn the_last_instant_is_decided() {
    let start = [[0.0, 0.0, 0.0], [-1.0, -1.0, 1.0], [1.0, -1.0, 1.0], [0.0, 2.0, 1.0]];
    for depth in [0.0, 1e-300, 1e-17, 1e-9, -1e-300, -1e-17, -1e-9f64] {
        let depth = impinge_geom::flush(depth);
        let end = [[0.0, 0.0, depth], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 2.0, 0.0]];
        let outcome = vertex_face(&start, &end, &Ask::default());
        let touches = first_contact(Features::VertexFace, &start, &end).is_some();
        assert_eq!(touches, depth >= 0.0);
        assert_eq!(matches!(outcome, Outcome::Contact(_)), touches, "{depth:e}: {outcome:?}");
    }
}

/// Two edges that turn and come near: the volume is (1 − 2 t)² and a little more or less, so that it
/// has a double root, none, or two that are next to each other.
#[test]
fn grazes_are_decided() {
    for power in [8, 20, 40, 52] {
        for side in [-1.0, 0.0, 1.0] {
            let little = side * 2f64.powi(-power);
            // p = (1, 1 − 2 t, 0), q = (0, 1, 0) and r = (−½, −½, …): the height of r above both is
            // what remains of the volume.
            let start =
                [[0.0; 3], [2.0, 2.0, 0.0], [1.0, -1.0, 1.0 + little], [1.0, 3.0, -1.0 + little]];
            let end =
                [[0.0; 3], [2.0, -2.0, 0.0], [1.0, -3.0, -1.0 + little], [1.0, 1.0, 1.0 + little]];
            let truth = first_contact(Features::EdgeEdge, &start, &end);
            let outcome = edge_edge(&start, &end, &Ask::default());
            let touches = matches!(outcome, Outcome::Contact(_));
            assert_eq!(touches, truth.is_some(), "{little:e}: {outcome:?}, {truth:?}");
        }
    }
}
