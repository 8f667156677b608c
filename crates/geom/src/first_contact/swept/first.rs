//! What meets first.

use super::judge::Judge;
use super::{Asked, Bodies, Kind, Moving, Swept, Work, broad};
use crate::Point;
use crate::first_contact::linear::LinearContact;
use crate::first_contact::{Feature, FirstContact, Found};

impl Swept {
    /// The first contact, if there is one. Surfaces that run through each other at the start, so that
    /// no feature meets another one then, are not looked for: see
    /// [`deforming`](crate::first_contact::deforming). `allow` is as in [`Swept::collisions`].
    pub fn first(
        &mut self,
        bodies: &Bodies<'_>,
        asked: &Asked,
        mut allow: impl FnMut(&Work) -> u64,
    ) -> Found {
        let mut work = Work::default();
        let mut asked = *asked;
        let mut first: Option<(Kind, [u32; 2], LinearContact)> = None;
        for kind in [Kind::VertexFace, Kind::FaceVertex, Kind::EdgeEdge] {
            if kind == Kind::FaceVertex && bodies.is_one() {
                continue;
            }
            broad::pairs(bodies, kind, &mut self.pairs);
            for &features in &self.pairs {
                if allow(&work) == 0 {
                    return Found::CutShort(0.0);
                }
                let judge = Judge::new(bodies, kind, &asked);
                if let Some(contact) = judge.pair(features, &mut work)
                    && first.is_none_or(|(_, _, first)| contact.time[0] < first.time[0])
                {
                    asked.until = contact.time[1];
                    first = Some((kind, features, contact));
                }
            }
        }
        first.map_or(Found::Free, |(kind, features, contact)| {
            Found::Contact(told(bodies, (kind, features), &contact, asked.tolerance))
        })
    }
}

/// The contact of two features as one of their meshes.
fn told(
    bodies: &Bodies<'_>,
    (kind, features): (Kind, [u32; 2]),
    contact: &LinearContact,
    tolerance: f64,
) -> FirstContact {
    let both = bodies.both();
    let one = |k: usize, vertex: bool| -> (Feature, u32, Vec<u32>) {
        let (surface, i) = (both[k].surface, features[k]);
        if kind == Kind::EdgeEdge {
            let edge = surface.edges()[i as usize];
            (Feature::Edge(edge), surface.triangle_of_edge(i), edge.to_vec())
        } else if vertex {
            (Feature::Vertex(i), surface.triangle_of_vertex(i).unwrap_or(0), vec![i])
        } else {
            (Feature::Face(i), i, surface.triangles()[i as usize].to_vec())
        }
    };
    let of_a = one(0, kind == Kind::VertexFace);
    let of_b = one(1, kind == Kind::FaceVertex);
    // The kernel takes the vertex first.
    let turned = kind == Kind::FaceVertex;
    let split = match kind {
        Kind::VertexFace => 1,
        Kind::FaceVertex => 3,
        Kind::EdgeEdge => 2,
    };
    let [v, a, b, c] = contact.weights;
    let weights = if turned { [a, b, c, v] } else { [v, a, b, c] };
    let sign = if turned { -1.0 } else { 1.0 };
    let [from, to] = contact.time;
    let at = |body: &Moving<'_>, corners: &[u32], weights: &[f64]| -> Point {
        let place = |vertex: u32| body.motion.at(from, vertex as usize);
        std::array::from_fn(|k| {
            corners.iter().zip(weights).map(|(&vertex, weight)| weight * place(vertex)[k]).sum()
        })
    };
    FirstContact {
        time: [from.min(to - tolerance).max(0.0), to],
        triangles: [of_a.1, of_b.1],
        features: [of_a.0, of_b.0],
        points: [
            at(&both[0], &of_a.2, &weights[..split]),
            at(&both[1], &of_b.2, &weights[split..]),
        ],
        normal: contact.normal.map(|x| sign * x),
        within: contact.within,
    }
}
