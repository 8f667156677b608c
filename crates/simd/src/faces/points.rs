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
        return unsafe { take_avx2(from, to, accepted) };
    }
    take_any(from, to, accepted)
}

/// The box around points.
#[inline]
pub fn ends(points: &[[f64; 3]]) -> Ends {
    #[cfg(target_arch = "x86_64")]
    if crate::lanes32::Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        return unsafe { ends_avx2(points) };
    }
    ends_any(points)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn take_avx2(from: &[[f64; 3]], to: &mut [[f64; 3]], accepted: Accepted) -> Option<Ends> {
    take_any(from, to, accepted)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn ends_avx2(points: &[[f64; 3]]) -> Ends {
    ends_any(points)
}

/// Four points at a time are twelve numbers, each lane with an axis of its own: plain loops of this
/// form become registers.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "several arrays run side by side")]
fn take_any(from: &[[f64; 3]], to: &mut [[f64; 3]], accepted: Accepted) -> Option<Ends> {
    let count = from.len().min(to.len());
    let (fours, rest) = from[..count].as_chunks::<4>();
    let (to_fours, to_rest) = to[..count].as_chunks_mut::<4>();
    let (mut low, mut high) = ([f64::INFINITY; 12], [f64::NEG_INFINITY; 12]);
    let mut refused = [0u64; 12];
    let mut i = 0;
    while i < fours.len().min(to_fours.len()) {
        let numbers = fours[i].as_flattened();
        let taken = to_fours[i].as_flattened_mut();
        for k in 0..12 {
            let size = numbers[k].abs();
            let x = if size < accepted.least { 0.0 } else { numbers[k] };
            // In this form a NaN is refused.
            refused[k] |= if size <= accepted.most { 0 } else { 1 };
            taken[k] = x;
            low[k] = if x < low[k] { x } else { low[k] };
            high[k] = if x > high[k] { x } else { high[k] };
        }
        i += 1;
    }
    let mut bad = 0;
    for k in 0..12 {
        bad |= refused[k];
    }
    let mut ends = folded(&low, &high);
    let mut i = 0;
    while i < rest.len().min(to_rest.len()) {
        for k in 0..3 {
            let size = rest[i][k].abs();
            let x = if size < accepted.least { 0.0 } else { rest[i][k] };
            bad |= if size <= accepted.most { 0 } else { 1 };
            to_rest[i][k] = x;
            ends[0][k] = if x < ends[0][k] { x } else { ends[0][k] };
            ends[1][k] = if x > ends[1][k] { x } else { ends[1][k] };
        }
        i += 1;
    }
    if bad == 0 { Some(ends) } else { None }
}

#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "several arrays run side by side")]
fn ends_any(points: &[[f64; 3]]) -> Ends {
    let (fours, rest) = points.as_chunks::<4>();
    let (mut low, mut high) = ([f64::INFINITY; 12], [f64::NEG_INFINITY; 12]);
    for four in fours {
        let numbers = four.as_flattened();
        for k in 0..12 {
            let x = numbers[k];
            low[k] = if x < low[k] { x } else { low[k] };
            high[k] = if x > high[k] { x } else { high[k] };
        }
    }
    let mut ends = folded(&low, &high);
    for point in rest {
        for k in 0..3 {
            let x = point[k];
            ends[0][k] = if x < ends[0][k] { x } else { ends[0][k] };
            ends[1][k] = if x > ends[1][k] { x } else { ends[1][k] };
        }
    }
    ends
}

#[inline(always)]
fn folded(low: &[f64; 12], high: &[f64; 12]) -> Ends {
    let mut ends = NO_ENDS;
    for k in 0..12 {
        ends[0][k % 3] = if low[k] < ends[0][k % 3] { low[k] } else { ends[0][k % 3] };
        ends[1][k % 3] = if high[k] > ends[1][k % 3] { high[k] } else { ends[1][k % 3] };
    }
    ends
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
            bad in prop::option::weighted(0.3, (any::<prop::sample::Index>(), 0usize..3, 0usize..3)),
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
            prop_assert_eq!(ends(&taken), around);
        }
    }
}
