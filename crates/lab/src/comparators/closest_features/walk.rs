//! From a pair of features to a nearer one, until none is nearer.

use super::{Feature, Nearest, Pair, Placed, segments};
use glam::DVec3;

/// What a pair of features leads to.
enum Next {
    /// Another pair: that of a neighbour, or of a part that holds the closest point.
    To([Feature; 2]),
    /// These are the closest points.
    Closest([DVec3; 2]),
    /// A point of both bodies was found.
    Touching([DVec3; 2]),
}

/// The closest points, unless there are more steps than allowed; and how many there were.
pub(super) fn walk(pair: &Pair<'_>, start: [Feature; 2], most: u32) -> (Option<Nearest>, u32) {
    let mut features = start;
    for step in 1..=most {
        let (points, distance) = match next(pair, features) {
            Next::To(others) => {
                features = others;
                continue;
            }
            Next::Closest(points) => (points, (points[0] - points[1]).length()),
            Next::Touching(points) => (points, 0.0),
        };
        return (Some(Nearest { features, points, distance }), step);
    }
    (None, most)
}

fn next(pair: &Pair<'_>, features: [Feature; 2]) -> Next {
    let [a, b] = pair.bodies;
    let rank = |feature: Feature| match feature {
        Feature::Vertex(_) => 0,
        Feature::Edge(_) => 1,
        Feature::Face(_) => 2,
    };
    // The simpler feature first, so that there are half as many cases.
    let swap = rank(features[0]) > rank(features[1]);
    let (x, y) = if swap { (b, a) } else { (a, b) };
    let [fx, fy] = if swap { [features[1], features[0]] } else { features };
    let near = pair.touching;
    let found = match (fx, fy) {
        (Feature::Vertex(v), Feature::Vertex(w)) => vertices([&x, &y], [v, w], near),
        (Feature::Vertex(v), Feature::Edge(e)) => vertex_edge([&x, &y], [v, e], near),
        (Feature::Vertex(v), Feature::Face(f)) => vertex_face([&x, &y], [v, f], near),
        (Feature::Edge(e), Feature::Edge(f)) => edges([&x, &y], [e, f], near),
        (Feature::Edge(e), Feature::Face(f)) => edge_face([&x, &y], [e, f], near),
        // No walk comes here, but one may begin here.
        (_, face) => Next::To([Feature::Vertex(0), face]),
    };
    match found {
        Next::To([p, q]) if swap => Next::To([q, p]),
        Next::Closest([p, q]) if swap => Next::Closest([q, p]),
        Next::Touching([p, q]) if swap => Next::Touching([q, p]),
        same => same,
    }
}

/// The edge of a vertex along which one comes nearer to a point most.
fn leave_vertex(x: &Placed<'_>, vertex: u32, point: DVec3, near: f64) -> Option<Feature> {
    let at = x.vertex(vertex);
    let mut best = (near, None);
    for &edge in x.body.spokes(vertex) {
        let along = x.vertex(x.body.across(edge, vertex)) - at;
        let gain = (point - at).dot(along.normalize_or_zero());
        if gain > best.0 {
            best = (gain, Some(Feature::Edge(edge)));
        }
    }
    best.1
}

/// The face of an edge on which one comes nearer to a point, from a point of the edge.
fn leave_edge(x: &Placed<'_>, edge: u32, [at, point]: [DVec3; 2], near: f64) -> Option<Feature> {
    let faces = x.body.edges[edge as usize].faces;
    let gains = faces.map(|face| (point - at).dot(x.inward(edge, face)));
    let better = usize::from(gains[1] > gains[0]);
    (gains[better] > near).then_some(Feature::Face(faces[better]))
}

fn vertices([x, y]: [&Placed<'_>; 2], [v, w]: [u32; 2], near: f64) -> Next {
    let points = [x.vertex(v), y.vertex(w)];
    if (points[0] - points[1]).length() <= near {
        return Next::Touching(points);
    }
    if let Some(edge) = leave_vertex(x, v, points[1], near) {
        return Next::To([edge, Feature::Vertex(w)]);
    }
    match leave_vertex(y, w, points[0], near) {
        Some(edge) => Next::To([Feature::Vertex(v), edge]),
        None => Next::Closest(points),
    }
}

fn vertex_edge([x, y]: [&Placed<'_>; 2], [v, e]: [u32; 2], near: f64) -> Next {
    let ([from, to], at) = (y.ends(e), x.vertex(v));
    let t = (at - from).dot(to - from) / (to - from).length_squared();
    let ends = y.body.edges[e as usize].ends;
    if t <= 0.0 || t >= 1.0 {
        return Next::To([Feature::Vertex(v), Feature::Vertex(ends[usize::from(t >= 1.0)])]);
    }
    let foot = from + (to - from) * t;
    if (at - foot).length() <= near {
        return Next::Touching([at, foot]);
    }
    if let Some(face) = leave_edge(y, e, [foot, at], near) {
        return Next::To([Feature::Vertex(v), face]);
    }
    match leave_vertex(x, v, foot, near) {
        Some(edge) => Next::To([edge, Feature::Edge(e)]),
        None => Next::Closest([at, foot]),
    }
}

fn vertex_face([x, y]: [&Placed<'_>; 2], [v, f]: [u32; 2], near: f64) -> Next {
    let at = x.vertex(v);
    let mut beyond = (near, None);
    for &edge in &y.body.faces[f as usize].edges {
        let out = (y.ends(edge)[0] - at).dot(y.inward(edge, f));
        if out > beyond.0 {
            beyond = (out, Some(edge));
        }
    }
    if let Some(edge) = beyond.1 {
        return Next::To([Feature::Vertex(v), Feature::Edge(edge)]);
    }
    let height = y.height(f, at);
    let foot = at - y.normal(f) * height;
    if height < -near {
        // Behind the face: within the body, or next to a face on the other side.
        let (face, outside) = y.outermost(at);
        return match outside > near {
            true => Next::To([Feature::Vertex(v), Feature::Face(face)]),
            false => Next::Touching([at; 2]),
        };
    }
    if height <= near {
        return Next::Touching([at, foot]);
    }
    match leave_vertex(x, v, foot, near) {
        Some(edge) => Next::To([edge, Feature::Face(f)]),
        None => Next::Closest([at, foot]),
    }
}

fn edges([x, y]: [&Placed<'_>; 2], [e, f]: [u32; 2], near: f64) -> Next {
    let (of_x, of_y) = (x.ends(e), y.ends(f));
    let [s, t] = segments(of_x, of_y);
    let part = |body: &Placed<'_>, edge: u32, t: f64| {
        let ends = body.body.edges[edge as usize].ends;
        match t {
            t if t <= 0.0 => Feature::Vertex(ends[0]),
            t if t >= 1.0 => Feature::Vertex(ends[1]),
            _ => Feature::Edge(edge),
        }
    };
    let parts = [part(x, e, s), part(y, f, t)];
    if parts != [Feature::Edge(e), Feature::Edge(f)] {
        return Next::To(parts);
    }
    let p = of_x[0] + (of_x[1] - of_x[0]) * s;
    let q = of_y[0] + (of_y[1] - of_y[0]) * t;
    if (p - q).length() <= near {
        return Next::Touching([p, q]);
    }
    if let Some(face) = leave_edge(x, e, [p, q], near) {
        return Next::To([face, Feature::Edge(f)]);
    }
    match leave_edge(y, f, [q, p], near) {
        Some(face) => Next::To([Feature::Edge(e), face]),
        None => Next::Closest([p, q]),
    }
}

/// The part of an edge above a face.
pub(super) struct Above {
    /// From where to where, each from 0 to 1; nothing is above if the first is greater.
    pub(super) span: [f64; 2],
    /// The edges of the face that cut it off, if they do.
    pub(super) cuts: [Option<u32>; 2],
}

/// Cuts off what is beyond the sides of the face.
pub(super) fn above([x, y]: [&Placed<'_>; 2], [e, f]: [u32; 2]) -> Above {
    let ends = x.ends(e);
    let mut part = Above { span: [0.0, 1.0], cuts: [None; 2] };
    for &edge in &y.body.faces[f as usize].edges {
        let (base, inward) = (y.ends(edge)[0], y.inward(edge, f));
        let [from, to] = ends.map(|end| (base - end).dot(inward));
        let crossing = from / (from - to);
        if from > 0.0 && (to > 0.0 || crossing > part.span[0]) {
            (part.span[0], part.cuts[0]) = (if to > 0.0 { 2.0 } else { crossing }, Some(edge));
        }
        if to > 0.0 && (from > 0.0 || crossing < part.span[1]) {
            (part.span[1], part.cuts[1]) = (if from > 0.0 { -1.0 } else { crossing }, Some(edge));
        }
        if from > 0.0 && to > 0.0 {
            break;
        }
    }
    part
}

fn edge_face([x, y]: [&Placed<'_>; 2], [e, f]: [u32; 2], near: f64) -> Next {
    let ends = x.ends(e);
    let Above { span: [low, high], cuts } = above([x, y], [e, f]);
    if low > high {
        // The edge passes the face: the nearer of the sides that cut it off is next.
        let distance = |side: u32| {
            let other = y.ends(side);
            let [s, t] = segments(ends, other);
            (ends[0].lerp(ends[1], s) - other[0].lerp(other[1], t)).length()
        };
        let sides = cuts.into_iter().flatten();
        let nearest = sides.min_by(|&i, &j| distance(i).total_cmp(&distance(j)));
        let side = nearest.unwrap_or(y.body.faces[f as usize].edges[0]);
        return Next::To([Feature::Edge(e), Feature::Edge(side)]);
    }
    let at = [low, high].map(|t| ends[0].lerp(ends[1], t));
    let heights = at.map(|point| y.height(f, point));
    if heights[0].min(heights[1]) <= near && heights[0].max(heights[1]) >= -near {
        let k = usize::from(heights[1].abs() < heights[0].abs());
        return Next::Touching([at[k]; 2]);
    }
    // The end that is nearer to the plane; from behind it leads out of the body.
    let k = usize::from(heights[1].abs() < heights[0].abs());
    match cuts[k] {
        Some(side) if heights[0] > 0.0 => Next::To([Feature::Edge(e), Feature::Edge(side)]),
        _ => Next::To([Feature::Vertex(x.body.edges[e as usize].ends[k]), Feature::Face(f)]),
    }
}
