//! Whether a point lies inside a closed mesh, exactly, by counting the faces that a ray crosses.
//!
//! The ray runs along an axis from the point q, which is thought moved by (ε, ε²) in the two other
//! coordinates for an infinitely small ε: so moved it meets no vertex and no edge, and every face
//! is crossed or missed without doubt. The signs that remain are decided by exact predicates.
//! Faces that hold q itself are found first, so the move never carries q through a face.
//!
//! The answer means something for closed meshes only ([`crate::topology::Topology::closed`]); soup
//! is for [`crate::winding`].

use robust::{Coord, orient2d};

use crate::predicates::orient3d;
use crate::tri_tri::point_on_triangle;
use crate::{Point, Triangle};

/// Where a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// In the interior: an odd number of faces lies on each way out.
    Inside,
    /// In the exterior.
    Outside,
    /// On a face, edge or vertex.
    On,
}

/// The direction in which faces are counted. All six give the same answer for a closed mesh; a
/// caller that can tell picks the one with the fewest faces on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ray {
    /// Towards −x.
    NegativeX,
    /// Towards −y.
    NegativeY,
    /// Towards −z.
    NegativeZ,
    /// Towards +x.
    PositiveX,
    /// Towards +y.
    PositiveY,
    /// Towards +z.
    PositiveZ,
}

impl Ray {
    /// All directions.
    pub const ALL: [Self; 6] = [
        Self::NegativeX,
        Self::NegativeY,
        Self::NegativeZ,
        Self::PositiveX,
        Self::PositiveY,
        Self::PositiveZ,
    ];

    /// 0, 1 or 2 for x, y or z.
    pub fn axis(self) -> usize {
        self as usize % 3
    }

    /// Whether coordinates grow along the ray.
    pub fn is_positive(self) -> bool {
        self as usize >= 3
    }
}

/// What a ray does to one triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// Passes by.
    Miss,
    /// Goes through it.
    Cross,
    /// Starts on it.
    On,
}

/// Where `point` is with respect to the closed surface made of `triangles`.
pub fn locate(point: &Point, triangles: impl IntoIterator<Item = Triangle>) -> Location {
    locate_along(Ray::PositiveZ, point, triangles)
}

/// [`locate`] with a chosen ray. Triangles whose closed boxes the ray misses may be left out.
pub fn locate_along(
    ray: Ray,
    point: &Point,
    triangles: impl IntoIterator<Item = Triangle>,
) -> Location {
    let mut inside = false;
    for triangle in triangles {
        match crossing(ray, point, &triangle) {
            Crossing::Miss => {}
            Crossing::Cross => inside = !inside,
            Crossing::On => return Location::On,
        }
    }
    if inside { Location::Inside } else { Location::Outside }
}

/// What the ray from `point` does to the closed triangle.
pub fn crossing(ray: Ray, point: &Point, triangle: &Triangle) -> Crossing {
    let axis = ray.axis();
    let beyond = |corner: &Point| {
        if ray.is_positive() { corner[axis] < point[axis] } else { corner[axis] > point[axis] }
    };
    let sideways = [(axis + 1) % 3, (axis + 2) % 3];
    let beside = |k: usize| {
        triangle.iter().all(|p| p[k] < point[k]) || triangle.iter().all(|p| p[k] > point[k])
    };
    if beside(sideways[0]) || beside(sideways[1]) || triangle.iter().all(beyond) {
        return Crossing::Miss;
    }
    if point_on_triangle(point, triangle) {
        return Crossing::On;
    }
    let flat = |p: &Point| Coord { x: p[sideways[0]], y: p[sideways[1]] };
    let Some(counterclockwise) = turn_around(flat(point), triangle.each_ref().map(flat)) else {
        return Crossing::Miss;
    };
    // A point that is not on the triangle but under its projection is not in its plane either.
    let [a, b, c] = triangle;
    let below = (orient3d(a, b, c, point) > 0) == counterclockwise;
    if below == ray.is_positive() { Crossing::Cross } else { Crossing::Miss }
}

/// Whether the corners run counterclockwise around the moved point, seen against the ray axis;
/// `None` if they do not run around it.
fn turn_around(q: Coord<f64>, corners: [Coord<f64>; 3]) -> Option<bool> {
    let mut enclosing = None;
    for i in 0..3 {
        let (from, to) = (corners[i], corners[(i + 1) % 3]);
        // The moved point is a little above q, so a corner at the height of q is below it.
        let rises = from.y <= q.y;
        if rises == (to.y <= q.y) {
            continue;
        }
        let (low, high) = if rises { (from, to) } else { (to, from) };
        // The edge is to the right of q if q is to the left of it. A tie goes to the left side:
        // the move to the right outweighs the move up.
        if orient2d(low, high, q) > 0.0 {
            enclosing = if enclosing.is_none() { Some(rises) } else { None };
        }
    }
    enclosing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::winding::winding_number;
    use crate::{COORDINATE_MIN, flush};
    use proptest::prelude::*;

    type Soup = Vec<Triangle>;

    fn tetrahedron(corners: [Point; 4]) -> Soup {
        let [a, b, c, d] = corners;
        vec![[a, c, b], [a, b, d], [b, c, d], [c, a, d]]
    }

    fn cube(low: f64, high: f64) -> Soup {
        let corner = |i: usize| [0, 1, 2].map(|k| if (i >> k) & 1 == 0 { low } else { high });
        let quads =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let halves = quads.map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
        halves.concat().iter().map(|t| t.map(corner)).collect()
    }

    fn everywhere(point: &Point, soup: &Soup) -> Location {
        let found = locate(point, soup.iter().copied());
        for ray in Ray::ALL {
            assert_eq!(locate_along(ray, point, soup.iter().copied()), found, "{ray:?} {point:?}");
        }
        found
    }

    fn numbers() -> impl Strategy<Value = f64> {
        prop_oneof![
            (-4..5i32).prop_map(f64::from),
            (-8..9i32).prop_map(|x| f64::from(x) / 2.0),
            -4.0..4.0f64,
            (-4..5i32).prop_map(|x| flush(f64::from(x).next_up())),
            (-4..5i32).prop_map(|x| flush(f64::from(x).next_down())),
        ]
    }

    /// On the grid, on the finer grid, or anywhere: never so near to a face of the grid that a
    /// rounded oracle would be in doubt.
    fn clear_points() -> impl Strategy<Value = Point> {
        let number = prop_oneof![(-8..9i32).prop_map(|x| f64::from(x) / 2.0), -4.0..4.0f64,];
        prop::array::uniform3(number)
    }

    fn points() -> impl Strategy<Value = Point> {
        prop::array::uniform3(numbers())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn a_box_is_known_without_looking(point in points()) {
            let outside = point.iter().any(|x| x.abs() > 2.0);
            let inside = point.iter().all(|x| x.abs() < 2.0);
            let expected = match (inside, outside) {
                (true, _) => Location::Inside,
                (_, true) => Location::Outside,
                _ => Location::On,
            };
            prop_assert_eq!(everywhere(&point, &cube(-2.0, 2.0)), expected);
        }

        #[test]
        fn a_cavity_is_outside_and_what_swims_in_it_is_not(point in points()) {
            let shells = [cube(-3.0, 3.0), cube(-2.0, 2.0), cube(-1.0, 1.0)].concat();
            let depth = point.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let expected = if depth == 1.0 || depth == 2.0 || depth == 3.0 {
                Location::On
            } else if depth < 1.0 || (2.0..3.0).contains(&depth) {
                Location::Inside
            } else {
                Location::Outside
            };
            prop_assert_eq!(everywhere(&point, &shells), expected);
        }

        /// Also for flat tetrahedra, whose inside is empty: their faces cancel or hold the point.
        #[test]
        fn a_tetrahedron_agrees_with_four_signs(
            corners in prop::array::uniform4(prop::array::uniform3(-4..5i32)),
            point in points()
        ) {
            let corners = corners.map(|p| p.map(f64::from));
            let side = |i: usize, p: &Point| {
                let mut moved = corners;
                moved[i] = *p;
                let [a, b, c, d] = &moved;
                orient3d(a, b, c, d)
            };
            let whole = side(0, &corners[0]);
            let signs: Vec<i8> = (0..4).map(|i| side(i, &point) * whole).collect();
            let found = everywhere(&point, &tetrahedron(corners));
            if whole == 0 {
                prop_assert_ne!(found, Location::Inside);
            } else if signs.iter().any(|&s| s < 0) {
                prop_assert_eq!(found, Location::Outside);
            } else if signs.contains(&0) {
                prop_assert_eq!(found, Location::On);
            } else {
                prop_assert_eq!(found, Location::Inside);
            }
        }

        #[test]
        fn corners_middles_and_centres_of_faces_are_on(
            triangle in prop::array::uniform3(prop::array::uniform3(-9..10i32)),
            weights in prop::array::uniform2(0..5i32),
            axis in 0..3usize
        ) {
            let triangle: Triangle = triangle.map(|p| p.map(|x| f64::from(4 * x)));
            let (u, v) = (weights[0], weights[1].min(4 - weights[0]));
            let w = 4 - u - v;
            let point: Point = std::array::from_fn(|k| {
                let sum = f64::from(u) * triangle[0][k]
                    + f64::from(v) * triangle[1][k]
                    + f64::from(w) * triangle[2][k];
                sum / 4.0
            });
            prop_assert!(point_on_triangle(&point, &triangle));
            let mut beside = point;
            beside[axis] = if point[axis] == 0.0 { COORDINATE_MIN } else { point[axis].next_up() };
            let [a, b, c] = &triangle;
            if orient3d(a, b, c, &beside) != 0 {
                prop_assert!(!point_on_triangle(&beside, &triangle));
            }
        }

        /// A closed fan: two apexes over a star-shaped polygon whose corners share coordinates.
        #[test]
        fn parity_agrees_with_the_winding_number(
            radii in prop::collection::vec(1..5i32, 8),
            apexes in prop::array::uniform2(1..4i32),
            point in clear_points()
        ) {
            let compass = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
            let rim: Vec<Point> = compass
                .iter()
                .zip(&radii)
                .map(|(&(x, y), &r)| [f64::from(x * r), f64::from(y * r), 0.0])
                .collect();
            let [top, bottom] = [apexes[0], -apexes[1]].map(|z| [0.0, 0.0, f64::from(z)]);
            let soup: Soup = (0..8)
                .flat_map(|i| {
                    let (p, q) = (rim[i], rim[(i + 1) % 8]);
                    [[p, q, top], [q, p, bottom]]
                })
                .collect();
            let winding = winding_number(&point, soup.iter().copied());
            match everywhere(&point, &soup) {
                Location::Inside => prop_assert!((winding - 1.0).abs() < 1e-6, "{}", winding),
                Location::Outside => prop_assert!(winding.abs() < 1e-6, "{}", winding),
                Location::On => prop_assert!(soup.iter().any(|t| point_on_triangle(&point, t))),
            }
        }
    }
}
