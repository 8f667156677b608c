//! An octree whose balls are improved by simulated annealing, which [H93] suggests.
//!
//! What is annealed is where the balls of a node have their centres; a triangle goes to the nearest of them, so that
//! centres move, balls shrink and triangles change over at once. The cost is how far balls stick out of the surface, of
//! which the greatest counts most. The threshold form of annealing is used (Dueck and Scheuer 1990), which needs no
//! exponential function: numbers are the same on every machine.

use super::build::{Item, Part};
use super::fit;
use super::octree::{self, Cell};
use glam::Vec3;

/// How many moves are tried at a node.
const TRIES: u32 = 256;
/// A node with more triangles is annealed on so many of them.
const SAMPLED: usize = 192;
/// How much worse a move may be at first, as a part of the cost.
const HEAT: f32 = 0.1;

/// Up to eight parts of several triangles.
pub(super) fn parts(items: &mut [Item]) -> Vec<Part<'_>> {
    if items.len() <= 8 {
        return items.chunks_mut(1).map(around).collect();
    }
    let cube = Cell::around(items);
    if cube.is_small(items) {
        let share = items.len().div_ceil(8);
        return items.chunks_mut(share).map(around).collect();
    }
    let octants = octree::parts(items, cube);
    let first: Vec<Vec3> = octants.iter().map(|part| part.cell.centre.as_vec3()).collect();
    let sites = annealed(&Sample::of(items), first.clone(), cube.half as f32);
    // Were most of the triangles to stay together again and again, the tree would be deep; octants are half as wide.
    let counts = items.iter().fold([0; 8], |mut counts, item| {
        counts[nearest(&sites, item.middle())] += 1;
        counts
    });
    let is_shared_out = counts.iter().all(|&count| count <= items.len() / 8 * 7);
    by_nearest(items, if is_shared_out { &sites } else { &first }).into_iter().map(around).collect()
}

/// With about the smallest ball.
pub(super) fn around(items: &mut [Item]) -> Part<'_> {
    let corners: Vec<_> = items.iter().flat_map(|item| item.corners).collect();
    Part { cell: Cell { centre: fit::middle(&corners), half: 0.0 }, items }
}

/// Sorts triangles by the site that is nearest to their middles; none of the parts is empty.
fn by_nearest<'a>(items: &'a mut [Item], sites: &[Vec3]) -> Vec<&'a mut [Item]> {
    items.sort_by_cached_key(|item| nearest(sites, item.middle()));
    items
        .chunk_by_mut(|one, two| nearest(sites, one.middle()) == nearest(sites, two.middle()))
        .collect()
}

fn nearest(sites: &[Vec3], at: Vec3) -> usize {
    let (mut best, mut least) = (0, f32::INFINITY);
    for (i, site) in sites.iter().enumerate() {
        let square = site.distance_squared(at);
        if square < least {
            (best, least) = (i, square);
        }
    }
    best
}

/// Triangles that the cost is measured on.
struct Sample(Vec<(Vec3, [Vec3; 3])>);

impl Sample {
    fn of(items: &[Item]) -> Self {
        let step = items.len().div_ceil(SAMPLED);
        let triangle = |item: &Item| (item.middle(), item.corners.map(|corner| corner.as_vec3()));
        Self(items.iter().step_by(step).map(triangle).collect())
    }

    /// The sum of the fourth powers of how far balls reach beyond their triangles: no farther than their radius and the
    /// way from the centre to the nearest corner.
    fn cost(&self, sites: &[Vec3]) -> f32 {
        let (mut far, mut near) = ([0f32; 8], [f32::INFINITY; 8]);
        for (middle, corners) in &self.0 {
            let site = nearest(sites, *middle);
            for corner in corners {
                let square = corner.distance_squared(sites[site]);
                (far[site], near[site]) = (far[site].max(square), near[site].min(square));
            }
        }
        // Sites without triangles have no ball.
        let errors = far.iter().zip(near).filter(|(far, _)| **far > 0.0);
        errors.map(|(far, near)| (far.sqrt() + near.sqrt()).powi(4)).sum()
    }
}

/// Better sites than these, if some are found; `reach` is how far moves go at first.
fn annealed(sample: &Sample, mut sites: Vec<Vec3>, reach: f32) -> Vec<Vec3> {
    let mut random = Random(sample.0.len() as u64);
    let mut cost = sample.cost(&sites);
    let (mut best, mut least) = (sites.clone(), cost);
    let heat = HEAT * cost;
    for tried in 0..TRIES {
        let left = 1.0 - tried as f32 / TRIES as f32;
        let which = random.below(sites.len());
        let before = sites[which];
        sites[which] += Vec3::from_array([0; 3].map(|_| random.signed())) * (0.7 * reach * left);
        let now = sample.cost(&sites);
        if now <= cost + heat * left * left * random.signed().abs() {
            cost = now;
        } else {
            sites[which] = before;
        }
        if cost < least {
            (least, best) = (cost, sites.clone());
        }
    }
    best
}

/// SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (((self.next() >> 32) * count as u64) >> 32) as usize
    }

    /// In −1…1.
    fn signed(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}
