//! One mesh against itself: neighbours are judged beyond what they share.

use super::fans::Fans;
use super::tile::Tile;
use super::{Ask, Ended, Scratch, Side, Work};
use crate::neighbours::intersect_beyond_shared;
use rayon::prelude::*;

/// So many vertices are looked at by one task.
const CHUNK: usize = 4096;

/// A mesh, and which of its vertices have flat fans.
#[derive(Clone, Copy)]
pub(super) struct Itself<'a> {
    pub(super) side: &'a Side<'a>,
    pub(super) flat: &'a [bool],
}

impl Scratch {
    /// Finds the faces of a mesh that meet beyond what they share, the lower number first.
    pub fn search_itself(&mut self, side: &Side<'_>, fans: &Fans, ask: &Ask<'_>) -> Ended {
        self.hits.clear();
        let mut ended = Ended { complete: true, work: Work::default() };
        let count = fans.len().min(side.points.len());
        self.flat.resize(count, false);
        self.flat.par_chunks_mut(CHUNK).enumerate().for_each(|(number, flat)| {
            let first = number * CHUNK;
            fans.flat(side.points, first..first + flat.len(), flat);
        });
        self.spare.append(&mut self.tiles);
        self.coarse.cut_itself(side, (&mut self.tiles, &mut self.spare));
        let flat = std::mem::take(&mut self.flat);
        let itself = Itself { side, flat: &flat };
        self.run_tiles(ask, &mut ended, |tile: &mut Tile, scratch, ask| {
            tile.search_itself(&itself, scratch, ask);
        });
        self.flat = flat;
        ended
    }
}

impl Itself<'_> {
    /// Whether two faces share a vertex around which faces are known not to meet beyond what they share.
    pub(super) fn are_flat_neighbours(&self, pair: [u32; 2]) -> bool {
        let [a, b] = pair.map(|face| self.side.triangles[face as usize]);
        a.iter().any(|&v| (v == b[0] || v == b[1] || v == b[2]) && self.flat[v as usize])
    }

    /// Whether two faces meet beyond what they share, exactly.
    pub(super) fn meet(&self, pair: [u32; 2]) -> bool {
        intersect_beyond_shared(&self.side.triangle(pair[0]), &self.side.triangle(pair[1]))
    }
}
