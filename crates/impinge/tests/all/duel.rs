//! Engines against each other: meshes of many kinds, poses near contact, and what answers must
//! have in common whoever gives them.

#![allow(dead_code, reason = "each test file takes what it needs")]

use crate::random::Random;
use impinge::contract::answer::{Answer, Answers};
use impinge::contract::engine::{Engine, Scratch};
use impinge::contract::job::{Batch, Job, Placed, Placement};
use impinge::narrow;
use impinge::prelude::*;
use impinge_geom::distance::triangle_triangle;
use impinge_geom::{Point, Triangle};
use std::sync::Arc;

/// Two shapes: A is shape 0, B is shape 1.
pub(crate) struct Couple {
    pub(crate) name: String,
    pub(crate) meshes: [Arc<Mesh>; 2],
}

impl Couple {
    pub(crate) fn new(name: &str, a: Mesh, b: Mesh) -> Self {
        Self { name: name.to_owned(), meshes: [Arc::new(a), Arc::new(b)] }
    }

    /// Half the diagonal of the bounds of both.
    pub(crate) fn radii(&self) -> [f64; 2] {
        self.meshes.each_ref().map(|mesh| {
            let bounds = mesh.bounds();
            let sides = (0..3).map(|k| bounds.max[k] - bounds.min[k]);
            0.5 * sides.map(|side| side * side).sum::<f64>().sqrt()
        })
    }

    /// An engine that knows both.
    pub(crate) fn engine(&self, name: &str) -> Box<dyn Engine> {
        let mut engine = narrow::by_name(name).expect("it is registered");
        for (id, mesh) in (0..).zip(&self.meshes) {
            engine.prepare(ShapeId(id), mesh).expect("every engine takes it");
        }
        engine
    }

    /// A triangle of each at their places.
    pub(crate) fn posed(&self, job: &Job, triangles: [u32; 2]) -> [Triangle; 2] {
        let places = [&job.a, &job.b];
        [0, 1].map(|side: usize| {
            let pose = places[side].placement.end();
            let mesh = &self.meshes[places[side].shape.0 as usize];
            mesh.triangle(triangles[side]).map(|corner| pose.apply(&corner))
        })
    }
}

/// A at one pose, B at another.
pub(crate) fn job(poses: [Pose; 2]) -> Job {
    let [a, b] = [0, 1]
        .map(|k: usize| Placed { shape: ShapeId(k as u32), placement: Placement::Fixed(poses[k]) });
    Job { a, b, itself: false, memory: None, priority: 1.0 }
}

/// A against itself.
pub(crate) fn itself(pose: Pose) -> Job {
    let a = Placed { shape: ShapeId(0), placement: Placement::Fixed(pose) };
    Job { a: a.clone(), b: a, itself: true, memory: None, priority: 1.0 }
}

/// All answers of an engine that has forgotten everything.
pub(crate) fn ask(engine: &dyn Engine, jobs: &[Job], query: &Query) -> (Answers, Progress) {
    let mut answers = Answers::default();
    let mut scratch = Scratch::default();
    let batch = Batch { jobs, query };
    let progress = engine.collide(&batch, &mut scratch, &mut answers.refill());
    assert_eq!(answers.all().len(), jobs.len());
    (answers, progress)
}

/// What must be the same: verdict, triangles, contacts and, within 1e-12 of the size, clearance.
pub(crate) fn assert_alike(context: &str, size: f64, [one, other]: [(&Answers, &Answer); 2]) {
    let [x, y] = [one.1, other.1];
    assert_eq!(x.verdict, y.verdict, "{context}");
    assert_eq!((x.complete, x.time), (y.complete, y.time), "{context}");
    assert_eq!(one.0.triangle_pairs(x), other.0.triangle_pairs(y), "{context}");
    assert_eq!(one.0.contacts(x), other.0.contacts(y), "{context}");
    assert_eq!(x.clearance.is_some(), y.clearance.is_some(), "{context}: {x:?} {y:?}");
    let (Some(p), Some(q)) = (x.clearance, y.clearance) else { return };
    let off = 1e-12 * size;
    assert!((p.at_most - q.at_most).abs() <= off, "{context}: {p:?} {q:?}");
    assert!(p.at_least <= q.at_most && q.at_least <= p.at_most, "{context}: {p:?} {q:?}");
    for one in [p, q] {
        assert!(0.0 <= one.at_least && one.at_least <= one.at_most, "{context}: {one:?}");
        assert!(one.at_most - one.at_least <= off, "{context}: {one:?}");
    }
}

/// A clearance names points of the triangles it names, and they are as far apart as it says.
pub(crate) fn assert_witnessed(context: &str, size: f64, [a, b]: [Triangle; 2], found: &Clearance) {
    let true_one = triangle_triangle(&a, &b);
    assert!(true_one.lo <= found.at_most && found.at_least <= true_one.hi, "{context}: {found:?}");
    let [p, q] = found.points;
    let apart = (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
    let coordinates = p.iter().chain(&q).fold(0.0f64, |most, x| most.max(x.abs()));
    let off = 1e-12 * size + 8.0 * f64::EPSILON * coordinates;
    assert!((apart - found.at_most).abs() <= off, "{context}: {apart} {found:?}");
}

impl Random {
    /// In -1..1.
    pub(crate) fn symmetric(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    pub(crate) fn vector(&mut self, length: f64) -> Point {
        loop {
            let v: Point = std::array::from_fn(|_| self.symmetric());
            let square: f64 = v.iter().map(|x| x * x).sum();
            if (0.01..=1.0).contains(&square) {
                return v.map(|x| x * (length / square.sqrt()));
            }
        }
    }

    pub(crate) fn quaternion(&mut self) -> [f64; 4] {
        loop {
            let q: [f64; 4] = std::array::from_fn(|_| self.symmetric());
            let square: f64 = q.iter().map(|x| x * x).sum();
            if (0.01..=1.0).contains(&square) {
                return q;
            }
        }
    }

    /// One of the 24 turns of a cube, or one that is not quite it.
    pub(crate) fn right_angles(&mut self) -> [f64; 4] {
        let quarter = |random: &mut Self| [1.0, 0.0, -1.0][(random.next() % 3) as usize];
        loop {
            let q: [f64; 4] = std::array::from_fn(|_| quarter(self));
            if q.iter().any(|&x| x != 0.0) {
                return q;
            }
        }
    }
}

/// The sample of that name.
pub(crate) fn sample(name: &str) -> Mesh {
    impinge_samples::build_mesh(name).unwrap_or_else(|error| panic!("{error}"))
}

/// Corner by corner.
pub(crate) fn soup(triangles: &[Triangle]) -> Mesh {
    let corners: Vec<Point> = triangles.iter().flatten().copied().collect();
    let indices = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(corners, indices).expect("at least one triangle of finite corners")
}

/// Triangles of very different sizes all over a ball, slivers, segments and points among them.
pub(crate) fn litter(count: usize, seed: u64) -> Mesh {
    let mut random = Random(seed);
    let triangles: Vec<Triangle> = (0..count)
        .map(|i| {
            let (place, size) = (random.vector(1.0), 10f64.powf(-3.0 * random.unit()));
            let place = place.map(|x| x * random.unit());
            let mut corners = [(); 3].map(|()| {
                let way = random.vector(size);
                std::array::from_fn(|k| place[k] + way[k])
            });
            match i % 16 {
                0 => corners[2] = corners[1],
                1 => corners = [corners[0]; 3],
                2 => corners[2] = std::array::from_fn(|k| 0.5 * (corners[0][k] + corners[1][k])),
                3 => corners[2] = corners[1].map(|x| x + 1e-9),
                _ => {}
            }
            corners
        })
        .collect();
    soup(&triangles)
}

/// A square of side 2 about the origin, in the plane z = 0, of `2 · steps²` triangles.
pub(crate) fn plate(steps: usize) -> Mesh {
    let at = |i: usize| 2.0 * i as f64 / steps as f64 - 1.0;
    let corner = |i: usize, j: usize| [at(i), at(j), 0.0];
    let mut triangles = Vec::new();
    for (i, j) in (0..steps).flat_map(|i| (0..steps).map(move |j| (i, j))) {
        let [p, q] = [corner(i, j), corner(i + 1, j)];
        let [r, s] = [corner(i + 1, j + 1), corner(i, j + 1)];
        triangles.extend([[p, q, r], [p, r, s]]);
    }
    soup(&triangles)
}

/// Several meshes as one.
pub(crate) fn joined(meshes: &[Mesh]) -> Mesh {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for mesh in meshes {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(mesh.vertices());
        triangles.extend(mesh.triangles().iter().map(|corners| corners.map(|v| v + first)));
    }
    Mesh::new(vertices, triangles).expect("the parts are meshes")
}

/// `scale · vertex + shift`.
pub(crate) fn moved(mesh: &Mesh, scale: f64, shift: Point) -> Mesh {
    let place = |v: &Point| std::array::from_fn(|k| v[k] * scale + shift[k]);
    mesh.with_vertices(mesh.vertices().iter().map(place).collect()).expect("still finite")
}

/// The same, inside out.
pub(crate) fn inverted(mesh: &Mesh) -> Mesh {
    let turned = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    Mesh::new(mesh.vertices().to_vec(), turned).expect("the same vertices")
}

/// A bar with teeth along x: many parallel, coplanar and equal faces.
pub(crate) fn comb(teeth: usize) -> Mesh {
    let tooth = sample("box?x=0.125&y=0.25&z=1");
    let mut parts = vec![sample("box?x=2&y=0.25&z=0.25")];
    let step = 2.0 / teeth as f64;
    parts.extend((0..teeth).map(|i| moved(&tooth, 1.0, [step * (i as f64 + 0.5) - 1.0, 0.0, 0.5])));
    joined(&parts)
}

/// A thick ball with nothing in it, and a small ball in the hollow.
pub(crate) fn nested() -> Mesh {
    let ball = sample("sphere?faces=80");
    joined(&[ball.clone(), inverted(&moved(&ball, 0.75, [0.0; 3])), moved(&ball, 0.25, [0.0; 3])])
}
