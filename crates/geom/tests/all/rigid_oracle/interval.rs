//! Intervals of f64 that hold what real numbers would give: each result is rounded outward.

use std::f64::consts::FRAC_PI_2;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// All numbers between two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

/// A box, or a vector that is not known exactly.
pub(crate) type Vector = [Interval; 3];

impl Interval {
    pub(crate) const ZERO: Self = Self::new(0.0, 0.0);
    pub(crate) const UNIT: Self = Self::new(-1.0, 1.0);

    pub(crate) const fn new(lo: f64, hi: f64) -> Self {
        Self { lo, hi }
    }

    pub(crate) const fn point(x: f64) -> Self {
        Self::new(x, x)
    }

    /// Plus or minus a number that is not negative.
    pub(crate) fn within(x: f64) -> Self {
        Self::new(-x, x)
    }

    pub(crate) fn hull(self, other: Self) -> Self {
        Self::new(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    pub(crate) fn middle(self) -> f64 {
        0.5 * self.lo + 0.5 * self.hi
    }

    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.lo <= other.hi && other.lo <= self.hi
    }

    /// The sign of all numbers in it, zero if they have not all the same.
    pub(crate) fn sign(self) -> i8 {
        i8::from(self.lo > 0.0) - i8::from(self.hi < 0.0)
    }

    pub(crate) fn square(self) -> Self {
        let product = self * self;
        Self::new(product.lo.max(0.0), product.hi)
    }

    pub(crate) fn sqrt(self) -> Self {
        Self::new(self.lo.max(0.0).sqrt().next_down().max(0.0), self.hi.sqrt().next_up())
    }

    /// The sine and the cosine.
    pub(crate) fn sin_cos(self) -> [Self; 2] {
        let quarters = (self.middle() / FRAC_PI_2).round();
        let half_pi = Self::new(FRAC_PI_2, FRAC_PI_2.next_up());
        let rest = self - Self::point(quarters) * half_pi;
        if rest.lo < -1.0 || rest.hi > 1.0 {
            return [Self::UNIT; 2];
        }
        let square = rest.square();
        let (mut sine, mut cosine) = (Self::point(1.0), Self::point(1.0));
        // The first terms left out are below 1/21! and 1/22!, as no number here is above one.
        for k in (1..=9).rev() {
            let k = f64::from(2 * k);
            sine = Self::point(1.0) - square * sine / Self::point(k * (k + 1.0));
        }
        for k in (1..=10).rev() {
            let k = f64::from(2 * k);
            cosine = Self::point(1.0) - square * cosine / Self::point(k * (k - 1.0));
        }
        let left_out = Self::within(1e-19);
        let [sine, cosine] = [sine * rest + left_out, cosine + left_out];
        match (quarters as i64).rem_euclid(4) {
            0 => [sine, cosine],
            1 => [cosine, -sine],
            2 => [-sine, -cosine],
            _ => [-cosine, sine],
        }
    }
}

impl Add for Interval {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self::new((self.lo + other.lo).next_down(), (self.hi + other.hi).next_up())
    }
}

impl Sub for Interval {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self::new((self.lo - other.hi).next_down(), (self.hi - other.lo).next_up())
    }
}

impl Neg for Interval {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self::new(-self.hi, -self.lo)
    }
}

impl Mul for Interval {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let [p, q] = [self.lo * other.lo, self.lo * other.hi];
        let [r, s] = [self.hi * other.lo, self.hi * other.hi];
        Self::new(p.min(q).min(r.min(s)).next_down(), p.max(q).max(r.max(s)).next_up())
    }
}

/// By what does not hold zero.
impl Div for Interval {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        assert!(other.sign() != 0, "{other:?}");
        let [p, q] = [self.lo / other.lo, self.lo / other.hi];
        let [r, s] = [self.hi / other.lo, self.hi / other.hi];
        Self::new(p.min(q).min(r.min(s)).next_down(), p.max(q).max(r.max(s)).next_up())
    }
}

pub(crate) fn vector(place: [f64; 3]) -> Vector {
    place.map(Interval::point)
}

pub(crate) fn add(a: &Vector, b: &Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn minus(a: &Vector, b: &Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn scaled(a: &Vector, factor: Interval) -> Vector {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

pub(crate) fn dot(a: &Vector, b: &Vector) -> Interval {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn determinant(a: &Vector, b: &Vector, c: &Vector) -> Interval {
    dot(a, &cross(b, c))
}
