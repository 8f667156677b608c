//! Extents to pixels and bins, and an image of bins: 64 bits of depth per pixel.

use super::{Extent, SIGNS};
#[cfg(target_arch = "x86_64")]
use crate::lanes32::{Avx2, Avx8};
use crate::lanes32::{Lanes8, Scalar8};

/// The pixels and bins that an extent reaches: lowest x, y and bin, 0, highest x, y and bin, 0.
pub type Cells = [u16; 8];

/// Where pixels and bins are. The number of one is `(x − origin) · scale`, rounded to the nearest whole
/// one and brought to within 0 and the last: never less for a greater x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Raster {
    /// The middle of the first pixel in the first bin.
    pub origin: [f32; 3],
    /// Pixels and bins per unit, finite and positive.
    pub scale: [f32; 3],
    /// The last column, the last row and the last bin, which is below 64.
    pub last: [u16; 3],
}

/// The most pixels along a side.
pub const PIXELS_MAX: u16 = 1024;

impl Raster {
    /// Of `count` columns, rows and bins that fill an extent which is not empty.
    pub fn of(extent: &Extent, count: [u16; 3]) -> Self {
        let (mut origin, mut scale) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            let (low, high) = (extent[k], -extent[k + 4]);
            // It may be flat; then all is in one pixel.
            let width = (high - low).max(f32::MIN_POSITIVE * 1e8);
            scale[k] = f32::from(count[k]) / width;
            origin[k] = low + 0.5 * width / f32::from(count[k]);
        }
        Self { origin, scale, last: count.map(|count| count - 1) }
    }

    /// The pixels and bins of extents, in their order.
    pub fn cells(&self, extents: &[Extent], out: &mut Vec<Cells>) {
        out.clear();
        out.resize(extents.len(), [0; 8]);
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                self.cells_avx2(extents, out);
            }
            return;
        }
        self.cells_any::<Scalar8>(extents, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn cells_avx2(&self, extents: &[Extent], out: &mut [Cells]) {
        self.cells_any::<Avx8>(extents, out);
    }

    #[inline(always)]
    fn cells_any<L: Lanes8>(&self, extents: &[Extent], out: &mut [Cells]) {
        let twice = |[x, y, z]: [f32; 3]| L::load(&[x, y, z, 0.0, x, y, z, 0.0]);
        let [x, y, z] = self.last;
        let (origin, scale) = (twice(self.origin), twice(self.scale));
        let last = twice([f32::from(x), f32::from(y), f32::from(z)]);
        let (signs, zero) = (L::load(&SIGNS), L::splat(0.0));
        for (extent, cells) in extents.iter().zip(out) {
            let place = L::load(extent).mul(signs).sub(origin).mul(scale);
            *cells = place.max(zero).min(last).whole();
        }
    }
}

/// The bins from the lowest to the highest as bits.
#[inline(always)]
pub fn bins(low: u16, high: u16) -> u64 {
    (!0 << low) & (!0 >> (63 - high))
}

/// Pixels as wide and high as the first numbers of [`Raster::last`] say, row by row.
#[derive(Clone, Debug, Default)]
pub struct Bins {
    bits: Vec<u64>,
    width: usize,
}

impl Bins {
    /// Empty pixels for a raster.
    pub fn begin(&mut self, raster: &Raster) {
        self.width = usize::from(raster.last[0]) + 1;
        self.bits.clear();
        // Seven more, so that eights may begin at every pixel.
        self.bits.resize(self.width * (usize::from(raster.last[1]) + 1) + 7, 0);
    }

    /// The bits of a pixel.
    #[inline(always)]
    pub fn get(&self, x: usize, y: usize) -> u64 {
        self.bits[y * self.width + x]
    }

    /// So many pixels from one on, eight at a time: what is more than that belongs to others.
    #[inline(always)]
    pub fn eights(&self, x: usize, y: usize, count: usize) -> &[[u64; 8]] {
        let start = y * self.width + x;
        self.bits[start..start + count.next_multiple_of(8)].as_chunks().0
    }

    /// The same, to be changed.
    #[inline(always)]
    pub fn eights_mut(&mut self, x: usize, y: usize, count: usize) -> &mut [[u64; 8]] {
        let start = y * self.width + x;
        self.bits[start..start + count.next_multiple_of(8)].as_chunks_mut().0
    }

    /// Sets all bins of all pixels of some cells.
    #[inline(always)]
    pub fn draw(&mut self, cells: &Cells) {
        let bins = bins(cells[2], cells[6]);
        let [left, bottom, right, top] = [cells[0], cells[1], cells[4], cells[5]].map(usize::from);
        let wide = right - left;
        if wide <= 1 && top - bottom <= 1 {
            // Up to two by two, without a branch: the same pixel may come twice.
            for y in [bottom, top] {
                self.bits[y * self.width + left] |= bins;
                self.bits[y * self.width + right] |= bins;
            }
            return;
        }
        if wide <= 3 {
            // Four at a time, of which those beside it stay as they are.
            let four: [u64; 4] = std::array::from_fn(|k| if k <= wide { bins } else { 0 });
            for y in bottom..=top {
                let row: &mut [u64; 4] =
                    self.bits[y * self.width + left..].first_chunk_mut().expect("padded");
                for k in 0..4 {
                    row[k] |= four[k];
                }
            }
            return;
        }
        for y in bottom..=top {
            for bits in &mut self.bits[y * self.width + left..=y * self.width + right] {
                *bits |= bins;
            }
        }
    }

    /// Whether some bin of some pixel of the cells is set.
    #[inline(always)]
    pub fn meet(&self, cells: &Cells) -> bool {
        let bins = bins(cells[2], cells[6]);
        let [left, bottom, right, top] = [cells[0], cells[1], cells[4], cells[5]].map(usize::from);
        if right - left <= 1 && top - bottom <= 1 {
            let [low, high] = [bottom, top].map(|y| y * self.width);
            let lower = self.bits[low + left] | self.bits[low + right];
            let upper = self.bits[high + left] | self.bits[high + right];
            return (lower | upper) & bins != 0;
        }
        (bottom..=top).any(|y| {
            let row = &self.bits[y * self.width + left..=y * self.width + right];
            row.iter().any(|bits| bits & bins != 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::overlap;
    use super::*;
    use proptest::prelude::*;

    /// Ends on a lattice, so that they often coincide, some far outside.
    fn extent() -> impl Strategy<Value = Extent> {
        let end =
            || prop_oneof![8 => (-10i8..11).prop_map(|x| f32::from(x) / 8.0), 1 => -4.0..4.0f32];
        prop::array::uniform3((end(), end())).prop_map(|ends| {
            let low = ends.map(|(a, b)| a.min(b));
            let high = ends.map(|(a, b)| a.max(b));
            [low[0], low[1], low[2], 0.0, -high[0], -high[1], -high[2], 0.0]
        })
    }

    proptest! {
        #[test]
        fn extents_that_overlap_share_a_bin_of_a_pixel(
            a in prop::collection::vec(extent(), 1..20),
            b in prop::collection::vec(extent(), 1..20),
            around in extent(),
            count in (1..70u16, 1..70u16, 1..=64u16),
        ) {
            let raster = Raster::of(&around, [count.0, count.1, count.2]);
            let (mut of_a, mut of_b, mut twin) = (Vec::new(), Vec::new(), vec![[9; 8]; a.len()]);
            raster.cells(&a, &mut of_a);
            raster.cells(&b, &mut of_b);
            raster.cells_any::<Scalar8>(&a, &mut twin);
            prop_assert_eq!(&of_a, &twin);
            let share = |p: &Cells, q: &Cells| (0..3).all(|k| p[k] <= q[k + 4] && q[k] <= p[k + 4]);
            let mut drawn = Bins::default();
            drawn.begin(&raster);
            of_a.iter().for_each(|cells| drawn.draw(cells));
            for (one, q) in b.iter().zip(&of_b) {
                for (other, p) in a.iter().zip(&of_a) {
                    prop_assert!(!overlap(one, other) || share(p, q));
                }
                prop_assert_eq!(drawn.meet(q), of_a.iter().any(|p| share(p, q)));
            }
        }
    }
}
