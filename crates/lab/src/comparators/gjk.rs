//! The closest points of two convex bodies by the method of Gilbert, Johnson and Keerthi, which is what
//! [K98 §5.1] finds separating planes with.
//!
//! Bodies are known by the point that is farthest along a direction. Differences of such points make
//! up a simplex of at most four corners, whose point next to the origin says where to look next. All
//! of it is rounded: what is nearer than [`TOUCHING`] times the size of the points counts as touching.

use glam::{DMat3, DVec3};

/// Distances below this part of the coordinates' size are no distances.
pub const TOUCHING: f64 = 1e-12;
/// So much of the distance squared may be left to gain.
const LEFT: f64 = 1e-13;
/// Rounds; hardly any pair needs more than twenty, and none that needs these has much to gain.
const ROUNDS_MAX: u32 = 100;

/// A convex body.
pub trait Support {
    /// The number and the place of a point farthest along a direction.
    fn farthest(&mut self, direction: DVec3) -> (u32, DVec3);
}

/// What came out.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The closest points of both.
    pub points: [DVec3; 2],
    /// From the second body's point to the first's; zero if the bodies touch.
    pub between: DVec3,
    /// Rounds that it took.
    pub rounds: u32,
}

/// A corner of the simplex: one point of each body, and their difference.
#[derive(Clone, Copy, Debug)]
struct Corner {
    numbers: [u32; 2],
    points: [DVec3; 2],
    difference: DVec3,
}

/// Up to four corners with the weights of the point next to the origin.
#[derive(Clone, Copy, Debug)]
struct Simplex {
    corners: [Corner; 4],
    weights: [f64; 4],
    count: usize,
}

/// The closest points of two bodies, looking along `first` to begin with.
pub fn closest(a: &mut impl Support, b: &mut impl Support, first: DVec3) -> Found {
    let mut corner = corner(a, b, first);
    let mut simplex = Simplex { corners: [corner; 4], weights: [1.0, 0.0, 0.0, 0.0], count: 1 };
    let mut between = corner.difference;
    for rounds in 1..=ROUNDS_MAX {
        let size = simplex.size();
        if between.length() <= TOUCHING * size {
            return simplex.found(DVec3::ZERO, rounds);
        }
        corner = self::corner(a, b, -between);
        let gain = between.length_squared() - between.dot(corner.difference);
        let known = simplex.corners[..simplex.count].iter();
        let is_known = known.into_iter().any(|old| old.numbers == corner.numbers);
        if is_known || gain <= LEFT * between.length_squared() {
            return simplex.found(between, rounds);
        }
        let Some(next) = simplex.with(corner) else {
            return simplex.found(DVec3::ZERO, rounds);
        };
        let nearer = next.nearest();
        // The distance falls with every round; where rounding stops that, nothing is left to gain.
        if nearer.length_squared() >= between.length_squared() {
            return simplex.found(between, rounds);
        }
        (simplex, between) = (next, nearer);
    }
    simplex.found(between, ROUNDS_MAX)
}

fn corner(a: &mut impl Support, b: &mut impl Support, direction: DVec3) -> Corner {
    let ((i, p), (j, q)) = (a.farthest(direction), b.farthest(-direction));
    Corner { numbers: [i, j], points: [p, q], difference: p - q }
}

impl Simplex {
    fn size(&self) -> f64 {
        let corners = self.corners[..self.count].iter();
        corners.flat_map(|c| c.points).map(|p| p.abs().max_element()).fold(0.0, f64::max)
    }

    fn nearest(&self) -> DVec3 {
        (0..self.count).map(|k| self.corners[k].difference * self.weights[k]).sum()
    }

    fn found(&self, between: DVec3, rounds: u32) -> Found {
        let of = |body: usize| {
            (0..self.count).map(|k| self.corners[k].points[body] * self.weights[k]).sum()
        };
        Found { points: [of(0), of(1)], between, rounds }
    }

    /// The part of the simplex with one more corner whose point next to the origin is that of the
    /// whole; `None` if the origin is within.
    ///
    /// The new corner belongs to it, since it is nearer to the origin than the plane of the others:
    /// of the others any subset may.
    fn with(&self, corner: Corner) -> Option<Self> {
        let mut best: Option<(f64, Self)> = None;
        for subset in 0u32..1 << self.count {
            let mut part = Self { corners: [corner; 4], weights: [0.0; 4], count: 1 };
            for k in (0..self.count).filter(|k| subset >> k & 1 == 1) {
                part.corners[part.count] = self.corners[k];
                part.count += 1;
            }
            if !part.weigh() {
                continue;
            }
            if part.count == 4 {
                return None;
            }
            let distance = part.nearest().length_squared();
            if best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, part));
            }
        }
        best.map(|(_, part)| part)
    }

    /// Finds the weights of the point next to the origin in the span of the corners; whether it is
    /// within all of them.
    fn weigh(&mut self) -> bool {
        let origin = self.corners[0].difference;
        let [e, f, g] = [1, 2, 3].map(|k| self.corners[k].difference - origin);
        let others = match self.count {
            1 => [0.0; 3],
            2 => [-origin.dot(e) / e.length_squared(), 0.0, 0.0],
            3 => {
                let (ee, ef, ff) = (e.length_squared(), e.dot(f), f.length_squared());
                let (oe, of) = (-origin.dot(e), -origin.dot(f));
                let determinant = ee * ff - ef * ef;
                [(ff * oe - ef * of) / determinant, (ee * of - ef * oe) / determinant, 0.0]
            }
            _ => {
                let span = DMat3::from_cols(e, f, g);
                if span.determinant() == 0.0 {
                    return false;
                }
                (span.inverse() * -origin).to_array()
            }
        };
        let first = 1.0 - others.iter().sum::<f64>();
        self.weights = [first, others[0], others[1], others[2]];
        // Without extent there are no weights, and what comes out is not a number.
        self.weights[..self.count].iter().all(|&weight| weight >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::near::Random;

    struct Cloud(Vec<DVec3>);

    impl Support for Cloud {
        fn farthest(&mut self, direction: DVec3) -> (u32, DVec3) {
            let heights = self.0.iter().map(|p| p.dot(direction)).enumerate();
            let best =
                heights.fold((0, f64::MIN), |best, (k, h)| if h > best.1 { (k, h) } else { best });
            (best.0 as u32, self.0[best.0])
        }
    }

    fn cube(at: DVec3) -> Cloud {
        Cloud(
            (0..8).map(|k| at + DVec3::from([k & 1, k >> 1 & 1, k >> 2].map(f64::from))).collect(),
        )
    }

    #[test]
    fn cubes_have_the_distances_of_boxes() {
        let mut random = Random::of([3, 1, 4]);
        for round in 0..2000 {
            let mut at = DVec3::from([(); 3].map(|()| random.between([-3.0, 3.0])));
            if round % 3 == 0 {
                // Faces, edges and corners that lie side by side.
                at = (at * 2.0).round() / 2.0;
            }
            let found = closest(&mut cube(DVec3::ZERO), &mut cube(at), at);
            let want = (at.abs() - DVec3::ONE).max(DVec3::ZERO).length();
            assert!((found.between.length() - want).abs() < 1e-9, "{at}: {found:?}");
            if want > 0.0 {
                let [p, q] = found.points;
                assert!(((p - q) - found.between).length() < 1e-9);
            }
        }
    }

    #[test]
    fn points_and_segments_are_bodies_too() {
        let point = |x: f64| Cloud(vec![DVec3::new(x, 0.0, 0.0)]);
        let found = closest(&mut point(1.0), &mut point(4.0), DVec3::Y);
        assert_eq!(found.between, DVec3::new(-3.0, 0.0, 0.0));
        assert_eq!(closest(&mut point(2.0), &mut point(2.0), DVec3::X).between, DVec3::ZERO);
        let mut flat = Cloud(vec![DVec3::ZERO, DVec3::X, DVec3::X * 2.0]);
        let found = closest(&mut flat, &mut Cloud(vec![DVec3::new(0.5, 2.0, 0.0)]), DVec3::ONE);
        assert!((found.between.length() - 2.0).abs() < 1e-12);
    }
}
