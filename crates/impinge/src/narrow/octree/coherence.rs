//! What is kept of a pair from frame to frame, if that is asked for: the pairs of faces that can meet as
//! long as no vertex goes farther than the slack from where it was.
//!
//! Boxes of faces are grown by the slack and listed where they overlap. While every vertex is within the
//! slack of its place at that time, every box is within its grown one, so that no pair outside the list
//! can meet: answers are the same, and what is saved is looking for pairs. A vertex that goes farther
//! makes a new list.

use crate::contract::ids::ShapeId;
use impinge_geom::Point;
use impinge_geom::aabb::{Aabb, outward};
use impinge_geom::box_tree::BoxTree;
use impinge_geom::face_cells::Side;

/// A list of pairs, and how long it holds.
#[derive(Debug, Default)]
pub(super) struct Coherence {
    /// Whose pairs they are; another shape has other faces.
    shapes: Option<[ShapeId; 2]>,
    slack: f64,
    places: [Vec<Point>; 2],
    pairs: Vec<[u32; 2]>,
}

/// Longer lists are not kept: looking for pairs is better than to go through them.
const PAIRS_MAX: usize = 1 << 22;

impl Coherence {
    /// What is kept for these shapes.
    pub(super) fn of(&mut self, shapes: [ShapeId; 2]) -> &mut Self {
        if self.shapes != Some(shapes) {
            *self = Self { shapes: Some(shapes), ..Self::default() };
        }
        self
    }

    /// The pairs of faces that may meet, for two meshes as they are now; none if there are too many.
    /// The slack is this part of the mean edge of faces.
    pub(super) fn pairs(&mut self, sides: [&Side<'_>; 2], part: f64) -> Option<&[[u32; 2]]> {
        if !self.holds(sides) {
            self.slack = part * mean_edge(sides[0]).max(mean_edge(sides[1]));
            for (place, side) in self.places.iter_mut().zip(sides) {
                place.clear();
                place.extend_from_slice(side.points);
            }
            self.list(sides);
        }
        (self.pairs.len() <= PAIRS_MAX).then_some(&*self.pairs)
    }

    /// Whether no vertex is farther from its place than the slack.
    fn holds(&self, sides: [&Side<'_>; 2]) -> bool {
        self.places.iter().zip(sides).all(|(places, side)| {
            let near = |(place, point): (&Point, &Point)| {
                (0..3).all(|k| (place[k] - point[k]).abs() <= self.slack)
            };
            places.len() == side.points.len() && places.iter().zip(side.points).all(near)
        })
    }

    fn list(&mut self, sides: [&Side<'_>; 2]) {
        // A little more, since what is compared above was rounded.
        let grown = |side: &Side<'_>, face: u32| {
            Aabb::around(&side.triangle(face)).grown(self.slack * (1.0 + 1e-9))
        };
        let common =
            sides[0].bounds.grown(self.slack).intersection(&sides[1].bounds.grown(self.slack));
        let near = |side: &Side<'_>| -> Vec<u32> {
            let is_near = |&face: &u32| grown(side, face).overlaps(&common);
            (0..side.triangles.len() as u32).filter(is_near).collect()
        };
        let mut tree = BoxTree::default();
        tree.build(&near(sides[1]), &|face| outward(&grown(sides[1], face)));
        let (mut stack, mut found) = (Vec::new(), Vec::new());
        self.pairs.clear();
        for face in near(sides[0]) {
            found.clear();
            tree.overlapping(&outward(&grown(sides[0], face)), &mut stack, &mut found);
            self.pairs.extend(found.iter().map(|&other| [face, other]));
            if self.pairs.len() > PAIRS_MAX {
                return;
            }
        }
    }
}

/// So many faces are looked at to learn how large they are.
const SAMPLES: usize = 256;

fn mean_edge(side: &Side<'_>) -> f64 {
    let count = side.triangles.len();
    let faces = (0..count).step_by(count.div_ceil(SAMPLES).max(1));
    let edge = |face: usize| {
        let around = Aabb::around(&side.triangle(face as u32));
        (0..3).map(|k| around.max[k] - around.min[k]).fold(0.0, f64::max)
    };
    let number = faces.len().max(1) as f64;
    faces.map(edge).sum::<f64>() / number
}
