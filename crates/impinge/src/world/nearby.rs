//! Which bodies are in a box, near a point or along a ray: questions to the world between steps.
//!
//! They are answered by boxes: what is returned are candidates, every body whose box is met and none
//! that is farther off than its box and rounding. Frozen bodies count like all others.
//!
//! The table of boxes is one of its own, with the bodies as they are now and no margin, whatever the
//! steps ask for; it keeps its own account of what changed, so that a question between two steps
//! takes nothing from them. A tree over it is built with the first question and then follows what
//! changed: O(changed · log n) and O(log n + found) per question.

use super::World;
use super::body::Reader;
use super::bounds::{Derived, Plan};
use crate::contract::bounds::BoxKind;
use crate::contract::ids::{BodyId, Slot};
use crate::contract::query::Mode;
use impinge_geom::Point;
use impinge_geom::aabb::{Aabb, outward};
use impinge_geom::box_tree::{BoxTree, Ray};

/// The tree is built anew when one in so many of its leaves changes at once, or when so many times
/// all leaves have changed one by one.
const MANY: usize = 4;
const WORN: usize = 2;
/// More than rounding can change a length by, relative to it.
const SLACK: f64 = 16.0 * f64::EPSILON;

/// What the questions are answered from.
#[derive(Debug)]
pub(super) struct Nearby {
    derived: Derived,
    tree: BoxTree,
    /// Leaves changed since the tree was built.
    changes: usize,
    stack: Vec<u32>,
    found: Vec<u32>,
}

impl Default for Nearby {
    fn default() -> Self {
        Self {
            derived: Derived::of(Reader::Nearby),
            tree: BoxTree::default(),
            changes: 0,
            stack: Vec::new(),
            found: Vec::new(),
        }
    }
}

impl Nearby {
    /// The boxes of all bodies, by slot.
    pub(super) fn tree(&self) -> &BoxTree {
        &self.tree
    }
}

impl World {
    /// The bodies whose boxes share a point with `aabb`, rising. Bodies are where they are now, at
    /// the ends of their motions; boxes are those of the turned shapes, rounded outward.
    ///
    /// The box may reach to infinity. There is nothing in one that is empty or holds a NaN.
    pub fn bodies_in_box(&mut self, aabb: &Aabb) -> Vec<BodyId> {
        if !(0..3).all(|k| aabb.min[k] <= aabb.max[k]) {
            return Vec::new();
        }
        self.refresh_nearby();
        let Nearby { tree, stack, found, .. } = &mut self.nearby;
        found.clear();
        tree.overlapping(&outward(aabb), stack, found);
        self.nearby_ids()
    }

    /// The bodies whose boxes, as in [`World::bodies_in_box`], come within `distance` of a point,
    /// rising; perhaps some whose boxes are farther off by no more than rounding.
    ///
    /// Nothing is near a point that is not finite, or within a distance that is negative or NaN; an
    /// infinite distance means all bodies.
    pub fn bodies_near(&mut self, point: Point, distance: f64) -> Vec<BodyId> {
        if !is_finite(&point) || distance.is_nan() || distance < 0.0 {
            return Vec::new();
        }
        self.refresh_nearby();
        let Nearby { tree, found, .. } = &mut self.nearby;
        found.clear();
        tree.near(&point, distance, found);
        self.nearby_ids()
    }

    /// The bodies whose boxes, as in [`World::bodies_in_box`], are met by a ray of this length, each
    /// with a distance from the origin that is not larger than the one at which the ray enters the
    /// box; by that distance, then by body. The direction may be of any length but zero.
    ///
    /// Nothing is met if the origin or the direction is not finite, the direction is zero, or the
    /// length is negative or NaN; an infinite length is a ray without end.
    pub fn bodies_along(
        &mut self,
        origin: Point,
        direction: Point,
        length: f64,
    ) -> Vec<(f64, BodyId)> {
        // Scaled, so that its length is a number whatever its parts are.
        let scale = direction.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let legal = is_finite(&origin) && is_finite(&direction) && scale > 0.0;
        if !legal || length.is_nan() || length < 0.0 {
            return Vec::new();
        }
        let direction = direction.map(|x| x / scale);
        let unit = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        self.refresh_nearby();
        let mut met = Vec::new();
        let range = [0.0, (length / unit) * (1.0 + SLACK)];
        self.nearby.tree.along(&Ray { origin, direction, range }, &mut met);
        let distance = |t: f64| (t * unit * (1.0 - SLACK)).min(length);
        let mut met: Vec<(f64, BodyId)> =
            met.iter().map(|&(t, slot)| (distance(t), self.bodies.id(Slot(slot)))).collect();
        met.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        met
    }

    /// Brings the tree up to date.
    pub(super) fn refresh_nearby(&mut self) {
        let Nearby { derived, tree, changes, .. } = &mut self.nearby;
        let plan = Plan { mode: Mode::Static, margin: 0.0, boxes: BoxKind::Resized };
        derived.derive(&mut self.bodies, &self.shapes, plan);
        let bounds = derived.bounds();
        *changes += bounds.changed.len();
        let all = bounds.live.len() + bounds.frozen.len();
        if MANY * bounds.changed.len() > all || *changes > WORN * all {
            let all = bounds.live.iter().chain(&bounds.frozen).map(|slot| slot.0);
            tree.build(&all.collect::<Vec<_>>(), &|slot| bounds.aabb[slot as usize]);
            *changes = 0;
            return;
        }
        for slot in &bounds.changed {
            let aabb = &bounds.aabb[slot.index()];
            if (0..3).all(|k| aabb[k] <= aabb[k + 3]) {
                tree.set(slot.0, aabb);
            } else {
                tree.remove(slot.0);
            }
        }
    }

    /// What was found, as users know it.
    fn nearby_ids(&mut self) -> Vec<BodyId> {
        let found = &mut self.nearby.found;
        found.sort_unstable();
        found.iter().map(|&slot| self.bodies.id(Slot(slot))).collect()
    }
}

fn is_finite(point: &Point) -> bool {
    point.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests;
