//! One ray against eight oriented boxes: which it may meet, and from where on.
//!
//! Slabs along the three axes of each box. The slabs are widened by all that rounding can do to the
//! ray and to the arithmetic, so that a box is never passed over wrongly. A NaN anywhere meets. Vacant
//! lanes may meet, too: whoever asks knows which those are.

use crate::lanes32::{Lanes8, Scalar8};
use crate::obb::Boxes8;
use crate::vec3::{dot, load, norm1, splat, sub};

/// A part of a half-line, in the frame of the boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayProbe {
    /// Where it starts.
    pub origin: [f32; 3],
    /// A unit vector up to 2u.
    pub direction: [f32; 3],
    /// How far it goes.
    pub length: f32,
    /// How far its true place may be from the given one.
    pub slack: f32,
}

/// What the test of one against eight came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entered {
    /// Lane `k` as bit `k`.
    pub lanes: u8,
    /// A distance from the origin that is not larger than that at which the ray enters the box.
    pub at: [f32; 8],
}

/// Rounding along an axis, in units of all that goes in: the way to the middle, half the edges and the
/// length of the ray.
///
/// With u = 2⁻²⁴: the way along an axis collects 15u, the direction along an axis 15u per length, the
/// widened slab 3u, the reciprocal and the product 3u of the numerator. Together below 64u.
const ROUNDING: f32 = 64.0 * 5.960_464_5e-8;
/// Takes three roundings off a distance.
const SHORTER: f32 = 1.0 - 1e-6;

/// Which of the eight the ray may meet.
#[inline]
pub fn entered(ray: &RayProbe, boxes: &Boxes8) -> Entered {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::entered(proof, ray, boxes);
    }
    enter::<Scalar8>(ray, boxes)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn entered(_: Avx2, ray: &RayProbe, boxes: &Boxes8) -> Entered {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(ray: &RayProbe, boxes: &Boxes8) -> Entered {
            super::enter::<Avx8>(ray, boxes)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2 and FMA.
        unsafe { compiled(ray, boxes) }
    }
}

#[expect(clippy::needless_range_loop, reason = "iterators may be compiled without AVX2")]
#[inline(always)]
fn enter<L: Lanes8>(ray: &RayProbe, boxes: &Boxes8) -> Entered {
    let way = sub(load::<L>(&boxes.center), splat(&ray.origin));
    let direction = splat::<L>(&ray.direction);
    let half = load::<L>(&boxes.half);
    let length = L::splat(ray.length);
    let extent = norm1(way).add(half[0].add(half[1]).add(half[2])).add(length);
    let slack = extent.mul(L::splat(ROUNDING)).add(L::splat(ray.slack));
    let (mut first, mut last) = (L::splat(0.0), length);
    for k in 0..3 {
        let axis = load::<L>(&boxes.axes[k]);
        let middle = dot(way, axis);
        let inverse = L::splat(1.0).div(dot(direction, axis));
        let reach = half[k].add(slack);
        let (p, q) = (middle.sub(reach).mul(inverse), middle.add(reach).mul(inverse));
        // Where a NaN takes part, `min` and `max` give their second operand: the known range.
        first = p.min(q).max(first);
        last = p.max(q).min(last);
    }
    let at = first.mul(L::splat(SHORTER));
    Entered { lanes: !L::bits(at.gt_mask(last)), at: at.store() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obb::Box1;
    use proptest::prelude::*;

    /// Axes of a turned box, from a quaternion, in f32.
    fn turned([w, x, y, z]: [f64; 4]) -> [[f32; 3]; 3] {
        let n = (w * w + x * x + y * y + z * z).sqrt().max(1e-9);
        let [w, x, y, z] = [w / n, x / n, y / n, z / n];
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
            [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
            [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
        .map(|axis| axis.map(|x| x as f32))
    }

    type Given = ([f64; 4], [f32; 3], [f32; 3]);

    fn boxes() -> impl Strategy<Value = Vec<Given>> {
        let number = || prop_oneof![-2.0f32..2.0, (-2i8..3).prop_map(f32::from)];
        let turn = prop_oneof![
            Just([1.0, 0.0, 0.0, 0.0]),
            prop::array::uniform4(-1.0..1.0f64).prop_filter("a rotation", |q| q
                .iter()
                .map(|x| x * x)
                .sum::<f64>()
                > 0.01),
        ];
        let half = prop::array::uniform3(prop_oneof![Just(0.0f32), 0.0f32..1.0]);
        prop::collection::vec((turn, prop::array::uniform3(number()), half), 8)
    }

    fn made(given: &[Given]) -> Boxes8 {
        let mut boxes = Boxes8::VACANT;
        for (lane, &(turn, center, half)) in given.iter().enumerate() {
            boxes.set(lane, &Box1 { center, half, axes: turned(turn) });
        }
        boxes
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// A ray through a point of a box meets it, and enters it before that point.
        #[test]
        fn a_ray_through_a_point_of_a_box_meets_it(
            given in boxes(),
            lane in 0..8usize,
            at in prop::array::uniform3(prop_oneof![-1.0f64..1.0, Just(1.0), Just(-1.0)]),
            direction in prop::array::uniform3(prop_oneof![-1.0f64..1.0, Just(0.0)]),
            back in 0.0..3.0f64,
        ) {
            let norm = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
            prop_assume!(norm > 0.01);
            let direction = direction.map(|x| x / norm);
            let boxes = made(&given);
            let one = boxes.get(lane);
            let point: [f64; 3] = std::array::from_fn(|k| {
                let along = |i: usize| {
                    at[i] * f64::from(one.half[i]) * f64::from(one.axes[i][k])
                };
                f64::from(one.center[k]) + along(0) + along(1) + along(2)
            });
            let origin: [f64; 3] = std::array::from_fn(|k| point[k] - back * direction[k]);
            let ray = RayProbe {
                origin: origin.map(|x| x as f32),
                direction: direction.map(|x| x as f32),
                length: (back as f32).next_up(),
                slack: 1e-6,
            };
            let found = entered(&ray, &boxes);
            prop_assert!(found.lanes >> lane & 1 == 1);
            prop_assert!(f64::from(found.at[lane]) <= back);
        }

        /// What is far from the ray is not met, so that the test is worth its name.
        #[test]
        fn a_box_beside_the_ray_is_not_met(given in boxes(), off in 4.6f32..9.0) {
            let boxes = made(&given);
            let (direction, slack) = ([1.0, 0.0, 0.0], 1e-6);
            let ray = RayProbe { origin: [-9.0, off, 0.0], direction, length: 20.0, slack };
            prop_assert_eq!(entered(&ray, &boxes).lanes, 0);
            let short = RayProbe { origin: [-9.0, 0.0, 0.0], length: 2.0, ..ray };
            prop_assert_eq!(entered(&short, &boxes).lanes, 0);
        }

        #[cfg(target_arch = "x86_64")]
        #[test]
        fn both_forms_agree_bit_for_bit(
            given in boxes(),
            origin in prop::array::uniform3(prop_oneof![-3.0f32..3.0, proptest::num::f32::ANY]),
            direction in prop::array::uniform3(prop_oneof![-1.0f32..1.0, Just(0.0)]),
            length in prop_oneof![0.0f32..5.0, Just(f32::INFINITY)],
        ) {
            use crate::lanes32::Avx2;
            let Some(proof) = Avx2::detect() else { return Ok(()) };
            let ray = RayProbe { origin, direction, length, slack: 1e-6 };
            let boxes = made(&given);
            let (plain, wide) = (enter::<Scalar8>(&ray, &boxes), x86::entered(proof, &ray, &boxes));
            prop_assert_eq!(plain.lanes, wide.lanes);
            prop_assert_eq!(plain.at.map(f32::to_bits), wide.at.map(f32::to_bits));
        }
    }
}
