//! Two trees whose sizes or places are too unlike for one frame in f32, where squares would overflow
//! and what is not a number would be taken for a vacant lane: every triangle against every one.
//!
//! O(n·m) where balls around the two do not tell them apart, but a body next to one 2³⁸ times as large
//! is hardly more than a point; such pairs are asked about by mistake, and answered truly.

use super::ObbTree;
use super::Place;
use super::couple::{Couple, Side};
use super::cross::{Ended, Found, Next, Search, Work};
use super::gap::{Gap, GapSearch};
use crate::distance::triangle_triangle_below;

/// Products of three coordinates up to this, and sums of some, are far from the largest f32.
pub(super) const FRAME_MAX: f64 = (1u64 << 38) as f64;

/// Stands for the leaves of triangles that were found without them.
const NOWHERE: [Place; 2] = [ObbTree::ROOT; 2];

fn counts(couple: &Couple<'_>) -> [u32; 2] {
    [Side::A, Side::B].map(|side| couple.side(side).mesh.triangles().len() as u32)
}

/// Work for a row, in leaves against leaves.
fn price(columns: u32) -> u64 {
    u64::from(columns.div_ceil(64))
}

impl Search<'_, '_> {
    /// As `run`, without the trees.
    pub(super) fn every_pair(
        &mut self,
        mut report: impl FnMut(Found, [u32; 2], [Place; 2]) -> Next,
        mut allow: impl FnMut(&Work) -> u64,
    ) -> Ended {
        if self.couple.balls_apart() > 0.0 {
            return Ended::Complete;
        }
        let [rows, columns] = counts(self.couple);
        for i in 0..rows {
            if allow(&self.work) == 0 {
                return Ended::CutShort;
            }
            self.work.leaves += price(columns);
            self.work.triangles += u64::from(columns);
            for j in 0..columns {
                if report(Found::Open, [i, j], NOWHERE) == Next::Stop {
                    return Ended::Stopped;
                }
            }
        }
        Ended::Complete
    }
}

impl GapSearch<'_, '_> {
    /// As `run`, without the trees.
    pub(super) fn every_gap(
        &mut self,
        below: f64,
        mut allow: impl FnMut(&Work) -> u64,
    ) -> (Option<Gap>, Ended) {
        if self.couple.balls_apart() > below {
            return (None, Ended::Complete);
        }
        let [rows, columns] = counts(self.couple);
        let mut best: Option<Gap> = None;
        let (mut at_least, mut ended) = (f64::INFINITY, Ended::Complete);
        for i in 0..rows {
            if allow(&self.work) == 0 {
                (at_least, ended) = (0.0, Ended::CutShort);
                break;
            }
            self.work.leaves += price(columns);
            self.work.distances += u64::from(columns);
            for j in 0..columns {
                let triangles = [i, j];
                let [a, b] = self.couple.triangles(triangles);
                let bound = best.map_or(below, |gap| gap.closest.hi);
                let Some(closest) = triangle_triangle_below(&a, &b, bound) else { continue };
                at_least = at_least.min(closest.lo);
                if best.is_none_or(|gap| closest.hi < gap.closest.hi) {
                    best = Some(Gap { closest, at_least, triangles, places: NOWHERE });
                }
            }
        }
        (best.map(|gap| Gap { at_least, ..gap }), ended)
    }
}
