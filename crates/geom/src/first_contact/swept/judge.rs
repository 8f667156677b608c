//! Pairs of features, judged one by one.

use super::{Asked, Bodies, Collision, Kind, Moving, Work};
use crate::Point;
use crate::first_contact::linear::{self, LinearContact, Outcome};
use rayon::prelude::*;

/// Judges pairs of one kind.
pub(super) struct Judge<'a> {
    bodies: [Moving<'a>; 2],
    one: bool,
    kind: Kind,
    ask: linear::Ask,
}

/// Pairs that one task judges.
const PAIRS_PER_TASK: usize = 1024;

impl<'a> Judge<'a> {
    pub(super) fn new(bodies: &Bodies<'a>, kind: Kind, asked: &Asked) -> Self {
        let ask = linear::Ask { tolerance: asked.tolerance, end: asked.until };
        Self { bodies: bodies.both(), one: bodies.is_one(), kind, ask }
    }

    /// Judges the pairs, in order, and adds those that meet.
    pub(super) fn all(&self, pairs: &[[u32; 2]], found: &mut Vec<Collision>) -> Work {
        let parts: Vec<(Vec<Collision>, Work)> = pairs
            .par_chunks(PAIRS_PER_TASK)
            .map(|pairs| {
                let (mut found, mut work) = (Vec::new(), Work::default());
                for &features in pairs {
                    if let Some(contact) = self.pair(features, &mut work) {
                        let LinearContact { time, within, .. } = contact;
                        found.push(Collision { features, time, within });
                    }
                }
                (found, work)
            })
            .collect();
        let mut sum = Work::default();
        for (part, work) in parts {
            found.extend(part);
            sum.add(&work);
        }
        sum
    }

    /// Whether and when two features meet.
    pub(super) fn pair(&self, features: [u32; 2], work: &mut Work) -> Option<LinearContact> {
        work.boxes += 1;
        let corners = self.corners(features);
        let [start, end] = [0.0, 1.0].map(|time| self.points(&corners, time));
        if self.one && self.are_neighbours(&corners, [&start, &end]) {
            return None;
        }
        work.features += 1;
        let outcome = match self.kind {
            Kind::VertexFace | Kind::FaceVertex => linear::vertex_face(&start, &end, &self.ask),
            Kind::EdgeEdge => linear::edge_edge(&start, &end, &self.ask),
        };
        match outcome {
            Outcome::Free { exact } => {
                work.exact += u64::from(exact);
                None
            }
            Outcome::Contact(contact) => {
                work.exact += u64::from(contact.exact);
                Some(contact)
            }
        }
    }

    /// The four corners, as the kernel wants them: the vertex before the face.
    fn corners(&self, [i, j]: [u32; 2]) -> [(usize, u32); 4] {
        let surfaces = [self.bodies[0].surface, self.bodies[1].surface];
        match self.kind {
            Kind::VertexFace => {
                let [a, b, c] = surfaces[1].triangles()[j as usize];
                [(0, i), (1, a), (1, b), (1, c)]
            }
            Kind::FaceVertex => {
                let [a, b, c] = surfaces[0].triangles()[i as usize];
                [(1, j), (0, a), (0, b), (0, c)]
            }
            Kind::EdgeEdge => {
                let [a, b] = surfaces[0].edges()[i as usize];
                let [c, d] = surfaces[1].edges()[j as usize];
                [(0, a), (0, b), (1, c), (1, d)]
            }
        }
    }

    fn points(&self, corners: &[(usize, u32); 4], time: f64) -> [Point; 4] {
        corners.map(|(body, vertex)| self.bodies[body].motion.at(time, vertex as usize))
    }

    /// Whether the features share a vertex, by its number or by its way.
    fn are_neighbours(&self, corners: &[(usize, u32); 4], [start, end]: [&[Point; 4]; 2]) -> bool {
        let first = if self.kind == Kind::EdgeEdge { 2 } else { 1 };
        (0..first).any(|i| {
            (first..4)
                .any(|j| corners[i].1 == corners[j].1 || (start[i] == start[j] && end[i] == end[j]))
        })
    }
}
