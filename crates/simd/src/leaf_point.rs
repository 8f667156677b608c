//! One point against eight triangles: how far off each is, from below and from above.
//!
//! The point is held against the edges and against the face. That gives a point of the triangle, so an
//! upper bound whatever rounding did to its place; the plane across the way to it that has the
//! triangle on its far side gives the lower bound.

use crate::lanes32::{Lanes8, Scalar8};
use crate::leaf::{Corners, Triangles8, U};
use crate::vec3::{Vec3, cross, dot, load, splat, sub};

/// A point, seen from the middle of a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafPoint {
    /// Where.
    pub point: [f32; 3],
    /// How far a coordinate of the point or of a triangle may be from the truth.
    pub error: f32,
}

/// Bounds of the distances, by lane; NaN or anything in vacant lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distances {
    /// From below.
    pub lower: [f32; 8],
    /// From above.
    pub upper: [f32; 8],
}

/// Measures the distances of the eight.
#[inline]
pub fn distances(point: &LeafPoint, triangles: &Triangles8) -> Distances {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::distances(proof, point, triangles);
    }
    measure::<Scalar8>(point, triangles)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn distances(_: Avx2, point: &LeafPoint, triangles: &Triangles8) -> Distances {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(point: &LeafPoint, triangles: &Triangles8) -> Distances {
            super::measure::<Avx8>(point, triangles)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2 and FMA.
        unsafe { compiled(point, triangles) }
    }
}

/// The shortest way so far.
struct Best<L> {
    square: L,
    way: Vec3<L>,
}

impl<L: Lanes8> Best<L> {
    #[inline(always)]
    fn improve(&mut self, allowed: L::Mask, way: Vec3<L>) {
        let square = dot(way, way);
        let nearer = L::and(allowed, self.square.gt_mask(square));
        self.square = square.select(nearer, self.square);
        self.way = [
            way[0].select(nearer, self.way[0]),
            way[1].select(nearer, self.way[1]),
            way[2].select(nearer, self.way[2]),
        ];
    }
}

/// Between 0 and 1; 0 for a NaN.
#[inline(always)]
fn clamp<L: Lanes8>(x: L) -> L {
    x.max(L::splat(0.0)).min(L::splat(1.0))
}

/// `from` plus `s` times `along`.
#[inline(always)]
fn on<L: Lanes8>(from: Vec3<L>, along: Vec3<L>, s: L) -> Vec3<L> {
    [from[0].add(along[0].mul(s)), from[1].add(along[1].mul(s)), from[2].add(along[2].mul(s))]
}

/// Let γ be the largest magnitude of the corners seen from the point, each off by η = 2·error + uγ. A
/// point of the triangle and so a distance is off by 2η and 16uγ, a distance along the way by as
/// much; granted are 4η and 64uγ.
#[inline(always)]
fn measure<L: Lanes8>(point: &LeafPoint, triangles: &Triangles8) -> Distances {
    let at = splat::<L>(&point.point);
    let corners: Corners<L> = [
        sub(load::<L>(&triangles[0]), at),
        sub(load::<L>(&triangles[1]), at),
        sub(load::<L>(&triangles[2]), at),
    ];
    let mut largest = L::splat(0.0);
    for corner in &corners {
        for x in corner {
            // A NaN of a vacant lane goes first, so that it is passed over.
            largest = x.abs().max(largest);
        }
    }
    let best = closest(&corners);
    let distance = best.square.sqrt();
    let slack = largest.mul(L::splat(72.0 * U)).add(L::splat(8.0 * point.error));
    let along = [dot(corners[0], best.way), dot(corners[1], best.way), dot(corners[2], best.way)];
    let gap = along[0].min(along[1]).min(along[2]).div(distance);
    // Without a distance there is no direction and no gap; `max` turns the NaN into zero.
    let lower = gap.mul(L::splat(1.0 - 16.0 * U)).max(L::splat(0.0)).sub(slack);
    Distances { lower: lower.store(), upper: distance.add(slack).store() }
}

#[inline(always)]
fn closest<L: Lanes8>(corners: &Corners<L>) -> Best<L> {
    let zero = L::splat(0.0);
    let all = zero.le_mask(zero);
    let mut best = Best { square: L::splat(f32::INFINITY), way: [zero; 3] };
    for k in 0..3 {
        let from = corners[k];
        let edge = sub(corners[(k + 1) % 3], from);
        let s = clamp(zero.sub(dot(from, edge)).div(dot(edge, edge)));
        best.improve(all, on(from, edge, s));
    }
    // The foot on the plane by the areas of the three triangles that it makes with the edges.
    let (e1, e2) = (sub(corners[1], corners[0]), sub(corners[2], corners[0]));
    let normal = cross(e1, e2);
    let inverse = L::splat(1.0).div(dot(normal, normal));
    let v = zero.sub(dot(cross(corners[0], e2), normal)).mul(inverse);
    let w = dot(cross(corners[0], e1), normal).mul(inverse);
    let inner = L::and(zero.le_mask(v), zero.le_mask(w));
    let inner = L::and(inner, v.add(w).le_mask(L::splat(1.0)));
    best.improve(inner, on(on(corners[0], e1, v), e2, w));
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn triangles() -> impl Strategy<Value = Vec<[[f32; 3]; 3]>> {
        let number = prop_oneof![-1.0f32..1.0, (-1i8..2).prop_map(f32::from)];
        prop::collection::vec(prop::array::uniform3(prop::array::uniform3(number)), 8)
    }

    fn columns(triangles: &[[[f32; 3]; 3]]) -> Triangles8 {
        std::array::from_fn(|c| {
            std::array::from_fn(|k| std::array::from_fn(|lane| triangles[lane][c][k]))
        })
    }

    /// The least distance over a fine net of the triangle: never below the truth.
    fn sampled(point: &[f32; 3], triangle: &[[f32; 3]; 3]) -> f64 {
        let mut least = f64::INFINITY;
        let n = 40;
        for i in 0..=n {
            for j in 0..=n - i {
                let weights = [i, j, n - i - j].map(|x| f64::from(x) / f64::from(n));
                let square: f64 = (0..3)
                    .map(|k| {
                        let at: f64 = (0..3).map(|c| weights[c] * f64::from(triangle[c][k])).sum();
                        (at - f64::from(point[k])).powi(2)
                    })
                    .sum();
                least = least.min(square);
            }
        }
        least.sqrt()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn bounds_hold_the_distance(
            given in triangles(),
            point in prop::array::uniform3(-2.0f32..2.0),
        ) {
            let found = distances(&LeafPoint { point, error: 0.0 }, &columns(&given));
            for (lane, triangle) in given.iter().enumerate() {
                let sampled = sampled(&point, triangle);
                let (lower, upper) = (f64::from(found.lower[lane]), f64::from(found.upper[lane]));
                prop_assert!(lower <= sampled, "{lower} {sampled}");
                // The net is at most a twentieth of an edge away from any point.
                prop_assert!(upper >= sampled - 0.1, "{upper} {sampled}");
                prop_assert!(upper <= sampled + 1e-4, "{upper} {sampled}");
            }
        }

        #[cfg(target_arch = "x86_64")]
        #[test]
        fn both_forms_agree_bit_for_bit(
            given in triangles(),
            point in prop::array::uniform3(prop_oneof![-1.0f32..1.0, proptest::num::f32::ANY]),
        ) {
            use crate::lanes32::Avx2;
            let Some(proof) = Avx2::detect() else { return Ok(()) };
            let (point, triangles) = (LeafPoint { point, error: U }, columns(&given));
            let plain = measure::<Scalar8>(&point, &triangles);
            let wide = x86::distances(proof, &point, &triangles);
            for (x, y) in [(plain.lower, wide.lower), (plain.upper, wide.upper)] {
                for lane in 0..8 {
                    // Which NaN comes out is nobody's business; that one does is.
                    let same = x[lane].to_bits() == y[lane].to_bits();
                    prop_assert!(same || x[lane].is_nan() && y[lane].is_nan());
                }
            }
        }
    }
}
