//! Eight triangles against eight, all on their ways: for how long they stay apart for certain.
//!
//! As [`crate::obb::travel`], with corners instead of boxes. First each triangle is held against the
//! other leaf's box, which leaves a few; then a triangle against eight. Directions are the normals, the
//! axes of the box, and the line between the middles; what these leave open is for f64.

use crate::lanes32::{Lanes8, Scalar8};
use crate::leaf::{Corners, Facing, Leaves, U, corners_of};
use crate::obb::travel::{
    Drive, Outlook, Swing, bend, choose, lasting, reach, scaled, sign, turned, until,
};
use crate::vec3::{Vec3, cross, dot, dots, load, splat, sub};

/// For how long each triangle of A stays apart from the box of the leaf of B; infinite if for the whole
/// span. The drive is in the frame of A; the way of the leaves is the first of it.
#[inline]
pub fn sieve(leaves: &Leaves<'_>, drive: &Drive<'_>) -> Outlook {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::sieve(proof, leaves, drive);
    }
    sieve_all::<Scalar8>(leaves, drive)
}

/// For how long a triangle of A stays apart from each of B.
#[inline]
pub fn lasts(leaves: &Leaves<'_>, drive: &Drive<'_>, row: usize) -> Outlook {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::lasts(proof, leaves, drive, row);
    }
    last_row::<Scalar8>(leaves, drive, row)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn sieve(_: Avx2, leaves: &Leaves<'_>, drive: &Drive<'_>) -> Outlook {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(leaves: &Leaves<'_>, drive: &Drive<'_>) -> Outlook {
            crate::lanes32::align_frame();
            super::sieve_all::<Avx8>(leaves, drive)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(leaves, drive) }
    }

    #[inline]
    pub(super) fn lasts(_: Avx2, leaves: &Leaves<'_>, drive: &Drive<'_>, row: usize) -> Outlook {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(leaves: &Leaves<'_>, drive: &Drive<'_>, row: usize) -> Outlook {
            crate::lanes32::align_frame();
            super::last_row::<Avx8>(leaves, drive, row)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(leaves, drive, row) }
    }
}

/// Two leaves at the start and at the end, seen from the middle of A's box.
struct Trip<L> {
    facing: [Facing<L>; 2],
    /// As in [`Drive`], from that middle.
    swings: [Swing; 2],
    /// What is granted per length of a direction, at the start and at the end.
    slack: [L; 2],
}

impl<L: Lanes8> Trip<L> {
    #[inline(always)]
    fn of(leaves: &Leaves<'_>, drive: &Drive<'_>) -> Self {
        let facing = [
            Facing::<L>::of(&Leaves { way: drive.ways[0], ..*leaves }),
            Facing::<L>::of(&Leaves { way: drive.ways[1], ..*leaves }),
        ];
        let source = &leaves.boxes[0];
        let (c, lane) = (&source.boxes.center, source.lane & 7);
        let mut swings = *drive.swings;
        for swing in &mut swings {
            for (pivot, column) in swing.pivot.iter_mut().zip(c) {
                *pivot -= column[lane];
            }
        }
        let margin = L::splat(drive.margin);
        let slack = [grant(&facing[0], margin), grant(&facing[1], margin)];
        Self { facing, swings, slack }
    }

    /// The acceleration along a direction.
    #[inline(always)]
    fn bend(&self, n: Vec3<L>) -> L {
        let [a, b] = self.facing[0].half;
        let zero = [L::splat(0.0); 3];
        let of_a = bend(&self.swings[0], n, (zero, dot(a, a).sqrt()));
        bend(&self.swings[1], n, (self.facing[0].shift, dot(b, b).sqrt())).add(of_a)
    }
}

/// Both corners are off in each coordinate, √3 < 2; projections by some roundings of the size.
#[inline(always)]
fn grant<L: Lanes8>(facing: &Facing<L>, margin: L) -> L {
    facing.size.mul_add(L::splat(32.0 * U), facing.error.mul(L::splat(4.0)).add(margin))
}

#[inline(always)]
fn low<L: Lanes8>(n: Vec3<L>, corners: &Corners<L>) -> L {
    let [x, y, z] = dots(n, corners);
    x.min(y).min(z)
}

#[inline(always)]
fn high<L: Lanes8>(n: Vec3<L>, corners: &Corners<L>) -> L {
    let [x, y, z] = dots(n, corners);
    x.max(y).max(z)
}

/// Three times the middles.
#[inline(always)]
fn middles<L: Lanes8>([p, q, r]: &Corners<L>) -> Vec3<L> {
    [p[0].add(q[0]).add(r[0]), p[1].add(q[1]).add(r[1]), p[2].add(q[2]).add(r[2])]
}

#[inline(always)]
fn normals<L: Lanes8>([p, q, r]: &Corners<L>) -> Vec3<L> {
    cross(sub(*q, *p), sub(*r, *p))
}

/// A direction made of unit length, or less if it is tiny.
#[inline(always)]
fn unit<L: Lanes8>(n: Vec3<L>) -> Vec3<L> {
    // Above this the square is a normal number; below it directions only get shorter.
    let length = dot(n, n).sqrt().max(L::splat(1e-18));
    scaled(n, L::splat(1.0).div(length))
}

/// A box at one end of the span.
struct Block<'a, L> {
    axes: &'a [Vec3<L>; 3],
    half: Vec3<L>,
    center: Vec3<L>,
}

impl<L: Lanes8> Block<'_, L> {
    /// The gap from the box to the triangles along a direction.
    #[inline(always)]
    fn gap(&self, n: Vec3<L>, corners: &Corners<L>) -> L {
        low(n, corners).sub(dot(n, self.center)).sub(reach(n, self.axes, self.half))
    }
}

/// Triangles, which stay where they are, against a box, which is given at the start and at the end.
#[inline(always)]
fn against<L: Lanes8>(
    trip: &Trip<L>,
    corners: &Corners<L>,
    blocks: &[Block<'_, L>; 2],
    drive: &Drive<'_>,
) -> L {
    let between = sub(middles(corners), scaled(blocks[0].center, L::splat(3.0)));
    let step = sub(blocks[0].center, blocks[1].center);
    let mut best = unit(between);
    let mut now = blocks[0].gap(best, corners);
    let mut longest = lasting(now, best, step);
    for k in 0..4 {
        let axis = if k < 3 { blocks[0].axes[k] } else { unit(normals(corners)) };
        let axis = scaled(axis, sign(dot(axis, between)));
        let gap = blocks[0].gap(axis, corners);
        let time = lasting(gap, axis, step);
        let longer = time.gt_mask(longest);
        best = choose::<L>(longer, axis, best);
        now = gap.select(longer, now);
        longest = time.max(longest);
    }
    let then = blocks[1].gap(turned(best, drive.turn), corners);
    let ends = [now.sub(trip.slack[0]), then.sub(trip.slack[0]).sub(trip.slack[1])];
    until(ends, trip.bend(best), drive.span)
}

#[inline(always)]
fn sieve_all<L: Lanes8>(leaves: &Leaves<'_>, drive: &Drive<'_>) -> Outlook {
    let trip = Trip::<L>::of(leaves, drive);
    let [start, end] = &trip.facing;
    let a = &leaves.leaves[0].triangles;
    let mine = [load::<L>(&a[0]), load(&a[1]), load(&a[2])];
    let of_b = [
        Block { axes: &start.axes[1], half: start.half[1], center: start.shift },
        Block { axes: &end.axes[1], half: end.half[1], center: end.shift },
    ];
    let lasts = against(&trip, &mine, &of_b, drive);
    Outlook::of(lasts, &leaves.leaves[0].ids, &drive.grid)
}

#[inline(always)]
fn last_row<L: Lanes8>(leaves: &Leaves<'_>, drive: &Drive<'_>, row: usize) -> Outlook {
    let trip = Trip::<L>::of(leaves, drive);
    let [start, end] = &trip.facing;
    let [p, q, r] = corners_of(&leaves.leaves[0].triangles, row);
    let a = [splat::<L>(&p), splat(&q), splat(&r)];
    let between = sub(middles(&start.b), middles(&a));
    let step = scaled(sub(middles(&end.b), middles(&start.b)), L::splat(1.0 / 3.0));
    let mut best = unit(between);
    let mut now = low(best, &start.b).sub(high(best, &a));
    let mut longest = lasting(now, best, step);
    for axis in [unit(normals(&a)), unit(normals(&start.b))] {
        let axis = scaled(axis, sign(dot(axis, between)));
        let gap = low(axis, &start.b).sub(high(axis, &a));
        let time = lasting(gap, axis, step);
        let longer = time.gt_mask(longest);
        best = choose::<L>(longer, axis, best);
        now = gap.select(longer, now);
        longest = time.max(longest);
    }
    let m = turned(best, drive.turn);
    let then = low(m, &end.b).sub(high(m, &a));
    let ends = [now.sub(trip.slack[0]), then.sub(trip.slack[0]).sub(trip.slack[1])];
    let lasts = until(ends, trip.bend(best), drive.span);
    Outlook::of(lasts, &leaves.leaves[1].ids, &drive.grid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaf::tests::{any_leaves, numbers};
    use crate::obb::tests::any_way;
    use crate::obb::travel::tests::{any_grid, any_swing};
    use proptest::prelude::*;

    #[test]
    fn no_direction_is_made_longer_than_one() {
        for exponent in -45..20 {
            let n = [3.0, -2.0, 1.0].map(|x: f32| Scalar8::splat(x * 10f32.powi(exponent)));
            let [x, y, z] = unit(n).map(|x| f64::from(x.store()[0]));
            assert!(x * x + y * y + z * z <= 1.0 + 1e-6, "{exponent}");
        }
    }

    #[cfg(target_arch = "x86_64")]
    proptest! {
        #[test]
        fn both_forms_agree_bit_for_bit(
            leaves in any_leaves(), row in 0..8usize, end in any_way(),
            swings in prop::array::uniform2(any_swing()),
            turn in prop::array::uniform3(prop::array::uniform3(numbers())),
            (margin, span) in (numbers(), prop_oneof![0.0..1.0f32, numbers()]),
            grid in any_grid(),
        ) {
            let Some(proof) = crate::lanes32::Avx2::detect() else { return Ok(()) };
            let leaves = leaves.leaves();
            let ways = [leaves.way, &end];
            let drive = Drive { ways, swings: &swings, turn: &turn, margin, span, grid };
            let scalar = last_row::<Scalar8>(&leaves, &drive, row);
            prop_assert_eq!(scalar, x86::lasts(proof, &leaves, &drive, row));
            let scalar = sieve_all::<Scalar8>(&leaves, &drive);
            prop_assert_eq!(scalar, x86::sieve(proof, &leaves, &drive));
        }
    }
}
