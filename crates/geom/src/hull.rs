//! Convex hulls of points, decided exactly: quickhull [Barber et al. 1996] with the predicates of this crate.
//!
//! A face sees a point that is strictly on its outer side. Points in the plane of a face are not seen by it,
//! so that no face is flat, however many points share planes and lines. What has no volume has a hull, too:
//! a polygon with two sides, or nothing but points.

use crate::Point;
use crate::predicates::{Projection, Sign, is_degenerate, orient3d};
use glam::DVec3;

/// What `orient3d` says of a face and a point that it sees.
const SEEN: Sign = -1;

/// A hull. Its faces are counterclockwise seen from outside; all points are corners of faces, unless there are
/// no faces.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// The corners.
    pub points: Vec<Point>,
    /// The faces; each edge has two. None if all points lie on a line, each twice, one for each side, if
    /// they lie in a plane.
    pub triangles: Vec<[u32; 3]>,
}

impl Hull {
    /// Around points.
    pub fn around(points: &[Point]) -> Self {
        let triangles = match Start::of(points) {
            Start::Line => Vec::new(),
            Start::Plane(corners) => polygon(points, corners),
            Start::Space(corners) => Growing::new(points, corners).finish(),
        };
        Self::compact(points, triangles)
    }

    /// Its volume.
    pub fn volume(&self) -> f64 {
        let Some(first) = self.points.first() else { return 0.0 };
        let origin = DVec3::from(*first);
        let at = |v: u32| DVec3::from(self.points[v as usize]) - origin;
        let six = |[i, j, k]: &[u32; 3]| at(*i).dot(at(*j).cross(at(*k)));
        self.triangles.iter().map(six).sum::<f64>() / 6.0
    }

    /// Keeps the points that faces name; all if there are no faces.
    fn compact(points: &[Point], mut triangles: Vec<[u32; 3]>) -> Self {
        if triangles.is_empty() {
            return Self { points: points.to_vec(), triangles };
        }
        let mut number = vec![u32::MAX; points.len()];
        triangles.iter().flatten().for_each(|&v| number[v as usize] = 0);
        let mut kept = Vec::new();
        for (point, number) in points.iter().zip(&mut number).filter(|(_, number)| **number == 0) {
            *number = kept.len() as u32;
            kept.push(*point);
        }
        triangles.iter_mut().flatten().for_each(|v| *v = number[*v as usize]);
        Self { points: kept, triangles }
    }
}

/// What a hull grows from.
enum Start {
    Line,
    Plane([u32; 3]),
    Space([u32; 4]),
}

impl Start {
    /// Points as far from each other as is found easily, so that few others stay outside.
    fn of(points: &[Point]) -> Self {
        let at = |i: u32| &points[i as usize];
        let all = || 0..points.len() as u32;
        let farthest = |height: &dyn Fn(&Point) -> f64| {
            let best = all().max_by(|&i, &j| height(at(i)).total_cmp(&height(at(j))));
            best.unwrap_or(0)
        };
        let Some(first) = points.first() else { return Self::Line };
        let way = |from: &Point, to: &Point| DVec3::from(*to) - DVec3::from(*from);
        let a = farthest(&|p| way(first, p).length_squared());
        let b = farthest(&|p| way(at(a), p).length_squared());
        if at(a) == at(b) {
            return Self::Line;
        }
        let line = way(at(a), at(b));
        let c = farthest(&|p| line.cross(way(at(a), p)).length_squared());
        let is_straight = |i: u32| is_degenerate(&[*at(a), *at(b), *at(i)]);
        // Rounding may have chosen badly; whether there is any is decided exactly.
        let c = if is_straight(c) { all().find(|&i| !is_straight(i)) } else { Some(c) };
        let Some(c) = c else { return Self::Line };
        let normal = line.cross(way(at(a), at(c)));
        let d = farthest(&|p| normal.dot(way(at(a), p)).abs());
        let side = |i: u32| orient3d(at(a), at(b), at(c), at(i));
        let d = if side(d) == 0 { all().find(|&i| side(i) != 0) } else { Some(d) };
        match d {
            None => Self::Plane([a, b, c]),
            Some(d) if side(d) == SEEN => Self::Space([a, c, b, d]),
            Some(d) => Self::Space([a, b, c, d]),
        }
    }
}

/// Both sides of the convex polygon around points of a plane, of which three are not on a line.
fn polygon(points: &[Point], [a, b, c]: [u32; 3]) -> Vec<[u32; 3]> {
    let at = |i: u32| &points[i as usize];
    let Some(flat) = Projection::spreading(at(a), at(b), at(c)) else { return Vec::new() };
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let key = |i: u32| at(i).map(|x| x + 0.0);
    order.sort_by(|&i, &j| {
        let (p, q) = (key(i), key(j));
        p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(p[2].total_cmp(&q[2]))
    });
    order.dedup_by(|i, j| at(*i) == at(*j));
    // Sorted in space the points are also sorted along some direction of their plane, which is all that
    // chains need.
    let chain = |order: &mut dyn Iterator<Item = u32>| {
        let mut chain: Vec<u32> = Vec::new();
        for i in order {
            while let [.., p, q] = chain[..]
                && flat.orient(at(p), at(q), at(i)) <= 0
            {
                chain.pop();
            }
            chain.push(i);
        }
        chain.pop();
        chain
    };
    let mut ring = chain(&mut order.iter().copied());
    ring.extend(chain(&mut order.iter().rev().copied()));
    let fan = (1..ring.len().saturating_sub(1)).map(|k| [ring[0], ring[k], ring[k + 1]]);
    fan.flat_map(|[i, j, k]| [[i, j, k], [i, k, j]]).collect()
}

#[derive(Clone, Debug)]
struct Face {
    corners: [u32; 3],
    /// The face beyond the edge from corner `k` to the next.
    beyond: [u32; 3],
    /// Points that this face sees. Each point that is not in the hull yet is with one face that sees it.
    outside: Vec<u32>,
    alive: bool,
}

/// An edge between a face that goes and one that stays.
#[derive(Clone, Copy, Debug)]
struct Rim {
    from: u32,
    to: u32,
    stays: u32,
    edge: usize,
}

/// A hull that grows point by point.
struct Growing<'a> {
    points: &'a [Point],
    faces: Vec<Face>,
    /// Faces that may have points outside.
    open: Vec<u32>,
}

impl<'a> Growing<'a> {
    /// A tetrahedron whose first three corners do not see the fourth.
    fn new(points: &'a [Point], [a, b, c, d]: [u32; 4]) -> Self {
        let mut growing = Self { points, faces: Vec::new(), open: vec![0, 1, 2, 3] };
        growing.push([a, b, c], [3, 2, 1]);
        growing.push([a, c, d], [0, 2, 3]);
        growing.push([c, b, d], [0, 3, 1]);
        growing.push([b, a, d], [0, 1, 2]);
        let all: Vec<u32> = (0..points.len() as u32).collect();
        growing.share_out(&all, 0);
        growing
    }

    fn push(&mut self, corners: [u32; 3], beyond: [u32; 3]) {
        self.faces.push(Face { corners, beyond, outside: Vec::new(), alive: true });
    }

    fn sees(&self, face: u32, point: u32) -> bool {
        let [a, b, c] = self.faces[face as usize].corners.map(|v| &self.points[v as usize]);
        orient3d(a, b, c, &self.points[point as usize]) == SEEN
    }

    /// Gives each point to the first of the faces from `first` on that sees it. A point that none of them
    /// sees is in the hull: whoever saw a face that is gone and sees one that stayed also sees the new
    /// face at an edge between two such faces.
    fn share_out(&mut self, points: &[u32], first: u32) {
        for &point in points {
            let found = (first..self.faces.len() as u32).find(|&face| self.sees(face, point));
            if let Some(face) = found {
                self.faces[face as usize].outside.push(point);
            }
        }
    }

    fn finish(mut self) -> Vec<[u32; 3]> {
        while let Some(face) = self.open.pop() {
            if !self.faces[face as usize].alive || self.faces[face as usize].outside.is_empty() {
                continue;
            }
            let point = self.farthest(face);
            self.grow(face, point);
        }
        self.faces.iter().filter(|face| face.alive).map(|face| face.corners).collect()
    }

    /// Of the points outside a face. Any would do; far ones leave fewer outside.
    fn farthest(&self, face: u32) -> u32 {
        let Face { corners, outside, .. } = &self.faces[face as usize];
        let [a, b, c] = corners.map(|v| DVec3::from(self.points[v as usize]));
        let normal = (b - a).cross(c - a);
        let height = |&i: &u32| normal.dot(DVec3::from(self.points[i as usize]) - a);
        let best = outside.iter().copied().max_by(|i, j| height(i).total_cmp(&height(j)));
        best.unwrap_or(outside[0])
    }

    /// Replaces the faces that see a point, of which `seed` is one, by a cone from their rim.
    fn grow(&mut self, seed: u32, point: u32) {
        let mut gone = vec![seed];
        self.faces[seed as usize].alive = false;
        let mut next = 0;
        let mut rim: Vec<Rim> = Vec::new();
        while let Some(&face) = gone.get(next) {
            next += 1;
            let Face { corners, beyond, .. } = self.faces[face as usize];
            for k in 0..3 {
                let other = beyond[k];
                if !self.faces[other as usize].alive {
                    continue;
                }
                if self.sees(other, point) {
                    self.faces[other as usize].alive = false;
                    gone.push(other);
                    continue;
                }
                let (from, to) = (corners[k], corners[(k + 1) % 3]);
                let edge = (0..3).find(|&e| self.faces[other as usize].corners[e] == to);
                rim.push(Rim { from, to, stays: other, edge: edge.unwrap_or(0) });
            }
        }
        self.cover(&mut rim, point);
        let first = (self.faces.len() - rim.len()) as u32;
        let mut orphans: Vec<u32> = Vec::new();
        gone.iter().for_each(|&face| orphans.append(&mut self.faces[face as usize].outside));
        orphans.retain(|&orphan| orphan != point);
        self.share_out(&orphans, first);
        self.open.extend(first..self.faces.len() as u32);
    }

    /// New faces from the edges of a rim, which is one loop, to a point.
    fn cover(&mut self, rim: &mut [Rim], point: u32) {
        rim.sort_unstable_by_key(|edge| edge.from);
        let first = self.faces.len() as u32;
        // The loop leaves each corner once.
        let leaving = |v: u32| first + rim.partition_point(|edge| edge.from < v) as u32;
        let after: Vec<u32> = rim.iter().map(|edge| leaving(edge.to)).collect();
        let mut before = vec![first; rim.len()];
        for (k, &next) in after.iter().enumerate() {
            before[(next - first) as usize] = first + k as u32;
        }
        for (k, &Rim { from, to, stays, edge }) in rim.iter().enumerate() {
            self.faces[stays as usize].beyond[edge] = first + k as u32;
            self.push([from, to, point], [stays, after[k], before[k]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every point is on the inner side of every face, exactly, and every edge has its two faces.
    fn check(points: &[Point], hull: &Hull) {
        let mut edges = Vec::new();
        for &[i, j, k] in &hull.triangles {
            let [a, b, c] = [i, j, k].map(|v| &hull.points[v as usize]);
            assert!(!is_degenerate(&[*a, *b, *c]));
            assert!(points.iter().all(|p| orient3d(a, b, c, p) != SEEN));
            edges.extend([[i, j], [j, k], [k, i]]);
        }
        let mut back: Vec<[u32; 2]> = edges.iter().map(|&[i, j]| [j, i]).collect();
        edges.sort_unstable();
        back.sort_unstable();
        assert_eq!(edges, back);
        assert!(hull.points.iter().all(|p| points.contains(p)));
    }

    proptest! {
        #[test]
        fn hulls_hold_all_points(
            points in prop::collection::vec(
                prop::array::uniform3(prop_oneof![-1.0..1.0f64, (-1..2i8).prop_map(f64::from)]),
                0..80,
            ),
        ) {
            check(&points, &Hull::around(&points));
        }

        /// Points of a plane that is not along the axes, whose coordinates are exact.
        #[test]
        fn polygons_have_two_sides(flat in prop::collection::vec((-4..5i32, -4..5i32), 3..30)) {
            let point = |&(u, v): &(i32, i32)| [u + v, u - 2 * v, 3 * v - u].map(f64::from);
            let points: Vec<Point> = flat.iter().map(point).collect();
            let hull = Hull::around(&points);
            check(&points, &hull);
            prop_assert_eq!(hull.triangles.len() % 2, 0);
            prop_assert_eq!(hull.volume(), 0.0);
            let area = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|v| DVec3::from(hull.points[v as usize]));
                0.5 * (b - a).cross(c - a).length()
            };
            // No three points span more than the polygon.
            let all: f64 = hull.triangles.iter().map(area).sum::<f64>() / 2.0;
            let [a, b, c] = [0, 1, 2].map(|k| DVec3::from(points[k]));
            prop_assert!(0.5 * (b - a).cross(c - a).length() <= all + 1e-9);
        }
    }

    #[test]
    fn a_grid_is_a_cube() {
        let points: Vec<Point> =
            (0..125).map(|k| [k % 5, k / 5 % 5, k / 25].map(f64::from)).collect();
        let hull = Hull::around(&points);
        check(&points, &hull);
        assert_eq!(hull.volume(), 64.0);
    }

    #[test]
    fn what_has_no_area_has_no_faces() {
        for points in [vec![], vec![[1.0; 3]; 5], vec![[0.0; 3], [1.0; 3], [2.0; 3], [5.0; 3]]] {
            let hull = Hull::around(&points);
            assert!(hull.triangles.is_empty());
            assert_eq!((hull.points.len(), hull.volume()), (points.len(), 0.0));
        }
    }
}
