//! What the engine keeps of a shape, and a shape at its place.

use crate::narrow::parts::{Parts, Solid};
use impinge_geom::aabb::Aabb;
use impinge_geom::hierarchy::{Bound, Hierarchy, Line, Node, Params, reach};
use impinge_geom::inside::{Location, locate};
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_geom::{COORDINATE_MIN, Point, Triangle};
use std::sync::Arc;

/// No shell.
const NONE: u32 = u32::MAX;

/// A prepared shape.
#[derive(Debug)]
pub(super) struct Model<B> {
    pub(super) mesh: Arc<Mesh>,
    pub(super) tree: Hierarchy<B>,
    /// How far vertices are from the origin at most.
    pub(super) reach: f64,
    bounds: Aabb,
    parts: Parts,
    /// The shell that each triangle belongs to.
    shell_of: Vec<u32>,
}

impl<B: Bound> Model<B> {
    pub(super) fn of(mesh: &Arc<Mesh>, params: &Params) -> Self {
        let parts = Parts::of(mesh);
        let mut shell_of = vec![NONE; mesh.triangles().len()];
        for (shell, place) in parts.shells.iter().zip(0..) {
            shell.triangles.iter().for_each(|&i| shell_of[i as usize] = place);
        }
        Self {
            mesh: Arc::clone(mesh),
            tree: Hierarchy::of(mesh, params),
            reach: reach(mesh),
            bounds: mesh.bounds(),
            parts,
            shell_of,
        }
    }

    /// The memory it holds beyond its mesh.
    pub(super) fn bytes(&self) -> usize {
        self.tree.bytes() + self.parts.bytes() + self.shell_of.capacity() * size_of::<u32>()
    }

    pub(super) fn at(&self, pose: Pose) -> Posed<'_, B> {
        Posed { model: self, pose }
    }
}

/// A shape at its place. Vertices are posed when they are asked for.
pub(super) struct Posed<'a, B> {
    pub(super) model: &'a Model<B>,
    pub(super) pose: Pose,
}

impl<'a, B: Bound> Posed<'a, B> {
    pub(super) fn node(&self, i: u32) -> &'a Node<B> {
        &self.model.tree.nodes()[i as usize]
    }

    pub(super) fn faces(&self, node: &Node<B>) -> &'a [u32] {
        self.model.tree.faces(node)
    }

    /// The triangles that may be met by the half-line upwards from `point`, each with its shell;
    /// shell by shell.
    fn above(&self, point: &Point) -> Vec<(u32, u32)> {
        let line = Line::up(point, &self.pose, self.model.reach);
        let mut found = Vec::new();
        let mut stack = vec![0];
        while let Some(i) = stack.pop() {
            let node = self.node(i);
            if node.bound.meets(&line) {
                let faces = self.faces(node).iter();
                found.extend(faces.map(|&face| (self.model.shell_of[face as usize], face)));
                stack.extend(node.children());
            }
        }
        found.retain(|&(shell, _)| shell != NONE);
        found.sort_unstable();
        found
    }
}

impl<B: Bound> Solid for Posed<'_, B> {
    fn parts(&self) -> &Parts {
        &self.model.parts
    }

    /// Whether it lies in the box around the mesh, as the mesh sees it, with more room than rounding
    /// takes.
    fn may_hold(&self, point: &Point) -> bool {
        let (matrix, shift) = (self.pose.matrix(), self.pose.translation());
        let way: Point = std::array::from_fn(|k| point[k] - shift[k]);
        let size: f64 = way.iter().chain(&shift).map(|x| x.abs()).sum();
        let room = 256.0 * f64::EPSILON * (self.model.reach + size) + 4.0 * COORDINATE_MIN;
        let local = std::array::from_fn(|k| (0..3).map(|row| matrix[row][k] * way[row]).sum());
        self.model.bounds.grown(room).contains(&local)
    }

    fn vertex(&self, v: u32) -> Point {
        self.pose.apply(&self.model.mesh.vertices()[v as usize])
    }

    fn triangle(&self, i: u32) -> Triangle {
        self.model.mesh.triangles()[i as usize].map(|v| self.vertex(v))
    }

    fn locate(&self, point: &Point) -> Location {
        let mut around = 0i64;
        for of_shell in self.above(point).chunk_by(|a, b| a.0 == b.0) {
            match locate(point, of_shell.iter().map(|&(_, face)| self.triangle(face))) {
                Location::On => return Location::On,
                Location::Inside => {
                    let inward = self.model.parts.shells[of_shell[0].0 as usize].inward;
                    around += if inward { -1 } else { 1 };
                }
                Location::Outside => {}
            }
        }
        if around == 0 { Location::Outside } else { Location::Inside }
    }
}
