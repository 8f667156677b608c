//! What the printed tests find, and what they do not.

use super::*;
use crate::tri_tri::intersect;
use proptest::prelude::*;

const BOTH: [Method; 2] = [Method::Linear, Method::RegulaFalsi];
const FACE: [Point; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

fn over_face(v: Point) -> [Point; 4] {
    [v, FACE[0], FACE[1], FACE[2]]
}

#[test]
fn a_vertex_falls_through_a_face() {
    for method in BOTH {
        let fall = |x, y| method.vertex_face(&over_face([x, y, 1.0]), &over_face([x, y, -3.0]));
        assert_eq!(fall(0.25, 0.25), Some(0.25));
        assert_eq!(fall(0.0, 0.0), Some(0.25), "the border belongs to the face");
        assert_eq!(fall(0.75, 0.75), None);
        let rise = method.vertex_face(&over_face([0.2, 0.2, -1.0]), &over_face([0.2, 0.2, 1.0]));
        assert_eq!(rise, Some(0.5));
    }
}

#[test]
fn an_edge_falls_through_an_edge() {
    for method in BOTH {
        let cross = |x: f64, z: f64| [[x, -1.0, z], [x, 1.0, z], [-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        assert_eq!(method.edge_edge(&cross(0.5, 1.0), &cross(0.5, -1.0)), Some(0.5));
        assert_eq!(method.edge_edge(&cross(1.0, 1.0), &cross(1.0, -1.0)), Some(0.5));
        assert_eq!(method.edge_edge(&cross(1.5, 1.0), &cross(1.5, -1.0)), None);
        assert_eq!(method.edge_edge(&cross(0.5, 1.0), &cross(0.5, 0.5)), None);
    }
}

/// The vertex goes there and back between the ends: d has two roots, and equal signs at the ends.
#[test]
fn what_the_paper_misses_is_missed() {
    for method in BOTH {
        let ends = over_face([0.2, 0.2, 1.0]);
        let dip = |depth: f64| {
            let at = move |t: f64| over_face([0.2, 0.2, 1.0 - depth * 4.0 * t * (1.0 - t)]);
            method.vertex_face_along([&ends, &ends], at)
        };
        assert_eq!(dip(2.0), None, "an even number of roots");
        assert_eq!(dip(1.0), None, "a root that only touches");
        let slide = method.vertex_face(&over_face([2.0, 0.2, 0.0]), &over_face([0.2, 0.2, 0.0]));
        assert_eq!(slide, None, "d is zero all the time");
        let flat = [[0.0; 3]; 4];
        assert_eq!(method.vertex_face(&flat, &flat), None, "a face without a plane");
        let far = [[1e90, -1e90, 1e90], [0.0; 3], [1e90, 0.0, 0.0], [0.0, 1e90, 0.0]];
        assert_eq!(method.vertex_face(&far, &flat), None, "overflow is no contact");
    }
}

#[test]
fn a_root_at_an_end_counts() {
    for method in BOTH {
        let (on, above) = (over_face([0.2, 0.2, 0.0]), over_face([0.2, 0.2, 1.0]));
        assert_eq!(method.vertex_face(&on, &above), Some(0.0));
        assert_eq!(method.vertex_face(&above, &on), Some(1.0));
    }
}

/// A vertex on an arc: the straight line through the ends of d is wrong, regula falsi is not.
#[test]
fn regula_falsi_finds_the_root_of_a_turn() {
    let at = |t: f64| {
        let angle = 2.0 * t;
        over_face([0.2, 0.2, angle.cos()])
    };
    let ends = [&at(0.0), &at(1.0)];
    let truth = std::f64::consts::FRAC_PI_4;
    let falsi = Method::RegulaFalsi.vertex_face_along(ends, at).unwrap();
    let linear = Method::Linear.vertex_face_along(ends, at).unwrap();
    assert!((falsi - truth).abs() < 2.0 * STEP_MIN, "{falsi}");
    assert!((linear - truth).abs() > 0.05, "{linear}");
}

fn points() -> impl Strategy<Value = [Point; 4]> {
    prop::array::uniform4(prop::array::uniform3(-1.0..1.0f64))
}

proptest! {
    /// A vertex that crosses a still face: both methods against the exact test of its way, a segment.
    #[test]
    fn a_way_through_a_still_face_is_found(
        start in points(),
        to in prop::array::uniform3(-1.0..1.0f64),
    ) {
        let [from, f0, f1, f2] = start;
        let truth = intersect(&[from, to, to], &[f0, f1, f2]);
        for method in BOTH {
            let found = method.vertex_face(&start, &[to, f0, f1, f2]);
            prop_assert_eq!(found.is_some(), truth, "{:?}", method);
            prop_assert!(found.is_none_or(|t| (0.0..=1.0).contains(&t)));
        }
    }

    /// An edge that is shifted past a still one: both methods against the exact test of its way, a
    /// parallelogram.
    #[test]
    fn a_way_over_a_still_edge_is_found(
        edges in points(),
        shift in prop::array::uniform3(-2.0..2.0f64),
    ) {
        let moved = |p: Point| std::array::from_fn(|k| p[k] + shift[k]);
        let [v1, v2, w1, w2] = edges;
        let end = [moved(v1), moved(v2), w1, w2];
        let way = [[v1, v2, end[0]], [v2, end[0], end[1]]];
        let truth = way.iter().any(|half| intersect(half, &[w1, w2, w2]));
        let [linear, falsi] = BOTH.map(|method| method.edge_edge(&edges, &end));
        prop_assert_eq!([linear.is_some(), falsi.is_some()], [truth; 2]);
        if let (Some(x), Some(y)) = (linear, falsi) {
            prop_assert!((x - y).abs() < 1e-6, "{} {}", x, y);
        }
    }
}
