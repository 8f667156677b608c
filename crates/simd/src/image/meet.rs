//! Pairs of extents that overlap, looked for pixel by pixel. Each pair comes once: in the pixel of the
//! greater of both lowest columns and the greater of both lowest rows, which both of them reach.

use super::grid::Cells;
use super::{Extent, facing};
#[cfg(target_arch = "x86_64")]
use crate::lanes32::{Avx2, Avx8};
use crate::lanes32::{Lanes8, Scalar8};
use std::ops::Range;

/// The extents of one body by pixel, eight to a block: all their first numbers, all their second numbers
/// and so on. The numbers of no axis tell whether the pixel is in the lowest column and in the lowest row
/// of the extent: 0 if it is, else 1. What a block does not fill has first numbers above all others.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    width: usize,
    /// By pixel: where the next extent goes while lists are filled, and then the blocks' end.
    ends: Vec<u32>,
    blocks: Vec<[[f32; 8]; 8]>,
    names: Vec<[u32; 8]>,
}

impl Lists {
    /// Puts extents into the lists of all pixels they reach, of an image so wide and high.
    pub fn fill(
        &mut self,
        (width, height): (usize, usize),
        (extents, names): (&[Extent], &[u32]),
        cells: &[Cells],
    ) {
        self.width = width;
        self.ends.clear();
        self.ends.resize(width * height, 0);
        for cells in cells {
            let [left, bottom, right, top] = corners(cells);
            for y in bottom..=top {
                for count in &mut self.ends[y * width + left..=y * width + right] {
                    *count += 1;
                }
            }
        }
        let mut total = 0;
        for end in &mut self.ends {
            total += std::mem::replace(end, 8 * total).div_ceil(8);
        }
        self.blocks.resize(total as usize, [[0.0; 8]; 8]);
        self.names.resize(total as usize, [0; 8]);
        for block in &mut self.blocks {
            block[0] = [f32::INFINITY; 8];
        }
        for ((extent, &name), cells) in extents.iter().zip(names).zip(cells) {
            let [left, bottom, right, top] = corners(cells);
            let mut extent = *extent;
            for y in bottom..=top {
                (extent[3], extent[7]) = (0.0, if y == bottom { 0.0 } else { 1.0 });
                for next in &mut self.ends[y * width + left..=y * width + right] {
                    let (block, place) = (*next as usize / 8, *next as usize % 8);
                    for (numbers, x) in self.blocks[block].iter_mut().zip(extent) {
                        numbers[place] = x;
                    }
                    self.names[block][place] = name;
                    *next += 1;
                    extent[3] = 1.0;
                }
            }
        }
        for end in &mut self.ends {
            *end = end.div_ceil(8);
        }
    }

    /// Adds the pairs of a listed extent and one of these that overlap, and tells how many pairs were
    /// looked at.
    pub fn meet(
        &self,
        (extents, names): (&[Extent], &[u32]),
        cells: &[Cells],
        out: &mut Vec<[u32; 2]>,
    ) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            return unsafe { self.meet_avx2((extents, names), cells, out) };
        }
        self.meet_any::<Scalar8>((extents, names), cells, out)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn meet_avx2(
        &self,
        (extents, names): (&[Extent], &[u32]),
        cells: &[Cells],
        out: &mut Vec<[u32; 2]>,
    ) -> u64 {
        self.meet_any::<Avx8>((extents, names), cells, out)
    }

    #[inline(always)]
    fn meet_any<L: Lanes8>(
        &self,
        (extents, names): (&[Extent], &[u32]),
        cells: &[Cells],
        out: &mut Vec<[u32; 2]>,
    ) -> u64 {
        let mut looked = 0;
        for ((extent, &name), cells) in extents.iter().zip(names).zip(cells) {
            let [a, b, c, _, e, f, g, _] = facing(extent);
            let [a, b, c] = [L::splat(a), L::splat(b), L::splat(c)];
            let [e, f, g] = [L::splat(e), L::splat(f), L::splat(g)];
            let mut most = [a, b, c, a, e, f, g, e];
            let [left, bottom, right, top] = corners(cells);
            for y in bottom..=top {
                // A pair is here if the column is the lowest of one of the two, and the row as well.
                (most[3], most[7]) = (L::splat(1.0), L::splat(if y == bottom { 1.0 } else { 0.0 }));
                let row = y * self.width;
                let first = self.blocks_of(row + left..row + left + 1);
                let others = first.end..self.ends[row + right] as usize;
                looked += 8 * (others.end - first.start) as u64;
                self.keep(first, (&most, name), out);
                most[3] = L::splat(0.0);
                self.keep(others, (&most, name), out);
            }
        }
        looked
    }

    /// The blocks of pixels.
    #[inline(always)]
    fn blocks_of(&self, pixels: Range<usize>) -> Range<usize> {
        let start = if pixels.start == 0 { 0 } else { self.ends[pixels.start - 1] as usize };
        start..self.ends[pixels.end - 1] as usize
    }

    /// Adds those of some blocks that are not above `most`.
    #[inline(always)]
    fn keep<L: Lanes8>(
        &self,
        blocks: Range<usize>,
        (most, name): (&[L; 8], u32),
        out: &mut Vec<[u32; 2]>,
    ) {
        for (block, names) in self.blocks[blocks.clone()].iter().zip(&self.names[blocks]) {
            let mut found = overlapping(block, most);
            while found != 0 {
                out.push([names[found.trailing_zeros() as usize], name]);
                found &= found - 1;
            }
        }
    }
}

/// Which extents of a block are not above `most`, as bits.
#[inline(always)]
fn overlapping<L: Lanes8>(block: &[[f32; 8]; 8], most: &[L; 8]) -> u8 {
    // Without closures, which may not be inlined here.
    let mut all = L::load(&block[0]).le_mask(most[0]);
    for k in 1..8 {
        all = L::and(all, L::load(&block[k]).le_mask(most[k]));
    }
    L::bits(all)
}

#[inline(always)]
fn corners(cells: &Cells) -> [usize; 4] {
    [cells[0], cells[1], cells[4], cells[5]].map(usize::from)
}

#[cfg(test)]
mod tests {
    use super::super::grid::Raster;
    use super::super::overlap;
    use super::*;
    use proptest::prelude::*;

    fn extent() -> impl Strategy<Value = Extent> {
        let end = || (-8i8..9).prop_map(|x| f32::from(x) / 8.0);
        prop::array::uniform3((end(), end())).prop_map(|ends| {
            let low = ends.map(|(a, b)| a.min(b));
            let high = ends.map(|(a, b)| a.max(b));
            [low[0], low[1], low[2], 0.0, -high[0], -high[1], -high[2], 0.0]
        })
    }

    proptest! {
        #[test]
        fn each_pair_comes_once(
            a in prop::collection::vec(extent(), 0..20),
            b in prop::collection::vec(extent(), 0..20),
            around in extent(),
            count in (1..20u16, 1..20u16),
        ) {
            let raster = Raster::of(&around, [count.0, count.1, 1]);
            let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
            raster.cells(&a, &mut of_a);
            raster.cells(&b, &mut of_b);
            let names: Vec<u32> = (0..20).map(|i| 3 * i).collect();
            let mut lists = Lists::default();
            let size = (usize::from(count.0), usize::from(count.1));
            lists.fill(size, (&a, &names[..a.len()]), &of_a);
            let (mut wide, mut twin) = (Vec::new(), Vec::new());
            lists.meet((&b, &names[..b.len()]), &of_b, &mut wide);
            lists.meet_any::<Scalar8>((&b, &names[..b.len()]), &of_b, &mut twin);
            prop_assert_eq!(&wide, &twin);
            wide.sort_unstable();
            let all = a.iter().enumerate().flat_map(|(i, one)| {
                let meets = b.iter().enumerate().filter(|(_, other)| overlap(one, other));
                meets.map(move |(j, _)| [3 * i as u32, 3 * j as u32])
            });
            prop_assert_eq!(wide, all.collect::<Vec<_>>());
        }
    }
}
