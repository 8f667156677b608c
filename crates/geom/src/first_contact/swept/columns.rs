//! Boxes sorted into columns, each column in the order of the lower ends of its boxes along the columns.
//!
//! A box goes to every column it touches. A pair belongs to the column that holds its common lower
//! corner, so that each comes once and columns need not know of each other.

use crate::aabb::Aabb32;
use impinge_simd::columns::{Boxes, Entry, Grid, count, scatter};
use impinge_simd::swept_scan::{Ordered, PAD, Probe};

/// How a list of boxes is cut into columns.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Along which columns run.
    pub(super) axis: usize,
    pub(super) grid: Grid,
    /// Where cells begin, on each axis.
    edges: [Vec<f32>; 3],
}

/// The width of a column in mean sizes of a box.
const WIDTH: f64 = 1.5;
/// Boxes per column, at least, on average.
const BOXES_PER_COLUMN: f64 = 8.0;
/// Boxes are not copied more often than so, on average.
const COPIES_MAX: usize = 6;

impl Plan {
    /// For these lists together.
    pub(super) fn new(lists: &[Boxes<'_>]) -> Self {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        let mut sizes = [0.0; 3];
        for list in lists {
            for &id in list.ids {
                let aabb = &list.table[id as usize];
                for k in 0..3 {
                    low[k] = low[k].min(aabb[k]);
                    high[k] = high[k].max(aabb[k + 3]);
                    sizes[k] += f64::from(aabb[k + 3] - aabb[k]);
                }
            }
        }
        let boxes: usize = lists.iter().map(|list| list.ids.len()).sum();
        let n = boxes.max(1) as f64;
        // Extents in mean sizes; where all boxes lie in one plane there is nothing to cut.
        let lengths: [f64; 3] = std::array::from_fn(|k| {
            let extent = f64::from(high[k] - low[k]);
            if extent > 0.0 { extent / (sizes[k] / n).max(extent / n) } else { 1.0 }
        });
        let axis = (0..3).max_by(|&a, &b| lengths[a].total_cmp(&lengths[b])).unwrap_or(0);
        let across = [(axis + 1) % 3, (axis + 2) % 3];
        let mut grid = Grid { origin: low, scale: [0.0; 3], count: [1; 3] };
        let wanted = across.map(|k| (lengths[k] / WIDTH).max(1.0));
        let shrink = (n / BOXES_PER_COLUMN / (wanted[0] * wanted[1])).sqrt().min(1.0);
        for (k, wanted) in across.into_iter().zip(wanted) {
            let count = (wanted * shrink).round().clamp(1.0, 1024.0);
            let extent = f64::from(high[k]) - f64::from(low[k]);
            let scale = (count / extent) as f32;
            if count > 1.0 && scale.is_finite() {
                grid.count[k] = count as u32;
                grid.scale[k] = scale;
                // Cells are rounded to, so the first reaches half a cell around its middle.
                grid.origin[k] = (f64::from(low[k]) + 0.5 * extent / count) as f32;
            }
        }
        while lists.iter().map(|list| copies(&grid, list)).sum::<usize>() > COPIES_MAX * boxes {
            grid.scale = grid.scale.map(|scale| 0.5 * scale);
            grid.count = grid.count.map(|count| count.div_ceil(2));
        }
        let mut edges = [Vec::new(), Vec::new(), Vec::new()];
        (0..3).for_each(|k| grid.edges(k, &mut edges[k]));
        Self { axis, grid, edges }
    }

    /// Where a column begins, on the two axes after the first of [`Plan::axes`].
    pub(super) fn begin(&self, column: usize) -> [f32; 2] {
        let cells = self.grid.cells(column);
        let [_, b, c] = self.axes();
        [b, c].map(|k| self.edges[k][cells[k]])
    }

    /// The axis along which columns run, and the two others.
    pub(super) fn axes(&self) -> [usize; 3] {
        [self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3]
    }
}

fn copies(grid: &Grid, list: &Boxes<'_>) -> usize {
    let mut counts = vec![0; grid.columns()];
    count(grid, *list, &mut counts);
    counts.iter().map(|&n| n as usize).sum()
}

/// A list of boxes, sorted into columns.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    entries: Vec<Entry>,
    /// Where each column begins, and where the last one ends.
    starts: Vec<u32>,
    cursors: Vec<u32>,
    keys: Vec<u64>,
    ids: Vec<u32>,
}

impl List {
    /// Takes the boxes of a table that `ids` names.
    pub(super) fn choose(&mut self, ids: impl Iterator<Item = u32>) {
        self.ids.clear();
        self.ids.extend(ids);
    }

    pub(super) fn chosen<'a>(&'a self, table: &'a [Aabb32]) -> Boxes<'a> {
        Boxes { table, ids: &self.ids }
    }

    /// Sorts the chosen ones into columns.
    pub(super) fn fill(&mut self, plan: &Plan, table: &[Aabb32]) {
        let Self { entries, starts, cursors, keys, ids } = self;
        let key = |&id: &u32| u64::from(rank(table[id as usize][plan.axis])) << 32 | u64::from(id);
        keys.clear();
        keys.extend(ids.iter().map(key));
        // Once for all columns: those are filled in this order.
        keys.sort_unstable();
        ids.clear();
        ids.extend(keys.iter().map(|&key| key as u32));
        let boxes = Boxes { table, ids };
        starts.clear();
        starts.resize(plan.grid.columns() + 1, 0);
        count(&plan.grid, boxes, &mut starts[1..]);
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        cursors.clone_from(starts);
        entries.resize(starts.last().map_or(0, |&end| end as usize), [0; 8]);
        scatter(&plan.grid, boxes, cursors, entries);
    }

    /// The boxes of a column.
    pub(super) fn column(&self, column: usize) -> &[Entry] {
        &self.entries[self.starts[column] as usize..self.starts[column + 1] as usize]
    }
}

/// A number that grows with `x`.
fn rank(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The boxes of a column, ready to be looked through.
#[derive(Clone, Debug, Default)]
pub(super) struct Column {
    pub(super) ordered: Ordered,
    /// Upper ends along the column.
    high: Vec<f32>,
    pub(super) ids: Vec<u32>,
}

impl Column {
    pub(super) fn load(&mut self, entries: &[Entry], [a, b, c]: [usize; 3]) {
        let column = |out: &mut Vec<f32>, k: usize| {
            out.clear();
            out.extend(entries.iter().map(|entry| f32::from_bits(entry[k])));
            out.extend([f32::NAN; PAD]);
        };
        let Self { ordered: Ordered { low: [x, y, z], high: [v, w] }, high, ids } = self;
        column(x, a);
        column(y, b);
        column(z, c);
        column(high, a + 4);
        column(v, b + 4);
        column(w, c + 4);
        ids.clear();
        ids.extend(entries.iter().map(|entry| entry[3]));
    }

    /// Box `i` as a probe of a column that begins there.
    pub(super) fn probe(&self, i: usize, begin: [f32; 2]) -> Probe {
        let Ordered { low, high } = &self.ordered;
        let low = [low[0][i], low[1][i], low[2][i]];
        // A box that begins within the column meets all others in it or in a later one.
        let owed = |k: usize| if low[k + 1] >= begin[k] { f32::NEG_INFINITY } else { begin[k] };
        Probe { low, high: [self.high[i], high[0][i], high[1][i]], begin: [owed(0), owed(1)] }
    }

    /// The first box that begins, along the column, at `x` or later; or later only.
    pub(super) fn first(&self, x: f32, later: bool) -> usize {
        let low = &self.ordered.low[0][..self.ids.len()];
        low.partition_point(|&begin| begin < x || later && begin == x)
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }
}
