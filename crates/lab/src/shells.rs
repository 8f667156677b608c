//! Points of one body in front of the voxels of another, for experiments that time look-ups alone.

use anyhow::Result;
use impinge::prelude::{Mesh, Pose};
use impinge_geom::aabb::Aabb;
use impinge_geom::voxels::body::{Fill, Recipe, VoxelBody};
use impinge_geom::voxels::look::{Found, Lookup, Scratch};
use impinge_geom::voxels::solid::Inside;
use std::hint::black_box;

/// A body in voxels of this edge, filled as in [V00 §5].
pub(crate) fn body(mesh: &Mesh, size: f64) -> Result<VoxelBody> {
    Ok(VoxelBody::new(mesh, &Recipe { size, fill: Fill::Centre, inside: Inside::Closed })?)
}

/// The longest side of a mesh.
pub(crate) fn longest(mesh: &Mesh) -> f64 {
    let Aabb { min, max } = mesh.bounds();
    (0..3).map(|k| max[k] - min[k]).fold(0.0, f64::max)
}

/// The edge at which about so many voxels are in the box of a mesh.
pub(crate) fn edge_for(mesh: &Mesh, voxels: f64) -> f64 {
    let Aabb { min, max } = mesh.bounds();
    let volume: f64 = (0..3).map(|k| max[k] - min[k]).product();
    (volume / voxels).cbrt()
}

/// What looking up needs from query to query.
#[derive(Default)]
pub(crate) struct Desk {
    scratch: Scratch,
    found: Vec<Found>,
}

impl Desk {
    /// Looks up every point, as the paper does; how many are in filled voxels.
    pub(crate) fn flat(&mut self, points: &VoxelBody, voxels: &VoxelBody, pose: &Pose) -> u64 {
        self.found.clear();
        lookup(points, voxels, pose).flat(&mut self.found);
        self.count()
    }

    /// Looks up the points of clusters that may be in filled voxels; how many are.
    pub(crate) fn near(&mut self, points: &VoxelBody, voxels: &VoxelBody, pose: &Pose) -> u64 {
        self.found.clear();
        lookup(points, voxels, pose).near(&mut self.scratch, &mut self.found);
        self.count()
    }

    /// Looks for one point in a filled voxel.
    pub(crate) fn any(&mut self, points: &VoxelBody, voxels: &VoxelBody, pose: &Pose) -> u64 {
        self.found.clear();
        let found = (&mut self.found, true);
        lookup(points, voxels, pose).deepest_first(&mut self.scratch, found, |_| true);
        self.count()
    }

    fn count(&self) -> u64 {
        let points = self.found.iter().map(|found| u64::from(found.points.count_ones()));
        black_box(points.sum())
    }
}

/// The body of the points at a pose, that of the voxels at rest.
fn lookup<'a>(points: &'a VoxelBody, voxels: &'a VoxelBody, pose: &Pose) -> Lookup<'a> {
    let map = (voxels.map(), voxels.lattice(), &Pose::IDENTITY);
    Lookup::new((points.shell(), pose), map)
}
