//! Distance intervals against exact rational arithmetic.

use impinge_geom::distance::{
    Closest, Feature, aabb_gap, point_triangle, segment_segment, triangle_triangle,
    triangle_triangle_below,
};
use impinge_geom::{Point, Triangle, aabb::Aabb, flush};
use num_bigint::BigInt;
use proptest::prelude::*;

type Vector = [BigInt; 3];

/// Squared distance as a fraction with a positive denominator.
#[derive(Clone)]
struct Fraction(BigInt, BigInt);

impl Fraction {
    fn less(&self, other: &Self) -> bool {
        &self.0 * &other.1 < &other.0 * &self.1
    }
}

fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| &a[k] - &b[k])
}

fn dot(a: &Vector, b: &Vector) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    let minor = |i: usize, k: usize| &a[i] * &b[k] - &a[k] * &b[i];
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

fn zero() -> BigInt {
    BigInt::from(0)
}

/// A number is `mantissa · 2^exponent`.
fn parts(x: f64) -> (BigInt, i32) {
    let bits = x.to_bits();
    let (raw, fraction) = (((bits >> 52) & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (mantissa, exponent) =
        if raw == 0 { (fraction, -1074) } else { (fraction | (1 << 52), raw - 1075) };
    let signed = if x < 0.0 { -BigInt::from(mantissa) } else { BigInt::from(mantissa) };
    (signed, exponent)
}

/// All numbers in units of a power of two that makes them integers.
fn integers(points: &[Point]) -> (Vec<Vector>, i32) {
    let numbers = points.as_flattened().iter().filter(|&&x| x != 0.0);
    let exponent = numbers.map(|&x| parts(x).1).min().unwrap_or(0);
    let whole = |x: f64| {
        let (mantissa, own) = parts(x);
        if x == 0.0 { zero() } else { mantissa << ((own - exponent) as usize) }
    };
    (points.iter().map(|p| p.map(whole)).collect(), exponent)
}

/// Sign of `x² − square`, where `square` is in units of `4^exponent`.
fn compare_square(x: f64, square: &Fraction, exponent: i32) -> std::cmp::Ordering {
    let (mantissa, own) = parts(x);
    let left = &mantissa * &mantissa * &square.1;
    let shift = 2 * (own - exponent);
    if shift >= 0 {
        (left << (shift as usize)).cmp(&square.0)
    } else {
        left.cmp(&(&square.0 << ((-shift) as usize)))
    }
}

/// The smallest over all pairs of features whose closest points are inside both.
fn exact_square(a: &[Vector], b: &[Vector]) -> Fraction {
    let mut best = None;
    let mut offer = |candidate: Option<Fraction>| {
        if let Some(candidate) = candidate
            && best.as_ref().is_none_or(|b| candidate.less(b))
        {
            best = Some(candidate);
        }
    };
    for p in a {
        for q in b {
            let d = minus(p, q);
            offer(Some(Fraction(dot(&d, &d), BigInt::from(1))));
        }
    }
    for (one, other) in [(a, b), (b, a)] {
        for p in one {
            edges(other).iter().for_each(|edge| offer(point_edge(p, edge)));
            offer(point_face(p, other));
        }
        edges(one).iter().for_each(|edge| offer(edge_through_face(edge, other)));
    }
    for p in edges(a) {
        edges(b).iter().for_each(|q| offer(edge_edge(&p, q)));
    }
    best.unwrap()
}

fn edges(corners: &[Vector]) -> Vec<[Vector; 2]> {
    let count = if corners.len() == 3 { 3 } else { corners.len() - 1 };
    (0..count).map(|i| [corners[i].clone(), corners[(i + 1) % corners.len()].clone()]).collect()
}

fn point_edge(p: &Vector, [from, to]: &[Vector; 2]) -> Option<Fraction> {
    let (r, e) = (minus(p, from), minus(to, from));
    let (place, square) = (dot(&r, &e), dot(&e, &e));
    let within = place > zero() && place < square;
    within.then(|| Fraction(dot(&r, &r) * &square - &place * &place, square))
}

fn edge_edge(p: &[Vector; 2], q: &[Vector; 2]) -> Option<Fraction> {
    let (e, f, r) = (minus(&p[1], &p[0]), minus(&q[1], &q[0]), minus(&q[0], &p[0]));
    let n = cross(&e, &f);
    let square = dot(&n, &n);
    let (s, t) = (dot(&cross(&r, &f), &n), dot(&cross(&r, &e), &n));
    let within = square > zero() && [s, t].iter().all(|x| *x >= zero() && *x <= square);
    let height = dot(&r, &n);
    within.then(|| Fraction(&height * &height, square))
}

fn point_face(p: &Vector, face: &[Vector]) -> Option<Fraction> {
    let [a, b, c] = face else { return None };
    let n = cross(&minus(b, a), &minus(c, a));
    let square = dot(&n, &n);
    let left_of = |u: &Vector, v: &Vector| dot(&cross(&minus(v, u), &minus(p, u)), &n) >= zero();
    let height = dot(&minus(p, a), &n);
    let within = square > zero() && left_of(a, b) && left_of(b, c) && left_of(c, a);
    within.then(|| Fraction(&height * &height, square))
}

/// Zero if the edge passes through the face; touching in the plane is seen by the other pairs.
fn edge_through_face([p, q]: &[Vector; 2], face: &[Vector]) -> Option<Fraction> {
    let [a, b, c] = face else { return None };
    let along = minus(q, p);
    let n = cross(&minus(b, a), &minus(c, a));
    let (from, to) = (dot(&minus(p, a), &n), dot(&minus(q, a), &n));
    let side = |u: &Vector, v: &Vector| dot(&cross(&minus(u, p), &minus(v, p)), &along);
    let sides = [side(a, b), side(b, c), side(c, a)];
    let around = sides.iter().all(|s| *s >= zero()) || sides.iter().all(|s| *s <= zero());
    let through = &from * &to < zero();
    (around && through).then(|| Fraction(zero(), BigInt::from(1)))
}

/// Checks the interval and gives its width relative to the size of everything.
fn judge(found: &Closest, a: &[Point], b: &[Point]) -> Result<f64, TestCaseError> {
    let (all, exponent) = integers(&[a, b].concat());
    let square = exact_square(&all[..a.len()], &all[a.len()..]);
    let below = compare_square(found.lo, &square, exponent);
    let above = compare_square(found.hi, &square, exponent);
    prop_assert!(found.lo >= 0.0 && below.is_le(), "too high: {found:?} {a:?} {b:?}");
    prop_assert!(above.is_ge(), "too low: {found:?} {a:?} {b:?}");
    let size = Aabb::around(a.iter().chain(b)).diagonal();
    Ok(if size == 0.0 { found.hi } else { (found.hi - found.lo) / size })
}

fn numbers() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => (-3..4i32).prop_map(f64::from),
        3 => -3.0..3.0f64,
        1 => (-3..4i32).prop_map(|x| f64::from(x).next_up()),
    ]
}

fn triangles() -> impl Strategy<Value = Triangle> {
    let free = prop::array::uniform3(prop::array::uniform3(numbers()));
    let weight = prop_oneof![Just(0.0), Just(1.0), Just(0.5), 0.0..1.0f64];
    let thickness = prop_oneof![Just(0.0), (-40..0i32).prop_map(|k| 2f64.powi(k))];
    (free, 0..5u8, weight, thickness).prop_map(|([a, b, c], kind, w, h)| {
        let mix =
            |w: f64| -> Point { std::array::from_fn(|k| a[k] + (b[k] - a[k]) * w + c[k] * h) };
        match kind {
            0 => [a, b, mix(w)],
            1 => [a, mix(w), b],
            2 => [a, std::array::from_fn(|k| a[k] + b[k] * h), c],
            _ => [a, b, c],
        }
    })
}

/// Pairs of all kinds: far, close, touching, parallel, pressed flat, small beside large.
fn pairs() -> impl Strategy<Value = (Triangle, Triangle)> {
    let tiny = (-45..1i32).prop_map(|k| 2f64.powi(k));
    let scale = prop_oneof![Just(1.0), (-12..13i32).prop_map(|k| 10f64.powi(k))];
    (triangles(), triangles(), tiny.clone(), tiny, (0..6u8, scale)).prop_map(
        |(a, b, h, g, (kind, scale))| {
            let (a, b) = match kind {
                // Nearly the same triangle, lifted a little.
                0 => (a, a.map(|p| [p[0] + h, p[1], p[2] - g])),
                // Both pressed nearly flat, a little apart.
                1 => (a.map(|[x, y, z]| [x, y, z * h]), b.map(|[x, y, z]| [x, y, z * h + g])),
                // Pressed to nearly parallel lines.
                2 => {
                    (a.map(|[x, y, z]| [x, y * g, z * h]), b.map(|[x, y, z]| [x, y * g + h, z * h]))
                }
                // One corner of b near a corner of a.
                3 => {
                    let shift: Point = std::array::from_fn(|k| a[0][k] - b[0][k] + h);
                    (a, b.map(|p| std::array::from_fn(|k| p[k] + shift[k])))
                }
                // Small beside large.
                4 => (a, b.map(|p| std::array::from_fn(|k| a[1][k] + p[k] * h))),
                _ => (a, b),
            };
            let scaled = |t: Triangle| t.map(|p| p.map(|x| flush(x * scale)));
            (scaled(a), scaled(b))
        },
    )
}

fn cases(count: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(count) }
}

/// How many widths are at most so large.
fn histogram(widths: &[f64]) -> Vec<(f64, usize)> {
    let limits = [1e-14, 3e-14, 1e-13, 1e-12, f64::INFINITY];
    limits.iter().map(|&limit| (limit, widths.iter().filter(|&&w| w <= limit).count())).collect()
}

#[test]
fn the_distance_of_triangles_is_in_a_narrow_interval() {
    let widths = std::cell::RefCell::new(Vec::new());
    let mut runner = proptest::test_runner::TestRunner::new(cases(30_000));
    let outcome = runner.run(&pairs(), |(a, b)| {
        let found = triangle_triangle(&a, &b);
        let width = judge(&found, &a, &b)?;
        prop_assert!(width < 1e-12, "{width:e} {found:?} {a:?} {b:?}");
        widths.borrow_mut().push(width);
        Ok(())
    });
    println!("widths relative to the size, at most: {:?}", histogram(&widths.borrow()));
    outcome.unwrap();
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn the_distance_of_a_point_and_a_triangle_is_in_a_narrow_interval((a, b) in pairs()) {
        let found = point_triangle(&a[0], &b);
        prop_assert!(judge(&found, &a[..1], &b)? < 1e-12);
        prop_assert_eq!((found.points[0], found.features[0]), (a[0], Feature::Vertex(0)));
    }

    #[test]
    fn the_distance_of_segments_is_in_a_narrow_interval((a, b) in pairs()) {
        let (a, b) = ([a[0], a[1]], [b[0], b[1]]);
        let found = segment_segment(&a, &b);
        prop_assert!(judge(&found, &a, &b)? < 1e-12);
        for (feature, corners) in found.features.iter().zip([a, b]) {
            match feature {
                Feature::Vertex(end) => prop_assert!(usize::from(*end) < corners.len()),
                other => prop_assert_eq!(*other, Feature::Edge(0)),
            }
        }
    }

    /// The named points are as far apart as the interval says, but for the rounding of the points.
    #[test]
    fn the_points_are_at_the_distance((a, b) in pairs()) {
        let found = triangle_triangle(&a, &b);
        let [p, q] = found.points;
        let gap = (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
        let largest = a.iter().chain(&b).flatten().fold(0.0f64, |m, x| m.max(x.abs()));
        let slack = 1e-13 * largest;
        prop_assert!(gap <= found.hi + slack && gap >= found.lo - slack);
    }

    #[test]
    fn a_bound_only_leaves_out_what_is_beyond_it((a, b) in pairs(), factor in 0.0..2.0f64) {
        let found = triangle_triangle(&a, &b);
        let bound = found.hi * factor;
        match triangle_triangle_below(&a, &b, bound) {
            Some(below) => prop_assert_eq!(below, found),
            None => {
                let (all, exponent) = integers(&[a, b].concat());
                let square = exact_square(&all[..3], &all[3..]);
                prop_assert!(compare_square(bound, &square, exponent).is_lt());
            }
        }
        prop_assert!(triangle_triangle_below(&a, &b, found.hi).is_some());
    }

    #[test]
    fn the_gap_of_boxes_is_a_lower_bound_and_tight((a, b) in pairs()) {
        let (box_a, box_b) = (Aabb::around(&a), Aabb::around(&b));
        let gap = aabb_gap(&box_a, &box_b);
        let nearest = |k: usize| (box_b.min[k].clamp(box_a.min[k], box_a.max[k]), box_b.min[k]);
        let other = |k: usize| (box_a.min[k].clamp(box_b.min[k], box_b.max[k]), box_a.min[k]);
        let pick = |k| if box_a.min[k] < box_b.min[k] { nearest(k) } else { other(k) };
        let ends = [0, 1, 2].map(pick);
        let (all, exponent) = integers(&[ends.map(|e| e.0), ends.map(|e| e.1)]);
        let square = exact_square(&all[..1], &all[1..]);
        prop_assert!(compare_square(gap, &square, exponent).is_le());
        let above = gap * (1.0 + 16.0 * f64::EPSILON);
        prop_assert!(compare_square(above, &square, exponent).is_ge());
    }

    /// Powers of two change nothing but the scale.
    #[test]
    fn scale_does_not_matter((a, b) in pairs(), power in -100..100i32) {
        let scale = 2f64.powi(power);
        let scaled = |t: Triangle| t.map(|p| p.map(|x| x * scale));
        let (found, large) = (triangle_triangle(&a, &b), triangle_triangle(&scaled(a), &scaled(b)));
        prop_assert_eq!((found.lo * scale, found.hi * scale), (large.lo, large.hi));
        prop_assert_eq!(found.features, large.features);
    }
}

#[test]
fn shared_corners_are_at_no_distance_at_all() {
    let a = [[0.1, 0.2, 0.3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let b = [[5.0, 5.0, 5.0], [0.1, 0.2, 0.3], [4.0, 5.0, 6.0]];
    let found = triangle_triangle(&a, &b);
    assert_eq!((found.lo, found.hi), (0.0, 0.0));
    assert_eq!(found.features, [Feature::Vertex(0), Feature::Vertex(1)]);
    assert_eq!(found.points, [a[0]; 2]);
}

/// Seen from the first corner of `a`, in rounded numbers, the two second corners coincide.
#[test]
fn corners_that_nearly_touch_are_not_taken_for_touching_ones() {
    let a = [[0.0, 1.0000000000000002, 0.0], [-3.0, -2.9999999999999996, 0.0], [0.0; 3]];
    let b = [[0.0, 0.0, 1.0], [-3.0, -3.0, 0.0], [0.0, 0.0, 1.0]];
    let found = triangle_triangle(&a, &b);
    assert!(found.hi > 0.0);
    judge(&found, &a, &b).unwrap();
}

#[test]
fn features_are_named() {
    let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let above = point_triangle(&[1.0, 1.0, 3.0], &floor);
    assert_eq!(above.features, [Feature::Vertex(0), Feature::Face]);
    assert!(above.lo <= 3.0 && 3.0 <= above.hi && above.hi - above.lo < 1e-12);
    let beside = point_triangle(&[2.0, -1.0, 0.0], &floor);
    assert_eq!(beside.features[1], Feature::Edge(0));
    assert_eq!(beside.points[1], [2.0, 0.0, 0.0]);
    let beyond = point_triangle(&[5.0, -1.0, 0.0], &floor);
    assert_eq!(beyond.features[1], Feature::Vertex(1));
    let pole = [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, 9.0, 9.0]];
    let through = triangle_triangle(&floor, &pole);
    assert_eq!((through.lo, through.features), (0.0, [Feature::Face, Feature::Edge(0)]));
    assert!(through.hi < 1e-12);
}
