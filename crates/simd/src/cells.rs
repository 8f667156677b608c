//! The boxes of one cell of a grid, held against each other and against others, eight at a time.
//!
//! A box may lie in several cells. So that each pair is found in one of them only, a pair counts
//! where on each axis at least one of the two starts in the cell: that is the cell of the lowest
//! corner of what the two share. A cell therefore knows the corner `from` at which it begins.
//!
//! Hits are collected in words of 64 boxes before anything is done about them: a branch per word
//! is foreseen far more often than a branch per eight boxes.

#[cfg(target_arch = "x86_64")]
use crate::lanes32::{Avx2, Avx8};
use crate::lanes32::{Lanes8, Scalar8};
use std::ops::Range;

/// Eight boxes, column by column: minus min x y z, then max x y z.
type Boxes8 = [[f32; 8]; 6];

/// No comparison with these is true, not even with an infinite box.
const NOTHING: Boxes8 = [[f32::NAN; 8]; 6];

/// The boxes of a cell; kept and filled again.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    ids: Vec<u32>,
    from: [f32; 3],
    blocks: Vec<Boxes8>,
    /// For each 64 boxes and each axis: which of them start in the cell.
    starts: Vec<[u64; 3]>,
}

impl Cell {
    /// Takes the boxes `ids` of a table for a cell that begins at `from`. Each of them must reach
    /// into the cell.
    pub fn fill(&mut self, table: &[[f32; 6]], ids: impl Iterator<Item = u32>, from: [f32; 3]) {
        self.ids.clear();
        self.ids.extend(ids);
        self.from = from;
        self.blocks.resize(self.ids.len().div_ceil(8), NOTHING);
        self.starts.resize(self.blocks.len().div_ceil(8), [0; 3]);
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                load_avx2(self, table);
            }
            return;
        }
        load::<Scalar8>(self, table);
    }

    /// How many boxes it holds.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Adds to `out` the pairs of ids whose closed boxes share a point and that belong to this
    /// cell: each box of the cell at a place in `rows` with all those at later places.
    pub fn pairs(&self, rows: Range<usize>, out: &mut Vec<[u32; 2]>) {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                meet_itself_avx2(self, rows, out);
            }
            return;
        }
        meet_itself::<Scalar8>(self, rows, out);
    }

    /// The same for other boxes of a table, each with all of the cell.
    pub fn pairs_with(&self, table: &[[f32; 6]], ids: &[u32], out: &mut Vec<[u32; 2]>) {
        let others = Others { table, ids };
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            unsafe {
                meet_others_avx2(self, &others, out);
            }
            return;
        }
        meet_others::<Scalar8>(self, &others, out);
    }

    /// The memory it holds.
    pub fn bytes(&self) -> usize {
        4 * self.ids.capacity()
            + size_of::<Boxes8>() * self.blocks.capacity()
            + 24 * self.starts.capacity()
    }
}

/// A box that a cell is held against.
struct Row {
    id: u32,
    row: [f32; 6],
    /// The first box of the cell that matters.
    first: usize,
}

/// Boxes that are not of the cell.
struct Others<'a> {
    table: &'a [[f32; 6]],
    ids: &'a [u32],
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn load_avx2(cell: &mut Cell, table: &[[f32; 6]]) {
    load::<Avx8>(cell, table);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn meet_itself_avx2(cell: &Cell, rows: Range<usize>, out: &mut Vec<[u32; 2]>) {
    meet_itself::<Avx8>(cell, rows, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn meet_others_avx2(cell: &Cell, others: &Others<'_>, out: &mut Vec<[u32; 2]>) {
    meet_others::<Avx8>(cell, others, out);
}

#[inline(always)]
fn load<L: Lanes8>(cell: &mut Cell, table: &[[f32; 6]]) {
    let Cell { ids, from, blocks, starts } = cell;
    if let Some(last) = blocks.last_mut() {
        *last = NOTHING;
    }
    let mut i = 0;
    while i < ids.len() {
        let [a, b, c, d, e, f] = table[ids[i] as usize];
        let block = &mut blocks[i / 8];
        let lane = i % 8;
        block[0][lane] = -a;
        block[1][lane] = -b;
        block[2][lane] = -c;
        block[3][lane] = d;
        block[4][lane] = e;
        block[5][lane] = f;
        i += 1;
    }
    let from = [L::splat(-from[0]), L::splat(-from[1]), L::splat(-from[2])];
    let mut b = 0;
    while b < blocks.len() {
        let words = &mut starts[b / 8];
        for k in 0..3 {
            let bits = L::load(&blocks[b][k]).le(from[k]);
            // The first block of a word takes the place of what was there.
            let earlier = if b % 8 == 0 { 0 } else { words[k] };
            words[k] = earlier | u64::from(bits) << (8 * (b % 8));
        }
        b += 1;
    }
}

/// Rows that are boxes of the cell.
#[inline(always)]
fn meet_itself<L: Lanes8>(cell: &Cell, rows: Range<usize>, out: &mut Vec<[u32; 2]>) {
    let mut i = rows.start;
    while i < rows.end {
        let block = &cell.blocks[i / 8];
        let row = [
            -block[0][i % 8],
            -block[1][i % 8],
            -block[2][i % 8],
            block[3][i % 8],
            block[4][i % 8],
            block[5][i % 8],
        ];
        meet::<L>(cell, &Row { id: cell.ids[i], row, first: i + 1 }, out);
        i += 1;
    }
}

/// Other rows.
#[inline(always)]
fn meet_others<L: Lanes8>(cell: &Cell, others: &Others<'_>, out: &mut Vec<[u32; 2]>) {
    let mut i = 0;
    while i < others.ids.len() {
        let id = others.ids[i];
        meet::<L>(cell, &Row { id, row: others.table[id as usize], first: 0 }, out);
        i += 1;
    }
}

#[inline(always)]
fn meet<L: Lanes8>(cell: &Cell, row: &Row, out: &mut Vec<[u32; 2]>) {
    let [a, b, c, d, e, f] = row.row;
    let row_lanes =
        [L::splat(-d), L::splat(-e), L::splat(-f), L::splat(a), L::splat(b), L::splat(c)];
    let blocks = &cell.blocks[..];
    let mut b = row.first / 8;
    let mut wanted = !0 << (row.first % 64);
    while b < blocks.len() {
        let word = b / 8;
        let end = blocks.len().min(8 * word + 8);
        let mut hits = 0u64;
        // The last block goes to the lowest byte, which needs no count of them; then they turn.
        let empty = 8 * (8 * word + 8 - end);
        while b < end {
            hits = hits << 8 | u64::from(overlap::<L>(&row_lanes, &blocks[b]));
            b += 1;
        }
        hits = hits.swap_bytes() >> empty & wanted;
        wanted = !0;
        if hits != 0 {
            emit(cell, row, [word as u64, hits], out);
        }
    }
}

/// All six comparisons in the form `row <= block`, which the lower ends have because both sides are
/// negated: so each can read the block from memory.
#[inline(always)]
fn overlap<L: Lanes8>(row: &[L; 6], block: &Boxes8) -> u8 {
    let mut all = row[0].le(L::load(&block[0]));
    all &= row[1].le(L::load(&block[1]));
    all &= row[2].le(L::load(&block[2]));
    all &= row[3].le(L::load(&block[3]));
    all &= row[4].le(L::load(&block[4]));
    all & row[5].le(L::load(&block[5]))
}

/// Adds the pairs of a row with a word of boxes that belong to the cell. Apart, so that the loop
/// around it keeps its registers.
#[inline(never)]
fn emit(cell: &Cell, row: &Row, [word, mut hits]: [u64; 2], out: &mut Vec<[u32; 2]>) {
    let word = word as usize;
    for k in 0..3 {
        // What starts in the cell goes with all; the rest with what starts here.
        hits &= if row.row[k] >= cell.from[k] { !0 } else { cell.starts[word][k] };
    }
    let ids = &cell.ids[64 * word..];
    out.reserve(64);
    let Some(spare) = out.spare_capacity_mut().first_chunk_mut::<64>() else { return };
    let mut count = 0;
    while hits != 0 {
        spare[count & 63].write([row.id, ids[hits.trailing_zeros() as usize]]);
        hits &= hits - 1;
        count += 1;
    }
    // SAFETY: a word has at most 64 bits, so the places up to `count` were just written.
    #[expect(unsafe_code, reason = "a check per pair would cost more than the pair")]
    unsafe {
        out.set_len(out.len() + count);
    }
}

/// Asks for boxes that will soon be needed.
#[inline]
pub fn prefetch(table: &[[f32; 6]], ids: impl Iterator<Item = u32>) {
    #[cfg(target_arch = "x86_64")]
    for id in ids {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        if let Some(one) = table.get(id as usize) {
            // SAFETY: a hint that reads nothing; every x86-64 has it.
            #[expect(unsafe_code, reason = "an intrinsic")]
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(one.as_ptr().cast());
                _mm_prefetch::<_MM_HINT_T0>(one[5..].as_ptr().cast());
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (table, ids);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn boxes(table: &[[i8; 6]]) -> Vec<[f32; 6]> {
        let ends = |x: i8| match x {
            -3 => f32::NEG_INFINITY,
            3 => f32::INFINITY,
            _ => f32::from(x),
        };
        let order = |one: &[i8; 6]| {
            std::array::from_fn(|k| {
                let (a, b) = (one[k % 3], one[k % 3 + 3]);
                ends(if k < 3 { a.min(b) } else { a.max(b) })
            })
        };
        table.iter().map(order).collect()
    }

    fn belongs(a: &[f32; 6], b: &[f32; 6], from: &[f32; 3]) -> bool {
        (0..3).all(|k| a[k] <= b[k + 3] && b[k] <= a[k + 3] && a[k].max(b[k]) >= from[k])
    }

    proptest! {
        #[test]
        fn both_forms_agree_with_the_definition(
            table in prop::collection::vec(prop::array::uniform6(-3i8..4), 1..200),
            from in prop::array::uniform3(-3i8..2),
            split in 0.0..1.0f64,
            range in prop::array::uniform2(0.0..1.0f64),
        ) {
            let table = boxes(&table);
            let from = from.map(f32::from);
            let count = (split * table.len() as f64) as usize;
            let mut rows = range.map(|x| (x * count as f64) as usize);
            rows.sort_unstable();
            let others: Vec<u32> = (count as u32..table.len() as u32).collect();

            let mut expected = Vec::new();
            let hit = |a: usize, b: usize| belongs(&table[a], &table[b], &from);
            for a in rows[0]..rows[1] {
                expected.extend((a + 1..count).filter(|&b| hit(a, b)).map(|b| [a as u32, b as u32]));
            }
            for a in count..table.len() {
                expected.extend((0..count).filter(|&b| hit(a, b)).map(|b| [a as u32, b as u32]));
            }

            let mut cell = Cell::default();
            cell.fill(&table, 0..table.len() as u32, [0.0; 3]);
            cell.fill(&table, 0..count as u32, from);
            let mut out = Vec::new();
            cell.pairs(rows[0]..rows[1], &mut out);
            cell.pairs_with(&table, &others, &mut out);
            prop_assert_eq!(&out, &expected);

            out.clear();
            load::<Scalar8>(&mut cell, &table);
            meet_itself::<Scalar8>(&cell, rows[0]..rows[1], &mut out);
            meet_others::<Scalar8>(&cell, &Others { table: &table, ids: &others }, &mut out);
            prop_assert_eq!(&out, &expected);
        }
    }
}
