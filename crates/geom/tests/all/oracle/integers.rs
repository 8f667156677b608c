//! Takes the 18 coordinates of a triangle pair to integers, exactly, by one common power of two.

use impinge_geom::Triangle;
use num_bigint::BigInt;

/// A triangle with integer corners.
pub(crate) type Corners<T> = [[T; 3]; 3];

/// An odd (or zero) number times a power of two.
#[derive(Clone, Copy)]
struct Dyadic {
    odd: i64,
    exponent: i32,
}

impl Dyadic {
    fn from_f64(x: f64) -> Self {
        assert!(x.is_finite(), "the oracle was given {x}");
        let (bits, biased) = (x.to_bits(), (x.to_bits() >> 52) as i32 & 0x7ff);
        let fraction = (bits & ((1 << 52) - 1)) as i64;
        let (size, exponent) = match biased {
            0 => (fraction, -1074),
            _ => (fraction | (1 << 52), biased - 1075),
        };
        if size == 0 {
            return Self { odd: 0, exponent: i32::MAX };
        }
        let shift = size.trailing_zeros();
        let odd = (size >> shift) * if x < 0.0 { -1 } else { 1 };
        Self { odd, exponent: exponent + shift as i32 }
    }

    /// Bits of the number in units of 2^unit.
    fn bits(self, unit: i32) -> i32 {
        let own = 64 - self.odd.unsigned_abs().leading_zeros() as i32;
        if self.odd == 0 { 0 } else { own + self.exponent - unit }
    }

    fn small(self, unit: i32) -> i64 {
        if self.odd == 0 { 0 } else { self.odd << (self.exponent - unit) }
    }

    fn big(self, unit: i32) -> BigInt {
        if self.odd == 0 { BigInt::ZERO } else { BigInt::from(self.odd) << (self.exponent - unit) }
    }
}

type Dyadics = [[Dyadic; 3]; 3];

/// Both triangles taken apart, and the largest power of two that divides every coordinate.
fn dyadics(a: &Triangle, b: &Triangle) -> (Dyadics, Dyadics, i32) {
    let [a, b] = [a, b].map(|triangle| triangle.map(|point| point.map(Dyadic::from_f64)));
    let unit = a.iter().chain(&b).flatten().map(|x| x.exponent).min().unwrap_or(i32::MAX);
    (a, b, unit)
}

/// Both triangles as integers below 2⁶¹, so that differences stay below 2⁶²; if they are that small.
pub(crate) fn small_pair(a: &Triangle, b: &Triangle) -> Option<[Corners<i64>; 2]> {
    let (a, b, unit) = dyadics(a, b);
    let fits = a.iter().chain(&b).flatten().all(|x| x.bits(unit) <= 61);
    fits.then(|| [a, b].map(|triangle| triangle.map(|p| p.map(|x| x.small(unit)))))
}

/// Both triangles as big integers.
pub(crate) fn big_pair(a: &Triangle, b: &Triangle) -> [Corners<BigInt>; 2] {
    let (a, b, unit) = dyadics(a, b);
    [a, b].map(|triangle| triangle.map(|p| p.map(|x| x.big(unit))))
}
