//! How the triangles of a mesh hang together: which vertices coincide, which edges are open,
//! whether the surface closes, and into how many pieces it falls.
//!
//! Vertices are compared by position, so that a mesh without shared indices (an STL file) is judged
//! like the same mesh with them. Everything is decided exactly; only area and volume are rounded.
//! Nothing is repaired here.

use glam::DVec3;
use rayon::prelude::*;

use crate::Point;
use crate::grouped::Grouped;
use crate::mesh::Mesh;
use crate::predicates::is_degenerate;

/// What [`Topology::of`] finds.
///
/// A *merged* vertex stands for all vertices at its position. A face is *degenerate* if its area is
/// exactly zero. Edges join merged vertices and are counted once each, whatever their direction.
/// Degenerate faces take no part in the edge counts, with one exception: where the mesh closes only
/// with the help of degenerate faces that have three different corners (they fill T-joints), those
/// faces count.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// For each vertex the lowest vertex at the same position (−0 equals 0).
    pub merged: Vec<u32>,
    /// Vertices that no triangle names.
    pub unused_vertices: usize,
    /// Triangles with the same three merged corners, in any order, as an earlier one.
    pub duplicate_faces: usize,
    /// Triangles whose area is exactly zero.
    pub degenerate_faces: usize,
    /// Edges of exactly one face.
    pub open_edges: usize,
    /// Edges of more than two faces.
    pub non_manifold_edges: usize,
    /// Edges whose faces do not run along them equally often in both directions, give or take one:
    /// for an edge of two faces, both run the same way.
    pub orientation_conflicts: usize,
    /// Every edge has an even number of faces, so that a ray that starts outside and ends outside
    /// crosses an even number of faces: "inside" is well defined by parity.
    pub closed: bool,
    /// Every edge has exactly two faces.
    pub watertight_manifold: bool,
    /// There are no orientation conflicts. (A closed oriented mesh with a negative volume is
    /// turned inside out.)
    pub oriented: bool,
    /// For each triangle the number of its component: triangles that share merged vertices,
    /// directly or through others. Components are numbered by their first triangle.
    pub components: Vec<u32>,
    /// How many components there are.
    pub component_count: usize,
    /// The sum of the triangles' areas.
    pub area: f64,
    /// The volume that the faces enclose, positive if they are counterclockwise seen from outside.
    /// Means something only for a closed oriented mesh.
    pub signed_volume: f64,
}

/// Fewer triangles are not worth a task of their own.
const TRIANGLES_PER_TASK_MIN: usize = 4096;

impl Topology {
    /// Looks the mesh over once.
    pub fn of(mesh: &Mesh) -> Self {
        let merged = merge(mesh.vertices());
        let corners: Vec<[u32; 3]> =
            mesh.triangles().iter().map(|t| t.map(|v| merged[v as usize])).collect();
        let degenerate: Vec<bool> = (0..corners.len())
            .into_par_iter()
            .with_min_len(TRIANGLES_PER_TASK_MIN)
            .map(|i| is_degenerate(&mesh.triangle(i as u32)))
            .collect();
        let edges = count_edges(&corners, &degenerate, merged.len());
        let (components, component_count) = components(&corners, merged.len());
        let (area, signed_volume) = area_and_volume(mesh);
        Self {
            unused_vertices: mesh.used().iter().filter(|&&used| !used).count(),
            duplicate_faces: duplicate_faces(&corners, merged.len()),
            degenerate_faces: degenerate.iter().filter(|&&flat| flat).count(),
            open_edges: edges.open,
            non_manifold_edges: edges.non_manifold,
            orientation_conflicts: edges.conflicts,
            closed: edges.odd == 0,
            watertight_manifold: edges.open == 0 && edges.non_manifold == 0,
            oriented: edges.conflicts == 0,
            components,
            component_count,
            area,
            signed_volume,
            merged,
        }
    }
}

/// For each point the lowest index of a point at the same position; −0 equals 0.
pub fn merge(points: &[Point]) -> Vec<u32> {
    merge_by_table(points).unwrap_or_else(|| merge_by_sorting(points))
}

/// So many occupied slots may be met per point. At half load a good hash meets less than one.
const PROBES_PER_POINT_MAX: usize = 8;

/// By a table of points with open addressing; none if hashes cluster, by chance or by malice.
fn merge_by_table(points: &[Point]) -> Option<Vec<u32>> {
    const EMPTY: u32 = u32::MAX;
    let slots = (2 * points.len()).next_power_of_two().max(2);
    let mut table = vec![EMPTY; slots];
    let shift = u64::BITS - slots.trailing_zeros();
    let mut probes_left = PROBES_PER_POINT_MAX * points.len();
    let mut merged = Vec::with_capacity(points.len());
    for (i, point) in points.iter().enumerate() {
        let mut slot = (mix(position_bits(point)) >> shift) as usize;
        let lowest = loop {
            let found = table[slot];
            if found == EMPTY {
                table[slot] = i as u32;
                break i as u32;
            }
            if points[found as usize] == *point {
                break found;
            }
            probes_left = probes_left.checked_sub(1)?;
            slot = (slot + 1) & (slots - 1);
        };
        merged.push(lowest);
    }
    Some(merged)
}

/// The same whatever the hashes.
fn merge_by_sorting(points: &[Point]) -> Vec<u32> {
    // Sorting by one mixed word is faster than by three numbers. Words that agree by chance, or by
    // malice, only cost time: positions decide.
    let mut order: Vec<(u64, u32)> =
        points.par_iter().enumerate().map(|(i, p)| (mix(position_bits(p)), i as u32)).collect();
    order.par_sort_unstable();
    let mut merged = vec![0; points.len()];
    for run in order.chunk_by_mut(|a, b| a.0 == b.0) {
        let bits = |i: u32| position_bits(&points[i as usize]);
        if run.len() > 1 && run[1..].iter().any(|&(_, i)| bits(i) != bits(run[0].1)) {
            run.sort_unstable_by_key(|&(_, i)| (bits(i), i));
        }
        for same in run.chunk_by(|a, b| bits(a.1) == bits(b.1)) {
            for &(_, i) in same {
                merged[i as usize] = same[0].1;
            }
        }
    }
    merged
}

/// Equal for equal positions. Adding zero turns −0 into 0.
fn position_bits(point: &Point) -> [u64; 3] {
    point.map(|x| (x + 0.0).to_bits())
}

/// Spreads three words over one; the odd constants are digits of the golden ratio and of π.
fn mix(words: [u64; 3]) -> u64 {
    words.iter().fold(0x243f_6a88_85a3_08d3, |hash, &word| {
        let product = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ (product >> 29)
    })
}

#[derive(Default)]
struct EdgeCounts {
    open: usize,
    odd: usize,
    non_manifold: usize,
    conflicts: usize,
}

fn count_edges(corners: &[[u32; 3]], degenerate: &[bool], vertices: usize) -> EdgeCounts {
    let proper = || corners.iter().zip(degenerate).filter(|(_, flat)| !**flat).map(|(t, _)| *t);
    let counts = EdgeCounts::over(vertices, proper);
    let flat = || corners.iter().zip(degenerate).filter(|(_, flat)| **flat).map(|(t, _)| *t);
    let seams = || flat().filter(|[a, b, c]| a != b && b != c && c != a);
    if counts.odd == 0 || seams().next().is_none() {
        return counts;
    }
    let with_seams = EdgeCounts::over(vertices, || proper().chain(seams()));
    if with_seams.odd == 0 { with_seams } else { counts }
}

impl EdgeCounts {
    fn over<I: Iterator<Item = [u32; 3]>>(vertices: usize, triangles: impl Fn() -> I) -> Self {
        // The lowest bit tells the direction.
        let sides = |[a, b, c]: [u32; 3]| {
            [(a, b), (b, c), (c, a)].map(|(from, to)| {
                (from.min(to), (u64::from(from.max(to)) << 1) | u64::from(from > to))
            })
        };
        let edges = Grouped::sorted(vertices, || triangles().flat_map(sides));
        let mut counts = Self::default();
        for (_, of_vertex) in edges.groups() {
            for of_edge in of_vertex.chunk_by(|a, b| a >> 1 == b >> 1) {
                let downs = of_edge.iter().filter(|&&side| side & 1 == 1).count();
                counts.add(of_edge.len() - downs, downs);
            }
        }
        counts
    }

    fn add(&mut self, ups: usize, downs: usize) {
        let faces = ups + downs;
        self.open += usize::from(faces == 1);
        self.odd += faces % 2;
        self.non_manifold += usize::from(faces > 2);
        self.conflicts += usize::from(ups.abs_diff(downs) > 1);
    }
}

fn duplicate_faces(corners: &[[u32; 3]], vertices: usize) -> usize {
    let key = |face: &[u32; 3]| {
        let mut face = *face;
        face.sort_unstable();
        (face[0], u64::from(face[1]) << 32 | u64::from(face[2]))
    };
    let faces = Grouped::sorted(vertices, || corners.iter().map(key));
    let groups = faces.groups();
    groups.map(|(_, keys)| keys.windows(2).filter(|pair| pair[0] == pair[1]).count()).sum()
}

/// Union by lowest vertex with path halving; then numbers in order of first use.
pub fn components(corners: &[[u32; 3]], vertices: usize) -> (Vec<u32>, usize) {
    let mut parent: Vec<u32> = (0..vertices as u32).collect();
    for &[a, b, c] in corners {
        join(&mut parent, a, b);
        join(&mut parent, a, c);
    }
    let mut number = vec![u32::MAX; vertices];
    let mut count = 0;
    let ids = corners
        .iter()
        .map(|&[a, ..]| {
            let id = &mut number[root(&mut parent, a) as usize];
            if *id == u32::MAX {
                *id = count;
                count += 1;
            }
            *id
        })
        .collect();
    (ids, count as usize)
}

/// Makes two trees of a union–find forest one; the lower root stays.
pub(crate) fn join(parent: &mut [u32], p: u32, q: u32) {
    // Neighbours mostly have the same parent already.
    if parent[p as usize] != parent[q as usize] {
        let (p, q) = (root(parent, p), root(parent, q));
        parent[p.max(q) as usize] = p.min(q);
    }
}

/// The root of a tree in a union–find forest, with path halving.
pub(crate) fn root(parent: &mut [u32], vertex: u32) -> u32 {
    let mut v = vertex;
    while parent[v as usize] != v {
        let grandparent = parent[parent[v as usize] as usize];
        parent[v as usize] = grandparent;
        v = grandparent;
    }
    v
}

fn area_and_volume(mesh: &Mesh) -> (f64, f64) {
    // Seen from the middle of the box the tetrahedra are small, and so is what rounding loses.
    let middle = DVec3::from(mesh.bounds().center());
    let (mut double_area, mut six_volumes) = (0.0, 0.0);
    for i in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.triangle(i as u32).map(|p| DVec3::from(p) - middle);
        double_area += (b - a).cross(c - a).length();
        six_volumes += a.dot(b.cross(c));
    }
    (double_area / 2.0, six_volumes / 6.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CUBE: [[u32; 3]; 12] = [
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];

    fn cube_vertices(shift: f64) -> Vec<Point> {
        (0..8).map(|i| [0, 1, 2].map(|k| f64::from((i >> k) & 1) + shift)).collect()
    }

    fn cube() -> Mesh {
        Mesh::new(cube_vertices(0.0), CUBE.to_vec()).unwrap()
    }

    #[test]
    fn a_cube_is_closed_oriented_and_has_volume_one() {
        let found = Topology::of(&cube());
        assert!(found.closed && found.watertight_manifold && found.oriented);
        assert_eq!((found.signed_volume, found.component_count), (1.0, 1));
        assert!((found.area - 6.0).abs() < 1e-14);
        assert_eq!((found.open_edges, found.duplicate_faces, found.degenerate_faces), (0, 0, 0));
    }

    #[test]
    fn a_cube_without_shared_vertices_is_the_same_cube() {
        let soup: Vec<Point> = (0..12).flat_map(|i| cube().triangle(i)).collect();
        let negative_zeros = soup.iter().map(|p| p.map(|x| if x == 0.0 { -x } else { x }));
        let vertices: Vec<Point> = soup.iter().copied().chain(negative_zeros).collect();
        let triangles = (0..24).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let twice = Topology::of(&Mesh::new(vertices.clone(), triangles).unwrap());
        assert_eq!((twice.duplicate_faces, twice.non_manifold_edges), (12, 18));
        assert!(twice.closed && twice.oriented && !twice.watertight_manifold);
        assert_eq!(twice.component_count, 1);
        let once = (0..12).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let once = Topology::of(&Mesh::new(vertices, once).unwrap());
        assert!(once.watertight_manifold && once.oriented);
        assert_eq!(once.unused_vertices, 36);
    }

    #[test]
    fn a_missing_and_a_turned_face_are_found() {
        let open = Topology::of(&Mesh::new(cube_vertices(0.0), CUBE[1..].to_vec()).unwrap());
        assert_eq!((open.open_edges, open.closed, open.oriented), (3, false, true));
        let mut turned = CUBE;
        turned[4].swap(0, 1);
        let turned = Topology::of(&Mesh::new(cube_vertices(0.0), turned.to_vec()).unwrap());
        assert_eq!(turned.orientation_conflicts, 3);
        assert!(turned.closed && turned.watertight_manifold && !turned.oriented);
    }

    #[test]
    fn cubes_that_share_an_edge_are_closed_but_no_manifold() {
        let mut vertices = cube_vertices(0.0);
        vertices.extend(cube_vertices(0.0).iter().map(|[x, y, z]| [x + 1.0, y + 1.0, *z]));
        let mut triangles = CUBE.to_vec();
        triangles.extend(CUBE.map(|t| t.map(|v| v + 8)));
        let found = Topology::of(&Mesh::new(vertices, triangles).unwrap());
        assert_eq!((found.non_manifold_edges, found.component_count), (1, 1));
        assert!(found.closed && found.oriented && !found.watertight_manifold);
    }

    #[test]
    fn components_are_numbered_by_their_first_triangle() {
        let vertices = [cube_vertices(5.0), cube_vertices(0.0)].concat();
        let mut triangles = CUBE.to_vec();
        triangles.extend(CUBE.map(|t| t.map(|v| v + 8)));
        triangles.swap(1, 20);
        let found = Topology::of(&Mesh::new(vertices, triangles).unwrap());
        assert_eq!(found.component_count, 2);
        assert_eq!(&found.components[..3], [0, 1, 0]);
        assert_eq!(found.components.iter().filter(|&&id| id == 1).count(), 12);
    }

    /// A tetrahedron whose edge 0–1 has a vertex in its middle on one side only.
    #[test]
    fn a_t_joint_closes_with_a_flat_face_and_a_spare_flat_face_opens_nothing() {
        let mut vertices =
            vec![[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0], [1.0, 0.0, 0.0]];
        let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let with_joint = vec![[0, 2, 4], [4, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let open = Topology::of(&Mesh::new(vertices.clone(), with_joint.clone()).unwrap());
        assert_eq!((open.open_edges, open.closed), (3, false));
        let filled = [with_joint, vec![[0, 4, 1]]].concat();
        let filled = Topology::of(&Mesh::new(vertices.clone(), filled).unwrap());
        assert!(filled.closed && filled.watertight_manifold && filled.oriented);
        assert_eq!(filled.degenerate_faces, 1);
        vertices.push([1.0, 1.0, 0.0]);
        let spare = [tetrahedron.to_vec(), vec![[1, 2, 5], [3, 3, 0]]].concat();
        let spare = Topology::of(&Mesh::new(vertices, spare).unwrap());
        assert!(spare.closed && spare.watertight_manifold);
        assert_eq!(spare.degenerate_faces, 2);
    }

    #[test]
    fn hashes_of_grids_do_not_cluster() {
        for scale in [1.0, 0.1, 1e-3, 2f64.powi(-20)] {
            let at = |i: i32| [i % 32, i / 32 % 32, i / 1024].map(|k| f64::from(k - 16) * scale);
            let points: Vec<Point> = (0..32_768).map(at).collect();
            assert_eq!(merge_by_table(&points), Some((0..32_768).collect()), "{scale}");
        }
    }

    proptest! {
        #[test]
        fn merging_agrees_with_comparing_all_positions(
            points in prop::collection::vec(prop::array::uniform3(-1..2i32), 1..60)
        ) {
            // Half of the zeros are negative.
            let signed = |i, x: i32| if i % 2 == 0 { -f64::from(x) } else { f64::from(-x) };
            let points: Vec<Point> = points
                .iter()
                .enumerate()
                .map(|(i, p)| p.map(|x| signed(i, x)))
                .collect();
            let brute: Vec<u32> = points
                .iter()
                .map(|p| points.iter().position(|q| q == p).unwrap() as u32)
                .collect();
            prop_assert_eq!(&merge(&points), &brute);
            prop_assert_eq!(&merge_by_sorting(&points), &brute);
            if let Some(by_table) = merge_by_table(&points) {
                prop_assert_eq!(&by_table, &brute);
            }
        }
    }
}
