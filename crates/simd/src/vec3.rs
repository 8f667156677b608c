//! Three-vectors of eight lanes, as the kernels on oriented boxes and leaves use them. Products are
//! fused with sums: those kernels grant more for rounding than either way of rounding needs.

use crate::lanes32::Lanes8;

/// x, y and z of eight vectors.
pub(crate) type Vec3<L> = [L; 3];

/// Loads three columns.
#[inline(always)]
pub(crate) fn load<L: Lanes8>(columns: &[[f32; 8]; 3]) -> Vec3<L> {
    [L::load(&columns[0]), L::load(&columns[1]), L::load(&columns[2])]
}

/// The same vector in all lanes.
#[inline(always)]
pub(crate) fn splat<L: Lanes8>(v: &[f32; 3]) -> Vec3<L> {
    [L::splat(v[0]), L::splat(v[1]), L::splat(v[2])]
}

/// Difference.
#[inline(always)]
pub(crate) fn sub<L: Lanes8>(a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

/// Scalar product.
#[inline(always)]
pub(crate) fn dot<L: Lanes8>(a: Vec3<L>, b: Vec3<L>) -> L {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0].mul(b[0])))
}

/// Vector product.
#[inline(always)]
pub(crate) fn cross<L: Lanes8>(a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [
        a[1].mul_sub(b[2], a[2].mul(b[1])),
        a[2].mul_sub(b[0], a[0].mul(b[2])),
        a[0].mul_sub(b[1], a[1].mul(b[0])),
    ]
}

/// Sum of magnitudes.
#[inline(always)]
pub(crate) fn norm1<L: Lanes8>(v: Vec3<L>) -> L {
    v[0].abs().add(v[1].abs()).add(v[2].abs())
}

/// Scalar products with three vectors.
#[inline(always)]
pub(crate) fn dots<L: Lanes8>(v: Vec3<L>, with: &[Vec3<L>; 3]) -> Vec3<L> {
    [dot(v, with[0]), dot(v, with[1]), dot(v, with[2])]
}

/// Magnitudes.
#[inline(always)]
pub(crate) fn abs<L: Lanes8>(v: Vec3<L>) -> Vec3<L> {
    [v[0].abs(), v[1].abs(), v[2].abs()]
}
