//! One line against eight triangles: which it may meet. Those it certainly misses are told by the
//! signs of three determinants, each held against all that rounding can have done to it; the rest is
//! for exact arithmetic.

use crate::lanes32::{Lanes8, Scalar8};
use crate::leaf::{Triangles8, U};
use crate::vec3::{cross, dot, dots, load, splat, sub};

/// A part of a line, seen from the middle of a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafRay {
    /// A point of the line near the middle.
    pub origin: [f32; 3],
    /// A unit vector up to 2u.
    pub direction: [f32; 3],
    /// Where on the line, seen from that point, the part starts and ends.
    pub range: [f32; 2],
    /// How far a coordinate of the line or of a triangle may be from the truth.
    pub error: f32,
}

/// The lanes that the ray may meet, lane `k` as bit `k`; vacant ones may be among them.
#[inline]
pub fn candidates(ray: &LeafRay, triangles: &Triangles8) -> u8 {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::candidates(proof, ray, triangles);
    }
    left::<Scalar8>(ray, triangles)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn candidates(_: Avx2, ray: &LeafRay, triangles: &Triangles8) -> u8 {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(ray: &LeafRay, triangles: &Triangles8) -> u8 {
            super::left::<Avx8>(ray, triangles)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2 and FMA.
        unsafe { compiled(ray, triangles) }
    }
}

/// Let γ be the largest magnitude of the corners seen from the line's point and η the error of each
/// of them, at most twice `error` and uγ. A determinant of the direction and two corners has six
/// products of at most γ² each: 12ηγ from the corners, 12uγ² from the direction, 30uγ² from its own
/// rounding; granted are 16ηγ + 64uγ².
#[inline(always)]
fn left<L: Lanes8>(ray: &LeafRay, triangles: &Triangles8) -> u8 {
    let origin = splat::<L>(&ray.origin);
    let direction = splat::<L>(&ray.direction);
    let corners = [
        sub(load::<L>(&triangles[0]), origin),
        sub(load::<L>(&triangles[1]), origin),
        sub(load::<L>(&triangles[2]), origin),
    ];
    let mut largest = L::splat(0.0);
    for corner in &corners {
        for x in corner {
            // A NaN of a vacant lane goes first, so that it is passed over.
            largest = x.abs().max(largest);
        }
    }
    let eta = largest.mul(L::splat(U)).add(L::splat(2.0 * ray.error));
    let sum = eta.mul(L::splat(16.0)).add(largest.mul(L::splat(64.0 * U)));
    // Products of tiny numbers vanish; the least bound that does not is granted.
    let bound = largest.mul(sum).add(L::splat(f32::MIN_POSITIVE));
    let below = L::splat(0.0).sub(bound);
    let [a, b, c] = corners;
    let [x, y, z] = dots(direction, &[cross(a, b), cross(b, c), cross(c, a)]);
    let positive = L::or(L::or(x.gt_mask(bound), y.gt_mask(bound)), z.gt_mask(bound));
    let negative = L::or(L::or(below.gt_mask(x), below.gt_mask(y)), below.gt_mask(z));
    // Along the line: 3u of the scalar product and 2u of the direction on up to three times γ.
    let slack = largest.mul(L::splat(32.0 * U)).add(L::splat(4.0 * ray.error));
    let [p, q, r] = [dot(direction, a), dot(direction, b), dot(direction, c)];
    let behind = L::splat(ray.range[0]).sub(slack).gt_mask(p.max(q).max(r));
    let beyond = p.min(q).min(r).gt_mask(L::splat(ray.range[1]).add(slack));
    !L::bits(L::or(L::and(positive, negative), L::or(behind, beyond)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn triangles() -> impl Strategy<Value = Vec<[[f32; 3]; 3]>> {
        let number = prop_oneof![-1.0f32..1.0, (-1i8..2).prop_map(f32::from)];
        prop::collection::vec(prop::array::uniform3(prop::array::uniform3(number)), 8)
    }

    /// Inside, on edges and on corners.
    fn weights() -> impl Strategy<Value = [f64; 3]> {
        (prop::array::uniform3(0.01..1.0f64), 0..7u8).prop_map(|(weights, kept)| {
            let keep = |k: usize| if kept == 0 || kept >> k & 1 == 1 { weights[k] } else { 0.0 };
            [keep(0), keep(1), keep(2)]
        })
    }

    /// Anywhere, in coordinate planes and along axes.
    fn directions() -> impl Strategy<Value = [f64; 3]> {
        let number = || prop_oneof![0.01..1.0f64, -1.0..-0.01f64];
        (prop::array::uniform3(number()), 1..8u8).prop_map(|(d, kept)| {
            let keep = |k: usize| if kept >> k & 1 == 1 { d[k] } else { 0.0 };
            [keep(0), keep(1), keep(2)]
        })
    }

    fn columns(triangles: &[[[f32; 3]; 3]]) -> Triangles8 {
        std::array::from_fn(|c| {
            std::array::from_fn(|k| std::array::from_fn(|lane| triangles[lane][c][k]))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// A line through a point of a triangle, corners and edges included, is left.
        #[test]
        fn a_triangle_that_is_met_is_left(
            given in triangles(),
            lane in 0..8usize,
            weights in weights(),
            direction in directions(),
            back in -2.0..2.0f64,
        ) {
            let norm = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
            let total: f64 = weights.iter().sum();
            let direction = direction.map(|x| x / norm);
            let origin: [f64; 3] = std::array::from_fn(|k| {
                let at = |c: usize| f64::from(given[lane][c][k]) * weights[c] / total;
                at(0) + at(1) + at(2) - back * direction[k]
            });
            let ray = LeafRay {
                origin: origin.map(|x| x as f32),
                direction: direction.map(|x| x as f32),
                range: [back as f32, back as f32],
                error: 4.0 * U,
            };
            prop_assert!(candidates(&ray, &columns(&given)) >> lane & 1 == 1);
        }

        #[test]
        fn most_of_what_is_missed_is_not_left(given in triangles(), off in 1.01f32..3.0) {
            let range = [-9.0, 9.0];
            let direction = [0.0, 0.6, 0.8];
            let ray = LeafRay { origin: [off, 0.0, 0.0], direction, range, error: U };
            // Flat ones seen edge-on have no sides, and are left.
            let triangles = columns(&given);
            for (lane, corners) in given.iter().enumerate() {
                let area = |i: usize, j: usize| {
                    let [a, b] = [corners[i], corners[j]];
                    let (p, q) = (0.8 * a[1] - 0.6 * a[2], 0.8 * b[1] - 0.6 * b[2]);
                    (a[0] - off) * q - (b[0] - off) * p
                };
                let clear = [(0, 1), (1, 2), (2, 0)].iter().all(|&(i, j)| area(i, j).abs() > 1e-4);
                if clear {
                    prop_assert!(candidates(&ray, &triangles) >> lane & 1 == 0);
                }
            }
            let behind = LeafRay { origin: [0.0; 3], range: [4.0, 9.0], ..ray };
            prop_assert_eq!(candidates(&behind, &triangles), 0);
        }

        #[cfg(target_arch = "x86_64")]
        #[test]
        fn both_forms_agree(
            given in triangles(),
            origin in prop::array::uniform3(prop_oneof![-1.0f32..1.0, proptest::num::f32::ANY]),
            direction in prop::array::uniform3(-1.0f32..1.0),
            vacant in any::<u8>(),
        ) {
            use crate::lanes32::Avx2;
            let Some(proof) = Avx2::detect() else { return Ok(()) };
            let mut triangles = columns(&given);
            for lane in (0..8).filter(|lane| vacant >> lane & 1 == 1) {
                triangles.iter_mut().flatten().for_each(|column| column[lane] = f32::NAN);
            }
            let ray = LeafRay { origin, direction, range: [-0.5, 0.5], error: U };
            prop_assert_eq!(
                left::<Scalar8>(&ray, &triangles),
                x86::candidates(proof, &ray, &triangles)
            );
        }
    }
}
