//! All pairs of faces of two meshes that meet, with nothing made beforehand but what the triangles
//! alone tell: for meshes whose vertices all move between two questions [K98 §3].
//!
//! Faces are kept in an order in which those that lie together come together, and trees of boxes over
//! that order, made anew for each question, tell which runs of faces may meet. Where the order no longer
//! fits, the part of space that both meshes reach is cut into cells, and faces of both are looked at only
//! where they share one. See docs/notes/deforming.md for the stages. Coordinates become cells or steps by
//! monotone functions, so that nothing is lost however they are rounded; each pair comes once; what f32
//! leaves open is decided exactly.

mod coarse;
mod fans;
mod itself;
mod layout;
mod listed;
mod marks;
pub(crate) mod tile;
mod trees;

use crate::aabb::Aabb;
use crate::tri_tri;
use crate::{Point, Triangle};
use coarse::Coarse;
pub use fans::Fans;
use impinge_simd::faces::boughs::Pairing;
use impinge_simd::faces::pairs::{Judged, Soup};
pub use impinge_simd::faces::points::Ends;
use itself::Itself;
pub use layout::{Layout, RUN};
use rayon::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tile::{Tile, TileScratch};
use trees::Trees;

/// A mesh as it is now, in the world.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The vertices.
    pub points: &'a [Point],
    /// The corners of the faces.
    pub triangles: &'a [[u32; 3]],
    /// The boxes around runs of faces, by [`Layout::boxes`].
    pub boxes: &'a [Ends],
    /// The box around all vertices.
    pub bounds: &'a Aabb,
    /// What the triangles alone tell.
    pub layout: &'a Layout,
}

impl<'a> Side<'a> {
    /// The corners of a face.
    pub fn triangle(&self, face: u32) -> Triangle {
        self.triangles[face as usize].map(|v| self.points[v as usize])
    }

    pub(crate) fn soup(&self) -> Soup<'a> {
        Soup { points: self.points, triangles: self.triangles }
    }
}

/// What is asked of two meshes.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// One pair is enough.
    pub first_only: bool,
    /// How much may be done; see [`Work::units`].
    pub units: u64,
    /// Asked now and then: whether to stop.
    pub is_over: &'a (dyn Fn() -> bool + Sync),
}

/// The most that is done for one question, whatever it allows: some seconds.
pub const UNITS_MAX: u64 = 1 << 30;
/// The most pairs that are found for one question.
pub const HITS_MAX: usize = 1 << 24;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Faces whose cells were looked at.
    pub faces: u64,
    /// Pairs of boxes of faces.
    pub boxes: u64,
    /// Pairs of faces.
    pub pairs: u64,
    /// Pairs that only exact arithmetic could tell.
    pub exact: u64,
}

impl Work {
    /// In units of one pair of boxes, by the time they take.
    pub fn units(&self) -> u64 {
        self.faces + self.boxes + self.pairs * PAIR_UNITS + self.exact * EXACT_UNITS
    }

    fn add(&mut self, other: &Self) {
        self.faces += other.faces;
        self.boxes += other.boxes;
        self.pairs += other.pairs;
        self.exact += other.exact;
    }
}

const PAIR_UNITS: u64 = 8;
const EXACT_UNITS: u64 = 64;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// All pairs were found, or one if that was enough.
    pub complete: bool,
    /// What was done.
    pub work: Work,
}

/// Memory that is kept from question to question.
#[derive(Debug, Default)]
pub struct Scratch {
    trees: Trees,
    coarse: Coarse,
    tiles: Vec<Tile>,
    spare: Vec<Tile>,
    /// One for each thread, and one for whoever is none of the pool's.
    by_thread: Vec<Mutex<TileScratch>>,
    /// By vertex: whether the faces around it lie flat.
    flat: Vec<bool>,
    /// By face: which of its corners those are.
    flat_corners: Vec<u8>,
    judged: Judged,
    hits: Vec<[u32; 2]>,
}

impl Scratch {
    /// The pairs that the last search found, sorted.
    pub fn hits(&self) -> &[[u32; 2]] {
        &self.hits
    }

    /// Finds the faces of `a` and of `b` that share a point.
    pub fn search(&mut self, a: &Side<'_>, b: &Side<'_>, ask: &Ask<'_>) -> Ended {
        let region = a.bounds.intersection(b.bounds);
        if region.is_empty() || ask.units == 0 {
            self.hits.clear();
            return Ended { complete: region.is_empty(), work: Work::default() };
        }
        self.search_trees([a, b], None, ask)
            .unwrap_or_else(|| self.search_cells([a, b], &region, ask))
    }

    /// By trees of boxes, if that is a good way.
    fn search_trees(
        &mut self,
        sides: [&Side<'_>; 2],
        itself: Option<&Itself<'_>>,
        ask: &Ask<'_>,
    ) -> Option<Ended> {
        let region = sides[0].bounds.intersection(sides[1].bounds);
        let pairing = if itself.is_some() { Pairing::Itself } else { Pairing::Two };
        if !self.trees.find_runs(sides, &region, pairing) {
            return None;
        }
        self.hits.clear();
        let mut ended = Ended { complete: true, work: Work::default() };
        ended.work.faces = self.trees.open(sides, &region);
        self.spare.append(&mut self.tiles);
        self.trees.share_out(&region, (&mut self.tiles, &mut self.spare));
        let trees = std::mem::take(&mut self.trees);
        self.run_tiles(ask, &mut ended, |tile: &mut Tile, scratch, ask| match itself {
            None => {
                let pairs = |pair, near: &mut Vec<_>| trees.meet(sides, (pair, pairing), near);
                tile.search_pairs((sides, |pair| meet(sides, pair)), (scratch, ask), pairs);
            }
            Some(itself) => {
                let pairs = |pair, near: &mut Vec<_>| {
                    let before = near.len();
                    let looked = trees.meet(sides, (pair, pairing), near);
                    itself.keep_strangers(near, before);
                    looked
                };
                tile.search_pairs((sides, |pair| itself.meet(pair)), (scratch, ask), pairs);
            }
        });
        self.trees = trees;
        Some(ended)
    }

    /// By cells, which does not depend on what lies beside what.
    fn search_cells(&mut self, sides: [&Side<'_>; 2], region: &Aabb, ask: &Ask<'_>) -> Ended {
        self.hits.clear();
        let mut ended = Ended { complete: true, work: Work::default() };
        if !self.coarse.find_runs(sides, region) {
            return ended;
        }
        self.spare.append(&mut self.tiles);
        self.coarse.cut(sides, (&mut self.tiles, &mut self.spare));
        self.run_tiles(ask, &mut ended, |tile: &mut Tile, scratch, ask| {
            tile.search(sides, scratch, ask);
        });
        ended
    }

    /// Searches all tiles, side by side where that cannot change what is found, and gathers their hits.
    fn run_tiles(
        &mut self,
        ask: &Ask<'_>,
        ended: &mut Ended,
        search: impl Fn(&mut Tile, &mut TileScratch, &Ask<'_>) + Sync,
    ) {
        let threads = rayon::current_num_threads() + 1;
        if self.by_thread.len() < threads {
            self.by_thread.resize_with(threads, Mutex::default);
        }
        // With a limit it is one tile after the other, so that the same limit does the same work, and
        // the first pair is always the same.
        let in_turn = ask.first_only || ask.units < UNITS_MAX || self.tiles.len() == 1;
        if in_turn || threads == 2 || !self.run_side_by_side(ask, ended, &search) {
            let units = ask.units.min(UNITS_MAX);
            let scratch = self.by_thread[0].get_mut().unwrap_or_else(|broken| broken.into_inner());
            for tile in &mut self.tiles {
                let left = units.saturating_sub(ended.work.units());
                search(tile, scratch, &Ask { units: left, ..*ask });
                ended.work.add(&tile.work);
                ended.complete &= tile.complete;
                if !ended.complete || (ask.first_only && !tile.hits.is_empty()) {
                    break;
                }
            }
        }
        self.gather(ended);
    }

    /// Searches all tiles at once; false, and nothing was done, if that is more than may be done: then
    /// what is found depends on the order.
    fn run_side_by_side(
        &mut self,
        ask: &Ask<'_>,
        ended: &mut Ended,
        search: &(impl Fn(&mut Tile, &mut TileScratch, &Ask<'_>) + Sync),
    ) -> bool {
        let Self { tiles, by_thread, .. } = self;
        let spent = AtomicU64::new(ended.work.units());
        let is_over = || spent.load(Ordering::Relaxed) > UNITS_MAX || (ask.is_over)();
        let share = Ask { units: UNITS_MAX, is_over: &is_over, ..*ask };
        tiles.par_iter_mut().with_max_len(1).for_each(|tile| {
            let thread = rayon::current_thread_index().map_or(0, |index| index + 1);
            let slot = by_thread[thread.min(by_thread.len() - 1)].lock();
            let mut scratch = slot.unwrap_or_else(|broken| broken.into_inner());
            if !is_over() {
                search(tile, &mut scratch, &share);
                spent.fetch_add(tile.work.units(), Ordering::Relaxed);
            }
        });
        let complete = tiles.iter().all(|tile| tile.complete);
        let within = spent.load(Ordering::Relaxed) <= UNITS_MAX;
        if !((complete && within) || (ask.is_over)()) {
            return false;
        }
        for tile in tiles {
            ended.work.add(&tile.work);
        }
        ended.complete &= complete;
        true
    }

    fn gather(&mut self, ended: &mut Ended) {
        for tile in &self.tiles {
            let room = HITS_MAX - self.hits.len();
            ended.complete &= tile.hits.len() <= room;
            self.hits.extend_from_slice(&tile.hits[..tile.hits.len().min(room)]);
        }
        self.hits.sort_unstable();
    }
}

/// Whether two faces share a point, exactly.
pub(crate) fn meet(sides: [&Side<'_>; 2], pair: [u32; 2]) -> bool {
    tri_tri::intersect(&sides[0].triangle(pair[0]), &sides[1].triangle(pair[1]))
}

#[cfg(test)]
mod tests;
