//! Finds closest points in the unit frame: all pairs of edges, and the corners above faces.
//!
//! Everything here is a proposal. What it proves is worked out by the caller, so a lapse through
//! rounding can only widen an interval.

use glam::DVec3;

use super::Feature;

/// One of the two triangles with what every test needs of it. `E` is 3, or 1 for a segment or a
/// point, which has no face.
pub(super) struct Side<const E: usize> {
    corners: [DVec3; 3],
    edges: [DVec3; E],
    /// The squared length of each edge.
    squares: [f64; E],
    /// One over the squared length of each edge; infinite for an edge of no length.
    inverse_squares: [f64; E],
    face: Face,
}

/// A triangle as its longest edge and the altitude on it. Both are known to within u times their
/// size even in a triangle that is nearly a segment; a cross product of two edges is not.
#[derive(Default)]
struct Face {
    /// The number of the longest edge, which starts at the corner with the same number.
    longest: usize,
    /// One over the square of the altitude; infinite if it has no length.
    inverse_square: f64,
    /// From the longest edge, and perpendicular to it, to the third corner.
    altitude: DVec3,
    /// Where on the longest edge, from 0 to 1, the altitude stands.
    stand: f64,
    /// Across both, of any length.
    normal: DVec3,
}

impl Face {
    #[inline(always)]
    fn new(edges: &[DVec3], squares: &[f64], inverse_squares: &[f64]) -> Self {
        let &[p, q, r] = squares else {
            return Self::default();
        };
        let longest = if p >= q && p >= r { 0 } else { 2 - usize::from(q >= r) };
        let (edge, inverse) = (edges[longest], inverse_squares[longest]);
        // Back along the edge before this one: that is the way to the third corner.
        let to_third = -edges[(longest + 2) % 3];
        let first = to_third.dot(edge) * inverse;
        let rough = to_third - edge * first;
        let rest = rough.dot(edge) * inverse;
        let altitude = rough - edge * rest;
        let inverse_square = 1.0 / altitude.length_squared();
        Self {
            longest,
            inverse_square,
            altitude,
            stand: first + rest,
            normal: edge.cross(altitude),
        }
    }
}

impl<const E: usize> Side<E> {
    // Always inlined: a side is too large to be handed back cheaply.
    #[inline(always)]
    pub(super) fn new(corners: [DVec3; 3]) -> Self {
        let edges: [DVec3; E] = std::array::from_fn(|i| corners[(i + 1) % 3] - corners[i]);
        let squares = edges.map(DVec3::length_squared);
        let inverse_squares = squares.map(|square| 1.0 / square);
        let face = Face::new(&edges, &squares, &inverse_squares);
        Self { corners, edges, squares, inverse_squares, face }
    }

    fn edge_feature(&self, edge: usize, place: f64) -> (Feature, DVec3) {
        let next = (edge + 1) % 3;
        if place <= 0.0 {
            (Feature::Vertex(edge as u8), self.corners[edge])
        } else if place >= 1.0 {
            (Feature::Vertex(next as u8), self.corners[next])
        } else {
            (Feature::Edge(edge as u8), self.corners[edge] + self.edges[edge] * place)
        }
    }

    /// The point of the face under `point`, if there is one.
    #[inline]
    fn foot(&self, point: DVec3) -> Option<DVec3> {
        if E != 3 {
            return None;
        }
        let face = &self.face;
        let (start, edge) = (self.corners[face.longest], self.edges[face.longest]);
        let along = (point - start).dot(edge) * self.inverse_squares[face.longest];
        let up = (point - start - edge * along).dot(face.altitude) * face.inverse_square;
        // These are the weights of the edge's end, of the third corner, and of the edge's start.
        let end = along - up * face.stand;
        let within = up >= 0.0 && end >= 0.0 && end + up <= 1.0;
        within.then(|| start + edge * along + face.altitude * up)
    }

    /// How far the points are above the plane of the face, times the length of the normal.
    #[inline]
    fn heights(&self, points: &[DVec3; 3]) -> [f64; 3] {
        let start = self.corners[self.face.longest];
        points.map(|p| (p - start).dot(self.face.normal))
    }
}

/// Two points, one of each side.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) points: [DVec3; 2],
    pub(super) features: [Feature; 2],
    square: f64,
}

impl Candidate {
    fn new(points: [DVec3; 2], features: [Feature; 2]) -> Self {
        Self { points, features, square: points[0].distance_squared(points[1]) }
    }

    pub(super) fn improve(&mut self, other: Self) {
        if other.square < self.square {
            *self = other;
        }
    }

    fn swapped(self) -> Self {
        let ([p, q], [f, g]) = (self.points, self.features);
        Self { points: [q, p], features: [g, f], square: self.square }
    }
}

/// The closest points, up to rounding.
#[inline]
pub(super) fn nearest<const EA: usize, const EB: usize>(a: &Side<EA>, b: &Side<EB>) -> Candidate {
    let mut best = nearest_on_edges(a, b);
    let (over_a, over_b) = (lowest_above(a, b), lowest_above(b, a));
    // If one is wholly on one side of the other's plane, its lowest corner is the only one that can
    // be closest to the inner of the face: from any other a step down along an edge is shorter.
    if let Some(candidate) = over_a.and_then(|corner| over_face(a, b, corner)) {
        best.improve(candidate);
    }
    if let Some(candidate) = over_b.and_then(|corner| over_face(b, a, corner)) {
        best.improve(candidate.swapped());
    }
    if over_a.is_none() && over_b.is_none() {
        each_on_face(a, b, |candidate| best.improve(candidate));
    }
    best
}

/// All pairs of edges by scalar products, most of which serve several pairs. Nearly parallel edges
/// lose digits that way; [`each_on_edges`] does not, at three times the price.
#[inline]
fn nearest_on_edges<const EA: usize, const EB: usize>(a: &Side<EA>, b: &Side<EB>) -> Candidate {
    let mut best = (f64::INFINITY, [0, 0], [0.0; 2]);
    for (i, &p) in a.edges.iter().enumerate() {
        let on_p = b.corners.map(|corner| p.dot(corner));
        let start_on_p = p.dot(a.corners[i]);
        for (k, &q) in b.edges.iter().enumerate() {
            let start = a.corners[i] - b.corners[k];
            let (square_p, square_q) = (a.squares[i], b.squares[k]);
            let between = on_p[(k + 1) % 3] - on_p[k];
            let (along_p, along_q) = (start_on_p - on_p[k], start.dot(q));
            let determinant = square_p * square_q - between * between;
            let s = unit_interval((between * along_q - along_p * square_q) / determinant);
            let free = (between * s + along_q) * b.inverse_squares[k];
            let t = unit_interval(free);
            let back = unit_interval((between * t - along_p) * a.inverse_squares[i]);
            let s = if t == free { s } else { back };
            let square = (start + p * s - q * t).length_squared();
            if square < best.0 {
                best = (square, [i, k], [s, t]);
            }
        }
    }
    on_edges(a, b, best.1, best.2)
}

fn on_edges<const EA: usize, const EB: usize>(
    a: &Side<EA>,
    b: &Side<EB>,
    [i, k]: [usize; 2],
    places: [f64; 2],
) -> Candidate {
    let (feature_a, point_a) = a.edge_feature(i, places[0]);
    let (feature_b, point_b) = b.edge_feature(k, places[1]);
    Candidate::new([point_a, point_b], [feature_a, feature_b])
}

/// The closest points of each pair of edges, as well as rounding allows.
///
/// By the cross product the place on an edge is found to within u over the sine of the angle, which
/// moves the point away from the other edge by u alone. For parallel edges any place will do.
pub(super) fn each_on_edges<const EA: usize, const EB: usize>(
    a: &Side<EA>,
    b: &Side<EB>,
    mut found: impl FnMut(Candidate),
) {
    for (i, &p) in a.edges.iter().enumerate() {
        for (k, &q) in b.edges.iter().enumerate() {
            let start = a.corners[i] - b.corners[k];
            let across = p.cross(q);
            let s = unit_interval(q.cross(start).dot(across) / across.length_squared());
            let free = (start + p * s).dot(q) * b.inverse_squares[k];
            let t = unit_interval(free);
            let back = unit_interval((q * t - start).dot(p) * a.inverse_squares[i]);
            found(on_edges(a, b, [i, k], [if t == free { s } else { back }, t]));
        }
    }
}

/// The nearest number from 0 to 1; 0 for NaN, which edges without length produce.
#[inline]
fn unit_interval(x: f64) -> f64 {
    let x = if x > 0.0 { x } else { 0.0 };
    if x < 1.0 { x } else { 1.0 }
}

/// The corner of `other` nearest to the plane of `face`, if all are strictly on one side of it.
#[inline]
fn lowest_above<const F: usize, const O: usize>(face: &Side<F>, other: &Side<O>) -> Option<usize> {
    if F != 3 {
        return None;
    }
    let [x, y, z] = face.heights(&other.corners);
    let (low, high) = (x.min(y).min(z), x.max(y).max(z));
    if low <= 0.0 && high >= 0.0 {
        return None;
    }
    let nearest = if low > 0.0 { low } else { high };
    Some(if nearest == x { 0 } else { 2 - usize::from(nearest == y) })
}

/// The corner of `other` and the point of `face` under it, in the order face, other.
fn over_face<const F: usize, const O: usize>(
    face: &Side<F>,
    other: &Side<O>,
    corner: usize,
) -> Option<Candidate> {
    let point = other.corners[corner];
    let foot = face.foot(point)?;
    Some(Candidate::new([foot, point], [Feature::Face, Feature::Vertex(corner as u8)]))
}

/// All candidates that have to do with a face: corners above it and edges through it.
pub(super) fn each_on_face<const EA: usize, const EB: usize>(
    a: &Side<EA>,
    b: &Side<EB>,
    mut found: impl FnMut(Candidate),
) {
    for corner in 0..3 {
        over_face(a, b, corner).into_iter().for_each(&mut found);
        over_face(b, a, corner).into_iter().for_each(|candidate| found(candidate.swapped()));
    }
    for edge in 0..EB {
        through_face(a, b, edge).into_iter().for_each(&mut found);
    }
    for edge in 0..EA {
        through_face(b, a, edge).into_iter().for_each(|candidate| found(candidate.swapped()));
    }
}

/// Where an edge of `other` passes the plane of `face` inside the face.
fn through_face<const F: usize, const O: usize>(
    face: &Side<F>,
    other: &Side<O>,
    edge: usize,
) -> Option<Candidate> {
    if F != 3 {
        return None;
    }
    let heights = face.heights(&other.corners);
    let (from, to) = (heights[edge], heights[(edge + 1) % 3]);
    if (from > 0.0) == (to > 0.0) {
        return None;
    }
    let (start, along) = (face.corners[face.face.longest], face.edges[face.face.longest]);
    let inverse = face.inverse_squares[face.face.longest];
    let mut place = from / (from - to);
    // Heights far from the longest edge suffer from a poor normal; seen from the point of that edge
    // next to where we are, they do not. Two steps reach the rounding error.
    for _ in 0..2 {
        let (_, point) = other.edge_feature(edge, place);
        let near = start + along * ((point - start).dot(along) * inverse);
        place += (point - near).dot(face.face.normal) / (from - to);
    }
    let (feature, point) = other.edge_feature(edge, place);
    Some(Candidate::new([face.foot(point)?, point], [Feature::Face, feature]))
}

/// The direction in which the gap between the triangles is as wide as the candidate is long, if it
/// is the closest one. Made from the features, it stays good when the points nearly touch.
pub(super) fn direction<const EA: usize, const EB: usize>(
    a: &Side<EA>,
    b: &Side<EB>,
    candidate: &Candidate,
) -> DVec3 {
    let between = candidate.points[0] - candidate.points[1];
    match candidate.features {
        [Feature::Vertex(_), Feature::Vertex(_)] => between,
        [Feature::Vertex(_), Feature::Edge(k)] => perpendicular(between, b.edges[usize::from(k)]),
        [Feature::Edge(i), Feature::Vertex(_)] => perpendicular(between, a.edges[usize::from(i)]),
        [Feature::Edge(i), Feature::Edge(k)] => {
            let (p, q) = (a.edges[usize::from(i)], b.edges[usize::from(k)]);
            let across = across(p, q);
            let parallel = across.length_squared() == 0.0;
            if parallel { perpendicular(between, p) } else { across }
        }
        [Feature::Face, _] => a.face.normal,
        [_, Feature::Face] => b.face.normal,
    }
}

/// Every direction in which a gap can be widest, each made as well as rounding allows.
pub(super) fn each_direction<const EA: usize, const EB: usize>(
    a: &Side<EA>,
    b: &Side<EB>,
    mut found: impl FnMut(DVec3),
) {
    found(a.face.normal);
    found(b.face.normal);
    for p in a.edges {
        b.edges.iter().for_each(|&q| found(across(p, q)));
    }
    for p in a.corners {
        for q in b.corners {
            found(p - q);
            a.edges.iter().chain(&b.edges).for_each(|&edge| found(perpendicular(p - q, edge)));
        }
    }
}

/// Perpendicular to both edges. What rounding leaves along the longer edge is taken away; what is
/// left along the other one is then small, as that one is either short or nearly as the longer.
fn across(p: DVec3, q: DVec3) -> DVec3 {
    let longer = if p.length_squared() > q.length_squared() { p } else { q };
    perpendicular(p.cross(q), longer)
}

/// The part of `direction` that is perpendicular to `edge`; twice, since the first time leaves as
/// much along a nearly parallel edge as rounding has added.
fn perpendicular(direction: DVec3, edge: DVec3) -> DVec3 {
    let square = edge.length_squared();
    if square == 0.0 {
        return direction;
    }
    let once = direction - edge * (direction.dot(edge) / square);
    once - edge * (once.dot(edge) / square)
}
