//! Convex bodies as vertices, edges and flat faces, for the methods that know nothing else.
//!
//! The hull of a mesh's vertices is made anew: exactly decided, so that meshes that are convex but for
//! the rounding of their coordinates are welcome, and without what such methods stumble over: faces
//! without area, triangles that share a plane, vertices on edges or within faces.

use anyhow::{Context, Result, ensure};
use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::aabb::Aabb;
use impinge_geom::mesh::Mesh;
use impinge_geom::predicates::orient3d;

/// Triangles of the hull whose planes differ by less than this part of its size are one face.
const FLAT: f64 = 1e-10;

/// A convex body. Edges run between corners of faces, each once; faces turn counterclockwise seen from
/// outside.
#[derive(Clone, Debug)]
pub struct Polytope {
    /// The corners.
    pub vertices: Vec<DVec3>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// The faces.
    pub faces: Vec<Face>,
    /// The diagonal of the box around it.
    pub size: f64,
    /// The edges of vertex `v` are `spokes[starts[v]..starts[v + 1]]`.
    spokes: Vec<u32>,
    starts: Vec<u32>,
}

/// An edge with its two faces: along the left one it runs from the first end to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The vertices.
    pub ends: [u32; 2],
    /// Left and right, seen from outside.
    pub faces: [u32; 2],
}

/// A flat convex face.
#[derive(Clone, Debug)]
pub struct Face {
    /// Outward, of length one.
    pub normal: DVec3,
    /// `normal · x` of its points.
    pub offset: f64,
    /// Its edges in order.
    pub edges: Vec<u32>,
}

impl Polytope {
    /// The hull of the vertices that triangles name.
    pub fn of(mesh: &Mesh) -> Result<Self> {
        let used = mesh.used();
        let points = mesh.vertices().iter().zip(&used).filter(|(_, used)| **used).map(|(p, _)| *p);
        Self::around(&points.collect::<Vec<_>>())
    }

    /// The hull of points.
    pub fn around(points: &[Point]) -> Result<Self> {
        let size = Aabb::around(points).diagonal();
        let triangles = hull(points).context("a convex body needs four points not in one plane")?;
        let groups = group(points, &triangles, FLAT * size);
        Self::assemble(points, &triangles, &groups)
    }

    /// Makes vertices, edges and faces of triangles that are grouped into faces.
    fn assemble(points: &[Point], triangles: &[[u32; 3]], groups: &[u32]) -> Result<Self> {
        let mut borders = borders(triangles, groups);
        let kept = corners(points.len(), &borders);
        let face_count = groups.iter().max().map_or(0, |&last| last as usize + 1);
        let mut made = Self {
            vertices: Vec::new(),
            edges: Vec::new(),
            faces: vec![Face { normal: DVec3::ZERO, offset: 0.0, edges: Vec::new() }; face_count],
            size: Aabb::around(points).diagonal(),
            spokes: Vec::new(),
            starts: Vec::new(),
        };
        let mut number = vec![u32::MAX; points.len()];
        for (i, point) in points.iter().enumerate().filter(|(i, _)| kept[*i]) {
            number[i] = made.vertices.len() as u32;
            made.vertices.push(DVec3::from(*point));
        }
        borders.sort_unstable();
        let mut directed = Vec::new();
        for side in borders.chunk_by(|a, b| a.face == b.face) {
            let ring = ring(side, &kept).context("the border of a face falls apart")?;
            ensure!(ring.len() >= 3, "a face of {} corners: too flat for rounding", ring.len());
            let ring: Vec<u32> = ring.iter().map(|&v| number[v as usize]).collect();
            made.plane(side[0].face as usize, &ring);
            let next = ring.iter().cycle().skip(1);
            directed.extend(ring.iter().zip(next).map(|(&from, &to)| ([from, to], side[0].face)));
        }
        made.join(&directed)?;
        Ok(made)
    }

    /// The mean plane of a ring of vertices.
    fn plane(&mut self, face: usize, ring: &[u32]) {
        let at = |k: usize| self.vertices[ring[k % ring.len()] as usize];
        let middle = (0..ring.len()).map(at).sum::<DVec3>() / ring.len() as f64;
        let turn = |k: usize| (at(k) - middle).cross(at(k + 1) - middle);
        let normal = (0..ring.len()).map(turn).sum::<DVec3>().normalize_or_zero();
        self.faces[face].normal = normal;
        self.faces[face].offset = normal.dot(middle);
    }

    /// Joins the directed edges of all faces two by two.
    fn join(&mut self, directed: &[([u32; 2], u32)]) -> Result<()> {
        let mut backwards: Vec<([u32; 2], u32)> =
            directed.iter().map(|&([from, to], face)| ([to, from], face)).collect();
        backwards.sort_unstable();
        let other = |ends: [u32; 2]| {
            let found = backwards.binary_search_by_key(&ends, |(ends, _)| *ends);
            found.ok().map(|k| backwards[k].1)
        };
        let mut spokes = Vec::new();
        for &(ends, face) in directed {
            let right = other(ends).context("an edge with one face: too flat for rounding")?;
            if ends[0] < ends[1] {
                let edge = self.edges.len() as u32;
                self.edges.push(Edge { ends, faces: [face, right] });
                spokes.extend(ends.map(|v| (v, edge)));
            }
        }
        let mut of_ends: Vec<([u32; 2], u32)> =
            self.edges.iter().enumerate().map(|(k, edge)| (edge.ends, k as u32)).collect();
        of_ends.sort_unstable();
        for &([from, to], face) in directed {
            let ends = [from.min(to), from.max(to)];
            let found = of_ends.binary_search_by_key(&ends, |(ends, _)| *ends);
            let k = found.ok().context("an edge whose other direction has no face")?;
            self.faces[face as usize].edges.push(of_ends[k].1);
        }
        spokes.sort_unstable();
        let vertices = 0..=self.vertices.len() as u32;
        self.starts = vertices.map(|v| spokes.partition_point(|s| s.0 < v) as u32).collect();
        self.spokes = spokes.iter().map(|&(_, edge)| edge).collect();
        Ok(())
    }

    /// The edges that end at a vertex.
    pub fn spokes(&self, vertex: u32) -> &[u32] {
        let [from, to] = [vertex, vertex + 1].map(|v| self.starts[v as usize] as usize);
        &self.spokes[from..to]
    }

    /// The other end of an edge.
    pub fn across(&self, edge: u32, vertex: u32) -> u32 {
        let [a, b] = self.edges[edge as usize].ends;
        if a == vertex { b } else { a }
    }

    /// A vertex farthest along a direction, by going from neighbour to neighbour; and at how many it
    /// looked.
    ///
    /// From every corner that is not the farthest an edge leads farther, so the climb cannot end
    /// before the top; each step goes farther, so it ends.
    pub fn climb(&self, direction: DVec3, start: u32) -> (u32, u64) {
        let (mut at, mut looks) = (start, 1);
        let mut height = self.vertices[at as usize].dot(direction);
        loop {
            let from = at;
            for &edge in self.spokes(from) {
                let other = self.across(edge, from);
                let higher = self.vertices[other as usize].dot(direction);
                looks += 1;
                if higher > height {
                    (at, height) = (other, higher);
                }
            }
            if at == from {
                return (at, looks);
            }
        }
    }

    /// How far a point is outside the plane of the face that it is farthest from, and that face;
    /// nothing positive for points of the body.
    pub fn outermost(&self, point: DVec3) -> (u32, f64) {
        let height = |face: &Face| face.normal.dot(point) - face.offset;
        let heights = self.faces.iter().map(height).enumerate();
        let best = heights.fold(
            (0, f64::NEG_INFINITY),
            |best, (k, h)| {
                if h > best.1 { (k, h) } else { best }
            },
        );
        (best.0 as u32, best.1)
    }
}

/// The triangles of the hull, counterclockwise seen from outside; `None` for what is flat.
///
/// Points are added one by one: the triangles that see the new one are replaced by a cone from their
/// border. A point in the plane of a triangle is not seen by it, so no cone has a flat side.
fn hull(points: &[Point]) -> Option<Vec<[u32; 3]>> {
    let at = |i: u32| &points[i as usize];
    let all = || 0..points.len() as u32;
    let b = all().find(|&i| at(i) != at(0))?;
    let c = all().find(|&i| !is_straight(at(0), at(b), at(i)))?;
    let d = all().find(|&i| orient3d(at(0), at(b), at(c), at(i)) != 0)?;
    let side = orient3d(at(0), at(b), at(c), at(d));
    let [b, c] = if side == INSIDE { [b, c] } else { [c, b] };
    let mut triangles = vec![[0, b, c], [0, c, d], [c, b, d], [b, 0, d]];
    let (mut border, mut seen) = (Vec::<[u32; 2]>::new(), Vec::<[u32; 2]>::new());
    for p in all() {
        border.clear();
        seen.clear();
        triangles.retain(|&[i, j, k]| {
            let sees = orient3d(at(i), at(j), at(k), at(p)) == -INSIDE;
            if sees {
                seen.extend([[i, j], [j, k], [k, i]]);
            }
            !sees
        });
        seen.sort_unstable();
        border.extend(seen.iter().filter(|&&[i, j]| seen.binary_search(&[j, i]).is_err()));
        triangles.extend(border.iter().map(|&[i, j]| [i, j, p]));
    }
    Some(triangles)
}

/// What `orient3d` says of a point inside a hull and a triangle of it that turns counterclockwise
/// seen from outside.
const INSIDE: i8 = 1;

/// Whether three points lie on a line: they do in all three projections.
fn is_straight(a: &Point, b: &Point, c: &Point) -> bool {
    impinge_geom::predicates::is_degenerate(&[*a, *b, *c])
}

/// A number of the face for each triangle: neighbours in one plane belong together.
fn group(points: &[Point], triangles: &[[u32; 3]], flat: f64) -> Vec<u32> {
    let at = |i: u32| DVec3::from(points[i as usize]);
    let mut sides: Vec<([u32; 2], usize)> = Vec::new();
    for (t, &[i, j, k]) in triangles.iter().enumerate() {
        sides.extend([([i, j], t), ([j, k], t), ([k, i], t)]);
    }
    sides.sort_unstable();
    let beyond = |[i, j]: [u32; 2]| {
        let found = sides.binary_search_by_key(&[j, i], |(ends, _)| *ends);
        found.ok().map(|k| sides[k].1)
    };
    let mut groups = vec![u32::MAX; triangles.len()];
    let mut stack = Vec::new();
    let mut count = 0;
    for first in 0..triangles.len() {
        if groups[first] != u32::MAX {
            continue;
        }
        groups[first] = count;
        stack.push(first);
        // All are held against the plane of the first, so that a round side does not become a face.
        let [i, j, k] = triangles[first].map(at);
        let normal = (j - i).cross(k - i).normalize_or_zero();
        while let Some(t) = stack.pop() {
            let [a, b, c] = triangles[t];
            for next in [[a, b], [b, c], [c, a]].into_iter().filter_map(beyond) {
                let is_flat =
                    triangles[next].iter().all(|&v| (at(v) - i).dot(normal).abs() <= flat);
                if groups[next] == u32::MAX && is_flat {
                    groups[next] = count;
                    stack.push(next);
                }
            }
        }
        count += 1;
    }
    groups
}

/// A directed side of a triangle between two faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Border {
    face: u32,
    from: u32,
    to: u32,
}

fn borders(triangles: &[[u32; 3]], groups: &[u32]) -> Vec<Border> {
    let sides = triangles.iter().zip(groups).flat_map(|(&[i, j, k], &face)| {
        [[i, j], [j, k], [k, i]].map(|[from, to]| Border { face, from, to })
    });
    let mut sides: Vec<Border> = sides.collect();
    sides.sort_unstable();
    let is_border = |side: &&Border| {
        let back = Border { from: side.to, to: side.from, ..**side };
        sides.binary_search(&back).is_err()
    };
    sides.iter().filter(is_border).copied().collect()
}

/// Which points are corners: those of at least three faces.
fn corners(points: usize, borders: &[Border]) -> Vec<bool> {
    let mut faces = vec![0u32; points];
    // The border of a face leaves each of its vertices once.
    for border in borders {
        faces[border.from as usize] += 1;
    }
    faces.iter().map(|&count| count >= 3).collect()
}

/// The corners of a face in order; `None` if its border is not one ring.
fn ring(side: &[Border], kept: &[bool]) -> Option<Vec<u32>> {
    let next = |v: u32| {
        let k = side.binary_search_by_key(&v, |border| border.from).ok()?;
        Some(side[k].to)
    };
    let mut ring = Vec::new();
    let mut at = side.first()?.from;
    for _ in 0..side.len() {
        if kept[at as usize] {
            ring.push(at);
        }
        at = next(at)?;
    }
    (at == side[0].from).then_some(ring)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::near::Random;
    use impinge_samples::build_mesh;

    fn check(polytope: &Polytope) {
        let [v, e, f] = [polytope.vertices.len(), polytope.edges.len(), polytope.faces.len()];
        assert_eq!(v + f, e + 2);
        for face in &polytope.faces {
            let highest = polytope.vertices.iter().map(|p| p.dot(face.normal) - face.offset);
            assert!(highest.fold(f64::MIN, f64::max) < 1e-9 * polytope.size);
            assert!((face.normal.length() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn hulls_have_the_faces_of_their_bodies() {
        for (sample, counts) in [
            ("box", Some([8, 12, 6])),
            ("icosahedron", Some([12, 30, 20])),
            ("polytope", Some([20, 54, 36])),
            ("sphere?faces=528", None),
            ("cylinder", None),
        ] {
            let made = Polytope::of(&build_mesh(sample).unwrap()).unwrap();
            check(&made);
            let found = [made.vertices.len(), made.edges.len(), made.faces.len()];
            assert!(counts.is_none_or(|counts| counts == found), "{sample}: {found:?}");
        }
        let sphere = build_mesh("sphere?faces=528").unwrap();
        assert_eq!(Polytope::of(&sphere).unwrap().vertices.len(), sphere.vertices().len());
    }

    #[test]
    fn a_grid_of_points_is_the_hull_of_its_corners() {
        let points: Vec<Point> =
            (0..64).map(|k| [k % 4, k / 4 % 4, k / 16].map(f64::from)).collect();
        let made = Polytope::around(&points).unwrap();
        check(&made);
        assert_eq!([made.vertices.len(), made.edges.len(), made.faces.len()], [8, 12, 6]);
    }

    #[test]
    fn what_is_flat_is_refused() {
        for points in [vec![], vec![[1.0; 3]; 5], vec![[0.0; 3], [1.0; 3], [2.0; 3], [5.0; 3]]] {
            assert!(Polytope::around(&points).is_err());
        }
        let flat: Vec<Point> = (0..9).map(|k| [f64::from(k % 3), f64::from(k / 3), 0.0]).collect();
        assert!(Polytope::around(&flat).is_err());
    }

    #[test]
    fn climbing_ends_at_the_top() {
        let made = Polytope::of(&build_mesh("sphere?faces=528").unwrap()).unwrap();
        let boxed = Polytope::of(&build_mesh("box").unwrap()).unwrap();
        let mut random = Random::of([7, 0, 0]);
        for k in 0..2000u32 {
            let polytope = if k % 2 == 0 { &made } else { &boxed };
            let mut direction = DVec3::from(random.on_sphere::<3>());
            if k % 5 == 0 {
                direction.x = 0.0;
            }
            let start = k * 31 % polytope.vertices.len() as u32;
            let (top, _) = polytope.climb(direction, start);
            let highest = polytope.vertices.iter().map(|p| p.dot(direction));
            let best = highest.fold(f64::MIN, f64::max);
            assert!(best - polytope.vertices[top as usize].dot(direction) <= 1e-12);
        }
    }
}
