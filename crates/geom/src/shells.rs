//! The closed surfaces of a mesh: what has an inside, also in meshes that are not closed as a whole.
//!
//! Real files hold faces that are given twice, stray triangles, parts that overlap and cavities.
//! So the mesh is taken apart into shells, pieces that hang together by edges, and each shell whose
//! edges all have an even number of faces has an inside of its own, by parity. A point is inside the
//! mesh if the shells around it do not cancel: outward ones count +1, cavities (turned inward) −1.

use crate::inside::{Location, locate};
use crate::mesh::Mesh;
use crate::predicates::is_degenerate;
use crate::topology::{merge, root};
use crate::{Point, Triangle};
use glam::DVec3;

/// A closed piece of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    /// Its triangles, rising. Each edge has an even number of them.
    pub triangles: Vec<u32>,
    /// Turned inward: the wall of a cavity, or a piece that is inside out.
    pub inward: bool,
}

/// All closed shells of a mesh, in the order of their first triangles.
///
/// Faces of zero area and exact repetitions of a face (same corners, same sense) take no part;
/// flat faces with three different corners do where a shell needs them to close (they fill T-joints).
/// A shell that is given twice in opposite senses, as some programs do for two-sided display, counts once.
pub fn shells(mesh: &Mesh) -> Vec<Shell> {
    let merged = merge(mesh.vertices());
    let corners: Vec<[u32; 3]> =
        mesh.triangles().iter().map(|t| t.map(|v| merged[v as usize])).collect();
    let flat: Vec<bool> =
        (0..corners.len() as u32).map(|i| is_degenerate(&mesh.triangle(i))).collect();
    let count = corners.len() as u32;
    let proper = without_repetitions(&corners, (0..count).filter(|&i| !flat[i as usize]));
    let mut found = closed_pieces(&corners, &proper);
    let closed: usize = found.iter().map(Vec::len).sum();
    let three_corners = |&i: &u32| {
        let [a, b, c] = corners[i as usize];
        flat[i as usize] && a != b && b != c && c != a
    };
    if closed < proper.len() && (0..count).any(|i| three_corners(&i)) {
        let all = (0..count).filter(|&i| !flat[i as usize] || three_corners(&i));
        let with_seams = closed_pieces(&corners, &without_repetitions(&corners, all));
        if with_seams.iter().map(Vec::len).sum::<usize>() > closed {
            found = with_seams;
        }
    }
    let shell = |piece: Vec<u32>| {
        let triangles = one_sided(&corners, piece);
        Shell { inward: volume(mesh, &triangles) < 0.0, triangles }
    };
    found.into_iter().map(shell).collect()
}

/// Where a point is with respect to the shells; `triangle` gives the corners of a triangle, so that
/// posed vertices can be asked about. [`Location::On`] if it lies on one of them.
pub fn locate_in(shells: &[Shell], point: &Point, triangle: impl Fn(u32) -> Triangle) -> Location {
    let mut around = 0i64;
    for shell in shells {
        match locate(point, shell.triangles.iter().map(|&i| triangle(i))) {
            Location::On => return Location::On,
            Location::Inside => around += if shell.inward { -1 } else { 1 },
            Location::Outside => {}
        }
    }
    if around == 0 { Location::Outside } else { Location::Inside }
}

/// Corners in an order that starts with the lowest and keeps the sense of the triangle.
fn sense([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a <= b && a <= c {
        [a, b, c]
    } else if b <= c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// The faces among `candidates` that do not repeat an earlier one in the same sense; rising.
fn without_repetitions(corners: &[[u32; 3]], candidates: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut keyed: Vec<([u32; 3], u32)> =
        candidates.map(|i| (sense(corners[i as usize]), i)).collect();
    keyed.sort_unstable();
    keyed.dedup_by_key(|(key, _)| *key);
    let mut faces: Vec<u32> = keyed.into_iter().map(|(_, i)| i).collect();
    faces.sort_unstable();
    faces
}

/// Pieces of `faces` that hang together by edges and have no edge with an odd number of faces.
fn closed_pieces(corners: &[[u32; 3]], faces: &[u32]) -> Vec<Vec<u32>> {
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * faces.len());
    for (place, &face) in faces.iter().enumerate() {
        let [a, b, c] = corners[face as usize];
        let ends = [[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]);
        edges.extend(ends.map(|ends| (ends, place as u32)));
    }
    edges.sort_unstable();
    let mut parent: Vec<u32> = (0..faces.len() as u32).collect();
    for of_edge in edges.chunk_by(|a, b| a.0 == b.0) {
        for &(_, place) in &of_edge[1..] {
            let (p, q) = (root(&mut parent, of_edge[0].1), root(&mut parent, place));
            parent[p.max(q) as usize] = p.min(q);
        }
    }
    let mut open = vec![false; faces.len()];
    for of_edge in edges.chunk_by(|a, b| a.0 == b.0).filter(|faces| faces.len() % 2 == 1) {
        open[root(&mut parent, of_edge[0].1) as usize] = true;
    }
    // The root of a piece is its lowest place, so pieces come out in the order of first triangles.
    let mut pieces: Vec<Vec<u32>> = vec![Vec::new(); faces.len()];
    for place in 0..faces.len() as u32 {
        let of = root(&mut parent, place) as usize;
        if !open[of] {
            pieces[of].push(faces[place as usize]);
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// One of each two opposite faces, if the piece consists of nothing but such twins.
fn one_sided(corners: &[[u32; 3]], piece: Vec<u32>) -> Vec<u32> {
    let mut keyed: Vec<([u32; 3], u32)> = piece
        .iter()
        .map(|&i| {
            let mut key = corners[i as usize];
            key.sort_unstable();
            (key, i)
        })
        .collect();
    keyed.sort_unstable();
    if !keyed.chunk_by(|a, b| a.0 == b.0).all(|twins| twins.len() == 2) {
        return piece;
    }
    // Which of two twins comes first is chance; taken by their sense, neighbours are taken alike
    // often enough, and parity does not depend on it.
    let mut single: Vec<u32> = keyed.chunk_by(|a, b| a.0 == b.0).map(|twins| twins[0].1).collect();
    single.sort_unstable();
    single
}

/// Six times the volume, which is all its sign needs.
fn volume(mesh: &Mesh, triangles: &[u32]) -> f64 {
    let middle = DVec3::from(mesh.triangle(triangles[0])[0]);
    let tetrahedron = |&i: &u32| {
        let [a, b, c] = mesh.triangle(i).map(|p| DVec3::from(p) - middle);
        a.dot(b.cross(c))
    };
    triangles.iter().map(tetrahedron).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube; its faces look outward.
    fn cube(low: f64, high: f64) -> (Vec<Point>, Vec<[u32; 3]>) {
        let at = |i: u32, k: u32| if i >> k & 1 == 1 { high } else { low };
        let vertices = (0..8).map(|i| [at(i, 0), at(i, 1), at(i, 2)]).collect();
        let quads =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let halves = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
        (vertices, halves.collect())
    }

    fn joined(parts: &[(Vec<Point>, Vec<[u32; 3]>)]) -> Mesh {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (points, faces) in parts {
            let base = vertices.len() as u32;
            vertices.extend_from_slice(points);
            triangles.extend(faces.iter().map(|face| face.map(|v| v + base)));
        }
        Mesh::new(vertices, triangles).unwrap()
    }

    fn turned((points, faces): (Vec<Point>, Vec<[u32; 3]>)) -> (Vec<Point>, Vec<[u32; 3]>) {
        (points, faces.into_iter().map(|[a, b, c]| [a, c, b]).collect())
    }

    fn is_inside(mesh: &Mesh, x: f64) -> bool {
        let point = [x, x + 0.01, x - 0.01];
        locate_in(&shells(mesh), &point, |i| mesh.triangle(i)) == Location::Inside
    }

    #[test]
    fn overlapping_parts_are_inside_where_either_is() {
        let mesh = joined(&[cube(0.0, 4.0), cube(2.0, 6.0)]);
        assert_eq!(shells(&mesh).len(), 2);
        assert!([1.0, 3.0, 5.0].iter().all(|&x| is_inside(&mesh, x)) && !is_inside(&mesh, 7.0));
    }

    #[test]
    fn a_cavity_is_outside_and_an_inverted_body_is_not() {
        let hollow = joined(&[cube(0.0, 4.0), turned(cube(1.0, 3.0))]);
        assert!(is_inside(&hollow, 0.5) && !is_inside(&hollow, 2.0));
        assert!(is_inside(&joined(&[turned(cube(0.0, 4.0))]), 1.0));
    }

    #[test]
    fn repeated_two_sided_and_stray_faces_do_not_matter() {
        let stray = (vec![[9.0; 3], [9.0, 9.0, 8.0], [8.0, 9.0, 9.0]], vec![[0, 1, 2]]);
        let (points, mut faces) = cube(0.0, 4.0);
        faces.push([2, 3, 0]);
        let one_twice = (points, faces);
        for mesh in [
            joined(&[cube(0.0, 4.0), cube(0.0, 4.0)]),
            joined(&[cube(0.0, 4.0), turned(cube(0.0, 4.0))]),
            joined(&[cube(0.0, 4.0), stray]),
            joined(&[one_twice]),
        ] {
            assert!(is_inside(&mesh, 1.0) && !is_inside(&mesh, 5.0), "{mesh:?}");
        }
    }

    #[test]
    fn cubes_glued_at_a_wall_have_both_their_insides() {
        let (points, faces) = cube(0.0, 4.0);
        let shifted = points.iter().map(|&[x, y, z]| [x + 4.0, y, z]).collect();
        let mesh = joined(&[cube(0.0, 4.0), (shifted, faces)]);
        let inside = |p: Point| locate_in(&shells(&mesh), &p, |i| mesh.triangle(i));
        assert_eq!(inside([1.0, 1.1, 0.9]), Location::Inside);
        assert_eq!(inside([5.0, 1.1, 0.9]), Location::Inside);
        assert_eq!(inside([9.0, 1.1, 0.9]), Location::Outside);
    }

    #[test]
    fn an_open_piece_has_no_inside() {
        let (points, mut faces) = cube(0.0, 4.0);
        faces.pop();
        assert_eq!(shells(&joined(&[(points, faces)])), []);
    }
}
