//! Spheres, each against all behind it, eight at a time, in f32.
//!
//! Never misses spheres that touch, provided that radii are as [`inflated`] makes them and centres
//! are finite: with u = 2⁻²⁴ the squared distance comes out at most (1 + u)⁵ times too large and the
//! square of the sum of the radii at least (1 − u)³ times as large as it is, which the slack of
//! 16 u in the radii outweighs. Underflow loses less than 2⁻¹⁴⁶ in all against a square of at least
//! 2⁻¹¹⁸, and overflow goes the same way as the rounding: what is infinite on the left is so on the
//! right.

use crate::lanes32::{Lanes8, Scalar8};
use std::ops::Range;

/// Eight spheres. Lanes behind the last sphere hold NaN and touch nothing.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spheres8 {
    /// Centres, `[coordinate][lane]`, finite.
    pub center: [[f32; 8]; 3],
    /// Radii as [`inflated`] makes them.
    pub radius: [f32; 8],
}

impl Spheres8 {
    /// No spheres.
    pub const NONE: Self = Self { center: [[f32::NAN; 8]; 3], radius: [f32::NAN; 8] };
}

/// A radius with room for the rounding of the test, and so large that its square does not vanish.
/// Infinite if it is not a number.
pub fn inflated(radius: f64) -> f32 {
    const SLACK: f64 = 1.0 + 1.0 / (1u64 << 20) as f64;
    const LEAST: f32 = 1.0 / (1u64 << 60) as f32;
    let nearest = (radius * SLACK) as f32;
    if nearest.is_nan() { f32::INFINITY } else { nearest.next_up().max(LEAST) }
}

/// The pairs of spheres that may touch, sphere `i` of `rows` with those behind it.
///
/// Appends to `out`, and stops after a row when that has `stop` pairs or more. Returns the first
/// row that is not done.
pub fn pairs(
    blocks: &[Spheres8],
    rows: Range<usize>,
    stop: usize,
    out: &mut Vec<[u32; 2]>,
) -> usize {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::pairs(proof, blocks, (rows, stop), out);
    }
    run::<Scalar8>(blocks, (rows, stop), out)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    pub(super) fn pairs(
        _: Avx2,
        blocks: &[Spheres8],
        task: (Range<usize>, usize),
        out: &mut Vec<[u32; 2]>,
    ) -> usize {
        #[target_feature(enable = "avx2")]
        fn compiled(
            blocks: &[Spheres8],
            task: (Range<usize>, usize),
            out: &mut Vec<[u32; 2]>,
        ) -> usize {
            run::<Avx8>(blocks, task, out)
        }
        // SAFETY: `Avx2` proves that the CPU has AVX2.
        unsafe { compiled(blocks, task, out) }
    }
}

#[inline(always)]
fn run<L: Lanes8>(
    blocks: &[Spheres8],
    (rows, stop): (Range<usize>, usize),
    out: &mut Vec<[u32; 2]>,
) -> usize {
    for row in rows.start..rows.end {
        if out.len() >= stop {
            return row;
        }
        let (first, lane) = (row / 8, row % 8);
        let own = &blocks[first];
        let [x, y, z] = &own.center;
        let center = [L::splat(x[lane]), L::splat(y[lane]), L::splat(z[lane])];
        let radius = L::splat(own.radius[lane]);
        let mut behind = 0xfe << lane;
        for (k, block) in blocks[first..].iter().enumerate() {
            let mut hits = touching(&center, radius, block) & behind as u8;
            behind = 0xff;
            while hits != 0 {
                let other = (first + k) * 8 + hits.trailing_zeros() as usize;
                out.push([row as u32, other as u32]);
                hits &= hits - 1;
            }
        }
    }
    rows.end
}

#[inline(always)]
fn touching<L: Lanes8>(center: &[L; 3], radius: L, block: &Spheres8) -> u8 {
    let x = L::load(&block.center[0]).sub(center[0]);
    let y = L::load(&block.center[1]).sub(center[1]);
    let z = L::load(&block.center[2]).sub(center[2]);
    let reach = L::load(&block.radius).add(radius);
    x.mul(x).add(y.mul(y)).add(z.mul(z)).le(reach.mul(reach))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Small whole numbers, so that many spheres just touch, at all scales and far away.
    fn spheres() -> impl Strategy<Value = Vec<[f32; 4]>> {
        let whole = prop::collection::vec(prop::array::uniform4(-6i8..7), 0..40);
        let scale = prop_oneof![Just(1.0f32), Just(1e-22), Just(1e19), Just(1.1e38), 1e-3..1e3f32];
        let offset = prop_oneof![Just(0.0f32), Just(1e6), -1e6..1e6f32];
        (whole, scale, offset).prop_map(|(spheres, scale, offset)| {
            let place = |[x, y, z, r]: [i8; 4]| {
                let far = |k: i8| (f32::from(k) * scale + offset).clamp(f32::MIN, f32::MAX);
                let radius = f32::from(r.abs()) * scale;
                [far(x), far(y), far(z), if r == 6 { f32::INFINITY } else { radius }]
            };
            spheres.into_iter().map(place).collect()
        })
    }

    fn blocks(spheres: &[[f32; 4]]) -> Vec<Spheres8> {
        let mut blocks = vec![Spheres8::NONE; spheres.len().div_ceil(8)];
        for (i, &[x, y, z, radius]) in spheres.iter().enumerate() {
            let block = &mut blocks[i / 8];
            (0..3).for_each(|k| block.center[k][i % 8] = [x, y, z][k]);
            block.radius[i % 8] = inflated(f64::from(radius));
        }
        blocks
    }

    proptest! {
        #[test]
        fn touching_spheres_are_found_and_distant_ones_are_not(
            spheres in spheres(), stop in 0usize..200,
        ) {
            let (blocks, n) = (blocks(&spheres), spheres.len());
            let mut found = Vec::new();
            prop_assert_eq!(pairs(&blocks, 0..n, usize::MAX, &mut found), n);
            for j in 0..n {
                for i in 0..j {
                    let (a, b) = (spheres[i].map(f64::from), spheres[j].map(f64::from));
                    let square: f64 = (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum();
                    let (gap, scale) = (square.sqrt() - a[3] - b[3], a[3] + b[3] + square.sqrt());
                    let hit = found.contains(&[i as u32, j as u32]);
                    // The slack is a million times what the oracle itself rounds.
                    prop_assert!(hit || gap > 0.0, "missed {a:?} {b:?}");
                    // Squares beyond the range of f32 tell nothing apart.
                    let far = gap > 1e-5 * scale + 1e-17 && scale < 1e18;
                    prop_assert!(!hit || !far, "invented {a:?} {b:?}");
                }
            }
            let mut twin = Vec::new();
            let done = pairs(&blocks, 0..n, stop, &mut twin);
            let rows = found.iter().filter(|[row, _]| (*row as usize) < done).count();
            prop_assert_eq!(&twin, &found[..rows]);
            twin.clear();
            prop_assert_eq!(run::<Scalar8>(&blocks, (0..n, stop), &mut twin), done);
            prop_assert_eq!(&twin, &found[..rows]);
        }
    }

    #[test]
    fn spheres_that_just_touch_are_found() {
        // 3-4-12-13: exact in whole numbers, and with a centre at a million.
        for offset in [0.0, 1e6, -16_777_200.0] {
            let [a, b] = [[offset, 0.0, 0.0, 6.0], [offset + 3.0, 4.0, 12.0, 7.0]];
            let mut out = Vec::new();
            pairs(&blocks(&[a, b]), 0..2, usize::MAX, &mut out);
            assert_eq!(out, [[0, 1]], "{offset}");
        }
    }

    #[test]
    fn a_radius_is_never_less_than_it_was() {
        assert_eq!(inflated(f64::NAN), f32::INFINITY);
        assert_eq!(inflated(f64::INFINITY), f32::INFINITY);
        assert_eq!(inflated(1e300), f32::INFINITY);
        assert!(inflated(0.0) > 0.0 && f64::from(inflated(1.0)) > 1.0);
    }
}
