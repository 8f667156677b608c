//! Boxes into the cells that they touch: a counting sort, on one thread or several.
//!
//! Each thread counts and then places a stretch of the list, the later ones behind the earlier
//! ones, so that the outcome is the same for any number of them.

use super::cells::Cells;
use impinge_geom::aabb::Aabb32;
use impinge_simd::raster::Span;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// A list of slots. Atomic because several threads fill it, each its own places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ids<'a>(pub(super) &'a [AtomicU32]);

impl<'a> Ids<'a> {
    pub(super) fn len(self) -> usize {
        self.0.len()
    }

    #[inline]
    pub(super) fn get(self, place: usize) -> usize {
        self.0[place].load(Ordering::Relaxed) as usize
    }

    pub(super) fn iter(self) -> impl Iterator<Item = u32> + 'a {
        self.0.iter().map(|id| id.load(Ordering::Relaxed))
    }
}

/// Whether a box touches four cells or more beyond the first along some axis.
#[inline(always)]
fn is_large([_, more]: Span) -> bool {
    more & 0xfc_fc_fc != 0
}

/// What a list of boxes means for a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tally {
    /// How many times the boxes that are not large would be entered, at most.
    pub(super) entries: usize,
    /// How many boxes are large.
    pub(super) large: usize,
    /// How many times they would be entered, at most.
    pub(super) large_entries: usize,
}

/// A list that is being sorted; buffers are kept.
#[derive(Debug, Default)]
pub(super) struct Sort {
    spans: Vec<Span>,
    /// For each stretch: how many entries each cell gets, later where the next goes.
    counts: Vec<u32>,
    /// Where each cell's entries begin, and the end of all.
    begins: Vec<u32>,
    stretches: usize,
}

/// A list, what its slots stand for, and the cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input<'a> {
    pub(super) table: &'a [Aabb32],
    pub(super) ids: Ids<'a>,
    pub(super) cells: &'a Cells,
    /// If there is one: only cells that hold something there count.
    pub(super) others: Option<&'a Sort>,
}

impl Input<'_> {
    /// Calls `enter` with the index of each cell that a box touches.
    #[inline(always)]
    fn each_cell(&self, [index, more]: Span, mut enter: impl FnMut(usize)) {
        let index = index as usize;
        if more == 0 {
            enter(index);
            return;
        }
        let [_, stride_y, stride_z] = self.cells.raster.stride.map(|stride| stride as usize);
        let [x, y, z] = along(more);
        for k in 0..=z {
            for j in 0..=y {
                let row = index + stride_y * j + stride_z * k;
                for cell in row..=row + x {
                    enter(cell);
                }
            }
        }
    }

    #[inline(always)]
    fn wanted(&self, cell: usize) -> bool {
        self.others.is_none_or(|others| others.is_used(cell))
    }

    /// The spans of the boxes from `start` on.
    fn find_spans(&self, start: usize, spans: &mut [Span]) {
        let mut batch = [0; BATCH];
        for (i, spans) in spans.chunks_mut(BATCH).enumerate() {
            let first = start + i * BATCH;
            let ids = Ids(&self.ids.0[first..first + spans.len()]);
            for (copy, id) in batch.iter_mut().zip(ids.iter()) {
                *copy = id;
            }
            self.cells.raster.spans(self.table, &batch[..spans.len()], spans);
        }
    }
}

/// The three bytes of a span.
#[inline(always)]
fn along(more: u32) -> [usize; 3] {
    [0, 8, 16].map(|shift| (more >> shift & 0xff) as usize)
}

/// Below this many boxes a second thread costs more than it saves.
const PARALLEL_FROM: usize = 8192;
/// As many slots are copied at a time for the kernel, which knows no atomics.
const BATCH: usize = 256;

impl Sort {
    /// Finds the cells of all boxes and counts the entries of those that are not large.
    pub(super) fn count(&mut self, input: &Input<'_>) -> Tally {
        let (boxes, cells) = (input.ids.len(), input.cells.count());
        let parallel = boxes >= PARALLEL_FROM;
        self.stretches = if parallel { rayon::current_num_threads() } else { 1 };
        self.spans.resize(boxes, [0; 2]);
        self.counts.clear();
        self.counts.resize(self.stretches * cells, 0);
        let length = self.length();
        let work = |(stretch, (spans, counts)): (usize, (&mut [Span], &mut [u32]))| {
            input.find_spans(stretch * length, spans);
            // Two loops, so that the usual one asks nothing of each cell.
            match input.others {
                None => count_stretch(input, spans, |cell| counts[cell] += 1),
                Some(others) => count_stretch(input, spans, |cell| {
                    counts[cell] += u32::from(others.is_used(cell));
                }),
            }
        };
        if self.stretches == 1 {
            return work((0, (&mut self.spans, &mut self.counts)));
        }
        let stretches = self.spans.par_chunks_mut(length).zip(self.counts.par_chunks_mut(cells));
        stretches.enumerate().map(work).reduce(Tally::default, |a, b| Tally {
            entries: a.entries + b.entries,
            large: a.large + b.large,
            large_entries: a.large_entries.saturating_add(b.large_entries),
        })
    }

    /// How many boxes a stretch has.
    fn length(&self) -> usize {
        self.spans.len().div_ceil(self.stretches).max(1)
    }

    /// Counts the entries of the large ones too.
    pub(super) fn count_large(&mut self, input: &Input<'_>) {
        let (length, cells) = (self.length(), input.cells.count());
        for (spans, counts) in self.spans.chunks(length).zip(self.counts.chunks_mut(cells)) {
            for &span in spans.iter().filter(|span| is_large(**span)) {
                input.each_cell(span, |cell| counts[cell] += u32::from(input.wanted(cell)));
            }
        }
    }

    /// The slots that are large, or those that are not.
    pub(super) fn slots(&self, ids: Ids<'_>, large: bool) -> impl Iterator<Item = AtomicU32> {
        let spans = self.spans.iter().zip(ids.iter());
        spans.filter(move |(span, _)| is_large(**span) == large).map(|(_, id)| id.into())
    }

    /// Says where entries go, from counts. Returns how many there are.
    pub(super) fn lay_out(&mut self, cells: usize) -> usize {
        let mut total = 0;
        self.begins.clear();
        for cell in 0..cells {
            self.begins.push(total);
            for stretch in 0..self.stretches {
                let count = &mut self.counts[stretch * cells + cell];
                total += std::mem::replace(count, total);
            }
        }
        self.begins.push(total);
        total as usize
    }

    /// Fills `out` with the slots of all cells, one after the other. Without `large`, those are
    /// left out.
    pub(super) fn place(&mut self, input: &Input<'_>, large: bool, out: Ids<'_>) {
        let length = self.length();
        let work = |(stretch, (spans, nexts)): (usize, (&[Span], &mut [u32]))| {
            let ids = &input.ids.0[stretch * length..];
            let entering = spans.iter().zip(Ids(ids).iter());
            let entering = entering.filter(|(span, _)| large || !is_large(**span));
            for (&span, id) in entering {
                input.each_cell(span, |cell| {
                    if input.wanted(cell) {
                        out.0[nexts[cell] as usize].store(id, Ordering::Relaxed);
                        nexts[cell] += 1;
                    }
                });
            }
        };
        if self.stretches == 1 {
            return work((0, (&self.spans, &mut self.counts)));
        }
        let counts = self.counts.par_chunks_mut(input.cells.count());
        self.spans.par_chunks(length).zip(counts).enumerate().for_each(work);
    }

    fn is_used(&self, cell: usize) -> bool {
        self.begins[cell] < self.begins[cell + 1]
    }

    /// How many entries a cell has.
    pub(super) fn len_of(&self, cell: usize) -> usize {
        (self.begins[cell + 1] - self.begins[cell]) as usize
    }

    /// Where the entries of a cell are if those of all begin at `base`.
    pub(super) fn range(&self, cell: usize, base: usize) -> Range<usize> {
        base + self.begins[cell] as usize..base + self.begins[cell + 1] as usize
    }

    /// The memory it holds.
    pub(super) fn bytes(&self) -> usize {
        8 * self.spans.capacity() + 4 * (self.counts.capacity() + self.begins.capacity())
    }
}

/// Calls `enter` with each cell of each box that is not large.
#[inline(always)]
fn count_stretch(input: &Input<'_>, spans: &[Span], mut enter: impl FnMut(usize)) -> Tally {
    let mut tally = Tally::default();
    for &span in spans {
        let [_, more] = span;
        if more == 0 {
            enter(span[0] as usize);
            continue;
        }
        let touched = along(more).iter().map(|more| more + 1).product::<usize>();
        if is_large(span) {
            tally.large += 1;
            tally.large_entries = tally.large_entries.saturating_add(touched);
            continue;
        }
        tally.entries += touched - 1;
        input.each_cell(span, &mut enter);
    }
    tally.entries += spans.len() - tally.large;
    tally
}
