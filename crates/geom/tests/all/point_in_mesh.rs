//! Inside and outside against published answers: grids of points around four solids.

use std::path::{Path, PathBuf};

use impinge_geom::distance::point_triangle;
use impinge_geom::inside::{Location, Ray, locate_along};
use impinge_geom::mesh::Mesh;
use impinge_geom::topology::Topology;
use impinge_geom::winding::winding_number;
use impinge_geom::{Point, Triangle};

/// A solid, the box of its grid, and the number of nodes along each axis.
struct Case {
    stl: &'static str,
    grid: &'static str,
    low: Point,
    high: Point,
    nodes: usize,
}

const FIN_LOW: Point = [-10.0, -20.0, 5.0];
const FIN_HIGH: Point = [10.0, 0.0, 25.0];

const CASES: [Case; 4] = [
    Case { stl: "fin0.stl", grid: "fin0_32", low: FIN_LOW, high: FIN_HIGH, nodes: 33 },
    Case { stl: "fin1.stl", grid: "fin1_32", low: FIN_LOW, high: FIN_HIGH, nodes: 33 },
    Case { stl: "fin2.stl", grid: "fin2_32", low: FIN_LOW, high: FIN_HIGH, nodes: 33 },
    Case {
        stl: "tetrahedron.stl",
        grid: "tetrahedron_31",
        low: [-5.0; 3],
        high: [5.0; 3],
        nodes: 32,
    },
];

impl Case {
    fn node(&self, index: usize) -> Point {
        let steps =
            [index % self.nodes, index / self.nodes % self.nodes, index / self.nodes.pow(2)];
        let last = (self.nodes - 1) as f64;
        std::array::from_fn(|k| self.low[k] + (self.high[k] - self.low[k]) * steps[k] as f64 / last)
    }
}

fn stl(path: &Path) -> Vec<Triangle> {
    let bytes = std::fs::read(path).unwrap();
    let corners: Vec<Point> = match std::str::from_utf8(&bytes) {
        Ok(text) => text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("vertex"))
            .map(text_point)
            .collect(),
        Err(_) => bytes[84..].chunks_exact(50).flat_map(binary_corners).collect(),
    };
    corners.as_chunks::<3>().0.to_vec()
}

fn text_point(text: &str) -> Point {
    let numbers: Vec<f64> = text.split_whitespace().map(|x| x.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

/// A record is the normal, three corners and two spare bytes.
fn binary_corners(record: &[u8]) -> [Point; 3] {
    let numbers = record[12..48].as_chunks::<4>().0;
    std::array::from_fn(|corner| {
        std::array::from_fn(|k| f64::from(f32::from_le_bytes(numbers[3 * corner + k])))
    })
}

fn folder() -> Option<PathBuf> {
    let Some(data) = std::env::var_os("IMPINGE_DATA") else {
        println!("skipped: IMPINGE_DATA is not set");
        return None;
    };
    Some(PathBuf::from(data).join("point-in-mesh"))
}

fn soup_mesh(triangles: &[Triangle]) -> Mesh {
    let indices = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(triangles.as_flattened().to_vec(), indices).unwrap()
}

#[test]
fn all_nodes_off_the_surface_are_where_they_are_published_to_be() {
    let Some(folder) = folder() else { return };
    for case in CASES {
        let triangles = stl(&folder.join(case.stl));
        let inside = std::fs::read(folder.join(format!("{}.inside.u8", case.grid))).unwrap();
        assert_eq!(inside.len(), case.nodes.pow(3));
        let topology = Topology::of(&soup_mesh(&triangles));
        assert!(topology.closed, "{}: {topology:?}", case.stl);
        let mut on = 0;
        for (index, &published) in inside.iter().enumerate() {
            let node = case.node(index);
            let found = Ray::ALL.map(|ray| locate_along(ray, &node, triangles.iter().copied()));
            assert!(found.iter().all(|&there| there == found[0]), "{node:?}: {found:?}");
            if found[0] == Location::On {
                on += 1;
                continue;
            }
            assert_eq!(found[0] == Location::Inside, published == 1, "{} {node:?}", case.stl);
            let winding = winding_number(&node, triangles.iter().copied());
            let round = if found[0] == Location::Inside { 1.0 } else { 0.0 };
            assert!((winding.abs() - round).abs() < 1e-6, "{node:?}: {winding}");
        }
        println!("{}: {} nodes, {on} of them on the surface", case.grid, inside.len());
    }
}

#[test]
fn all_nodes_are_as_far_from_the_surface_as_published() {
    let Some(folder) = folder() else { return };
    for case in CASES {
        let triangles = stl(&folder.join(case.stl));
        let bytes = std::fs::read(folder.join(format!("{}.dist.f64", case.grid))).unwrap();
        let published = bytes.as_chunks::<8>().0.iter().map(|&b| f64::from_le_bytes(b).abs());
        let (mut worst, mut nearest) = (0.0f64, f64::INFINITY);
        for (index, published) in published.enumerate() {
            let node = case.node(index);
            let found = triangles
                .iter()
                .map(|t| point_triangle(&node, t))
                .min_by(|x, y| x.hi.total_cmp(&y.hi))
                .unwrap();
            worst = worst.max((found.hi - published).abs());
            nearest = nearest.min(published);
        }
        println!("{}: differs by {worst:e} at most, nearest node {nearest:e}", case.grid);
        assert!(worst < 1e-12 * 35.0, "{}: {worst:e}", case.grid);
    }
}
