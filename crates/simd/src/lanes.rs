//! Four f64 lanes: a trait, its plain-array form and its AVX2 form.

/// Four f64 values that are worked on together. No operation is ever fused with another.
pub trait Lanes4: Copy {
    /// Four truth values.
    type Mask: Copy;
    /// The same value in all lanes.
    fn splat(x: f64) -> Self;
    /// Lanes from memory.
    fn load(x: &[f64; 4]) -> Self;
    /// The four, rounded to f32.
    fn to_f32(self) -> [f32; 4];
    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Difference.
    fn sub(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
    /// Negation.
    fn neg(self) -> Self;
    /// Strictly greater.
    fn gt(self, other: Self) -> Self::Mask;
    /// Less or equal.
    fn le(self, other: Self) -> Self::Mask;
    /// Both.
    fn and(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Either.
    fn or(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Lane `k` as bit `k`.
    fn bits(mask: Self::Mask) -> u8;
}

/// For each set of four lanes: which they are, in order, and how many.
const LANES: [([u32; 4], u8); 16] = {
    let mut table = [([0; 4], 0); 16];
    let mut mask = 0;
    while mask < 16 {
        let mut lane = 0;
        while lane < 4 {
            if mask >> lane & 1 == 1 {
                table[mask].0[table[mask].1 as usize] = lane as u32;
                table[mask].1 += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// Writes `base + lane` for each lane of `mask` to `list[len..]` and returns the new length.
///
/// Always writes four, so that no branch depends on the mask: which lanes hit is as good as random.
/// `list` needs room for them.
#[inline]
pub fn append(list: &mut [u32], len: usize, base: u32, mask: u8) -> usize {
    let (lanes, count) = LANES[usize::from(mask & 0b1111)];
    let four = [base + lanes[0], base + lanes[1], base + lanes[2], base + lanes[3]];
    list[len..len + 4].copy_from_slice(&four);
    len + usize::from(count)
}

/// The twin in plain Rust.
#[derive(Clone, Copy, Debug)]
pub struct Scalar4([f64; 4]);

impl Scalar4 {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }

    #[inline(always)]
    fn compare(self, other: Self, f: impl Fn(&f64, &f64) -> bool) -> u8 {
        (0..4).fold(0, |bits, k| bits | (u8::from(f(&self.0[k], &other.0[k])) << k))
    }
}

impl Lanes4 for Scalar4 {
    type Mask = u8;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self([x; 4])
    }
    #[inline(always)]
    fn load(x: &[f64; 4]) -> Self {
        Self(*x)
    }
    #[inline(always)]
    fn to_f32(self) -> [f32; 4] {
        self.0.map(|x| x as f32)
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
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
    #[inline(always)]
    fn gt(self, other: Self) -> u8 {
        self.compare(other, f64::gt)
    }
    #[inline(always)]
    fn le(self, other: Self) -> u8 {
        self.compare(other, f64::le)
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
}

/// The AVX2 form.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "intrinsics")]
pub(crate) mod avx {
    use super::Lanes4;
    use std::arch::x86_64::*;

    /// Invariant: made and used only inside functions that run after AVX2 was detected, which is
    /// what makes the intrinsics below sound.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx4(pub(crate) __m256d);

    // SAFETY (all blocks of this impl): the type is private to the crate, and every kernel that
    // names it is a `#[target_feature(enable = "avx2")]` function reached by detection alone.
    #[expect(clippy::undocumented_unsafe_blocks, reason = "one comment above serves them all")]
    impl Lanes4 for Avx4 {
        type Mask = __m256d;

        #[inline(always)]
        fn splat(x: f64) -> Self {
            Self(unsafe { _mm256_set1_pd(x) })
        }
        #[inline(always)]
        fn load(x: &[f64; 4]) -> Self {
            Self(unsafe { _mm256_loadu_pd(x.as_ptr()) })
        }
        #[inline(always)]
        fn to_f32(self) -> [f32; 4] {
            let mut out = [0.0; 4];
            unsafe { _mm_storeu_ps(out.as_mut_ptr(), _mm256_cvtpd_ps(self.0)) };
            out
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Self(unsafe { _mm256_add_pd(self.0, other.0) })
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            Self(unsafe { _mm256_sub_pd(self.0, other.0) })
        }
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            Self(unsafe { _mm256_mul_pd(self.0, other.0) })
        }
        #[inline(always)]
        fn neg(self) -> Self {
            Self(unsafe { _mm256_xor_pd(_mm256_set1_pd(-0.0), self.0) })
        }
        #[inline(always)]
        fn gt(self, other: Self) -> __m256d {
            unsafe { _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, other.0) }
        }
        #[inline(always)]
        fn le(self, other: Self) -> __m256d {
            unsafe { _mm256_cmp_pd::<_CMP_LE_OQ>(self.0, other.0) }
        }
        #[inline(always)]
        fn and(a: __m256d, b: __m256d) -> __m256d {
            unsafe { _mm256_and_pd(a, b) }
        }
        #[inline(always)]
        fn or(a: __m256d, b: __m256d) -> __m256d {
            unsafe { _mm256_or_pd(a, b) }
        }
        #[inline(always)]
        fn bits(mask: __m256d) -> u8 {
            unsafe { _mm256_movemask_pd(mask) as u8 }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn lanes_are_appended_in_order() {
        for mask in 0..16 {
            let mut list = [9; 8];
            let len = super::append(&mut list, 2, 40, mask);
            let expected: Vec<u32> =
                (0..4).filter(|l| mask >> l & 1 == 1).map(|l| 40 + l).collect();
            assert_eq!(list[2..len], expected[..]);
            assert_eq!(list[..2], [9, 9]);
        }
    }
}
