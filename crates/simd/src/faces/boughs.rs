//! Trees of boxes with eight children each, and which boxes of two trees share a point, eight boxes
//! against eight at a time.
//!
//! Coordinates are numbers of steps of a fine lattice, 16 bits each. As with cells that number never
//! falls as the coordinate rises, so that boxes that share a point still do. A box of one tree asks
//! and boxes of the other are asked: the first is kept as its upper corner and the complement of its
//! lower one, the others as lower corners and complements of upper ones. Then boxes share a point
//! exactly if no number of the asked is greater than that of the asking, and the box around some is
//! their greatest or their least, number by number.

use super::points::Ends;
use super::ranges::{Run, VERTICES_MAX};
#[cfg(target_arch = "x86_64")]
use crate::lanes32::Avx2;

/// A lattice of many steps over a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    origin: [f64; 3],
    scale: [f64; 3],
}

/// A corner: its steps along each axis and nothing, then the same with all bits turned.
type Corner = [u16; 8];

/// The steps of the box are 1 to this; so are those of all that is outside.
const LAST: u16 = u16::MAX - 1;
/// What is at these steps shares nothing with anything, as a box that asks and as one that is asked.
const NOBODY: (Corner, u16) = ([0; 8], u16::MAX);

/// Eight boxes that ask, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Asking([Corner; 8]);

/// Eight boxes that are asked: along each axis the lower ends, then the complements of the upper ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Asked([[u16; 16]; 3]);

impl Default for Asking {
    fn default() -> Self {
        Self([NOBODY.0; 8])
    }
}

impl Default for Asked {
    fn default() -> Self {
        Self([[NOBODY.1; 16]; 3])
    }
}

/// Eight boxes of either kind.
pub trait Boxes: Copy + Default {
    /// Takes the place of a box in eight.
    fn set(&mut self, lane: usize, ends: [[u16; 3]; 2]);
    /// Makes the lane the box around eight others.
    fn surround(&mut self, lane: usize, others: &Self);
    /// The steps of the corners of boxes, eight boxes at a time.
    fn of_ends(steps: &Steps, ends: &[Ends], out: &mut Vec<Self>);
    /// The boxes of the faces of some runs, and those around each eight of them.
    fn open<'a>(
        steps: &Steps,
        points: &[[f64; 3]],
        runs: impl Iterator<Item = (Run<'a>, &'a mut Opened<Self>)>,
    ) where
        Self: 'a;
}

/// A run of faces: the boxes around each eight of them, and the boxes of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opened<B> {
    groups: B,
    faces: [B; 8],
}

impl Steps {
    /// So many steps over the box with corners `low` and `high`.
    pub fn of(low: [f64; 3], high: [f64; 3]) -> Self {
        let scale = std::array::from_fn(|k| {
            let width = (high[k] - low[k]).max(low[k].abs().max(high[k].abs()) * f64::EPSILON);
            let scale = f64::from(LAST - 2) / width;
            if scale < f64::MAX { scale } else { f64::MAX }
        });
        Self { origin: low, scale }
    }

    #[inline(always)]
    fn step(&self, axis: usize, x: f64) -> u16 {
        let t = (x - self.origin[axis]) * self.scale[axis] + 1.0;
        let t = if t > 1.0 { t } else { 1.0 };
        let t = if t < f64::from(LAST) { t } else { f64::from(LAST) };
        t as u16
    }

    #[inline(always)]
    fn of_point(&self, point: &[f64; 3]) -> [u16; 3] {
        [self.step(0, point[0]), self.step(1, point[1]), self.step(2, point[2])]
    }
}

fn of_ends_scalar<B: Boxes>(steps: &Steps, ends: &[Ends], out: &mut Vec<B>) {
    for eight in ends.chunks(8) {
        let mut boxes = B::default();
        for (lane, ends) in eight.iter().enumerate() {
            boxes.set(lane, ends.map(|end| steps.of_point(&end)));
        }
        out.push(boxes);
    }
}

/// The boxes around each eight boxes, eight at a time.
pub fn parents<B: Boxes>(children: &[B], out: &mut Vec<B>) {
    out.clear();
    for eight in children.chunks(8) {
        let mut boxes = B::default();
        eight.iter().enumerate().for_each(|(lane, others)| boxes.surround(lane, others));
        out.push(boxes);
    }
}

impl Boxes for Asking {
    #[inline(always)]
    fn set(&mut self, lane: usize, [low, high]: [[u16; 3]; 2]) {
        let ([x, y, z], [u, v, w]) = (high, low);
        self.0[lane] = [x, y, z, 0, !u, !v, !w, 0];
    }

    #[inline(always)]
    fn surround(&mut self, lane: usize, others: &Self) {
        let most = |k: usize| others.0.iter().fold(0, |most, other| other[k].max(most));
        self.0[lane] = std::array::from_fn(most);
    }

    fn of_ends(steps: &Steps, ends: &[Ends], out: &mut Vec<Self>) {
        out.clear();
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                x86::asking_of_ends(steps, ends, out);
            }
            return;
        }
        of_ends_scalar(steps, ends, out);
    }

    fn open<'a>(
        steps: &Steps,
        points: &[[f64; 3]],
        runs: impl Iterator<Item = (Run<'a>, &'a mut Opened<Self>)>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                x86::open_asking(steps, points, runs);
            }
            return;
        }
        runs.for_each(|(run, out)| open_scalar(steps, points, &run, out));
    }
}

impl Boxes for Asked {
    #[inline(always)]
    fn set(&mut self, lane: usize, [low, high]: [[u16; 3]; 2]) {
        for k in 0..3 {
            self.0[k][lane] = low[k];
            self.0[k][8 + lane] = !high[k];
        }
    }

    #[inline(always)]
    fn surround(&mut self, lane: usize, others: &Self) {
        for (own, other) in self.0.iter_mut().zip(&others.0) {
            own[lane] = other[..8].iter().fold(u16::MAX, |least, &x| least.min(x));
            own[8 + lane] = other[8..].iter().fold(u16::MAX, |least, &x| least.min(x));
        }
    }

    fn of_ends(steps: &Steps, ends: &[Ends], out: &mut Vec<Self>) {
        out.clear();
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                x86::asked_of_ends(steps, ends, out);
            }
            return;
        }
        of_ends_scalar(steps, ends, out);
    }

    fn open<'a>(
        steps: &Steps,
        points: &[[f64; 3]],
        runs: impl Iterator<Item = (Run<'a>, &'a mut Opened<Self>)>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                x86::open_asked(steps, points, runs);
            }
            return;
        }
        runs.for_each(|(run, out)| open_scalar(steps, points, &run, out));
    }
}

fn open_scalar<B: Boxes>(steps: &Steps, points: &[[f64; 3]], run: &Run<'_>, out: &mut Opened<B>) {
    let mut corners = [[0; 3]; VERTICES_MAX];
    for (&id, corner) in run.vertices.iter().zip(&mut corners) {
        *corner = steps.of_point(&points[id as usize]);
    }
    *out = Opened::default();
    for ((group, places), faces) in out.faces.iter_mut().zip(run.corners).zip(run.faces.chunks(8)) {
        for lane in 0..faces.len() {
            let [p, q, r] = [0, 1, 2].map(|corner| corners[usize::from(places[corner][lane])]);
            let low = std::array::from_fn(|k| p[k].min(q[k]).min(r[k]));
            let high = std::array::from_fn(|k| p[k].max(q[k]).max(r[k]));
            group.set(lane, [low, high]);
        }
    }
    for (lane, group) in out.faces.iter().enumerate() {
        out.groups.surround(lane, group);
    }
}

/// Which of eight boxes share a point with which of eight others: bit `8 i + j` if the one at `i` of
/// those that ask does with the one at `j` of those that are asked.
#[inline(always)]
fn meets_scalar(asking: &Asking, asked: &Asked) -> u64 {
    let mut all = 0;
    for (i, corner) in asking.0.iter().enumerate() {
        for j in 0..8 {
            let shares =
                (0..3).all(|k| asked.0[k][j] <= corner[k] && asked.0[k][8 + j] <= corner[4 + k]);
            all |= u64::from(shares) << (8 * i + j);
        }
    }
    all
}

/// Which trees, or runs, are held against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Two of them.
    Two,
    /// One against itself: of each pair the earlier comes first, and nothing is paired with itself.
    Itself,
}

impl Pairing {
    /// Which of the pairs of eight with the same eight count: for boxes with more in them also the
    /// same box twice.
    fn kept(self, twice: bool) -> u64 {
        let later = |i: u32| 0xff << i << u32::from(!twice) & 0xff;
        match self {
            Self::Two => u64::MAX,
            Self::Itself => (0..8).fold(0, |all, i| all | later(i) << (8 * i)),
        }
    }
}

/// Goes from pairs of nodes to those of their children that share a point, until there are `most`;
/// false if there are more.
pub fn descend(
    trees: (&[Asking], &[Asked], Pairing),
    nodes: &[[u32; 2]],
    (out, most): (&mut Vec<[u32; 2]>, usize),
) -> bool {
    out.clear();
    #[cfg(target_arch = "x86_64")]
    if Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        return unsafe { x86::descend(trees, nodes, (out, most)) };
    }
    descend_by(trees, nodes, (out, most), meets_scalar)
}

#[inline(always)]
fn descend_by(
    (asking, asked, pairing): (&[Asking], &[Asked], Pairing),
    nodes: &[[u32; 2]],
    (out, most): (&mut Vec<[u32; 2]>, usize),
    meets: impl Fn(&Asking, &Asked) -> u64,
) -> bool {
    let kept = pairing.kept(true);
    for &[i, j] in nodes {
        let mut set = meets(&asking[i as usize], &asked[j as usize]);
        set &= if i == j { kept } else { u64::MAX };
        while set != 0 {
            let bit = set.trailing_zeros();
            set &= set - 1;
            out.push([8 * i + bit / 8, 8 * j + bit % 8]);
        }
        if out.len() > most {
            return false;
        }
    }
    true
}

/// Adds the pairs of names of faces of two runs whose boxes share a point, each once. Returns how many
/// pairs of boxes were looked at.
#[inline]
pub fn meet(
    runs: (&Opened<Asking>, &Opened<Asked>, Pairing),
    names: [&[u32]; 2],
    out: &mut Vec<[u32; 2]>,
) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        return unsafe { x86::meet(runs, names, out) };
    }
    meet_by(runs, names, out, meets_scalar)
}

#[inline(always)]
fn meet_by(
    (a, b, pairing): (&Opened<Asking>, &Opened<Asked>, Pairing),
    names: [&[u32]; 2],
    out: &mut Vec<[u32; 2]>,
    meets: impl Fn(&Asking, &Asked) -> u64,
) -> u64 {
    let mut groups = meets(&a.groups, &b.groups) & pairing.kept(true);
    let kept = pairing.kept(false);
    let looked = 64 * (1 + u64::from(groups.count_ones()));
    while groups != 0 {
        let bit = groups.trailing_zeros() as usize;
        groups &= groups - 1;
        let (i, j) = (bit / 8, bit % 8);
        let mut set = meets(&a.faces[i], &b.faces[j]);
        set &= if i == j { kept } else { u64::MAX };
        while set != 0 {
            let bit = set.trailing_zeros() as usize;
            set &= set - 1;
            out.push([names[0][8 * i + bit / 8], names[1][8 * j + bit % 8]]);
        }
    }
    looked
}

#[cfg(target_arch = "x86_64")]
mod x86 {
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
            let both =
                _mm_or_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
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
}

#[cfg(test)]
mod tests;
