//! Boxes sorted by their lower ends on one axis: each against those that start before it ends.
//!
//! Eight boxes at a time. Blocks are aligned, so the first block of a row may hold boxes that were
//! before it; their lanes are cut off.

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

/// Sorted boxes and what they are called.
#[derive(Clone, Copy, Debug)]
pub struct Sorted<'a> {
    /// The boxes, `low[0]` never falling.
    pub blocks: &'a [Boxes8],
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
    run::<Scalar8>(sorted, (rows, stop), out)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

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
            run::<Avx8>(sorted, task, out)
        }
        // SAFETY: `Avx2` proves that the CPU has AVX2.
        unsafe { compiled(sorted, task, out) }
    }
}

#[inline(always)]
fn run<L: Lanes8>(
    sorted: &Sorted<'_>,
    (rows, stop): (Range<usize>, usize),
    out: &mut Vec<[u32; 2]>,
) -> usize {
    for row in rows.start..rows.end {
        if out.len() >= stop {
            return row;
        }
        let (first, lane) = (row / 8, row % 8);
        let own = Row::<L>::of(&sorted.blocks[first], lane);
        // Only what comes after it in its own block.
        let mut behind = 0xfe << lane;
        for (k, block) in sorted.blocks[first..].iter().enumerate() {
            if block.low[0][0] > own.end {
                break;
            }
            let mut hits = own.meets(block) & behind as u8;
            behind = 0xff;
            while hits != 0 {
                let other = (first + k) * 8 + hits.trailing_zeros() as usize;
                out.push([sorted.names[row], sorted.names[other]]);
                hits &= hits - 1;
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
        prop::collection::vec((corner(), corner()), 0..40).prop_map(|corners| {
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
        fn both_forms_agree_with_the_definition(boxes in boxes(), stop in 0usize..60) {
            let mut blocks = vec![Boxes8::NONE; boxes.len().div_ceil(8)];
            for (i, [low, high]) in boxes.iter().enumerate() {
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
            let sorted = Sorted { blocks: &blocks, names: &names };
            let mut out = Vec::new();
            prop_assert_eq!(pairs(&sorted, 0..boxes.len(), stop, &mut out), done);
            prop_assert_eq!(&out, &expected);
            out.clear();
            prop_assert_eq!(run::<Scalar8>(&sorted, (0..boxes.len(), stop), &mut out), done);
            prop_assert_eq!(&out, &expected);
        }
    }
}
