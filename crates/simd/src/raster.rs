//! Which cells of a regular grid boxes touch.
//!
//! The number of a cell along an axis is a chain of rounded operations that are each monotone, so
//! it never falls as the coordinate rises, whatever the coordinate: infinities and numbers far
//! outside go to the first and the last cell.

#[cfg(target_arch = "x86_64")]
use crate::lanes32::Avx2;

/// A grid of at most 256 cells along each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Raster {
    /// The middle of the first cell; finite.
    pub origin: [f32; 3],
    /// Cells per unit of length; finite, and zero only where there is one cell.
    pub scale: [f32; 3],
    /// The number of the last cell, 0 to 255.
    pub last: [u8; 3],
    /// By how much the index of a cell grows from one to the next along each axis.
    pub stride: [u32; 3],
}

/// The index of the lowest cell that a box touches, and how many more it touches along each axis:
/// a byte each, x lowest.
pub type Span = [u32; 2];

/// Added to a number below 2²³ it leaves that number, rounded to the nearest, in the low bits.
const TO_BITS: f32 = 8_388_608.0;

impl Raster {
    /// The number along an axis of the cell of a coordinate, which must not be a NaN.
    #[inline]
    pub fn number(&self, axis: usize, x: f32) -> u32 {
        let last = f32::from(self.last[axis]);
        let t = (x - self.origin[axis]) * self.scale[axis];
        // In this form, a NaN (infinity times zero) becomes zero.
        let t = if t > 0.0 { t } else { 0.0 };
        let t = if t < last { t } else { last };
        (t + TO_BITS).to_bits() & 0xff
    }

    /// Fills `out` with the spans of the boxes `ids` of a table: min x y z, then max x y z, none of
    /// them empty.
    pub fn spans(&self, table: &[[f32; 6]], ids: &[u32], out: &mut [Span]) {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                x86::spans(self, table, ids, out);
            }
            return;
        }
        self.spans_scalar(table, ids, out);
    }

    fn spans_scalar(&self, table: &[[f32; 6]], ids: &[u32], out: &mut [Span]) {
        for (span, &id) in out.iter_mut().zip(ids) {
            let aabb = &table[id as usize];
            *span = [0; 2];
            for k in 0..3 {
                let [low, high] = [self.number(k, aabb[k]), self.number(k, aabb[k + 3])];
                span[0] += low * self.stride[k];
                span[1] |= (high - low) << (8 * k);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "intrinsics that the detected CPU is known to have")]

    use super::{Raster, Span, TO_BITS};
    use std::arch::x86_64::*;

    /// A box at a time: its six ends are six lanes.
    #[target_feature(enable = "avx2")]
    pub(super) fn spans(raster: &Raster, table: &[[f32; 6]], ids: &[u32], out: &mut [Span]) {
        let Raster { origin: [a, b, c], scale: [d, e, f], last: [u, v, w], stride } = *raster;
        let [u, v, w] = [f32::from(u), f32::from(v), f32::from(w)];
        let origin = _mm256_setr_ps(a, b, c, a, b, c, 0.0, 0.0);
        let scale = _mm256_setr_ps(d, e, f, d, e, f, 0.0, 0.0);
        let last = _mm256_setr_ps(u, v, w, u, v, w, 0.0, 0.0);
        let six = _mm256_setr_epi32(-1, -1, -1, -1, -1, -1, 0, 0);
        let [x, y, z] = [stride[0] as i32, stride[1] as i32, stride[2] as i32];
        let stride = _mm_setr_epi32(x, y, z, 0);
        let upper = _mm256_setr_epi32(3, 4, 5, 6, 7, 7, 7, 7);
        let bytes = _mm_setr_epi8(0, 4, 8, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
        let count = ids.len().min(out.len());
        let mut i = 0;
        while i < count {
            let source = table[ids[i] as usize].as_ptr();
            // SAFETY: only the six lanes that are a box are read.
            let ends = unsafe { _mm256_maskload_ps(source, six) };
            let t = _mm256_mul_ps(_mm256_sub_ps(ends, origin), scale);
            let t = _mm256_min_ps(_mm256_max_ps(t, _mm256_setzero_ps()), last);
            let bits = _mm256_castps_si256(_mm256_add_ps(t, _mm256_set1_ps(TO_BITS)));
            let numbers = _mm256_and_si256(bits, _mm256_set1_epi32(0xff));
            let low = _mm256_castsi256_si128(numbers);
            let high = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(numbers, upper));
            let more = _mm_shuffle_epi8(_mm_sub_epi32(high, low), bytes);
            let index = _mm_mullo_epi32(low, stride);
            let index = _mm_add_epi32(index, _mm_shuffle_epi32::<0b_11_10_11_10>(index));
            let index = _mm_add_epi32(index, _mm_shuffle_epi32::<0b_01_01_01_01>(index));
            out[i] = [_mm_cvtsi128_si32(index) as u32, _mm_cvtsi128_si32(more) as u32];
            i += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coordinate() -> impl Strategy<Value = f32> {
        let ends = prop::sample::select(vec![f32::NEG_INFINITY, f32::INFINITY, f32::MAX]);
        prop_oneof![4 => -3.0..3.0f32, 1 => (-9i8..9).prop_map(f32::from), 1 => ends]
    }

    proptest! {
        #[test]
        fn both_forms_agree_and_are_monotone(
            ends in prop::collection::vec(prop::array::uniform6(coordinate()), 1..20),
            origin in prop::array::uniform3(-2.0..2.0f32),
            scale in prop::array::uniform3(prop_oneof![0.01..100.0f32, Just(1.0), Just(1e30)]),
            last in any::<[u8; 3]>(),
        ) {
            let along = last.map(|last| u32::from(last) + 1);
            let scale = std::array::from_fn(|k| if last[k] == 0 { 0.0 } else { scale[k] });
            let raster = Raster { origin, scale, last, stride: [1, along[0], along[0] * along[1]] };
            let order = |one: &[f32; 6]| std::array::from_fn(|k| {
                let (a, b) = (one[k % 3], one[k % 3 + 3]);
                if k < 3 { a.min(b) } else { a.max(b) }
            });
            let table: Vec<[f32; 6]> = ends.iter().map(order).collect();
            let ids: Vec<u32> = (0..table.len() as u32).rev().collect();
            let (mut one, mut other) = (vec![[0; 2]; ids.len()], vec![[1; 2]; ids.len()]);
            raster.spans(&table, &ids, &mut one);
            raster.spans_scalar(&table, &ids, &mut other);
            prop_assert_eq!(&one, &other);

            for k in 0..3 {
                let both = table.iter().flat_map(|one| [one[k], one[k + 3]]);
                let mut ends: Vec<f32> = both.collect();
                ends.sort_by(f32::total_cmp);
                let numbers: Vec<u32> = ends.iter().map(|&x| raster.number(k, x)).collect();
                prop_assert!(numbers.is_sorted());
                prop_assert!(numbers.iter().all(|&number| number <= u32::from(last[k])));
            }
        }
    }
}
