//! Rays against triangles, judged by whole numbers of any size.

use impinge_geom::ask::Ray;
use impinge_geom::ray_triangle::{DISTANCE_ERROR, Facing, meet};
use impinge_geom::{Point, Triangle};
use num_bigint::BigInt;
use proptest::prelude::*;

type Vector = [BigInt; 3];

fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| &a[k] - &b[k])
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        &a[i] * &b[j] - &a[j] * &b[i]
    })
}

fn dot(a: &Vector, b: &Vector) -> BigInt {
    (0..3).map(|k| &a[k] * &b[k]).sum()
}

fn scaled(a: &Vector, by: &BigInt) -> Vector {
    a.each_ref().map(|x| x * by)
}

fn is_zero(a: &Vector) -> bool {
    a.iter().all(|x| *x == BigInt::ZERO)
}

/// `num / den`, `den` above 0.
#[derive(Clone, Debug)]
struct Ratio {
    num: BigInt,
    den: BigInt,
}

impl Ratio {
    fn new(num: BigInt, den: BigInt) -> Self {
        if den < BigInt::ZERO { Self { num: -num, den: -den } } else { Self { num, den } }
    }

    fn less(&self, other: &Self) -> bool {
        &self.num * &other.den < &other.num * &self.den
    }

    fn value(&self) -> f64 {
        // Both scaled to what an f64 holds; the quotient is then right to an ulp or two.
        let bits = self.num.bits().max(self.den.bits()).saturating_sub(900);
        let f = |x: &BigInt| (x >> bits).to_string().parse::<f64>().unwrap();
        f(&self.num) / f(&self.den)
    }
}

/// Everything times a common denominator; by definition, not by the determinants of the subject.
struct Truth<'a> {
    origin: &'a Vector,
    direction: &'a Vector,
    corners: &'a [Vector; 3],
}

impl Truth<'_> {
    /// The first `t`, by definition: of the point in the plane, or of the edges.
    fn first(&self) -> Option<Ratio> {
        let [a, b, c] = self.corners;
        let normal = cross(&minus(b, a), &minus(c, a));
        let slope = dot(&normal, self.direction);
        if slope != BigInt::ZERO {
            let t = Ratio::new(dot(&normal, &minus(a, self.origin)), slope);
            return (t.num >= BigInt::ZERO && self.holds(&t, &normal)).then_some(t);
        }
        let zero = Ratio::new(BigInt::ZERO, BigInt::from(1));
        if !is_zero(&normal)
            && dot(&normal, &minus(self.origin, a)) == BigInt::ZERO
            && self.holds(&zero, &normal)
        {
            return Some(zero);
        }
        let edges = [(a, b), (b, c), (c, a)];
        let met = edges.iter().filter_map(|(p, q)| self.edge(p, q));
        met.reduce(|x, y| if y.less(&x) { y } else { x })
    }

    /// Whether the point at `t`, which is in the plane, is within the edges.
    fn holds(&self, t: &Ratio, normal: &Vector) -> bool {
        let along = scaled(self.direction, &t.num);
        let from = scaled(self.origin, &t.den);
        let point: Vector = std::array::from_fn(|k| &from[k] + &along[k]);
        (0..3).all(|i| {
            let (p, q) = (&self.corners[i], &self.corners[(i + 1) % 3]);
            let way = minus(&point, &scaled(p, &t.den));
            dot(&cross(&minus(q, p), &way), normal) >= BigInt::ZERO
        })
    }

    /// The first `t` at which the ray is on a segment.
    fn edge(&self, p: &Vector, q: &Vector) -> Option<Ratio> {
        let edge = minus(q, p);
        let across = cross(self.direction, &edge);
        let to_p = minus(p, self.origin);
        if is_zero(&across) {
            // Parallel, or the segment is a point: its ends, if they are on the line.
            if !is_zero(&cross(self.direction, &to_p)) {
                return None;
            }
            let square = dot(self.direction, self.direction);
            let at = |to: &Vector| Ratio::new(dot(to, self.direction), square.clone());
            let (s, e) = (at(&to_p), at(&minus(q, self.origin)));
            let (low, high) = if e.less(&s) { (e, s) } else { (s, e) };
            if high.num < BigInt::ZERO {
                return None;
            }
            let zero = Ratio::new(BigInt::ZERO, BigInt::from(1));
            return Some(if low.num < BigInt::ZERO { zero } else { low });
        }
        if dot(&across, &to_p) != BigInt::ZERO {
            return None;
        }
        let square = dot(&across, &across);
        let t = Ratio::new(dot(&cross(&to_p, &edge), &across), square.clone());
        let s = Ratio::new(dot(&cross(&to_p, self.direction), &across), square);
        let on = s.num >= BigInt::ZERO && s.num <= s.den && t.num >= BigInt::ZERO;
        on.then_some(t)
    }
}

fn agree(origin: [i64; 3], direction: [i64; 3], corners: [[i64; 3]; 3]) {
    let big = |v: [i64; 3]| v.map(BigInt::from);
    let (o, d, c) = (big(origin), big(direction), corners.map(big));
    let truth = Truth { origin: &o, direction: &d, corners: &c };
    let expected = truth.first();
    let f = |v: [i64; 3]| -> Point { v.map(|x| x as f64) };
    let triangle: Triangle = corners.map(f);
    let ray = Ray::new(f(origin), f(direction)).unwrap();
    let found = meet(&ray, &triangle);
    assert_eq!(found.is_some(), expected.is_some(), "{origin:?} {direction:?} {corners:?}");
    let (Some(found), Some(expected)) = (found, expected) else { return };
    let length = f(direction).iter().map(|x| x * x).sum::<f64>().sqrt();
    let distance = expected.value() * length;
    assert!((found.distance - distance).abs() <= DISTANCE_ERROR * distance, "{found:?} {distance}");
    let normal = cross(&minus(&c[1], &c[0]), &minus(&c[2], &c[0]));
    let slope = dot(&normal, &d);
    let facing = match slope.cmp(&BigInt::ZERO) {
        std::cmp::Ordering::Less => Facing::Front,
        std::cmp::Ordering::Equal => Facing::Edge,
        std::cmp::Ordering::Greater => Facing::Back,
    };
    assert_eq!(found.facing, facing);
}

fn small() -> impl Strategy<Value = [i64; 3]> {
    prop::array::uniform3(-3i64..4)
}

fn triangles() -> impl Strategy<Value = [[i64; 3]; 3]> {
    prop::array::uniform3(small())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60_000))]

    /// On a coarse grid most things touch, lie in planes, on lines or are degenerate.
    #[test]
    fn on_a_coarse_grid(origin in small(), direction in small(), corners in triangles()) {
        prop_assume!(direction != [0; 3]);
        agree(origin, direction, corners);
    }

    /// The same far from the origin, where differences of coordinates are rounded, and off by one.
    #[test]
    fn off_by_one_and_far_away(
        origin in small(),
        target in small(),
        corners in triangles(),
        (bits, shift) in (10..26u32, 0..50u32),
        nudge in prop::array::uniform4(small()),
    ) {
        prop_assume!(origin != target);
        let grow = |v: [i64; 3], nudge: [i64; 3]| -> [i64; 3] {
            std::array::from_fn(|k| (v[k] << bits) + i64::from(nudge[k] == 3) + (1 << shift))
        };
        let direction: [i64; 3] = std::array::from_fn(|k| (target[k] - origin[k]) * 12345);
        let triangle = [0, 1, 2].map(|i| grow(corners[i], nudge[i]));
        agree(grow(origin, nudge[3]), direction, triangle);
    }

    /// Points of quite different sizes, whose differences no f64 holds.
    #[test]
    fn differences_are_not_rounded(
        points in prop::array::uniform4(small()),
        shifts in prop::array::uniform4(prop_oneof![Just(0u32), 30..58u32]),
        direction in small(),
        same in any::<bool>(),
    ) {
        prop_assume!(direction != [0; 3]);
        let shift = |i: usize| if same && i > 0 { shifts[1] } else { shifts[i] };
        let [origin, a, b, c] = [0, 1, 2, 3].map(|i| points[i].map(|x| x << shift(i)));
        agree(origin, direction, [a, b, c]);
        // Aimed at a corner, which is then met exactly, and past it.
        let towards = |to: [i64; 3]| -> [i64; 3] { std::array::from_fn(|k| to[k] - origin[k]) };
        let exact = |v: [i64; 3]| v.iter().all(|&x| x as f64 as i64 == x);
        if towards(b) != [0; 3] && exact(towards(b)) {
            agree(origin, towards(b), [a, b, c]);
        }
    }

    /// A ray at a point of the triangle, from any distance: through the inside, edges and corners.
    #[test]
    fn aimed_at_the_triangle(
        origin in prop::array::uniform3(-3_000_000i64..3_000_000),
        corners in prop::array::uniform3(prop::array::uniform3(-1000i64..1000)),
        weights in prop::array::uniform3(0i64..4),
        flat in any::<bool>(),
    ) {
        let total: i64 = weights.iter().sum();
        prop_assume!(total > 0);
        let mut origin = origin;
        if flat {
            // In the plane of the triangle.
            origin = std::array::from_fn(|k| {
                let way = |c: usize| corners[c][k] - corners[0][k];
                corners[0][k] + 7 * way(1) - 5 * way(2)
            });
        }
        let direction: [i64; 3] = std::array::from_fn(|k| {
            (0..3).map(|c| weights[c] * corners[c][k]).sum::<i64>() - total * origin[k]
        });
        prop_assume!(direction != [0; 3]);
        agree(origin, direction, corners);
    }
}
