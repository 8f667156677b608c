//! Pairs of faces, eight at a time: which certainly meet, which are left to exact arithmetic.
//!
//! Each pair is seen from the first corner of its first face: differences are taken in f64 and rounded
//! to f32, so that a coordinate is off by no more than two roundings of itself, wherever in the world
//! the pair is. The rest is what [`crate::leaf`] does with its triangles.

use crate::lanes32::{Lanes8, Scalar8};
use crate::leaf::{bound_of, judge_corners, largest_of};
use crate::vec3::{Vec3, cross, load};

/// The faces of a mesh as it is now.
#[derive(Clone, Copy, Debug)]
pub struct Soup<'a> {
    /// The vertices.
    pub points: &'a [[f64; 3]],
    /// The corners of each face.
    pub triangles: &'a [[u32; 3]],
}

/// Eight pairs, column by column: the second and third corner of the first face and the corners of the
/// second, all seen from the first corner of the first.
type Columns = [[[f32; 8]; 3]; 5];

/// What became of pairs.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Those that certainly share a point.
    pub hits: Vec<[u32; 2]>,
    /// Those that only exact arithmetic can tell.
    pub open: Vec<[u32; 2]>,
}

/// Sorts out pairs of faces of `a` and `b`. Coordinates are multiplied by `scale`, a power of two that
/// makes the bodies about as large as one, so that f32 can hold products of three of them.
pub fn judge(a: Soup<'_>, b: Soup<'_>, (pairs, scale): (&[[u32; 2]], f64), out: &mut Judged) {
    #[cfg(target_arch = "x86_64")]
    if crate::lanes32::Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        unsafe {
            x86::judge(a, b, (pairs, scale), out);
        }
        return;
    }
    judge_any::<Scalar8>(a, b, (pairs, scale), out);
}

#[inline(always)]
fn judge_any<L: Lanes8>(
    a: Soup<'_>,
    b: Soup<'_>,
    (pairs, scale): (&[[u32; 2]], f64),
    out: &mut Judged,
) {
    let mut columns = [[[0.0; 8]; 3]; 5];
    for some in pairs.chunks(8) {
        for (lane, pair) in some.iter().enumerate() {
            let corners = corners(a, b, pair);
            let origin = corners[0];
            for (column, corner) in columns.iter_mut().zip(&corners[1..]) {
                for k in 0..3 {
                    column[k][lane] = ((corner[k] - origin[k]) * scale) as f32;
                }
            }
        }
        sort_out(decide::<L>(&columns), some, out);
    }
}

#[inline(always)]
fn corners<'a>(a: Soup<'a>, b: Soup<'a>, pair: &[u32; 2]) -> [&'a [f64; 3]; 6] {
    let [p, q, r] = a.triangles[pair[0] as usize];
    let [s, t, u] = b.triangles[pair[1] as usize];
    [
        &a.points[p as usize],
        &a.points[q as usize],
        &a.points[r as usize],
        &b.points[s as usize],
        &b.points[t as usize],
        &b.points[u as usize],
    ]
}

#[inline(always)]
fn decide<L: Lanes8>(columns: &Columns) -> (u8, u8) {
    let edges: [Vec3<L>; 2] = [load(&columns[0]), load(&columns[1])];
    let b = [load(&columns[2]), load(&columns[3]), load(&columns[4])];
    let largest = largest_of(&b, largest_of(&edges, L::splat(0.0)));
    judge_corners(edges, cross(edges[0], edges[1]), &b, bound_of(largest, 0.0))
}

#[inline(always)]
fn sort_out((hit, miss): (u8, u8), some: &[[u32; 2]], out: &mut Judged) {
    let all = if some.len() < 8 { (1u8 << some.len()) - 1 } else { 0xff };
    let mut hits = hit & all;
    while hits != 0 {
        out.hits.push(some[hits.trailing_zeros() as usize]);
        hits &= hits - 1;
    }
    let mut open = all & !(hit | miss);
    while open != 0 {
        out.open.push(some[open.trailing_zeros() as usize]);
        open &= open - 1;
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "intrinsics that the detected CPU is known to have")]

    use super::{Columns, Judged, Soup, corners, decide, sort_out};
    use crate::lanes32::{Avx8, align_frame};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn judge(
        a: Soup<'_>,
        b: Soup<'_>,
        (pairs, scale): (&[[u32; 2]], f64),
        out: &mut Judged,
    ) {
        align_frame();
        let mut columns: Columns = [[[0.0; 8]; 3]; 5];
        for some in pairs.chunks(8) {
            let mut seen = [[_mm_setzero_ps(); 8]; 5];
            let mut lane = 0;
            while lane < some.len() {
                let corners = corners(a, b, &some[lane]);
                let origin = three(corners[0]);
                let mut k = 0;
                while k < 5 {
                    let way = _mm256_sub_pd(three(corners[k + 1]), origin);
                    seen[k][lane] = _mm256_cvtpd_ps(_mm256_mul_pd(way, _mm256_set1_pd(scale)));
                    k += 1;
                }
                lane += 1;
            }
            let mut k = 0;
            while k < 5 {
                turn(&seen[k], &mut columns[k]);
                k += 1;
            }
            sort_out(decide::<Avx8>(&columns), some, out);
        }
    }

    /// A point and nothing.
    #[target_feature(enable = "avx2")]
    fn three(point: &[f64; 3]) -> __m256d {
        let mask = _mm256_setr_epi64x(-1, -1, -1, 0);
        // SAFETY: only the three lanes that are a point are read.
        unsafe { _mm256_maskload_pd(point.as_ptr(), mask) }
    }

    /// From eight points to the columns x, y and z.
    #[target_feature(enable = "avx2")]
    fn turn(points: &[__m128; 8], columns: &mut [[f32; 8]; 3]) {
        let pair = |i: usize| _mm256_set_m128(points[i + 4], points[i]);
        let (p, q, r, s) = (pair(0), pair(1), pair(2), pair(3));
        let (xy_low, xy_high) = (_mm256_unpacklo_ps(p, q), _mm256_unpacklo_ps(r, s));
        let (z_low, z_high) = (_mm256_unpackhi_ps(p, q), _mm256_unpackhi_ps(r, s));
        let x = _mm256_shuffle_ps::<0b01_00_01_00>(xy_low, xy_high);
        let y = _mm256_shuffle_ps::<0b11_10_11_10>(xy_low, xy_high);
        let z = _mm256_shuffle_ps::<0b01_00_01_00>(z_low, z_high);
        // SAFETY: eight writable f32 each.
        unsafe {
            _mm256_storeu_ps(columns[0].as_mut_ptr(), x);
            _mm256_storeu_ps(columns[1].as_mut_ptr(), y);
            _mm256_storeu_ps(columns[2].as_mut_ptr(), z);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers() -> impl Strategy<Value = f64> {
        prop_oneof![
            -2.0..2.0f64,
            (-2i8..3).prop_map(f64::from),
            (-2i8..3).prop_map(|x| f64::from(x).next_up()),
        ]
    }

    proptest! {
        #[test]
        fn the_vector_form_agrees_with_its_twin(
            points in prop::collection::vec(prop::array::uniform3(numbers()), 36),
            count in 1usize..12,
            far in prop::sample::select(vec![0.0, 1e9]),
        ) {
            let points: Vec<[f64; 3]> = points.iter().map(|p| p.map(|x| x + far)).collect();
            let triangles: Vec<[u32; 3]> = (0..12).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let soup = Soup { points: &points, triangles: &triangles };
            let pairs: Vec<[u32; 2]> = (0..count as u32).map(|i| [i, (i * 5 + 1) % 12]).collect();
            let (mut wide, mut twin) = (Judged::default(), Judged::default());
            judge(soup, soup, (&pairs, 0.25), &mut wide);
            judge_any::<Scalar8>(soup, soup, (&pairs, 0.25), &mut twin);
            prop_assert_eq!((&wide.hits, &wide.open), (&twin.hits, &twin.open));
        }
    }

    #[test]
    fn clear_cases_are_decided_and_touching_ones_are_not() {
        let a = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        let pierced = [[1.0, 1.0, -1.0], [1.0, 1.2, 1.0], [1.3, 1.0, 1.0]];
        let above = [[1.0, 1.0, 0.5], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]];
        let touching = [[1.0, 1.0, 0.0], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]];
        let points: Vec<[f64; 3]> = [a, pierced, above, touching].concat();
        let triangles: Vec<[u32; 3]> = (0..4).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let soup = Soup { points: &points, triangles: &triangles };
        let mut judged = Judged::default();
        judge(soup, soup, (&[[0, 1], [0, 2], [0, 3]], 1.0), &mut judged);
        assert_eq!((judged.hits, judged.open), (vec![[0, 1]], vec![[0, 3]]));
    }
}
