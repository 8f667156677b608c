//! What meets first.
//!
//! Time is taken in spans, short ones first: over a short time boxes are small, and most first contacts
//! are early. Within a span, what was found in earlier rounds of tasks ends the time that later
//! ones look at.

use super::judge::Judge;
use super::tasks::{Quota, Stage};
use super::{Asked, Bodies, Collision, Kind, Moving, Swept, Work};
use crate::Point;
use crate::first_contact::deforming::linear_meeting;
use crate::first_contact::linear::LinearContact;
use crate::first_contact::{Feature, FirstContact, Found};

/// Where spans end.
const SPAN_ENDS: [f64; 4] = [1.0 / 64.0, 1.0 / 16.0, 0.25, 1.0];
/// Tasks of the first round; each round has twice as many, up to a limit.
const TASKS: [usize; 2] = [2, 64];
/// How much a task may do in a round.
const PRICE_PER_TASK: u64 = 1 << 18;

/// A contact, and what was asked when it was found.
struct Best {
    kind: Kind,
    collision: Collision,
    asked: Asked,
}

impl Swept {
    /// The first contact, if there is one. Surfaces that run through each other at the start are in
    /// contact at time 0. `allow` is as in [`Swept::collisions`].
    pub fn first(
        &mut self,
        bodies: &Bodies<'_>,
        asked: &Asked,
        mut allow: impl FnMut(&Work) -> u64,
    ) -> Found {
        let mut work = Work::default();
        let mut best = None;
        let mut limits = (&mut allow, &mut work);
        let start = (bodies, Kind::FaceFace, [0.0; 2]);
        if !self.soonest(start, (asked, &mut best), &mut limits) {
            return Found::CutShort(0.0);
        }
        let mut from = 0.0;
        for to in SPAN_ENDS {
            if best.is_some() || from > asked.until {
                break;
            }
            let to = f64::min(to, asked.until);
            for kind in [Kind::VertexFace, Kind::FaceVertex, Kind::EdgeEdge] {
                if kind == Kind::FaceVertex && bodies.is_one() {
                    continue;
                }
                let ask = (&Asked { until: to, ..*asked }, &mut best);
                if !self.soonest((bodies, kind, [from, to]), ask, &mut limits) {
                    return Found::CutShort(from);
                }
            }
            from = to.next_up();
        }
        best.map_or(Found::Free, |best| Found::Contact(best.told(bodies)))
    }

    /// The first contact of a kind in a span, if it is earlier than the best that is known. False if
    /// the search was cut short.
    fn soonest(
        &mut self,
        (bodies, kind, span): (&Bodies<'_>, Kind, [f64; 2]),
        (asked, best): (&Asked, &mut Option<Best>),
        (allow, work): &mut (&mut impl FnMut(&Work) -> u64, &mut Work),
    ) -> bool {
        let stage = Stage::new(bodies, kind, span, &mut self.memory);
        let mut tasks = stage.tasks();
        let mut many = TASKS[0];
        while !tasks.is_empty() {
            let allowed = allow(work);
            if allowed == 0 {
                return false;
            }
            let affordable = (allowed / PRICE_PER_TASK).clamp(1, many as u64) as usize;
            let count = affordable.min(tasks.len());
            let quota = Quota { price: PRICE_PER_TASK.min(allowed), hits: usize::MAX };
            let until = best.as_ref().map_or(f64::INFINITY, |best| best.collision.time[1]);
            let asked = Asked { until: asked.until.min(until), ..*asked };
            let round = stage.run(&mut tasks[..count], quota, &asked);
            tasks.retain(|task| !task.is_done());
            work.add(&round.work);
            many = (2 * many).min(TASKS[1]);
            for collision in round.hits {
                let order = |one: &Collision| (one.time[0], one.time[1], one.features);
                if best.as_ref().is_none_or(|best| order(&collision) < order(&best.collision)) {
                    *best = Some(Best { kind, collision, asked });
                }
            }
        }
        true
    }
}

impl Best {
    fn told(&self, bodies: &Bodies<'_>) -> FirstContact {
        let (features, both) = (self.collision.features, bodies.both());
        if self.kind == Kind::FaceFace {
            let corners = [0, 1].map(|k| both[k].surface.triangles()[features[k] as usize]);
            let motions = both.map(|body| body.motion);
            return linear_meeting(&motions, (features, corners), self.asked.tolerance);
        }
        let judge = Judge::new(bodies, self.kind, &self.asked);
        let contact = judge.contact(features, &mut Work::default());
        told(&both, (self.kind, features), &contact.expect("found before"), &self.asked)
    }
}

/// The contact of two features as one of their meshes.
fn told(
    both: &[Moving<'_>; 2],
    (kind, features): (Kind, [u32; 2]),
    contact: &LinearContact,
    asked: &Asked,
) -> FirstContact {
    let [v, a, b, c] = contact.weights;
    let place = |k: usize| Place { body: &both[k], id: features[k], time: contact.time[0] };
    let turned = contact.normal.map(|x| -x);
    // The kernel takes the vertex first.
    let (normal, [of_a, of_b]) = match kind {
        Kind::VertexFace => (contact.normal, [place(0).vertex(), place(1).face([a, b, c])]),
        Kind::FaceVertex => (turned, [place(0).face([a, b, c]), place(1).vertex()]),
        Kind::EdgeEdge | Kind::FaceFace => {
            (contact.normal, [place(0).edge([v, a]), place(1).edge([b, c])])
        }
    };
    let [from, to] = contact.time;
    FirstContact {
        time: [from.min(to - asked.tolerance).max(0.0), to],
        triangles: [of_a.triangle, of_b.triangle],
        features: [of_a.feature, of_b.feature],
        points: [of_a.point, of_b.point],
        normal,
        within: contact.within,
    }
}

/// One side of a contact.
struct Told {
    feature: Feature,
    triangle: u32,
    point: Point,
}

/// A feature at a time.
struct Place<'a> {
    body: &'a Moving<'a>,
    id: u32,
    time: f64,
}

impl Place<'_> {
    fn point<const N: usize>(&self, corners: [u32; N], weights: [f64; N]) -> Point {
        let mut sum = [0.0; 3];
        for (vertex, weight) in corners.into_iter().zip(weights) {
            let place = self.body.motion.at(self.time, vertex as usize);
            (0..3).for_each(|k| sum[k] += weight * place[k]);
        }
        sum
    }

    fn vertex(&self) -> Told {
        let triangle = self.body.surface.triangle_of_vertex(self.id).expect("a vertex in use");
        Told { feature: Feature::Vertex(self.id), triangle, point: self.point([self.id], [1.0]) }
    }

    fn edge(&self, weights: [f64; 2]) -> Told {
        let corners = self.body.surface.edges()[self.id as usize];
        let triangle = self.body.surface.triangle_of_edge(self.id);
        Told { feature: Feature::Edge(corners), triangle, point: self.point(corners, weights) }
    }

    fn face(&self, weights: [f64; 3]) -> Told {
        let corners = self.body.surface.triangles()[self.id as usize];
        let point = self.point(corners, weights);
        Told { feature: Feature::Face(self.id), triangle: self.id, point }
    }
}
