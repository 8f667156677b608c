//! Pairs of extents that overlap, looked for pixel by pixel. Each pair comes once: in the pixel of the
//! greater of both lowest columns and the greater of both lowest rows, which both of them reach.

use super::grid::Cells;
use super::{Extent, facing};
#[cfg(target_arch = "x86_64")]
use crate::lanes32::{Avx2, Avx8};
use crate::lanes32::{Lanes8, Scalar8};

/// The extents of one body by pixel.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    width: usize,
    /// Where the list of each pixel ends; while they are filled, where the next one goes.
    ends: Vec<u32>,
    /// The lanes of no axis tell whether the pixel is in its lowest column and in its lowest row: 0 if it
    /// is, else 1.
    extents: Vec<Extent>,
    names: Vec<u32>,
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
            total += std::mem::replace(end, total);
        }
        self.extents.resize(total as usize, [0.0; 8]);
        self.names.resize(total as usize, 0);
        for ((extent, &name), cells) in extents.iter().zip(names).zip(cells) {
            let [left, bottom, right, top] = corners(cells);
            let mut extent = *extent;
            for y in bottom..=top {
                (extent[3], extent[7]) = (0.0, if y == bottom { 0.0 } else { 1.0 });
                for next in &mut self.ends[y * width + left..=y * width + right] {
                    self.extents[*next as usize] = extent;
                    self.names[*next as usize] = name;
                    *next += 1;
                    extent[3] = 1.0;
                }
            }
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
            let mut most = facing(extent);
            let [left, bottom, right, top] = corners(cells);
            for y in bottom..=top {
                // A pair is here if the column is the lowest of one of the two, and the row as well.
                (most[3], most[7]) = (1.0, if y == bottom { 1.0 } else { 0.0 });
                for x in left..=right {
                    let pixel = y * self.width + x;
                    let start = if pixel == 0 { 0 } else { self.ends[pixel - 1] as usize };
                    let listed = start..self.ends[pixel] as usize;
                    looked += listed.len() as u64;
                    let all = self.extents[listed.clone()].iter().zip(&self.names[listed]);
                    keep::<L>((L::load(&most), name), all, out);
                    most[3] = 0.0;
                }
            }
        }
        looked
    }
}

/// Adds those that are not above `most`. Each is written and then kept or not: which ones overlap is as
/// good as random.
#[inline(always)]
fn keep<'a, L: Lanes8>(
    (most, name): (L, u32),
    all: impl ExactSizeIterator<Item = (&'a Extent, &'a u32)>,
    out: &mut Vec<[u32; 2]>,
) {
    let before = out.len();
    out.resize(before + all.len(), [0; 2]);
    let (room, mut kept) = (&mut out[before..], 0);
    for (extent, &other) in all {
        room[kept] = [other, name];
        kept += usize::from(L::load(extent).le(most) == 0xff);
    }
    out.truncate(before + kept);
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
