//! The first contact of two bodies by bisection of time: what may touch in a span is looked at again
//! in its halves, the earlier first.

use super::course::{Course, Instant, Seen, Span, Vertex};
use super::features::{Judgement, edge_edge, parted, pierces, vertex_face, volume};
use super::interval::{Interval, Vector};
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::moment::Travel;

/// What is proven of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Truth {
    /// Nothing touches before this time; one if nothing does at all.
    pub(crate) free_until: f64,
    /// Something touches at or before this time.
    pub(crate) contact_by: Option<f64>,
    /// How many spans were looked at.
    pub(crate) spans: u32,
}

impl Truth {
    pub(crate) fn is_free(&self) -> bool {
        self.free_until >= 1.0
    }
}

/// A body on its way.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    course: Course,
    vertices: Vec<Vertex>,
    triangles: Vec<[u32; 3]>,
}

impl Body {
    pub(crate) fn new(mesh: &Mesh, travel: &Travel<'_>) -> Self {
        Self::of(mesh.vertices(), mesh.triangles(), travel)
    }

    /// A triangle that names a vertex twice is an edge; thrice, a vertex.
    pub(crate) fn of(points: &[Point], triangles: &[[u32; 3]], travel: &Travel<'_>) -> Self {
        let course = Course::of(travel);
        let vertices = points.iter().map(|&point| course.vertex(point)).collect();
        Self { course, vertices, triangles: triangles.to_vec() }
    }
}

/// Where everything is during a span, made when it is asked for.
struct Scene<'a> {
    bodies: [&'a Body; 2],
    spans: [Span; 2],
    seen: [Vec<Option<Seen>>; 2],
    times: [f64; 2],
    half: Interval,
}

/// What became of two triangles over a span.
#[derive(Clone, Copy, PartialEq)]
enum Pair {
    Apart,
    /// They touch at some time of the span.
    Touch,
    Open,
}

impl<'a> Scene<'a> {
    fn new(bodies: [&'a Body; 2], times: [f64; 2]) -> Self {
        let middle = 0.5 * (times[0] + times[1]);
        let half = (middle - times[0]).max(times[1] - middle).next_up();
        Self {
            bodies,
            spans: bodies.map(|body| body.course.span(middle, half)),
            seen: bodies.map(|body| vec![None; body.vertices.len()]),
            times,
            half: Interval::within(half),
        }
    }

    fn look(&mut self, side: usize, triangle: u32) {
        let body = self.bodies[side];
        for v in body.triangles[triangle as usize] {
            let seen = &mut self.seen[side][v as usize];
            if seen.is_none() {
                let vertex = &body.vertices[v as usize];
                *seen = Some(body.course.see(vertex, &self.spans[side]));
            }
        }
    }

    fn vertex(&self, side: usize, vertex: u32) -> &Seen {
        self.seen[side][vertex as usize].as_ref().expect("it was looked at")
    }

    fn corners(&self, side: usize, triangle: u32) -> [&Seen; 3] {
        self.bodies[side].triangles[triangle as usize].map(|v| self.vertex(side, v))
    }

    /// Whether the boxes of two triangles are apart.
    fn boxes_apart(&self, [a, b]: [u32; 2]) -> bool {
        let (a, b) = (self.corners(0, a), self.corners(1, b));
        let around = |t: &[&Seen; 3], k: usize| t[0].all[k].hull(t[1].all[k]).hull(t[2].all[k]);
        (0..3).any(|k| !around(&a, k).overlaps(around(&b, k)))
    }

    fn parted(&self, [a, b]: [u32; 2]) -> bool {
        parted(self.corners(0, a), self.corners(1, b), self.half)
    }

    /// Each vertex against each face, each edge against each edge.
    fn features(&self, [a, b]: [u32; 2]) -> Pair {
        let corners = [0, 1].map(|side| self.bodies[side].triangles[[a, b][side] as usize]);
        let (mut open, mut any) = (false, false);
        for side in [0, 1] {
            let Some(face) = face(corners[1 - side]) else { continue };
            for &v in vertices(&corners[side]) {
                any = true;
                let at = self.vertex(side, v);
                let judgement = vertex_face(at, face.map(|v| self.vertex(1 - side, v)), self.half);
                let four =
                    [(side, v), (1 - side, face[0]), (1 - side, face[1]), (1 - side, face[2])];
                if judgement == Judgement::Within && self.crosses(four) {
                    return Pair::Touch;
                }
                open |= judgement != Judgement::Apart;
            }
        }
        for [p, q] in edges(&corners[0]) {
            for [r, s] in edges(&corners[1]) {
                any = true;
                let judgement = edge_edge(
                    [self.vertex(0, p), self.vertex(0, q)],
                    [self.vertex(1, r), self.vertex(1, s)],
                    self.half,
                );
                if judgement == Judgement::Within && self.crosses([(0, p), (0, q), (1, r), (1, s)])
                {
                    return Pair::Touch;
                }
                open |= judgement != Judgement::Apart;
            }
        }
        if open || !any { Pair::Open } else { Pair::Apart }
    }

    /// Whether the volume of four vertices has other signs at the end than at the start.
    fn crosses(&self, four: [(usize, u32); 4]) -> bool {
        let signs = self.times.map(|time| {
            let at = self.bodies.map(|body| body.course.instant(time));
            let places = four.map(|(side, v)| self.place(side, v, &at[side]));
            volume([&places[0], &places[1], &places[2], &places[3]]).sign()
        });
        signs[0] * signs[1] < 0
    }

    fn place(&self, side: usize, vertex: u32, at: &Instant) -> Vector {
        let body = self.bodies[side];
        body.course.place(&body.vertices[vertex as usize], at)
    }

    /// The pairs that may touch in the span; if some do for certain, the truth learns of it.
    fn left(&mut self, mut pairs: Vec<[u32; 2]>, last: bool, truth: &mut Truth) -> Vec<[u32; 2]> {
        for side in [0, 1] {
            for pair in &pairs {
                self.look(side, pair[side]);
            }
        }
        pairs.retain(|&pair| !self.boxes_apart(pair));
        if last || pairs.len() <= PARTED_MAX {
            pairs.retain(|&pair| !self.parted(pair));
        }
        if last || pairs.len() <= FEATURES_MAX {
            let mut touch = false;
            pairs.retain(|&pair| {
                let found = self.features(pair);
                touch |= found == Pair::Touch;
                found != Pair::Apart
            });
            // After a corner has met an edge neither need cross a face, but the two are in each other.
            touch |= last && pairs.iter().any(|&pair| self.pierced(pair) > 0);
            if touch {
                let by = truth.contact_by.unwrap_or(1.0).min(self.times[1]);
                truth.contact_by = Some(by);
            }
        }
        pairs
    }

    /// Whether nothing touches at the start for certain; otherwise the truth learns what does.
    fn starts_apart(&mut self, pairs: &[[u32; 2]], truth: &mut Truth) -> bool {
        let mut apart = true;
        for pair in pairs {
            self.look(0, pair[0]);
            self.look(1, pair[1]);
            if self.boxes_apart(*pair) || self.parted(*pair) {
                continue;
            }
            // Two edges have no face to go through.
            let has_face = [0, 1].map(|k| face(self.bodies[k].triangles[pair[k] as usize]));
            if has_face == [None; 2] {
                apart &= self.features(*pair) == Pair::Apart;
                continue;
            }
            match self.pierced(*pair) {
                -1 => {}
                0 => apart = false,
                _ => {
                    *truth = Truth { free_until: 0.0, contact_by: Some(0.0), ..*truth };
                    return false;
                }
            }
        }
        if !apart {
            truth.free_until = 0.0;
        }
        apart
    }

    /// Whether two triangles go through each other for certain when the span ends (one), for certain
    /// not (minus one), or neither is proven (zero).
    fn pierced(&self, pair: [u32; 2]) -> i8 {
        let at = self.bodies.map(|body| body.course.instant(self.times[1]));
        let corners = [0, 1].map(|side| self.bodies[side].triangles[pair[side] as usize]);
        let places = [0, 1].map(|side| corners[side].map(|v| self.place(side, v, &at[side])));
        let mut certain = -1;
        for side in [0, 1] {
            if face(corners[1 - side]).is_none() {
                continue;
            }
            let [a, b, c] = &places[1 - side];
            for k in 0..3 {
                let (p, q) = (&places[side][k], &places[side][(k + 1) % 3]);
                certain = certain.max(pierces([p, q], [a, b, c]));
            }
        }
        certain
    }
}

/// The corners if all are different.
fn face(corners: [u32; 3]) -> Option<[u32; 3]> {
    (vertices(&corners).len() == 3).then_some(corners)
}

/// The different corners.
fn vertices(corners: &[u32; 3]) -> &[u32] {
    let [a, b, c] = *corners;
    let count = if a == b {
        1
    } else if b == c {
        2
    } else {
        3
    };
    &corners[..count]
}

/// The edges between different corners.
fn edges(corners: &[u32; 3]) -> impl Iterator<Item = [u32; 2]> + use<> {
    let [a, b, c] = *corners;
    let count = [0, 1, 3][vertices(corners).len() - 1];
    [[a, b], [b, c], [c, a]].into_iter().take(count)
}

/// Features are looked at where no more pairs than this are left; before, spans are divided.
const FEATURES_MAX: usize = 300;
/// Directions are looked for where no more pairs than this are left.
const PARTED_MAX: usize = 5000;

/// How far the search goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Spans are not divided below this.
    pub(crate) width: f64,
    /// How many spans of that width may stay open.
    pub(crate) open_max: u32,
    /// How many spans are looked at.
    pub(crate) spans_max: u32,
}

/// A span of time with the pairs of triangles that may touch in it.
struct Part {
    times: [f64; 2],
    pairs: Vec<[u32; 2]>,
}

/// The first contact of two bodies.
pub(crate) fn first_contact(bodies: [&Body; 2], limits: &Limits) -> Truth {
    let counts = bodies.map(|body| body.triangles.len() as u32);
    let pairs: Vec<[u32; 2]> =
        (0..counts[0]).flat_map(|i| (0..counts[1]).map(move |j| [i, j])).collect();
    let mut truth = Truth { free_until: 1.0, contact_by: None, spans: 0 };
    if !Scene::new(bodies, [0.0; 2]).starts_apart(&pairs, &mut truth) {
        return truth;
    }
    let mut stack = vec![Part { times: [0.0, 1.0], pairs }];
    let mut open = 0;
    while let Some(part) = stack.pop() {
        let [from, to] = part.times;
        if truth.contact_by.is_some_and(|by| from >= by) {
            break;
        }
        truth.spans += 1;
        let last = to - from <= limits.width;
        let pairs = Scene::new(bodies, part.times).left(part.pairs, last, &mut truth);
        if pairs.is_empty() {
            continue;
        }
        if last || truth.spans >= limits.spans_max {
            open += 1;
            truth.free_until = truth.free_until.min(from);
            let gives_up = open >= limits.open_max || truth.spans >= limits.spans_max;
            if truth.contact_by.is_some() || gives_up {
                break;
            }
            continue;
        }
        // Not in the middle: contacts of made-up motions are often there, and nothing is proven of a
        // volume that is zero where a span ends.
        let middle = from + 0.4871 * (to - from);
        stack.push(Part { times: [middle, to], pairs: pairs.clone() });
        stack.push(Part { times: [from, middle], pairs });
    }
    // What gave up has left later times without a look.
    truth.free_until = truth.contact_by.map_or(truth.free_until, |by| truth.free_until.min(by));
    truth
}
