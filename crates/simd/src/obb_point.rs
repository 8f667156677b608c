//! One point against eight oriented boxes: how far off each is at least.
//!
//! Rounding is granted in favour of "near". A NaN counts as no distance, and vacant lanes may be near,
//! too: whoever asks knows which those are.

use crate::lanes32::{Lanes8, Scalar8};
use crate::obb::Boxes8;
use crate::vec3::{dot, load, norm1, splat, sub};

/// A point, in the frame of the boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointProbe {
    /// Where.
    pub point: [f32; 3],
    /// How far its true place may be from the given one.
    pub slack: f32,
}

/// Rounding along an axis, in units of the way to the middle and half the edges: below 32u.
const ROUNDING: f32 = 32.0 * 5.960_464_5e-8;

/// Lower bounds of the distances of the eight.
#[inline]
pub fn point_gaps(probe: &PointProbe, boxes: &Boxes8) -> [f32; 8] {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::point_gaps(proof, probe, boxes);
    }
    apart::<Scalar8>(probe, boxes)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn point_gaps(_: Avx2, probe: &PointProbe, boxes: &Boxes8) -> [f32; 8] {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(probe: &PointProbe, boxes: &Boxes8) -> [f32; 8] {
            super::apart::<Avx8>(probe, boxes)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2 and FMA.
        unsafe { compiled(probe, boxes) }
    }
}

#[expect(clippy::needless_range_loop, reason = "iterators may be compiled without AVX2")]
#[inline(always)]
fn apart<L: Lanes8>(probe: &PointProbe, boxes: &Boxes8) -> [f32; 8] {
    let way = sub(load::<L>(&boxes.center), splat(&probe.point));
    let half = load::<L>(&boxes.half);
    let extent = norm1(way).add(half[0].add(half[1]).add(half[2]));
    let slack = extent.mul(L::splat(ROUNDING)).add(L::splat(probe.slack));
    let zero = L::splat(0.0);
    let mut square = zero;
    for k in 0..3 {
        let along = dot(way, load::<L>(&boxes.axes[k]));
        // `max` gives its second operand where a NaN takes part.
        let gap = along.abs().sub(half[k].add(slack)).max(zero);
        square = square.add(gap.mul(gap));
    }
    // The root of three squares is off by 4u, axes that are not quite orthonormal by some more.
    square.sqrt().mul(L::splat(1.0 - 1e-6)).store()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obb::Box1;
    use proptest::prelude::*;

    fn boxes() -> impl Strategy<Value = Vec<(f64, [f32; 3], [f32; 3])>> {
        let half = prop::array::uniform3(prop_oneof![Just(0.0f32), 0.0f32..1.0]);
        prop::collection::vec((0.0..6.3f64, prop::array::uniform3(-2.0f32..2.0), half), 8)
    }

    fn made(given: &[(f64, [f32; 3], [f32; 3])]) -> Boxes8 {
        let mut boxes = Boxes8::VACANT;
        for (lane, &(angle, center, half)) in given.iter().enumerate() {
            let (s, c) = (angle.sin() as f32, angle.cos() as f32);
            let axes = [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]];
            boxes.set(lane, &Box1 { center, half, axes });
        }
        boxes
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn bounds_are_below_the_distance_and_near_it(
            given in boxes(),
            point in prop::array::uniform3(-5.0f32..5.0),
        ) {
            let found = point_gaps(&PointProbe { point, slack: 0.0 }, &made(&given));
            for (lane, &(angle, center, half)) in given.iter().enumerate() {
                let way: [f64; 3] =
                    std::array::from_fn(|k| f64::from(point[k]) - f64::from(center[k]));
                let (s, c) = angle.sin_cos();
                let local = [c * way[0] + s * way[1], c * way[1] - s * way[0], way[2]];
                let gap = |k: usize| (local[k].abs() - f64::from(half[k])).max(0.0);
                let truth = (gap(0).powi(2) + gap(1).powi(2) + gap(2).powi(2)).sqrt();
                prop_assert!(f64::from(found[lane]) <= truth);
                prop_assert!(f64::from(found[lane]) >= truth - 1e-4);
            }
        }

        #[cfg(target_arch = "x86_64")]
        #[test]
        fn both_forms_agree_bit_for_bit(
            given in boxes(),
            point in prop::array::uniform3(prop_oneof![-3.0f32..3.0, proptest::num::f32::ANY]),
        ) {
            use crate::lanes32::Avx2;
            let Some(proof) = Avx2::detect() else { return Ok(()) };
            let (probe, boxes) = (PointProbe { point, slack: 1e-6 }, made(&given));
            prop_assert_eq!(
                apart::<Scalar8>(&probe, &boxes).map(f32::to_bits),
                x86::point_gaps(proof, &probe, &boxes).map(f32::to_bits)
            );
        }
    }
}
