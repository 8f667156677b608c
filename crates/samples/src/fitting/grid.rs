//! Bodies made of cells: boxes between planes, or pieces of rings between radii and angles.
//!
//! A body is the union of some cells of a grid, and its mesh is their common surface: closed and
//! outward whatever the cells, as long as no two meet in an edge alone. Every interval of the grid
//! is cut into `cuts` even steps, so that a shape comes in any fineness.

use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use std::collections::BTreeMap;

/// What the second axis of a grid means.
pub(super) enum Second {
    /// The first one is x; this one has planes y.
    Planes(Vec<f64>),
    /// The first one is the distance from the z axis; here are directions, as cosine and sine.
    /// Between two of them the way is straight, so that a cell is a piece of a prism and distances
    /// are those of its corners.
    Sector(Vec<[f64; 2]>),
    /// The same all around: the last direction is followed by the first.
    Turn(Vec<[f64; 2]>),
}

/// A grid of cells.
pub(super) struct Grid {
    pub(super) first: Vec<f64>,
    pub(super) second: Second,
    pub(super) z: Vec<f64>,
    /// Even steps in each interval.
    pub(super) cuts: usize,
}

/// The surface so far.
#[derive(Default)]
struct Patches {
    /// By the corners' places in the grid.
    known: BTreeMap<[usize; 3], u32>,
    vertices: Vec<Point>,
    triangles: Vec<[u32; 3]>,
}

/// One box.
pub(super) fn cuboid([x, y, z]: [[f64; 2]; 3], cuts: usize) -> Mesh {
    let second = Second::Planes(y.to_vec());
    Grid { first: x.to_vec(), second, z: z.to_vec(), cuts }.mesh(|_| true)
}

impl Grid {
    /// The surface of those cells that are `solid`; intervals are counted along each axis.
    pub(super) fn mesh(&self, solid: impl Fn([usize; 3]) -> bool) -> Mesh {
        let cells = self.cells();
        let filled = |cell: [usize; 3]| {
            (0..3).all(|k| cell[k] < cells[k]) && solid(cell.map(|i| i / self.cuts))
        };
        let mut patches = Patches::default();
        let [across, around, up] = cells;
        let all = (0..across * around * up).map(|n| [n / up / around, n / up % around, n % up]);
        for cell in all.filter(|&cell| filled(cell)) {
            for axis in 0..3 {
                for ahead in [false, true] {
                    if !filled(self.beside(cell, axis, ahead)) {
                        self.patch(&mut patches, cell, (axis, ahead));
                    }
                }
            }
        }
        Mesh::new(patches.vertices, patches.triangles).expect("cells with finite corners")
    }

    /// How many steps there are along each axis.
    fn cells(&self) -> [usize; 3] {
        let second = match &self.second {
            Second::Planes(y) => y.len() - 1,
            Second::Sector(directions) => directions.len() - 1,
            Second::Turn(directions) => directions.len(),
        };
        [self.first.len() - 1, second, self.z.len() - 1].map(|n| n * self.cuts)
    }

    /// The next cell along an axis; beyond the grid, one that does not exist.
    fn beside(&self, mut cell: [usize; 3], axis: usize, ahead: bool) -> [usize; 3] {
        let step = if ahead { 1 } else { usize::MAX };
        cell[axis] = cell[axis].wrapping_add(step);
        if let (1, Second::Turn(directions)) = (axis, &self.second) {
            let count = directions.len() * self.cuts;
            cell[1] = if cell[1] == usize::MAX { count - 1 } else { cell[1] % count };
        }
        cell
    }

    /// Two triangles of a cell's side, seen from outside counterclockwise.
    fn patch(&self, to: &mut Patches, cell: [usize; 3], (axis, ahead): (usize, bool)) {
        let corner = |[u, v]: [usize; 2]| {
            let mut node = cell;
            node[axis] += usize::from(ahead);
            node[(axis + 1) % 3] += u;
            node[(axis + 2) % 3] += v;
            node
        };
        let mut ring = [[0, 0], [1, 0], [1, 1], [0, 1]].map(corner);
        if !ahead {
            ring.reverse();
        }
        let [a, b, c, d] = ring.map(|node| self.same(node));
        for triangle in [[a, b, c], [a, c, d]] {
            // On the axis of a round body, sides shrink to a line.
            let [p, q, r] = triangle;
            if p != q && q != r && r != p {
                let corners = triangle.map(|node| self.vertex(to, node));
                to.triangles.push(corners);
            }
        }
    }

    /// Corners of the grid at one place are one.
    fn same(&self, mut node: [usize; 3]) -> [usize; 3] {
        let on_axis = node[0] == 0 && self.first[0] == 0.0;
        node[1] = match &self.second {
            Second::Planes(_) => node[1],
            Second::Sector(_) | Second::Turn(_) if on_axis => 0,
            Second::Sector(_) => node[1],
            Second::Turn(directions) => node[1] % (directions.len() * self.cuts),
        };
        node
    }

    fn vertex(&self, to: &mut Patches, node: [usize; 3]) -> u32 {
        let vertices = &mut to.vertices;
        *to.known.entry(node).or_insert_with(|| {
            vertices.push(self.point(node));
            vertices.len() as u32 - 1
        })
    }

    fn point(&self, [i, j, k]: [usize; 3]) -> Point {
        let first = self.between(i, |n| self.first[n]);
        let z = self.between(k, |n| self.z[n]);
        match &self.second {
            Second::Planes(y) => [first, self.between(j, |n| y[n]), z],
            Second::Sector(ways) | Second::Turn(ways) => {
                let way = |axis: usize| self.between(j, |n| ways[n % ways.len()][axis]);
                [first * way(0), first * way(1), z]
            }
        }
    }

    /// A value of an axis so many steps from its start; exact at the planes of the grid.
    fn between(&self, steps: usize, axis: impl Fn(usize) -> f64) -> f64 {
        let (from, part) = (steps / self.cuts, (steps % self.cuts) as f64 / self.cuts as f64);
        if part == 0.0 { axis(from) } else { axis(from) * (1.0 - part) + axis(from + 1) * part }
    }
}
