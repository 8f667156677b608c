//! Whole numbers of fixed length, kept in place: sums and products without rounding and without
//! asking for memory. The user sees to it that nothing outgrows them.

use crate::predicates::Sign;
use std::ops::{Add, Neg, Sub};

/// 2⁶⁴.
const TWO_64: f64 = 18_446_744_073_709_551_616.0;

/// A whole number of `N` limbs of 64 bits, the least first, negative ones as their complement to
/// 2^(64 N). Sums and products then are the same whatever the signs.
#[derive(Clone, Copy)]
pub(super) struct Whole<const N: usize>([u64; N]);

impl<const N: usize> Whole<N> {
    pub(super) const ZERO: Self = Self([0; N]);

    /// `x` in units of `2^unit`, of which it must be a multiple.
    pub(super) fn new(x: f64, unit: i32) -> Self {
        let mut limbs = [0; N];
        if let Some((odd, exponent)) = odd(x) {
            let shift = (exponent - unit) as usize;
            let wide = u128::from(odd) << (shift % 64);
            limbs[shift / 64] = wide as u64;
            if wide >> 64 != 0 {
                limbs[shift / 64 + 1] = (wide >> 64) as u64;
            }
        }
        if x < 0.0 { -Self(limbs) } else { Self(limbs) }
    }

    /// Its sign.
    #[inline]
    pub(super) fn sign(&self) -> Sign {
        if self.is_negative() { -1 } else { Sign::from(self.0.iter().any(|&limb| limb != 0)) }
    }

    #[inline]
    fn is_negative(&self) -> bool {
        self.0[N - 1] >> 63 == 1
    }

    /// Without its sign.
    #[inline]
    fn size(&self) -> Self {
        if self.is_negative() { -*self } else { *self }
    }

    /// The same number with `M` limbs, if it has room in them.
    #[inline]
    pub(super) fn resized<const M: usize>(&self) -> Whole<M> {
        let mut made = [if self.is_negative() { u64::MAX } else { 0 }; M];
        let kept = M.min(N);
        made[..kept].copy_from_slice(&self.0[..kept]);
        Whole(made)
    }

    /// The product, in `C` limbs.
    #[inline(always)]
    pub(super) fn times<const B: usize, const C: usize>(&self, other: &Whole<B>) -> Whole<C> {
        let mut made = [0; C];
        let (a, b) = (self.size(), other.size());
        // Long numbers are mostly short ones with room to grow.
        let (a_len, b_len) = (if N > 4 { a.used() } else { N }, if B > 4 { b.used() } else { B });
        for j in 0..b_len.min(C) {
            let mut carry = 0;
            for i in 0..a_len.min(C - j) {
                let sum = u128::from(a.0[i]) * u128::from(b.0[j])
                    + u128::from(made[i + j])
                    + u128::from(carry);
                made[i + j] = sum as u64;
                carry = (sum >> 64) as u64;
            }
            if a_len + j < C {
                made[a_len + j] = carry;
            }
        }
        if self.is_negative() == other.is_negative() { Whole(made) } else { -Whole(made) }
    }

    /// `self · a + other · b` with factors of up to `limbs` limbs, 1 or 2.
    #[inline]
    pub(super) fn mixed(&self, other: &Self, [a, b]: [u128; 2], limbs: usize) -> Self {
        let mut made = Self::ZERO;
        let (mut carry, mut other_carry) = (0, 0);
        for i in 0..N {
            let one = u128::from(self.0[i]) * u128::from(a as u64) + u128::from(carry);
            let both = u128::from(other.0[i]) * u128::from(b as u64)
                + u128::from(one as u64)
                + u128::from(other_carry);
            made.0[i] = both as u64;
            (carry, other_carry) = ((one >> 64) as u64, (both >> 64) as u64);
        }
        if limbs > 1 {
            made.add_product(self, (a >> 64) as u64);
            made.add_product(other, (b >> 64) as u64);
        }
        made
    }

    /// Adds `digit` times `other`, moved up by one limb.
    #[inline]
    fn add_product(&mut self, other: &Self, digit: u64) {
        let mut carry = 0;
        for i in 1..N {
            let sum = u128::from(other.0[i - 1]) * u128::from(digit)
                + u128::from(self.0[i])
                + u128::from(carry);
            self.0[i] = sum as u64;
            carry = (sum >> 64) as u64;
        }
    }

    /// The number of limbs up to the last that is not zero.
    #[inline]
    fn used(&self) -> usize {
        self.0.iter().rposition(|&limb| limb != 0).map_or(0, |last| last + 1)
    }

    /// Whether it is negative, and the limbs of its magnitude.
    pub(super) fn parts(&self) -> (bool, Vec<u64>) {
        (self.is_negative(), self.size().0.to_vec())
    }

    /// How many limbs the magnitude takes.
    pub(super) fn len(&self) -> usize {
        self.size().used()
    }

    /// About the number, over `2^(64 limbs)`; good enough to guess.
    pub(super) fn guess(&self, limbs: usize) -> f64 {
        let size = self.size();
        let mut sum = 0.0;
        // Three limbs hold all the bits of an f64, wherever the first of them begins.
        for i in limbs.saturating_sub(3)..limbs.min(N) {
            sum = sum * (1.0 / TWO_64) + size.0[i] as f64;
        }
        sum *= 1.0 / TWO_64;
        if self.is_negative() { -sum } else { sum }
    }
}

/// A number but zero as an odd one times a power of two, without its sign.
pub(super) fn odd(x: f64) -> Option<(u64, i32)> {
    let (fraction, biased) = (x.to_bits() & ((1 << 52) - 1), (x.to_bits() >> 52) as i32 & 0x7ff);
    let (size, exponent) = match biased {
        0 => (fraction, -1074),
        _ => (fraction | (1 << 52), biased - 1075),
    };
    let shift = size.trailing_zeros();
    (size != 0).then(|| (size >> shift, exponent + shift as i32))
}

impl<const N: usize> Neg for Whole<N> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

impl<const N: usize> Add for Whole<N> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        let mut carry = 0;
        let mut made = self;
        for i in 0..N {
            let sum = u128::from(made.0[i]) + u128::from(other.0[i]) + carry;
            made.0[i] = sum as u64;
            carry = sum >> 64;
        }
        made
    }
}

impl<const N: usize> Sub for Whole<N> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        // The complement of what is taken away, and one.
        let mut carry = 1;
        let mut made = self;
        for i in 0..N {
            let sum = u128::from(made.0[i]) + u128::from(!other.0[i]) + carry;
            made.0[i] = sum as u64;
            carry = sum >> 64;
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(x: i64) -> Whole<5> {
        // Exact, as it is cut in two numbers of up to 32 bits.
        let high = Whole::new((x >> 32) as f64 * 2f64.powi(32), 0);
        high + Whole::new((x & 0xffff_ffff) as f64, 0)
    }

    proptest! {
        #[test]
        fn sums_and_products_are_those_of_integers(a: i64, b: i64, c: i64, d in 0..u64::MAX) {
            let [x, y, z] = [a, b, c].map(whole);
            let [a, b, c] = [a, b, c].map(i128::from);
            let same = |w: Whole<5>, i: i128| (w.0[0], w.0[1]) == (i as u64, (i >> 64) as u64);
            prop_assert!(same(x.times(&y), a * b));
            let short = x.resized::<1>().times::<1, 2>(&y.resized::<1>());
            prop_assert!(same(short.resized(), a * b));
            prop_assert!(same(x - y + z, a - b + c) && same(-x, -a));
            prop_assert_eq!((x - y).sign(), (a - b).signum() as Sign);
            let sign = (a.signum() * b.signum() * c.signum()) as Sign;
            prop_assert_eq!(x.times::<5, 5>(&y).times::<5, 5>(&z).sign(), sign);
            // Factors of two limbs, against two steps.
            let factor = u128::from(d) << 40;
            let power: Whole<5> = Whole::new(2f64.powi(40), 0);
            let twice = x.times::<5, 5>(&power).mixed(&y, [u128::from(d), 0], 1);
            prop_assert_eq!((x.mixed(&y, [factor, 3], 2) - twice - y - y - y).sign(), 0);
            let guess = x.times::<5, 5>(&y).guess(2) * 2f64.powi(128);
            prop_assert!((guess - (a * b) as f64).abs() <= 1e-12 * ((a * b) as f64).abs());
        }
    }

    #[test]
    fn numbers_keep_their_bits() {
        for x in [1.5, -0.1, 3e-20, -7e20, 0.0] {
            let there = Whole::<8>::new(x, -200);
            let back =
                there.guess(there.len() + 1) * 2f64.powi(64 * (there.len() as i32 + 1) - 200);
            assert_eq!(back, x);
        }
    }
}
