//! The heuristic [E99 §3.2]: faces are inserted in random order, each where the worst of all volumes
//! stays best.
//!
//! To "modify the bounding object" must not look at all faces again, or the cost would be quadratic.
//! So a volume grows from its old self and the new face alone (see [`Bound`]'s implementations: boxes
//! along the axes lose nothing by that, spheres and oriented boxes do) and is computed anew from
//! all its faces whenever their number has doubled. All in all O(k·n) growths for k subsets.
//!
//! Where the worst volume is the same for several subsets, as it is whenever a third one is the worst,
//! the face goes where the volume grows least, then to the nearest one, then to the first.
//! The order is the same in every run.

use super::super::Quality;
use super::super::bound::Bound;
use super::super::quality::Witnesses;
use super::Set;
use crate::Triangle;
use glam::DVec3;

/// A subset while faces are inserted.
struct Growing<B> {
    bound: B,
    witnesses: Witnesses,
    quality: f64,
    members: Vec<usize>,
}

/// Fills `labels` with the subset of each face; the seeds begin the subsets.
pub(super) fn heuristic<B: Bound>(
    set: &Set,
    seeds: &[usize],
    quality: Quality,
    labels: &mut Vec<u8>,
) {
    let begin = |&seed: &usize| {
        let face = set.triangles[seed];
        let bound = B::around(&[face], quality);
        let witnesses = Witnesses::of(&face);
        let measured = witnesses.measure(quality, &bound);
        Growing { bound, witnesses, quality: measured, members: vec![seed] }
    };
    let mut subsets: Vec<Growing<B>> = seeds.iter().map(begin).collect();
    let mut order: Vec<usize> = (0..set.len()).filter(|i| !seeds.contains(i)).collect();
    shuffle(&mut order);
    for &i in &order {
        let to = best_subset(&subsets, set, i, quality);
        subsets[to].insert(set, i, quality);
    }
    labels.clear();
    labels.resize(set.len(), 0);
    for (label, subset) in subsets.iter().enumerate() {
        subset.members.iter().for_each(|&i| labels[i] = label as u8);
    }
}

fn best_subset<B: Bound>(subsets: &[Growing<B>], set: &Set, i: usize, quality: Quality) -> usize {
    let mut best = ([f64::INFINITY; 3], 0);
    for (at, subset) in subsets.iter().enumerate() {
        let others = subsets.iter().enumerate().filter(|(other, _)| *other != at);
        let worst_other = others.map(|(_, other)| other.quality).fold(0.0, f64::max);
        let grown = subset.with(&set.triangles[i], quality);
        let center = DVec3::from(subset.bound.center());
        let distance2 = center.distance_squared(DVec3::from(set.centers[i]));
        let cost = [grown.max(worst_other), grown - subset.quality, distance2];
        if cost.partial_cmp(&best.0).is_some_and(std::cmp::Ordering::is_lt) {
            best = (cost, at);
        }
    }
    best.1
}

impl<B: Bound> Growing<B> {
    /// The quality with one more face.
    fn with(&self, face: &Triangle, quality: Quality) -> f64 {
        let bound = self.bound.grown(face);
        if bound == self.bound {
            return self.quality;
        }
        let mut witnesses = self.witnesses;
        if quality == Quality::Hausdorff {
            witnesses.add(&bound, face);
        }
        witnesses.measure(quality, &bound)
    }

    fn insert(&mut self, set: &Set, i: usize, quality: Quality) {
        let face = &set.triangles[i];
        self.members.push(i);
        let mut bound = self.bound.grown(face);
        if self.members.len().is_power_of_two() {
            let faces: Vec<_> = self.members.iter().map(|&i| set.triangles[i]).collect();
            bound = B::around(&faces, quality);
        }
        if bound == self.bound {
            return;
        }
        self.bound = bound;
        if quality == Quality::Hausdorff {
            self.witnesses.add(&self.bound, face);
        }
        self.quality = self.witnesses.measure(quality, &self.bound);
    }
}

/// The same order for the same number of faces, in every run.
fn shuffle(order: &mut [usize]) {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for last in (1..order.len()).rev() {
        // Steele's SplitMix: every 64-bit state is visited once.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        order.swap(last, (z % (last as u64 + 1)) as usize);
    }
}
