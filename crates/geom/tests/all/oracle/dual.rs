//! A second exact decision, on small integers, to check the oracle: looks for a separating direction.
//!
//! Zero is outside the convex hull of the differences d exactly if some direction n has n·d > 0
//! for all of them. The directions with n·d ≥ 0 form a cone. Within the span of the d, its edges
//! are cross products of two d (span of dimension 3), of such a product with a third d (dimension
//! 2) or the d themselves (dimension 1), up to sign; and the sum of all edges of a cone lies
//! strictly inside it. So that one sum decides.

/// A triangle on the integer grid.
pub(crate) type GridTriangle = [[i64; 3]; 3];

/// Whether no direction separates the closed triangles strictly.
pub(crate) fn intersect(a: &GridTriangle, b: &GridTriangle) -> bool {
    let points: [[i64; 3]; 9] =
        std::array::from_fn(|i| std::array::from_fn(|k| a[i / 3][k] - b[i % 3][k]));
    let mut sum = [0; 3];
    for edge in directions(&points) {
        for sign in [1, -1] {
            let direction = edge.map(|x| sign * x);
            if points.iter().all(|point| dot(&direction, point) >= 0) {
                sum = std::array::from_fn(|k| sum[k] + direction[k]);
            }
        }
    }
    points.iter().any(|point| dot(&sum, point) <= 0)
}

fn directions(points: &[[i64; 3]; 9]) -> Vec<[i64; 3]> {
    let mut directions = points.to_vec();
    for p in 0..9 {
        for q in p + 1..9 {
            let normal = cross(&points[p], &points[q]);
            directions.push(normal);
            directions.extend(points.iter().map(|point| cross(&normal, point)));
        }
    }
    directions
}

fn dot(a: &[i64; 3], b: &[i64; 3]) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: &[i64; 3], b: &[i64; 3]) -> [i64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
