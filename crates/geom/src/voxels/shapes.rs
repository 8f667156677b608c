//! Balls, cylinders, cones and rings as solids, by their equations.
//!
//! Along a column the equation of a shape is a polynomial. Between its roots and extremes nothing
//! changes, so the equation is evaluated at the middles next to them, and these signs alone decide:
//! a voxel is filled if the equation is negative at its middle, and a root that is off by
//! rounding, or missed because the column grazes the shape, changes nothing.

use super::grid::Grid;
use super::solid::{Crossing, Crossings, Solid};
use crate::Point;
use crate::aabb::Aabb;
use crate::pose::Pose;

/// A kind of shape, about the origin; axes are along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// What is within `radius`.
    Ball {
        /// Of the sphere.
        radius: f64,
    },
    /// Half of its height is above the origin.
    Cylinder {
        /// Of the mantle.
        radius: f64,
        /// From base to base.
        height: f64,
    },
    /// The base is half the height below the origin, the apex above it.
    Cone {
        /// Of the base.
        radius: f64,
        /// From base to apex.
        height: f64,
    },
    /// A torus.
    Ring {
        /// From the middle to the middle of the tube.
        radius: f64,
        /// Of the tube.
        tube: f64,
    },
}

/// A shape at a place.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    form: Form,
    pose: Pose,
    /// From the world to the shape.
    back: Pose,
}

impl Shape {
    /// Puts a shape to a place.
    pub fn new(form: Form, pose: Pose) -> Self {
        Self { form, pose, back: pose.inverse() }
    }

    /// Whether the equation of the shape is negative at a place.
    pub fn holds(&self, point: &Point) -> bool {
        let [x, y, z] = self.back.apply(point);
        let across = x * x + y * y;
        match self.form {
            Form::Ball { radius } => across + z * z < radius * radius,
            Form::Cylinder { radius, height } => across < radius * radius && z.abs() < 0.5 * height,
            Form::Cone { radius, height } => {
                let there = radius * (0.5 - z / height);
                across < there * there && z.abs() < 0.5 * height
            }
            Form::Ring { radius, tube } => {
                let sum = across + z * z + (radius - tube) * (radius + tube);
                sum * sum < 4.0 * radius * radius * across
            }
        }
    }

    /// Along the column through `place` all heights at which the shape may begin or end, and more.
    fn breaks(&self, place: [f64; 2], found: &mut Vec<f64>) {
        found.clear();
        // From the height of the shape's middle on, so that the numbers are as small as the shape.
        let base = self.pose.translation()[2];
        let from = self.back.apply(&[place[0], place[1], base]);
        let along = self.back.rotate(&[0.0, 0.0, 1.0]);
        let dot =
            |p: &Point, q: &Point, axes: usize| -> f64 { (0..axes).map(|k| p[k] * q[k]).sum() };
        match self.form {
            Form::Ball { radius } => {
                let constant = dot(&from, &from, 3) - radius * radius;
                quadratic([constant, 2.0 * dot(&from, &along, 3), 1.0], found);
            }
            Form::Cylinder { radius, height } => {
                let constant = dot(&from, &from, 2) - radius * radius;
                let linear = 2.0 * dot(&from, &along, 2);
                quadratic([constant, linear, dot(&along, &along, 2)], found);
                planes(height, [from[2], along[2]], found);
            }
            Form::Cone { radius, height } => {
                let (there, slope) =
                    (radius * (0.5 - from[2] / height), -radius * along[2] / height);
                let constant = dot(&from, &from, 2) - there * there;
                let linear = 2.0 * (dot(&from, &along, 2) - there * slope);
                quadratic([constant, linear, dot(&along, &along, 2) - slope * slope], found);
                planes(height, [from[2], along[2]], found);
            }
            Form::Ring { radius, tube } => {
                // (t² + 2bt + c)² − 4R²(et² + 2ft + g), in units of R.
                let [from, along] = [from.map(|x| x / radius), along];
                let ratio = tube / radius;
                let b = dot(&from, &along, 3);
                let c = dot(&from, &from, 3) + (1.0 - ratio) * (1.0 + ratio);
                let [e, f, g] =
                    [(&along, &along), (&from, &along), (&from, &from)].map(|(p, q)| dot(p, q, 2));
                let coefficients = [
                    c * c - 4.0 * g,
                    4.0 * b * c - 8.0 * f,
                    2.0 * c + 4.0 * b * b - 4.0 * e,
                    4.0 * b,
                    1.0,
                ];
                quartic(coefficients, found);
                found.iter_mut().for_each(|t| *t *= radius);
            }
        }
        found.iter_mut().for_each(|t| *t += base);
        found.retain(|t| t.is_finite());
    }
}

/// Where a ray meets the two bases.
fn planes(height: f64, [from, along]: [f64; 2], found: &mut Vec<f64>) {
    found.extend([(0.5 * height - from) / along, (-0.5 * height - from) / along]);
}

/// The roots of a + bt + ct², and its extreme; what does not exist is not finite, or left out.
fn quadratic([a, b, c]: [f64; 3], found: &mut Vec<f64>) {
    found.push(-0.5 * b / c);
    let discriminant = b * b - 4.0 * a * c;
    if discriminant >= 0.0 {
        let sum = -0.5 * (b + discriminant.sqrt().copysign(b));
        found.extend([sum / c, a / sum]);
    }
}

/// The roots of a polynomial of degree four, and its extremes, in any order.
///
/// Each derivative is monotone between the extremes that its own derivative tells, so that halving
/// finds all roots that there are, however close.
fn quartic([a, b, c, d, e]: [f64; 5], found: &mut Vec<f64>) {
    let reach = 1.0 + [a, b, c, d].iter().fold(0.0f64, |most, x| most.max((x / e).abs()));
    let cubic = [b, 2.0 * c, 3.0 * d, 4.0 * e];
    let mut bends = Vec::with_capacity(3);
    quadratic([cubic[1], 2.0 * cubic[2], 3.0 * cubic[3]], &mut bends);
    let extremes = roots_between(&cubic, &mut bends, reach);
    found.extend(&extremes);
    found.extend(roots_between(&[a, b, c, d, e], &mut extremes.clone(), reach));
}

/// The roots of a polynomial that is monotone between the given places, within ±`reach`.
fn roots_between(coefficients: &[f64], places: &mut Vec<f64>, reach: f64) -> Vec<f64> {
    let value = |t: f64| coefficients.iter().rev().fold(0.0, |sum, x| sum * t + x);
    places.retain(|t| t.abs() < reach);
    places.extend([-reach, reach]);
    places.sort_unstable_by(f64::total_cmp);
    let mut roots = Vec::with_capacity(4);
    for piece in places.windows(2) {
        let (mut low, mut high) = (piece[0], piece[1]);
        let rises = value(low) < value(high);
        if (value(low) < 0.0) == (value(high) < 0.0) {
            continue;
        }
        // More halvings than a place in a grid has bits to tell.
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if (value(middle) < 0.0) == rises {
                low = middle;
            } else {
                high = middle;
            }
        }
        roots.push(0.5 * (low + high));
    }
    roots
}

impl Solid for Shape {
    fn bounds(&self) -> Aabb {
        let axis = self.pose.rotate(&[0.0, 0.0, 1.0]);
        let middle = self.pose.translation();
        // How far a circle of radius 1 across the axis reaches along each coordinate.
        let disc = axis.map(|a| (1.0 - a * a).max(0.0).sqrt());
        let reach: Point = std::array::from_fn(|k| match self.form {
            Form::Ball { radius } => radius,
            Form::Cylinder { radius, height } | Form::Cone { radius, height } => {
                radius * disc[k] + 0.5 * height * axis[k].abs()
            }
            Form::Ring { radius, tube } => radius * disc[k] + tube,
        });
        Aabb {
            min: std::array::from_fn(|k| middle[k] - reach[k]),
            max: std::array::from_fn(|k| middle[k] + reach[k]),
        }
    }

    fn over<'a>(&'a self, grid: &'a Grid) -> Box<dyn Crossings + 'a> {
        Box::new(Over { shape: self, grid })
    }
}

struct Over<'a> {
    shape: &'a Shape,
    grid: &'a Grid,
}

/// So many middles are looked at on each side of a break.
const LOOKS: f64 = 2.0;

impl Crossings for Over<'_> {
    fn cross(&self, at: [u32; 2], found: &mut Vec<Crossing>) {
        let (grid, counts) = (self.grid, self.grid.counts());
        let (mut breaks, mut looks) = (Vec::new(), Vec::new());
        for column in 0..64u8 {
            let [x, y] = [8 * at[0] + u32::from(column % 8), 8 * at[1] + u32::from(column / 8)];
            if x >= counts[0] || y >= counts[1] {
                continue;
            }
            let place = [grid.middle(0, x), grid.middle(1, y)];
            self.shape.breaks(place, &mut breaks);
            looks.clear();
            for height in &breaks {
                let voxel = (height - grid.origin()[2]) / grid.size();
                // Negative numbers become zero, and those that are too large the largest.
                looks.extend((voxel - LOOKS) as u32..=((voxel + LOOKS) as u32).min(counts[2] - 1));
            }
            looks.sort_unstable();
            let mut within = false;
            for &voxel in &looks {
                let filled = self.shape.holds(&[place[0], place[1], grid.middle(2, voxel)]);
                if filled != within {
                    let sign = if filled { 1 } else { -1 };
                    found.push(Crossing { column, voxel, sign });
                    within = filled;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::solid::fill;
    use super::*;
    use std::f64::consts::PI;

    fn poses() -> [Pose; 4] {
        let pose = |rotation, translation: Point| Pose::new(rotation, translation).unwrap();
        [
            Pose::IDENTITY,
            pose([1.0, 0.0, 1.0, 0.0], [0.25, -0.5, 1e3]),
            pose([0.9, 0.3, -0.2, 0.1], [-7.0, 0.1, 0.3]),
            pose([0.1, 0.7, 0.7, -0.2], [0.0; 3]),
        ]
    }

    fn forms() -> [(Form, f64); 5] {
        let [ball, cylinder, cone] = [
            Form::Ball { radius: 1.5 },
            Form::Cylinder { radius: 1.0, height: 3.0 },
            Form::Cone { radius: 2.0, height: 1.5 },
        ];
        let ring = Form::Ring { radius: 2.0, tube: 0.75 };
        // The ring that touches itself in the middle.
        let horn = Form::Ring { radius: 1.0, tube: 1.0 };
        let volume = |radius: f64, tube: f64| 2.0 * PI * PI * radius * tube * tube;
        [
            (ball, 4.0 / 3.0 * PI * 1.5f64.powi(3)),
            (cylinder, 3.0 * PI),
            (cone, 2.0 * PI),
            (ring, volume(2.0, 0.75)),
            (horn, volume(1.0, 1.0)),
        ]
    }

    #[test]
    fn a_voxel_is_filled_where_the_equation_is_negative() {
        for (pose, (form, _)) in poses().into_iter().flat_map(|pose| forms().map(|f| (pose, f))) {
            let shape = Shape::new(form, pose);
            for resolution in [5, 24, 41] {
                let grid = Grid::of_resolution(&shape.bounds(), resolution).unwrap();
                let map = fill(&shape, grid);
                let [across, deep, high] = grid.counts();
                let mut filled = 0;
                for voxel in (0..across * deep * high)
                    .map(|i| [i % across, i / across % deep, i / across / deep])
                {
                    let expected = shape.holds(&grid.centre(voxel));
                    assert_eq!(map.is_filled(voxel), expected, "{form:?} {pose:?} {voxel:?}");
                    filled += u32::from(expected);
                }
                assert!(filled > 0);
            }
        }
    }

    #[test]
    fn volumes_are_those_of_the_formulas() {
        for (pose, (form, volume)) in poses().into_iter().flat_map(|p| forms().map(|f| (p, f))) {
            let shape = Shape::new(form, pose);
            let grid = Grid::around(&shape.bounds(), 0.0173).unwrap();
            let found = fill(&shape, grid).volume();
            // A base between two layers of middles is off by up to half a layer.
            assert!((found / volume - 1.0).abs() < 0.006, "{form:?}: {found} for {volume}");
        }
    }
}
