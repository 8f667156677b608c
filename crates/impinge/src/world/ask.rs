//! Where a ray meets the bodies, which surface is closest to a point, and what a point is inside of:
//! questions to the world between steps, answered on the triangles.
//!
//! Bodies are where they are now, at the ends of their motions; frozen ones count like all others.
//! Candidates come from the boxes ([`World::bodies_along`] and its kin), answers from a tree of
//! oriented boxes per shape. Such a tree is made when its shape is first asked about and stays with
//! the shape: about 50 bytes per triangle and half a second per million triangles, beside what the
//! engine keeps. Who never asks pays nothing. For `inside` the closed shells are found once, too.

use super::World;
use super::body::Body;
use super::shapes::Shape;
use crate::contract::ids::{BodyId, Slot};
use impinge_geom::ask::{Ray, Spot};
use impinge_geom::inside::Location;
use impinge_geom::mesh::Mesh;
use impinge_geom::obb_tree::ObbTree;
use impinge_geom::obb_tree::couple::Placed;
use impinge_geom::obb_tree::point::Nearest;
use impinge_geom::obb_tree::ray::Hit;
use impinge_geom::pose::Pose;
use impinge_geom::ray_triangle::DISTANCE_ERROR;
use impinge_geom::shells::{Shell, shell_of, shells};
use std::cmp::Ordering;
use std::sync::OnceLock;

/// Where a ray meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The body.
    pub body: BodyId,
    /// The user's face that is met; the triangle is in `hit`.
    pub face: u32,
    /// Where and how.
    pub hit: Hit,
}

/// The closest point of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The body.
    pub body: BodyId,
    /// The user's face that it lies on; the triangle is in `nearest`.
    pub face: u32,
    /// Where, and how far off.
    pub nearest: Nearest,
}

/// What questions need of a shape; made when first asked for.
#[derive(Debug, Default)]
pub(super) struct Asked {
    tree: OnceLock<ObbTree>,
    shells: OnceLock<(Vec<Shell>, Vec<u32>)>,
}

impl Asked {
    fn tree(&self, mesh: &Mesh) -> &ObbTree {
        self.tree.get_or_init(|| ObbTree::of(mesh))
    }

    pub(super) fn shells(&self, mesh: &Mesh) -> &(Vec<Shell>, Vec<u32>) {
        self.shells.get_or_init(|| {
            let found = shells(mesh);
            let shell_of = shell_of(&found, mesh.triangles().len());
            (found, shell_of)
        })
    }
}

fn placed<'a>(shape: &'a Shape, pose: &'a Pose) -> Placed<'a> {
    Placed { mesh: &shape.mesh, tree: shape.asked.tree(&shape.mesh), pose }
}

/// By distance, then by body; triangles of one body are in order already.
fn by_distance(a: &RayHit, b: &RayHit) -> Ordering {
    a.hit.distance.total_cmp(&b.hit.distance).then(a.body.cmp(&b.body))
}

impl World {
    /// Where the ray first meets one of the bodies that are wanted. Of several at the same rounded
    /// distance the lowest body and triangle is told.
    ///
    /// Whether a triangle is met is decided exactly, touching included: nothing slips through at
    /// edges or corners. See [`Hit`] for what is told and how sharp it is.
    /// ```
    /// use impinge::prelude::*;
    ///
    /// let triangle = Mesh::new(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]])?;
    /// let mut world = World::new();
    /// let shape = world.add_shape(triangle)?;
    /// let body = world.insert(Body::new(shape))?;
    ///
    /// // Down through a corner, which counts.
    /// let ray = Ray::new([0.0, 1.0, 5.0], [0.0, 0.0, -1.0])?;
    /// let met = world.cast(&ray, |_, _| true).expect("the ray meets the triangle");
    /// assert_eq!((met.body, met.hit.distance), (body, 5.0));
    /// assert_eq!((met.hit.facing, met.hit.weights), (Facing::Front, [0.0, 0.0, 1.0]));
    /// assert!(world.cast(&ray.up_to(4.0)?, |_, _| true).is_none());
    ///
    /// let spot = Spot::new([-3.0, -4.0, 0.0])?;
    /// let near = world.closest(&spot, |_, _| true).expect("there is a body").nearest;
    /// assert!(near.at_least <= 5.0 && 5.0 <= near.at_most && near.point == [0.0; 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast(&mut self, ray: &Ray, wanted: impl Fn(BodyId, &Body) -> bool) -> Option<RayHit> {
        let mut best: Option<RayHit> = None;
        for (from, id) in self.along(ray) {
            if best.is_some_and(|best| from > best.hit.distance * (1.0 + 4.0 * DISTANCE_ERROR)) {
                break;
            }
            let found = self.wanted(id, &wanted).then(|| self.cast_on(id, ray)).flatten();
            best = best.into_iter().chain(found).min_by(by_distance);
        }
        best
    }

    /// All triangles of wanted bodies that the ray meets, each where it is first met, by distance, then
    /// by body, then by triangle.
    pub fn cast_all(&mut self, ray: &Ray, wanted: impl Fn(BodyId, &Body) -> bool) -> Vec<RayHit> {
        let mut found = Vec::new();
        for (_, id) in self.along(ray) {
            if self.wanted(id, &wanted) {
                found.extend(self.cast_all_on(id, ray));
            }
        }
        found.sort_by(by_distance);
        found
    }

    /// Whether the ray meets a wanted body at all; sooner known than where.
    pub fn is_met(&mut self, ray: &Ray, wanted: impl Fn(BodyId, &Body) -> bool) -> bool {
        let along = self.along(ray);
        along.into_iter().any(|(_, id)| {
            self.wanted(id, &wanted)
                && self.at(id, |_, placed, _| placed.is_met(ray)).unwrap_or(false)
        })
    }

    /// Where the ray first meets this body; none also if it is not in the world.
    pub fn cast_on(&self, body: BodyId, ray: &Ray) -> Option<RayHit> {
        self.at(body, |mesh, placed, _| {
            let hit = placed.cast(ray)?;
            Some(RayHit { body, face: mesh.face(hit.triangle), hit })
        })?
    }

    /// All triangles of this body that the ray meets, by distance, then by number.
    pub fn cast_all_on(&self, body: BodyId, ray: &Ray) -> Vec<RayHit> {
        let found = self.at(body, |mesh, placed, _| {
            let told = |hit: Hit| RayHit { body, face: mesh.face(hit.triangle), hit };
            placed.cast_all(ray).into_iter().map(told).collect()
        });
        found.unwrap_or_default()
    }

    /// The point of the wanted bodies' surfaces that is closest to the spot, unless all are certainly
    /// farther off than matters. Of several at the same upper bound the lowest body is told.
    pub fn closest(
        &mut self,
        spot: &Spot,
        wanted: impl Fn(BodyId, &Body) -> bool,
    ) -> Option<Closest> {
        self.refresh_nearby();
        let mut best: Option<Closest> = None;
        let mut at_least = f64::INFINITY;
        self.nearby.tree().nearest(&spot.point(), spot.reach(), |slot| {
            let id = self.bodies.id(Slot(slot));
            let reach = best.map_or(spot.reach(), |best| best.nearest.at_most);
            let near = spot.within(reach).unwrap_or(*spot);
            let found = self.wanted(id, &wanted).then(|| self.closest_on(id, &near)).flatten();
            at_least = found.map_or(at_least, |found| at_least.min(found.nearest.at_least));
            best = best.into_iter().chain(found).min_by(|a, b| {
                a.nearest.at_most.total_cmp(&b.nearest.at_most).then(a.body.cmp(&b.body))
            });
            best.map_or(spot.reach(), |best| best.nearest.at_most)
        });
        best.map(|best| Closest { nearest: Nearest { at_least, ..best.nearest }, ..best })
    }

    /// The point of this body's surface that is closest to the spot, unless it is certainly farther
    /// off than matters; none also if the body is not in the world.
    pub fn closest_on(&self, body: BodyId, spot: &Spot) -> Option<Closest> {
        self.at(body, |mesh, placed, _| {
            let nearest = placed.closest(spot)?;
            Some(Closest { body, face: mesh.face(nearest.triangle), nearest })
        })?
    }

    /// The bodies that the spot's point is inside of, or on a closed shell of, rising. Exact; what is
    /// not closed has no inside.
    pub fn around(&mut self, spot: &Spot) -> Vec<(BodyId, Location)> {
        let near = self.bodies_near(spot.point(), 0.0);
        let located = near.into_iter().filter_map(|id| Some((id, self.locate_on(id, spot)?)));
        located.filter(|(_, location)| *location != Location::Outside).collect()
    }

    /// Where the spot's point is with respect to the closed shells of this body; none if that is not in
    /// the world. Exact; what is not closed has no inside, and nothing is on it.
    pub fn locate_on(&self, body: BodyId, spot: &Spot) -> Option<Location> {
        self.at(body, |mesh, placed, asked| {
            let (shells, shell_of) = asked.shells(mesh);
            placed.locate(&spot.point(), shells, shell_of)
        })
    }

    fn along(&mut self, ray: &Ray) -> Vec<(f64, BodyId)> {
        // Hits are judged by rounded distances, so that a box may begin a little beyond the length.
        let length = ray.length() * (1.0 + 4.0 * DISTANCE_ERROR);
        self.bodies_along(ray.origin(), ray.direction(), length)
    }

    fn wanted(&self, id: BodyId, wanted: &impl Fn(BodyId, &Body) -> bool) -> bool {
        self.bodies.get(id).is_some_and(|body| wanted(id, body))
    }

    /// Asks a body at its place; none if it is not there.
    fn at<T>(&self, id: BodyId, ask: impl FnOnce(&Mesh, &Placed<'_>, &Asked) -> T) -> Option<T> {
        let body = self.bodies.get(id)?;
        let shape = self.shapes.of_body(body.shape);
        let pose = body.placement.end();
        Some(ask(&shape.mesh, &placed(shape, &pose), &shape.asked))
    }
}
