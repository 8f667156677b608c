//! Faces of meshes whose vertices move: vertices into cells, faces into ranges of cells, boxes of
//! faces in rows of cells, and pairs of faces eight at a time.
//!
//! The number of a cell along an axis is a chain of rounded operations that are each monotone, so
//! it never falls as the coordinate rises. That is what makes it safe to compare cells instead of
//! coordinates: intervals that overlap share a cell, however anything was rounded.

pub mod boughs;
pub mod pairs;
pub mod points;
pub mod ranges;
pub mod rows;

#[cfg(target_arch = "x86_64")]
use crate::lanes32::Avx2;

/// A box cut into cells, at most 62 along each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    /// The lower corner of the box.
    pub origin: [f64; 3],
    /// Cells per unit of length, finite and positive.
    pub scale: [f64; 3],
    /// The number of the last cell in the box, 1 to 62. Cells are counted from 1; whatever is below
    /// the box is in cell 0, whatever is above it in the cell after the last.
    pub last: [u8; 3],
}

/// The most cells along an axis.
pub const CELLS_MAX: u8 = 62;

impl Lattice {
    /// The cells of a box with corners `low` and `high`, so many along each axis.
    pub fn of(low: [f64; 3], high: [f64; 3], cells: [u8; 3]) -> Self {
        let last = cells.map(|cells| cells.clamp(1, CELLS_MAX));
        let scale = std::array::from_fn(|k| {
            // A box may be flat, and so thin that its width is no width in f64.
            let width = (high[k] - low[k]).max(low[k].abs().max(high[k].abs()) * f64::EPSILON);
            // Somewhat less than the cells there are, so that the upper end is in the last one.
            let scale = (f64::from(last[k]) - 1e-3) / width;
            if scale < f64::MAX { scale } else { f64::MAX }
        });
        Self { origin: low, scale, last }
    }

    /// The number of the cell of a coordinate.
    #[inline(always)]
    pub fn cell(&self, axis: usize, x: f64) -> u8 {
        let t = (x - self.origin[axis]) * self.scale[axis] + 1.0;
        let t = if t > 0.0 { t } else { 0.0 };
        let above = f64::from(self.last[axis]) + 1.0;
        let t = if t < above { t } else { above };
        t as u8
    }

    /// The cells of a point, a byte per axis, x lowest.
    #[inline(always)]
    pub fn cells(&self, point: &[f64; 3]) -> u32 {
        let byte = |axis: usize| u32::from(self.cell(axis, point[axis])) << (8 * axis);
        byte(0) | byte(1) | byte(2)
    }

    /// The cells of points, in their order.
    pub fn cells_of(&self, points: &[[f64; 3]], out: &mut [u32]) {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                x86::cells_of(self, points, out);
            }
            return;
        }
        self.cells_of_scalar(points, out);
    }

    fn cells_of_scalar(&self, points: &[[f64; 3]], out: &mut [u32]) {
        for (point, cells) in points.iter().zip(out) {
            *cells = self.cells(point);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "intrinsics that the detected CPU is known to have")]

    use super::Lattice;
    use std::arch::x86_64::*;

    /// Four points are three registers: x y z x, y z x y, z x y z.
    #[target_feature(enable = "avx2")]
    fn cycled(v: [f64; 3]) -> [__m256d; 3] {
        let [x, y, z] = v;
        [_mm256_setr_pd(x, y, z, x), _mm256_setr_pd(y, z, x, y), _mm256_setr_pd(z, x, y, z)]
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn cells_of(lattice: &Lattice, points: &[[f64; 3]], out: &mut [u32]) {
        let (origin, scale) = (cycled(lattice.origin), cycled(lattice.scale));
        let above = cycled(lattice.last.map(|last| f64::from(last) + 1.0));
        let (zero, one) = (_mm256_setzero_pd(), _mm256_set1_pd(1.0));
        let spread = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
        let (fours, rest) = points.as_chunks::<4>();
        let (out_fours, out_rest) = out.split_at_mut(4 * fours.len());
        for (four, out) in fours.iter().zip(out_fours.as_chunks_mut::<4>().0) {
            let numbers: &[f64; 12] = four.as_flattened().try_into().expect("four times three");
            let mut part = [_mm_setzero_si128(); 3];
            let mut k = 0;
            while k < 3 {
                // SAFETY: four of twelve readable numbers, from the first, fifth or ninth on.
                let x = unsafe { _mm256_loadu_pd(numbers.as_ptr().add(4 * k)) };
                let t = _mm256_mul_pd(_mm256_sub_pd(x, origin[k]), scale[k]);
                let t = _mm256_max_pd(_mm256_add_pd(t, one), zero);
                part[k] = _mm256_cvttpd_epi32(_mm256_min_pd(t, above[k]));
                k += 1;
            }
            let low = _mm_packus_epi32(part[0], part[1]);
            let high = _mm_packus_epi32(part[2], part[2]);
            let bytes = _mm_shuffle_epi8(_mm_packus_epi16(low, high), spread);
            // SAFETY: four u32 are sixteen writable bytes.
            unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), bytes) };
        }
        lattice.cells_of_scalar(rest, out_rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coordinate() -> impl Strategy<Value = f64> {
        let far = prop::sample::select(vec![-1e90, 1e90, 1e-90, 0.0]);
        prop_oneof![4 => -3.0..3.0f64, 2 => (-9i8..9).prop_map(f64::from), 1 => far]
    }

    proptest! {
        #[test]
        fn cells_agree_are_monotone_and_hold_their_box(
            points in prop::collection::vec(prop::array::uniform3(coordinate()), 1..23),
            ends in prop::array::uniform2(prop::array::uniform3(coordinate())),
            cells in prop::array::uniform3(1u8..=CELLS_MAX),
        ) {
            let low: [f64; 3] = std::array::from_fn(|k| ends[0][k].min(ends[1][k]));
            let high: [f64; 3] = std::array::from_fn(|k| ends[0][k].max(ends[1][k]));
            let lattice = Lattice::of(low, high, cells);
            let mut wide = vec![1; points.len()];
            let mut twin = vec![2; points.len()];
            lattice.cells_of(&points, &mut wide);
            lattice.cells_of_scalar(&points, &mut twin);
            prop_assert_eq!(&wide, &twin);
            for k in 0..3 {
                let inside = 1..=cells[k];
                prop_assert!(inside.contains(&lattice.cell(k, low[k])));
                prop_assert!(inside.contains(&lattice.cell(k, high[k])));
                let mut along: Vec<f64> = points.iter().map(|point| point[k]).collect();
                along.sort_by(f64::total_cmp);
                let numbers = along.iter().map(|&x| lattice.cell(k, x));
                prop_assert!(numbers.is_sorted());
            }
        }
    }
}
