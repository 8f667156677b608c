//! Voxels of published solids against published answers: grids of points around four solids.

use impinge_geom::Point;
use impinge_geom::distance::point_triangle;
use impinge_geom::mesh::Mesh;
use impinge_geom::topology::Topology;
use impinge_geom::voxels::grid::Grid;
use impinge_geom::voxels::seed;
use impinge_geom::voxels::solid::{Inside, inside};
use std::path::{Path, PathBuf};

/// A solid, the name of its answers, the box of their grid, and the number of nodes along an axis.
type Case = (&'static str, &'static str, [Point; 2], u32);

const FIN: [Point; 2] = [[-10.0, -20.0, 5.0], [10.0, 0.0, 25.0]];

const CASES: [Case; 4] = [
    ("fin0.stl", "fin0_32", FIN, 33),
    ("fin1.stl", "fin1_32", FIN, 33),
    ("fin2.stl", "fin2_32", FIN, 33),
    ("tetrahedron.stl", "tetrahedron_31", [[-5.0; 3], [5.0; 3]], 32),
];

fn folder() -> Option<PathBuf> {
    let Some(data) = std::env::var_os("IMPINGE_DATA") else {
        println!("skipped: IMPINGE_DATA is not set");
        return None;
    };
    Some(PathBuf::from(data).join("point-in-mesh"))
}

fn stl(path: &Path) -> Mesh {
    let bytes = std::fs::read(path).unwrap();
    let number = |b: &[u8; 4]| f64::from(f32::from_le_bytes(*b));
    let numbers: Vec<f64> = match std::str::from_utf8(&bytes) {
        Ok(text) => {
            let corners = text.lines().filter_map(|line| line.trim().strip_prefix("vertex"));
            corners.flat_map(str::split_whitespace).map(|x| x.parse().unwrap()).collect()
        }
        // A record is the normal, three corners and two spare bytes.
        Err(_) => bytes[84..]
            .chunks_exact(50)
            .flat_map(|record| record[12..48].as_chunks::<4>().0.iter().map(number))
            .collect(),
    };
    let vertices = numbers.as_chunks::<3>().0.to_vec();
    let indices = (0..vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(vertices, indices).unwrap()
}

#[test]
fn all_nodes_off_the_surface_are_where_they_are_published_to_be() {
    let Some(folder) = folder() else { return };
    for (file, answers, [low, high], nodes) in CASES {
        let mesh = stl(&folder.join(file));
        let published = std::fs::read(folder.join(format!("{answers}.inside.u8"))).unwrap();
        assert_eq!(published.len(), nodes.pow(3) as usize);
        // The middles of the voxels are the nodes; one voxel more on each side.
        let size = (high[0] - low[0]) / f64::from(nodes - 1);
        let grid = Grid::new(low.map(|x| x - 1.5 * size), size, [nodes + 2; 3]).unwrap();
        let closed = inside(&mesh, grid, Inside::Closed).unwrap();
        assert_eq!(closed, seed::inside(&mesh, grid).unwrap(), "{file}");
        let winding = inside(&mesh, grid, Inside::Winding).unwrap();
        let mut on = 0;
        for (node, &expected) in (0..).zip(&published) {
            let voxel = [node % nodes, node / nodes % nodes, node / nodes.pow(2)].map(|i| i + 1);
            let place = grid.centre(voxel);
            let found = [closed.is_filled(voxel), winding.is_filled(voxel)];
            if found == [expected == 1; 2] {
                continue;
            }
            let triangles = (0..mesh.triangles().len() as u32).map(|i| mesh.triangle(i));
            let distance = triangles.map(|t| point_triangle(&place, &t).lo);
            assert!(distance.fold(f64::INFINITY, f64::min) < 1e-12, "{file} {place:?}: {found:?}");
            on += 1;
        }
        println!("{answers}: {} nodes agree, {on} on the surface do not", published.len());
    }
}

#[test]
fn volumes_converge_to_those_of_the_solids() {
    let Some(folder) = folder() else { return };
    for (file, ..) in CASES {
        let mesh = stl(&folder.join(file));
        let volume = Topology::of(&mesh).signed_volume.abs();
        let error = |resolution: u32| {
            let grid = Grid::of_resolution(&mesh.bounds(), resolution).unwrap();
            let map = inside(&mesh, grid, Inside::Closed).unwrap();
            assert_eq!(map, seed::inside(&mesh, grid).unwrap(), "{file}");
            (map.volume() / volume - 1.0).abs()
        };
        let errors = [25, 100, 400].map(error);
        println!("{file}: {errors:?}");
        assert!(errors[1] < 0.02 && errors[2] < 0.005, "{file}: {errors:?}");
    }
}
