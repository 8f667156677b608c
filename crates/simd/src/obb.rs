//! One oriented box against eight: which are met, and how far off the others are at least.
//!
//! Boxes are `center + Σ s[k]·axes[k]`, `|s[k]| <= half[k]`, with axes that are orthonormal up to a
//! few units in the last place. Along fifteen axes (the normals of the faces and the products of the
//! edges) the distance of the centres is held against what the two boxes reach; rounding is granted
//! in favour of "meets", so that a box is never passed over wrongly. A NaN anywhere, too, meets.

use crate::lanes32::{Lanes8, Scalar8};
use crate::vec3::{Vec3, abs, dot, dots, load, norm1, splat, sub};

/// Eight boxes, column by column.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Boxes8 {
    /// The middles: x, y, z.
    pub center: [[f32; 8]; 3],
    /// Half the edges.
    pub half: [[f32; 8]; 3],
    /// x, y, z of the first axis, of the second, of the third.
    pub axes: [[[f32; 8]; 3]; 3],
    /// Whatever the owner wants to find beside a box: they fill the last cache line.
    pub child: [u32; 8],
}

impl Boxes8 {
    /// Lanes that nothing meets but a NaN.
    pub const VACANT: Self = Self {
        center: [[1e30; 8]; 3],
        half: [[0.0; 8]; 3],
        axes: [[[0.0; 8]; 3]; 3],
        child: [u32::MAX; 8],
    };

    /// One of the boxes.
    #[inline]
    pub fn get(&self, lane: usize) -> Box1 {
        let of = |columns: &[[f32; 8]; 3]| [columns[0][lane], columns[1][lane], columns[2][lane]];
        let [x, y, z] = &self.axes;
        Box1 { center: of(&self.center), half: of(&self.half), axes: [of(x), of(y), of(z)] }
    }

    /// Puts a box into a lane.
    pub fn set(&mut self, lane: usize, one: &Box1) {
        for k in 0..3 {
            self.center[k][lane] = one.center[k];
            self.half[k][lane] = one.half[k];
            for axis in 0..3 {
                self.axes[axis][k][lane] = one.axes[axis][k];
            }
        }
    }
}

/// One box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box1 {
    /// The middle.
    pub center: [f32; 3],
    /// Half the edges.
    pub half: [f32; 3],
    /// The directions of the edges.
    pub axes: [[f32; 3]; 3],
}

/// A box that is held against others, in their frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// The box.
    pub shape: Box1,
    /// How far its true place may be from the given one; granted along every axis.
    pub slack: f32,
}

/// Rounding of a reach or a distance along an axis, in units of the distance of the centres plus all
/// half edges, and of axes that are not quite orthonormal.
///
/// With u = 2⁻²⁴: axes are off by up to 8u (stored in f32, turned by a matrix in f32), scalar
/// products of axes by 3u more on each side, 12u in all; a distance along an axis collects 15u, along
/// a product of axes twice that and 3u from its own operations; a reach 16u, or twice 12u and 4u;
/// that products of axes are taken for orthogonal costs 18u. Together below 64u.
const ROUNDING: f32 = 64.0 * 5.960_464_5e-8;

/// What the test of one against eight came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met {
    /// Lane `k` as bit `k`.
    pub lanes: u8,
    /// The squared distances of the middles; good for choosing an order and nothing else.
    pub order: [f32; 8],
}

/// Which of the eight share a point with the probe, or may by rounding.
#[inline]
pub fn overlaps(probe: &Probe, boxes: &Boxes8) -> Met {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::overlaps(proof, probe, boxes);
    }
    met::<Scalar8>(probe, boxes)
}

/// Lower bounds of the distances of the eight from the probe. Vacant lanes are far off.
#[inline]
pub fn gaps(probe: &Probe, boxes: &Boxes8) -> [f32; 8] {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::gaps(proof, probe, boxes);
    }
    apart::<Scalar8>(probe, boxes).store()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn overlaps(_: Avx2, probe: &Probe, boxes: &Boxes8) -> Met {
        #[target_feature(enable = "avx2")]
        fn compiled(probe: &Probe, boxes: &Boxes8) -> Met {
            super::met::<Avx8>(probe, boxes)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(probe, boxes) }
    }

    #[inline]
    pub(super) fn gaps(_: Avx2, probe: &Probe, boxes: &Boxes8) -> [f32; 8] {
        #[target_feature(enable = "avx2")]
        fn compiled(probe: &Probe, boxes: &Boxes8) -> [f32; 8] {
            super::apart::<Avx8>(probe, boxes).store()
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(probe, boxes) }
    }
}

/// What all axes need: A is the probe, B are the eight.
struct Pair<L> {
    /// `cosine[i][j]` = axis i of A · axis j of B.
    cosine: [[L; 3]; 3],
    /// Their magnitudes.
    size: [[L; 3]; 3],
    /// From A's middle to B's, along A's axes.
    way_a: Vec3<L>,
    /// The same along B's axes.
    way_b: Vec3<L>,
    half_b: Vec3<L>,
    slack: L,
    square: L,
}

#[inline(always)]
fn pair<L: Lanes8>(probe: &Probe, boxes: &Boxes8) -> Pair<L> {
    let a = &probe.shape;
    let mine = [splat(&a.axes[0]), splat(&a.axes[1]), splat(&a.axes[2])];
    let theirs = [load::<L>(&boxes.axes[0]), load(&boxes.axes[1]), load(&boxes.axes[2])];
    let way = sub(load::<L>(&boxes.center), splat(&a.center));
    let cosine = [dots(mine[0], &theirs), dots(mine[1], &theirs), dots(mine[2], &theirs)];
    let half_b = load::<L>(&boxes.half);
    let reach_a = L::splat(a.half[0] + a.half[1] + a.half[2]);
    let extent = norm1(way).add(half_b[0].add(half_b[1]).add(half_b[2])).add(reach_a);
    Pair {
        size: [abs(cosine[0]), abs(cosine[1]), abs(cosine[2])],
        cosine,
        way_a: dots(way, &mine),
        way_b: dots(way, &theirs),
        half_b,
        slack: extent.mul(L::splat(ROUNDING)).add(L::splat(probe.slack)),
        square: dot(way, way),
    }
}

impl<L: Lanes8> Pair<L> {
    /// The gap along axis `i` of A: positive where a plane across it separates.
    #[inline(always)]
    fn along_a(&self, a: &Box1, i: usize) -> L {
        let [x, y, z] = self.size[i];
        let [p, q, r] = self.half_b;
        let reach = x.mul(p).add(y.mul(q)).add(z.mul(r)).add(L::splat(a.half[i]));
        self.way_a[i].abs().sub(reach.add(self.slack))
    }

    /// The gap along axis `j` of B.
    #[inline(always)]
    fn along_b(&self, a: &Box1, j: usize) -> L {
        let [x, y, z] = [self.size[0][j], self.size[1][j], self.size[2][j]];
        let [p, q, r] = splat::<L>(&a.half);
        let reach = x.mul(p).add(y.mul(q)).add(z.mul(r)).add(self.half_b[j]);
        self.way_b[j].abs().sub(reach.add(self.slack))
    }

    /// The gap along the product of axis `i` of A and `j` of B, times the length of that product.
    #[inline(always)]
    fn along_product(&self, a: &Box1, i: usize, j: usize) -> L {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let c = &self.cosine;
        let s = &self.size;
        let way = self.way_a[i2].mul(c[i1][j]).sub(self.way_a[i1].mul(c[i2][j])).abs();
        let of_a = L::splat(a.half[i1]).mul(s[i2][j]).add(L::splat(a.half[i2]).mul(s[i1][j]));
        let of_b = self.half_b[j1].mul(s[i][j2]).add(self.half_b[j2].mul(s[i][j1]));
        way.sub(of_a.add(of_b).add(self.slack))
    }
}

#[inline(always)]
fn met<L: Lanes8>(probe: &Probe, boxes: &Boxes8) -> Met {
    let pair = pair::<L>(probe, boxes);
    let a = &probe.shape;
    let mut most = pair.along_a(a, 0);
    for i in 1..3 {
        // `max` keeps its second operand where a NaN takes part, so the known gap goes second.
        most = pair.along_a(a, i).max(most);
    }
    for j in 0..3 {
        most = pair.along_b(a, j).max(most);
    }
    let zero = L::splat(0.0);
    let mut lanes = !L::bits(most.gt_mask(zero));
    if lanes != 0 {
        for i in 0..3 {
            for j in 0..3 {
                most = pair.along_product(a, i, j).max(most);
            }
        }
        lanes = !L::bits(most.gt_mask(zero));
    }
    Met { lanes, order: pair.square.store() }
}

#[inline(always)]
fn apart<L: Lanes8>(probe: &Probe, boxes: &Boxes8) -> L {
    let pair = pair::<L>(probe, boxes);
    let a = &probe.shape;
    let zero = L::splat(0.0);
    let mut squares = [zero, zero];
    for k in 0..3 {
        // A NaN counts as no gap: `max` gives its second operand then.
        let mine = pair.along_a(a, k).max(zero);
        let theirs = pair.along_b(a, k).max(zero);
        squares = [squares[0].add(mine.mul(mine)), squares[1].add(theirs.mul(theirs))];
    }
    // The root of three squares is off by 4u, axes that are not quite orthonormal by some more.
    squares[0].max(squares[1]).sqrt().mul(L::splat(1.0 - 1e-6))
}
