//! Spheres, and the smallest one around points. It does not build sphere trees.
//!
//! Bounding radii taken from the two most distant points are no bound in general (an equilateral
//! triangle sticks out), so [`Sphere::around`] computes the true smallest enclosing sphere.

use crate::Point;
use glam::DVec3;

/// A closed ball. Empty when the radius is negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The middle.
    pub center: Point,
    /// The radius; zero for a single point.
    pub radius: f64,
}

/// How many passes over all points may go by without a smaller sphere before the search ends.
/// In real numbers every pass enlarges the lower bound, so only rounding can stall it.
const STALE_PASSES_MAX: u32 = 12;

impl Sphere {
    /// The sphere that contains nothing.
    pub const EMPTY: Self = Self { center: [0.0; 3], radius: f64::NEG_INFINITY };

    /// The smallest sphere around the points, its radius rounded up so that all are certainly in.
    ///
    /// A support of at most four points is kept; the point farthest from its sphere enters, and
    /// the smallest sphere around those five gives the next support. The radius of the support
    /// grows with every exchange, which ends the search after some ten passes in practice. The
    /// answer depends on the order of the points only in its last bits.
    pub fn around(points: &[Point]) -> Self {
        let Some(first) = points.first() else { return Self::EMPTY };
        let mut support = vec![*first];
        let mut center = *first;
        let mut best = Self { center, radius: f64::INFINITY };
        let mut stale = 0;
        while stale < STALE_PASSES_MAX {
            let (farthest, distance2) = farthest(points, &center);
            if distance2 < best.radius {
                best = Self { center, radius: distance2 };
                stale = 0;
            } else {
                stale += 1;
            }
            // A farthest point that already supports the sphere means that nothing is outside.
            if support.contains(farthest) {
                break;
            }
            support.push(*farthest);
            center = exchange(&mut support);
        }
        Self { center: best.center, radius: root_up(best.radius) }
    }

    /// The smallest sphere around both, rounded up.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let (big, small) = if self.radius >= other.radius { (self, other) } else { (other, self) };
        if small.radius < 0.0 {
            return *big;
        }
        let way = DVec3::from(small.center) - DVec3::from(big.center);
        let distance = root_up(way.length_squared());
        let reach_small = (distance + small.radius).next_up();
        if distance == 0.0 || reach_small <= big.radius {
            return *big;
        }
        let share = (0.5 * (reach_small - big.radius) / distance).min(1.0);
        let center = (DVec3::from(big.center) + way * share).into();
        // Measured from the rounded centre, so that its rounding does no harm.
        let reach = |s: &Self| {
            let gap = DVec3::from(s.center) - DVec3::from(center);
            (root_up(gap.length_squared()) + s.radius).next_up()
        };
        Self { center, radius: reach(big).max(reach(small)) }
    }

    /// Whether the closed balls share a point. Errs only towards yes, by a few ulps.
    pub fn overlaps(&self, other: &Self) -> bool {
        if self.radius < 0.0 || other.radius < 0.0 {
            return false;
        }
        let gap = DVec3::from(self.center) - DVec3::from(other.center);
        let sum = self.radius + other.radius;
        // The left side is off by at most 4 roundings, the right by 3: 8 ε covers both.
        gap.length_squared() <= sum * sum * (1.0 + 8.0 * f64::EPSILON)
    }
}

/// The square root of a sum of three squared differences, rounded up so that it is not below the
/// true distance: the sum has a relative error of at most 2.5 ε (difference ½ each, doubled by
/// squaring, product ½, two additions 1), the root halves that and adds ½ of its own.
fn root_up(distance2: f64) -> f64 {
    if distance2 == 0.0 { 0.0 } else { distance2.sqrt() * (1.0 + 4.0 * f64::EPSILON) }
}

/// The point farthest from `center` (the first such) and its squared distance.
fn farthest<'a>(points: &'a [Point], center: &Point) -> (&'a Point, f64) {
    let distance2 = |p: &Point| {
        let [x, y, z] = [p[0] - center[0], p[1] - center[1], p[2] - center[2]];
        x * x + y * y + z * z
    };
    let mut found = (0, distance2(&points[0]));
    for (i, point) in points.iter().enumerate().skip(1) {
        let d = distance2(point);
        if d > found.1 {
            found = (i, d);
        }
    }
    (&points[found.0], found.1)
}

/// Reduces at most five points to those that support their smallest sphere; returns its centre.
///
/// Every candidate is judged by how far the farthest of the points really is from its centre, so
/// that a circumcentre ruined by nearly dependent points loses without any tolerance.
fn exchange(support: &mut Vec<Point>) -> Point {
    let mut best = (f64::INFINITY, 1u32, support[0]);
    for subset in 1u32..1 << support.len() {
        if subset.count_ones() > 4 {
            continue;
        }
        let chosen = || (0..support.len()).filter(move |i| subset >> i & 1 == 1);
        let mut corners = [[0.0; 3]; 4];
        let count = chosen().zip(&mut corners).map(|(i, slot)| *slot = support[i]).count();
        let center = circumcenter(&corners[..count]);
        let (_, distance2) = farthest(support, &center);
        // A NaN from dependent points never wins this comparison.
        if distance2 < best.0 {
            best = (distance2, subset, center);
        }
    }
    let mut i = 0;
    support.retain(|_| {
        i += 1;
        best.1 >> (i - 1) & 1 == 1
    });
    best.2
}

/// The centre of the smallest sphere that has the one to four points on its surface; not finite if
/// they are dependent.
fn circumcenter(points: &[Point]) -> Point {
    let origin = DVec3::from(points[0]);
    let raw = |i: usize| DVec3::from(points[i]) - origin;
    // Lengths near one, so that fifth powers of coordinates neither over- nor underflow. The
    // factor is a power of two and rounds nothing.
    let largest = (1..points.len()).fold(0.0f64, |m, i| m.max(raw(i).abs().max_element()));
    if largest == 0.0 {
        return points[0];
    }
    let scale = f64::from_bits(largest.to_bits() & (0x7ff << 52));
    let arm = |i: usize| raw(i) / scale;
    let offset = match points.len() {
        2 => arm(1) * 0.5,
        3 => {
            let (a, b) = (arm(1), arm(2));
            let normal = a.cross(b);
            let turned = (b * a.length_squared() - a * b.length_squared()).cross(normal);
            turned / (2.0 * normal.length_squared())
        }
        _ => {
            let (a, b, c) = (arm(1), arm(2), arm(3));
            let sum = b.cross(c) * a.length_squared()
                + c.cross(a) * b.length_squared()
                + a.cross(b) * c.length_squared();
            sum / (2.0 * a.dot(b.cross(c)))
        }
    };
    (origin + offset * scale).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    /// The number times 2¹⁰⁷⁴, exactly.
    fn big(x: f64) -> BigInt {
        let bits = x.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as usize, bits & ((1 << 52) - 1));
        let (mantissa, shift) =
            if exponent == 0 { (fraction, 0) } else { (fraction | 1 << 52, exponent - 1) };
        let magnitude = BigInt::from(mantissa) << shift;
        if x < 0.0 { -magnitude } else { magnitude }
    }

    fn certainly_inside(sphere: &Sphere, point: &Point) -> bool {
        let squares = (0..3).map(|k| (big(point[k]) - big(sphere.center[k])).pow(2));
        squares.sum::<BigInt>() <= big(sphere.radius).pow(2)
    }

    /// The smallest radius over all spheres spanned by at most four of the points.
    fn brute(points: &[Point]) -> f64 {
        let mut best = f64::INFINITY;
        for subset in 1u32..1 << points.len() {
            if subset.count_ones() <= 4 {
                let chosen = (0..points.len()).filter(|i| subset >> i & 1 == 1);
                let corners: Vec<_> = chosen.map(|i| points[i]).collect();
                let (_, distance2) = farthest(points, &circumcenter(&corners));
                best = if distance2 < best { distance2 } else { best };
            }
        }
        best.sqrt()
    }

    fn clouds() -> impl Strategy<Value = Vec<Point>> {
        let real = prop::array::uniform3(-1.0..1.0f64);
        let grid = prop::array::uniform3((-2i32..=2).prop_map(f64::from));
        let nearly = prop::array::uniform3((-2i32..=2, 0u32..3).prop_map(|(x, ulps)| {
            (0..ulps).fold(f64::from(x), |x, _| x.next_up()) * if ulps == 2 { 1e-9 } else { 1.0 }
        }));
        let line = (-1.0..1.0f64).prop_map(|s| [s, 0.3 * s + 0.1, -7.0 * s]);
        let on_sphere = prop::array::uniform3(-1.0..1.0f64).prop_map(|p| {
            let p = DVec3::from(p);
            (p.normalize_or(DVec3::X) * 3.0 + 5.0).into()
        });
        let cloud = |p: BoxedStrategy<Point>| prop::collection::vec(p, 1..=8);
        let shapes = prop_oneof![
            cloud(real.boxed()),
            cloud(grid.boxed()),
            cloud(nearly.boxed()),
            cloud(line.boxed()),
            cloud(on_sphere.boxed()),
        ];
        (shapes, -250i32..250, 0.0..1e3f64).prop_map(|(points, exponent, shift)| {
            let scale = 2f64.powi(exponent);
            points.into_iter().map(|p| p.map(|x| crate::flush((x + shift) * scale))).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn the_sphere_is_smallest_and_holds_every_point(points in clouds()) {
            let sphere = Sphere::around(&points);
            for point in &points {
                prop_assert!(certainly_inside(&sphere, point), "{point:?} not in {sphere:?}");
            }
            let least = brute(&points);
            // The centre is rounded to its own ulp, which a far-away cloud feels.
            let largest = points.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
            let ulp = 2.0 * f64::EPSILON * largest;
            prop_assert!(sphere.radius <= least * (1.0 + 1e-12) + ulp, "{sphere:?} > {least}");
            prop_assert!(sphere.radius >= least * (1.0 - 1e-12) - ulp);
        }

        #[test]
        fn the_union_holds_both(a in clouds(), b in clouds()) {
            let both = Sphere::around(&a).union(&Sphere::around(&b));
            for point in a.iter().chain(&b) {
                prop_assert!(certainly_inside(&both, point));
            }
            prop_assert!(both.overlaps(&Sphere::around(&a)));
        }
    }

    #[test]
    fn a_triangle_needs_more_than_its_longest_side() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.75f64.sqrt(), 0.0]];
        let radius = Sphere::around(&points).radius;
        assert!((radius - 3f64.sqrt() / 3.0).abs() < 1e-15, "{radius}");
        assert_eq!(Sphere::around(&points[..1]), Sphere { center: points[0], radius: 0.0 });
        assert_eq!(Sphere::around(&[]), Sphere::EMPTY);
        assert!(!Sphere::EMPTY.overlaps(&Sphere::EMPTY));
    }

    #[test]
    fn many_points_on_one_sphere_are_no_burden() {
        // A million cospherical points are the worst case: all of them support the sphere.
        let points: Vec<Point> = (0..1_000_000)
            .map(|i| {
                let (z, a) =
                    (1.0 - (f64::from(i) + 0.5) / 5e5, 2.399_963_229_728_653 * f64::from(i));
                let r = (1.0 - z * z).sqrt();
                [r * a.cos(), r * a.sin(), z]
            })
            .collect();
        let sphere = Sphere::around(&points);
        assert!((sphere.radius - 1.0).abs() < 1e-12, "{sphere:?}");
    }
}
