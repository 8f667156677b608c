//! Regions of a box, the first faces of subsets [E99 §3.2, figure 1], and the modified Gottschalk
//! method [E99 §3.3].
//!
//! The first face of a region is the one nearest to the region's centre that no earlier region took.
//! In the Gottschalk method it stays in its region, so that no subset is empty.

use super::{Set, nearest};
use crate::Point;
use crate::obb::Obb;
use glam::DVec3;

/// Centres of regions as shares of the half lengths along the longest and the second longest axis,
/// for 2 … 6 regions.
const CENTERS: [&[[f64; 2]]; 5] = [
    &[[-0.5, 0.0], [0.5, 0.0]],
    &[[-2.0 / 3.0, 0.0], [0.0, 0.0], [2.0 / 3.0, 0.0]],
    &[[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]],
    &[[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5], [0.0, 0.0]],
    &[
        [-2.0 / 3.0, -0.5],
        [-2.0 / 3.0, 0.5],
        [0.0, -0.5],
        [0.0, 0.5],
        [2.0 / 3.0, -0.5],
        [2.0 / 3.0, 0.5],
    ],
];

/// The regions of a box and the first face of each.
pub(super) struct Regions {
    centers: Vec<DVec3>,
    pub(super) seeds: Vec<usize>,
}

impl Regions {
    /// Of 2 … 6 regions, no more than there are faces.
    pub(super) fn of(enclosing: &Obb, degree: usize, set: &Set) -> Self {
        let mut axes = [0, 1, 2];
        axes.sort_by(|&i, &j| enclosing.half[j].total_cmp(&enclosing.half[i]));
        let arm = |k: usize| DVec3::from(enclosing.axes[axes[k]]) * enclosing.half[axes[k]];
        let place = |[x, y]: &[f64; 2]| DVec3::from(enclosing.center) + arm(0) * *x + arm(1) * *y;
        let centers: Vec<DVec3> = CENTERS[degree - 2].iter().map(place).collect();
        let mut seeds = Vec::with_capacity(degree);
        for center in &centers {
            let mut best = (f64::INFINITY, usize::MAX);
            for (i, point) in set.centers.iter().enumerate() {
                let distance2 = DVec3::from(*point).distance_squared(*center);
                if distance2 < best.0 && !seeds.contains(&i) {
                    best = (distance2, i);
                }
            }
            seeds.push(best.1);
        }
        Self { centers, seeds }
    }

    /// Each face to the region whose centre is nearest.
    pub(super) fn split(&self, set: &Set, labels: &mut Vec<u8>) {
        labels.clear();
        let label = |point: &Point| nearest(point, &self.centers) as u8;
        labels.extend(set.centers.iter().map(label));
        for (label, &seed) in self.seeds.iter().enumerate() {
            labels[seed] = label as u8;
        }
    }
}
