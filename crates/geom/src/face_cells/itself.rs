//! One mesh against itself: neighbours are judged beyond what they share.

use super::fans::Fans;
use super::tile::Tile;
use super::{Ask, Ended, Scratch, Side, Work};
use crate::neighbours::intersect_beyond_shared;
use rayon::prelude::*;

/// So many vertices are looked at by one task.
const CHUNK: usize = 4096;

/// A mesh, and which corners of its faces have flat fans: bit `k` for corner `k`.
#[derive(Clone, Copy)]
pub(super) struct Itself<'a> {
    pub(super) side: &'a Side<'a>,
    pub(super) flat_corners: &'a [u8],
}

impl Scratch {
    /// Finds the faces of a mesh that meet beyond what they share, the lower number first.
    pub fn search_itself(&mut self, side: &Side<'_>, fans: &Fans, ask: &Ask<'_>) -> Ended {
        if ask.units == 0 {
            self.hits.clear();
            return Ended { complete: false, work: Work::default() };
        }
        self.find_flat(side, fans);
        let flat_corners = std::mem::take(&mut self.flat_corners);
        let itself = Itself { side, flat_corners: &flat_corners };
        let ended = self
            .search_trees([side; 2], Some(&itself), ask)
            .unwrap_or_else(|| self.search_cells_itself(&itself, ask));
        self.flat_corners = flat_corners;
        ended
    }

    /// By cells.
    pub(super) fn search_cells_itself(&mut self, itself: &Itself<'_>, ask: &Ask<'_>) -> Ended {
        self.hits.clear();
        let mut ended = Ended { complete: true, work: Work::default() };
        self.spare.append(&mut self.tiles);
        self.coarse.cut_itself(itself.side, (&mut self.tiles, &mut self.spare));
        self.run_tiles(ask, &mut ended, |tile: &mut Tile, scratch, ask| {
            tile.search_itself(itself, scratch, ask);
        });
        ended
    }

    /// Finds the corners of faces that have flat fans.
    pub(super) fn find_flat(&mut self, side: &Side<'_>, fans: &Fans) {
        let Self { flat, flat_corners, .. } = self;
        flat.resize(fans.len().min(side.points.len()), false);
        flat.par_chunks_mut(CHUNK).enumerate().for_each(|(number, flat)| {
            let first = number * CHUNK;
            fans.flat(side.points, first..first + flat.len(), flat);
        });
        flat_corners.resize(side.triangles.len(), 0);
        let all = flat_corners.par_chunks_mut(CHUNK).zip(side.triangles.par_chunks(CHUNK));
        all.for_each(|(corners, triangles)| {
            for (corners, triangle) in corners.iter_mut().zip(triangles) {
                let [p, q, r] = triangle.map(|v| u8::from(flat[v as usize]));
                *corners = p | q << 1 | r << 2;
            }
        });
    }
}

impl Itself<'_> {
    /// Whether two faces share a vertex around which faces are known not to meet beyond what they share.
    #[inline(always)]
    fn are_flat_neighbours(&self, pair: [u32; 2]) -> bool {
        let [a, b] = pair.map(|face| self.side.triangles[face as usize]);
        // Without branches, since nobody can tell what comes next.
        let shared = |k: usize| u8::from((a[k] == b[0]) | (a[k] == b[1]) | (a[k] == b[2])) << k;
        (shared(0) | shared(1) | shared(2)) & self.flat_corners[pair[0] as usize] != 0
    }

    /// Keeps the pairs that are not known not to meet, the lower number first.
    pub(super) fn keep_strangers(&self, near: &mut Vec<[u32; 2]>, from: usize) {
        let mut kept = from;
        for i in from..near.len() {
            let [a, b] = near[i];
            near[kept] = [a.min(b), a.max(b)];
            kept += usize::from(!self.are_flat_neighbours([a, b]));
        }
        near.truncate(kept);
    }

    /// Whether two faces meet beyond what they share, exactly.
    pub(super) fn meet(&self, pair: [u32; 2]) -> bool {
        intersect_beyond_shared(&self.side.triangle(pair[0]), &self.side.triangle(pair[1]))
    }
}
