//! The triangles of a placed tree along a ray that is parallel to an axis of the world, for counting
//! how often the ray crosses the surface ([`crate::inside`]).

use super::couple::Placed;
use super::{LEAF, NONE, Place};
use crate::inside::{Crossing, Location, Ray, crossing};
use crate::shells::Shell;
use crate::{COORDINATE_MIN, Point};
use glam::DVec3;
use impinge_simd::obb::{Box1, Probe, overlaps};

/// 2⁻²⁴, the rounding of f32.
const U: f64 = 1.0 / 16_777_216.0;

impl Placed<'_> {
    /// A point of the world in the tree's frame, and how far it may be from there.
    pub(super) fn local(&self, point: &Point) -> (DVec3, f64) {
        let back = self.matrix().transpose();
        let local = back * (DVec3::from(*point) - self.origin()) / self.tree.unit();
        let size = self.farthest() + DVec3::from(*point).abs().max_element();
        (local, (64.0 * f64::EPSILON * size + 4.0 * COORDINATE_MIN) / self.tree.unit())
    }

    /// Whether the point may lie in the box around everything; false only if it does not.
    pub fn may_hold(&self, point: &Point) -> bool {
        let root = self.tree.boxed(super::ObbTree::ROOT);
        let (local, error) = self.local(point);
        let way = local - DVec3::from(root.center.map(f64::from));
        (0..3).all(|k| {
            let along = way.dot(DVec3::from(root.axes[k].map(f64::from)));
            // Axes in f32 are unit vectors up to 2u.
            along.abs() <= (f64::from(root.half[k]) + error) * (1.0 + 8.0 * U) + U * way.length()
        })
    }

    /// A ray from the point that leaves the box around everything soon.
    pub fn way_out(&self, point: &Point) -> Ray {
        let root = self.tree.boxed(super::ObbTree::ROOT);
        let center = DVec3::from(root.center.map(f64::from)) * self.tree.unit();
        let middle = self.matrix() * center + self.origin();
        let way = DVec3::from(*point) - middle;
        let axis = way.abs().max_position();
        Ray::ALL[if way[axis] < 0.0 { axis } else { axis + 3 }]
    }

    /// Calls `visit` with the number of every triangle whose box the ray meets, and some more.
    pub fn along(&self, ray: Ray, point: &Point, mut visit: impl FnMut(u32)) {
        let probe = self.ray_probe(ray, point);
        let mut open: Vec<Place> = vec![super::ObbTree::ROOT];
        while let Some(place) = open.pop() {
            let child = self.tree.child(place);
            if child & LEAF != 0 {
                let leaf = self.tree.leaf(child);
                leaf.ids.iter().filter(|&&id| id != NONE).for_each(|&id| visit(id));
                continue;
            }
            let boxes = self.tree.node(child);
            let mut lanes = overlaps(&probe, boxes).lanes;
            while lanes != 0 {
                let lane = lanes.trailing_zeros();
                lanes &= lanes - 1;
                if boxes.child[lane as usize] != NONE {
                    open.push(8 * child + lane);
                }
            }
        }
    }

    /// Where a point is with respect to the shells of the mesh; `shell_of` is what
    /// [`crate::shells::shell_of`] made of them.
    pub fn locate(&self, point: &Point, shells: &[Shell], shell_of: &[u32]) -> Location {
        let ray = self.way_out(point);
        let mut crossed = vec![false; shells.len()];
        let mut on = false;
        self.along(ray, point, |id| {
            let shell = shell_of.get(id as usize).map_or(0, |&shell| shell as usize);
            if shell >= crossed.len() {
                return;
            }
            match crossing(ray, point, &self.triangle(id)) {
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

    /// The ray, up to where it has left the tree for certain, as a box without thickness.
    fn ray_probe(&self, ray: Ray, point: &Point) -> Probe {
        let root = self.tree.boxed(super::ObbTree::ROOT);
        let (start, error) = self.local(point);
        let mut axis = DVec3::ZERO;
        axis[ray.axis()] = if ray.is_positive() { 1.0 } else { -1.0 };
        let direction = self.matrix().transpose() * axis;
        let across = direction.any_orthonormal_vector();
        let away = (start - DVec3::from(root.center.map(f64::from))).length();
        let length = 1.001 * (away + root.half.iter().map(|&h| f64::from(h)).sum::<f64>());
        let center = start + direction * (0.5 * length);
        let slack = 8.0 * U * (center.abs().element_sum() + length) + error;
        let shape = Box1 {
            center: center.as_vec3().into(),
            half: [(0.5 * length) as f32, 0.0, 0.0],
            axes: [direction, across, direction.cross(across)].map(|axis| axis.as_vec3().into()),
        };
        Probe { shape, slack: (slack as f32).next_up() }
    }
}
