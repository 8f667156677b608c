//! One pass over all vertices of a mesh: taken over, checked, and boxes around runs of them.

/// The lowest and the highest of some points, the lowest first.
pub type Ends = [[f64; 3]; 2];

/// Of no points.
pub const NO_ENDS: Ends = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];

/// Which numbers are taken.
#[derive(Clone, Copy, Debug)]
pub struct Accepted {
    /// Magnitudes below this become zero.
    pub least: f64,
    /// No magnitude above this is taken, nor what is no number.
    pub most: f64,
}

/// Copies as many points as there are room for and tells the box around them. None if one of them is
/// not accepted; then `to` is partly filled.
#[inline]
pub fn take(from: &[[f64; 3]], to: &mut [[f64; 3]], accepted: Accepted) -> Option<Ends> {
    #[cfg(target_arch = "x86_64")]
    if crate::lanes32::Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        return unsafe { x86::take(from, to, accepted) };
    }
    let mut ends = NO_ENDS;
    take_rest(from, to, accepted, &mut ends).then_some(ends)
}

/// The box around some of the points.
///
/// # Panics
/// If one of them is not there.
#[inline]
pub fn ends_of(points: &[[f64; 3]], ids: &[u32]) -> Ends {
    #[cfg(target_arch = "x86_64")]
    if crate::lanes32::Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        return unsafe { x86::ends_of(points, ids) };
    }
    ends_of_scalar(points, ids)
}

fn ends_of_scalar(points: &[[f64; 3]], ids: &[u32]) -> Ends {
    let mut ends = NO_ENDS;
    for &id in ids {
        for (k, &x) in points[id as usize].iter().enumerate() {
            ends[0][k] = if x < ends[0][k] { x } else { ends[0][k] };
            ends[1][k] = if x > ends[1][k] { x } else { ends[1][k] };
        }
    }
    ends
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "intrinsics that the detected CPU is known to have")]

    use super::{Accepted, Ends, NO_ENDS, take_rest};
    use std::arch::x86_64::*;

    /// Four points are three registers: x y z x, y z x y, z x y z.
    #[target_feature(enable = "avx2")]
    pub(super) fn take(from: &[[f64; 3]], to: &mut [[f64; 3]], accepted: Accepted) -> Option<Ends> {
        let count = from.len().min(to.len());
        let (fours, rest) = from[..count].as_chunks::<4>();
        let (to_fours, to_rest) = to[..count].as_chunks_mut::<4>();
        let (most, least) = (_mm256_set1_pd(accepted.most), _mm256_set1_pd(accepted.least));
        let sign = _mm256_set1_pd(-0.0);
        let mut low = [_mm256_set1_pd(f64::INFINITY); 3];
        let mut high = [_mm256_set1_pd(f64::NEG_INFINITY); 3];
        let mut fine = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
        for (from, to) in fours.iter().zip(to_fours) {
            let (from, to) = (from.as_ptr().cast::<f64>(), to.as_mut_ptr().cast::<f64>());
            let mut k = 0;
            while k < 3 {
                // SAFETY: four points are twelve numbers.
                let x = unsafe { _mm256_loadu_pd(from.add(4 * k)) };
                let size = _mm256_andnot_pd(sign, x);
                fine = _mm256_and_pd(fine, _mm256_cmp_pd::<_CMP_LE_OQ>(size, most));
                let x = _mm256_and_pd(x, _mm256_cmp_pd::<_CMP_GE_OQ>(size, least));
                low[k] = _mm256_min_pd(x, low[k]);
                high[k] = _mm256_max_pd(x, high[k]);
                // SAFETY: as above.
                unsafe { _mm256_storeu_pd(to.add(4 * k), x) };
                k += 1;
            }
        }
        let (mut lows, mut highs) = ([0.0; 12], [0.0; 12]);
        let mut k = 0;
        while k < 3 {
            // SAFETY: four of twelve numbers.
            unsafe {
                _mm256_storeu_pd(lows.as_mut_ptr().add(4 * k), low[k]);
                _mm256_storeu_pd(highs.as_mut_ptr().add(4 * k), high[k]);
            }
            k += 1;
        }
        let mut ends = NO_ENDS;
        for k in 0..12 {
            ends[0][k % 3] = ends[0][k % 3].min(lows[k]);
            ends[1][k % 3] = ends[1][k % 3].max(highs[k]);
        }
        let all = take_rest(rest, to_rest, accepted, &mut ends);
        (all && _mm256_movemask_pd(fine) == 0b1111).then_some(ends)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn ends_of(points: &[[f64; 3]], ids: &[u32]) -> Ends {
        let three = _mm256_setr_epi64x(-1, -1, -1, 0);
        let (far, near) = (_mm256_set1_pd(f64::INFINITY), _mm256_set1_pd(f64::NEG_INFINITY));
        // Two chains, so that one need not wait for the other.
        let (mut low, mut low_too, mut high, mut high_too) = (far, far, near, near);
        let (twos, rest) = ids.as_chunks::<2>();
        for &[one, other] in twos {
            let (a, b) = (&points[one as usize], &points[other as usize]);
            // SAFETY: only the three lanes that are a point are read.
            let (a, b) = unsafe {
                (_mm256_maskload_pd(a.as_ptr(), three), _mm256_maskload_pd(b.as_ptr(), three))
            };
            low = _mm256_min_pd(a, low);
            high = _mm256_max_pd(a, high);
            low_too = _mm256_min_pd(b, low_too);
            high_too = _mm256_max_pd(b, high_too);
        }
        for &id in rest {
            // SAFETY: as above.
            let a = unsafe { _mm256_maskload_pd(points[id as usize].as_ptr(), three) };
            low = _mm256_min_pd(a, low);
            high = _mm256_max_pd(a, high);
        }
        let mut ends = NO_ENDS;
        // SAFETY: only three lanes are written.
        unsafe {
            _mm256_maskstore_pd(ends[0].as_mut_ptr(), three, _mm256_min_pd(low, low_too));
            _mm256_maskstore_pd(ends[1].as_mut_ptr(), three, _mm256_max_pd(high, high_too));
        }
        ends
    }
}

/// Point by point; false if one is not accepted.
fn take_rest(from: &[[f64; 3]], to: &mut [[f64; 3]], accepted: Accepted, ends: &mut Ends) -> bool {
    let mut all = true;
    for (from, to) in from.iter().zip(to) {
        for k in 0..3 {
            let size = from[k].abs();
            // In this form a NaN is not accepted.
            all &= size <= accepted.most;
            let x = if size < accepted.least { 0.0 } else { from[k] };
            to[k] = x;
            ends[0][k] = if x < ends[0][k] { x } else { ends[0][k] };
            ends[1][k] = if x > ends[1][k] { x } else { ends[1][k] };
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ACCEPTED: Accepted = Accepted { least: 1e-3, most: 1e6 };

    proptest! {
        #[test]
        fn what_is_taken_is_checked_flushed_and_bounded(
            points in prop::collection::vec(prop::array::uniform3(prop_oneof![
                20 => -3.0..3.0f64,
                1 => prop::sample::select(vec![1e-4, -1e-4, 1e6, -0.0]),
            ]), 0..40),
            bad in prop::option::weighted(
                0.3,
                (any::<prop::sample::Index>(), 0usize..3, 0usize..3),
            ),
        ) {
            let mut points = points;
            if let (Some((at, axis, which)), false) = (bad, points.is_empty()) {
                let at = at.index(points.len());
                points[at][axis] = [f64::NAN, f64::NEG_INFINITY, 1.1e6][which];
            }
            let mut taken = vec![[9.0; 3]; points.len()];
            let ends_taken = take(&points, &mut taken, ACCEPTED);
            let fine = |x: &f64| x.abs() <= ACCEPTED.most;
            if !points.as_flattened().iter().all(fine) {
                prop_assert_eq!(ends_taken, None);
                return Ok(());
            }
            let flushed = |x: f64| if x.abs() < ACCEPTED.least { 0.0 } else { x };
            let expected: Vec<[f64; 3]> = points.iter().map(|p| p.map(flushed)).collect();
            prop_assert_eq!(&taken, &expected);
            let mut around = NO_ENDS;
            for point in &expected {
                for k in 0..3 {
                    around[0][k] = around[0][k].min(point[k]);
                    around[1][k] = around[1][k].max(point[k]);
                }
            }
            prop_assert_eq!(ends_taken, Some(around));
            let ids: Vec<u32> = (0..taken.len() as u32).rev().collect();
            prop_assert_eq!(ends_of(&taken, &ids), around);
            prop_assert_eq!(ends_of_scalar(&taken, &ids), around);
        }
    }
}
