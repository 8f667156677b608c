//! One column: its entries in order along the sweep axis, each against those after it.

use super::row::{Plain, Row};
use super::{Entry, rank, step};
use crate::lanes32::{Lanes8, Scalar8};
use std::ops::Range;

/// Memory for [`Sweep`]; kept from column to column.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The entries in order.
    order: Vec<u32>,
    /// Three lower and three upper coordinates.
    coordinates: [Vec<f32>; 6],
    ids: Vec<u32>,
    /// Where the next entry of each bin goes.
    cursors: Vec<u32>,
    keys: Vec<(u32, u32)>,
    hits: Vec<Hit>,
}

impl Scratch {
    /// The memory it holds.
    pub fn bytes(&self) -> usize {
        let floats: usize = self.coordinates.iter().map(Vec::capacity).sum();
        let numbers = self.order.capacity() + self.ids.capacity() + self.cursors.capacity();
        4 * (floats + numbers) + 8 * self.keys.capacity() + size_of::<Hit>() * self.hits.capacity()
    }
}

/// The entries of one column in the order of their lower ends along the sweep axis, up to the width
/// of a bin; or wholly sorted where bins would be crowded.
#[derive(Debug)]
pub struct Sweep<'a> {
    scratch: &'a mut Scratch,
    axis: usize,
    len: usize,
    /// By how much an entry may begin before one that stands ahead of it.
    disorder: f32,
}

/// As many bins as entries.
#[derive(Clone, Copy, Debug)]
struct Bins {
    origin: f32,
    scale: f32,
    last: f32,
}

impl Bins {
    #[inline(always)]
    fn of(&self, x: f32) -> usize {
        step((x - self.origin) * self.scale, self.last) as usize
    }
}

/// A bin with so many entries makes sorting worth its while. A power of two: some number is that
/// large when all of them joined by "or" are.
const CROWDED: u32 = 64;
/// More bins than this and rounding could put entries into the wrong one by more than half a bin.
const BINS_MAX: usize = 1 << 20;
/// Lanes past the last entry that a test may read.
const PAD: usize = 16;

impl<'a> Sweep<'a> {
    /// Orders the entries of a column.
    pub fn new(entries: &[Entry], axis: usize, scratch: &'a mut Scratch) -> Self {
        let len = entries.len();
        // One test reads eight entries from any place, and blocks of eight are written.
        let padded = len + PAD;
        if scratch.ids.len() < padded {
            scratch.order.resize(padded, 0);
            scratch.ids.resize(padded, 0);
            scratch.coordinates.iter_mut().for_each(|all| all.resize(padded, 0.0));
        }
        let disorder = order(entries, axis, scratch);
        // A number that is none overlaps nothing.
        scratch.coordinates.iter_mut().for_each(|all| all[len..padded].fill(f32::NAN));
        Self { scratch, axis, len, disorder }
    }

    /// Adds to `out` the overlapping pairs whose first entry is one of `range` and whose common
    /// lower corner does not lie before `from` on any axis: those lie in an earlier column, too,
    /// which has reported them.
    pub fn run(&mut self, range: Range<usize>, from: &[f32; 3], out: &mut Vec<[u32; 2]>) {
        let Scratch { coordinates, ids, hits, .. } = &mut *self.scratch;
        let padded = self.len + PAD;
        let [a, b, c] = axes(self.axis);
        let lanes = [a, b, c, a + 3, b + 3, c + 3].map(|k| &coordinates[k][..padded]);
        hits.resize(HITS_AT_ONCE, Hit::default());
        let mut place = Place { first: range.start, block: range.start + 1, hits: 0 };
        while place.first < range.end {
            place.hits = 0;
            place = find(&lanes, place, (range.end, self.disorder), hits);
            let hits = &mut hits[..place.hits];
            keep_owned(&lanes, [a, b, c].map(|k| from[k]), hits);
            report(hits, ids, out);
        }
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

/// The sweep axis and the two after it.
#[inline(always)]
fn axes(axis: usize) -> [usize; 3] {
    [axis, (axis + 1) % 3, (axis + 2) % 3]
}

/// Fills coordinates and numbers in order, and returns how far out of order they may be.
fn order(entries: &[Entry], axis: usize, scratch: &mut Scratch) -> f32 {
    #[cfg(target_arch = "x86_64")]
    if crate::lanes32::Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        return unsafe { order_avx2(entries, axis, scratch) };
    }
    order_rows::<Plain>(entries, axis, scratch)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn order_avx2(entries: &[Entry], axis: usize, scratch: &mut Scratch) -> f32 {
    order_rows::<super::row::Avx>(entries, axis, scratch)
}

#[inline(always)]
fn order_rows<R: Row>(entries: &[Entry], axis: usize, scratch: &mut Scratch) -> f32 {
    let disorder = match bins::<R>(entries, axis) {
        Some(bins) if place(entries, axis, bins, scratch) => 2.0 / bins.scale,
        Some(_) | None => {
            sort(entries, axis, scratch);
            0.0
        }
    };
    spread::<R>(entries, scratch);
    disorder
}

/// Bins between the least and the greatest lower end, if those are finite and apart.
#[inline(always)]
fn bins<R: Row>(entries: &[Entry], axis: usize) -> Option<Bins> {
    let mut low = R::load(entries.first()?);
    let mut high = low;
    for entry in entries {
        let row = R::load(entry);
        low = low.least(row);
        high = high.greatest(row);
    }
    let (mut least, mut greatest) = ([0; 8], [0; 8]);
    low.store(&mut least);
    high.store(&mut greatest);
    let (least, greatest) = (f32::from_bits(least[axis]), f32::from_bits(greatest[axis]));
    let count = entries.len().clamp(1, BINS_MAX);
    let scale = (count as f64 / (f64::from(greatest) - f64::from(least))) as f32;
    // The difference that bins are found by must be a number, too.
    let usable = (greatest - least).is_finite() && scale.is_normal();
    usable.then_some(Bins { origin: least, scale, last: (count - 1) as f32 })
}

/// Sorts by counting; false if some bin is too crowded for that to be of use.
///
/// Whole numbers up to 2²⁰ come out of three roundings within ¾ of the true quotient, and the last
/// bin takes what would lie up to one bin beyond it; so an entry begins less than two bins before
/// one that stands ahead of it.
#[inline(always)]
fn place(entries: &[Entry], axis: usize, bins: Bins, scratch: &mut Scratch) -> bool {
    let Scratch { order, cursors, .. } = scratch;
    cursors.clear();
    cursors.resize(bins.last as usize + 1, 0);
    let (order, cursors) = (&mut order[..], &mut cursors[..]);
    for entry in entries {
        cursors[bins.of(f32::from_bits(entry[axis]))] += 1;
    }
    let (mut sum, mut most) = (0, 0);
    for cursor in cursors.iter_mut() {
        let count = *cursor;
        *cursor = sum;
        sum += count;
        most |= count;
    }
    if most >= CROWDED {
        return false;
    }
    for i in 0..entries.len() {
        let cursor = &mut cursors[bins.of(f32::from_bits(entries[i][axis]))];
        order[*cursor as usize] = i as u32;
        *cursor += 1;
    }
    true
}

/// Sorts by comparing.
fn sort(entries: &[Entry], axis: usize, scratch: &mut Scratch) {
    let Scratch { order, keys, .. } = scratch;
    keys.clear();
    for (i, entry) in entries.iter().enumerate() {
        let key = rank(f32::from_bits(entry[axis])) + 0x8000_0000;
        keys.push((key as u32, i as u32));
    }
    keys.sort_unstable();
    for (place, &(_, i)) in order.iter_mut().zip(keys.iter()) {
        *place = i;
    }
}

/// From entries to ordered lanes.
#[inline(always)]
fn spread<R: Row>(entries: &[Entry], scratch: &mut Scratch) {
    let Scratch { order, coordinates, ids, .. } = scratch;
    let len = entries.len();
    // The last block may be cut short; whatever stands there is not read.
    order[len..len.next_multiple_of(8)].fill(0);
    let [x0, y0, z0, x1, y1, z1] = coordinates.each_mut().map(|all| &mut all[..]);
    let (order, ids) = (&order[..], &mut ids[..]);
    for from in (0..len).step_by(8) {
        let eight: &[u32; 8] = order[from..from + 8].try_into().expect("eight");
        let lanes = R::gather(entries, eight);
        ids[from..from + 8].copy_from_slice(&lanes[3]);
        numbers(&lanes[0], &mut x0[from..from + 8]);
        numbers(&lanes[1], &mut y0[from..from + 8]);
        numbers(&lanes[2], &mut z0[from..from + 8]);
        numbers(&lanes[4], &mut x1[from..from + 8]);
        numbers(&lanes[5], &mut y1[from..from + 8]);
        numbers(&lanes[6], &mut z1[from..from + 8]);
    }
}

#[inline(always)]
fn numbers(bits: &[u32; 8], out: &mut [f32]) {
    for k in 0..8 {
        out[k] = f32::from_bits(bits[k]);
    }
}

/// Of entry `first`, which of the eight from `block` on overlap it.
#[derive(Clone, Copy, Debug, Default)]
struct Hit {
    first: u32,
    block: u32,
    lanes: u32,
}

/// How many hits are collected before their owners are looked for.
const HITS_AT_ONCE: usize = 1024;

/// How far the search has come: the entry, the block it is to be held against, the hits so far.
#[derive(Clone, Copy, Debug)]
struct Place {
    first: usize,
    block: usize,
    hits: usize,
}

/// Three lower and three upper coordinates, each followed by [`PAD`] that are no numbers.
type Columns<'a> = [&'a [f32]; 6];

fn find(
    columns: &Columns<'_>,
    place: Place,
    (end, disorder): (usize, f32),
    hits: &mut [Hit],
) -> Place {
    assert!(columns.iter().all(|all| all.len() >= end + PAD && all.len() == columns[0].len()));
    #[cfg(target_arch = "x86_64")]
    if crate::lanes32::Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        return unsafe { find_avx2(columns, place, (end, disorder), hits) };
    }
    find_lanes::<Scalar8>(columns, place, (end, disorder), hits)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn find_avx2(columns: &Columns<'_>, place: Place, limits: (usize, f32), hits: &mut [Hit]) -> Place {
    find_lanes::<crate::lanes32::Avx8>(columns, place, limits, hits)
}

/// The overlaps of the entries up to `end` with those after them, until `hits` is full. Nothing is
/// called from here, and who owns a pair is not asked, so that all numbers stay in registers:
/// spilling them costs half the sweep.
#[inline(always)]
fn find_lanes<L: Lanes8>(
    [x0, y0, z0, x1, y1, z1]: &Columns<'_>,
    place: Place,
    (end, disorder): (usize, f32),
    hits: &mut [Hit],
) -> Place {
    let len = x0.len() - PAD;
    let Place { first: mut i, block: mut j, hits: mut found } = place;
    while i < end {
        let (a, b, c) = (one(x0, i), one(y0, i), one(z0, i));
        let (d, e, f) = (one(x1, i), one(y1, i), one(z1, i));
        let limit = d + disorder;
        // The first eight are tested whether they begin early enough or not: a branch would be
        // mispredicted more often than the test is for nothing.
        loop {
            if found == hits.len() {
                return Place { first: i, block: j, hits: found };
            }
            let mut mask = load::<L>(x0, j).le_mask(L::splat(d));
            mask = L::and(mask, L::splat(a).le_mask(load::<L>(x1, j)));
            mask = L::and(mask, load::<L>(y0, j).le_mask(L::splat(e)));
            mask = L::and(mask, L::splat(b).le_mask(load::<L>(y1, j)));
            mask = L::and(mask, load::<L>(z0, j).le_mask(L::splat(f)));
            mask = L::and(mask, L::splat(c).le_mask(load::<L>(z1, j)));
            let lanes = u32::from(L::bits(mask));
            hits[found] = Hit { first: i as u32, block: j as u32, lanes };
            found += usize::from(lanes != 0);
            j += 8;
            if j >= len || one(x0, j) > limit {
                break;
            }
        }
        i += 1;
        j = i + 1;
    }
    Place { first: i, block: j, hits: found }
}

/// The number of an entry.
#[inline(always)]
fn one(all: &[f32], at: usize) -> f32 {
    debug_assert!(at < all.len());
    // SAFETY: `find` has asserted that every array is longer than the entries it asks about.
    #[expect(unsafe_code, reason = "measured: checks cost a third of the sweep")]
    unsafe {
        *all.get_unchecked(at)
    }
}

/// Eight from any place up to one past the last entry.
#[inline(always)]
fn load<L: Lanes8>(all: &[f32], at: usize) -> L {
    debug_assert!(at + 8 <= all.len());
    // SAFETY: `find` has asserted that every array is `PAD` longer than there are entries, and the
    // loop asks for places up to one past the last entry only.
    #[expect(unsafe_code, reason = "measured: checks cost a third of the sweep")]
    let eight = unsafe { all.get_unchecked(at..at + 8) };
    L::load(eight.try_into().expect("eight"))
}

/// Strikes out the lanes whose common lower corner lies before `from`.
fn keep_owned(columns: &Columns<'_>, from: [f32; 3], hits: &mut [Hit]) {
    #[cfg(target_arch = "x86_64")]
    if crate::lanes32::Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        return unsafe { keep_owned_avx2(columns, from, hits) };
    }
    keep_owned_lanes::<Scalar8>(columns, from, hits);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn keep_owned_avx2(columns: &Columns<'_>, from: [f32; 3], hits: &mut [Hit]) {
    keep_owned_lanes::<crate::lanes32::Avx8>(columns, from, hits);
}

#[inline(always)]
fn keep_owned_lanes<L: Lanes8>(columns: &Columns<'_>, from: [f32; 3], hits: &mut [Hit]) {
    let [x, y, z, ..] = columns;
    for hit in hits {
        let (i, j) = (hit.first as usize, hit.block as usize);
        let mut mask = L::splat(from[0]).le_mask(L::splat(x[i]).max(checked::<L>(x, j)));
        mask = L::and(mask, L::splat(from[1]).le_mask(L::splat(y[i]).max(checked::<L>(y, j))));
        mask = L::and(mask, L::splat(from[2]).le_mask(L::splat(z[i]).max(checked::<L>(z, j))));
        hit.lanes &= u32::from(L::bits(mask));
    }
}

/// How many pairs are put together before they are handed on.
const AT_ONCE: usize = 512;

fn report(hits: &[Hit], ids: &[u32], out: &mut Vec<[u32; 2]>) {
    #[cfg(target_arch = "x86_64")]
    if crate::lanes32::Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        return unsafe { report_avx2(hits, ids, out) };
    }
    report_rows::<Plain>(hits, ids, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn report_avx2(hits: &[Hit], ids: &[u32], out: &mut Vec<[u32; 2]>) {
    report_rows::<super::row::Avx>(hits, ids, out);
}

#[inline(always)]
fn report_rows<R: Row>(hits: &[Hit], ids: &[u32], out: &mut Vec<[u32; 2]>) {
    let mut pairs = [[0; 2]; AT_ONCE + 8];
    let mut len = 0;
    for hit in hits {
        let block = hit.block as usize;
        let others: &[u32; 8] = ids[block..block + 8].try_into().expect("eight");
        let place: &mut [[u32; 2]; 8] = (&mut pairs[len..len + 8]).try_into().expect("eight");
        len += R::pairs(ids[hit.first as usize], others, hit.lanes, place);
        if len >= AT_ONCE {
            out.extend_from_slice(&pairs[..len]);
            len = 0;
        }
    }
    out.extend_from_slice(&pairs[..len]);
}

#[inline(always)]
fn checked<L: Lanes8>(all: &[f32], at: usize) -> L {
    L::load(all[at..at + 8].try_into().expect("eight"))
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::super::row::Avx;
    use super::*;
    use crate::lanes32::{Avx2, Avx8};
    use proptest::prelude::*;

    /// Boxes on a lattice, so that ends meet and coincide; some without size, some without end.
    fn entries() -> impl Strategy<Value = Vec<Entry>> {
        let span = (-9i8..9, 0i8..4, 0u8..40);
        let boxes = prop::collection::vec(prop::array::uniform3(span), 0..90);
        boxes.prop_map(|boxes| {
            let entry = |(i, spans): (usize, [(i8, i8, u8); 3])| {
                let ends = spans.map(|(low, size, kind)| match kind {
                    0 => [f32::NEG_INFINITY, f32::INFINITY],
                    1 => [-0.0, 3e38],
                    _ => [f32::from(low) * 0.5, f32::from(low) * 0.5 + f32::from(size) * 0.5],
                });
                let [a, b, c] = ends.map(|[low, _]| low.to_bits());
                let [d, e, f] = ends.map(|[_, high]| high.to_bits());
                [a, b, c, i as u32, d, e, f, c]
            };
            boxes.into_iter().enumerate().map(entry).collect()
        })
    }

    /// The lanes in use, as bits: what stands behind them is nobody's business.
    fn ordered(scratch: &Scratch, len: usize) -> Vec<Vec<u32>> {
        let numbers = scratch.coordinates.iter();
        let mut all: Vec<Vec<u32>> =
            numbers.map(|lane| lane[..len].iter().map(|x| x.to_bits()).collect()).collect();
        all.push(scratch.ids[..len].to_vec());
        all
    }

    /// By definition, as sorted pairs of numbers.
    fn expected(entries: &[Entry], from: &[f32; 3]) -> Vec<[u32; 2]> {
        let number = |entry: &Entry, k: usize| f32::from_bits(entry[k]);
        let mut pairs = Vec::new();
        for (i, a) in entries.iter().enumerate() {
            for b in &entries[i + 1..] {
                let meet = (0..3).all(|k| {
                    number(a, k) <= number(b, k + 4)
                        && number(b, k) <= number(a, k + 4)
                        && number(a, k).max(number(b, k)) >= from[k]
                });
                if meet {
                    pairs.push([a[3], b[3]]);
                }
            }
        }
        pairs
    }

    proptest! {
        #[test]
        fn all_forms_find_the_pairs_of_the_definition(
            entries in entries(),
            axis in 0usize..3,
            from in prop::array::uniform3(prop_oneof![Just(f32::NEG_INFINITY), -5.0..5.0f32]),
            at_once in 1usize..100,
        ) {
            let (mut scratch, mut pairs) = (Scratch::default(), Vec::new());
            let mut sweep = Sweep::new(&entries, axis, &mut scratch);
            for start in (0..sweep.len()).step_by(at_once) {
                sweep.run(start..sweep.len().min(start + at_once), &from, &mut pairs);
            }
            pairs.iter_mut().for_each(|pair| pair.sort_unstable());
            pairs.sort_unstable();
            prop_assert_eq!(pairs, expected(&entries, &from));
        }

        #[test]
        fn kernels_and_their_twins_agree_bit_for_bit(
            entries in entries(),
            axis in 0usize..3,
            from in prop::array::uniform3(-5.0..5.0f32),
            room in 1usize..40,
        ) {
            if Avx2::detect().is_none() {
                return Ok(());
            }
            let len = entries.len();
            let (mut plain, mut fast) = (Scratch::default(), Scratch::default());
            Sweep::new(&entries, axis, &mut plain);
            Sweep::new(&entries, axis, &mut fast);
            let disorder = order_rows::<Plain>(&entries, axis, &mut plain);
            let other = order_rows::<Avx>(&entries, axis, &mut fast);
            prop_assert_eq!(disorder.to_bits(), other.to_bits());
            prop_assert_eq!(ordered(&plain, len), ordered(&fast, len));
            let [a, b, c] = axes(axis);
            let lanes = [a, b, c, a + 3, b + 3, c + 3].map(|k| &fast.coordinates[k][..len + PAD]);
            let mut place = Place { first: 0, block: 1, hits: 0 };
            while place.first < len {
                place.hits = 0;
                let mut hits = [vec![Hit::default(); room], vec![Hit::default(); room]];
                let next = find_lanes::<Scalar8>(&lanes, place, (len, disorder), &mut hits[0]);
                let other = find_lanes::<Avx8>(&lanes, place, (len, disorder), &mut hits[1]);
                prop_assert_eq!(
                    (next.first, next.block, next.hits),
                    (other.first, other.block, other.hits)
                );
                hits.iter_mut().for_each(|hits| hits.truncate(next.hits));
                keep_owned_lanes::<Scalar8>(&lanes, from, &mut hits[0]);
                keep_owned_lanes::<Avx8>(&lanes, from, &mut hits[1]);
                let mut pairs = [Vec::new(), Vec::new()];
                report_rows::<Plain>(&hits[0], &fast.ids, &mut pairs[0]);
                report_rows::<Avx>(&hits[1], &fast.ids, &mut pairs[1]);
                prop_assert_eq!(&pairs[0], &pairs[1]);
                place = next;
            }
        }
    }
}
