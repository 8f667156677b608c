//! What is proven of two triangles, or of a vertex and a face or two edges, over a span of time.

use super::course::Seen;
use super::interval::{Interval, Vector, add, determinant, dot, minus, vector};
use glam::DVec3;

/// What a span of time does to two features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// They do not touch.
    Apart,
    /// They touch if and when their four points lie in a plane.
    Within,
    /// Neither is proven.
    Open,
}

/// The sign of the volume of four points.
pub(crate) fn volume([p, q, r, s]: [&Vector; 4]) -> Interval {
    determinant(&minus(q, p), &minus(r, p), &minus(s, p))
}

/// The volume at all times of a span, in mean-value form.
fn volume_over([p, q, r, s]: [&Seen; 4], half: Interval) -> Interval {
    let at_middle = volume([&p.middle, &q.middle, &r.middle, &s.middle]);
    let [a, b, c] = [q, r, s].map(|x| minus(&x.all, &p.all));
    let [u, v, w] = [q, r, s].map(|x| minus(&x.velocity, &p.velocity));
    let slope = determinant(&u, &b, &c) + determinant(&a, &v, &c) + determinant(&a, &b, &w);
    at_middle + slope * half
}

/// On which side of the line from `p` to `q` the point `r` is, seen along an axis, at all times.
fn side([p, q, r]: [&Seen; 3], axis: usize, half: Interval) -> i8 {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let flat = |a: &Vector, b: &Vector| [b[i] - a[i], b[j] - a[j]];
    let cross = |a: [Interval; 2], b: [Interval; 2]| a[0] * b[1] - a[1] * b[0];
    let at_middle = cross(flat(&p.middle, &q.middle), flat(&p.middle, &r.middle));
    let [a, b] = [flat(&p.all, &q.all), flat(&p.all, &r.all)];
    let [u, v] = [flat(&p.velocity, &q.velocity), flat(&p.velocity, &r.velocity)];
    (at_middle + (cross(u, b) + cross(a, v)) * half).sign()
}

/// A vertex and a face.
pub(crate) fn vertex_face(vertex: &Seen, [a, b, c]: [&Seen; 3], half: Interval) -> Judgement {
    if volume_over([vertex, a, b, c], half).sign() != 0 {
        return Judgement::Apart;
    }
    let normal = (near(b) - near(a)).cross(near(c) - near(a));
    let axis = widest(normal);
    let facing = side([a, b, c], axis, half);
    if facing == 0 {
        return Judgement::Open;
    }
    let sides = [[a, b], [b, c], [c, a]].map(|[p, q]| side([p, q, vertex], axis, half));
    if sides.contains(&-facing) {
        Judgement::Apart
    } else if sides == [facing; 3] {
        Judgement::Within
    } else {
        Judgement::Open
    }
}

/// Two edges.
pub(crate) fn edge_edge([a, b]: [&Seen; 2], [c, d]: [&Seen; 2], half: Interval) -> Judgement {
    if volume_over([a, b, c, d], half).sign() != 0 {
        return Judgement::Apart;
    }
    let first = widest((near(b) - near(a)).cross(near(d) - near(c)));
    let mut within = false;
    for axis in [first, (first + 1) % 3, (first + 2) % 3] {
        let one = [side([a, b, c], axis, half), side([a, b, d], axis, half)];
        let other = [side([c, d, a], axis, half), side([c, d, b], axis, half)];
        // Seen along any axis, all of one on one side of the line of the other keeps them apart.
        if one[0] * one[1] > 0 || other[0] * other[1] > 0 {
            return Judgement::Apart;
        }
        within |= one[0] * one[1] < 0 && other[0] * other[1] < 0;
    }
    if within { Judgement::Within } else { Judgement::Open }
}

/// Whether some direction parts two triangles at all times of a span.
pub(crate) fn parted(a: [&Seen; 3], b: [&Seen; 3], half: Interval) -> bool {
    let (p, q) = (a.map(near), b.map(near));
    let Some(direction) = direction(&p, &q) else { return false };
    let direction = vector(direction.into());
    // Seen from a corner, so that coordinates are small.
    let from = add(&a[0].middle, &[Interval::ZERO; 3]);
    let along =
        |x: &Seen| (dot(&minus(&x.middle, &from), &direction), dot(&x.velocity, &direction));
    let (a, b) = (a.map(along), b.map(along));
    a.iter()
        .all(|one| b.iter().all(|other| ((other.0 - one.0) + (other.1 - one.1) * half).sign() > 0))
}

/// Whether an edge goes through a face for certain at an instant, or for certain not; zero for what
/// rounding leaves open, one for through, minus one for not.
pub(crate) fn pierces([p, q]: [&Vector; 2], [a, b, c]: [&Vector; 3]) -> i8 {
    let ends = [volume([a, b, c, p]).sign(), volume([a, b, c, q]).sign()];
    if ends[0] * ends[1] > 0 {
        return -1;
    }
    let around = [[a, b], [b, c], [c, a]].map(|[r, s]| volume([p, q, r, s]).sign());
    if around.contains(&1) && around.contains(&-1) {
        return -1;
    }
    i8::from(ends[0] * ends[1] < 0 && (around == [1; 3] || around == [-1; 3]))
}

fn near(seen: &Seen) -> DVec3 {
    DVec3::from(seen.middle.map(Interval::middle))
}

fn widest(v: DVec3) -> usize {
    let v = v.abs();
    if v.x >= v.y && v.x >= v.z {
        0
    } else if v.y >= v.z {
        1
    } else {
        2
    }
}

/// The direction along which two triangles seem to be farthest apart, if they are: along normals, across
/// edges, or from part to part. Nothing here needs to be accurate.
fn direction(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<DVec3> {
    let mut best = (0.0, None);
    let mut try_one = |direction: DVec3| {
        let Some(direction) = direction.try_normalize() else { return };
        let least = |t: &[DVec3; 3]| t.iter().map(|p| p.dot(direction)).fold(f64::MAX, f64::min);
        let most = |t: &[DVec3; 3]| t.iter().map(|p| p.dot(direction)).fold(f64::MIN, f64::max);
        for (gap, way) in [(least(b) - most(a), direction), (least(a) - most(b), -direction)] {
            if gap > best.0 {
                best = (gap, Some(way));
            }
        }
    };
    let edge = |t: &[DVec3; 3], i: usize| t[(i + 1) % 3] - t[i];
    for t in [a, b] {
        try_one(edge(t, 0).cross(edge(t, 1)));
    }
    for i in 0..9 {
        let (i, j) = (i / 3, i % 3);
        let (u, v, between) = (edge(a, i), edge(b, j), b[j] - a[i]);
        try_one(u.cross(v));
        try_one(between);
        // From an edge of one to a corner of the other, at a right angle.
        try_one(u.cross(between).cross(u));
        try_one(v.cross(between).cross(v));
    }
    best.1
}
