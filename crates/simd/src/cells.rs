//! The boxes of one cell of a grid, held against each other and against others, eight at a time.
//!
//! A box may lie in several cells. So that each pair is found in one of them only, a pair counts
//! where on each axis at least one of the two starts in the cell: that is the cell of the lowest
//! corner of what the two share. A cell therefore knows the corner `from` at which it begins.
//!
//! Eight boxes are held against eight before anything is done about hits: a branch per 64 tests is
//! foreseen more often than one per eight, and loops that short are not foreseen at all.

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
    /// For each eight boxes and each axis: which of them start in the cell.
    starts: Vec<[u8; 3]>,
}

impl Cell {
    /// Takes the boxes `ids` of a table for a cell that begins at `from`. Each of them must reach
    /// into the cell.
    pub fn fill(&mut self, table: &[[f32; 6]], ids: impl Iterator<Item = u32>, from: [f32; 3]) {
        self.ids.clear();
        self.ids.extend(ids);
        self.from = from;
        self.blocks.resize(self.ids.len().div_ceil(8), NOTHING);
        self.starts.resize(self.blocks.len(), [0; 3]);
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
    /// cell: each box of the cell with all those at later places, for the boxes at places
    /// `8 * rows.start .. 8 * rows.end`.
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
            + 3 * self.starts.capacity()
    }
}

/// Up to eight boxes that a cell is held against.
struct Rows<'a> {
    boxes: &'a Boxes8,
    starts: [u8; 3],
    ids: &'a [u32],
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
    let mut b = 0;
    while b < blocks.len() {
        let end = ids.len().min(8 * b + 8);
        load_block(&Others { table, ids: &ids[8 * b..end] }, &mut blocks[b]);
        starts[b] = starts_of::<L>(&blocks[b], from);
        b += 1;
    }
}

/// The first eight boxes of a list, or as many as there are.
#[inline(always)]
fn load_block(others: &Others<'_>, block: &mut Boxes8) {
    if others.ids.len() < 8 {
        *block = NOTHING;
    }
    let mut lane = 0;
    while lane < others.ids.len().min(8) {
        let [a, b, c, d, e, f] = others.table[others.ids[lane] as usize];
        block[0][lane] = -a;
        block[1][lane] = -b;
        block[2][lane] = -c;
        block[3][lane] = d;
        block[4][lane] = e;
        block[5][lane] = f;
        lane += 1;
    }
}

/// For each axis, which of eight boxes start in a cell.
#[inline(always)]
fn starts_of<L: Lanes8>(block: &Boxes8, from: &[f32; 3]) -> [u8; 3] {
    [
        L::load(&block[0]).le(L::splat(-from[0])),
        L::load(&block[1]).le(L::splat(-from[1])),
        L::load(&block[2]).le(L::splat(-from[2])),
    ]
}

/// Rows that are boxes of the cell.
#[inline(always)]
fn meet_itself<L: Lanes8>(cell: &Cell, rows: Range<usize>, out: &mut Vec<[u32; 2]>) {
    let mut r = rows.start;
    while r < rows.end {
        let rows = Rows { boxes: &cell.blocks[r], starts: cell.starts[r], ids: &cell.ids[8 * r..] };
        // Of the block against itself, each row goes with what comes after it.
        let tile = overlaps::<L>(rows.boxes, &cell.blocks[r]) & 0x0080_c0e0_f0f8_fcfe;
        if tile != 0 {
            emit(cell, &rows, [r as u64, tile], out);
        }
        meet::<L>(cell, &rows, r + 1, out);
        r += 1;
    }
}

/// Other rows.
#[inline(always)]
fn meet_others<L: Lanes8>(cell: &Cell, others: &Others<'_>, out: &mut Vec<[u32; 2]>) {
    let mut boxes = NOTHING;
    let mut i = 0;
    while i < others.ids.len() {
        let ids = &others.ids[i..];
        load_block(&Others { table: others.table, ids }, &mut boxes);
        let starts = starts_of::<L>(&boxes, &cell.from);
        meet::<L>(cell, &Rows { boxes: &boxes, starts, ids }, 0, out);
        i += 8;
    }
}

/// Rows against the blocks of the cell from the one at place `b` on.
#[inline(always)]
fn meet<L: Lanes8>(cell: &Cell, rows: &Rows<'_>, mut b: usize, out: &mut Vec<[u32; 2]>) {
    while b < cell.blocks.len() {
        let tile = overlaps::<L>(rows.boxes, &cell.blocks[b]);
        if tile != 0 {
            emit(cell, rows, [b as u64, tile], out);
        }
        b += 1;
    }
}

/// Eight boxes against eight: a byte per row, a bit per column.
#[inline(always)]
fn overlaps<L: Lanes8>(rows: &Boxes8, columns: &Boxes8) -> u64 {
    let zero = L::splat(-0.0);
    // Negated in turn, so that all comparisons are with what rows hold.
    let columns = [
        zero.sub(L::load(&columns[3])),
        zero.sub(L::load(&columns[4])),
        zero.sub(L::load(&columns[5])),
        zero.sub(L::load(&columns[0])),
        zero.sub(L::load(&columns[1])),
        zero.sub(L::load(&columns[2])),
    ];
    let mut tile = 0;
    let mut i = 0;
    while i < 8 {
        let mut bits = columns[0].le(L::splat(rows[0][i]));
        bits &= columns[1].le(L::splat(rows[1][i]));
        bits &= columns[2].le(L::splat(rows[2][i]));
        bits &= columns[3].le(L::splat(rows[3][i]));
        bits &= columns[4].le(L::splat(rows[4][i]));
        bits &= columns[5].le(L::splat(rows[5][i]));
        tile |= u64::from(bits) << (8 * i);
        i += 1;
    }
    tile
}

/// Adds the pairs of a tile that belong to the cell. Apart, so that the loop around it keeps its
/// registers.
#[inline(never)]
fn emit(cell: &Cell, rows: &Rows<'_>, [b, mut tile]: [u64; 2], out: &mut Vec<[u32; 2]>) {
    let b = b as usize;
    for k in 0..3 {
        // A pair stays if its row or its column starts in the cell.
        let columns = u64::from(cell.starts[b][k]) * EACH_BYTE;
        tile &= rows_mask(rows.starts[k]) | columns;
    }
    let ids = &cell.ids[8 * b..];
    out.reserve(64);
    let Some(spare) = out.spare_capacity_mut().first_chunk_mut::<64>() else { return };
    let mut count = 0;
    while tile != 0 {
        let place = tile.trailing_zeros() as usize;
        spare[count & 63].write([rows.ids[place / 8], ids[place % 8]]);
        tile &= tile - 1;
        count += 1;
    }
    // SAFETY: a tile has at most 64 bits, so the places up to `count` were just written.
    #[expect(unsafe_code, reason = "a check per pair would cost more than the pair")]
    unsafe {
        out.set_len(out.len() + count);
    }
}

const EACH_BYTE: u64 = 0x0101_0101_0101_0101;

/// A full byte for each bit.
#[inline(always)]
fn rows_mask(bits: u8) -> u64 {
    // Byte `i` keeps bit `i`; whatever is not zero then carries into the highest bit.
    let one_each = (u64::from(bits) * EACH_BYTE) & 0x8040_2010_0804_0201;
    let high = ((one_each & (0x7f * EACH_BYTE)) + 0x7f * EACH_BYTE) | one_each;
    (high >> 7 & EACH_BYTE) * 0xff
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
            let mut rows = range.map(|x| (x * count.div_ceil(8) as f64).round() as usize);
            rows.sort_unstable();
            let others: Vec<u32> = (count as u32..table.len() as u32).collect();

            let mut expected = Vec::new();
            let hit = |a: usize, b: usize| belongs(&table[a], &table[b], &from);
            for a in 8 * rows[0]..count.min(8 * rows[1]) {
                let later = (a + 1..count).filter(|&b| hit(a, b));
                expected.extend(later.map(|b| [a as u32, b as u32]));
            }
            for a in count..table.len() {
                expected.extend((0..count).filter(|&b| hit(a, b)).map(|b| [a as u32, b as u32]));
            }

            expected.sort_unstable();

            let mut cell = Cell::default();
            cell.fill(&table, 0..table.len() as u32, [0.0; 3]);
            cell.fill(&table, 0..count as u32, from);
            let mut out = Vec::new();
            cell.pairs(rows[0]..rows[1], &mut out);
            cell.pairs_with(&table, &others, &mut out);
            out.sort_unstable();
            prop_assert_eq!(&out, &expected);

            out.clear();
            load::<Scalar8>(&mut cell, &table);
            meet_itself::<Scalar8>(&cell, rows[0]..rows[1], &mut out);
            meet_others::<Scalar8>(&cell, &Others { table: &table, ids: &others }, &mut out);
            out.sort_unstable();
            prop_assert_eq!(&out, &expected);
        }
    }
}
