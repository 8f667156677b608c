//! What the engine keeps of a shape.

use super::settings::{Settings, Size};
use crate::narrow::parts::{Parts, Solid};
use impinge_geom::aabb::Aabb;
use impinge_geom::mesh::Mesh;
use impinge_geom::obb_tree::ObbTree;
use impinge_geom::pose::Pose;
use impinge_geom::sphere::Sphere;
use impinge_geom::voxels::body::{BodyError, Recipe, VoxelBody};
use impinge_geom::voxels::grid::Grid;
use impinge_geom::voxels::solid::Inside;
use impinge_geom::{Point, Triangle};
use std::sync::{Arc, OnceLock};

/// A prepared shape.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) mesh: Arc<Mesh>,
    pub(super) body: VoxelBody,
    /// Around all filled voxels and points, in its own frame.
    pub(super) ball: Sphere,
    /// Whether what is inside is so because its surface is closed.
    pub(super) is_closed: bool,
    tree: OnceLock<ObbTree>,
    parts: OnceLock<Parts>,
}

impl Model {
    /// With voxels of `size`, or as the settings say.
    pub(super) fn of(
        mesh: &Arc<Mesh>,
        settings: &Settings,
        size: Option<f64>,
    ) -> Result<Self, BodyError> {
        let size = match (size, settings.size) {
            (Some(size), _) | (None, Size::Edge(size)) => size,
            (None, Size::Resolution(count)) => {
                Grid::size_for(&Aabb::around(mesh.vertices()), count)?
            }
        };
        let recipe = Recipe { size, fill: settings.fill, inside: settings.inside };
        let body = VoxelBody::new(mesh, &recipe)?;
        let ball = Sphere::around(mesh.vertices());
        // Voxels that are touched reach less than √3 edges beyond the mesh.
        let ball = Sphere { radius: ball.radius + 2.0 * size, ..ball };
        Ok(Self {
            mesh: Arc::clone(mesh),
            body,
            ball,
            is_closed: settings.inside == Inside::Closed,
            tree: OnceLock::new(),
            parts: OnceLock::new(),
        })
    }

    /// What it holds on the heap beside the mesh.
    pub(super) fn bytes(&self) -> usize {
        let exact = self.tree.get().map_or(0, ObbTree::bytes);
        self.body.bytes() + exact + self.parts.get().map_or(0, Parts::bytes)
    }

    /// Made when a distance is first asked for.
    pub(super) fn tree(&self) -> &ObbTree {
        self.tree.get_or_init(|| ObbTree::of(&self.mesh))
    }
}

/// A prepared shape at its place, for what is decided on the mesh.
pub(super) struct Posed<'a> {
    pub(super) model: &'a Model,
    pub(super) pose: &'a Pose,
}

impl Solid for Posed<'_> {
    fn parts(&self) -> &Parts {
        self.model.parts.get_or_init(|| Parts::of(&self.model.mesh))
    }

    fn may_hold(&self, point: &Point) -> bool {
        let Sphere { center, radius } = self.model.ball;
        let center = self.pose.apply(&center);
        (0..3).map(|k| (point[k] - center[k]).powi(2)).sum::<f64>() <= radius * radius
    }

    fn vertex(&self, v: u32) -> Point {
        self.pose.apply(&self.model.mesh.vertices()[v as usize])
    }

    fn triangle(&self, i: u32) -> Triangle {
        self.model.mesh.triangles()[i as usize].map(|v| self.vertex(v))
    }
}
