//! Polynomials with whole coefficients, and the numbers that are their roots, without rounding.

use num_bigint::{BigInt, Sign};

/// Coefficients, that of the highest power last and not zero; empty if the polynomial is zero.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Poly(Vec<BigInt>);

/// A fraction of a power of two: `n / 2^bits`.
#[derive(Clone, Debug)]
pub(crate) struct Dyadic {
    pub(crate) n: BigInt,
    pub(crate) bits: u32,
}

impl Dyadic {
    pub(crate) fn whole(n: i32) -> Self {
        Self { n: BigInt::from(n), bits: 0 }
    }

    fn middle(&self, other: &Self) -> Self {
        let bits = self.bits.max(other.bits);
        let sum = (&self.n << (bits - self.bits)) + (&other.n << (bits - other.bits));
        Self { n: sum, bits: bits + 1 }
    }

    /// The nearest f64s below and above; times from 0 to 1 with a few hundred bits.
    pub(crate) fn around(&self) -> [f64; 2] {
        let scaled: BigInt = (&self.n << 1000u32) >> self.bits;
        let near = scaled.to_string().parse::<f64>().unwrap() * 2f64.powi(-1000);
        [near.next_down(), near.next_up().next_up()]
    }
}

impl Poly {
    pub(crate) fn new(mut coefficients: Vec<BigInt>) -> Self {
        while coefficients.last().is_some_and(|x| x.sign() == Sign::NoSign) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let at = |p: &Self, i: usize| p.0.get(i).cloned().unwrap_or_default();
        let len = self.0.len().max(other.0.len());
        Self::new((0..len).map(|i| at(self, i) + at(other, i)).collect())
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.plus(&Self(other.0.iter().map(|x| -x).collect()))
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut made = vec![BigInt::ZERO; (self.0.len() + other.0.len()).max(1)];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                made[i + j] += a * b;
            }
        }
        Self::new(made)
    }

    fn slope(&self) -> Self {
        Self::new(self.0.iter().enumerate().skip(1).map(|(i, x)| x * BigInt::from(i)).collect())
    }

    /// The sign at a time.
    pub(crate) fn sign_at(&self, time: &Dyadic) -> i32 {
        let mut sum = BigInt::ZERO;
        for (i, x) in self.0.iter().enumerate().rev() {
            // Horner's scheme times a power of two for each step.
            sum = sum * &time.n + (x << (time.bits as usize * (self.degree() - i)));
        }
        match sum.sign() {
            Sign::Minus => -1,
            Sign::NoSign => 0,
            Sign::Plus => 1,
        }
    }

    /// Without a power of two that all coefficients have in common.
    fn reduced(self) -> Self {
        let common = self.0.iter().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
        Self(self.0.into_iter().map(|x| x >> common).collect())
    }

    /// The rest of a division, times some number above zero.
    fn rest(&self, divisor: &Self) -> Self {
        let mut rest = self.clone();
        let lead = divisor.0.last().unwrap();
        let size = BigInt::from(lead.magnitude().clone());
        while !rest.is_zero() && rest.0.len() >= divisor.0.len() {
            let shift = rest.0.len() - divisor.0.len();
            let last = rest.0.last().unwrap();
            let top = if lead.sign() == Sign::Minus { -last } else { last.clone() };
            let mut next: Vec<BigInt> = rest.0.iter().map(|x| x * &size).collect();
            for (i, x) in divisor.0.iter().enumerate() {
                next[i + shift] -= x * &top;
            }
            rest = Self::new(next).reduced();
        }
        rest
    }

    fn common(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            let rest = a.rest(&b);
            (a, b) = (b, rest);
        }
        a
    }

    /// The quotient of a division without rest, times some number.
    fn over(&self, divisor: &Self) -> Self {
        let (mut rest, lead) = (self.clone(), divisor.0.last().unwrap());
        let mut quotient = vec![BigInt::ZERO; self.0.len() - divisor.0.len() + 1];
        while !rest.is_zero() && rest.0.len() >= divisor.0.len() {
            let (shift, top) = (rest.0.len() - divisor.0.len(), rest.0.last().unwrap().clone());
            quotient.iter_mut().for_each(|x| *x *= lead);
            quotient[shift] += &top;
            let mut next: Vec<BigInt> = rest.0.iter().map(|x| x * lead).collect();
            for (i, x) in divisor.0.iter().enumerate() {
                next[i + shift] -= x * &top;
            }
            rest = Self::new(next);
        }
        Self::new(quotient)
    }

    /// The chain of Sturm's theorem.
    fn chain(&self) -> Chain {
        let mut chain = vec![self.clone(), self.slope()];
        while let [.., a, b] = &chain[..]
            && !b.is_zero()
        {
            let rest = Self(a.rest(b).0.iter().map(|x| -x).collect());
            chain.push(rest);
        }
        Chain(chain)
    }

    /// The same roots, each once.
    fn simple(&self) -> Self {
        let common = self.common(&self.slope());
        if common.degree() == 0 { self.clone() } else { self.over(&common) }
    }

    /// All roots from 0 to 1, in order, without repetition.
    pub(crate) fn roots(&self) -> Vec<Root> {
        assert!(!self.is_zero());
        if self.degree() == 0 {
            return Vec::new();
        }
        let simple = self.simple();
        let chain = simple.chain();
        let (zero, one) = (Dyadic::whole(0), Dyadic::whole(1));
        let mut roots = Vec::new();
        if simple.sign_at(&zero) == 0 {
            roots.push(Root { of: simple.clone(), from: zero.clone(), to: zero.clone() });
        }
        let mut waiting = vec![(zero, one)];
        while let Some((from, to)) = waiting.pop() {
            match chain.count(&from, &to) {
                0 => {}
                1 => roots.push(Root { of: simple.clone(), from, to }),
                _ => {
                    let middle = from.middle(&to);
                    waiting.push((middle.clone(), to));
                    waiting.push((from, middle));
                }
            }
        }
        roots
    }
}

/// A polynomial without multiple roots, and what tells how many it has in an interval.
struct Chain(Vec<Poly>);

impl Chain {
    /// The number of roots after `from` up to and with `to`.
    fn count(&self, from: &Dyadic, to: &Dyadic) -> usize {
        let changes = |time: &Dyadic| {
            let signs: Vec<i32> =
                self.0.iter().map(|p| p.sign_at(time)).filter(|&sign| sign != 0).collect();
            signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
        };
        changes(from) - changes(to)
    }
}

/// The only root of a polynomial without multiple roots in an interval: after `from`, up to and with
/// `to`; or `from` itself if both are the same.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    of: Poly,
    pub(crate) from: Dyadic,
    pub(crate) to: Dyadic,
}

impl Root {
    /// Halves the interval.
    pub(crate) fn refine(&mut self) {
        if self.of.sign_at(&self.to) == 0 {
            self.from = self.to.clone();
            return;
        }
        // The root is the only one and a simple one: the sign at the end is that after it.
        let middle = self.from.middle(&self.to);
        match self.of.sign_at(&middle) * self.of.sign_at(&self.to) {
            -1 => self.from = middle,
            1 => self.to = middle,
            _ => (self.from, self.to) = (middle.clone(), middle),
        }
    }

    /// The sign of another polynomial there.
    pub(crate) fn sign_of(&mut self, other: &Poly) -> i32 {
        if other.is_zero() {
            return 0;
        }
        let point = |root: &Self| root.of.sign_at(&root.to) == 0;
        if !point(self) && other.degree() > 0 {
            let common = self.of.common(other);
            if common.degree() > 0 && common.chain().count(&self.from, &self.to) > 0 {
                return 0;
            }
            let chain = other.simple().chain();
            while !point(self) && chain.count(&self.from, &self.to) > 0 {
                self.refine();
            }
        }
        other.sign_at(&self.to)
    }
}
