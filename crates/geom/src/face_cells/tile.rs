//! A part of the region: faces into cells, survivors into lists, pairs to the test.

use super::itself::Itself;
use super::marks::Marks;
use super::{Ask, EXACT_UNITS, HITS_MAX, PAIR_UNITS, RUN, Side, Work, meet};
use crate::aabb::Aabb;
use impinge_simd::faces::Lattice;
use impinge_simd::faces::pairs::{Judged, judge};
use impinge_simd::faces::ranges::{Eight, reach};
use impinge_simd::faces::rows::{Faces, Rows};

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
    /// Or pairs of runs that may meet.
    pub(super) pairs: Vec<[u32; 2]>,
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
            pairs: Vec::new(),
            hits: Vec::new(),
            work: Work::default(),
            complete: false,
        }
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

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct TileScratch {
    sides: [SideScratch; 2],
    marks: [Marks; 2],
    rows: Rows,
    near: Vec<[u32; 2]>,
    judged: Judged,
}

#[derive(Debug, Default)]
struct SideScratch {
    eights: Vec<Eight>,
    faces: Faces,
}

/// The most that two runs of faces can cost before pairs are tested.
const RUN_PAIR_UNITS: u64 = (RUN * RUN + RUN) as u64;
/// Pairs are tested when so many have come together.
const BATCH: usize = 1024;
/// So many faces are held against the others before a look is taken at what that came to.
const STEP: usize = 32;
/// Up to so many pairs of faces are all looked at, by their boxes.
const FEW: usize = 1 << 13;

impl Tile {
    /// Starts anew with a region that is all there is.
    pub(super) fn begin(&mut self, region: &Aabb) {
        let Self { runs: [mut a, mut b], mut pairs, mut hits, .. } = std::mem::take(self);
        a.clear();
        b.clear();
        pairs.clear();
        hits.clear();
        *self = Self { region: *region, runs: [a, b], pairs, hits, ..Self::default() };
    }

    fn restart(&mut self) -> Lattice {
        (self.complete, self.work) = (false, Work::default());
        self.hits.clear();
        Lattice::of(self.region.min, self.region.max, self.cells)
    }

    /// Finds the pairs that belong to it.
    pub(super) fn search(
        &mut self,
        sides: [&Side<'_>; 2],
        scratch: &mut TileScratch,
        ask: &Ask<'_>,
    ) {
        let lattice = self.restart();
        for ((side, scratch), runs) in sides.iter().zip(&mut scratch.sides).zip(&self.runs) {
            self.work.faces += (runs.len() * RUN) as u64;
            scratch.reach_into(&lattice, side, runs);
        }
        if (ask.is_over)() {
            return;
        }
        let [a, b] = scratch.sides.each_ref().map(|side| 8 * side.eights.len());
        let few = a * b <= FEW;
        if few {
            scratch.sides.iter_mut().for_each(SideScratch::keep_all);
        } else {
            scratch.keep_near();
        }
        for (side, scratch) in sides.iter().zip(&mut scratch.sides) {
            scratch.surround(side, self.region.min);
        }
        self.pair_up(sides, (scratch, few), ask);
    }

    fn pair_up(
        &mut self,
        sides: [&Side<'_>; 2],
        (scratch, few): (&mut TileScratch, bool),
        ask: &Ask<'_>,
    ) {
        let TileScratch { sides: [a, b], marks: [marks, _], rows, near, judged } = scratch;
        let (a, b) = (&a.faces, &b.faces);
        if few {
            rows.fill_one(a);
        } else {
            marks.clear();
            a.reach.iter().for_each(|reach| marks.add(*reach));
            rows.fill(a, marks.bits());
        }
        near.clear();
        // Each step may find very many, if they are in a pile, so that steps are small.
        for from in (0..b.len()).step_by(STEP) {
            let places = from..b.len().min(from + STEP);
            self.work.boxes += if few {
                rows.meet_one((b, places), near)
            } else {
                rows.meet(marks.bits(), (b, places), near)
            };
            if self.work.units() > ask.units {
                return;
            }
            if near.len() >= BATCH {
                if !self.test((sides, |pair| meet(sides, pair)), (near, judged), ask) {
                    return;
                }
                near.clear();
            }
        }
        if self.test((sides, |pair| meet(sides, pair)), (near, judged), ask) {
            self.complete = true;
        }
    }

    /// Finds the pairs of faces of its pairs of runs: `pairs` adds those of two runs that are to be
    /// tested and tells how many boxes it looked at.
    pub(super) fn search_pairs(
        &mut self,
        (sides, meet): ([&Side<'_>; 2], impl Fn([u32; 2]) -> bool),
        (scratch, ask): (&mut TileScratch, &Ask<'_>),
        pairs: impl Fn([u32; 2], &mut Vec<[u32; 2]>) -> u64,
    ) {
        (self.complete, self.work) = (false, Work::default());
        self.hits.clear();
        let TileScratch { near, judged, .. } = scratch;
        near.clear();
        for i in 0..self.pairs.len() {
            // Nothing is begun that could cost more than what is left; that is enough for some tests.
            if self.work.units() + RUN_PAIR_UNITS > ask.units {
                self.test((sides, &meet), (near, judged), ask);
                return;
            }
            self.work.boxes += pairs(self.pairs[i], near);
            if near.len() >= BATCH {
                if !self.test((sides, &meet), (near, judged), ask) {
                    return;
                }
                near.clear();
            }
        }
        if self.test((sides, &meet), (near, judged), ask) {
            self.complete = true;
        }
    }

    /// Finds the pairs of faces of one mesh that belong to it.
    pub(super) fn search_itself(
        &mut self,
        itself: &Itself<'_>,
        scratch: &mut TileScratch,
        ask: &Ask<'_>,
    ) {
        let lattice = self.restart();
        let TileScratch { sides: [a, _], marks: [marks, _], rows, near, judged } = scratch;
        self.work.faces += (self.runs[0].len() * RUN) as u64;
        a.reach_into(&lattice, itself.side, &self.runs[0]);
        a.keep_all();
        a.surround(itself.side, self.region.min);
        marks.clear();
        a.faces.reach.iter().for_each(|reach| marks.add(*reach));
        rows.fill(&a.faces, marks.bits());
        near.clear();
        let sides = [itself.side; 2];
        for from in (0..a.faces.len()).step_by(STEP) {
            let places = from..a.faces.len().min(from + STEP);
            let before = near.len();
            self.work.boxes += rows.meet(marks.bits(), (&a.faces, places), near);
            keep_once(near, before);
            itself.keep_strangers(near, before);
            if self.work.units() > ask.units {
                return;
            }
            if near.len() >= BATCH {
                if !self.test((sides, |pair| itself.meet(pair)), (near, judged), ask) {
                    return;
                }
                near.clear();
            }
        }
        if self.test((sides, |pair| itself.meet(pair)), (near, judged), ask) {
            self.complete = true;
        }
    }

    /// Adds those pairs that meet; false if that is the end.
    fn test(
        &mut self,
        (sides, meet): ([&Side<'_>; 2], impl Fn([u32; 2]) -> bool),
        (near, judged): (&[[u32; 2]], &mut Judged),
        ask: &Ask<'_>,
    ) -> bool {
        // Some at a time, so that what is left is not all spent before the first is decided exactly.
        let mut parts = near.chunks(BATCH);
        parts.all(|some| self.test_some((sides, &meet), (some, judged), ask))
    }

    fn test_some(
        &mut self,
        (sides, meet): ([&Side<'_>; 2], impl Fn([u32; 2]) -> bool),
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
        let settled = judged.open[..exact].iter().filter(|&&pair| meet(pair));
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

/// Keeps each pair once: the other way round it is met when the other is asked.
fn keep_once(near: &mut Vec<[u32; 2]>, from: usize) {
    let mut kept = from;
    for i in from..near.len() {
        near[kept] = near[i];
        kept += usize::from(near[i][0] < near[i][1]);
    }
    near.truncate(kept);
}

/// A power of two that makes a region about as large as one.
pub(crate) fn scale_of(region: &Aabb) -> f64 {
    let size = (0..3).map(|k| region.max[k] - region.min[k]).fold(0.0, f64::max);
    let exponent = ((size.to_bits() >> 52) & 0x7ff) as i64 - 1023;
    f64::from_bits(((1023 - exponent.clamp(-900, 900)) as u64) << 52)
}

impl TileScratch {
    /// Keeps the faces of each mesh that share a cell with one of the other.
    ///
    /// Eight faces at a time come first, since most of them can be left out together.
    fn keep_near(&mut self) {
        let Self { sides: [a, b], marks: [of_a, of_b], .. } = self;
        of_b.clear();
        b.eights.iter().for_each(|eight| of_b.add(eight.hull));
        a.eights.retain(|eight| of_b.meet(eight.hull));
        of_a.clear();
        for eight in &a.eights {
            lanes(eight.set).for_each(|lane| of_a.add([eight.low[lane], eight.high[lane]]));
        }
        b.keep_marked(of_a);
        of_b.clear();
        b.faces.reach.iter().for_each(|reach| of_b.add(*reach));
        a.keep_marked(of_b);
    }
}

/// The lanes of a set.
#[inline(always)]
fn lanes(mut set: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (lane < 8).then_some(lane)
    })
}

impl SideScratch {
    /// Finds the faces of some runs that reach into a lattice.
    fn reach_into(&mut self, lattice: &Lattice, side: &Side<'_>, runs: &[u32]) {
        self.eights.clear();
        for &run in runs {
            reach(lattice, side.points, &side.layout.run(run), &mut self.eights);
        }
    }

    /// Makes the boxes of faces, seen from `origin`. Finer cells leave out more faces, coarser ones have
    /// fewer lists to look through: from here on cells are twice as wide.
    fn surround(&mut self, side: &Side<'_>, origin: [f64; 3]) {
        let halved = |cells: u32| cells >> 1 & 0x7f_7f7f;
        self.faces.reach.iter_mut().for_each(|ends| *ends = ends.map(halved));
        self.faces.surround(side.points, side.triangles, origin);
    }

    fn keep_marked(&mut self, marks: &Marks) {
        let Self { eights, faces } = self;
        faces.clear();
        for eight in eights.iter().filter(|eight| marks.meet(eight.hull)) {
            for lane in lanes(eight.set) {
                let reach = [eight.low[lane], eight.high[lane]];
                if marks.meet(reach) {
                    faces.push(eight.names[lane], reach);
                }
            }
        }
    }

    fn keep_all(&mut self) {
        let Self { eights, faces } = self;
        faces.clear();
        for eight in &*eights {
            for lane in lanes(eight.set) {
                faces.push(eight.names[lane], [eight.low[lane], eight.high[lane]]);
            }
        }
    }
}
