//! The heuristic without optimisation [E99 §3.1]: centres that gather the nearest faces.
//!
//! The paper takes the next centre from "the face which maximizes the distance from one of the
//! current centers"; here that is the centre the face belongs to. Rounds of rearranging end when
//! nothing changes, or after a number of rounds. The split into k + 1 begins with the split into k.

use super::{Set, nearest};
use glam::DVec3;

/// Rounds of rearranging at most. What is left then are faces on the border of two subsets.
const ROUNDS_MAX: u32 = 64;

/// Centres so far.
pub(in super::super) struct Plain<'a> {
    set: &'a Set,
    centers: Vec<DVec3>,
}

impl<'a> Plain<'a> {
    pub(super) fn of(set: &'a Set) -> Self {
        let sum: DVec3 = set.centers.iter().map(|p| DVec3::from(*p)).sum();
        Self { set, centers: vec![sum / set.len() as f64] }
    }

    pub(super) fn split(&mut self, degree: usize, labels: &mut Vec<u8>) {
        labels.clear();
        labels.extend(self.set.centers.iter().map(|p| nearest(p, &self.centers) as u8));
        while self.centers.len() < degree {
            self.centers.push(self.farthest(labels));
            for _ in 0..ROUNDS_MAX {
                if !self.rearrange(labels) {
                    break;
                }
                self.recompute(labels);
            }
        }
    }

    /// The centre of the face that is farthest from the centre of its subset, the first of equals.
    fn farthest(&self, labels: &[u8]) -> DVec3 {
        let mut best = (-1.0, DVec3::ZERO);
        for (point, &label) in self.set.centers.iter().zip(labels) {
            let point = DVec3::from(*point);
            let distance2 = point.distance_squared(self.centers[usize::from(label)]);
            if distance2 > best.0 {
                best = (distance2, point);
            }
        }
        best.1
    }

    /// Sends each face to the nearest centre; whether any moved.
    fn rearrange(&self, labels: &mut [u8]) -> bool {
        let mut moved = false;
        for (point, label) in self.set.centers.iter().zip(labels) {
            let to = nearest(point, &self.centers) as u8;
            moved |= *label != to;
            *label = to;
        }
        moved
    }

    /// Moves each centre to the mean of its faces; one that has none stays.
    fn recompute(&mut self, labels: &[u8]) {
        let mut sums = vec![(DVec3::ZERO, 0u32); self.centers.len()];
        for (point, &label) in self.set.centers.iter().zip(labels) {
            let (sum, count) = &mut sums[usize::from(label)];
            *sum += DVec3::from(*point);
            *count += 1;
        }
        for (center, (sum, count)) in self.centers.iter_mut().zip(sums) {
            if count > 0 {
                *center = sum / f64::from(count);
            }
        }
    }
}
