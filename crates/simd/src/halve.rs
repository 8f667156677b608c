//! Up to 64 points into two halves, along the axis that leaves the least surface around them.
//!
//! No sorting: how many points lie before a point is counted for each point, which has no branches
//! and is done eight points at a time.

use crate::lanes32::{Lanes8, Scalar8};
use crate::vec3::Vec3;

/// So many points at most.
pub const COUNT_MAX: usize = 64;

/// Points, column by column.
pub type Columns = [[f32; COUNT_MAX]; 3];

/// The points that come first, as bits: `middle` of the first `count` points.
///
/// Points at the same place, or apart by less than 2⁻¹⁷ of the way from the first to the last, are
/// taken as they come. The cost of a half is the surface of the box around it times the number of its
/// points.
#[inline]
pub fn halve(points: &Columns, count: usize, middle: usize) -> u64 {
    assert!((1..=COUNT_MAX).contains(&count) && (1..count).contains(&middle));
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::halve(proof, points, count, middle);
    }
    halve_all::<Scalar8>(points, count, middle)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn halve(_: Avx2, points: &Columns, count: usize, middle: usize) -> u64 {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(points: &Columns, count: usize, middle: usize) -> u64 {
            super::halve_all::<Avx8>(points, count, middle)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(points, count, middle) }
    }
}

const BLOCKS: usize = COUNT_MAX / 8;
/// Half of all blocks: so many can be counted for at a time in registers.
const TOGETHER: usize = BLOCKS / 2;
const NUMBERS: [f32; 8] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

/// Numbers for all points, eight by eight.
type All<L> = [L; BLOCKS];

#[inline(always)]
fn halve_all<L: Lanes8>(points: &Columns, count: usize, middle: usize) -> u64 {
    let columns = [
        column::<L>(&points[0], count),
        column::<L>(&points[1], count),
        column::<L>(&points[2], count),
    ];
    let size = [count as f32, middle as f32];
    let mut best = (f32::INFINITY, 0);
    for k in 0..3 {
        let ranks = ranks(&keys(&columns[k], count), count);
        let cost = cost(&columns, &ranks, size);
        if k == 0 || cost < best.0 {
            let mut first = 0;
            for ranks in &ranks {
                // The eight go in at the top and those before them move down.
                first = first >> 8 | u64::from(ranks.lt(L::splat(size[1]))) << 56;
            }
            best = (cost, first);
        }
    }
    // What follows the last point repeats it, and is left out here.
    best.1 & (u64::MAX >> (COUNT_MAX - count))
}

/// The coordinates; the last is repeated to the end.
#[inline(always)]
fn column<L: Lanes8>(points: &[f32; COUNT_MAX], count: usize) -> All<L> {
    let mut column = [L::splat(points[count - 1]); BLOCKS];
    for block in 0..BLOCKS {
        let mut eight = column[block].store();
        for lane in 0..8 {
            if 8 * block + lane < count {
                eight[lane] = points[8 * block + lane];
            }
        }
        column[block] = L::load(&eight);
    }
    column
}

/// Integers that rise with the coordinates, all different but for the repeated point: 17 bits for
/// the place, six for the number of the point.
#[inline(always)]
fn keys<L: Lanes8>(column: &All<L>, count: usize) -> All<L> {
    let zero = L::splat(0.0);
    let (mut low, mut high) = (column[0], zero.sub(column[0]));
    for x in &column[1..] {
        low = x.min(low);
        high = zero.sub(*x).min(high);
    }
    let low = low.least();
    let range = zero.sub(high.least()).sub(low).store()[0];
    let scale = L::splat(if range > 0.0 { 131_072.0 / range } else { 0.0 });
    // Adding it leaves no bits for fractions.
    let whole = L::splat(8_388_608.0);
    let mut keys = [zero; BLOCKS];
    for block in 0..BLOCKS {
        let place = column[block].sub(low).mul(scale).add(whole).sub(whole);
        let number = L::load(&NUMBERS).add(L::splat(8.0 * block as f32));
        let number = number.min(L::splat(count as f32 - 1.0));
        keys[block] = place.mul(L::splat(64.0)).add(number);
    }
    keys
}

/// How many of the first `count` keys are less, for each.
#[inline(always)]
fn ranks<L: Lanes8>(keys: &All<L>, count: usize) -> All<L> {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let mut stored = [[0.0; 8]; BLOCKS];
    for block in 0..BLOCKS {
        stored[block] = keys[block].store();
    }
    let flat = stored.as_flattened();
    let mut ranks = [zero; BLOCKS];
    for half in 0..2 {
        let start = half * TOGETHER;
        if 8 * start >= count {
            // Repetitions of a point that is not among these.
            for block in 0..TOGETHER {
                ranks[start + block] = ranks[(count - 1) / 8];
            }
            break;
        }
        let own = &keys[start..start + TOGETHER];
        let mut less = [zero; TOGETHER];
        for key in &flat[..count] {
            let key = L::splat(*key);
            for block in 0..TOGETHER {
                less[block] = less[block].add(one.select(own[block].gt_mask(key), zero));
            }
        }
        ranks[start..start + TOGETHER].copy_from_slice(&less);
    }
    ranks
}

/// What the halves cost that ranks below and from the middle make; the number of all points and the
/// middle are given.
#[inline(always)]
fn cost<L: Lanes8>(columns: &[All<L>; 3], ranks: &All<L>, [count, middle]: [f32; 2]) -> f32 {
    let (zero, none) = (L::splat(0.0), L::splat(f32::INFINITY));
    // What is least, and what is least of the opposites, in either half.
    let mut low: [Vec3<L>; 2] = [[none; 3]; 2];
    let mut high: [Vec3<L>; 2] = [[none; 3]; 2];
    let last = L::splat(middle - 1.0);
    for block in 0..(count as usize).div_ceil(8) {
        let in_rest = ranks[block].gt_mask(last);
        for k in 0..3 {
            let (x, back) = (columns[k][block], zero.sub(columns[k][block]));
            low[0][k] = none.select(in_rest, x).min(low[0][k]);
            low[1][k] = x.select(in_rest, none).min(low[1][k]);
            high[0][k] = none.select(in_rest, back).min(high[0][k]);
            high[1][k] = back.select(in_rest, none).min(high[1][k]);
        }
    }
    surface(low[0], high[0]) * middle + surface(low[1], high[1]) * (count - middle)
}

#[inline(always)]
fn surface<L: Lanes8>(low: Vec3<L>, high: Vec3<L>) -> f32 {
    let x = low[0].least().add(high[0].least()).store()[0];
    let y = low[1].least().add(high[1].least()).store()[0];
    let z = low[2].least().add(high[2].least()).store()[0];
    // The sides are negative, all of them, and products of two are not.
    x * y + y * z + z * x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points() -> impl Strategy<Value = Vec<[f32; 3]>> {
        let steps = prop_oneof![0..=60_000u16, (0..4u16).prop_map(|x| x * 20_000)];
        let number = steps.prop_map(|x| 1.0 + f32::from(x) / 30_000.0);
        prop::collection::vec(prop::array::uniform3(number), 2..=COUNT_MAX)
    }

    /// By sorting, as the definition says.
    fn by_sorting(points: &[[f32; 3]], middle: usize, axis: usize) -> (f64, u64) {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&i, &j| points[i][axis].total_cmp(&points[j][axis]));
        let surface = |half: &[usize]| {
            let [x, y, z] = [0, 1, 2].map(|k| {
                let along = || half.iter().map(|&i| f64::from(points[i][k]));
                along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min)
            });
            (x * y + y * z + z * x) * half.len() as f64
        };
        let (first, rest) = order.split_at(middle);
        (surface(first) + surface(rest), first.iter().map(|&i| 1 << i).sum())
    }

    proptest! {
        #[test]
        fn the_best_of_three_sorted_halves_is_found(points in points(), share in 0.0..1.0f64) {
            let count = points.len();
            let middle = 1 + (share * (count - 1) as f64) as usize;
            let mut columns: Columns = [[f32::NAN; COUNT_MAX]; 3];
            for (i, point) in points.iter().enumerate() {
                (0..3).for_each(|k| columns[k][i] = point[k]);
            }
            let found = halve(&columns, count, middle);
            prop_assert_eq!(found, halve_all::<Scalar8>(&columns, count, middle));
            let halves = [0, 1, 2].map(|axis| by_sorting(&points, middle, axis));
            let least = halves.iter().map(|half| half.0).fold(f64::MAX, f64::min);
            let same = |half: &(f64, u64)| half.1 == found && half.0 <= least * 1.000_01 + 1e-12;
            prop_assert!(halves.iter().any(same));
        }
    }
}
