//! Eight f32 lanes: one trait, a portable form and an AVX form that agree bit for bit.
//!
//! Kernels are written once over [`Lanes8`]. Products and sums are fused where a kernel says so and
//! nowhere else, in both forms, so both round alike. The crate keeps the lanes to itself: the AVX form is sound only after detection.

use crate::lanes::{Lanes4, Scalar4};

/// Eight f32 numbers on which one operation works at a time. Comparisons give one bit per lane,
/// lane 0 lowest, and are false where a NaN takes part.
pub(crate) trait Lanes8: Copy {
    /// Eight truth values that are not yet bits: several are cheaper to join this way.
    type Mask: Copy;
    /// The same number in all lanes.
    fn splat(x: f32) -> Self;
    /// One number per lane.
    fn load(x: &[f32; 8]) -> Self;
    /// The numbers of the lanes.
    fn store(self) -> [f32; 8];
    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Difference.
    fn sub(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
    /// `self · factor + term`, rounded once. Only for what holds whatever rounding does.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// `self · factor − term`, rounded once.
    fn mul_sub(self, factor: Self, term: Self) -> Self;
    /// Quotient.
    fn div(self, other: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// `self` where the mask is set, else `other`.
    fn select(self, mask: Self::Mask, other: Self) -> Self;
    /// `self` where it is less, else `other`.
    fn min(self, other: Self) -> Self;
    /// `self` where it is greater, else `other`.
    fn max(self, other: Self) -> Self;
    /// Lanes where `self < other`.
    fn lt(self, other: Self) -> u8;
    /// Lanes where `self <= other`.
    fn le(self, other: Self) -> u8;
    /// The same before it becomes bits.
    fn le_mask(self, other: Self) -> Self::Mask;
    /// Lanes where `self > other`, before it becomes bits.
    fn gt_mask(self, other: Self) -> Self::Mask;
    /// Both.
    fn and(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Either.
    fn or(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Lane `k` as bit `k`.
    fn bits(mask: Self::Mask) -> u8;
    /// Four f64 numbers that can be turned into these.
    type Wide: Lanes4;
    /// Four numbers rounded to f32, twice.
    fn twice(four: Self::Wide) -> Self;
    /// Lane `K` (below 4) of the lower half in the lower half, that of the upper in the upper.
    fn spread<const K: i32>(self) -> Self;
    /// The least of all lanes in every lane.
    fn least(self) -> Self;
    /// Lanes whose number is not `u32::MAX`.
    fn taken(ids: &[u32; 8]) -> Self::Mask;
    /// Numbers from 0 to 65535, each rounded to the nearest whole one, halves to the even one.
    fn whole(self) -> [u16; 8];
    /// For each lane the bits from one number to another, both from 0 to 63 and rounded as by `whole`.
    fn spans(self, last: Self) -> [u64; 8];
    /// Eight rows, column by column: all first numbers, all second numbers and so on.
    fn transposed(rows: [&[f32; 8]; 8]) -> [Self; 8];
}

/// The portable form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar8([f32; 8]);

impl Scalar8 {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn mask(self, other: Self, f: impl Fn(f32, f32) -> bool) -> u8 {
        (0..8).fold(0, |mask, i| mask | u8::from(f(self.0[i], other.0[i])) << i)
    }
}

impl Lanes8 for Scalar8 {
    type Mask = u8;

    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([x; 8])
    }
    #[inline(always)]
    fn load(x: &[f32; 8]) -> Self {
        Self(*x)
    }
    #[inline(always)]
    fn store(self) -> [f32; 8] {
        self.0
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].mul_add(factor.0[i], term.0[i])))
    }
    #[inline(always)]
    fn mul_sub(self, factor: Self, term: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].mul_add(factor.0[i], -term.0[i])))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f32::abs))
    }
    #[inline(always)]
    fn select(self, mask: u8, other: Self) -> Self {
        let lane = |i: usize| if mask >> i & 1 == 1 { self.0[i] } else { other.0[i] };
        Self(std::array::from_fn(lane))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn lt(self, other: Self) -> u8 {
        self.mask(other, |a, b| a < b)
    }
    #[inline(always)]
    fn le(self, other: Self) -> u8 {
        self.mask(other, |a, b| a <= b)
    }
    #[inline(always)]
    fn le_mask(self, other: Self) -> u8 {
        self.le(other)
    }
    #[inline(always)]
    fn gt_mask(self, other: Self) -> u8 {
        self.mask(other, |a, b| a > b)
    }
    #[inline(always)]
    fn and(a: u8, b: u8) -> u8 {
        a & b
    }
    #[inline(always)]
    fn or(a: u8, b: u8) -> u8 {
        a | b
    }
    #[inline(always)]
    fn bits(mask: u8) -> u8 {
        mask
    }
    type Wide = Scalar4;
    #[inline(always)]
    fn twice(four: Scalar4) -> Self {
        let four = four.to_f32();
        Self(std::array::from_fn(|i| four[i % 4]))
    }
    #[inline(always)]
    fn spread<const K: i32>(self) -> Self {
        Self(std::array::from_fn(|i| self.0[i / 4 * 4 + K as usize]))
    }
    #[inline(always)]
    fn least(self) -> Self {
        let lesser = |a: f32, b: f32| if a < b { a } else { b };
        let x = self.0;
        let four: [f32; 4] = std::array::from_fn(|i| lesser(x[i], x[i + 4]));
        let two = [lesser(four[0], four[2]), lesser(four[1], four[3])];
        Self([lesser(two[0], two[1]); 8])
    }
    #[inline(always)]
    fn taken(ids: &[u32; 8]) -> u8 {
        (0..8).fold(0, |mask, i| mask | u8::from(ids[i] != u32::MAX) << i)
    }
    #[inline(always)]
    fn whole(self) -> [u16; 8] {
        // 2²³ and a smaller number are that number, rounded to the nearest, in the low bits.
        self.0.map(|x| (x + 8_388_608.0).to_bits() as u16)
    }
    #[inline(always)]
    fn spans(self, last: Self) -> [u64; 8] {
        let (first, last) = (self.whole(), last.whole());
        std::array::from_fn(|i| (!0 << first[i]) & (!0 >> (63 - last[i])))
    }
    #[inline(always)]
    fn transposed(rows: [&[f32; 8]; 8]) -> [Self; 8] {
        std::array::from_fn(|k| Self(std::array::from_fn(|i| rows[i][k])))
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx8, align_frame};

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "intrinsics that the detected CPU is known to have")]

    use super::Lanes8;
    use crate::lanes::avx::Avx4;
    use std::arch::x86_64::*;

    /// Makes the compiler align the stack frame of its caller to 32 bytes. Without it, registers that
    /// are put aside straddle cache lines, and kernels that put many aside take twice the time.
    #[inline(always)]
    pub(crate) fn align_frame() {
        #[repr(align(32))]
        struct Anchor([u8; 32]);
        std::hint::black_box(&mut Anchor([0; 32]).0[0]);
    }

    /// Proof that this CPU has AVX2, fused operations and what came with them; only [`Avx2::detect`] makes it.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Avx2(());

    impl Avx2 {
        /// Asks the CPU; the standard library remembers the answer.
        #[inline]
        pub(crate) fn detect() -> Option<Self> {
            let detected = std::is_x86_feature_detected!("avx2")
                && std::is_x86_feature_detected!("fma")
                && std::is_x86_feature_detected!("popcnt");
            detected.then_some(Self(()))
        }
    }

    /// The AVX form. Only functions that were handed an [`Avx2`] may make or use one.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Avx8(__m256);

    impl Avx8 {
        /// The register.
        #[inline(always)]
        pub(crate) fn raw(self) -> __m256 {
            self.0
        }

        /// What is in a register.
        #[inline(always)]
        pub(crate) fn of(raw: __m256) -> Self {
            Self(raw)
        }
    }

    // SAFETY, for all blocks below: the intrinsics need AVX, which whoever uses these lanes has
    // detected (see `Avx8`); arrays of eight f32 are 32 readable bytes, and loads are unaligned.
    macro_rules! avx {
        ($operation:expr) => {
            // SAFETY: see above the macro.
            unsafe { $operation }
        };
    }

    impl Lanes8 for Avx8 {
        type Mask = __m256;

        #[inline(always)]
        fn splat(x: f32) -> Self {
            Self(avx!(_mm256_set1_ps(x)))
        }
        #[inline(always)]
        fn load(x: &[f32; 8]) -> Self {
            Self(avx!(_mm256_loadu_ps(x.as_ptr())))
        }
        #[inline(always)]
        fn store(self) -> [f32; 8] {
            let mut out = [0.0; 8];
            avx!(_mm256_storeu_ps(out.as_mut_ptr(), self.0));
            out
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Self(avx!(_mm256_add_ps(self.0, other.0)))
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            Self(avx!(_mm256_sub_ps(self.0, other.0)))
        }
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            Self(avx!(_mm256_mul_ps(self.0, other.0)))
        }
        #[inline(always)]
        fn mul_add(self, factor: Self, term: Self) -> Self {
            Self(avx!(_mm256_fmadd_ps(self.0, factor.0, term.0)))
        }
        #[inline(always)]
        fn mul_sub(self, factor: Self, term: Self) -> Self {
            Self(avx!(_mm256_fmsub_ps(self.0, factor.0, term.0)))
        }
        #[inline(always)]
        fn div(self, other: Self) -> Self {
            Self(avx!(_mm256_div_ps(self.0, other.0)))
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(avx!(_mm256_sqrt_ps(self.0)))
        }
        #[inline(always)]
        fn select(self, mask: __m256, other: Self) -> Self {
            Self(avx!(_mm256_blendv_ps(other.0, self.0, mask)))
        }
        #[inline(always)]
        fn abs(self) -> Self {
            Self(avx!(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)))
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Self(avx!(_mm256_min_ps(self.0, other.0)))
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Self(avx!(_mm256_max_ps(self.0, other.0)))
        }
        #[inline(always)]
        fn lt(self, other: Self) -> u8 {
            avx!(_mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0))) as u8
        }
        #[inline(always)]
        fn le(self, other: Self) -> u8 {
            Self::bits(self.le_mask(other))
        }
        #[inline(always)]
        fn le_mask(self, other: Self) -> __m256 {
            avx!(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0))
        }
        #[inline(always)]
        fn gt_mask(self, other: Self) -> __m256 {
            avx!(_mm256_cmp_ps::<_CMP_GT_OQ>(self.0, other.0))
        }
        #[inline(always)]
        fn and(a: __m256, b: __m256) -> __m256 {
            avx!(_mm256_and_ps(a, b))
        }
        #[inline(always)]
        fn or(a: __m256, b: __m256) -> __m256 {
            avx!(_mm256_or_ps(a, b))
        }
        #[inline(always)]
        fn bits(mask: __m256) -> u8 {
            avx!(_mm256_movemask_ps(mask)) as u8
        }
        type Wide = Avx4;
        #[inline(always)]
        fn twice(four: Avx4) -> Self {
            Self(avx!({
                let half = _mm256_cvtpd_ps(four.0);
                _mm256_set_m128(half, half)
            }))
        }
        #[inline(always)]
        fn spread<const K: i32>(self) -> Self {
            Self(avx!(match K {
                0 => _mm256_permute_ps::<0x00>(self.0),
                1 => _mm256_permute_ps::<0x55>(self.0),
                2 => _mm256_permute_ps::<0xaa>(self.0),
                _ => _mm256_permute_ps::<0xff>(self.0),
            }))
        }
        #[inline(always)]
        fn least(self) -> Self {
            Self(avx!({
                let swapped = _mm256_permute2f128_ps::<1>(self.0, self.0);
                let four = _mm256_min_ps(self.0, swapped);
                let two = _mm256_min_ps(four, _mm256_permute_ps::<0b01_00_11_10>(four));
                _mm256_min_ps(two, _mm256_permute_ps::<0b10_11_00_01>(two))
            }))
        }
        #[inline(always)]
        fn taken(ids: &[u32; 8]) -> __m256 {
            avx!({
                let ids = _mm256_loadu_si256(ids.as_ptr().cast());
                let ones = _mm256_set1_epi32(-1);
                let vacant = _mm256_cmpeq_epi32(ids, ones);
                _mm256_castsi256_ps(_mm256_xor_si256(vacant, ones))
            })
        }
        #[inline(always)]
        fn whole(self) -> [u16; 8] {
            let mut out = [0; 8];
            avx!({
                let whole = _mm256_cvtps_epi32(self.0);
                let high = _mm256_extracti128_si256::<1>(whole);
                let packed = _mm_packus_epi32(_mm256_castsi256_si128(whole), high);
                _mm_storeu_si128(out.as_mut_ptr().cast(), packed);
            });
            out
        }
        #[inline(always)]
        fn spans(self, last: Self) -> [u64; 8] {
            let mut out = [0; 8];
            avx!({
                // All bits below the one after the last, less those below the first. That no number is
                // beyond 63 is said once more for the compiler, which guards shifts otherwise.
                let within = _mm256_set1_epi32(63);
                let first = _mm256_and_si256(_mm256_cvtps_epi32(self.0), within);
                let last = _mm256_and_si256(_mm256_cvtps_epi32(last.0), within);
                let four = |first: __m128i, last: __m128i| {
                    let [first, last] = [first, last].map(|x| _mm256_cvtepi32_epi64(x));
                    let below = _mm256_sllv_epi64(_mm256_set1_epi64x(1), first);
                    _mm256_sub_epi64(_mm256_sllv_epi64(_mm256_set1_epi64x(2), last), below)
                };
                let low = four(_mm256_castsi256_si128(first), _mm256_castsi256_si128(last));
                let high =
                    four(_mm256_extracti128_si256::<1>(first), _mm256_extracti128_si256::<1>(last));
                _mm256_storeu_si256(out.as_mut_ptr().cast(), low);
                _mm256_storeu_si256(out.as_mut_ptr().add(4).cast(), high);
            });
            out
        }
        #[inline(always)]
        fn transposed([a, b, c, d, e, f, g, h]: [&[f32; 8]; 8]) -> [Self; 8] {
            let [a, b, c, d] = [Self::load(a).0, Self::load(b).0, Self::load(c).0, Self::load(d).0];
            let [e, f, g, h] = [Self::load(e).0, Self::load(f).0, Self::load(g).0, Self::load(h).0];
            avx!({
                // Pairs of rows, then pairs of pairs, then halves.
                let [ab, cd] = [_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d)];
                let [ba, dc] = [_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d)];
                let [ef, gh] = [_mm256_unpacklo_ps(e, f), _mm256_unpacklo_ps(g, h)];
                let [fe, hg] = [_mm256_unpackhi_ps(e, f), _mm256_unpackhi_ps(g, h)];
                let first = [
                    _mm256_shuffle_ps::<0x44>(ab, cd),
                    _mm256_shuffle_ps::<0xee>(ab, cd),
                    _mm256_shuffle_ps::<0x44>(ba, dc),
                    _mm256_shuffle_ps::<0xee>(ba, dc),
                ];
                let last = [
                    _mm256_shuffle_ps::<0x44>(ef, gh),
                    _mm256_shuffle_ps::<0xee>(ef, gh),
                    _mm256_shuffle_ps::<0x44>(fe, hg),
                    _mm256_shuffle_ps::<0xee>(fe, hg),
                ];
                [
                    Self(_mm256_permute2f128_ps::<0x20>(first[0], last[0])),
                    Self(_mm256_permute2f128_ps::<0x20>(first[1], last[1])),
                    Self(_mm256_permute2f128_ps::<0x20>(first[2], last[2])),
                    Self(_mm256_permute2f128_ps::<0x20>(first[3], last[3])),
                    Self(_mm256_permute2f128_ps::<0x31>(first[0], last[0])),
                    Self(_mm256_permute2f128_ps::<0x31>(first[1], last[1])),
                    Self(_mm256_permute2f128_ps::<0x31>(first[2], last[2])),
                    Self(_mm256_permute2f128_ps::<0x31>(first[3], last[3])),
                ]
            })
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all<L: Lanes8>(a: &[f32; 8], b: &[f32; 8]) -> ([[f32; 8]; 10], [u8; 4]) {
        let (a, b) = (L::load(a), L::load(b));
        let chosen = a.select(a.gt_mask(b), L::splat(2.5));
        let sums = [a.add(b), a.sub(b), a.mul(b), a.div(b), a.sqrt()];
        let picks = [a.abs(), a.min(b), a.max(b), L::splat(2.5), chosen];
        let results = sums.into_iter().chain(picks);
        let mut stored = [[0.0; 8]; 10];
        stored.iter_mut().zip(results).for_each(|(out, x)| *out = x.store());
        let both = L::bits(L::and(a.le_mask(b), b.le_mask(a)));
        let either = L::bits(L::or(a.gt_mask(b), b.gt_mask(a)));
        (stored, [a.lt(b), a.le(b), both, either])
    }

    #[test]
    fn rows_become_columns() {
        let rows: [[f32; 8]; 8] =
            std::array::from_fn(|i| std::array::from_fn(|k| (10 * i + k) as f32));
        let turned = Scalar8::transposed(rows.each_ref()).map(Scalar8::store);
        assert_eq!(turned[3][5], 53.0);
        if Avx2::detect().is_some() {
            assert_eq!(Avx8::transposed(rows.each_ref()).map(Avx8::store), turned);
        }
    }

    proptest! {
        #[test]
        fn both_forms_agree_bit_for_bit(
            a in prop::array::uniform8(prop_oneof![-2.0..2.0f32, proptest::num::f32::ANY]),
            mut b in prop::array::uniform8(prop_oneof![-2.0..2.0f32, proptest::num::f32::ANY]),
            equal in any::<u8>(),
        ) {
            if Avx2::detect().is_none() {
                return Ok(());
            }
            (0..8).filter(|i| equal >> i & 1 == 1).for_each(|i| b[i] = a[i]);
            let (scalar, avx) = (all::<Scalar8>(&a, &b), all::<Avx8>(&a, &b));
            prop_assert_eq!(scalar.1, avx.1);
            for (s, x) in scalar.0.as_flattened().iter().zip(avx.0.as_flattened()) {
                // Which NaN comes out is nobody's business; that one does is.
                prop_assert!(s.to_bits() == x.to_bits() || s.is_nan() && x.is_nan());
            }
        }
    }
}
