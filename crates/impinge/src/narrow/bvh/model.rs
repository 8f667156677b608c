//! What the engine keeps of a shape, and a shape at its place.

use crate::narrow::parts::{Parts, Solid};
use impinge_geom::inside::{Crossing, Location, crossing};
use impinge_geom::mesh::Mesh;
use impinge_geom::obb_tree::ObbTree;
use impinge_geom::obb_tree::couple::Placed;
use impinge_geom::pose::Pose;
use impinge_geom::{Point, Triangle};
use std::sync::Arc;

/// A prepared shape.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) mesh: Arc<Mesh>,
    pub(super) tree: ObbTree,
    parts: Parts,
    /// The shell of each triangle, `u32::MAX` for none; empty if there is one shell of them all.
    shell_of: Vec<u32>,
}

impl Model {
    pub(super) fn of(mesh: &Arc<Mesh>) -> Self {
        let (tree, parts) = rayon::join(|| ObbTree::of(mesh), || Parts::of(mesh));
        let count = mesh.triangles().len();
        let is_one = matches!(&parts.shells[..], [shell] if shell.triangles.len() == count);
        let mut shell_of = Vec::new();
        if !is_one && !parts.shells.is_empty() {
            shell_of = vec![u32::MAX; count];
            for (number, shell) in parts.shells.iter().enumerate() {
                shell.triangles.iter().for_each(|&i| shell_of[i as usize] = number as u32);
            }
        }
        Self { mesh: Arc::clone(mesh), tree, parts, shell_of }
    }

    /// What it holds on the heap beside the mesh.
    pub(super) fn bytes(&self) -> usize {
        self.tree.bytes() + self.parts.bytes() + self.shell_of.capacity() * size_of::<u32>()
    }

    pub(super) fn at<'a>(&'a self, pose: &'a Pose) -> Posed<'a> {
        Posed { model: self, placed: Placed { mesh: &self.mesh, tree: &self.tree, pose } }
    }
}

/// A shape at its place.
#[derive(Clone, Copy)]
pub(super) struct Posed<'a> {
    model: &'a Model,
    pub(super) placed: Placed<'a>,
}

/// About how many triangles are looked at to see whether a point is inside.
const LOCATE_PRICE: usize = 64;

impl Solid for Posed<'_> {
    fn parts(&self) -> &Parts {
        &self.model.parts
    }

    fn may_hold(&self, point: &Point) -> bool {
        self.placed.may_hold(point)
    }

    fn vertex(&self, v: u32) -> Point {
        self.placed.pose.apply(&self.model.mesh.vertices()[v as usize])
    }

    fn triangle(&self, i: u32) -> Triangle {
        self.placed.triangle(i)
    }

    fn price(&self) -> usize {
        LOCATE_PRICE
    }

    fn locate(&self, point: &Point) -> Location {
        let shells = &self.model.parts.shells;
        let ray = self.placed.way_out(point);
        let mut crossed = vec![false; shells.len()];
        let mut on = false;
        self.placed.along(ray, point, |id| {
            let shell = self.model.shell_of.get(id as usize).map_or(0, |&shell| shell as usize);
            if shell >= crossed.len() {
                return;
            }
            match crossing(ray, point, &self.placed.triangle(id)) {
                Crossing::Miss => {}
                Crossing::Cross => crossed[shell] = !crossed[shell],
                Crossing::On => on = true,
            }
        });
        let inside = shells.iter().zip(&crossed).filter(|(_, crossed)| **crossed);
        let around: i64 = inside.map(|(shell, _)| if shell.inward { -1 } else { 1 }).sum();
        match (on, around) {
            (true, _) => Location::On,
            (false, 0) => Location::Outside,
            (false, _) => Location::Inside,
        }
    }
}
