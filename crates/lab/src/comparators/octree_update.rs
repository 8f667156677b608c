//! Octree update [K98 §5.2]: each rigid body has a complete face octree, made beforehand, whose black
//! nodes stand for its faces at run time.
//!
//! Per cycle: boxes of all bodies against each other; the black nodes, taken along as the cubes that
//! they are, against the overlap regions (the node checklist); the cubes that are left against the
//! standard octree of the world, which is subdivided where cubes of two bodies meet; in its voxels all
//! pairs of faces of the nodes' lists, each once; the exact test of faces. The answers are those of
//! brute force, since a cube grown by `MARGIN` holds what it is to hold in spite of rounding.
//!
//! What the paper leaves open: a body's octree has the body's own cube for a root, of a side that is
//! the world's halved some times, so that its black nodes are as large as the world's voxels. That a
//! pair of faces was met before is told by a table of bits for each two bodies that come together:
//! quick, and of a size that only bodies of some thousand faces allow.

mod cube;

use anyhow::{Result, ensure};
use cube::{Cube, Turned};
use impinge_geom::aabb::Aabb;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_geom::{Point, Triangle, tri_box, tri_tri};
use std::sync::Arc;

/// Cubes are taken to be larger by this part of the world's side.
const MARGIN: f64 = 1e-12;
/// Finer voxels would only cost memory: 2¹⁰ to the side.
const LEVEL_MAX: u32 = 10;

/// The world cube and how fine it is divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The middle of the world.
    pub center: Point,
    /// The side of the world.
    pub side: f64,
    /// Voxels have the side divided by 2 to this power; the paper has 6.
    pub level: u32,
}

/// The complete face octree of a mesh: its black nodes, and the faces in each.
#[derive(Clone, Debug)]
pub struct FaceOctree {
    mesh: Arc<Mesh>,
    half: f64,
    nodes: Vec<Point>,
    /// The faces of node `i` are `faces[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    faces: Vec<u32>,
    tests: u64,
}

/// What was done in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Black nodes held against overlap regions.
    pub region_tests: u64,
    /// Black nodes on the checklist.
    pub listed: u64,
    /// Black nodes held against standard cells.
    pub cell_tests: u64,
    /// Pairs of faces that the lists gave, with all repetitions.
    pub listed_pairs: u64,
    /// Different pairs of faces, all of which are tested.
    pub face_tests: u64,
}

/// A pair of faces that intersect: the two bodies, the lower number first, and a face of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FacePair {
    /// The bodies.
    pub bodies: [u32; 2],
    /// The faces.
    pub faces: [u32; 2],
}

/// Bodies with their octrees.
#[derive(Debug)]
pub struct OctreeUpdate {
    params: Params,
    bodies: Vec<Arc<FaceOctree>>,
    posed: Vec<Vec<Point>>,
    boxes: Vec<Aabb>,
    checklist: Vec<Black>,
    found: Vec<FacePair>,
    /// By pair of bodies, row by row: a bit for each pair of their faces, made when first needed.
    seen: Vec<Vec<u64>>,
    work: Work,
}

/// A black node on its way through the cells.
#[derive(Clone, Copy, Debug)]
struct Black {
    body: u32,
    node: u32,
    center: Point,
}

/// A cell of the standard octree; its nodes are the last so many of the stack of nodes.
struct Cell {
    cube: Cube,
    level: u32,
    nodes: std::ops::Range<usize>,
}

impl FaceOctree {
    /// Divides a cube around the mesh down to the voxels of the world, wherever there are faces.
    pub fn of(mesh: Arc<Mesh>, params: &Params) -> Result<Self> {
        let Params { side, level, .. } = *params;
        ensure!(level <= LEVEL_MAX, "level {level} is too fine; the finest is {LEVEL_MAX}");
        let bounds = mesh.bounds();
        let extent = bounds.size().into_iter().fold(0.0, f64::max);
        ensure!(extent < side, "a mesh of extent {extent} in a world of side {side}");
        let mut root = Cube { center: bounds.center(), half: side / 2.0 };
        let mut depth = level;
        while depth > 0 && extent <= root.half {
            (root.half, depth) = (root.half / 2.0, depth - 1);
        }
        let half = side / 2.0 / f64::from(1u32 << level);
        let mut made =
            Self { mesh, half, nodes: Vec::new(), starts: vec![0], faces: Vec::new(), tests: 0 };
        made.divide(root, depth, side * MARGIN);
        Ok(made)
    }

    /// Depth first, with a stack of cells that hold faces.
    fn divide(&mut self, root: Cube, depth: u32, margin: f64) {
        let all: Vec<u32> = (0..self.mesh.triangles().len() as u32).collect();
        let mut stack = vec![(root, depth, all)];
        while let Some((cube, left, faces)) = stack.pop() {
            if faces.is_empty() {
                continue;
            }
            if left == 0 {
                self.nodes.push(cube.center);
                self.faces.extend(faces);
                self.starts.push(self.faces.len() as u32);
                continue;
            }
            for child in cube.children() {
                let bounds = child.bounds().grown(margin);
                let meets = |&face: &u32| tri_box::sat(&self.mesh.triangle(face), &bounds);
                self.tests += faces.len() as u64;
                stack.push((child, left - 1, faces.iter().copied().filter(meets).collect()));
            }
        }
    }

    /// The number of black nodes.
    pub fn black_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The memory of nodes and lists.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.starts[..]) + size_of_val(&self.faces[..])
    }

    /// Tests of a face against a cell that it took to make it.
    pub fn tests(&self) -> u64 {
        self.tests
    }

    fn faces(&self, node: u32) -> &[u32] {
        let [from, to] = [node, node + 1].map(|n| self.starts[n as usize] as usize);
        &self.faces[from..to]
    }
}

impl OctreeUpdate {
    /// Bodies whose octrees were made with the same parameters.
    pub fn new(bodies: Vec<Arc<FaceOctree>>, params: Params) -> Self {
        let pairs = bodies.len() * bodies.len().saturating_sub(1) / 2;
        Self {
            params,
            posed: vec![Vec::new(); bodies.len()],
            boxes: Vec::new(),
            checklist: Vec::new(),
            found: Vec::new(),
            seen: vec![Vec::new(); pairs],
            work: Work::default(),
            bodies,
        }
    }

    /// All pairs of faces of different bodies that intersect, sorted. All bodies must be within the
    /// world.
    pub fn step(&mut self, poses: &[Pose]) -> Result<&[FacePair]> {
        assert_eq!(poses.len(), self.bodies.len(), "a pose for each body");
        self.work = Work::default();
        self.place(poses)?;
        self.list(poses);
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        self.subdivide(poses, &mut found);
        found.iter().for_each(|pair| self.forget(pair));
        found.sort_unstable();
        self.found = found;
        let tests = self.found.len() as u64;
        self.work.face_tests = tests;
        let (bodies, posed) = (&self.bodies, &self.posed);
        let triangle = |body: u32, face: u32| -> Triangle {
            let corners = bodies[body as usize].mesh.triangles()[face as usize];
            corners.map(|v| posed[body as usize][v as usize])
        };
        self.found.retain(|pair| {
            let [a, b] = [0, 1].map(|k| triangle(pair.bodies[k], pair.faces[k]));
            Aabb::around(&a).overlaps(&Aabb::around(&b)) && tri_tri::intersect(&a, &b)
        });
        Ok(&self.found)
    }

    /// The work of the last cycle.
    pub fn work(&self) -> Work {
        self.work
    }

    /// Vertices and boxes of all bodies [K98 §3.3].
    fn place(&mut self, poses: &[Pose]) -> Result<()> {
        self.boxes.clear();
        let world = Cube { center: self.params.center, half: self.params.side / 2.0 }.bounds();
        for (k, (body, posed)) in self.bodies.iter().zip(&mut self.posed).enumerate() {
            posed.clear();
            posed.extend(body.mesh.vertices().iter().map(|v| poses[k].apply(v)));
            let bounds = Aabb::around(posed.iter());
            let is_within = world.contains(&bounds.min) && world.contains(&bounds.max);
            ensure!(is_within, "body {k} leaves the world cube");
            self.boxes.push(bounds);
        }
        Ok(())
    }

    /// Black nodes that meet an overlap region of their body.
    fn list(&mut self, poses: &[Pose]) {
        self.checklist.clear();
        let margin = self.params.side * MARGIN;
        let mut regions: Vec<Aabb> = Vec::new();
        for (k, body) in self.bodies.iter().enumerate() {
            regions.clear();
            let others = self.boxes.iter().enumerate().filter(|(other, _)| *other != k);
            let overlaps = others.map(|(_, other)| self.boxes[k].intersection(other));
            regions.extend(overlaps.filter(|region| !region.is_empty()));
            if regions.is_empty() {
                continue;
            }
            let turned = Turned::new(&poses[k], body.half + margin);
            for (node, center) in body.nodes.iter().enumerate() {
                let center = poses[k].apply(center);
                let meets = |region: &Aabb| {
                    self.work.region_tests += 1;
                    turned.meets(
                        &center,
                        &region.center(),
                        &region.size().map(|x| 0.5 * x + margin),
                    )
                };
                if regions.iter().any(meets) {
                    self.checklist.push(Black { body: k as u32, node: node as u32, center });
                }
            }
        }
        self.work.listed = self.checklist.len() as u64;
    }

    /// The standard octree of the nodes on the checklist: different pairs of faces from its voxels.
    fn subdivide(&mut self, poses: &[Pose], pairs: &mut Vec<FacePair>) {
        let Params { center, side, level } = self.params;
        let halves = self.bodies.iter().map(|body| body.half + side * MARGIN);
        let turned: Vec<Turned> =
            poses.iter().zip(halves).map(|(pose, half)| Turned::new(pose, half)).collect();
        // The nodes of all cells on the stack, one list for them all.
        let mut nodes: Vec<u32> = (0..self.checklist.len() as u32).collect();
        let cube = Cube { center, half: side / 2.0 };
        let mut stack = vec![Cell { cube, level: 0, nodes: 0..nodes.len() }];
        while let Some(cell) = stack.pop() {
            let range = cell.nodes.clone();
            let of = |n: u32| self.checklist[n as usize].body;
            // Nodes are listed body by body, and stay in that order.
            if range.is_empty() || of(nodes[range.start]) == of(nodes[range.end - 1]) {
                continue;
            }
            if cell.level == level {
                self.pair_up(&nodes[range], pairs);
                continue;
            }
            // What lies behind belonged to cells that are done with.
            nodes.truncate(range.end);
            for child in cell.cube.children() {
                let start = nodes.len();
                let half = [child.half + side * MARGIN; 3];
                for k in range.clone() {
                    let black = &self.checklist[nodes[k] as usize];
                    self.work.cell_tests += 1;
                    if turned[black.body as usize].meets(&black.center, &child.center, &half) {
                        nodes.push(nodes[k]);
                    }
                }
                let nodes = start..nodes.len();
                stack.push(Cell { cube: child, level: cell.level + 1, nodes });
            }
        }
    }

    /// All pairs of faces of different bodies in a voxel, unless another voxel had them.
    fn pair_up(&mut self, nodes: &[u32], pairs: &mut Vec<FacePair>) {
        for (i, &n) in nodes.iter().enumerate() {
            let a = self.checklist[n as usize];
            for &m in &nodes[i + 1..] {
                let b = self.checklist[m as usize];
                if a.body != b.body {
                    self.pair_faces([a, b], pairs);
                }
            }
        }
    }

    /// All pairs of faces of two black nodes that are met for the first time.
    fn pair_faces(&mut self, [a, b]: [Black; 2], pairs: &mut Vec<FacePair>) {
        let bodies = [a.body, b.body];
        let [of_a, of_b] = bodies.map(|k| &self.bodies[k as usize]);
        let width = of_b.mesh.triangles().len();
        let seen = &mut self.seen[row(bodies)];
        if seen.is_empty() {
            seen.resize((of_a.mesh.triangles().len() * width).div_ceil(64), 0);
        }
        for &face_a in of_a.faces(a.node) {
            for &face_b in of_b.faces(b.node) {
                self.work.listed_pairs += 1;
                let bit = face_a as usize * width + face_b as usize;
                if seen[bit / 64] >> (bit % 64) & 1 == 0 {
                    seen[bit / 64] |= 1 << (bit % 64);
                    pairs.push(FacePair { bodies, faces: [face_a, face_b] });
                }
            }
        }
    }

    /// Makes ready for the next cycle.
    fn forget(&mut self, pair: &FacePair) {
        let width = self.bodies[pair.bodies[1] as usize].mesh.triangles().len();
        let bit = pair.faces[0] as usize * width + pair.faces[1] as usize;
        self.seen[row(pair.bodies)][bit / 64] = 0;
    }
}

/// Where a pair of bodies, the lower number first, stands among all.
fn row([low, high]: [u32; 2]) -> usize {
    let (low, high) = (low as usize, high as usize);
    high * (high - 1) / 2 + low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::near::Random;
    use impinge::narrow;
    use impinge::prelude::*;
    use impinge_samples::build_mesh;

    const WORLD: Params = Params { center: [0.0; 3], side: 16.0, level: 6 };

    /// The pairs of `brute`, by a world of its own.
    fn truth(meshes: &[Arc<Mesh>], poses: &[Pose]) -> Vec<FacePair> {
        let pruner = impinge::broad::by_name("brute").unwrap();
        let mut world = World::with(pruner, narrow::by_name("brute").unwrap());
        let shapes = world.add_shapes(meshes).unwrap();
        let mut ids = Vec::new();
        for (shape, pose) in shapes.into_iter().zip(poses) {
            ids.push(world.insert(Body::new(shape).at(*pose)).unwrap());
        }
        let number = |id: BodyId| ids.iter().position(|known| *known == id).unwrap() as u32;
        let report = world.step(&Query::PAIRS);
        let pairs = report.hits().flat_map(|pair| {
            let bodies = [number(pair.a), number(pair.b)];
            pair.triangle_pairs.iter().map(move |&faces| FacePair { bodies, faces })
        });
        let mut pairs: Vec<FacePair> = pairs.collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn pairs_are_those_of_brute_force_at_every_level() {
        let names =
            ["bumpy-sphere?faces=360", "torus?segments=16&sides=10", "box", "sphere?faces=120"];
        let meshes = names.map(|name| Arc::new(build_mesh(name).unwrap()));
        let mut random = Random::of([2, 7, 1]);
        let mut found = 0;
        for round in 0..14u32 {
            let params = Params { level: round % 7, ..WORLD };
            let octrees =
                meshes.iter().map(|m| Arc::new(FaceOctree::of(m.clone(), &params).unwrap()));
            let mut update = OctreeUpdate::new(octrees.collect(), params);
            let poses: Vec<Pose> = (0..meshes.len())
                .map(|_| {
                    let place = [(); 3].map(|()| random.between([-1.2, 1.2]));
                    // On the lattice of the world's cells, and turned.
                    if round % 3 == 0 {
                        return Pose::shift(place.map(f64::round)).unwrap();
                    }
                    Pose::new(random.on_sphere::<4>(), place).unwrap()
                })
                .collect();
            let want = truth(&meshes, &poses);
            assert_eq!(update.step(&poses).unwrap(), want);
            found += want.len();
        }
        assert!(found > 1000, "{found}");
    }

    #[test]
    fn every_face_is_in_the_octree_and_in_no_more_nodes_than_it_meets() {
        let mesh = Arc::new(build_mesh("torus?segments=16&sides=10").unwrap());
        let octree = FaceOctree::of(mesh.clone(), &WORLD).unwrap();
        let mut seen = vec![false; mesh.triangles().len()];
        for node in 0..octree.black_nodes() as u32 {
            let center = octree.nodes[node as usize];
            let cube = Cube { center, half: octree.half * 1.000_001 };
            for &face in octree.faces(node) {
                seen[face as usize] = true;
                assert!(tri_box::sat(&mesh.triangle(face), &cube.bounds()));
            }
        }
        assert!(seen.iter().all(|&seen| seen));
        assert!(octree.bytes() > 24 * octree.black_nodes() && octree.tests() > 300);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mesh = Arc::new(build_mesh("box").unwrap());
        let of = |params: Params| FaceOctree::of(mesh.clone(), &params);
        assert!(of(Params { side: 0.5, ..WORLD }).is_err());
        assert!(of(Params { level: 30, ..WORLD }).is_err());
        let mut update = OctreeUpdate::new(vec![Arc::new(of(WORLD).unwrap())], WORLD);
        assert!(update.step(&[Pose::shift([9.0, 0.0, 0.0]).unwrap()]).is_err());
        assert!(update.step(&[Pose::IDENTITY]).unwrap().is_empty());
    }
}
