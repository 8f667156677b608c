//! A direction that keeps two sets of points apart: that of the shortest vector between their hulls,
//! found by descent on a simplex of their difference (Gilbert, Johnson and Keerthi). The result is
//! a suggestion; whoever uses it checks it.

use glam::DVec3;

/// The most steps. It takes half a dozen as a rule.
const STEPS_MAX: u32 = 24;
/// When the vector is this near the shortest one, as a part of its length, it is good enough.
const GOOD: f64 = 1e-3;

/// A direction, and about how far it keeps the two apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apart {
    pub(super) direction: DVec3,
    pub(super) gap: f64,
}

/// From the differences of two sets: `support` gives the one that is least along a direction. None
/// if the hulls meet, as far as can be seen.
pub(super) fn apart(start: DVec3, mut support: impl FnMut(DVec3) -> DVec3) -> Option<Apart> {
    let mut simplex = Simplex { points: [DVec3::ZERO; 4], count: 0 };
    let mut near = start;
    let mut best: Option<Apart> = None;
    for _ in 0..STEPS_MAX {
        let length = near.length();
        if length == 0.0 || !length.is_finite() {
            break;
        }
        let direction = near / length;
        let point = support(direction);
        let gap = point.dot(direction);
        if best.is_none_or(|best| gap > best.gap) {
            best = Some(Apart { direction, gap });
        }
        if simplex.count > 0 && length - gap <= GOOD * length {
            break;
        }
        if simplex.points[..simplex.count].contains(&point) {
            break;
        }
        simplex.points[simplex.count] = point;
        simplex.count += 1;
        match simplex.reduce() {
            Some(nearest) => near = nearest,
            None => break,
        }
    }
    best.filter(|best| best.gap > 0.0)
}

/// Up to four points.
struct Simplex {
    points: [DVec3; 4],
    count: usize,
}

impl Simplex {
    /// The point nearest to the origin; what does not hold it is forgotten. None if the origin is inside.
    fn reduce(&mut self) -> Option<DVec3> {
        let [a, b, c, d] = self.points;
        let (kept, nearest) = match self.count {
            1 => (Kept::one(a), a),
            2 => on_segment(a, b),
            3 => on_triangle(a, b, c),
            _ => {
                let faces = [[a, b, c, d], [a, c, d, b], [a, d, b, c], [b, d, c, a]];
                let mut best: Option<(Kept, DVec3)> = None;
                for [p, q, r, other] in faces {
                    let normal = (q - p).cross(r - p);
                    // On the other side of the face than the fourth corner; flat ones are asked too.
                    if normal.dot(p) * normal.dot(other - p) >= 0.0 {
                        let found = on_triangle(p, q, r);
                        let is_nearer = |(_, best): &(Kept, DVec3)| {
                            found.1.length_squared() < best.length_squared()
                        };
                        if best.as_ref().is_none_or(is_nearer) {
                            best = Some(found);
                        }
                    }
                }
                best?
            }
        };
        (self.points, self.count) = (kept.points, kept.count);
        Some(nearest)
    }
}

/// The corners that hold a point.
struct Kept {
    points: [DVec3; 4],
    count: usize,
}

impl Kept {
    fn one(a: DVec3) -> Self {
        Self { points: [a; 4], count: 1 }
    }

    fn two(a: DVec3, b: DVec3) -> Self {
        Self { points: [a, b, b, b], count: 2 }
    }
}

fn on_segment(a: DVec3, b: DVec3) -> (Kept, DVec3) {
    let way = b - a;
    let along = -a.dot(way);
    if along <= 0.0 {
        return (Kept::one(a), a);
    }
    let whole = way.length_squared();
    if along >= whole { (Kept::one(b), b) } else { (Kept::two(a, b), a + way * (along / whole)) }
}

fn on_triangle(a: DVec3, b: DVec3, c: DVec3) -> (Kept, DVec3) {
    let normal = (b - a).cross(c - a);
    // On which side of an edge the origin is, as seen along the normal.
    let outside = |p: DVec3, q: DVec3| (q - p).cross(normal).dot(-p) > 0.0;
    let mut best: Option<(Kept, DVec3)> = None;
    for [p, q] in [[a, b], [b, c], [c, a]] {
        if normal == DVec3::ZERO || outside(p, q) {
            let found = on_segment(p, q);
            if best
                .as_ref()
                .is_none_or(|(_, best)| found.1.length_squared() < best.length_squared())
            {
                best = Some(found);
            }
        }
    }
    best.unwrap_or_else(|| {
        let nearest = normal * (a.dot(normal) / normal.length_squared());
        (Kept { points: [a, b, c, c], count: 3 }, nearest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points() -> impl Strategy<Value = Vec<DVec3>> {
        prop::collection::vec(prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from), 1..12)
    }

    proptest! {
        /// What is parted by a shift along an axis is found to be, by no less than that.
        #[test]
        fn a_gap_is_found(a in points(), b in points(), way in 0.01..3.0f64) {
            let high = a.iter().map(|p| p.x).fold(f64::NEG_INFINITY, f64::max);
            let low = b.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
            let b: Vec<DVec3> = b.iter().map(|p| *p + DVec3::X * (high - low + way)).collect();
            let least = |points: &[DVec3], n: DVec3| {
                *points.iter().min_by(|p, q| p.dot(n).total_cmp(&q.dot(n))).unwrap()
            };
            let found = apart(b[0] - a[0], |n| least(&b, n) - least(&a, -n)).unwrap();
            let n = found.direction;
            let gap = (least(&b, n) - least(&a, -n)).dot(n);
            prop_assert!(gap >= 0.99 * way, "{gap} {way}");
        }
    }

    #[test]
    fn hulls_that_meet_have_none() {
        let cross = [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z];
        let least = |n: DVec3| *cross.iter().min_by(|p, q| p.dot(n).total_cmp(&q.dot(n))).unwrap();
        assert!(apart(DVec3::ONE, |n| least(n) - least(-n)).is_none());
    }
}
