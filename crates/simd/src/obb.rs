//! One oriented box against eight: which are met, and how far off the others are at least.
//!
//! Boxes are `center + Σ s[k]·axes[k]`, `|s[k]| <= half[k]`, with axes that are orthonormal up to a
//! few units in the last place. Along fifteen axes (the normals of the faces and the products of the
//! edges) the distance of the centres is held against what the two boxes reach; rounding is granted
//! in favour of "meets", so that a box is never passed over wrongly. A NaN in the probe, too, meets.

pub mod travel;

use crate::lanes::Lanes4;
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

/// The way from the frame of one tree into that of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// The columns of the rotation, in the first three lanes of each half.
    pub turn: [[f32; 8]; 3],
    /// The columns of rotation and scale for the middles, which need the digits.
    pub place: [[f64; 4]; 3],
    /// The translation.
    pub shift: [f64; 4],
    /// Rotation and scale, row by row, for points near the middle of their box.
    pub rows: [[f32; 3]; 3],
    /// What lengths are multiplied with.
    pub scale: f32,
    /// How far this way may lead astray.
    pub error: f32,
}

/// A box among eight.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The eight.
    pub boxes: &'a Boxes8,
    /// Which of them.
    pub lane: usize,
}

/// A probe in registers, the same in all lanes.
pub(crate) struct Spread<L> {
    pub(crate) axes: [Vec3<L>; 3],
    center: Vec3<L>,
    pub(crate) half: Vec3<L>,
    slack: L,
}

impl<L: Lanes8> Spread<L> {
    #[inline(always)]
    fn of(probe: &Probe) -> Self {
        let a = &probe.shape;
        Self {
            axes: [splat(&a.axes[0]), splat(&a.axes[1]), splat(&a.axes[2])],
            center: splat(&a.center),
            half: splat(&a.half),
            slack: L::splat(probe.slack),
        }
    }

    /// A box of another tree. Nothing goes through memory: waiting for what was just written would
    /// cost as much as the rest.
    #[inline(always)]
    pub(crate) fn after(source: &Source<'_>, way: &Way) -> Self {
        let (boxes, lane) = (source.boxes, source.lane & 7);
        let columns = load::<L>(&way.turn);
        let center = L::twice(placed::<L>(source, way));
        let center = [center.spread::<0>(), center.spread::<1>(), center.spread::<2>()];
        let scale = L::splat(way.scale);
        let h = &boxes.half;
        let slack = norm1(center).mul(L::splat(4.0 * U)).add(L::splat(way.error));
        Self {
            axes: [
                turned(&columns, &boxes.axes[0], lane),
                turned(&columns, &boxes.axes[1], lane),
                turned(&columns, &boxes.axes[2], lane),
            ],
            center,
            half: [
                L::splat(h[0][lane]).mul(scale),
                L::splat(h[1][lane]).mul(scale),
                L::splat(h[2][lane]).mul(scale),
            ],
            slack,
        }
    }
}

impl<L: Lanes8> Spread<L> {
    /// A box where it is; its middle is of no concern.
    #[inline(always)]
    pub(crate) fn still(source: &Source<'_>) -> Self {
        let (boxes, lane) = (source.boxes, source.lane & 7);
        let [x, y, z] = &boxes.axes;
        Self {
            axes: [of_lane(x, lane), of_lane(y, lane), of_lane(z, lane)],
            center: [L::splat(0.0); 3],
            half: of_lane(&boxes.half, lane),
            slack: L::splat(0.0),
        }
    }
}

#[inline(always)]
fn of_lane<L: Lanes8>(columns: &[[f32; 8]; 3], lane: usize) -> Vec3<L> {
    [L::splat(columns[0][lane]), L::splat(columns[1][lane]), L::splat(columns[2][lane])]
}

/// The middle of a box after the way.
#[inline(always)]
fn placed<L: Lanes8>(source: &Source<'_>, way: &Way) -> L::Wide {
    let (c, lane) = (&source.boxes.center, source.lane & 7);
    let x = L::Wide::load(&way.place[0]).mul(L::Wide::splat(f64::from(c[0][lane])));
    let y = L::Wide::load(&way.place[1]).mul(L::Wide::splat(f64::from(c[1][lane])));
    let z = L::Wide::load(&way.place[2]).mul(L::Wide::splat(f64::from(c[2][lane])));
    x.add(y).add(z.add(L::Wide::load(&way.shift)))
}

/// From the middle of box A to that of box B after the way.
#[inline(always)]
pub(crate) fn between<L: Lanes8>(a: &Source<'_>, b: &Source<'_>, way: &Way) -> Vec3<L> {
    let (c, lane) = (&a.boxes.center, a.lane & 7);
    let from = [c[0][lane], c[1][lane], c[2][lane], 0.0];
    let from = L::Wide::load(&from.map(f64::from));
    let shift = L::twice(placed::<L>(b, way).sub(from));
    [shift.spread::<0>(), shift.spread::<1>(), shift.spread::<2>()]
}

/// An axis after the turn, each coordinate in all lanes.
#[inline(always)]
fn turned<L: Lanes8>(columns: &Vec3<L>, axis: &[[f32; 8]; 3], lane: usize) -> Vec3<L> {
    let x = columns[0].mul(L::splat(axis[0][lane]));
    let y = columns[1].mul(L::splat(axis[1][lane]));
    let z = columns[2].mul(L::splat(axis[2][lane]));
    let turned = x.add(y).add(z);
    [turned.spread::<0>(), turned.spread::<1>(), turned.spread::<2>()]
}

/// Half a unit in the last place of 1.
const U: f32 = 5.960_464_5e-8;

/// Rounding of a reach or a distance along an axis, in units of all half edges, and of axes that are
/// not quite orthonormal. It is granted by making the magnitudes of all cosines larger by it, and the
/// half edges of each box by it times their sum. What rounding does to the distance of the middles is in
/// units of that distance; if it is larger than all half edges together, the boxes are apart anyway,
/// and to say so is right whatever rounding did.
///
/// With u = 2⁻²⁴: axes are off by up to 8u (stored in f32, turned by a matrix in f32), scalar
/// products of axes by 3u more on each side, 12u in all; a distance along an axis collects 15u, along
/// a product of axes twice that and 3u from its own operations; a reach 16u, or twice 12u and 4u;
/// that products of axes are taken for orthogonal costs 18u. Together below 64u.
const ROUNDING: f32 = 64.0 * U;

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
    met_probe::<Scalar8>(probe, boxes)
}

/// Lower bounds of the distances of the eight from a box of another tree. Vacant lanes are far off.
#[inline]
pub fn gaps_after(source: &Source<'_>, way: &Way, boxes: &Boxes8) -> [f32; 8] {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::gaps_after(proof, source, way, boxes);
    }
    apart(&Spread::<Scalar8>::after(source, way), boxes).store()
}

/// As [`gaps_after`], with what products of axes tell: positive for all that do not meet, as far as
/// [`overlaps`] can tell too, up to rounding.
#[inline]
pub fn margins_after(source: &Source<'_>, way: &Way, boxes: &Boxes8) -> [f32; 8] {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::margins_after(proof, source, way, boxes);
    }
    margins(&Spread::<Scalar8>::after(source, way), boxes).store()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn overlaps(_: Avx2, probe: &Probe, boxes: &Boxes8) -> Met {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(probe: &Probe, boxes: &Boxes8) -> Met {
            crate::lanes32::align_frame();
            super::met_probe::<Avx8>(probe, boxes)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(probe, boxes) }
    }

    #[inline]
    pub(super) fn gaps_after(_: Avx2, source: &Source<'_>, way: &Way, boxes: &Boxes8) -> [f32; 8] {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(source: &Source<'_>, way: &Way, boxes: &Boxes8) -> [f32; 8] {
            crate::lanes32::align_frame();
            super::apart(&Spread::<Avx8>::after(source, way), boxes).store()
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(source, way, boxes) }
    }

    #[inline]
    pub(super) fn margins_after(
        _: Avx2,
        source: &Source<'_>,
        way: &Way,
        boxes: &Boxes8,
    ) -> [f32; 8] {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(source: &Source<'_>, way: &Way, boxes: &Boxes8) -> [f32; 8] {
            crate::lanes32::align_frame();
            super::margins(&Spread::<Avx8>::after(source, way), boxes).store()
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(source, way, boxes) }
    }
}

/// What all axes need: A is the probe, B are the eight.
struct Pair<L> {
    /// `cosine[i][j]` = axis i of A · axis j of B.
    cosine: [[L; 3]; 3],
    /// Their magnitudes, with what is granted for rounding.
    size: [[L; 3]; 3],
    /// From A's middle to B's, along A's axes.
    way_a: Vec3<L>,
    /// The same along B's axes.
    way_b: Vec3<L>,
    half_a: Vec3<L>,
    half_b: Vec3<L>,
    square: L,
}

#[inline(always)]
fn pair<L: Lanes8>(a: &Spread<L>, boxes: &Boxes8) -> Pair<L> {
    let theirs = [load::<L>(&boxes.axes[0]), load(&boxes.axes[1]), load(&boxes.axes[2])];
    let way = sub(load::<L>(&boxes.center), a.center);
    let cosine = [dots(a.axes[0], &theirs), dots(a.axes[1], &theirs), dots(a.axes[2], &theirs)];
    let reach = a.half[0].add(a.half[1]).add(a.half[2]);
    let slack = reach.mul_add(L::splat(ROUNDING), a.slack);
    let [p, q, r] = load::<L>(&boxes.half);
    let slack_b = p.add(q).add(r).mul(L::splat(ROUNDING));
    Pair {
        size: [grant(cosine[0]), grant(cosine[1]), grant(cosine[2])],
        cosine,
        way_a: dots(way, &a.axes),
        way_b: dots(way, &theirs),
        half_a: [a.half[0].add(slack), a.half[1].add(slack), a.half[2].add(slack)],
        half_b: [p.add(slack_b), q.add(slack_b), r.add(slack_b)],
        square: dot(way, way),
    }
}

#[inline(always)]
fn grant<L: Lanes8>(cosines: Vec3<L>) -> Vec3<L> {
    let rounding = L::splat(ROUNDING);
    let [x, y, z] = abs(cosines);
    [x.add(rounding), y.add(rounding), z.add(rounding)]
}

impl<L: Lanes8> Pair<L> {
    /// The gap along axis `i` of A: positive where a plane across it separates.
    #[inline(always)]
    fn along_a(&self, i: usize) -> L {
        let [x, y, z] = self.size[i];
        let [p, q, r] = self.half_b;
        let reach = z.mul_add(r, y.mul_add(q, x.mul_add(p, self.half_a[i])));
        self.way_a[i].abs().sub(reach)
    }

    /// The gap along axis `j` of B.
    #[inline(always)]
    fn along_b(&self, j: usize) -> L {
        let [x, y, z] = [self.size[0][j], self.size[1][j], self.size[2][j]];
        let [p, q, r] = self.half_a;
        let reach = z.mul_add(r, y.mul_add(q, x.mul_add(p, self.half_b[j])));
        self.way_b[j].abs().sub(reach)
    }

    /// The gap along the product of axis `i` of A and `j` of B, times the length of that product.
    #[inline(always)]
    fn along_product(&self, i: usize, j: usize) -> L {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let c = &self.cosine;
        let s = &self.size;
        let way = self.way_a[i2].mul_sub(c[i1][j], self.way_a[i1].mul(c[i2][j])).abs();
        let of_a = self.half_a[i1].mul_add(s[i2][j], self.half_a[i2].mul(s[i1][j]));
        let reach = self.half_b[j1].mul_add(s[i][j2], self.half_b[j2].mul_add(s[i][j1], of_a));
        way.sub(reach)
    }
}

#[inline(always)]
fn met_probe<L: Lanes8>(probe: &Probe, boxes: &Boxes8) -> Met {
    let (lanes, order) = met(&Spread::<L>::of(probe), boxes);
    Met { lanes, order: order.store() }
}

/// The lanes that are met, and the squared distances of the middles.
#[inline(always)]
pub(crate) fn met<L: Lanes8>(a: &Spread<L>, boxes: &Boxes8) -> (u8, L) {
    let pair = pair::<L>(a, boxes);
    let mut most = pair.along_a(0);
    for i in 1..3 {
        // `max` keeps its second operand where a NaN takes part, so the known gap goes second.
        most = pair.along_a(i).max(most);
    }
    for j in 0..3 {
        most = pair.along_b(j).max(most);
    }
    let zero = L::splat(0.0);
    let mut lanes = !L::bits(most.gt_mask(zero));
    if lanes != 0 {
        for i in 0..3 {
            for j in 0..3 {
                most = pair.along_product(i, j).max(most);
            }
        }
        lanes = !L::bits(most.gt_mask(zero));
    }
    (lanes, pair.square)
}

#[inline(always)]
fn apart<L: Lanes8>(a: &Spread<L>, boxes: &Boxes8) -> L {
    apart_across_faces(&pair::<L>(a, boxes))
}

#[inline(always)]
fn apart_across_faces<L: Lanes8>(pair: &Pair<L>) -> L {
    let zero = L::splat(0.0);
    let mut squares = [zero, zero];
    for k in 0..3 {
        // A NaN counts as no gap: `max` gives its second operand then.
        let mine = pair.along_a(k).max(zero);
        let theirs = pair.along_b(k).max(zero);
        squares = [squares[0].add(mine.mul(mine)), squares[1].add(theirs.mul(theirs))];
    }
    // The root of three squares is off by 4u; the distance of the middles along axes that are not
    // quite orthonormal by up to 24u, which nothing else covers where the boxes are far apart.
    squares[0].max(squares[1]).sqrt().mul(L::splat(1.0 - 2e-6))
}

#[inline(always)]
fn margins<L: Lanes8>(a: &Spread<L>, boxes: &Boxes8) -> L {
    let pair = pair::<L>(a, boxes);
    let faces = apart_across_faces(&pair);
    let zero = L::splat(0.0);
    if !L::bits(faces.gt_mask(zero)) == 0 {
        return faces;
    }
    let mut most = zero;
    for i in 0..3 {
        for j in 0..3 {
            most = pair.along_product(i, j).max(most);
        }
    }
    // A product of axes is no longer than 1 but for rounding, so this is no more than the gap across
    // it; what rounding does to the distance of the middles is granted in units of that distance.
    let off = pair.square.sqrt().mul(L::splat(ROUNDING));
    most.sub(off).max(faces)
}

#[cfg(test)]
pub(crate) mod tests;
