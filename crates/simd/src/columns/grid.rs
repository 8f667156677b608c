//! Which columns a box touches, and entries into columns.

use super::row::{Plain, Row};
use super::{Entry, of_rank, rank, step};

/// Cells of the three axes; the axis along which columns run has one cell.
///
/// Cells come from one function that is monotone in its argument (subtract, multiply, clamp,
/// round), so that boxes which overlap always meet in the column of their common lower corner,
/// whatever rounding does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The middle of the first cell.
    pub origin: [f32; 3],
    /// Cells per length.
    pub scale: [f32; 3],
    /// How many cells; at least one, all together less than 2²³.
    pub count: [u32; 3],
}

impl Grid {
    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.count.iter().map(|&n| n as usize).product()
    }

    /// The cells of a column.
    pub fn cells(&self, column: usize) -> [usize; 3] {
        let [_, y, z] = self.count.map(|n| n as usize);
        [column / (y * z), column / z % y, column % z]
    }

    fn cell(&self, k: usize, x: f32) -> u32 {
        step((x - self.origin[k]) * self.scale[k], (self.count[k] - 1) as f32)
    }

    /// Where cell `i` of an axis begins: the least number of that cell or a later one.
    fn edge(&self, k: usize, i: u32) -> f32 {
        if i == 0 {
            return f32::NEG_INFINITY;
        }
        if i >= self.count[k] {
            return f32::INFINITY;
        }
        // Numbers in the order of their size, so that halving an interval finds the edge exactly.
        let (mut below, mut from) = (rank(f32::NEG_INFINITY), rank(f32::INFINITY));
        while from - below > 1 {
            let middle = below + (from - below) / 2;
            if self.cell(k, of_rank(middle)) >= i { from = middle } else { below = middle }
        }
        of_rank(from)
    }

    /// The edges of the cells of an axis, one more than there are cells.
    pub fn edges(&self, k: usize, edges: &mut Vec<f32>) {
        edges.clear();
        edges.extend((0..=self.count[k]).map(|i| self.edge(k, i)));
    }

    pub(super) fn lanes(&self) -> GridLanes {
        let twice = |[x, y, z]: [f32; 3]| [x, y, z, 0.0, x, y, z, 0.0];
        let (x, y) = (self.count[1] * self.count[2], self.count[2]);
        GridLanes {
            origin: twice(self.origin),
            scale: twice(self.scale),
            last: twice(self.count.map(|n| (n - 1) as f32)),
            stride: [x, y, 1, 0, x, y, 1, 0],
        }
    }
}

/// The grid as an entry is laid out.
#[derive(Clone, Copy)]
pub struct GridLanes {
    pub(super) origin: [f32; 8],
    pub(super) scale: [f32; 8],
    pub(super) last: [f32; 8],
    pub(super) stride: [u32; 8],
}

/// What is put into columns.
pub trait Source: Copy {
    /// How many.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The `i`-th as a box.
    fn aabb(&self, i: usize) -> [f32; 6];
    /// The `i`-th in a register, straight from memory: a copy in between would cost more than the rest.
    #[doc(hidden)]
    fn row<R: Row>(&self, i: usize) -> R;
}

/// Boxes of a table, those that `ids` names.
#[derive(Clone, Copy, Debug)]
pub struct Boxes<'a> {
    /// The table: min x y z, max x y z.
    pub table: &'a [[f32; 6]],
    /// Which of them.
    pub ids: &'a [u32],
}

impl Source for Boxes<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.ids.len()
    }
    #[inline(always)]
    fn aabb(&self, i: usize) -> [f32; 6] {
        self.table[self.ids[i] as usize]
    }
    #[inline(always)]
    fn row<R: Row>(&self, i: usize) -> R {
        let id = self.ids[i];
        R::of_box(&self.table[id as usize], id)
    }
}

/// Boxes of a table, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The boxes: min x y z, max x y z.
    pub boxes: &'a [[f32; 6]],
    /// The number of the first.
    pub first: u32,
}

impl Source for Run<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.boxes.len()
    }
    #[inline(always)]
    fn aabb(&self, i: usize) -> [f32; 6] {
        self.boxes[i]
    }
    #[inline(always)]
    fn row<R: Row>(&self, i: usize) -> R {
        R::of_box(&self.boxes[i], self.first + i as u32)
    }
}

impl Source for &[Entry] {
    #[inline(always)]
    fn len(&self) -> usize {
        (**self).len()
    }
    #[inline(always)]
    fn aabb(&self, i: usize) -> [f32; 6] {
        let e = &self[i];
        [e[0], e[1], e[2], e[4], e[5], e[6]].map(f32::from_bits)
    }
    #[inline(always)]
    fn row<R: Row>(&self, i: usize) -> R {
        R::load(&self[i])
    }
}

/// Adds to `counts`, one per column, how many entries each column gets.
pub fn count<S: Source>(grid: &Grid, source: S, counts: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    if crate::lanes32::Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        return unsafe { count_avx2(grid, source, counts) };
    }
    count_rows::<S, Plain>(grid, source, counts);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn count_avx2<S: Source>(grid: &Grid, source: S, counts: &mut [u32]) {
    count_rows::<S, super::row::Avx>(grid, source, counts);
}

#[inline(always)]
fn count_rows<S: Source, R: Row>(grid: &Grid, source: S, counts: &mut [u32]) {
    let grid = grid.lanes();
    for i in 0..source.len() {
        let row: R = source.row(i);
        let [first, last] = row.columns(&grid);
        counts[first as usize] += 1;
        if first != last {
            let cells = row.cells(&grid);
            if two_columns(&cells) {
                counts[last as usize] += 1;
            } else {
                count_others(&cells, &grid, counts);
            }
        }
    }
}

/// Whether a box touches just the columns of its two corners, as most do that touch several.
#[inline(always)]
fn two_columns(cells: &[u32; 8]) -> bool {
    (cells[4] - cells[0]) + (cells[5] - cells[1]) + (cells[6] - cells[2]) == 1
}

#[cold]
#[inline(never)]
fn count_others(cells: &[u32; 8], grid: &GridLanes, counts: &mut [u32]) {
    others(cells, grid, |at| counts[at] += 1);
}

/// The columns of a box but for the first.
#[inline(always)]
fn others(cells: &[u32; 8], grid: &GridLanes, mut f: impl FnMut(usize)) {
    let first = [cells[0], cells[1], cells[2]];
    for x in cells[0]..cells[4] + 1 {
        for y in cells[1]..cells[5] + 1 {
            for z in cells[2]..cells[6] + 1 {
                if [x, y, z] != first {
                    f((x * grid.stride[0] + y * grid.stride[1] + z) as usize);
                }
            }
        }
    }
}

/// Puts each entry where the cursor of its column points, and moves the cursor on. Where that is
/// beyond the end of `entries`, the last one is written instead: whoever calls sees from the
/// cursors that there was no room.
pub fn scatter<S: Source>(grid: &Grid, source: S, cursors: &mut [u32], entries: &mut [Entry]) {
    #[cfg(target_arch = "x86_64")]
    if crate::lanes32::Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        return unsafe { scatter_avx2(grid, source, cursors, entries) };
    }
    scatter_rows::<S, Plain>(grid, source, cursors, entries);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn scatter_avx2<S: Source>(grid: &Grid, source: S, cursors: &mut [u32], entries: &mut [Entry]) {
    scatter_rows::<S, super::row::Avx>(grid, source, cursors, entries);
}

#[inline(always)]
fn scatter_rows<S: Source, R: Row>(
    grid: &Grid,
    source: S,
    cursors: &mut [u32],
    entries: &mut [Entry],
) {
    let grid = grid.lanes();
    if entries.is_empty() {
        return;
    }
    for i in 0..source.len() {
        let row: R = source.row(i);
        let [first, last] = row.columns(&grid);
        put(row, first as usize, cursors, entries);
        if first != last {
            let cells = row.cells(&grid);
            if two_columns(&cells) {
                put(row, last as usize, cursors, entries);
            } else {
                let mut entry = [0; 8];
                row.store(&mut entry);
                put_others(&entry, (&cells, &grid), cursors, entries);
            }
        }
    }
}

#[inline(always)]
fn put<R: Row>(row: R, column: usize, cursors: &mut [u32], entries: &mut [Entry]) {
    let cursor = cursors[column];
    cursors[column] = cursor + 1;
    let at = (cursor as usize).min(entries.len() - 1);
    row.store(&mut entries[at]);
}

#[cold]
#[inline(never)]
fn put_others(
    entry: &Entry,
    (cells, grid): (&[u32; 8], &GridLanes),
    cursors: &mut [u32],
    entries: &mut [Entry],
) {
    others(cells, grid, |at| put(Plain::load(entry), at, cursors, entries));
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::super::row::Avx;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_forms_fill_the_columns_that_a_box_touches(
            boxes in prop::collection::vec(
                prop::array::uniform3((-9i8..9, 0i8..9)), 1..60,
            ),
            scale in prop::array::uniform3(0.05..0.6f32),
            count in prop::array::uniform3(1u32..6),
        ) {
            if crate::lanes32::Avx2::detect().is_none() {
                return Ok(());
            }
            let table: Vec<[f32; 6]> = boxes.iter().map(|ends| {
                let low = ends.map(|(low, _)| f32::from(low));
                let high = ends.map(|(low, size)| f32::from(low) + f32::from(size));
                [low[0], low[1], low[2], high[0], high[1], high[2]]
            }).collect();
            let grid = Grid { origin: [-8.0; 3], scale, count };
            let run = Run { boxes: &table, first: 7 };
            let mut counts = [vec![0; grid.columns()], vec![0; grid.columns()]];
            count_rows::<_, Plain>(&grid, run, &mut counts[0]);
            count_rows::<_, Avx>(&grid, run, &mut counts[1]);
            prop_assert_eq!(&counts[0], &counts[1]);
            let total = counts[0].iter().sum::<u32>() as usize;
            let mut starts = Vec::new();
            counts[0].iter().fold(0, |sum, n| { starts.push(sum); sum + n });
            let mut entries = [vec![[0; 8]; total], vec![[0; 8]; total]];
            let mut cursors = [starts.clone(), starts.clone()];
            scatter_rows::<_, Plain>(&grid, run, &mut cursors[0], &mut entries[0]);
            scatter_rows::<_, Avx>(&grid, run, &mut cursors[1], &mut entries[1]);
            prop_assert_eq!(&entries[0], &entries[1]);
            prop_assert_eq!(&cursors[0], &cursors[1]);
            // By definition: a box is in a column iff on each axis its cells hold that of the column.
            let mut edges = [Vec::new(), Vec::new(), Vec::new()];
            (0..3).for_each(|k| grid.edges(k, &mut edges[k]));
            for column in 0..grid.columns() {
                let cells = grid.cells(column);
                let inside = |aabb: &[f32; 6]| (0..3).all(|k| {
                    let (from, to) = (edges[k][cells[k]], edges[k][cells[k] + 1]);
                    aabb[k + 3] >= from && (aabb[k] < to || to == f32::INFINITY)
                });
                let range = starts[column] as usize..cursors[0][column] as usize;
                let found: Vec<u32> = entries[0][range].iter().map(|entry| entry[3]).collect();
                let wanted = (7..).zip(&table).filter(|(_, aabb)| inside(aabb)).map(|(id, _)| id);
                prop_assert_eq!(found, wanted.collect::<Vec<u32>>());
            }
        }
    }
}
