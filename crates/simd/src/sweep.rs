//! Boxes sorted by their lower ends on one axis: each against those that start before it ends.
//!
//! On the other two axes boxes are first compared 32 at a time in bytes: any function from numbers to
//! bytes that never falls keeps what overlaps overlapping, and where it tells boxes apart they are.
//! The few that pass are tested as they are, eight at a time. Blocks are aligned, so the first block
//! of a row may hold boxes that were before it; their lanes are cut off.

use crate::lanes32::{Lanes8, Scalar8};
use std::ops::Range;

/// Eight boxes, `[coordinate][lane]`. The first coordinate is the one they are sorted by. Lanes
/// behind the last box hold NaN and meet nothing.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boxes8 {
    /// Lower corners.
    pub low: [[f32; 8]; 3],
    /// Upper corners.
    pub high: [[f32; 8]; 3],
}

impl Boxes8 {
    /// No boxes.
    pub const NONE: Self = Self { low: [[f32::NAN; 8]; 3], high: [[f32::NAN; 8]; 3] };
}

/// The second and third coordinate of 32 boxes in bytes, `[coordinate][lane]`.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coarse32 {
    /// Of lower corners.
    pub low: [[u8; 32]; 2],
    /// Of upper corners.
    pub high: [[u8; 32]; 2],
}

impl Coarse32 {
    /// No boxes.
    pub const NONE: Self = Self { low: [[u8::MAX; 32]; 2], high: [[0; 32]; 2] };
}

/// Sorted boxes and what they are called.
#[derive(Clone, Copy, Debug)]
pub struct Sorted<'a> {
    /// The boxes, `low[0]` never falling. Four blocks for each of the coarse ones.
    pub blocks: &'a [Boxes8],
    /// The same boxes in bytes, by functions that never fall.
    pub coarse: &'a [Coarse32],
    /// One name per box.
    pub names: &'a [u32],
}

/// The pairs of names whose closed boxes overlap, box `i` of `rows` with those behind it.
///
/// Appends to `out`, and stops after a row when that has `stop` pairs or more. Returns the first
/// row that is not done.
pub fn pairs(
    sorted: &Sorted<'_>,
    rows: Range<usize>,
    stop: usize,
    out: &mut Vec<[u32; 2]>,
) -> usize {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::pairs(proof, sorted, (rows, stop), out);
    }
    run::<Scalar8, ScalarFilter>(sorted, (rows, stop), out)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};
    use std::arch::x86_64::*;

    // SAFETY, for all blocks below: the intrinsics need AVX2, and filters are made only in `run` as
    // compiled for it; arrays of 32 bytes are as many readable bytes, and loads are unaligned.
    macro_rules! avx {
        ($operation:expr) => {
            // SAFETY: see above the macro.
            unsafe { $operation }
        };
    }

    /// The AVX2 form.
    #[derive(Clone, Copy)]
    struct AvxFilter {
        low: [__m256i; 2],
        high: [__m256i; 2],
    }

    impl Filter for AvxFilter {
        #[inline(always)]
        fn of(block: &Coarse32, lane: usize) -> Self {
            let [low_y, low_z] = [block.low[0][lane] as i8, block.low[1][lane] as i8];
            let [high_y, high_z] = [block.high[0][lane] as i8, block.high[1][lane] as i8];
            Self {
                low: [avx!(_mm256_set1_epi8(low_y)), avx!(_mm256_set1_epi8(low_z))],
                high: [avx!(_mm256_set1_epi8(high_y)), avx!(_mm256_set1_epi8(high_z))],
            }
        }

        #[inline(always)]
        fn passes(&self, block: &Coarse32) -> u32 {
            let mut apart = avx!(_mm256_setzero_si256());
            for k in 0..2 {
                let low = avx!(_mm256_loadu_si256(block.low[k].as_ptr().cast()));
                let high = avx!(_mm256_loadu_si256(block.high[k].as_ptr().cast()));
                // A difference that stops at zero is zero where the first is not more.
                let behind = avx!(_mm256_subs_epu8(low, self.high[k]));
                let before = avx!(_mm256_subs_epu8(self.low[k], high));
                apart = avx!(_mm256_or_si256(apart, _mm256_or_si256(behind, before)));
            }
            let meets = avx!(_mm256_cmpeq_epi8(apart, _mm256_setzero_si256()));
            avx!(_mm256_movemask_epi8(meets)) as u32
        }
    }

    pub(super) fn pairs(
        _: Avx2,
        sorted: &Sorted<'_>,
        task: (Range<usize>, usize),
        out: &mut Vec<[u32; 2]>,
    ) -> usize {
        #[target_feature(enable = "avx2")]
        fn compiled(
            sorted: &Sorted<'_>,
            task: (Range<usize>, usize),
            out: &mut Vec<[u32; 2]>,
        ) -> usize {
            run::<Avx8, AvxFilter>(sorted, task, out)
        }
        // SAFETY: `Avx2` proves that the CPU has AVX2.
        unsafe { compiled(sorted, task, out) }
    }
}

/// One box in bytes, against 32.
trait Filter: Copy {
    /// The box in that lane.
    fn of(block: &Coarse32, lane: usize) -> Self;
    /// The boxes that it may overlap, lane `k` as bit `k`.
    fn passes(&self, block: &Coarse32) -> u32;
}

/// The portable form.
#[derive(Clone, Copy)]
struct ScalarFilter {
    low: [u8; 2],
    high: [u8; 2],
}

impl Filter for ScalarFilter {
    #[inline(always)]
    fn of(block: &Coarse32, lane: usize) -> Self {
        Self {
            low: [block.low[0][lane], block.low[1][lane]],
            high: [block.high[0][lane], block.high[1][lane]],
        }
    }

    #[inline(always)]
    fn passes(&self, block: &Coarse32) -> u32 {
        let mut bits = 0;
        for lane in 0..32 {
            let mut meets = true;
            for k in 0..2 {
                meets &= block.low[k][lane] <= self.high[k] && self.low[k] <= block.high[k][lane];
            }
            bits |= u32::from(meets) << lane;
        }
        bits
    }
}

#[inline(always)]
fn run<L: Lanes8, F: Filter>(
    sorted: &Sorted<'_>,
    (rows, stop): (Range<usize>, usize),
    out: &mut Vec<[u32; 2]>,
) -> usize {
    for row in rows.start..rows.end {
        if out.len() >= stop {
            return row;
        }
        let own = Row::<L>::of(&sorted.blocks[row / 8], row % 8);
        let first = row / 32;
        let filter = F::of(&sorted.coarse[first], row % 32);
        // Only what comes after it in its own block.
        let mut behind = 0xffff_fffe << (row % 32);
        for (k, coarse) in sorted.coarse[first..].iter().enumerate() {
            let blocks = &sorted.blocks[(first + k) * 4..][..4];
            if blocks[0].low[0][0] > own.end {
                break;
            }
            let mut candidates = filter.passes(coarse) & behind;
            behind = u32::MAX;
            while candidates != 0 {
                let eighth = candidates.trailing_zeros() as usize / 8;
                let lanes = (candidates >> (8 * eighth)) as u8;
                candidates &= !(0xff << (8 * eighth));
                let mut hits = own.meets(&blocks[eighth]) & lanes;
                while hits != 0 {
                    let other = (first + k) * 32 + eighth * 8 + hits.trailing_zeros() as usize;
                    out.push([sorted.names[row], sorted.names[other]]);
                    hits &= hits - 1;
                }
            }
        }
    }
    rows.end
}

/// One box, in all lanes.
struct Row<L> {
    end: f32,
    low: [L; 2],
    high: [L; 3],
}

impl<L: Lanes8> Row<L> {
    #[inline(always)]
    fn of(block: &Boxes8, lane: usize) -> Self {
        let (low, high) = (&block.low, &block.high);
        Self {
            end: high[0][lane],
            low: [L::splat(low[1][lane]), L::splat(low[2][lane])],
            high: [L::splat(high[0][lane]), L::splat(high[1][lane]), L::splat(high[2][lane])],
        }
    }

    /// Boxes that start neither before it nor, on any axis, away from it.
    #[inline(always)]
    fn meets(&self, block: &Boxes8) -> u8 {
        let [x, y, z] = &block.low;
        let starts = L::and(L::load(x).le_mask(self.high[0]), L::load(y).le_mask(self.high[1]));
        let starts = L::and(starts, L::load(z).le_mask(self.high[2]));
        let [_, y, z] = &block.high;
        let ends = L::and(self.low[0].le_mask(L::load(y)), self.low[1].le_mask(L::load(z)));
        L::bits(L::and(starts, ends))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f32> {
        prop_oneof![
            20 => (-4i8..5).prop_map(f32::from),
            1 => Just(f32::INFINITY),
            1 => Just(f32::NEG_INFINITY),
        ]
    }

    fn boxes() -> impl Strategy<Value = Vec<[[f32; 3]; 2]>> {
        let corner = || prop::array::uniform3(number());
        prop::collection::vec((corner(), corner()), 0..90).prop_map(|corners| {
            let ordered = |(a, b): ([f32; 3], [f32; 3])| {
                [0, 1].map(|end| {
                    std::array::from_fn(|k| if end == 0 { a[k].min(b[k]) } else { a[k].max(b[k]) })
                })
            };
            let mut boxes: Vec<_> = corners.into_iter().map(ordered).collect();
            boxes.sort_by(|a: &[[f32; 3]; 2], b| a[0][0].total_cmp(&b[0][0]));
            boxes
        })
    }

    proptest! {
        #[test]
        fn both_forms_agree_with_the_definition(
            boxes in boxes(), stop in 0usize..200,
            scale in prop::sample::select(vec![0.1, 1.0, 50.0]),
        ) {
            let count = boxes.len().div_ceil(32);
            let mut blocks = vec![Boxes8::NONE; 4 * count];
            let mut coarse = vec![Coarse32::NONE; count];
            for (i, [low, high]) in boxes.iter().enumerate() {
                for k in 0..2 {
                    // From one cell per number to all numbers in one cell.
                    let byte = |x: f32| (scale * x + 100.0) as u8;
                    coarse[i / 32].low[k][i % 32] = byte(low[k + 1]);
                    coarse[i / 32].high[k][i % 32] = byte(high[k + 1]);
                }
                for k in 0..3 {
                    blocks[i / 8].low[k][i % 8] = low[k];
                    blocks[i / 8].high[k][i % 8] = high[k];
                }
            }
            let names: Vec<u32> = (0..boxes.len() as u32).map(|i| 1000 + i).collect();
            let mut expected = Vec::new();
            let mut done = 0;
            while done < boxes.len() && expected.len() < stop {
                let [low, high] = boxes[done];
                for (other, b) in boxes.iter().enumerate().skip(done + 1) {
                    if (0..3).all(|k| low[k] <= b[1][k] && b[0][k] <= high[k]) {
                        expected.push([names[done], names[other]]);
                    }
                }
                done += 1;
            }
            let sorted = Sorted { blocks: &blocks, coarse: &coarse, names: &names };
            let mut out = Vec::new();
            prop_assert_eq!(pairs(&sorted, 0..boxes.len(), stop, &mut out), done);
            prop_assert_eq!(&out, &expected);
            out.clear();
            let task = (0..boxes.len(), stop);
            prop_assert_eq!(run::<Scalar8, ScalarFilter>(&sorted, task, &mut out), done);
            prop_assert_eq!(&out, &expected);
        }
    }
}
