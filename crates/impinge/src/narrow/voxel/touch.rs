//! Points in voxels, as answers tell them.

use super::model::Model;
use crate::contract::answer::{Side, Touch};
use impinge_geom::pose::Pose;
use impinge_geom::voxels::depth::Depth;
use impinge_geom::voxels::look::{Found, Lookup};
use impinge_geom::voxels::shell::{CLUSTER, Cluster};
use impinge_simd::shell::Turn;
use rayon::prelude::*;

/// So many points are worth waking other threads.
const MANY: usize = 2000;

/// What it takes to tell them.
pub(super) struct Toucher<'a> {
    pub(super) models: [&'a Model; 2],
    /// Whose points they are.
    pub(super) side: usize,
    pub(super) poses: &'a [Pose; 2],
    pub(super) lookup: &'a Lookup<'a>,
}

impl Toucher<'_> {
    /// Adds all points that were found; many of them side by side.
    pub(super) fn touch(&self, found: &[Found], touches: &mut Vec<Touch>) {
        let count: usize = found.iter().map(|found| found.points.count_ones() as usize).sum();
        if count < MANY {
            found.iter().for_each(|found| self.cluster(found, touches));
            return;
        }
        let shares = rayon::current_num_threads().max(1);
        let share = |found: &[Found]| {
            let mut part = Vec::with_capacity(CLUSTER * found.len());
            found.iter().for_each(|found| self.cluster(found, &mut part));
            part
        };
        let parts: Vec<Vec<Touch>> =
            found.par_chunks(found.len().div_ceil(shares)).map(share).collect();
        touches.reserve(count);
        parts.iter().for_each(|part| touches.extend_from_slice(part));
    }

    fn cluster(&self, Found { cluster, points }: &Found, touches: &mut Vec<Touch>) {
        let cluster = &self.models[self.side].body.shell().clusters()[*cluster as usize];
        let turn = self.lookup.turn(cluster);
        let mut left = *points;
        while left != 0 {
            touches.push(self.one(&turn, cluster, left.trailing_zeros()));
            left &= left - 1;
        }
    }

    fn one(&self, turn: &Turn, cluster: &Cluster, i: u32) -> Touch {
        let [points, voxels] = [self.side, 1 - self.side].map(|k| &self.models[k].body);
        let [from, to] = [self.side, 1 - self.side].map(|k| &self.poses[k]);
        let grid = voxels.map().grid();
        let voxel = self.lookup.voxel(turn, cluster, i);
        let Depth { depth, out } = voxels.depths().at(&self.lookup.place(cluster, i));
        let out = to.rotate(&out);
        Touch {
            of: if self.side == 0 { Side::A } else { Side::B },
            point: from.apply(&points.shell().point(cluster, i)),
            voxel: to.apply(&grid.centre(voxel)),
            // A point of A leaves B along the way out, which B then has to go backwards.
            normal: if self.side == 0 { out.map(|x| -x) } else { out },
            depth: (depth * grid.size()).max(0.0),
        }
    }
}
