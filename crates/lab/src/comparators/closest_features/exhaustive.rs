//! The closest features by looking at all that may be: for walks that do not end.

use super::walk::above;
use super::{Feature, Nearest, Pair, Placed, segments};

/// Vertices above faces both ways and edges beside edges; and before that whether the bodies overlap,
/// which shows in an edge that goes through a face, or in a vertex within the other body.
pub(super) fn search(pair: &Pair<'_>) -> Nearest {
    let [a, b] = &pair.bodies;
    let first = [a.vertex(0), b.vertex(0)];
    let mut best = Nearest {
        features: [Feature::Vertex(0); 2],
        points: first,
        distance: (first[0] - first[1]).length(),
    };
    if overlap(a, b, pair.touching) || overlap(b, a, pair.touching) {
        return Nearest { distance: 0.0, ..best };
    }
    edges(a, b, &mut best);
    feet(a, b, &mut |found| keep(&mut best, found));
    feet(b, a, &mut |found| {
        let swapped = Nearest {
            features: [found.features[1], found.features[0]],
            points: [found.points[1], found.points[0]],
            ..found
        };
        keep(&mut best, swapped);
    });
    if best.distance <= pair.touching {
        best.distance = 0.0;
    }
    best
}

fn keep(best: &mut Nearest, found: Nearest) {
    if found.distance < best.distance {
        *best = found;
    }
}

fn edges(a: &Placed<'_>, b: &Placed<'_>, best: &mut Nearest) {
    let part = |body: &Placed<'_>, edge: usize, t: f64| {
        let ends = body.body.edges[edge].ends;
        match t {
            t if t <= 0.0 => Feature::Vertex(ends[0]),
            t if t >= 1.0 => Feature::Vertex(ends[1]),
            _ => Feature::Edge(edge as u32),
        }
    };
    for e in 0..a.body.edges.len() {
        let of_a = a.ends(e as u32);
        for f in 0..b.body.edges.len() {
            let of_b = b.ends(f as u32);
            let [s, t] = segments(of_a, of_b);
            let points = [of_a[0].lerp(of_a[1], s), of_b[0].lerp(of_b[1], t)];
            let distance = (points[0] - points[1]).length();
            keep(best, Nearest { features: [part(a, e, s), part(b, f, t)], points, distance });
        }
    }
}

/// Vertices of `x` above faces of `y`.
fn feet(x: &Placed<'_>, y: &Placed<'_>, found: &mut impl FnMut(Nearest)) {
    for v in 0..x.body.vertices.len() as u32 {
        let at = x.vertex(v);
        for f in 0..y.body.faces.len() as u32 {
            let height = y.height(f, at);
            let sides = &y.body.faces[f as usize].edges;
            let is_within = |&e: &u32| (at - y.ends(e)[0]).dot(y.inward(e, f)) >= 0.0;
            if height > 0.0 && sides.iter().all(is_within) {
                found(Nearest {
                    features: [Feature::Vertex(v), Feature::Face(f)],
                    points: [at, at - y.normal(f) * height],
                    distance: height,
                });
            }
        }
    }
}

/// Whether a vertex of `x` is within `y`, or an edge of `x` goes through a face of `y`.
fn overlap(x: &Placed<'_>, y: &Placed<'_>, near: f64) -> bool {
    let mut vertices = 0..x.body.vertices.len() as u32;
    if vertices.any(|v| y.outermost(x.vertex(v)).1 <= near) {
        return true;
    }
    (0..x.body.edges.len() as u32).any(|e| {
        let ends = x.ends(e);
        (0..y.body.faces.len() as u32).any(|f| {
            let [low, high] = above([x, y], [e, f]).span;
            let heights = [low, high].map(|t| y.height(f, ends[0].lerp(ends[1], t)));
            low <= high && heights[0].min(heights[1]) <= near && heights[0].max(heights[1]) >= -near
        })
    })
}
