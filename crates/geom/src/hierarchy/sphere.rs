//! Spheres as bounding volumes.

use super::Quality;
use super::bound::sealed::Shape;
use super::bound::{Bound, Probes};
use super::place::{Line, View};
use super::sweep::{self, Sweep};
use crate::obb::Obb;
use crate::sphere::Sphere;
use crate::{Point, Triangle};
use glam::DVec3;
use std::f64::consts::PI;

impl Shape for Sphere {
    fn volume(&self) -> f64 {
        4.0 / 3.0 * PI * self.radius.powi(3)
    }

    fn surface(&self) -> f64 {
        4.0 * PI * self.radius.powi(2)
    }

    fn probes(&self) -> Probes {
        let diagonal = self.radius / 3f64.sqrt();
        std::array::from_fn(|n| {
            let way = match n {
                0..8 => [0, 1, 2].map(|k| if n >> k & 1 == 1 { diagonal } else { -diagonal }),
                8..14 => {
                    let side = if n % 2 == 0 { self.radius } else { -self.radius };
                    [0, 1, 2].map(|k| if k == n / 2 - 4 { side } else { 0.0 })
                }
                _ => [0.0; 3],
            };
            [0, 1, 2].map(|k| self.center[k] + way[k])
        })
    }

    /// The smallest sphere around the old one and a corner, for one corner after the other. (The
    /// splitter computes the smallest sphere around all faces anew from time to time.)
    fn grown(&self, face: &Triangle) -> Self {
        let point = |corner: &Point| Self { center: *corner, radius: 0.0 };
        face.iter().fold(*self, |sphere, corner| sphere.union(&point(corner)))
    }

    fn enclosing_box(&self, faces: &[Triangle], quality: Quality) -> Obb {
        Obb::around(faces, quality)
    }

    fn center(&self) -> Point {
        self.center
    }
}

impl Bound for Sphere {
    fn around(faces: &[Triangle], _quality: Quality) -> Self {
        Self::around(faces.as_flattened())
    }

    #[inline]
    fn is_apart(&self, other: &Self, view: &View) -> bool {
        let way = view.point(&other.center) - DVec3::from(self.center);
        let reach = self.radius + other.radius + view.margin;
        way.length_squared() > reach * reach
    }

    #[inline]
    fn gap(&self, other: &Self, view: &View) -> f64 {
        let way = view.point(&other.center) - DVec3::from(self.center);
        (way.length() - (self.radius + other.radius + view.margin)).max(0.0)
    }

    #[inline]
    fn meets(&self, line: &Line) -> bool {
        let way = DVec3::from(self.center) - line.origin;
        let nearest = way - line.direction * way.dot(line.direction).max(0.0);
        let reach = self.radius + line.margin;
        nearest.length_squared() <= reach * reach
    }

    #[inline]
    fn swept(&self, sweep: &Sweep) -> Self {
        sweep::sphere(self, sweep)
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.radius
    }
}
