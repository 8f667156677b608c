//! A part of the region: faces into cells, survivors into rows, pairs to the test.

use super::marks::Marks;
use super::{Ask, EXACT_UNITS, HITS_MAX, PAIR_UNITS, RUN, Side, Work, meet};
use crate::aabb::Aabb;
use crate::skin::BLOCK;
use impinge_simd::faces::Lattice;
use impinge_simd::faces::pairs::{Judged, judge};
use impinge_simd::faces::ranges::{Faces, Ranges};
use impinge_simd::faces::rows::{Box32, Reach, Rows, boxes_of};

/// A part of the region, and what was found in it.
#[derive(Debug)]
pub(super) struct Tile {
    pub(super) region: Aabb,
    /// It is not all of the region; pairs belong to it whose lower corner is in its part of space.
    pub(super) is_part: bool,
    pub(super) part: Part,
    pub(super) cells: [u8; 3],
    /// Of each mesh the runs of faces that may reach into it.
    pub(super) runs: [Vec<u32>; 2],
    pub(super) hits: Vec<[u32; 2]>,
    pub(super) work: Work,
    pub(super) complete: bool,
}

impl Default for Tile {
    fn default() -> Self {
        Self {
            region: Aabb::EMPTY,
            is_part: false,
            part: Part { from: [f64::NEG_INFINITY; 3], until: [f64::INFINITY; 3] },
            cells: [1; 3],
            runs: Default::default(),
            hits: Vec::new(),
            work: Work::default(),
            complete: false,
        }
    }
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct TileScratch {
    sides: [SideScratch; 2],
    marks: Marks,
    rows: Rows,
    near: Vec<[u32; 2]>,
    judged: Judged,
}

#[derive(Debug, Default)]
struct SideScratch {
    /// By vertex; true only for the runs of vertices that carry the number of this turn.
    cells: Vec<u32>,
    turns: Vec<u32>,
    turn: u32,
    ranges: Ranges,
    boxes: Vec<Box32>,
}

/// Pairs are tested when so many have come together.
const BATCH: usize = 1024;

impl Tile {
    /// Starts anew with a region that is all there is.
    pub(super) fn begin(&mut self, region: &Aabb) {
        let Self { runs: [mut a, mut b], mut hits, .. } = std::mem::take(self);
        a.clear();
        b.clear();
        hits.clear();
        *self = Self { region: *region, runs: [a, b], hits, ..Self::default() };
    }

    /// Finds the pairs that belong to it.
    pub(super) fn search(
        &mut self,
        sides: [&Side<'_>; 2],
        scratch: &mut TileScratch,
        ask: &Ask<'_>,
    ) {
        (self.complete, self.work) = (false, Work::default());
        self.hits.clear();
        let lattice = Lattice::of(self.region.min, self.region.max, self.cells);
        for ((side, scratch), runs) in sides.iter().zip(&mut scratch.sides).zip(&self.runs) {
            self.work.faces += (runs.len() * RUN) as u64;
            scratch.reach_into(&lattice, side, runs);
        }
        scratch.keep_near(&lattice);
        if (ask.is_over)() {
            return;
        }
        let TileScratch { sides: [a, b], rows, near, judged, .. } = scratch;
        if a.ranges.is_empty() || b.ranges.is_empty() {
            self.complete = true;
            return;
        }
        a.surround(sides[0], self.region.min);
        b.surround(sides[1], self.region.min);
        rows.fill(&a.ranges.low, &a.ranges.high, &a.boxes);
        near.clear();
        for (i, around) in b.boxes.iter().enumerate() {
            let reach = Reach { low: b.ranges.low[i], high: b.ranges.high[i], around: *around };
            let price = rows.price(reach.low, reach.high);
            if self.work.units() + price > ask.units {
                return;
            }
            self.work.boxes += price;
            rows.meet(&reach, i as u32, near);
            if near.len() >= BATCH {
                name(near, [&a.ranges.ids, &b.ranges.ids]);
                if !self.test(sides, (near, judged), ask) {
                    return;
                }
                near.clear();
            }
        }
        name(near, [&a.ranges.ids, &b.ranges.ids]);
        if self.test(sides, (near, judged), ask) {
            self.complete = true;
        }
    }

    /// Adds those pairs that meet; false if that is the end.
    fn test(
        &mut self,
        sides: [&Side<'_>; 2],
        (near, judged): (&[[u32; 2]], &mut Judged),
        ask: &Ask<'_>,
    ) -> bool {
        let left = ask.units.saturating_sub(self.work.units());
        let paid = near.len().min((left / PAIR_UNITS) as usize);
        judged.hits.clear();
        judged.open.clear();
        let [a, b] = sides.map(|side| side.soup());
        judge(a, b, (&near[..paid], scale_of(&self.region)), judged);
        self.work.pairs += paid as u64;
        let left = ask.units.saturating_sub(self.work.units());
        let exact = judged.open.len().min((left / EXACT_UNITS) as usize);
        self.work.exact += exact as u64;
        let settled = judged.open[..exact].iter().filter(|&&pair| meet(sides, pair));
        let found = judged.hits.iter().chain(settled).copied();
        let (part, is_part) = (self.part, self.is_part);
        let owned = |pair: &[u32; 2]| !is_part || part.owns(sides, *pair);
        if ask.first_only {
            let first = found.filter(owned).min();
            self.hits.extend(first);
            self.complete |= first.is_some();
            if first.is_some() {
                return false;
            }
        } else {
            self.hits.extend(found.filter(owned));
        }
        let all = paid == near.len() && exact == judged.open.len();
        all && self.hits.len() <= HITS_MAX && !(ask.is_over)()
    }
}

/// A part of space: from these coordinates on, until just before those.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) from: [f64; 3],
    pub(super) until: [f64; 3],
}

impl Part {
    /// Whether the lower corner of what the boxes of two faces share is in it.
    fn owns(&self, sides: [&Side<'_>; 2], pair: [u32; 2]) -> bool {
        let [a, b] = [0, 1].map(|k| sides[k].triangle(pair[k]));
        (0..3).all(|k| {
            let low = |t: &[[f64; 3]; 3]| t[0][k].min(t[1][k]).min(t[2][k]);
            let corner = low(&a).max(low(&b));
            self.from[k] <= corner && corner < self.until[k]
        })
    }
}

/// From places in lists to faces.
fn name(near: &mut [[u32; 2]], ids: [&[u32]; 2]) {
    for pair in near {
        *pair = [ids[0][pair[0] as usize], ids[1][pair[1] as usize]];
    }
}

/// A power of two that makes a region about as large as one.
fn scale_of(region: &Aabb) -> f64 {
    let size = (0..3).map(|k| region.max[k] - region.min[k]).fold(0.0, f64::max);
    let exponent = ((size.to_bits() >> 52) & 0x7ff) as i64 - 1023;
    f64::from_bits(((1023 - exponent.clamp(-900, 900)) as u64) << 52)
}

impl TileScratch {
    /// Keeps the faces of each mesh that share a cell with one of the other.
    fn keep_near(&mut self, lattice: &Lattice) {
        let Self { sides: [a, b], marks, .. } = self;
        marks.clear(lattice.last);
        for (&low, &high) in b.ranges.low.iter().zip(&b.ranges.high) {
            marks.add(low, high);
        }
        a.ranges.retain(|low, high| marks.meet(low, high));
        marks.clear(lattice.last);
        for (&low, &high) in a.ranges.low.iter().zip(&a.ranges.high) {
            marks.add(low, high);
        }
        b.ranges.retain(|low, high| marks.meet(low, high));
    }
}

impl SideScratch {
    /// Finds the faces of some runs that reach into a lattice.
    fn reach_into(&mut self, lattice: &Lattice, side: &Side<'_>, runs: &[u32]) {
        let Self { cells, turns, turn, ranges, .. } = self;
        *turn = turn.wrapping_add(1);
        if *turn == 0 || turns.len() != side.boxes.len() {
            turns.clear();
            turns.resize(side.boxes.len(), 0);
            *turn = 1;
        }
        cells.resize(side.points.len(), 0);
        for &run in runs {
            for &block in side.layout.blocks(run) {
                if std::mem::replace(&mut turns[block as usize], *turn) != *turn {
                    let from = block as usize * BLOCK;
                    let until = side.points.len().min(from + BLOCK);
                    lattice.cells_of(&side.points[from..until], &mut cells[from..until]);
                }
            }
        }
        ranges.clear();
        let faces = Faces { triangles: side.triangles, cells };
        ranges.add(lattice, &faces, (runs, RUN));
    }

    fn surround(&mut self, side: &Side<'_>, origin: [f64; 3]) {
        let Self { ranges, boxes, .. } = self;
        boxes_of(side.points, side.triangles, (&ranges.ids, origin), boxes);
    }
}
