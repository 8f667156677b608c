//! Cuts polygons into triangles that use the polygon's own corners and no others.
//!
//! A polygon is seen along the axis nearest to its Newell normal, so that its coordinates stay
//! exact, and turns are decided exactly. A polygon that a fan cuts rightly gets the fan; others
//! are cut ear by ear. What has no inside (no area, crossing itself) gets a fan too: n corners
//! always give n − 2 triangles. The corners that can block an ear are kept in a tree, so that usual
//! polygons take O(n log n); O(n²) at most.

mod reflex;

use crate::Point;
use reflex::Reflex;
use robust::Coord;
use std::collections::BTreeSet;

/// Appends the triangles of the polygon with the given corners; fewer than three give none.
///
/// # Panics
/// If a corner is not an index into `vertices`.
pub fn triangulate(vertices: &[Point], corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
    if corners.len() <= 3 {
        triangles.extend(<[u32; 3]>::try_from(corners));
        return;
    }
    let position = |&corner: &u32| vertices[corner as usize];
    let Some(axes) = projection(corners.iter().map(position)) else {
        return fan(corners, triangles);
    };
    let flat = |corner: &u32| {
        let [x, y] = axes.map(|axis| position(corner)[axis]);
        Coord { x, y }
    };
    // Most polygons of real files are quads: they need no memory of their own.
    if let &[a, b, c, d] = corners {
        let points = [a, b, c, d].map(|corner| flat(&corner));
        let quad = if quad_cut_at_second(&points) { [b, c, d, a] } else { [a, b, c, d] };
        return fan(&quad, triangles);
    }
    let points: Vec<Coord<f64>> = corners.iter().map(flat).collect();
    if is_fan(&points) {
        return fan(corners, triangles);
    }
    Clipper::new(&points).clip(|ear| triangles.push(ear.map(|i| corners[i])));
}

fn fan(corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
    triangles.extend(corners[1..].windows(2).map(|edge| [corners[0], edge[0], edge[1]]));
}

/// The two axes, in this order, that show the polygon from its front; none if it has no area.
fn projection(points: impl Iterator<Item = Point> + Clone) -> Option<[usize; 2]> {
    let origin = glam::DVec3::from(points.clone().next()?);
    // Relative to one corner, so that a small polygon far from the origin keeps its digits.
    let mut spokes = points.skip(1).map(|point| glam::DVec3::from(point) - origin);
    let mut last = spokes.next()?;
    let mut normal = glam::DVec3::ZERO;
    for spoke in spokes {
        normal += last.cross(spoke);
        last = spoke;
    }
    let size = normal.abs();
    let axis = (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best });
    let axes = [(axis + 1) % 3, (axis + 2) % 3];
    match normal[axis] {
        z if z > 0.0 => Some(axes),
        z if z < 0.0 => Some([axes[1], axes[0]]),
        _ => None,
    }
}

fn turn(a: Coord<f64>, b: Coord<f64>, c: Coord<f64>) -> f64 {
    robust::orient2d(a, b, c)
}

/// Whether the diagonal from the second corner to the fourth is the better one.
fn quad_cut_at_second(&[a, b, c, d]: &[Coord<f64>; 4]) -> bool {
    let first = turn(a, b, c) > 0.0 && turn(a, c, d) > 0.0;
    !first && turn(b, c, d) > 0.0 && turn(b, d, a) > 0.0
}

/// Whether all triangles of the fan around the first corner face the front.
fn is_fan(points: &[Coord<f64>]) -> bool {
    points[1..].windows(2).all(|edge| turn(points[0], edge[0], edge[1]) > 0.0)
}

/// The polygon that is left while ears are cut off; a ring of corners, linked both ways.
struct Clipper<'a> {
    points: &'a [Coord<f64>],
    next: Vec<usize>,
    previous: Vec<usize>,
    turns: Vec<f64>,
    /// Corners with a turn of zero or backwards.
    reflex: Reflex,
    /// Ears and corners without a turn; the ring keeps the order of the numbers.
    ears: BTreeSet<usize>,
    straight: BTreeSet<usize>,
    left: usize,
    /// Ear tests that may still be made: each costs O(n), so a multiple of n keeps all at O(n²).
    tests: usize,
}

impl<'a> Clipper<'a> {
    fn new(points: &'a [Coord<f64>]) -> Self {
        let n = points.len();
        let mut clipper = Self {
            points,
            next: (0..n).map(|i| (i + 1) % n).collect(),
            previous: (0..n).map(|i| (i + n - 1) % n).collect(),
            turns: vec![0.0; n],
            reflex: Reflex::new(points),
            ears: BTreeSet::new(),
            straight: BTreeSet::new(),
            left: n,
            tests: 16 * n,
        };
        for i in 0..n {
            clipper.measure_turn(i);
        }
        clipper.find_ears(0);
        clipper
    }

    fn clip(mut self, mut emit: impl FnMut([usize; 3])) {
        let mut at = 0;
        while self.left > 3 {
            let Some(tip) = self.next_tip(at) else {
                break;
            };
            let (before, after) = (self.previous[tip], self.next[tip]);
            emit([before, tip, after]);
            self.cut(tip);
            // Going on behind the neighbour spreads the cuts, which avoids needles.
            at = self.next[after];
        }
        let mut corner = self.next[at];
        for _ in 0..self.left - 2 {
            emit([at, corner, self.next[corner]]);
            corner = self.next[corner];
        }
    }

    /// An ear at or behind `start`. Where there is none, a corner without a turn may go, and at
    /// last all corners are looked at again. None if the polygon crosses itself.
    fn next_tip(&mut self, start: usize) -> Option<usize> {
        if let Some(tip) = behind(&self.ears, start).or_else(|| behind(&self.straight, start)) {
            return Some(tip);
        }
        self.find_ears(start);
        behind(&self.ears, start)
    }

    fn find_ears(&mut self, start: usize) {
        let mut i = start;
        for _ in 0..self.left {
            self.measure_ear(i);
            i = self.next[i];
        }
    }

    fn cut(&mut self, tip: usize) {
        let (before, after) = (self.previous[tip], self.next[tip]);
        self.next[before] = after;
        self.previous[after] = before;
        self.left -= 1;
        self.reflex.set(tip, false);
        self.straight.remove(&tip);
        self.ears.remove(&tip);
        self.measure_turn(before);
        self.measure_turn(after);
        self.measure_ear(before);
        self.measure_ear(after);
    }

    fn measure_turn(&mut self, i: usize) {
        let [a, b, c] = [self.previous[i], i, self.next[i]].map(|i| self.points[i]);
        self.turns[i] = turn(a, b, c);
        self.reflex.set(i, self.turns[i] <= 0.0);
        keep(&mut self.straight, i, self.turns[i] == 0.0);
    }

    fn measure_ear(&mut self, i: usize) {
        let is_ear = self.test_ear(i);
        keep(&mut self.ears, i, is_ear);
    }

    /// Whether the triangle at corner `tip` lies inside the polygon.
    fn test_ear(&mut self, tip: usize) -> bool {
        if self.tests == 0 {
            return false;
        }
        self.tests -= 1;
        if self.turns[tip] <= 0.0 {
            return false;
        }
        let corners = [self.previous[tip], tip, self.next[tip]];
        let ear = corners.map(|i| self.points[i]);
        // A chain that enters an ear has its deepest corner there, which is not convex.
        !self.reflex.any(&ear, |i| !corners.contains(&i) && self.blocks(i, &ear))
    }

    /// Whether corner `i` keeps `ear` from being cut off.
    fn blocks(&self, i: usize, ear: &[Coord<f64>; 3]) -> bool {
        let &[a, b, c] = ear;
        let p = self.points[i];
        if p == a || p == c {
            return false;
        }
        if p == b {
            // Bridges to holes pass a place twice: only a chain that goes into the ear blocks it.
            let goes_in = |q| turn(a, b, q) > 0.0 && turn(b, c, q) > 0.0;
            return [self.previous[i], self.next[i]].iter().any(|&q| goes_in(self.points[q]));
        }
        let outside =
            |x: [f64; 3], p: f64| p < x[0].min(x[1]).min(x[2]) || p > x[0].max(x[1]).max(x[2]);
        if outside(ear.map(|p| p.x), p.x) || outside(ear.map(|p| p.y), p.y) {
            return false;
        }
        turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0
    }
}

/// The first corner at or behind `start`, once around.
fn behind(corners: &BTreeSet<usize>, start: usize) -> Option<usize> {
    corners.range(start..).next().or_else(|| corners.first()).copied()
}

fn keep(corners: &mut BTreeSet<usize>, i: usize, is_member: bool) {
    if is_member {
        corners.insert(i);
    } else {
        corners.remove(&i);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(points: &[Point]) -> Vec<[u32; 3]> {
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let mut triangles = Vec::new();
        triangulate(points, &corners, &mut triangles);
        triangles
    }

    fn area([a, b, c]: [Point; 3]) -> f64 {
        ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2.0
    }

    /// All corners used, n − 2 triangles; for a simple polygon in the plane z = 0 (integers, so
    /// that sums are exact) none faces backwards and the areas add up.
    fn check(points: &[Point], simple: bool) -> Result<(), TestCaseError> {
        let triangles = cut(points);
        prop_assert_eq!(triangles.len(), points.len() - 2);
        for corner in 0..points.len() as u32 {
            prop_assert!(triangles.iter().flatten().any(|&c| c == corner));
        }
        if simple {
            let n = points.len();
            let spokes = (0..n).map(|i| area([[0.0; 3], points[i], points[(i + 1) % n]]));
            let whole: f64 = spokes.sum();
            let parts = triangles.iter().map(|t| area(t.map(|i| points[i as usize])));
            prop_assert_eq!(parts.clone().sum::<f64>(), whole);
            prop_assert!(parts.clone().all(|part| part * whole >= 0.0), "{:?}", triangles);
        }
        Ok(())
    }

    /// A polygon whose corners go around the origin, so it is simple; corners at the same angle
    /// are left out.
    fn star(corners: &[(i32, i32)]) -> Vec<Point> {
        let mut rays: Vec<[f64; 2]> =
            corners.iter().map(|&(x, y)| [f64::from(x), f64::from(y)]).collect();
        rays.retain(|r| *r != [0.0; 2]);
        rays.sort_by(|a, b| a[1].atan2(a[0]).total_cmp(&b[1].atan2(b[0])));
        rays.dedup_by(|b, a| a[0] * b[1] == a[1] * b[0] && a[0] * b[0] + a[1] * b[1] > 0.0);
        rays.iter().map(|r| [r[0], r[1], 0.0]).collect()
    }

    #[test]
    fn a_concave_quad_is_cut_at_its_dent() {
        let dart = [[0.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 1.0, 0.0], [-4.0, 4.0, 0.0]];
        for turned in 0..4 {
            let mut points = dart;
            points.rotate_left(turned);
            check(&points, true).unwrap();
            points.reverse();
            check(&points, true).unwrap();
        }
    }

    #[test]
    fn a_hole_joined_by_a_bridge_stays_a_hole() {
        let ring = [[0, 0], [6, 0], [6, 6], [0, 6], [0, 0], [2, 2], [2, 4], [4, 4], [4, 2], [2, 2]];
        for turned in 0..ring.len() {
            let mut points: Vec<Point> =
                ring.iter().map(|p| [f64::from(p[0]), f64::from(p[1]), 0.0]).collect();
            points.rotate_left(turned);
            check(&points, true).unwrap();
        }
    }

    #[test]
    fn corners_on_straight_edges_give_no_flat_triangle() {
        let square = [[0, 0], [1, 0], [2, 0], [2, 1], [2, 2], [1, 2], [0, 2], [0, 1]];
        let points = square.map(|p| [f64::from(p[0]), f64::from(p[1]), 0.0]);
        check(&points, true).unwrap();
        assert!(cut(&points).iter().all(|t| area(t.map(|i| points[i as usize])) > 0.0));
    }

    #[test]
    fn a_comb_of_a_thousand_teeth_is_cut() {
        check(&comb(1000), true).unwrap();
    }

    fn comb(teeth: i32) -> Vec<Point> {
        let mut points: Vec<Point> = Vec::new();
        for tooth in 0..teeth {
            points.push([f64::from(2 * tooth), 1.0, 0.0]);
            points.push([f64::from(2 * tooth + 1), 9.0, 0.0]);
        }
        points.extend([[f64::from(2 * teeth), 0.0, 0.0], [-1.0, 0.0, 0.0]]);
        points
    }

    /// Spikes around the origin whose dents are all close to it.
    fn spiky(spikes: u32) -> Vec<Point> {
        let at = |i: u32, radius: f64| {
            let (sin, cos) = (f64::from(i) * std::f64::consts::PI / f64::from(spikes)).sin_cos();
            [(radius * cos).round(), (radius * sin).round(), 0.0]
        };
        (0..2 * spikes).map(|i| at(i, if i % 2 == 0 { 1e9 } else { 1e7 })).collect()
    }

    /// A band of steady width that winds inwards, so that only its ends are ears.
    fn spiral(corners: u32) -> Vec<Point> {
        let at = |i: u32, width: f64| {
            let angle = f64::from(i) * 0.05;
            let (sin, cos) = angle.sin_cos();
            let radius = 1e5 + 1e3 * angle + width;
            [(radius * cos).round(), (radius * sin).round(), 0.0]
        };
        let outer = (0..corners / 2).map(|i| at(i, 1e3));
        outer.chain((0..corners / 2).rev().map(|i| at(i, 0.0))).collect()
    }

    #[test]
    fn a_hundred_thousand_corners_take_no_quadratic_time() {
        for points in [comb(50_000), spiky(50_000), spiral(100_000)] {
            let start = std::time::Instant::now();
            let triangles = cut(&points);
            // Takes a fifth of a second; all corners against all ears take 20 seconds.
            assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
            assert_eq!(triangles.len(), points.len() - 2);
            let n = points.len();
            let spokes = (0..n).map(|i| area([[0.0; 3], points[i], points[(i + 1) % n]]));
            let whole = spokes.sum::<f64>().abs();
            let parts = triangles.iter().map(|t| area(t.map(|i| points[i as usize])));
            let size: f64 = parts.map(f64::abs).sum();
            assert!((size - whole).abs() <= 1e-9 * whole, "{size} {whole}");
        }
    }

    #[test]
    fn few_corners_give_no_triangle() {
        assert!(cut(&[]).is_empty() && cut(&[[0.0; 3]; 2]).is_empty());
        assert_eq!(cut(&[[0.0; 3]; 3]), [[0, 1, 2]]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn simple_polygons_are_covered(
            corners in prop::collection::vec((-50i32..50, -50i32..50), 3..60), turned in 0usize..60,
            backwards: bool,
        ) {
            let mut points = star(&corners);
            // A gap of half a turn or more would leave the origin outside.
            let n = points.len();
            prop_assume!(n > 3);
            prop_assume!((0..n).all(|i| area([[0.0; 3], points[i], points[(i + 1) % n]]) > 0.0));
            points.rotate_left(turned % n);
            if backwards {
                points.reverse();
            }
            check(&points, true)?;
        }

        #[test]
        fn mountain_ranges_are_covered(heights in prop::collection::vec(1i32..6, 2..60)) {
            let n = heights.len();
            let mut points: Vec<Point> =
                heights.iter().enumerate().map(|(i, &h)| [i as f64, f64::from(h), 0.0]).collect();
            points.extend([[n as f64 - 1.0, 0.0, 0.0], [0.0; 3]]);
            check(&points, true)?;
        }

        #[test]
        fn any_polygon_keeps_all_its_corners(
            points in prop::collection::vec(prop::array::uniform3(-2i32..3), 4..40), far: bool,
        ) {
            let offset = if far { 1e90 } else { 0.0 };
            let points: Vec<Point> =
                points.iter().map(|p| p.map(|x| f64::from(x) + offset)).collect();
            check(&points, false)?;
        }
    }
}
