//! The signs on which the oracle decides: of nine vectors, their cross products and determinants.

use num_bigint::{BigInt, Sign};

/// Signs (−1, 0, 1) of nine vectors; tables are filled where the indices ascend.
pub(crate) struct Signs {
    pub(crate) point: [[i8; 3]; 9],
    pub(crate) cross: [[[i8; 3]; 9]; 9],
    pub(crate) det: [[[i8; 9]; 9]; 9],
}

/// An integer type whose products are exact.
pub(crate) trait Exact: Sized {
    /// Holds a sum of two products.
    type Product;
    fn sign(&self) -> i8;
    fn product_sign(product: &Self::Product) -> i8;
    /// `a·b − c·d`.
    fn minor(a: &Self, b: &Self, c: &Self, d: &Self) -> Self::Product;
    /// The sign of the scalar product.
    fn dot_sign(cross: &[Self::Product; 3], point: &[Self; 3]) -> i8;
}

impl Signs {
    pub(crate) fn of<T: Exact>(points: &[[T; 3]; 9]) -> Self {
        let mut cross = [[[0; 3]; 9]; 9];
        let mut det = [[[0; 9]; 9]; 9];
        for p in 0..9 {
            for q in p + 1..9 {
                let product = cross_product(&points[p], &points[q]);
                cross[p][q] = std::array::from_fn(|k| T::product_sign(&product[k]));
                for r in q + 1..9 {
                    det[p][q][r] = T::dot_sign(&product, &points[r]);
                }
            }
        }
        let point = std::array::from_fn(|i| std::array::from_fn(|k| points[i][k].sign()));
        Self { point, cross, det }
    }
}

fn cross_product<T: Exact>([px, py, pz]: &[T; 3], [qx, qy, qz]: &[T; 3]) -> [T::Product; 3] {
    [T::minor(py, qz, pz, qy), T::minor(pz, qx, px, qz), T::minor(px, qy, py, qx)]
}

impl Exact for i64 {
    type Product = i128;

    fn sign(&self) -> i8 {
        self.signum() as i8
    }

    fn product_sign(product: &i128) -> i8 {
        product.signum() as i8
    }

    fn minor(a: &i64, b: &i64, c: &i64, d: &i64) -> i128 {
        i128::from(*a) * i128::from(*b) - i128::from(*c) * i128::from(*d)
    }

    /// Sums in two limbs, value = high·2⁶⁴ + low: factors below 2¹²⁵ and 2⁶² cannot overflow them.
    fn dot_sign(cross: &[i128; 3], point: &[i64; 3]) -> i8 {
        const MASK: i128 = (1 << 64) - 1;
        let (mut high, mut low) = (0i128, 0i128);
        for (&c, &d) in cross.iter().zip(point) {
            let (upper, lower) = ((c >> 64) * i128::from(d), (c & MASK) * i128::from(d));
            high += upper + (lower >> 64);
            low += lower & MASK;
        }
        high += low >> 64;
        if high != 0 { high.signum() as i8 } else { (low & MASK).signum() as i8 }
    }
}

impl Exact for BigInt {
    type Product = BigInt;

    fn sign(&self) -> i8 {
        match BigInt::sign(self) {
            Sign::Minus => -1,
            Sign::NoSign => 0,
            Sign::Plus => 1,
        }
    }

    fn product_sign(product: &BigInt) -> i8 {
        Exact::sign(product)
    }

    fn minor(a: &BigInt, b: &BigInt, c: &BigInt, d: &BigInt) -> BigInt {
        a * b - c * d
    }

    fn dot_sign(cross: &[BigInt; 3], point: &[BigInt; 3]) -> i8 {
        let [x, y, z] = std::array::from_fn(|k| &cross[k] * &point[k]);
        Exact::sign(&(x + y + z))
    }
}
