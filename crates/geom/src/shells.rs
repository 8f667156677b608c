//! The closed surfaces of a mesh: what has an inside, also in meshes that are not closed as a whole.
//!
//! Real files hold faces that are given twice, stray triangles, parts that overlap and cavities.
//! So the mesh is taken apart into shells, pieces that hang together by edges, and each shell whose
//! edges all have an even number of faces has an inside of its own, by parity. A point is inside the
//! mesh if the shells around it do not cancel: outward ones count +1, cavities (turned inward) −1.

use crate::grouped::Grouped;
use crate::inside::{Location, locate};
use crate::mesh::Mesh;
use crate::predicates::is_degenerate;
use crate::topology::{components, join, merge, root};
use crate::{Point, Triangle};
use glam::DVec3;

/// So many sides may be looked at per face to see that a mesh is a manifold; it takes about one.
const LOOKS_PER_FACE_MAX: usize = 16;

/// The place of no face, for a mesh has at most this many.
const TAKEN: u32 = u32::MAX;

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
    Corners::of(mesh).shells(mesh)
}

/// What it takes to tell what is inside what, found in one go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anatomy {
    /// What can hold others: as [`shells`] finds it.
    pub shells: Vec<Shell>,
    /// What can be held: for each triangle the number of its connected part, as in
    /// [`Topology`](crate::topology::Topology).
    pub components: Vec<u32>,
    /// How many parts there are.
    pub component_count: usize,
}

impl Anatomy {
    /// Looks the mesh over once.
    pub fn of(mesh: &Mesh) -> Self {
        let corners = Corners::of(mesh);
        let (components, component_count) = components(&corners.merged, corners.vertices);
        Self { shells: corners.shells(mesh), components, component_count }
    }
}

/// Triangles whose corners are the same number where they are at the same place.
struct Corners {
    merged: Vec<[u32; 3]>,
    /// All numbers are below it.
    vertices: usize,
}

impl Corners {
    fn of(mesh: &Mesh) -> Self {
        let lowest = merge(mesh.vertices());
        let merged = mesh.triangles().iter().map(|t| t.map(|v| lowest[v as usize])).collect();
        Self { merged, vertices: lowest.len() }
    }

    fn shells(&self, mesh: &Mesh) -> Vec<Shell> {
        let count = self.merged.len() as u32;
        let flat: Vec<bool> = (0..count).map(|i| is_degenerate(&mesh.triangle(i))).collect();
        let (mut found, left) = self.pieces((0..count).filter(|&i| !flat[i as usize]).collect());
        let three_corners = |&i: &u32| {
            let [a, b, c] = self.merged[i as usize];
            flat[i as usize] && a != b && b != c && c != a
        };
        if left > 0 && (0..count).any(|i| three_corners(&i)) {
            let all = (0..count).filter(|&i| !flat[i as usize] || three_corners(&i));
            let (with_seams, _) = self.pieces(all.collect());
            let size = |pieces: &[Vec<u32>]| pieces.iter().map(Vec::len).sum::<usize>();
            if size(&with_seams) > size(&found) {
                found = with_seams;
            }
        }
        let shell = |piece: Vec<u32>| {
            let triangles = one_sided(&self.merged, piece);
            Shell { inward: volume(mesh, &triangles) < 0.0, triangles }
        };
        found.into_iter().map(shell).collect()
    }

    /// The closed pieces of rising `faces`, repetitions left out, and how many faces are in none.
    fn pieces(&self, faces: Vec<u32>) -> (Vec<Vec<u32>>, usize) {
        if let Some(joined) = self.join_manifold(&faces) {
            return (joined.pieces(&faces, |_| true), 0);
        }
        let faces = self.without_repetitions(faces);
        let pieces = closed_pieces(&faces, &self.edges(&faces));
        let left = faces.len() - pieces.iter().map(Vec::len).sum::<usize>();
        (pieces, left)
    }

    /// Joins neighbours, if each edge has two faces that run along it in opposite ways: then all
    /// pieces are closed, and no face is repeated in the same sense. So are nearly all meshes, and
    /// seeing it takes a fraction of the time that the general way takes.
    fn join_manifold(&self, faces: &[u32]) -> Option<Forest> {
        let sides = |place: u32| {
            let [a, b, c] = self.merged[faces[place as usize] as usize];
            [(a, b), (b, c), (c, a)]
        };
        let count = faces.len() as u32;
        let mut ups = Grouped::unsorted(self.vertices, || {
            let all = (0..count).flat_map(|place| sides(place).map(|side| (side, place)));
            all.filter(|((p, q), _)| p < q).map(|((p, q), place)| (p, Side::new(q, place)))
        });
        let mut joined = Forest::of(faces.len());
        let mut unmatched = 3 * faces.len();
        // A fan around one vertex would make this quadratic; the general way is not.
        let mut looks_left = LOOKS_PER_FACE_MAX * faces.len();
        for place in 0..count {
            for (high, low) in sides(place).into_iter().filter(|(p, q)| p > q) {
                let of_low = ups.of_mut(low);
                let found = of_low.iter().position(|side| side.high() == high)?;
                looks_left = looks_left.checked_sub(found)?;
                let other = of_low[found].place();
                // Another face runs down here already.
                if other == TAKEN {
                    return None;
                }
                of_low[found] = Side::new(high, TAKEN);
                joined.join(other, place);
                unmatched -= 2;
            }
        }
        (unmatched == 0).then_some(joined)
    }

    fn edges(&self, faces: &[u32]) -> Grouped<Side> {
        Grouped::sorted(self.vertices, || {
            faces.iter().zip(0..).flat_map(|(&face, place)| {
                let [a, b, c] = self.merged[face as usize];
                [(a, b), (b, c), (c, a)].map(|(p, q)| (p.min(q), Side::new(p.max(q), place)))
            })
        })
    }

    /// The faces that do not repeat an earlier one in the same sense.
    fn without_repetitions(&self, faces: Vec<u32>) -> Vec<u32> {
        let keyed = |&i: &u32| {
            let [a, b, c] = sense(self.merged[i as usize]);
            (a, ([b, c], i))
        };
        let sorted = Grouped::sorted(self.vertices, || faces.iter().map(keyed));
        let mut repeated = vec![false; self.merged.len()];
        for (_, of_vertex) in sorted.groups() {
            for same in of_vertex.chunk_by(|a, b| a.0 == b.0) {
                same[1..].iter().for_each(|&(_, i)| repeated[i as usize] = true);
            }
        }
        faces.into_iter().filter(|&i| !repeated[i as usize]).collect()
    }
}

/// A face at an edge: the edge's higher vertex, and the face's place in the list of faces. In one
/// word, which sorts faster than two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Side(u64);

impl Side {
    fn new(high: u32, place: u32) -> Self {
        Self(u64::from(high) << 32 | u64::from(place))
    }

    fn high(self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn place(self) -> u32 {
        self.0 as u32
    }
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

/// The shell of each triangle, `u32::MAX` for none; empty if there are no shells, or one of them all.
pub fn shell_of(shells: &[Shell], triangles: usize) -> Vec<u32> {
    let is_one = matches!(shells, [shell] if shell.triangles.len() == triangles);
    if is_one || shells.is_empty() {
        return Vec::new();
    }
    let mut shell_of = vec![u32::MAX; triangles];
    for (number, shell) in shells.iter().enumerate() {
        shell.triangles.iter().for_each(|&i| shell_of[i as usize] = number as u32);
    }
    shell_of
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

/// Pieces of `faces` that hang together by edges and have no edge with an odd number of faces.
fn closed_pieces(faces: &[u32], edges: &Grouped<Side>) -> Vec<Vec<u32>> {
    let mut joined = Forest::of(faces.len());
    let mut odd = Vec::new();
    for (_, sides) in edges.groups() {
        for of_edge in sides.chunk_by(|s, t| s.high() == t.high()) {
            let first = of_edge[0].place();
            of_edge[1..].iter().for_each(|side| joined.join(first, side.place()));
            if of_edge.len() % 2 == 1 {
                odd.push(first);
            }
        }
    }
    let mut open = vec![false; faces.len()];
    for place in odd {
        open[joined.root(place) as usize] = true;
    }
    joined.pieces(faces, |root| !open[root as usize])
}

/// Which faces hang together: trees whose root is the lowest place of a piece.
struct Forest(Vec<u32>);

impl Forest {
    fn of(faces: usize) -> Self {
        Self((0..faces as u32).collect())
    }

    fn join(&mut self, p: u32, q: u32) {
        join(&mut self.0, p, q);
    }

    fn root(&mut self, place: u32) -> u32 {
        root(&mut self.0, place)
    }

    /// The faces of each piece that is wanted by its root, in the order of first faces.
    fn pieces(mut self, faces: &[u32], wanted: impl Fn(u32) -> bool) -> Vec<Vec<u32>> {
        let mut pieces: Vec<Vec<u32>> = Vec::new();
        let mut number = vec![0; faces.len()];
        for (&face, place) in faces.iter().zip(0..) {
            let of = self.root(place);
            if !wanted(of) {
                continue;
            }
            // The root is the first that comes by.
            if of == place {
                number[of as usize] = pieces.len();
                pieces.push(Vec::new());
            }
            pieces[number[of as usize]].push(face);
        }
        pieces
    }
}

/// One of each two opposite faces, if the piece consists of nothing but such twins.
fn one_sided(corners: &[[u32; 3]], piece: Vec<u32>) -> Vec<u32> {
    let key = |i: u32| {
        let mut key = corners[i as usize];
        key.sort_unstable();
        key
    };
    // Nearly every piece has a first face without a twin, which is seen without sorting.
    let first = key(piece[0]);
    if !piece[1..].iter().any(|&i| key(i) == first) {
        return piece;
    }
    let mut keyed: Vec<([u32; 3], u32)> = piece.iter().map(|&i| (key(i), i)).collect();
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
    use crate::topology::Topology;
    use proptest::prelude::*;

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

    /// The closed pieces of some faces, found by looking at every face again and again.
    fn plain_pieces(faces: &[(u32, [u32; 3])]) -> Vec<Vec<u32>> {
        let sides =
            |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]);
        let at = |edge: &[u32; 2]| -> usize {
            faces.iter().map(|&(_, t)| sides(t).iter().filter(|e| *e == edge).count()).sum()
        };
        let mut piece: Vec<usize> = (0..faces.len()).collect();
        for _ in 0..faces.len() {
            for i in 0..faces.len() {
                for j in 0..faces.len() {
                    if sides(faces[i].1).iter().any(|e| sides(faces[j].1).contains(e)) {
                        piece[i] = piece[i].min(piece[j]);
                    }
                }
            }
        }
        let of_piece = |p: usize| {
            let piece = &piece;
            (0..faces.len()).filter(move |&i| piece[i] == p)
        };
        let is_closed = |p: &usize| {
            of_piece(*p).all(|i| sides(faces[i].1).iter().all(|edge| at(edge) % 2 == 0))
        };
        let roots = (0..faces.len()).filter(|&i| piece[i] == i);
        roots.filter(is_closed).map(|p| of_piece(p).map(|i| faces[i].0).collect()).collect()
    }

    proptest! {
        /// Soup on few points, so that faces repeat, turn round and share edges by threes and fours.
        #[test]
        fn closed_pieces_are_those_that_a_plain_search_finds(
            soup in prop::collection::vec((0usize..12, 0usize..3, prop::bool::ANY), 0..30),
            extra in prop::collection::vec(prop::array::uniform3(0u32..8), 0..3),
        ) {
            let (points, faces) = cube(0.0, 4.0);
            let picked = soup.iter().map(|&(i, first, turned)| {
                let mut face = faces[i];
                face.rotate_left(first);
                if turned { face.swap(1, 2); }
                face
            });
            let triangles: Vec<[u32; 3]> = picked.chain(faces.clone()).chain(extra).collect();
            let mesh = Mesh::new(points, triangles.clone()).unwrap();
            let mut proper: Vec<(u32, [u32; 3])> = Vec::new();
            for (i, &face) in (0..).zip(&triangles) {
                let [a, b, c] = face;
                let repeated = proper.iter().any(|&(_, other)| sense(other) == sense(face));
                if a != b && b != c && c != a && !repeated {
                    proper.push((i, face));
                }
            }
            let corners = Corners::of(&mesh);
            let all = (0..triangles.len() as u32).filter(|&i| !is_degenerate(&mesh.triangle(i)));
            let (found, left) = corners.pieces(all.collect());
            let expected = plain_pieces(&proper);
            prop_assert_eq!(left, proper.len() - expected.iter().map(Vec::len).sum::<usize>());
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn anatomy_is_what_shells_and_topology_find() {
        // The third cube shares a corner with the first.
        let mesh = joined(&[cube(0.0, 4.0), cube(9.0, 10.0), cube(4.0, 5.0)]);
        let anatomy = Anatomy::of(&mesh);
        let topology = Topology::of(&mesh);
        assert_eq!((anatomy.component_count, anatomy.shells.len()), (2, 3));
        assert_eq!(anatomy.components, topology.components);
        assert_eq!(anatomy.shells, shells(&mesh));
    }
}
