//! What the engine keeps of a shape.

use super::settings::{Settings, Size};
use impinge_geom::aabb::Aabb;
use impinge_geom::mesh::Mesh;
use impinge_geom::obb_tree::ObbTree;
use impinge_geom::sphere::Sphere;
use impinge_geom::voxels::body::{BodyError, Recipe, VoxelBody};
use std::sync::{Arc, OnceLock};

/// A prepared shape.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) mesh: Arc<Mesh>,
    pub(super) body: VoxelBody,
    /// Around all filled voxels and points, in its own frame.
    pub(super) ball: Sphere,
    tree: OnceLock<ObbTree>,
}

impl Model {
    /// With voxels of `size`, or as the settings say.
    pub(super) fn of(
        mesh: &Arc<Mesh>,
        settings: &Settings,
        size: Option<f64>,
    ) -> Result<Self, BodyError> {
        let bounds = Aabb::around(mesh.vertices());
        let longest = (0..3).map(|k| bounds.max[k] - bounds.min[k]).fold(0.0, f64::max);
        let size = size.unwrap_or(match settings.size {
            Size::Edge(size) => size,
            Size::Resolution(count) => longest / f64::from(count),
        });
        let recipe = Recipe { size, fill: settings.fill, inside: settings.inside };
        let body = VoxelBody::new(mesh, &recipe)?;
        let ball = Sphere::around(mesh.vertices());
        // Voxels that are touched reach less than √3 edges beyond the mesh.
        let ball = Sphere { radius: ball.radius + 2.0 * size, ..ball };
        Ok(Self { mesh: Arc::clone(mesh), body, ball, tree: OnceLock::new() })
    }

    /// What it holds on the heap beside the mesh.
    pub(super) fn bytes(&self) -> usize {
        self.body.bytes() + self.tree.get().map_or(0, ObbTree::bytes)
    }

    /// Made when a distance is first asked for.
    pub(super) fn tree(&self) -> &ObbTree {
        self.tree.get_or_init(|| ObbTree::of(&self.mesh))
    }
}
