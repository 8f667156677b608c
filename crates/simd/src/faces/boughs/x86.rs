//! The same by registers of AVX2; the plain forms are beside the tests that hold both together.

#![expect(unsafe_code, reason = "intrinsics that the detected CPU is known to have")]

use super::VERTICES_MAX;
use super::{Asked, Asking, Corner, Ends, LAST, NOBODY, Opened, Pairing, Run, Steps};
use std::arch::x86_64::*;

/// What it takes to find the steps of a point.
#[derive(Clone, Copy)]
struct Rule {
    origin: __m256d,
    scale: __m256d,
    /// The lanes that are a point.
    three: __m256i,
}

impl Rule {
    #[target_feature(enable = "avx2")]
    fn of(steps: &Steps) -> Self {
        let ([x, y, z], [u, v, w]) = (steps.origin, steps.scale);
        Self {
            origin: _mm256_setr_pd(x, y, z, 0.0),
            scale: _mm256_setr_pd(u, v, w, 0.0),
            three: _mm256_setr_epi64x(-1, -1, -1, 0),
        }
    }

    /// The steps of a point, in 32 bits each.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn steps(&self, point: &[f64; 3]) -> __m128i {
        let (one, last) = (_mm256_set1_pd(1.0), _mm256_set1_pd(f64::from(LAST)));
        // SAFETY: only the three lanes that are a point are read.
        let x = unsafe { _mm256_maskload_pd(point.as_ptr(), self.three) };
        let t = _mm256_mul_pd(_mm256_sub_pd(x, self.origin), self.scale);
        let t = _mm256_max_pd(_mm256_add_pd(t, one), one);
        _mm256_cvttpd_epi32(_mm256_min_pd(t, last))
    }
}

/// All bits of the second corner but of its fourth number.
#[target_feature(enable = "avx2")]
fn turned() -> __m128i {
    _mm_setr_epi16(0, 0, 0, 0, -1, -1, -1, 0)
}

/// All bits but those of the fourth numbers.
#[target_feature(enable = "avx2")]
fn axes() -> __m128i {
    _mm_setr_epi16(-1, -1, -1, 0, -1, -1, -1, 0)
}

/// The corners of the vertices of a run.
#[inline]
#[target_feature(enable = "avx2")]
fn corners_of(
    rule: &Rule,
    points: &[[f64; 3]],
    ids: &[u32],
    corners: &mut [__m128i; VERTICES_MAX],
) {
    let (turned, axes) = (turned(), axes());
    for (&id, corner) in ids.iter().zip(corners) {
        let four = rule.steps(&points[id as usize]);
        let twice = _mm_and_si128(_mm_packus_epi32(four, four), axes);
        *corner = _mm_xor_si128(twice, turned);
    }
}

/// The corners of eight faces: what `merge` makes of the three of each.
#[inline(always)]
fn boxes_of(
    corners: &[__m128i; VERTICES_MAX],
    places: &[[u8; 8]; 3],
    merge: impl Fn(__m128i, __m128i) -> __m128i,
) -> [__m128i; 8] {
    std::array::from_fn(|lane| {
        let corner = |k: usize| corners[usize::from(places[k][lane])];
        merge(merge(corner(0), corner(1)), corner(2))
    })
}

/// Eight faces, with nobody where there is none.
#[inline(always)]
fn group_of(
    run: &Run<'_>,
    (group, nobody): (usize, __m128i),
    boxes_of: impl Fn(&[[u8; 8]; 3]) -> [__m128i; 8],
) -> [__m128i; 8] {
    let there = run.faces.len().saturating_sub(8 * group);
    match run.corners.get(group) {
        Some(places) if there >= 8 => boxes_of(places),
        Some(places) => {
            let mut boxes = boxes_of(places);
            boxes[there..].fill(nobody);
            boxes
        }
        None => [nobody; 8],
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn open_asking<'a>(
    steps: &Steps,
    points: &[[f64; 3]],
    runs: impl Iterator<Item = (Run<'a>, &'a mut Opened<Asking>)>,
) {
    let (rule, nobody) = (Rule::of(steps), _mm_setzero_si128());
    let mut corners = [nobody; VERTICES_MAX];
    for (run, out) in runs {
        corners_of(&rule, points, run.vertices, &mut corners);
        let mut i = 0;
        while i < 8 {
            let boxes = group_of(&run, (i, nobody), |places| {
                boxes_of(&corners, places, |a, b| _mm_max_epu16(a, b))
            });
            let [a, b, c, d, e, f, g, h] = boxes;
            let (ab, cd) = (_mm_max_epu16(a, b), _mm_max_epu16(c, d));
            let (ef, gh) = (_mm_max_epu16(e, f), _mm_max_epu16(g, h));
            let group = _mm_max_epu16(_mm_max_epu16(ab, cd), _mm_max_epu16(ef, gh));
            // SAFETY: eight registers are as large as eight corners, and any bits are numbers.
            unsafe {
                out.faces[i].0 = std::mem::transmute::<[__m128i; 8], [Corner; 8]>(boxes);
                out.groups.0[i] = std::mem::transmute::<__m128i, Corner>(group);
            }
            i += 1;
        }
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn open_asked<'a>(
    steps: &Steps,
    points: &[[f64; 3]],
    runs: impl Iterator<Item = (Run<'a>, &'a mut Opened<Asked>)>,
) {
    let (rule, nobody) = (Rule::of(steps), _mm_set1_epi16(NOBODY.1 as i16));
    let mut corners = [nobody; VERTICES_MAX];
    for (run, out) in runs {
        corners_of(&rule, points, run.vertices, &mut corners);
        let mut groups = [nobody; 8];
        let mut i = 0;
        while i < 8 {
            let boxes = group_of(&run, (i, nobody), |places| {
                boxes_of(&corners, places, |a, b| _mm_min_epu16(a, b))
            });
            let [a, b, c, d, e, f, g, h] = boxes;
            let (ab, cd) = (_mm_min_epu16(a, b), _mm_min_epu16(c, d));
            let (ef, gh) = (_mm_min_epu16(e, f), _mm_min_epu16(g, h));
            groups[i] = _mm_min_epu16(_mm_min_epu16(ab, cd), _mm_min_epu16(ef, gh));
            turn(&boxes, &mut out.faces[i]);
            i += 1;
        }
        turn(&groups, &mut out.groups);
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn asking_of_ends(steps: &Steps, ends: &[Ends], out: &mut Vec<Asking>) {
    let (rule, turned, axes) = (Rule::of(steps), turned(), axes());
    for eight in ends.chunks(8) {
        let mut boxes = Asking::default();
        for (corner, [low, high]) in boxes.0.iter_mut().zip(eight) {
            let both = _mm_packus_epi32(rule.steps(high), rule.steps(low));
            let both = _mm_xor_si128(_mm_and_si128(both, axes), turned);
            // SAFETY: a register is as large as a corner, and any bits are numbers.
            *corner = unsafe { std::mem::transmute::<__m128i, Corner>(both) };
        }
        out.push(boxes);
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn asked_of_ends(steps: &Steps, ends: &[Ends], out: &mut Vec<Asked>) {
    let (rule, turned, axes) = (Rule::of(steps), turned(), axes());
    for eight in ends.chunks(8) {
        let mut rows = [_mm_set1_epi16(NOBODY.1 as i16); 8];
        for (row, [low, high]) in rows.iter_mut().zip(eight) {
            let both = _mm_packus_epi32(rule.steps(low), rule.steps(high));
            *row = _mm_xor_si128(_mm_and_si128(both, axes), turned);
        }
        let mut boxes = Asked::default();
        turn(&rows, &mut boxes);
        out.push(boxes);
    }
}

/// From eight corners to the columns of each axis.
#[target_feature(enable = "avx2")]
fn turn(rows: &[__m128i; 8], out: &mut Asked) {
    let [a, b, c, d, e, f, g, h] = *rows;
    let (ab, cd) = (_mm_unpacklo_epi16(a, b), _mm_unpacklo_epi16(c, d));
    let (ef, gh) = (_mm_unpacklo_epi16(e, f), _mm_unpacklo_epi16(g, h));
    let (xy, xy_too) = (_mm_unpacklo_epi32(ab, cd), _mm_unpacklo_epi32(ef, gh));
    let (z, z_too) = (_mm_unpackhi_epi32(ab, cd), _mm_unpackhi_epi32(ef, gh));
    let (ab, cd) = (_mm_unpackhi_epi16(a, b), _mm_unpackhi_epi16(c, d));
    let (ef, gh) = (_mm_unpackhi_epi16(e, f), _mm_unpackhi_epi16(g, h));
    let (uv, uv_too) = (_mm_unpacklo_epi32(ab, cd), _mm_unpacklo_epi32(ef, gh));
    let (w, w_too) = (_mm_unpackhi_epi32(ab, cd), _mm_unpackhi_epi32(ef, gh));
    let columns = [
        _mm256_set_m128i(_mm_unpacklo_epi64(uv, uv_too), _mm_unpacklo_epi64(xy, xy_too)),
        _mm256_set_m128i(_mm_unpackhi_epi64(uv, uv_too), _mm_unpackhi_epi64(xy, xy_too)),
        _mm256_set_m128i(_mm_unpacklo_epi64(w, w_too), _mm_unpacklo_epi64(z, z_too)),
    ];
    // SAFETY: three registers are as large as three times sixteen numbers of 16 bits.
    out.0 = unsafe { std::mem::transmute::<[__m256i; 3], [[u16; 16]; 3]>(columns) };
}

/// Bytes of an asking corner for one axis: its upper end eight times, then the complement of its
/// lower end.
#[target_feature(enable = "avx2")]
fn picked(axis: i16) -> __m256i {
    let (upper, lower) = ((2 * axis) * 0x101 + 0x100, (2 * axis + 8) * 0x101 + 0x100);
    _mm256_set_m128i(_mm_set1_epi16(lower), _mm_set1_epi16(upper))
}

#[inline]
#[target_feature(enable = "avx2")]
fn meets(asking: &Asking, asked: &Asked) -> u64 {
    let (x, y, z) = (picked(0), picked(1), picked(2));
    // SAFETY: sixteen numbers of 16 bits are a register.
    let [p, q, r] = unsafe { std::mem::transmute::<[[u16; 16]; 3], [__m256i; 3]>(asked.0) };
    let over = |i: usize| {
        // SAFETY: a corner is 16 readable bytes.
        let corner = unsafe { _mm_loadu_si128(asking.0[i].as_ptr().cast()) };
        let corner = _mm256_broadcastsi128_si256(corner);
        let one = _mm256_subs_epu16(p, _mm256_shuffle_epi8(corner, x));
        let two = _mm256_subs_epu16(q, _mm256_shuffle_epi8(corner, y));
        let three = _mm256_subs_epu16(r, _mm256_shuffle_epi8(corner, z));
        let all = _mm256_or_si256(_mm256_or_si256(one, two), three);
        let both = _mm_or_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
        _mm_cmpeq_epi16(both, _mm_setzero_si128())
    };
    let sixteen = |i: usize| {
        let packed = _mm_packs_epi16(over(i), over(i + 1));
        u64::from(_mm_movemask_epi8(packed) as u16) << (8 * i)
    };
    sixteen(0) | sixteen(2) | sixteen(4) | sixteen(6)
}

#[target_feature(enable = "avx2")]
pub(super) fn descend(
    trees: (&[Asking], &[Asked], Pairing),
    nodes: &[[u32; 2]],
    out: (&mut Vec<[u32; 2]>, usize),
) -> bool {
    super::descend_by(trees, nodes, out, |a, b| meets(a, b))
}

#[target_feature(enable = "avx2")]
pub(super) fn meet(
    runs: (&Opened<Asking>, &Opened<Asked>, Pairing),
    names: [&[u32]; 2],
    out: &mut Vec<[u32; 2]>,
) -> u64 {
    super::meet_by(runs, names, out, |a, b| meets(a, b))
}
