//! Runs of faces of both meshes that meet, by trees of boxes over them.
//!
//! Faces are in an order in which each eight, each sixty-four and so on lie together, so that the boxes
//! around them are a tree that needs nothing but its boxes. It is made anew for each question. That
//! pays as long as faces that were near each other when the order was made still are; if they are not,
//! too many runs meet, and cells are the way.

use super::tile::Tile;
use super::{RUN, Side};
use crate::aabb::Aabb;
use impinge_simd::faces::boughs::{
    Asked, Asking, Boxes, Opened, Pairing, Steps, descend, meet, parents,
};
use rayon::prelude::*;

/// What is known of both meshes.
#[derive(Debug, Default)]
pub(super) struct Trees {
    asking: Tree<Asking>,
    asked: Tree<Asked>,
    /// Pairs of nodes, and of their children.
    pairs: Vec<[u32; 2]>,
    next: Vec<[u32; 2]>,
}

#[derive(Debug, Default)]
struct Tree<B> {
    /// The boxes of runs, eight in a node; of those nodes; and so on, to the one above all.
    levels: Vec<Vec<B>>,
    /// By run: its place among those that are opened.
    places: Vec<u32>,
    /// The runs that are opened.
    runs: Vec<u32>,
    opened: Vec<Opened<B>>,
}

/// With more pairs of runs for each run, cells are the better way.
const PAIRS_PER_RUN: usize = 8;
/// So many runs are opened by one task.
const CHUNK: usize = 128;
/// So many pairs of runs are looked at by one task.
const PAIRS: usize = 32;

impl Trees {
    /// Finds the pairs of runs whose boxes share a point; false if they are too many.
    pub(super) fn find_runs(
        &mut self,
        sides: [&Side<'_>; 2],
        region: &Aabb,
        pairing: Pairing,
    ) -> bool {
        let steps = Steps::of(region.min, region.max);
        let most = PAIRS_PER_RUN * (sides[0].boxes.len() + sides[1].boxes.len());
        let depth = depth_of(sides[0].boxes.len()).max(depth_of(sides[1].boxes.len()));
        self.asking.grow((&steps, sides[0]), depth);
        self.asked.grow((&steps, sides[1]), depth);
        let Self { asking, asked, pairs, next } = self;
        pairs.clear();
        if sides.iter().all(|side| !side.boxes.is_empty()) {
            pairs.push([0, 0]);
        }
        for level in (0..depth).rev() {
            let nodes = (&asking.levels[level][..], &asked.levels[level][..], pairing);
            if !descend(nodes, pairs, (next, most)) {
                return false;
            }
            std::mem::swap(pairs, next);
        }
        asking.list(pairs, 0);
        asked.list(pairs, 1);
        true
    }

    /// Makes the boxes of the faces of all runs that were found; tells how many faces they are.
    pub(super) fn open(&mut self, sides: [&Side<'_>; 2], region: &Aabb) -> u64 {
        let steps = Steps::of(region.min, region.max);
        let Self { asking, asked, .. } = self;
        rayon::join(|| asking.open(&steps, sides[0]), || asked.open(&steps, sides[1]));
        (RUN * (self.asking.runs.len() + self.asked.runs.len())) as u64
    }

    /// Shares the pairs of runs out to tiles.
    pub(super) fn share_out(
        &self,
        region: &Aabb,
        (tiles, spare): (&mut Vec<Tile>, &mut Vec<Tile>),
    ) {
        for some in self.pairs.chunks(PAIRS) {
            let mut tile = spare.pop().unwrap_or_default();
            tile.begin(region);
            tile.pairs.extend_from_slice(some);
            tiles.push(tile);
        }
    }

    /// Adds the pairs of faces of two runs whose boxes share a point. Returns how many pairs of boxes
    /// were looked at.
    #[inline]
    pub(super) fn meet(
        &self,
        sides: [&Side<'_>; 2],
        ([i, j], pairing): ([u32; 2], Pairing),
        out: &mut Vec<[u32; 2]>,
    ) -> u64 {
        let pairing = if i == j { pairing } else { Pairing::Two };
        let runs = (self.asking.get(i), self.asked.get(j), pairing);
        meet(runs, [sides[0].layout.run(i).faces, sides[1].layout.run(j).faces], out)
    }
}

/// How many levels it takes until one node is above all of so many runs.
fn depth_of(runs: usize) -> usize {
    let (mut depth, mut nodes) = (1, runs.div_ceil(8));
    while nodes > 1 {
        nodes = nodes.div_ceil(8);
        depth += 1;
    }
    depth
}

const NOWHERE: u32 = u32::MAX;

impl<B: Boxes + Send + Sync + 'static> Tree<B> {
    fn grow(&mut self, (steps, side): (&Steps, &Side<'_>), depth: usize) {
        self.levels.resize_with(depth.max(self.levels.len()), Vec::new);
        B::of_ends(steps, side.boxes, &mut self.levels[0]);
        for level in 1..depth {
            let (below, above) = self.levels.split_at_mut(level);
            parents(&below[level - 1], &mut above[0]);
        }
    }

    /// Lists the runs that are in pairs.
    fn list(&mut self, pairs: &[[u32; 2]], which: usize) {
        let Self { levels, places, runs, .. } = self;
        places.clear();
        places.resize(8 * levels[0].len(), NOWHERE);
        runs.clear();
        for pair in pairs {
            let place = &mut places[pair[which] as usize];
            if *place == NOWHERE {
                *place = runs.len() as u32;
                runs.push(pair[which]);
            }
        }
    }

    fn open(&mut self, steps: &Steps, side: &Side<'_>) {
        let Self { runs, opened, .. } = self;
        if opened.len() < runs.len() {
            opened.resize(runs.len(), Opened::default());
        }
        let open = |runs: &[u32], opened: &mut [Opened<B>]| {
            let runs = runs.iter().map(|&run| side.layout.run(run));
            B::open(steps, side.points, runs.zip(opened));
        };
        if runs.len() <= CHUNK || rayon::current_num_threads() == 1 {
            open(runs, opened);
        } else {
            let chunks = runs.par_chunks(CHUNK).zip(opened.par_chunks_mut(CHUNK));
            chunks.for_each(|(runs, opened)| open(runs, opened));
        }
    }

    #[inline(always)]
    fn get(&self, run: u32) -> &Opened<B> {
        &self.opened[self.places[run as usize] as usize]
    }
}
