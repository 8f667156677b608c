//! Points in voxels, as answers tell them.

use super::model::Model;
use crate::contract::answer::{Side, Touch};
use impinge_geom::pose::Pose;
use impinge_geom::voxels::depth::Depths;
use impinge_geom::voxels::look::{Found, Lookup};

/// What it takes to tell them.
pub(super) struct Toucher<'a> {
    pub(super) models: [&'a Model; 2],
    /// Whose points they are.
    pub(super) side: usize,
    pub(super) poses: &'a [Pose; 2],
    pub(super) lookup: &'a Lookup<'a>,
}

impl Toucher<'_> {
    /// Adds all points that were found.
    pub(super) fn touch(&self, found: &[Found], touches: &mut Vec<Touch>) {
        let of = |k: usize| (&self.models[k].body, &self.poses[k]);
        let depths = Depths::new(self.lookup, of(self.side), of(1 - self.side));
        touches.reserve(found.iter().map(|found| found.points.count_ones() as usize).sum());
        // A point of A leaves B along the way out, which B then has to go backwards.
        let (of, sign) = if self.side == 0 { (Side::A, -1.0) } else { (Side::B, 1.0) };
        for found in found {
            depths.each(found, |deep| {
                touches.push(Touch {
                    of,
                    point: deep.point,
                    voxel: deep.voxel,
                    normal: deep.out.map(|x| sign * x),
                    depth: deep.depth.max(0.0),
                });
            });
        }
    }
}
