//! The ways of vertices and the boxes of features, in f32.
//!
//! All vertices of both bodies are seen from the middle of everything and scaled by a power of two, so
//! that coordinates are from −1 to 1 wherever the bodies are and however large. The function that
//! does so is monotone, whatever it rounds; so boxes that overlap still do.

use super::{Kind, Moving};
use crate::aabb::{Aabb, Aabb32};
use crate::{COORDINATE_MIN, Point};
use impinge_simd::swept_cull::Row;
use rayon::prelude::*;

/// How coordinates become f32.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    centre: Point,
    scale: f64,
    /// No coordinate is farther from the truth.
    pub(super) error: f32,
    /// By how much boxes are grown.
    margin: f32,
}

/// Vertices that one task handles.
const VERTICES_PER_TASK: usize = 8192;

impl Frame {
    /// For a part of the step.
    pub(super) fn new(bodies: &[Moving<'_>], [from, to]: [f64; 2]) -> Self {
        let mut all = Aabb::EMPTY;
        for body in bodies {
            let around = |i: usize| Aabb::around(&[body.motion.at(from, i), body.motion.at(to, i)]);
            let whole = (0..body.motion.len())
                .into_par_iter()
                .with_min_len(VERTICES_PER_TASK)
                .fold(|| Aabb::EMPTY, |all, i| all.union(&around(i)))
                .reduce(|| Aabb::EMPTY, |a, b| a.union(&b));
            all = all.union(&whole);
        }
        let half = all.size().into_iter().fold(0.0, f64::max) * 0.5;
        // The next power of two, by the bits of the number.
        let exponent = (half.max(COORDINATE_MIN).to_bits() >> 52) as i32 - 1023 + 1;
        let scale = 2f64.powi(-exponent);
        // A vertex within the step is off by three roundings in its place and three in the truth.
        let sizes = [all.min, all.max];
        let largest = sizes.as_flattened().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let inner = 0.0 < from && from < 1.0 || 0.0 < to && to < 1.0;
        let off = if inner { (4.0 * f64::EPSILON * largest + COORDINATE_MIN) * scale } else { 0.0 };
        // Half a unit in the last place of numbers up to 1, and what the difference rounds.
        let error = ((off + f64::from(f32::EPSILON)) as f32).next_up();
        let margin = if inner { 2.0 * error } else { 0.0 };
        Self { centre: all.center(), scale, error: error.min(1.0), margin }
    }

    fn place(&self, point: &Point) -> [f32; 3] {
        std::array::from_fn(|k| ((point[k] - self.centre[k]) * self.scale) as f32)
    }

    /// The ways of all vertices of a body.
    pub(super) fn rows(&self, body: &Moving<'_>, [from, to]: [f64; 2], rows: &mut Vec<Row>) {
        let row = |i: usize| {
            let [a, b, c] = self.place(&body.motion.at(from, i));
            let [d, e, f] = self.place(&body.motion.at(to, i));
            [a, b, c, 0.0, d, e, f, 0.0]
        };
        let vertices = (0..body.motion.len()).into_par_iter();
        vertices.with_min_len(VERTICES_PER_TASK).map(row).collect_into_vec(rows);
    }

    /// The boxes of features.
    pub(super) fn boxes(
        &self,
        body: &Moving<'_>,
        (what, rows): (Part, &[Row]),
        boxes: &mut Vec<Aabb32>,
    ) {
        let way = |i: u32| {
            let [a, b, c, _, d, e, f, _] = rows[i as usize];
            [a.min(d), b.min(e), c.min(f), a.max(d), b.max(e), c.max(f)]
        };
        let grown = |aabb: Aabb32| -> Aabb32 {
            std::array::from_fn(
                |k| if k < 3 { aabb[k] - self.margin } else { aabb[k] + self.margin },
            )
        };
        let many = VERTICES_PER_TASK;
        match what {
            Part::Vertices => {
                let all = (0..rows.len() as u32).into_par_iter().with_min_len(many);
                all.map(|i| grown(way(i))).collect_into_vec(boxes);
            }
            Part::Edges => {
                let edge = |&[a, b]: &[u32; 2]| grown(union(&way(a), &way(b)));
                let all = body.surface.edges().par_iter().with_min_len(many);
                all.map(edge).collect_into_vec(boxes);
            }
            Part::Faces => {
                let face = |&[a, b, c]: &[u32; 3]| grown(union(&union(&way(a), &way(b)), &way(c)));
                let all = body.surface.triangles().par_iter().with_min_len(many);
                all.map(face).collect_into_vec(boxes);
            }
        }
    }
}

/// Features of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Vertices,
    Edges,
    Faces,
}

impl Kind {
    /// The features of A and of B.
    pub(super) fn parts(self) -> [Part; 2] {
        match self {
            Self::VertexFace => [Part::Vertices, Part::Faces],
            Self::FaceVertex => [Part::Faces, Part::Vertices],
            Self::EdgeEdge => [Part::Edges; 2],
            Self::FaceFace => [Part::Faces; 2],
        }
    }
}

pub(super) fn union(a: &Aabb32, b: &Aabb32) -> Aabb32 {
    std::array::from_fn(|k| if k < 3 { a[k].min(b[k]) } else { a[k].max(b[k]) })
}
