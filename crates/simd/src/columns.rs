//! Boxes into columns, and the sweep along one column: the inner loops of the pruner `columns`.
//!
//! A column is a rectangle of the two axes across the sweep. Cells come from one function that is
//! monotone in its argument (subtract, multiply, clamp, round), so that boxes which overlap always
//! meet in the column of their common lower corner, whatever rounding does.

use crate::lanes32::{Lanes8, Scalar8};

/// A box with its number: the bits of its lower corner, the number, the bits of its upper corner,
/// nothing. 32 bytes, so that two share a cache line.
pub type Entry = [u32; 8];

/// Where a pair is reported: `min <= p < max` on each axis, `p` being the common lower corner.
pub type Region = [f32; 6];

/// The whole space.
pub const EVERYWHERE: Region = {
    let (low, high) = (f32::NEG_INFINITY, f32::INFINITY);
    [low, low, low, high, high, high]
};

/// Columns along one axis: `count[0]` rows times `count[1]` on the next two axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The axis along which columns run: 0, 1 or 2.
    pub axis: usize,
    /// Where the first cell begins, on the two axes after `axis`.
    pub origin: [f32; 2],
    /// Cells per length.
    pub scale: [f32; 2],
    /// How many cells; at least one and less than 2²⁰ each.
    pub count: [u32; 2],
}

impl Grid {
    /// The two axes across.
    #[inline(always)]
    fn across(&self) -> [usize; 2] {
        [(self.axis + 1) % 3, (self.axis + 2) % 3]
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.count[0] as usize * self.count[1] as usize
    }

    #[inline(always)]
    fn cell(&self, k: usize, x: f32) -> u32 {
        step((x - self.origin[k]) * self.scale[k], self.count[k])
    }

    /// First and last cell on the two axes: `[row, column, last row, last column]`.
    #[inline(always)]
    fn cells(&self, low: [f32; 2], high: [f32; 2]) -> [u32; 4] {
        [self.cell(0, low[0]), self.cell(1, low[1]), self.cell(0, high[0]), self.cell(1, high[1])]
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
}

/// The cell that `x` is rounded to, the first or the last if it lies outside. Adding 2²³ rounds
/// to a whole number and leaves it in the low bits, which is faster than a checked conversion.
#[inline(always)]
fn step(x: f32, count: u32) -> u32 {
    let last = (count - 1) as f32;
    let x = if x > 0.0 { x } else { 0.0 };
    let x = if x < last { x } else { last };
    (x + 8_388_608.0).to_bits() & 0x7F_FFFF
}

/// A whole number that grows with `x`.
#[inline(always)]
fn rank(x: f32) -> i64 {
    let bits = i64::from(x.to_bits());
    if bits >> 31 == 0 { bits } else { 0x8000_0000 - bits }
}

fn of_rank(rank: i64) -> f32 {
    f32::from_bits(if rank >= 0 { rank as u32 } else { (0x8000_0000 - rank) as u32 })
}

/// What is put into columns.
pub trait Source: Copy {
    /// How many.
    fn len(&self) -> usize;
    /// The `i`-th as an entry.
    fn entry(&self, i: usize) -> Entry;
    /// Two coordinates of the lower and of the upper corner of the `i`-th.
    fn corners(&self, i: usize, axes: [usize; 2]) -> [[f32; 2]; 2];
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
    fn entry(&self, i: usize) -> Entry {
        let id = self.ids[i];
        let [a, b, c, d, e, f] = self.table[id as usize].map(f32::to_bits);
        [a, b, c, id, d, e, f, 0]
    }
    #[inline(always)]
    fn corners(&self, i: usize, [u, v]: [usize; 2]) -> [[f32; 2]; 2] {
        let aabb = &self.table[self.ids[i] as usize];
        [[aabb[u], aabb[v]], [aabb[u + 3], aabb[v + 3]]]
    }
}

impl Source for &[Entry] {
    #[inline(always)]
    fn len(&self) -> usize {
        (**self).len()
    }
    #[inline(always)]
    fn entry(&self, i: usize) -> Entry {
        self[i]
    }
    #[inline(always)]
    fn corners(&self, i: usize, [u, v]: [usize; 2]) -> [[f32; 2]; 2] {
        let e = &self[i];
        let get = |k: usize| f32::from_bits(e[k]);
        [[get(u), get(v)], [get(u + 4), get(v + 4)]]
    }
}

/// Adds to `counts`, one per column, how many entries each column gets.
pub fn count<S: Source>(grid: &Grid, source: S, counts: &mut [u32]) {
    let across = grid.across();
    let width = grid.count[1];
    for i in 0..source.len() {
        let [low, high] = source.corners(i, across);
        let [row, column, last_row, last_column] = grid.cells(low, high);
        counts[(row * width + column) as usize] += 1;
        if row != last_row || column != last_column {
            spread([row, column, last_row, last_column], width, |at| counts[at] += 1);
        }
    }
}

/// The columns of a box but for the first.
#[inline(always)]
fn spread([row, column, last_row, last_column]: [u32; 4], width: u32, mut f: impl FnMut(usize)) {
    for r in row..=last_row {
        for c in column..=last_column {
            if r != row || c != column {
                f((r * width + c) as usize);
            }
        }
    }
}

/// Puts each entry where the cursor of its column points, and moves the cursor on.
pub fn scatter<S: Source>(grid: &Grid, source: S, cursors: &mut [u32], out: &mut [Entry]) {
    let across = grid.across();
    let width = grid.count[1];
    for i in 0..source.len() {
        let [low, high] = source.corners(i, across);
        let [row, column, last_row, last_column] = grid.cells(low, high);
        let entry = source.entry(i);
        let mut put = |at: usize| {
            let cursor = &mut cursors[at];
            out[*cursor as usize] = entry;
            *cursor += 1;
        };
        put((row * width + column) as usize);
        if row != last_row || column != last_column {
            spread([row, column, last_row, last_column], width, put);
        }
    }
}

/// Memory for [`Sweep`]; kept from column to column.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Three lower and three upper coordinates per entry, the sweep axis first, column by column.
    coordinates: [Vec<f32>; 6],
    ids: Vec<u32>,
    /// Where each bin ends.
    ends: Vec<u32>,
    keys: Vec<(u32, u32)>,
}

impl Scratch {
    /// The memory it holds.
    pub fn bytes(&self) -> usize {
        let floats: usize = self.coordinates.iter().map(Vec::capacity).sum();
        4 * (floats + self.ids.capacity() + self.ends.capacity()) + 8 * self.keys.capacity()
    }
}

/// The entries of one column in the order of their lower ends along the sweep axis, up to the width
/// of a bin; or wholly sorted where bins would be crowded.
#[derive(Debug)]
pub struct Sweep<'a> {
    scratch: &'a mut Scratch,
    axis: usize,
    len: usize,
    bins: Bins,
}

#[derive(Clone, Copy, Debug)]
struct Bins {
    origin: f32,
    scale: f32,
    count: u32,
    sorted: bool,
}

impl Bins {
    #[inline(always)]
    fn of(&self, x: f32) -> usize {
        step((x - self.origin) * self.scale, self.count) as usize
    }
}

/// A bin with more entries than this makes sorting worth its while.
const CROWDED: u32 = 48;
/// Lanes past the last entry that a test may read.
const PAD: usize = 16;

impl<'a> Sweep<'a> {
    /// Orders the entries of a column.
    pub fn new(entries: &[Entry], axis: usize, scratch: &'a mut Scratch) -> Self {
        let len = entries.len();
        for coordinates in &mut scratch.coordinates {
            coordinates.resize(coordinates.len().max(len + PAD), 0.0);
            // A number that is none overlaps nothing.
            coordinates[len..len + PAD].fill(f32::NAN);
        }
        scratch.ids.resize(scratch.ids.len().max(len + PAD), 0);
        let mut bins = bins(entries, axis);
        let ends = &mut scratch.ends;
        ends.clear();
        ends.resize(bins.count as usize, 0);
        for entry in entries {
            ends[bins.of(f32::from_bits(entry[axis]))] += 1;
        }
        let (mut sum, mut most) = (0, 0);
        for end in ends.iter_mut() {
            let count = *end;
            *end = sum;
            sum += count;
            most = most.max(count);
        }
        bins.sorted = most > CROWDED;
        let mut sweep = Self { scratch, axis, len, bins };
        if bins.sorted {
            sweep.sort(entries)
        } else {
            sweep.place(entries)
        }
        sweep
    }

    fn place(&mut self, entries: &[Entry]) {
        let axes = [self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3];
        let Scratch { coordinates, ids, ends, .. } = &mut *self.scratch;
        let [a, b, c, d, e, f] = coordinates.each_mut().map(|all| &mut all[..self.len]);
        let ids = &mut ids[..self.len];
        for entry in entries {
            let [x, y, z] = axes.map(|k| f32::from_bits(entry[k]));
            let end = &mut ends[self.bins.of(x)];
            let at = *end as usize;
            *end += 1;
            let [p, q, r] = axes.map(|k| f32::from_bits(entry[k + 4]));
            (a[at], b[at], c[at], d[at], e[at], f[at]) = (x, y, z, p, q, r);
            ids[at] = entry[3];
        }
    }

    fn sort(&mut self, entries: &[Entry]) {
        let axes = [self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3];
        let Scratch { coordinates, ids, keys, .. } = &mut *self.scratch;
        keys.clear();
        for (i, entry) in entries.iter().enumerate() {
            let key = rank(f32::from_bits(entry[self.axis])) + 0x8000_0000;
            keys.push((key as u32, i as u32));
        }
        keys.sort_unstable();
        for (at, &(_, i)) in keys.iter().enumerate() {
            let entry = &entries[i as usize];
            for k in 0..3 {
                coordinates[k][at] = f32::from_bits(entry[axes[k]]);
                coordinates[k + 3][at] = f32::from_bits(entry[axes[k] + 4]);
            }
            ids[at] = entry[3];
        }
    }

    /// The overlapping pairs whose first entry is one of `from..`, as far as `region` owns them,
    /// added to `out` until it holds `enough`. Returns the entry to go on with; that is the number
    /// of entries when all is done.
    pub fn run(
        &self,
        from: usize,
        region: &Region,
        enough: usize,
        out: &mut Vec<[u32; 2]>,
    ) -> usize {
        let [a, b, c] = [self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3];
        let region = [a, b, c, a + 3, b + 3, c + 3].map(|k| region[k]);
        #[cfg(target_arch = "x86_64")]
        if crate::lanes32::Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            return unsafe { run_avx2(self, from, (&region, enough), out) };
        }
        run::<Scalar8>(self, from, (&region, enough), out)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// One to two bins per entry between the least and the greatest finite lower end.
fn bins(entries: &[Entry], axis: usize) -> Bins {
    let (mut low, mut high) = (f32::MAX, f32::MIN);
    for entry in entries {
        let x = f32::from_bits(entry[axis]);
        low = if x < low && x > f32::NEG_INFINITY { x } else { low };
        high = if x > high && x < f32::INFINITY { x } else { high };
    }
    let count = (entries.len() + entries.len() / 2).clamp(1, 1 << 22) as u32;
    let scale = (f64::from(count) / (f64::from(high) - f64::from(low))) as f32;
    // All in one place, or so far apart or so near that the division is of no use: one bin.
    if low < high && scale.is_finite() {
        Bins { origin: low, scale, count, sorted: false }
    } else {
        Bins { origin: 0.0, scale: 0.0, count: 1, sorted: false }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2(
    sweep: &Sweep<'_>,
    from: usize,
    limits: (&Region, usize),
    out: &mut Vec<[u32; 2]>,
) -> usize {
    run::<crate::lanes32::Avx8>(sweep, from, limits, out)
}

#[inline(always)]
fn run<L: Lanes8>(
    sweep: &Sweep<'_>,
    from: usize,
    (region, enough): (&Region, usize),
    out: &mut Vec<[u32; 2]>,
) -> usize {
    let Scratch { coordinates: [x0, y0, z0, x1, y1, z1], ids, ends, .. } = &*sweep.scratch;
    let len = sweep.len;
    let padded = len + PAD;
    let (x0, y0, z0) = (&x0[..padded], &y0[..padded], &z0[..padded]);
    let (x1, y1, z1) = (&x1[..padded], &y1[..padded], &z1[..padded]);
    for i in from..len {
        let (low, high) = ([x0[i], y0[i], z0[i]], [x1[i], y1[i], z1[i]]);
        let end = if sweep.bins.sorted { len } else { ends[sweep.bins.of(high[0])] as usize };
        let mut j = i + 1;
        while j < end {
            if sweep.bins.sorted && x0[j] > high[0] {
                break;
            }
            let mut mask = load::<L>(x0, j).le_mask(L::splat(high[0]));
            mask = L::and(mask, L::splat(low[0]).le_mask(load::<L>(x1, j)));
            mask = L::and(mask, load::<L>(y0, j).le_mask(L::splat(high[1])));
            mask = L::and(mask, L::splat(low[1]).le_mask(load::<L>(y1, j)));
            mask = L::and(mask, load::<L>(z0, j).le_mask(L::splat(high[2])));
            mask = L::and(mask, L::splat(low[2]).le_mask(load::<L>(z1, j)));
            let mut bits = L::bits(mask);
            while bits != 0 {
                let at = j + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let owned = owns(region, 0, low[0], x0[at])
                    & owns(region, 1, low[1], y0[at])
                    & owns(region, 2, low[2], z0[at]);
                if owned {
                    out.push([ids[i], ids[at]]);
                }
            }
            j += 8;
        }
        if out.len() >= enough {
            return i + 1;
        }
    }
    len
}

#[inline(always)]
fn load<L: Lanes8>(all: &[f32], at: usize) -> L {
    L::load(all[at..at + 8].try_into().expect("eight"))
}

/// Whether the larger of two lower ends lies in the region.
#[inline(always)]
fn owns(region: &Region, k: usize, a: f32, b: f32) -> bool {
    let corner = if a > b { a } else { b };
    // A corner at infinity belongs to the last region.
    (region[k] <= corner) & ((corner < region[k + 3]) | (region[k + 3] == f32::INFINITY))
}
