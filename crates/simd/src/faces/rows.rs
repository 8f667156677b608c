//! Boxes of faces in the cells of a lattice that they reach, and which of them a box meets.
//!
//! Faces stand in every cell they reach, so a pair may be met in several; it counts in the cell of the
//! greater of both lower cells. Only cells with faces take memory: a bit per cell tells which those
//! are, and the bits before it at which place. In a cell boxes stand eight by eight.

#[cfg(target_arch = "x86_64")]
use crate::lanes32::{Avx2, Avx8};
use crate::lanes32::{Lanes8, Scalar8};
use std::ops::Range;

/// A face: the lower corner of its box, its lowest cells, the upper corner, its name. Corners are
/// rounded from f64, which is monotone, so that boxes that share a point still do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
struct Entry {
    low: [f32; 3],
    cells: u32,
    high: [f32; 3],
    name: u32,
}

/// Faces with the cells that they reach.
#[derive(Clone, Debug, Default)]
pub struct Faces {
    names: Vec<u32>,
    /// Their lowest and highest cells.
    pub reach: Vec<[u32; 2]>,
    entries: Vec<Entry>,
}

impl Faces {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.names.clear();
        self.reach.clear();
    }

    /// One more.
    #[inline(always)]
    pub fn push(&mut self, name: u32, reach: [u32; 2]) {
        self.names.push(name);
        self.reach.push(reach);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Makes their boxes, seen from `origin`.
    ///
    /// # Panics
    /// If a face or a vertex is not there.
    pub fn surround(&mut self, points: &[[f64; 3]], triangles: &[[u32; 3]], origin: [f64; 3]) {
        self.entries.resize(self.names.len(), Entry::default());
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                x86::surround(self, points, triangles, origin);
            }
            return;
        }
        self.surround_scalar(points, triangles, origin);
    }

    fn surround_scalar(&mut self, points: &[[f64; 3]], triangles: &[[u32; 3]], origin: [f64; 3]) {
        let all = self.names.iter().zip(&self.reach).zip(&mut self.entries);
        for ((&name, reach), entry) in all {
            let [p, q, r] = triangles[name as usize].map(|v| &points[v as usize]);
            for k in 0..3 {
                entry.low[k] = (p[k].min(q[k]).min(r[k]) - origin[k]) as f32;
                entry.high[k] = (p[k].max(q[k]).max(r[k]) - origin[k]) as f32;
            }
            (entry.cells, entry.name) = (reach[0] & AXES, name);
        }
    }
}

/// How many rows there can be.
pub const ROWS: usize = 64 * 64;

/// Which cells are reached by something: a word per row of cells with the same y and z, a bit per cell
/// along x.
pub type Bits = [u64; ROWS];

/// The number of the row of some cells.
#[inline(always)]
pub fn row(cells: u32) -> usize {
    (cells >> 8 & 63 | cells >> 10 & 0xfc0) as usize
}

/// The cells between two along x, as bits.
#[inline(always)]
pub fn between(low: u32, high: u32) -> u64 {
    (2u64 << (high & 63)).wrapping_sub(1u64 << (low & 63))
}

/// Up to eight boxes, column by column.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Block {
    low: [[f32; 8]; 3],
    high: [[f32; 8]; 3],
    cells: [u32; 8],
    names: [u32; 8],
}

/// Nothing is met in vacant lanes.
const NOTHING: Block =
    Block { low: [[f32::NAN; 8]; 3], high: [[f32::NAN; 8]; 3], cells: [0; 8], names: [0; 8] };

impl Block {
    #[inline(always)]
    fn set(&mut self, lane: usize, entry: &Entry) {
        for k in 0..3 {
            self.low[k][lane & 7] = entry.low[k];
            self.high[k][lane & 7] = entry.high[k];
        }
        self.cells[lane & 7] = entry.cells;
        self.names[lane & 7] = entry.name;
    }
}

/// Boxes, cell after cell; kept and filled again.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// By row: how many cells with faces there are before it.
    before: Vec<u32>,
    /// By cell with faces: how many they are, and the block at which its list begins.
    cells: Vec<[u32; 2]>,
    blocks: Vec<Block>,
}

const AXES: u32 = 0x00ff_ffff;
const Y: u32 = 0x3f00;
const Z: u32 = 0x3f_0000;

impl Rows {
    /// Takes in faces with their boxes, all of whose cells are marked.
    pub fn fill(&mut self, faces: &Faces, bits: &Bits) {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 and what came with it was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                x86::fill(self, faces, bits);
            }
            return;
        }
        fill(self, faces, bits);
    }

    /// Takes in all faces as if there were one cell.
    pub fn fill_one(&mut self, faces: &Faces) {
        self.blocks.clear();
        for eight in faces.entries.chunks(8) {
            let mut block = NOTHING;
            eight.iter().enumerate().for_each(|(lane, entry)| block.set(lane, entry));
            self.blocks.push(block);
        }
    }

    /// Adds the pairs of names of all faces that were taken in and the faces of `others` at some places
    /// whose boxes share a point, each once. Returns how many pairs of boxes were looked at.
    #[inline]
    pub fn meet(
        &self,
        bits: &Bits,
        others: (&Faces, Range<usize>),
        out: &mut Vec<[u32; 2]>,
    ) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 and what came with it was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            return unsafe { x86::meet(self, bits, others, out) };
        }
        meet::<Scalar8>(self, bits, others, out)
    }

    /// The same after [`Rows::fill_one`].
    #[inline]
    pub fn meet_one(&self, others: (&Faces, Range<usize>), out: &mut Vec<[u32; 2]>) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 and what came with it was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            return unsafe { x86::meet_one(self, others, out) };
        }
        meet_one::<Scalar8>(self, others, out)
    }
}

/// A box that others are held against.
#[derive(Clone, Copy)]
struct Against<L> {
    low: [L; 3],
    high: [L; 3],
}

impl<L: Lanes8> Against<L> {
    #[inline(always)]
    fn of(entry: &Entry) -> Self {
        let ([a, b, c], [d, e, f]) = (entry.low, entry.high);
        Self {
            low: [L::splat(a), L::splat(b), L::splat(c)],
            high: [L::splat(d), L::splat(e), L::splat(f)],
        }
    }

    #[inline(always)]
    fn overlaps(&self, block: &Block) -> u8 {
        let mut all = L::load(&block.low[0]).le_mask(self.high[0]);
        all = L::and(all, self.low[0].le_mask(L::load(&block.high[0])));
        all = L::and(all, L::load(&block.low[1]).le_mask(self.high[1]));
        all = L::and(all, self.low[1].le_mask(L::load(&block.high[1])));
        all = L::and(all, L::load(&block.low[2]).le_mask(self.high[2]));
        all = L::and(all, self.low[2].le_mask(L::load(&block.high[2])));
        L::bits(all)
    }
}

#[inline(always)]
fn fill(rows: &mut Rows, faces: &Faces, bits: &Bits) {
    let Rows { before, cells, blocks } = rows;
    let mut count = 0;
    before.resize(ROWS, 0);
    for (before, &bits) in before.iter_mut().zip(bits) {
        *before = count;
        count += bits.count_ones();
    }
    cells.clear();
    cells.resize(count as usize, [0; 2]);
    for &[low, high] in &faces.reach {
        let wide = ((high & 63) - (low & 63) + 1) as usize;
        let mut z = low & Z;
        while z <= high & Z {
            let mut y = low & Y;
            while y <= high & Y {
                let at = place(before, bits, low & 63 | y | z);
                for cell in &mut cells[at..at + wide] {
                    cell[0] += 1;
                }
                y += 0x100;
            }
            z += 0x1_0000;
        }
    }
    let mut next = 0;
    for cell in cells.iter_mut() {
        let needed = cell[0].div_ceil(8);
        *cell = [0, next];
        next += needed;
    }
    if blocks.len() < next as usize {
        blocks.resize(next as usize, NOTHING);
    }
    // Only the last block of a cell may have vacant lanes, and one column is enough to tell.
    let ends = cells.iter().skip(1).map(|cell| cell[1]).chain([next]);
    for end in ends.filter(|&end| end > 0) {
        blocks[end as usize - 1].low[0] = [f32::NAN; 8];
    }
    for (&[low, high], entry) in faces.reach.iter().zip(&faces.entries) {
        let wide = ((high & 63) - (low & 63) + 1) as usize;
        let mut z = low & Z;
        while z <= high & Z {
            let mut y = low & Y;
            while y <= high & Y {
                let at = place(before, bits, low & 63 | y | z);
                for cell in &mut cells[at..at + wide] {
                    let number = cell[0] as usize;
                    cell[0] += 1;
                    blocks[cell[1] as usize + number / 8].set(number % 8, entry);
                }
                y += 0x100;
            }
            z += 0x1_0000;
        }
    }
}

/// The place of a cell, or of the next one that has faces, among those of its row and after.
#[inline(always)]
fn place(before: &[u32], bits: &Bits, cells: u32) -> usize {
    let row = row(cells);
    let below = bits[row] & ((1u64 << (cells & 63)) - 1);
    (before[row] + below.count_ones()) as usize
}

#[inline(always)]
fn meet<L: Lanes8>(
    rows: &Rows,
    bits: &Bits,
    (others, places): (&Faces, Range<usize>),
    out: &mut Vec<[u32; 2]>,
) -> u64 {
    let mut looked = 0;
    let some = others.reach[places.clone()].iter().zip(&others.entries[places]);
    for (&[low, high], entry) in some {
        let against = Against::<L>::of(entry);
        let wanted = between(low, high);
        let mut z = low & Z;
        while z <= high & Z {
            let mut y = low & Y;
            while y <= high & Y {
                let mut left = bits[row(y | z)] & wanted;
                let mut at = place(&rows.before, bits, low & 63 | y | z);
                while left != 0 {
                    let cell = left.trailing_zeros() | y | z;
                    left &= left - 1;
                    let [count, first] = rows.cells[at];
                    at += 1;
                    looked += u64::from(count);
                    let list = &rows.blocks[first as usize..][..count.div_ceil(8) as usize];
                    for block in list {
                        let mut set = against.overlaps(block);
                        while set != 0 {
                            let lane = set.trailing_zeros() as usize;
                            set &= set - 1;
                            if greater(block.cells[lane], entry.cells) == cell {
                                out.push([block.names[lane], entry.name]);
                            }
                        }
                    }
                }
                y += 0x100;
            }
            z += 0x1_0000;
        }
    }
    looked
}

#[inline(always)]
fn meet_one<L: Lanes8>(
    rows: &Rows,
    (others, places): (&Faces, Range<usize>),
    out: &mut Vec<[u32; 2]>,
) -> u64 {
    let looked = 8 * rows.blocks.len() * places.len();
    for entry in &others.entries[places] {
        let against = Against::<L>::of(entry);
        for block in &rows.blocks {
            let mut set = against.overlaps(block);
            while set != 0 {
                out.push([block.names[set.trailing_zeros() as usize], entry.name]);
                set &= set - 1;
            }
        }
    }
    looked as u64
}

/// The greater of both, byte by byte.
#[inline(always)]
fn greater(a: u32, b: u32) -> u32 {
    let ([x, y, z, _], [u, v, w, _]) = (a.to_le_bytes(), b.to_le_bytes());
    u32::from_le_bytes([x.max(u), y.max(v), z.max(w), 0])
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "intrinsics that the detected CPU is known to have")]

    use super::{AXES, Avx8, Bits, Faces, Rows};
    use std::arch::x86_64::*;
    use std::ops::Range;

    #[target_feature(enable = "avx2,fma,popcnt")]
    pub(super) fn fill(rows: &mut Rows, faces: &Faces, bits: &Bits) {
        super::fill(rows, faces, bits);
    }

    #[target_feature(enable = "avx2,fma,popcnt")]
    pub(super) fn meet(
        rows: &Rows,
        bits: &Bits,
        others: (&Faces, Range<usize>),
        out: &mut Vec<[u32; 2]>,
    ) -> u64 {
        super::meet::<Avx8>(rows, bits, others, out)
    }

    #[target_feature(enable = "avx2,fma,popcnt")]
    pub(super) fn meet_one(
        rows: &Rows,
        others: (&Faces, Range<usize>),
        out: &mut Vec<[u32; 2]>,
    ) -> u64 {
        super::meet_one::<Avx8>(rows, others, out)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn surround(
        faces: &mut Faces,
        points: &[[f64; 3]],
        triangles: &[[u32; 3]],
        [x, y, z]: [f64; 3],
    ) {
        let three = _mm256_setr_epi64x(-1, -1, -1, 0);
        let origin = _mm256_setr_pd(x, y, z, 0.0);
        let all = faces.names.iter().zip(&faces.reach).zip(&mut faces.entries);
        for ((&name, reach), entry) in all {
            let [p, q, r] = triangles[name as usize].map(|v| points[v as usize].as_ptr());
            // SAFETY: only the three lanes that are a point are read, and an entry is 32 aligned
            // writable bytes.
            unsafe {
                let p = _mm256_maskload_pd(p, three);
                let q = _mm256_maskload_pd(q, three);
                let r = _mm256_maskload_pd(r, three);
                let low = _mm256_min_pd(_mm256_min_pd(p, q), r);
                let high = _mm256_max_pd(_mm256_max_pd(p, q), r);
                let low = _mm256_cvtpd_ps(_mm256_sub_pd(low, origin));
                let high = _mm256_cvtpd_ps(_mm256_sub_pd(high, origin));
                _mm256_store_ps(std::ptr::from_mut(entry).cast(), _mm256_set_m128(high, low));
            }
            (entry.cells, entry.name) = (reach[0] & AXES, name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faces::Lattice;
    use proptest::prelude::*;

    fn faces(lattice: &Lattice, triangles: &[([f64; 3], f64)]) -> Faces {
        let mut faces = Faces::default();
        let mut points = Vec::new();
        for (name, (at, size)) in (0..).zip(triangles) {
            let end = at.map(|x| x + size);
            faces.push(name, [lattice.cells(at), lattice.cells(&end)]);
            points.extend([*at, end, *at]);
        }
        let corners: Vec<[u32; 3]> =
            (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        faces.surround(&points, &corners, [1.0, 2.0, 3.0]);
        let mut twin = faces.clone();
        twin.surround_scalar(&points, &corners, [1.0, 2.0, 3.0]);
        assert_eq!(faces.entries, twin.entries);
        faces
    }

    fn overlap(a: &Entry, b: &Entry) -> bool {
        (0..3).all(|k| a.low[k] <= b.high[k] && b.low[k] <= a.high[k])
    }

    proptest! {
        #[test]
        fn each_overlapping_pair_is_met_once(
            a in prop::collection::vec((prop::array::uniform3(0.0..9.0f64), 0.0..2.0f64), 0..60),
            b in prop::collection::vec((prop::array::uniform3(0.0..9.0f64), 0.0..2.0f64), 1..40),
            cells in prop::array::uniform3(1u8..20),
        ) {
            let lattice = Lattice::of([0.0; 3], [11.0; 3], cells);
            let (a, b) = (faces(&lattice, &a), faces(&lattice, &b));
            let mut bits: Box<Bits> = Box::new([0; ROWS]);
            for &[low, high] in &a.reach {
                for z in low >> 16..=high >> 16 {
                    for y in low >> 8 & 63..=high >> 8 & 63 {
                        bits[row(y << 8 | z << 16)] |= between(low, high);
                    }
                }
            }
            let mut rows = Rows::default();
            rows.fill(&a, &bits);
            let (mut found, mut twin, mut all) = (Vec::new(), Vec::new(), Vec::new());
            let looked = rows.meet(&bits, (&b, 0..b.len()), &mut found);
            prop_assert_eq!(looked, meet::<Scalar8>(&rows, &bits, (&b, 0..b.len()), &mut twin));
            prop_assert_eq!(&found, &twin);
            rows.fill_one(&a);
            rows.meet_one((&b, 0..b.len()), &mut all);
            let mut expected = Vec::new();
            for one in &a.entries {
                for other in &b.entries {
                    if overlap(one, other) {
                        expected.push([one.name, other.name]);
                    }
                }
            }
            all.sort_unstable();
            prop_assert_eq!(&all, &expected);
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
