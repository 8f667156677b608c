//! How far points reach along given directions: what the search for the frame of a box asks most.

use crate::lanes32::{Lanes8, Scalar8};
use crate::leaf::Points8;
use crate::vec3::{Vec3, dot, load, splat};

/// How far the points reach along each direction: the greatest less the least. Vacant points, which
/// are NaN, count for nothing.
#[inline]
pub fn spans<const N: usize>(points: &[Points8], directions: &[[f32; 3]; N]) -> [f32; N] {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::spans(proof, points, directions);
    }
    spans_along::<Scalar8, N>(points, directions)
}

#[inline(always)]
fn spans_along<L: Lanes8, const N: usize>(
    points: &[Points8],
    directions: &[[f32; 3]; N],
) -> [f32; N] {
    let mut out = [0.0; N];
    let mut at = 0;
    // Four at a time, so that points are loaded a quarter as often; more do not fit in registers.
    while at + 4 <= N {
        let mut four = [[L::splat(0.0); 3]; 4];
        for i in 0..4 {
            four[i] = splat::<L>(&directions[at + i]);
        }
        let found = block::<L, 4>(points, &four);
        out[at..at + 4].copy_from_slice(&found);
        at += 4;
    }
    while at < N {
        out[at] = block::<L, 1>(points, &[splat::<L>(&directions[at])])[0];
        at += 1;
    }
    out
}

#[inline(always)]
fn block<L: Lanes8, const N: usize>(points: &[Points8], directions: &[Vec3<L>; N]) -> [f32; N] {
    let mut low = [L::splat(f32::INFINITY); N];
    let mut high = [L::splat(f32::NEG_INFINITY); N];
    for point in points {
        let point = load::<L>(point);
        for i in 0..N {
            // The known extent goes last: where a vacant lane brings a NaN, it stays.
            let along = dot(point, directions[i]);
            low[i] = along.min(low[i]);
            high[i] = along.max(high[i]);
        }
    }
    let mut out = [0.0; N];
    for i in 0..N {
        let down = L::splat(0.0).sub(high[i]).least();
        out[i] = 0.0 - (low[i].least().store()[0] + down.store()[0]);
    }
    out
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn spans<const N: usize>(
        _: Avx2,
        points: &[Points8],
        directions: &[[f32; 3]; N],
    ) -> [f32; N] {
        #[target_feature(enable = "avx2,fma")]
        fn compiled<const N: usize>(points: &[Points8], directions: &[[f32; 3]; N]) -> [f32; N] {
            super::spans_along::<Avx8, N>(points, directions)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(points, directions) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaf::tests::numbers;
    use proptest::prelude::*;

    fn points() -> impl Strategy<Value = Vec<Points8>> {
        let eight = prop::array::uniform8(prop_oneof![6 => -1.0..1.0f32, 1 => Just(f32::NAN)]);
        prop::collection::vec(prop::array::uniform3(eight), 1..9)
    }

    proptest! {
        #[test]
        fn both_forms_agree_bit_for_bit(
            points in prop::collection::vec(
                prop::array::uniform3(prop::array::uniform8(numbers())), 0..5),
            directions in prop::array::uniform5(prop::array::uniform3(numbers())),
        ) {
            let plain = spans_along::<Scalar8, 5>(&points, &directions);
            let found = spans(&points, &directions);
            for (s, x) in plain.iter().zip(found) {
                prop_assert!(s.to_bits() == x.to_bits() || s.is_nan() && x.is_nan());
            }
        }

        #[test]
        fn the_farthest_two_points_are_found(
            points in points(),
            directions in prop::array::uniform5(prop::array::uniform3(-1.0..1.0f32)),
        ) {
            for (direction, span) in directions.iter().zip(spans(&points, &directions)) {
                let along = points.iter().flat_map(|p| (0..8).map(|i| {
                    (0..3).map(|k| f64::from(p[k][i]) * f64::from(direction[k])).sum::<f64>()
                }));
                let seen: Vec<f64> = along.filter(|x| !x.is_nan()).collect();
                prop_assume!(!seen.is_empty());
                let low = seen.iter().copied().fold(f64::INFINITY, f64::min);
                let high = seen.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                prop_assert!((f64::from(span) - (high - low)).abs() < 1e-5);
            }
        }
    }
}
