//! Deforming meshes: every vertex moves straight, at its own steady speed.

use super::{MotionError, ordered, up};
use crate::aabb::Aabb;
use crate::mesh::check_point;
use crate::{COORDINATE_MIN, Point, flush};

/// Vertices that move in straight lines, each at its own speed, over the time 0…1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexMotion<'a> {
    start: &'a [Point],
    end: &'a [Point],
}

impl<'a> VertexMotion<'a> {
    /// From one set of vertices to another of as many.
    pub fn new(start: &'a [Point], end: &'a [Point]) -> Result<Self, MotionError> {
        if start.len() != end.len() {
            return Err(MotionError::VertexCount { start: start.len(), end: end.len() });
        }
        for vertices in [start, end] {
            for (vertex, point) in vertices.iter().enumerate() {
                // Flushing is left to `at`, which hands out copies.
                check_point(vertex, &mut point.clone()).map_err(MotionError::Vertex)?;
            }
        }
        Ok(Self { start, end })
    }

    /// How many vertices there are.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// Vertex `i` at time `t`, `(1 − t)·start + t·end` rounded after each operation and flushed;
    /// at the ends of the motion the given vertices, flushed alike.
    pub fn at(&self, t: f64, i: usize) -> Point {
        let (start, end) = (self.start[i], self.end[i]);
        if t >= 1.0 {
            end.map(flush)
        } else if t > 0.0 {
            std::array::from_fn(|k| flush((1.0 - t) * start[k] + t * end[k]))
        } else {
            start.map(flush)
        }
    }

    /// Everywhere vertex `i` goes during `t0…t1`.
    pub fn point_bounds(&self, i: usize, t0: f64, t1: f64) -> Aabb {
        let (t0, t1) = ordered(t0, t1);
        let ends = Aabb::around(&[self.at(t0, i), self.at(t1, i)]);
        // Three roundings of ½ ε in an end of the interval and three more in a vertex between.
        let margin: Point = std::array::from_fn(|k| {
            let size = self.start[i][k].abs().max(self.end[i][k].abs());
            4.0 * f64::EPSILON * size + COORDINATE_MIN
        });
        Aabb {
            min: std::array::from_fn(|k| (ends.min[k] - margin[k]).next_down()),
            max: std::array::from_fn(|k| (ends.max[k] + margin[k]).next_up()),
        }
    }

    /// How far apart two places of vertex `i` can be during `t0…t1`, at most.
    pub fn displacement_max(&self, i: usize, t0: f64, t1: f64) -> f64 {
        up(self.point_bounds(i, t0, t1).diagonal())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{distance, places, samples, times};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn vertices_stay_within_their_bounds(
            start in places(), end in places(), (t0, t1) in times(),
        ) {
            let (start, end) = ([start], [end]);
            let motion = VertexMotion::new(&start, &end).unwrap();
            prop_assert_eq!((motion.at(0.0, 0), motion.at(1.0, 0)), (start[0], end[0]));
            let bounds = motion.point_bounds(0, t0, t1);
            let far = motion.displacement_max(0, t0, t1);
            for t in samples(t0, t1) {
                prop_assert!(bounds.contains(&motion.at(t, 0)));
                prop_assert!(distance(&motion.at(t, 0), &motion.at(ordered(t0, t1).0, 0)) <= far);
            }
        }
    }

    #[test]
    fn as_many_vertices_are_needed() {
        let short = VertexMotion::new(&[[0.0; 3]], &[]);
        assert_eq!(short, Err(MotionError::VertexCount { start: 1, end: 0 }));
    }
}
