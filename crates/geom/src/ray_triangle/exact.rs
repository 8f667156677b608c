//! Determinants of differences of coordinates without rounding, as sums of f64 that do not overlap
//! [Shewchuk 1997]. Slow, and asked only when rounded numbers leave something open.
//!
//! Exact as long as coordinates are in the range of this crate: every number here is then a multiple
//! of 2⁻¹⁰⁵⁶ and below 2⁹⁰⁷, so that nothing over- or underflows.

use crate::Point;
use crate::predicates::Sign;

/// A number as the sum of two.
type Pair = [f64; 2];

/// `a − b`.
fn minus(a: f64, b: f64) -> Pair {
    let (difference, part) = two_sum(a, -b);
    [difference, part]
}

/// The exact vector from one point to another.
pub(super) fn way(from: &Point, to: &Point) -> [Pair; 3] {
    std::array::from_fn(|k| minus(to[k], from[k]))
}

/// A vector that is exact as it stands.
pub(super) fn given(v: &Point) -> [Pair; 3] {
    v.map(|x| [x, 0.0])
}

/// The sum, and what its rounding lost.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    let of_a = sum - of_b;
    (sum, (a - of_a) + (b - of_b))
}

/// The product, and what its rounding lost.
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

/// A number as a sum of parts that do not overlap, the smallest first.
#[derive(Debug, Default)]
pub(super) struct Sum {
    parts: Vec<f64>,
}

impl Sum {
    fn add(&mut self, term: f64) {
        let mut carried = term;
        let mut kept = 0;
        for i in 0..self.parts.len() {
            let (sum, lost) = two_sum(carried, self.parts[i]);
            carried = sum;
            if lost != 0.0 {
                self.parts[kept] = lost;
                kept += 1;
            }
        }
        self.parts.truncate(kept);
        if carried != 0.0 {
            self.parts.push(carried);
        }
    }

    /// Adds `sign` times the product of the numbers.
    fn add_product(&mut self, sign: f64, factors: &[Pair]) {
        let mut terms = vec![sign];
        for factor in factors {
            let mut next = Vec::with_capacity(4 * terms.len());
            for &term in &terms {
                for &part in factor.iter().filter(|&&part| part != 0.0) {
                    let (product, lost) = two_product(term, part);
                    next.push(product);
                    if lost != 0.0 {
                        next.push(lost);
                    }
                }
            }
            terms = next;
        }
        terms.into_iter().for_each(|term| self.add(term));
    }

    /// Its sign: that of its largest part.
    pub(super) fn sign(&self) -> Sign {
        let last = self.parts.last().copied().unwrap_or(0.0);
        (last > 0.0) as Sign - (last < 0.0) as Sign
    }

    /// Its value, off by at most an ulp.
    pub(super) fn value(&self) -> f64 {
        self.parts.iter().sum()
    }
}

/// The determinant of three vectors.
pub(super) fn det3(a: &[Pair; 3], b: &[Pair; 3], c: &[Pair; 3]) -> Sum {
    let mut sum = Sum::default();
    for (k, &along) in a.iter().enumerate() {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        sum.add_product(1.0, &[b[i], c[j], along]);
        sum.add_product(-1.0, &[b[j], c[i], along]);
    }
    sum
}

/// The determinant of two vectors seen along axis `k`.
pub(super) fn det2(k: usize, a: &[Pair; 3], b: &[Pair; 3]) -> Sum {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let mut sum = Sum::default();
    sum.add_product(1.0, &[a[i], b[j]]);
    sum.add_product(-1.0, &[a[j], b[i]]);
    sum
}
