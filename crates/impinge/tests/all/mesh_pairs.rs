//! Truth on real meshes: three mesh pairs in 200 poses each, with every intersecting triangle pair.
//!
//! The data has integer vertices and leaves out zero-area triangles, and so does the comparison.

use crate::{data, engines};
use impinge_geom::Triangle;
use std::path::Path;

/// One file of the collection; vertices are small integers, exact in f64.
struct Case {
    a: Surface,
    b_triangles: Vec<[u32; 3]>,
    poses: Vec<Pose>,
}

struct Pose {
    b_vertices: Vec<[i32; 3]>,
    pairs: Vec<[u32; 2]>,
}

/// The triangles that have an area, and their numbers in the file.
struct Surface {
    numbers: Vec<u32>,
    triangles: Vec<Triangle>,
}

impl Surface {
    fn new(vertices: &[[i32; 3]], triangles: &[[u32; 3]]) -> Self {
        let corners = |t: &[u32; 3]| t.map(|v| vertices[v as usize].map(i64::from));
        let kept = (0u32..).zip(triangles.iter().map(corners)).filter(|(_, t)| has_area(t));
        let (numbers, triangles) =
            kept.map(|(i, t)| (i, t.map(|point| point.map(|x| x as f64)))).unzip();
        Self { numbers, triangles }
    }
}

fn has_area([a, b, c]: &[[i64; 3]; 3]) -> bool {
    let [u, v]: [[i64; 3]; 2] = [b, c].map(|p| std::array::from_fn(|k| p[k] - a[k]));
    (0..3).any(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        i128::from(u[i]) * i128::from(v[j]) != i128::from(u[j]) * i128::from(v[i])
    })
}

/// Reads little-endian words one after the other.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn next(&mut self) -> u32 {
        let (word, rest) = self.0.split_first_chunk().expect("the file ends too early");
        self.0 = rest;
        u32::from_le_bytes(*word)
    }

    fn triples(&mut self, count: u32) -> Vec<[u32; 3]> {
        (0..count).map(|_| [self.next(), self.next(), self.next()]).collect()
    }

    fn points(&mut self, count: u32) -> Vec<[i32; 3]> {
        self.triples(count).into_iter().map(|words| words.map(u32::cast_signed)).collect()
    }
}

fn read(path: &Path) -> Case {
    let bytes = std::fs::read(path).unwrap();
    let mut words = Words(bytes.strip_prefix(b"MPEX1\0\0\0").expect("not an .mpx file"));
    let [vertices_a, count_a, vertices_b, count_b, poses] = [(); 5].map(|()| words.next());
    let points_a = words.points(vertices_a);
    let (triangles_a, b_triangles) = (words.triples(count_a), words.triples(count_b));
    let mut pose = || {
        let b_vertices = words.points(vertices_b);
        let count = words.next();
        Pose { b_vertices, pairs: (0..count).map(|_| [words.next(), words.next()]).collect() }
    };
    let poses = (0..poses).map(|_| pose()).collect();
    assert!(words.0.is_empty(), "{} bytes are left over", words.0.len());
    Case { a: Surface::new(&points_a, &triangles_a), b_triangles, poses }
}

#[test]
fn all_poses_give_exactly_the_listed_pairs() {
    let Some(folder) = data::folder("mesh-pairs") else { return };
    let mut poses = 0;
    for name in ["fclenv-fclrob", "sphere-chairwood", "venus-shuttle"] {
        let case = read(&folder.join(name).with_extension("mpx"));
        let mut total = 0;
        for (number, pose) in case.poses.iter().enumerate() {
            let b = Surface::new(&pose.b_vertices, &case.b_triangles);
            let found: Vec<[u32; 2]> = engines::pairs(&case.a.triangles, &b.triangles)
                .iter()
                .map(|&[i, j]| [case.a.numbers[i as usize], b.numbers[j as usize]])
                .collect();
            assert_eq!(found, pose.pairs, "{name}, pose {number}");
            total += found.len();
        }
        println!("{name}: {} poses, {total} triangle pairs", case.poses.len());
        poses += case.poses.len();
    }
    assert_eq!(poses, 600);
}
