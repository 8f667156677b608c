//! What the engine keeps of a shape, and a shape at its place.

use super::limit::Limit;
use crate::contract::job::Placement;
use impinge_geom::aabb::Aabb;
use impinge_geom::inside::Location;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_geom::shells::{Shell, locate_in, shells};
use impinge_geom::topology::Topology;
use impinge_geom::{Point, Triangle};
use rayon::prelude::*;
use std::sync::Arc;

/// A prepared shape.
#[derive(Debug)]
pub(super) struct Model {
    mesh: Arc<Mesh>,
    /// What of it has an inside.
    shells: Vec<Shell>,
    /// One vertex of each connected part.
    representatives: Vec<u32>,
}

impl Model {
    pub(super) fn of(mesh: &Arc<Mesh>) -> Self {
        let topology = Topology::of(mesh);
        let mut representatives = vec![u32::MAX; topology.component_count];
        for (corners, &part) in mesh.triangles().iter().zip(&topology.components) {
            let representative = &mut representatives[part as usize];
            *representative = (*representative).min(corners[0]);
        }
        Self { mesh: Arc::clone(mesh), shells: shells(mesh), representatives }
    }

    pub(super) fn triangle_count(&self) -> usize {
        self.mesh.triangles().len()
    }

    /// What it holds on the heap beside the mesh.
    pub(super) fn bytes(&self) -> usize {
        let lists = self.shells.iter().map(|shell| shell.triangles.capacity() * size_of::<u32>());
        self.shells.capacity() * size_of::<Shell>()
            + lists.sum::<usize>()
            + self.representatives.capacity() * size_of::<u32>()
    }

    /// How many triangles a point is held against to see whether it is inside.
    pub(super) fn shell_size(&self) -> usize {
        self.shells.iter().map(|shell| shell.triangles.len()).sum()
    }

    /// How many connected parts there are.
    pub(super) fn part_count(&self) -> usize {
        self.representatives.len()
    }

    /// The shape's vertices in the world: the truth that everything is decided on.
    pub(super) fn at(&self, pose: &Pose) -> Posed<'_> {
        let vertices: Vec<Point> = self.mesh.vertices().iter().map(|v| pose.apply(v)).collect();
        let used = self.mesh.triangles().iter().flatten().map(|&v| &vertices[v as usize]);
        let bounds = Aabb::around(used);
        Posed { model: self, vertices, bounds }
    }

    /// A box around the shape during the whole step.
    pub(super) fn swept(&self, placement: &Placement) -> Aabb {
        match placement {
            Placement::Fixed(pose) => self.at(pose).bounds,
            Placement::Moving(motion) => motion.aabb_bounds(&self.mesh.bounds(), 0.0, 1.0),
        }
    }
}

/// A shape at its place.
pub(super) struct Posed<'a> {
    model: &'a Model,
    pub(super) vertices: Vec<Point>,
    pub(super) bounds: Aabb,
}

/// What a search for parts inside came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Contained {
    /// Some part is inside.
    pub(super) found: bool,
    /// Not all parts were asked.
    pub(super) cut_short: bool,
    /// How many were.
    pub(super) tests: u64,
}

impl Posed<'_> {
    pub(super) fn triangles(&self) -> &[[u32; 3]] {
        self.model.mesh.triangles()
    }

    pub(super) fn triangle(&self, i: usize) -> Triangle {
        self.triangles()[i].map(|v| self.vertices[v as usize])
    }

    /// Whether some connected part of `other` lies inside this shape, given that the surfaces do not
    /// meet: then a part is inside with all its points or with none.
    pub(super) fn holds_part_of(&self, other: &Posed<'_>, limit: &Limit<'_>) -> Contained {
        let shells = &self.model.shells;
        if shells.is_empty() {
            return Contained::default();
        }
        let points = other.model.representatives.iter().map(|&v| other.vertices[v as usize]);
        let near: Vec<Point> = points.filter(|point| self.bounds.contains(point)).collect();
        let paid = limit.rows(near.len(), self.model.shell_size());
        let deadline = limit.deadline;
        // All points that are paid for, not only up to the first hit: the work must not depend on
        // the threads.
        let asked: Vec<Option<bool>> = near[..paid]
            .par_iter()
            .map(|point| {
                let inside = || locate_in(shells, point, |i| self.triangle(i as usize));
                (!deadline.is_over()).then(|| inside() == Location::Inside)
            })
            .collect();
        Contained {
            found: asked.contains(&Some(true)),
            cut_short: paid < near.len() || asked.contains(&None),
            tests: asked.iter().flatten().count() as u64,
        }
    }
}
