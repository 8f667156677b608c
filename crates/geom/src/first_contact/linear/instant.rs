//! Instants that are no fractions: the roots of a polynomial, and the signs of others there.
//!
//! Polynomials have whole coefficients. Signs at a root are told by how often those in a sequence of
//! remainders change [Basu, Pollack, Roy 2006 §2.2.2], so that a contact right at the rim of a
//! feature, or one that only grazes, is as certain as any other. Some microseconds each.

use super::whole::Whole;
use crate::predicates::Sign;

/// A whole number of any length: limbs of 64 bits, the least first, the last not zero.
#[derive(Clone, Debug, PartialEq)]
struct Long {
    negative: bool,
    limbs: Vec<u64>,
}

impl Long {
    fn new(negative: bool, mut limbs: Vec<u64>) -> Self {
        let used = limbs.iter().rposition(|&limb| limb != 0).map_or(0, |last| last + 1);
        limbs.truncate(used);
        Self { negative: negative && used > 0, limbs }
    }

    fn time(time: u128) -> Self {
        Self::new(false, vec![time as u64, (time >> 64) as u64])
    }

    fn sign(&self) -> Sign {
        if self.negative { -1 } else { Sign::from(!self.limbs.is_empty()) }
    }

    fn times(&self, other: &Self) -> Self {
        let mut made = vec![0; self.limbs.len() + other.limbs.len()];
        for (j, &b) in other.limbs.iter().enumerate() {
            let mut carry = 0;
            for (i, &a) in self.limbs.iter().enumerate() {
                let sum = u128::from(a) * u128::from(b) + u128::from(made[i + j]) + carry;
                made[i + j] = sum as u64;
                carry = sum >> 64;
            }
            made[j + self.limbs.len()] = carry as u64;
        }
        Self::new(self.negative != other.negative, made)
    }

    fn minus(&self, other: &Self) -> Self {
        if self.negative != other.negative {
            return Self::new(self.negative, sum(&self.limbs, &other.limbs));
        }
        let below = self.limbs.len().cmp(&other.limbs.len()).then_with(|| {
            // Of equal length: the last limb that differs decides.
            self.limbs.iter().rev().cmp(other.limbs.iter().rev())
        });
        match below.is_lt() {
            true => Self::new(!self.negative, difference(&other.limbs, &self.limbs)),
            false => Self::new(self.negative, difference(&self.limbs, &other.limbs)),
        }
    }

    fn plus(&self, other: &Self) -> Self {
        let other = Self::new(!other.negative, other.limbs.clone());
        self.minus(&other)
    }
}

fn sum(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut carry = 0;
    let at = |limbs: &[u64], i: usize| limbs.get(i).copied().unwrap_or(0);
    let mut limb = |i: usize| {
        let sum = u128::from(at(a, i)) + u128::from(at(b, i)) + carry;
        carry = sum >> 64;
        sum as u64
    };
    (0..a.len().max(b.len()) + 1).map(&mut limb).collect()
}

/// Of `b`, which is not larger, from `a`.
fn difference(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut borrow = false;
    let mut limb = |i: usize| {
        let (less, first) = a[i].overflowing_sub(b.get(i).copied().unwrap_or(0));
        let (less, second) = less.overflowing_sub(u64::from(borrow));
        borrow = first || second;
        less
    };
    (0..a.len()).map(&mut limb).collect()
}

/// A polynomial of t / (1 − t), t being time: the coefficient of the highest power last and not
/// zero, none if it is zero throughout.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form(Vec<Long>);

impl Form {
    /// From Bézier coefficients over all of time.
    pub(super) fn new<const N: usize>(coefficients: &[Whole<N>]) -> Self {
        let last = coefficients.len() - 1;
        let long = |(i, x): (usize, &Whole<N>)| {
            let (negative, limbs) = x.parts();
            // The binomial coefficients of 1, 2 and 3.
            let choices = if i == 0 || i == last { 1 } else { last as u128 };
            Long::new(negative, limbs).times(&Long::time(choices))
        };
        Self(coefficients.iter().enumerate().map(long).collect()).trimmed()
    }

    fn trimmed(mut self) -> Self {
        while self.0.last().is_some_and(|x| x.sign() == 0) {
            self.0.pop();
        }
        self
    }

    fn slope(&self) -> Self {
        let times = |(i, x): (usize, &Long)| x.times(&Long::time(i as u128));
        Self(self.0.iter().enumerate().skip(1).map(times).collect())
    }

    fn times(&self, other: &Self) -> Self {
        if self.0.is_empty() || other.0.is_empty() {
            return Self(Vec::new());
        }
        let mut made = vec![Long::new(false, Vec::new()); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                made[i + j] = made[i + j].plus(&a.times(b));
            }
        }
        Self(made)
    }

    /// What is left of a division by a polynomial but zero, times some number below zero.
    fn negative_rest(&self, divisor: &Self) -> Self {
        let mut rest = self.clone();
        let lead = &divisor.0[divisor.0.len() - 1];
        let size = Long::new(false, lead.limbs.clone());
        while rest.0.len() >= divisor.0.len() {
            let shift = rest.0.len() - divisor.0.len();
            let mut top = rest.0[rest.0.len() - 1].clone();
            top.negative ^= lead.negative;
            let next = |(i, x): (usize, &Long)| match i.checked_sub(shift) {
                Some(i) => x.times(&size).minus(&divisor.0[i].times(&top)),
                None => x.times(&size),
            };
            // The highest power goes.
            let kept = rest.0.len() - 1;
            rest = Self(rest.0.iter().enumerate().take(kept).map(next).collect()).trimmed();
        }
        rest.0.iter_mut().for_each(|x| x.negative ^= !x.limbs.is_empty());
        rest
    }

    /// The sign right after a time, or with `before` right before it. The time is the second number
    /// as a part of the first.
    fn sign_beside(&self, [one, time]: [u128; 2], before: bool) -> Sign {
        let (time, left) = (Long::time(time), Long::time(one - time));
        let (mut form, mut turned) = (self.clone(), 1);
        // Where it is zero the slope decides, and where that is, too, the slope of the slope.
        while !form.0.is_empty() {
            let (mut sum, mut power) = (Long::new(false, Vec::new()), Long::time(1));
            for coefficient in form.0.iter().rev() {
                sum = sum.times(&time).plus(&coefficient.times(&power));
                power = power.times(&left);
            }
            if sum.sign() != 0 {
                return turned * sum.sign();
            }
            (form, turned) = (form.slope(), if before { -turned } else { turned });
        }
        0
    }
}

/// The roots of a polynomial within an interval, its ends left out.
pub(super) struct Instants {
    of: Form,
    /// All of time, and the ends of the interval.
    span: [u128; 3],
    /// How many there are.
    pub(super) count: i32,
    /// Whether it is one at which the polynomial passes zero and its slope does not.
    simple: bool,
}

impl Instants {
    /// Of a polynomial but zero, within the interval `span[1]` to `span[2]`, all of time being
    /// `span[0]`, over which its Bézier coefficients change their sign so many times.
    pub(super) fn new(of: Form, changes: usize, span: [u128; 3]) -> Self {
        let mut instants = Self { of, span, count: changes as i32, simple: changes == 1 };
        // Each change is a root, or two of them are none.
        if changes > 1 {
            instants.count = instants.sum_of_signs(&Form(vec![Long::time(1)]));
        }
        instants
    }

    /// The sign of another polynomial at all the roots; none if it has several.
    pub(super) fn sign_of(&self, other: &Form) -> Option<Sign> {
        // A root that is shared is most likely, and sooner seen.
        if other.0.is_empty() || (self.simple && self.shares_root(other)) {
            return Some(0);
        }
        match self.sum_of_signs(other) {
            sum if sum == self.count => Some(1),
            sum if sum == -self.count => Some(-1),
            0 if self.count == 1 => Some(0),
            _ => None,
        }
    }

    /// Whether the only root, a simple one, is also one of another polynomial: then the greatest
    /// common divisor passes zero.
    fn shares_root(&self, other: &Form) -> bool {
        let (mut a, mut b) = (self.of.clone(), other.clone());
        while !b.0.is_empty() {
            let rest = a.negative_rest(&b);
            (a, b) = (b, rest);
        }
        let [one, from, to] = self.span;
        a.0.len() > 1 && a.sign_beside([one, from], false) * a.sign_beside([one, to], true) < 0
    }

    /// The sum of the signs of another polynomial at the roots.
    fn sum_of_signs(&self, other: &Form) -> i32 {
        let [one, from, to] = self.span;
        let (mut a, mut b) = (self.of.clone(), self.of.slope().times(other));
        let (mut last, mut sum) = ([0; 2], 0);
        while !a.0.is_empty() {
            let signs = [a.sign_beside([one, from], false), a.sign_beside([one, to], true)];
            sum += i32::from(signs[0] * last[0] < 0) - i32::from(signs[1] * last[1] < 0);
            last = signs;
            let rest = if b.0.is_empty() { Form(Vec::new()) } else { a.negative_rest(&b) };
            (a, b) = (b, rest);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn long(x: i128) -> Long {
        Long::new(x < 0, vec![x.unsigned_abs() as u64, (x.unsigned_abs() >> 64) as u64])
    }

    fn wholes<const M: usize>(x: [i32; M]) -> [Whole<2>; M] {
        x.map(|x| Whole::new(f64::from(x), 0))
    }

    proptest! {
        #[test]
        fn sums_and_products_are_those_of_integers(a: i64, b: i64, c in -9i64..9, d: i64) {
            let [x, y, z, w] = [a, b, c, d].map(|x| long(i128::from(x)));
            let [a, b, c, d] = [a, b, c, d].map(i128::from);
            prop_assert_eq!(x.times(&y).minus(&z.times(&w)), long(a * b - c * d));
            prop_assert_eq!(x.times(&z).plus(&w), long(a * c + d));
            prop_assert_eq!(x.times(&y).minus(&y.times(&x)), long(0));
            prop_assert_eq!(x.times(&y).times(&w).minus(&w.times(&x).times(&y)).sign(), 0);
        }
    }

    #[test]
    fn signs_at_roots_are_told() {
        // (1 − t)² − 2 t² is zero at √2 − 1.
        let form = Form::new(&wholes([2, 0, -4]));
        let span = [1 << 20, 434_000, 435_000];
        let instants = Instants::new(form.clone(), 1, span);
        assert_eq!(instants.count, 1);
        // So is its product with 1 + t, here by its Bézier coefficients, times three.
        let product = Form::new(&wholes([3, 2, -2, -12]));
        assert_eq!(instants.sign_of(&product), Some(0));
        assert_eq!(Instants::new(product, 1, span).sign_of(&form), Some(0));
        // But neither 1 − 2.41 t nor 1 − 2.42 t, nor their product with minus one.
        for (end, sign) in [(-141, 1), (-142, -1)] {
            assert_eq!(instants.sign_of(&Form::new(&wholes([100, end]))), Some(sign));
            assert_eq!(instants.sign_of(&Form::new(&wholes([-100, -end]))), Some(-sign));
        }
        assert_eq!(Instants::new(form.clone(), 2, [1 << 20, 1000, 2000]).count, 0);
        // (1 − 2 t)² (1 + t) has a double root in the middle, and at an end it does not count.
        let double = Form::new(&wholes([3, 0, -3, 6]));
        let middle = Instants::new(double.clone(), 2, [1 << 20, 1, 1 << 20]);
        assert_eq!((middle.count, middle.sign_of(&form)), (1, Some(-1)));
        assert_eq!(middle.sign_of(&Form::new(&wholes([1, -1]))), Some(0));
        for span in [[4, 0, 2], [4, 2, 4]] {
            assert_eq!(Instants::new(double.clone(), 2, span).count, 0);
        }
        // (4 t − 1) (4 t − 3): signs at two roots.
        let two = Instants::new(Form::new(&wholes([3, -5, 3])), 2, [1, 0, 1]);
        assert_eq!((two.count, two.sign_of(&form)), (2, None));
        assert_eq!(two.sign_of(&Form::new(&wholes([1, 1]))), Some(1));
    }
}
