//! Features of bodies whose vertices all go straight through a step, or rest: which of them meet.

use super::budget::Limit;
use crate::contract::answer::Meeting;
use impinge_geom::Point;
use impinge_geom::first_contact::swept::{
    Asked, Bodies, Collision, Collisions, Moving, Surface, Swept, Work,
};
use impinge_geom::first_contact::{Feature, Found};
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::vertex::VertexMotion;

/// How much is done between two looks at the clock.
const PRICE_PER_LOOK: u64 = 1 << 20;

/// One body, or two.
pub(super) struct Straight<'a> {
    pub(super) bodies: [Strand<'a>; 2],
    /// The second is the first once more.
    pub(super) itself: bool,
}

/// A body on its way.
pub(super) struct Strand<'a> {
    mesh: &'a Mesh,
    surface: Surface,
    /// From the first place to the second, in the world.
    ends: [&'a [Point]; 2],
}

/// What is asked of a step, and how much may be done for it.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    pub(super) tolerance: f64,
    pub(super) until: f64,
    pub(super) limit: &'a Limit<'a>,
}

/// A contact of triangles that did not touch at the start.
pub(super) struct New {
    pub(super) time: [f64; 2],
    pub(super) triangles: [u32; 2],
    pub(super) within: f64,
}

impl<'a> Strand<'a> {
    pub(super) fn new(mesh: &'a Mesh, ends: [&'a [Point]; 2]) -> Self {
        Self { mesh, surface: Surface::new(mesh.triangles()), ends }
    }

    /// None if start and end do not fit together, or are too far away.
    fn moving(&self) -> Option<Moving<'_>> {
        let motion = VertexMotion::new(self.ends[0], self.ends[1]).ok()?;
        Moving::new(&self.surface, motion).ok()
    }

    /// The triangles that a feature is a part of.
    fn triangles_of(&self, feature: Feature) -> Vec<u32> {
        let has = |corners: &[u32; 3]| match feature {
            Feature::Vertex(v) => corners.contains(&v),
            Feature::Edge(ends) => ends.iter().all(|end| corners.contains(end)),
            Feature::Face(_) => false,
        };
        match feature {
            Feature::Face(face) => vec![face],
            Feature::Vertex(_) | Feature::Edge(_) => {
                let all = self.mesh.triangles().iter().zip(0..);
                all.filter(|(corners, _)| has(corners)).map(|(_, triangle)| triangle).collect()
            }
        }
    }
}

impl Straight<'_> {
    fn swept<T>(&self, ask: impl FnOnce(&mut Swept, &Bodies<'_>) -> T) -> Option<T> {
        let [a, b] = &self.bodies;
        let first = a.moving()?;
        let bodies =
            if self.itself { Bodies::One(first) } else { Bodies::Two([first, b.moving()?]) };
        Some(ask(&mut Swept::default(), &bodies))
    }

    /// The first contact of bodies that do not touch at the start.
    pub(super) fn first(&self, terms: &Terms<'_>) -> Found {
        let found =
            self.swept(|swept, bodies| swept.first(bodies, &terms.asked(), terms.allowed()));
        found.unwrap_or(Found::CutShort(0.0))
    }

    /// All features that meet, and whether these are all.
    pub(super) fn meetings(&self, terms: &Terms<'_>) -> (Vec<Meeting>, bool) {
        let found = self.collisions(terms);
        let meeting = |(features, collision): ([Feature; 2], &Collision)| Meeting {
            features,
            time: collision.time,
        };
        (self.named(&found).map(meeting).collect(), found.complete)
    }

    /// The first contact of triangles that are not among `except`, which is sorted; an error if the
    /// search was cut short.
    pub(super) fn first_new(
        &self,
        except: &[[u32; 2]],
        terms: &Terms<'_>,
    ) -> Result<Option<New>, ()> {
        let found = self.collisions(terms);
        if !found.complete {
            return Err(());
        }
        let mut named: Vec<([Feature; 2], &Collision)> = self.named(&found).collect();
        named.sort_by(|a, b| a.1.time[0].total_cmp(&b.1.time[0]));
        let new = named.into_iter().find_map(|(features, collision)| {
            let triangles = self.new_triangles(features, except)?;
            Some(New { time: collision.time, triangles, within: collision.within })
        });
        Ok(new)
    }

    /// The first triangles with these features that are not among `except`.
    fn new_triangles(&self, features: [Feature; 2], except: &[[u32; 2]]) -> Option<[u32; 2]> {
        let [of_a, of_b] = [0, 1].map(|k| self.bodies[k].triangles_of(features[k]));
        let pairs = of_a.iter().flat_map(|&a| of_b.iter().map(move |&b| [a, b]));
        let ordered = |pair: [u32; 2]| {
            if self.itself { [pair[0].min(pair[1]), pair[0].max(pair[1])] } else { pair }
        };
        pairs.map(ordered).find(|pair| except.binary_search(pair).is_err())
    }

    fn collisions(&self, terms: &Terms<'_>) -> Collisions {
        let all = |swept: &mut Swept, bodies: &Bodies<'_>| {
            swept.collisions(bodies, &terms.asked(), terms.allowed()).clone()
        };
        self.swept(all).unwrap_or_default()
    }

    /// Collisions with the features that meet, by kind and number.
    fn named<'f>(
        &'f self,
        found: &'f Collisions,
    ) -> impl Iterator<Item = ([Feature; 2], &'f Collision)> {
        let edges = |k: usize| self.bodies[if self.itself { 0 } else { k }].surface.edges();
        let vertex_face = found.vertex_face.iter().map(|collision| {
            let [vertex, face] = collision.features;
            ([Feature::Vertex(vertex), Feature::Face(face)], collision)
        });
        let face_vertex = found.face_vertex.iter().map(|collision| {
            let [face, vertex] = collision.features;
            ([Feature::Face(face), Feature::Vertex(vertex)], collision)
        });
        let edge_edge = found.edge_edge.iter().map(move |collision| {
            let edge = |k: usize| edges(k)[collision.features[k] as usize];
            ([Feature::Edge(edge(0)), Feature::Edge(edge(1))], collision)
        });
        vertex_face.chain(face_vertex).chain(edge_edge)
    }
}

impl Terms<'_> {
    fn asked(&self) -> Asked {
        let Self { tolerance, until, .. } = *self;
        Asked { tolerance, until, ..Asked::default() }
    }

    /// How much may be done before this is asked again.
    fn allowed(&self) -> impl FnMut(&Work) -> u64 {
        let (limit, left) = (self.limit, self.limit.left());
        move |work| match left {
            _ if limit.deadline.is_over() => 0,
            u64::MAX if !limit.deadline.is_set() => u64::MAX,
            left => left.saturating_sub(work.price()).min(PRICE_PER_LOOK),
        }
    }
}
