//! The first contact of meshes of which one or both deform: vertices on straight lines.
//!
//! The motion is cut into spans. In each, boxes around the ways of the triangles of B go into a tree
//! that those of A ask, and pairs whose boxes meet are followed as rigid ones are, by
//! [`pair::first_contact`]: one kernel for all. The first contact found ends the search. Per span
//! O(n log n) and the pairs that are near; nothing is kept, since nothing keeps its shape. Whether one
//! body lies inside the other is not asked here.
//!
//! Where both deform and touching is all that is asked, [`super::swept`] does it faster, and whoever
//! keeps its `Surface` has it faster still.

use super::pair::{self, Ask, Limits, Meeting, Outcome, Path, Rigid, Trio};
use super::swept::{Asked, Bodies, Moving, Surface, Swept};
use super::{FirstContact, Found, Wanted};
use crate::aabb::{Aabb, outward};
use crate::box_tree::BoxTree;
use crate::distance::triangle_triangle;
use crate::mesh::Mesh;
use crate::motion::moment::Travel;
use crate::motion::vertex::VertexMotion;
use crate::{COORDINATE_MIN, Point, Triangle};
use glam::DVec3;

/// How a mesh gets through a step.
#[derive(Clone, Copy, Debug)]
pub enum Way<'a> {
    /// As a whole.
    Rigid(Travel<'a>),
    /// Each vertex on its own, in the world; numbered as the mesh numbers them.
    Deforming(VertexMotion<'a>),
}

/// A mesh on its way.
#[derive(Clone, Copy, Debug)]
pub struct Mover<'a> {
    /// The triangles, and the vertices of what is rigid.
    pub mesh: &'a Mesh,
    /// The way.
    pub way: Way<'a>,
}

/// Into how many spans a motion is cut at least, and at most.
const SPANS: [f64; 2] = [16.0, 4096.0];
/// Bodies turn by about this angle per span.
const SPAN_ANGLE: f64 = 0.2;

/// The first contact, if there is one.
pub fn first_contact(a: &Mover<'_>, b: &Mover<'_>, wanted: &Wanted<'_>) -> Found {
    if wanted.distance <= 0.0
        && wanted.except.is_empty()
        && let Some(found) = first_feature(a, b, wanted)
    {
        return found;
    }
    let spans = ((a.angle() + b.angle()) / SPAN_ANGLE).ceil().clamp(SPANS[0], SPANS[1]);
    let mut tree = BoxTree::default();
    let mut search = Search { movers: [a, b], wanted, end: wanted.until, first: None };
    for k in 0..spans as u32 {
        let span = [f64::from(k) / spans, (f64::from(k) + 1.0) / spans];
        if span[0] >= search.end {
            break;
        }
        search.span(span, &mut tree);
    }
    search.first.map_or(Found::Free, Found::Contact)
}

/// The first contact of two that deform, feature by feature, where touching is all that is asked.
fn first_feature(a: &Mover<'_>, b: &Mover<'_>, wanted: &Wanted<'_>) -> Option<Found> {
    let (Way::Deforming(of_a), Way::Deforming(of_b)) = (&a.way, &b.way) else { return None };
    let surfaces = [a, b].map(|mover| Surface::new(mover.mesh.triangles()));
    let bodies = [Moving::new(&surfaces[0], *of_a).ok()?, Moving::new(&surfaces[1], *of_b).ok()?];
    let &Wanted { tolerance, until, .. } = wanted;
    let asked = Asked { tolerance, until, ..Asked::default() };
    Some(Swept::default().first(&Bodies::Two(bodies), &asked, |_| u64::MAX))
}

impl<'a> Mover<'a> {
    fn angle(&self) -> f64 {
        match &self.way {
            Way::Rigid(travel) => travel.angle(),
            Way::Deforming(_) => 0.0,
        }
    }

    /// Boxes around the ways of all triangles.
    fn boxes(&self, [from, to]: [f64; 2], margin: f64) -> Vec<Aabb> {
        let around: Vec<Aabb> = match &self.way {
            Way::Deforming(motion) => {
                let vertex = |i: usize| motion.point_bounds(i, from, to);
                (0..self.mesh.vertices().len()).map(vertex).collect()
            }
            Way::Rigid(travel) => {
                let poses = [travel.pose_at(from), travel.pose_at(to)];
                let turn = travel.angle() * (to - from) * (1.0 + 1e-9);
                let vertex = |vertex: &Point| {
                    let local = vertex.iter().map(|x| x.abs()).sum::<f64>();
                    // Off the chord by at most θ²r/8, which is more than r(1 − cos θ/2).
                    let sag = 0.125 * turn * turn * travel.radius_of(vertex);
                    let ends = poses.map(|pose| pose.apply(vertex));
                    Aabb::around(&ends).grown(sag + 2.0 * travel.slack(local))
                };
                self.mesh.vertices().iter().map(vertex).collect()
            }
        };
        let triangle = |corners: &[u32; 3]| {
            let [p, q, r] = corners.map(|vertex| &around[vertex as usize]);
            p.union(q).union(r).grown(margin)
        };
        self.mesh.triangles().iter().map(triangle).collect()
    }

    fn path(&self, triangle: u32) -> Corners<'_> {
        match &self.way {
            Way::Rigid(travel) => Corners::Rigid(Rigid::new(travel, self.mesh.triangle(triangle))),
            Way::Deforming(motion) => {
                let corners = self.mesh.triangles()[triangle as usize];
                Corners::Linear(Linear { motion, corners })
            }
        }
    }
}

struct Search<'a> {
    movers: [&'a Mover<'a>; 2],
    wanted: &'a Wanted<'a>,
    /// Only contacts before this time matter.
    end: f64,
    first: Option<FirstContact>,
}

impl Search<'_> {
    fn span(&mut self, span: [f64; 2], tree: &mut BoxTree) {
        let [of_a, of_b] =
            [self.movers[0].boxes(span, self.wanted.distance), self.movers[1].boxes(span, 0.0)];
        let whole = of_a.iter().fold(Aabb::EMPTY, |all, one| all.union(one));
        let near: Vec<u32> =
            (0..of_b.len() as u32).filter(|&i| whole.overlaps(&of_b[i as usize])).collect();
        tree.clear();
        tree.build(&near, &|i| outward(&of_b[i as usize]));
        let (mut stack, mut found) = (Vec::new(), Vec::new());
        for (i, one) in (0..).zip(&of_a) {
            found.clear();
            tree.overlapping(&outward(one), &mut stack, &mut found);
            found.sort_unstable();
            for &j in &found {
                if one.overlaps(&of_b[j as usize]) {
                    self.triangles(span, [i, j]);
                }
            }
        }
    }

    fn triangles(&mut self, [from, to]: [f64; 2], triangles: [u32; 2]) {
        let until = self.end.min(to);
        if until <= from || self.wanted.except.binary_search(&triangles).is_ok() {
            return;
        }
        let [a, b] = [0, 1].map(|k| self.movers[k].path(triangles[k]));
        let ask = Ask {
            from,
            until,
            tolerance: self.wanted.tolerance,
            distance: self.wanted.distance,
            hint: self.first.map_or([0.0; 3], |first| first.normal),
        };
        if let (Outcome::Contact(meeting), _) = pair::first_contact(&a, &b, &ask) {
            let meshes = self.movers.map(|mover| mover.mesh);
            let first = FirstContact::of(meshes, triangles, (&meeting, self.wanted.tolerance));
            self.end = first.time[0];
            self.first = Some(first);
        }
    }
}

/// The contact of two triangles whose corners go in straight lines and that meet at the start.
pub(super) fn linear_meeting(
    motions: &[VertexMotion<'_>; 2],
    (triangles, corners): ([u32; 2], [[u32; 3]; 2]),
    tolerance: f64,
) -> FirstContact {
    let [a, b] = [0, 1].map(|k| Linear { motion: &motions[k], corners: corners[k] });
    let closest = triangle_triangle(&a.at_time(0.0), &b.at_time(0.0));
    let ask = Ask { from: 0.0, until: 1.0, tolerance, distance: 0.0, hint: [0.0; 3] };
    let found = pair::first_contact(&Corners::Linear(a), &Corners::Linear(b), &ask).0;
    let meeting = match found {
        Outcome::Contact(meeting) if meeting.time[0] <= 0.0 => meeting,
        // They do meet; all that is left is to say so.
        Outcome::Contact(_) | Outcome::Free => Meeting {
            time: [0.0; 2],
            features: closest.features,
            points: closest.points,
            normal: [0.0, 0.0, 1.0],
            within: 0.0,
        },
    };
    FirstContact::between(corners, triangles, (&meeting, tolerance))
}

/// Corners on straight lines.
#[derive(Clone, Copy, Debug)]
struct Linear<'a> {
    motion: &'a VertexMotion<'a>,
    corners: [u32; 3],
}

impl Linear<'_> {
    fn at_time(&self, time: f64) -> Triangle {
        self.corners.map(|vertex| self.motion.at(time, vertex as usize))
    }
}

/// The way of a triangle.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "it lives on the stack for one pair")]
enum Corners<'a> {
    Rigid(Rigid<'a>),
    Linear(Linear<'a>),
}

impl Path for Corners<'_> {
    fn at(&self, time: f64) -> Trio {
        match self {
            Self::Rigid(rigid) => rigid.at(time),
            Self::Linear(linear) => {
                let [start, end] = [linear.at_time(0.0), linear.at_time(1.0)];
                let velocity = |k: usize| DVec3::from(end[k]) - DVec3::from(start[k]);
                Trio {
                    place: linear.at_time(time).map(DVec3::from),
                    velocity: [velocity(0), velocity(1), velocity(2)],
                }
            }
        }
    }

    fn corners(&self, time: f64) -> Triangle {
        match self {
            Self::Rigid(rigid) => rigid.corners(time),
            Self::Linear(linear) => linear.at_time(time),
        }
    }

    fn limits(&self) -> Limits {
        match self {
            Self::Rigid(rigid) => rigid.limits(),
            Self::Linear(linear) => {
                let ends = [linear.at_time(0.0), linear.at_time(1.0)];
                let size =
                    ends.as_flattened().as_flattened().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                // Three roundings here and three in what is given out, of ½ ε each; a velocity is the
                // difference of two coordinates.
                let slack = 4.0 * f64::EPSILON * size + 2.0 * COORDINATE_MIN;
                Limits { bend: 0.0, axis: DVec3::ZERO, slack, creep: 2.0 * f64::EPSILON * size }
            }
        }
    }
}
