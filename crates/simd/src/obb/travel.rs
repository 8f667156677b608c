//! One oriented box against eight, all on their ways: for how long they stay apart for certain.
//!
//! A direction, fixed in space, that parts two boxes at the start and at the end of a span of time does
//! so in between, but for what points on circles deviate from their chords: for an acceleration of at
//! most `c` that is `c/2 · τ · (h − τ)` after the time τ of a span h. What is left is a parabola in τ,
//! and its first root is the time. Per lane the one direction is used along which the boxes are
//! farthest apart at the start; it needs no accuracy.

use super::{Boxes8, Pair, ROUNDING, Source, Spread, Way, pair};
use crate::lanes32::{Lanes8, Scalar8};
use crate::vec3::{Vec3, cross, dot, dots, load, norm1, splat, sub};

/// How a body turns, as seen at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Swing {
    /// The direction of the axis, times the angle per unit of time.
    pub spin: [f32; 3],
    /// The length of that, rounded up; zero for a body that does not turn.
    pub rate: f32,
    /// A point of the axis.
    pub pivot: [f32; 3],
}

/// How two bodies move during a span of time, in the frame of one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive<'a> {
    /// From the frame of the other into this one, at the start and at the end.
    pub ways: [&'a Way; 2],
    /// How the body whose frame it is turns, and how the other does, in that frame at the start.
    pub swings: &'a [Swing; 2],
    /// A direction in the frame at the start, turned by this, is the same direction of space in the
    /// frame at the end; row by row.
    pub turn: &'a [[f32; 3]; 3],
    /// Being this near counts as met.
    pub margin: f32,
    /// How long it takes.
    pub span: f32,
    /// What times are given in.
    pub grid: Grid,
}

/// A grid of times. Times are rounded down to its cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// So many are a unit of time; at most 2¹⁶.
    pub cells: f32,
    /// The cell at which the span starts.
    pub start: f32,
    /// What comes no earlier does not matter: a number of cells, rounded up.
    pub end: f32,
    /// The cell in which pairs that are apart for the whole span are to be seen again; infinite if
    /// they need not be.
    pub again: f32,
}

/// What becomes of eight pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// The cells until which they are apart; infinite for those that need not be seen again.
    pub apart: [f32; 8],
    /// Those that are not apart at the start, a bit for each.
    pub due: u8,
    /// Those that are apart for the whole span and to be seen again.
    pub again: u8,
}

impl Outlook {
    /// Forgets all but some pairs.
    #[inline]
    pub fn keep(&mut self, lanes: u8) {
        if lanes != u8::MAX {
            for (lane, apart) in self.apart.iter_mut().enumerate() {
                *apart = if lanes >> lane & 1 == 1 { *apart } else { f32::INFINITY };
            }
        }
    }

    /// Of pairs that last for so long; those whose number is `u32::MAX` are none.
    #[inline(always)]
    pub(crate) fn of<L: Lanes8>(lasts: L, ids: &[u32; 8], grid: &Grid) -> Self {
        let (start, infinite) = (L::splat(grid.start), L::splat(f32::INFINITY));
        // With up to 2¹⁶ cells two roundings are less than what is taken off. What is not a number
        // is not apart.
        let until = lasts.mul_add(L::splat(grid.cells), L::splat(grid.start - 0.01)).max(start);
        // The integer below: as f32 has no digits after the point beyond 2²³.
        let shift = L::splat((1 << 23) as f32);
        let near = until.add(shift).sub(shift);
        let cell = near.sub(L::splat(1.0)).select(near.gt_mask(until), near);
        let cell = infinite.select(L::splat(grid.end).le_mask(until), cell);
        let whole = infinite.le_mask(lasts);
        let cell = L::splat(grid.again).select(whole, cell);
        let apart = cell.select(L::taken(ids), infinite);
        let again = L::and(whole, infinite.gt_mask(apart));
        Self { apart: apart.store(), due: apart.le(start), again: L::bits(again) }
    }
}

/// For how long the eight, which are of the body whose frame it is, stay apart from the source, which
/// is of the other.
#[inline]
pub fn lasts(source: &Source<'_>, boxes: &Boxes8, drive: &Drive<'_>) -> Outlook {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::lasts(proof, source, boxes, drive);
    }
    last::<Scalar8>(source, boxes, drive)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn lasts(
        _: Avx2,
        source: &Source<'_>,
        boxes: &Boxes8,
        drive: &Drive<'_>,
    ) -> Outlook {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(source: &Source<'_>, boxes: &Boxes8, drive: &Drive<'_>) -> Outlook {
            crate::lanes32::align_frame();
            super::last::<Avx8>(source, boxes, drive)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(source, boxes, drive) }
    }
}

/// Plus or minus one, as the sign says.
#[inline(always)]
pub(crate) fn sign<L: Lanes8>(x: L) -> L {
    L::splat(1.0).select(x.gt_mask(L::splat(0.0)), L::splat(-1.0))
}

#[inline(always)]
pub(crate) fn choose<L: Lanes8>(mask: L::Mask, yes: Vec3<L>, no: Vec3<L>) -> Vec3<L> {
    [yes[0].select(mask, no[0]), yes[1].select(mask, no[1]), yes[2].select(mask, no[2])]
}

#[inline(always)]
pub(crate) fn scaled<L: Lanes8>(v: Vec3<L>, by: L) -> Vec3<L> {
    [v[0].mul(by), v[1].mul(by), v[2].mul(by)]
}

#[inline(always)]
fn length<L: Lanes8>(v: Vec3<L>) -> L {
    dot(v, v).sqrt()
}

/// The direction as the frame sees it at the end.
#[inline(always)]
pub(crate) fn turned<L: Lanes8>(n: Vec3<L>, turn: &[[f32; 3]; 3]) -> Vec3<L> {
    [dot(n, splat(&turn[0])), dot(n, splat(&turn[1])), dot(n, splat(&turn[2]))]
}

/// About how long a gap along an axis lasts.
#[inline(always)]
pub(crate) fn lasting<L: Lanes8>(gap: L, axis: Vec3<L>, step: Vec3<L>) -> L {
    gap.div(L::splat(0.0).sub(dot(axis, step)).max(L::splat(1e-3)))
}

impl<L: Lanes8> Pair<L> {
    /// The direction from A to B in which the two stay apart for longest, as far as their middles
    /// tell, which come nearer by `step`. It is chosen among the normals of the faces; where none of
    /// them parts the boxes, among the products of the edges.
    #[expect(clippy::needless_range_loop, reason = "gaps and axes run side by side")]
    #[inline(always)]
    fn best_direction(&self, (way, step): (Vec3<L>, Vec3<L>), axes: [&[Vec3<L>; 3]; 2]) -> Vec3<L> {
        let [mine, theirs] = axes;
        let zero = L::splat(0.0);
        let mut most = self.along_a(0);
        let mut best = scaled(mine[0], sign(self.way_a[0]));
        let mut longest = lasting(most, best, step);
        for k in 1..6 {
            let (gap, axis) = if k < 3 {
                (self.along_a(k), scaled(mine[k], sign(self.way_a[k])))
            } else {
                (self.along_b(k - 3), scaled(theirs[k - 3], sign(self.way_b[k - 3])))
            };
            let time = lasting(gap, axis, step);
            best = choose::<L>(time.gt_mask(longest), axis, best);
            longest = time.max(longest);
            most = gap.max(most);
        }
        if L::bits(most.gt_mask(zero)) == 0xff {
            return best;
        }
        for i in 0..3 {
            for j in 0..3 {
                let gap = self.along_product(i, j);
                let product = cross(mine[i], theirs[j]);
                let axis = scaled(product, sign(dot(product, way)));
                let better = L::and(gap.gt_mask(zero), gap.gt_mask(most));
                best = choose::<L>(better, axis, best);
                most = gap.max(most);
            }
        }
        best
    }
}

/// The reach of boxes along a direction.
#[inline(always)]
pub(crate) fn reach<L: Lanes8>(n: Vec3<L>, axes: &[Vec3<L>; 3], half: Vec3<L>) -> L {
    let [x, y, z] = dots(n, axes);
    x.abs().mul_add(half[0], y.abs().mul_add(half[1], z.abs().mul(half[2])))
}

/// No point of a ball is accelerated by more along the direction.
#[inline(always)]
pub(crate) fn bend<L: Lanes8>(swing: &Swing, n: Vec3<L>, ball: (Vec3<L>, L)) -> L {
    if swing.rate == 0.0 {
        return L::splat(0.0);
    }
    let spin = splat::<L>(&swing.spin);
    let (center, radius) = ball;
    let speed = length(cross(spin, sub(center, splat(&swing.pivot))));
    let speed = radius.mul_add(L::splat(swing.rate), speed);
    // Some roundings, also of a pivot that is far away.
    let far = norm1(sub(center, splat(&swing.pivot))).mul(L::splat(swing.rate));
    let speed = far.mul_add(L::splat(1e-6), speed);
    // The product is off by some roundings of its factors, also where it is small.
    let across = length(cross(n, spin)).add(L::splat(1e-6 * swing.rate));
    across.mul(speed).mul(L::splat(1.0 + 1e-5))
}

/// A is the source, B are the eight.
#[inline(always)]
fn last<L: Lanes8>(source: &Source<'_>, boxes: &Boxes8, drive: &Drive<'_>) -> Outlook {
    let a = Spread::<L>::after(source, drive.ways[0]);
    let pair = pair::<L>(&a, boxes);
    let axes = [load::<L>(&boxes.axes[0]), load(&boxes.axes[1]), load(&boxes.axes[2])];
    let center = load::<L>(&boxes.center);
    let way = sub(center, a.center);
    let later = Spread::<L>::after(source, drive.ways[1]);
    let far = sub(center, later.center);
    let n = pair.best_direction((way, sub(far, way)), [&a.axes, &axes]);
    let size = norm1(way).add(norm1(pair.half_a)).add(norm1(pair.half_b));
    let granted = size.mul_add(L::splat(4.0 * ROUNDING), L::splat(drive.margin));
    let now = dot(n, way).sub(reach(n, &a.axes, pair.half_a)).sub(reach(n, &axes, pair.half_b));
    let m = turned(n, drive.turn);
    let more = norm1(far).mul_add(L::splat(4.0 * ROUNDING), later.slack);
    let then = dot(m, far)
        .sub(reach(m, &later.axes, pair.half_a))
        .sub(reach(m, &axes, pair.half_b))
        .sub(granted.add(more));
    let [theirs, mine] = drive.swings;
    let c = bend(mine, n, (a.center, length(pair.half_a)));
    let c = bend(theirs, n, (center, length(pair.half_b))).add(c);
    let lasts = until([now.sub(granted), then], c, drive.span);
    Outlook::of(lasts, &boxes.child, &drive.grid)
}

/// When a gap that is this at the start and that at the end may have closed, if what makes it is
/// accelerated by at most `c`; infinite if it does not.
#[inline(always)]
pub(crate) fn until<L: Lanes8>([now, then]: [L; 2], c: L, span: f32) -> L {
    let zero = L::splat(0.0);
    // In parts of the span: now + slope·x + curve·x².
    let curve = c.mul(L::splat(0.5 * span * span));
    let slope = then.sub(now).sub(curve);
    let square = slope.mul(slope);
    let under = square.sub(now.mul(curve).mul(L::splat(4.0)));
    // What rounding may have done, in favour of a root.
    let none = L::splat(0.0).gt_mask(square.mul_add(L::splat(1e-5), under));
    let root = now.add(now).div(under.max(zero).sqrt().sub(slope));
    let lasts = root.mul(L::splat(span * (1.0 - 1e-5)));
    // No root: a slope upward, a parabola that stays above, or a root after the span.
    let infinite = L::splat(f32::INFINITY);
    let lasts = infinite.select(none, lasts);
    let lasts = infinite.select(zero.le_mask(slope), lasts);
    let lasts = lasts.select(L::splat(span).gt_mask(lasts), infinite);
    // If it is closed at the end there is a root, whatever rounding made of it.
    let lasts = lasts.select(then.gt_mask(zero), lasts.min(L::splat(span * (1.0 - 1e-5))));
    // What is not a number is not apart.
    let known = L::and(c.le_mask(infinite), then.le_mask(infinite));
    lasts.select(L::and(now.gt_mask(zero), known), zero)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::obb::tests::{any_boxes, any_way, numbers};
    use proptest::prelude::*;

    pub(crate) fn any_swing() -> impl Strategy<Value = Swing> {
        let vector = || prop::array::uniform3(numbers());
        (vector(), numbers(), vector()).prop_map(|(spin, rate, pivot)| Swing { spin, rate, pivot })
    }

    pub(crate) fn any_grid() -> impl Strategy<Value = Grid> {
        let cell = || prop_oneof![(0..65536u32).prop_map(|x| x as f32), Just(f32::INFINITY)];
        let cells = prop::sample::select(vec![64.0, 1024.0, 65536.0]);
        (cells, 0..65536u32, 0.0..65536.0f32, cell()).prop_map(|(cells, start, end, again)| Grid {
            cells,
            start: start as f32,
            end,
            again,
        })
    }

    #[test]
    fn times_are_rounded_down_to_cells() {
        let grid = Grid { cells: 64.0, start: 3.0, end: 40.0, again: 20.0 };
        let none = f32::INFINITY;
        let lasts = [0.0, f32::NAN, 1.0 / 64.0, 2.5 / 64.0, 37.5 / 64.0, none, 0.0, -1.0];
        let ids = [0, 1, 2, 3, 4, 5, u32::MAX, 7];
        let outlook = Outlook::of(Scalar8::load(&lasts), &ids, &grid);
        assert_eq!(outlook.apart, [3.0, 3.0, 3.0, 5.0, none, 20.0, none, 3.0]);
        assert_eq!((outlook.due, outlook.again), (0b1000_0111, 0b10_0000));
    }

    #[cfg(target_arch = "x86_64")]
    proptest! {
        /// Whether they are right is tested where motions are at hand, in the crate above.
        #[test]
        fn both_forms_agree_bit_for_bit(
            boxes in any_boxes().boxed(), others in any_boxes().boxed(), lane in 0..8usize,
            start in any_way().boxed(), end in any_way().boxed(),
            swings in prop::array::uniform2(any_swing()).boxed(),
            turn in prop::array::uniform3(prop::array::uniform3(numbers())),
            (margin, span) in (numbers(), prop_oneof![0.0..1.0f32, numbers()]),
            grid in any_grid(),
        ) {
            let Some(proof) = crate::lanes32::Avx2::detect() else { return Ok(()) };
            let drive =
                Drive { ways: [&start, &end], swings: &swings, turn: &turn, margin, span, grid };
            let source = Source { boxes: &others, lane };
            let scalar = last::<Scalar8>(&source, &boxes, &drive);
            prop_assert_eq!(scalar, x86::lasts(proof, &source, &boxes, &drive));
        }
    }
}
