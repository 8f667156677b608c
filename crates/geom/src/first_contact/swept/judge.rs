//! Pairs of features, judged one by one.

use super::{Asked, Bodies, Collision, Kind, Moving, Work};
use crate::first_contact::linear::{self, LinearContact, Outcome};
use crate::tri_tri::intersect;
use crate::{Point, Triangle};

/// Judges pairs of one kind.
pub(super) struct Judge<'a> {
    bodies: [Moving<'a>; 2],
    one: bool,
    kind: Kind,
    ask: linear::Ask,
}

/// A corner: the body, and the vertex.
type Corner = (usize, u32);

impl<'a> Judge<'a> {
    pub(super) fn new(bodies: &Bodies<'a>, kind: Kind, asked: &Asked) -> Self {
        let ask = linear::Ask { tolerance: asked.tolerance, end: asked.until };
        Self { bodies: bodies.both(), one: bodies.is_one(), kind, ask }
    }

    /// Whether and when two features meet.
    pub(super) fn pair(&self, features: [u32; 2], work: &mut Work) -> Option<Collision> {
        if self.kind == Kind::FaceFace {
            let meet = self.faces_meet(features, work);
            return meet.then_some(Collision { features, time: [0.0; 2], within: 0.0 });
        }
        let LinearContact { time, within, .. } = self.contact(features, work)?;
        Some(Collision { features, time, within })
    }

    /// The contact of two features that move.
    pub(super) fn contact(&self, features: [u32; 2], work: &mut Work) -> Option<LinearContact> {
        let corners = self.corners(features);
        let first = if self.kind == Kind::EdgeEdge { 2 } else { 1 };
        // Vertices are compared before anything of them is read.
        let (mine, others) = corners.split_at(first);
        if self.one && mine.iter().any(|corner| others.iter().any(|other| other.1 == corner.1)) {
            return None;
        }
        let [start, end] = [0.0, 1.0].map(|time| corners.map(|corner| self.place(corner, time)));
        let same = |i: usize, j: usize| start[i] == start[j] && end[i] == end[j];
        if self.one && (0..first).any(|i| (first..4).any(|j| same(i, j))) {
            return None;
        }
        work.features += 1;
        let outcome = if self.kind == Kind::EdgeEdge {
            linear::edge_edge(&start, &end, &self.ask)
        } else {
            linear::vertex_face(&start, &end, &self.ask)
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

    /// Whether two faces that share no vertex have a point in common at the start.
    fn faces_meet(&self, [i, j]: [u32; 2], work: &mut Work) -> bool {
        let corners = [
            self.bodies[0].surface.triangles()[i as usize].map(|vertex| (0, vertex)),
            self.bodies[1].surface.triangles()[j as usize].map(|vertex| (1, vertex)),
        ];
        let way = |&corner: &Corner| [self.place(corner, 0.0), self.place(corner, 1.0)];
        let shared = |p: &Corner, q: &Corner| p.1 == q.1 || way(p) == way(q);
        if self.one && corners[0].iter().any(|p| corners[1].iter().any(|q| shared(p, q))) {
            return false;
        }
        work.features += 1;
        let [a, b]: [Triangle; 2] =
            corners.map(|three| three.map(|corner| self.place(corner, 0.0)));
        intersect(&a, &b)
    }

    /// The four corners, as the kernel wants them: the vertex before the face.
    fn corners(&self, [i, j]: [u32; 2]) -> [Corner; 4] {
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
            Kind::EdgeEdge | Kind::FaceFace => {
                let [a, b] = surfaces[0].edges()[i as usize];
                let [c, d] = surfaces[1].edges()[j as usize];
                [(0, a), (0, b), (1, c), (1, d)]
            }
        }
    }

    fn place(&self, (body, vertex): Corner, time: f64) -> Point {
        self.bodies[body].motion.at(time, vertex as usize)
    }
}
