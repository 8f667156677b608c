//! Closed meshes as solids: every crossing of a column of voxels with a triangle, without rounding.
//!
//! Columns are thought moved by (ε, ε²), as in [`crate::inside`]: so moved they meet no edge and no
//! vertex, and faces that are seen edge-on are missed. Which voxel comes after a crossing
//! is guessed in plain numbers and then decided by exact signs.

use super::grid::Grid;
use super::solid::{Crossing, Crossings, Solid, VoxelError, check_thickness, is_flat};
use crate::aabb::Aabb;
use crate::grouped::Grouped;
use crate::mesh::Mesh;
use crate::predicates::{is_degenerate, orient3d};
use crate::shells::{Shell, shells};
use crate::topology::merge;
use crate::{Point, Triangle};
use glam::DVec3;
use rayon::prelude::*;
use robust::{Coord, orient2d};
use std::ops::Range;

/// A mesh all of whose faces belong to closed shells.
#[derive(Debug)]
pub struct ClosedMesh<'a> {
    mesh: &'a Mesh,
    /// The triangles that count, and for each of them how.
    triangles: Vec<(u32, Role)>,
}

/// How a crossing with a triangle counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// By the side from which it is crossed.
    Sided,
    /// By turns in and out, for the shell with this number, whose faces do not agree about what is
    /// outside; a cavity if told so.
    ByTurns { shell: u32, inward: bool },
}

impl<'a> ClosedMesh<'a> {
    /// Takes the mesh apart into shells.
    pub fn new(mesh: &'a Mesh) -> Result<Self, VoxelError> {
        check_thickness(mesh)?;
        let shells = shells(mesh);
        let merged = merge(mesh.vertices());
        check_closed(mesh, &shells, &merged)?;
        let triangles = roles(mesh, &shells, &merged);
        if is_flat(triangles.iter().map(|&(face, _)| mesh.triangle(face))) {
            return Err(VoxelError::Flat { faces: mesh.triangles().len() });
        }
        Ok(Self { mesh, triangles })
    }
}

/// Every face must be part of a shell, or the same as one that is, or without area.
fn check_closed(mesh: &Mesh, shells: &[Shell], merged: &[u32]) -> Result<(), VoxelError> {
    let count = mesh.triangles().len();
    if shells.iter().map(|shell| shell.triangles.len()).sum::<usize>() == count {
        return Ok(());
    }
    let key = |face: u32| {
        let mut corners = mesh.triangles()[face as usize].map(|v| merged[v as usize]);
        corners.sort_unstable();
        corners
    };
    let mut held = vec![false; count];
    let mut keys = Vec::new();
    for &face in shells.iter().flat_map(|shell| &shell.triangles) {
        held[face as usize] = true;
        keys.push(key(face));
    }
    keys.sort_unstable();
    let is_stray = |face: &u32| {
        !held[*face as usize]
            && keys.binary_search(&key(*face)).is_err()
            && !is_degenerate(&mesh.triangle(*face))
    };
    let mut stray: Vec<[u32; 3]> = (0..count as u32).filter(is_stray).map(key).collect();
    if stray.is_empty() {
        return Ok(());
    }
    let faces = stray.len();
    stray.sort_unstable();
    stray.dedup();
    let mut edges: Vec<[u32; 2]> =
        stray.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [a, c]]).collect();
    edges.sort_unstable();
    let odd = edges.chunk_by(|p, q| p == q).filter(|same| same.len() % 2 == 1).count();
    Err(VoxelError::Open { faces, edges: odd })
}

/// Which triangles count, and how. A shell all of whose edges are run along equally often in
/// both ways tells sides; one with an odd edge is the front of a sheet that is its own back, and
/// surrounds nothing.
fn roles(mesh: &Mesh, shells: &[Shell], merged: &[u32]) -> Vec<(u32, Role)> {
    let corners = |face: u32| mesh.triangles()[face as usize].map(|v| merged[v as usize]);
    let edges = Grouped::sorted(merged.len(), || {
        shells.iter().zip(0u64..).flat_map(move |(shell, number)| {
            shell.triangles.iter().flat_map(move |&face| {
                let [a, b, c] = corners(face);
                [(a, b), (b, c), (c, a)]
                    .map(|(p, q)| (p.min(q), [u64::from(p.max(q)), number << 1 | u64::from(p > q)]))
            })
        })
    });
    let (mut sided, mut open) = (vec![true; shells.len()], vec![false; shells.len()]);
    for (_, of_vertex) in edges.groups() {
        for of_edge in of_vertex.chunk_by(|a, b| a[0] == b[0] && a[1] >> 1 == b[1] >> 1) {
            let shell = (of_edge[0][1] >> 1) as usize;
            let downs = of_edge.iter().filter(|side| side[1] & 1 == 1).count();
            sided[shell] &= 2 * downs == of_edge.len();
            open[shell] |= of_edge.len() % 2 == 1;
        }
    }
    let mut triangles = Vec::new();
    for (number, shell) in shells.iter().enumerate().filter(|(number, _)| !open[*number]) {
        let by_turns = Role::ByTurns { shell: number as u32, inward: shell.inward };
        let role = if sided[number] { Role::Sided } else { by_turns };
        triangles.extend(shell.triangles.iter().map(|&face| (face, role)));
    }
    triangles
}

impl Solid for ClosedMesh<'_> {
    fn bounds(&self) -> Aabb {
        self.mesh.bounds()
    }

    fn over<'a>(&'a self, grid: &'a Grid) -> Box<dyn Crossings + 'a> {
        let sorted = by_columns(grid, self.triangles.len(), |n| {
            Shadow::of(grid, &self.mesh.triangle(self.triangles[n].0)).bricks()
        });
        Box::new(Rays { solid: self, grid, sorted })
    }
}

/// Numbers below `count`, grouped by the columns of bricks that `range` gives for each of them:
/// from the first column to the last along x and along y, both included.
pub(super) fn by_columns(
    grid: &Grid,
    count: usize,
    range: impl Fn(usize) -> Option<[[u32; 2]; 2]> + Send + Sync,
) -> Grouped<u32> {
    let [across, deep, _] = grid.bricks();
    let ranges: Vec<Option<[[u32; 2]; 2]>> =
        (0..count).into_par_iter().with_min_len(RANGES_PER_TASK_MIN).map(range).collect();
    Grouped::unsorted((across * deep) as usize, || {
        ranges.iter().zip(0u32..).flat_map(move |(range, number)| {
            let [[x0, x1], [y0, y1]] = range.unwrap_or([[1, 0]; 2]);
            (y0..=y1).flat_map(move |y| (x0..=x1).map(move |x| (y * across + x, number)))
        })
    })
}

/// Fewer triangles are not worth a task of their own.
const RANGES_PER_TASK_MIN: usize = 4096;

/// The columns whose rays may pass through a triangle: numbers of voxels from the first to the last,
/// both included.
struct Shadow([[u32; 2]; 2]);

impl Shadow {
    fn of(grid: &Grid, triangle: &Triangle) -> Self {
        Self([0, 1].map(|axis| {
            let [first, end] = span(grid, axis, triangle);
            if first < end { [first, end - 1] } else { [1, 0] }
        }))
    }

    fn bricks(&self) -> Option<[[u32; 2]; 2]> {
        let some = self.0.iter().all(|[first, last]| first <= last);
        some.then(|| self.0.map(|range| range.map(|i| i / 8)))
    }
}

/// The voxels along an axis whose middles are within the extent of a triangle: the first, and the
/// first beyond them.
fn span(grid: &Grid, axis: usize, triangle: &Triangle) -> [u32; 2] {
    let [a, b, c] = triangle.map(|p| p[axis]);
    let (min, max) = (a.min(b).min(c), a.max(b).max(c));
    let (middles, count) = (Middles { grid, axis }, grid.counts()[axis]);
    let first = middles.first(0..count, min, |middle| middle >= min);
    [first, middles.first(first..count, max, |middle| middle > max)]
}

/// The middles of the voxels along an axis of a grid.
#[derive(Clone, Copy)]
struct Middles<'a> {
    grid: &'a Grid,
    axis: usize,
}

impl Middles<'_> {
    /// The first voxel of a range whose middle is beyond something, or the end of the range;
    /// `is_beyond` must stay true once it is. It is looked for about a place where it is likely to be.
    #[inline]
    fn first(self, range: Range<u32>, likely: f64, is_beyond: impl Fn(f64) -> bool) -> u32 {
        let beyond = |i: u32| is_beyond(self.grid.middle(self.axis, i));
        let (mut low, mut high) = (range.start, range.end);
        // A number that is no place, or none in the grid, becomes an end of the range.
        let steps = (likely - self.grid.origin()[self.axis]) / self.grid.size();
        let guess = ((steps + 0.5).floor() as u32).clamp(low, high);
        if guess < high {
            if beyond(guess) {
                high = guess;
            } else {
                low = guess + 1;
            }
        }
        // With a good guess only this one is left to ask.
        if low < high && high == guess {
            if !beyond(high - 1) {
                return high;
            }
            high -= 1;
        }
        while low < high {
            let probe = low + (high - low) / 2;
            if beyond(probe) {
                high = probe;
            } else {
                low = probe + 1;
            }
        }
        low
    }
}

struct Rays<'a> {
    solid: &'a ClosedMesh<'a>,
    grid: &'a Grid,
    sorted: Grouped<u32>,
}

impl Crossings for Rays<'_> {
    fn cross(&self, at: [u32; 2], found: &mut Vec<Crossing>) {
        let mut by_turns: Vec<(u32, Crossing)> = Vec::new();
        for &n in self.sorted.of(at[1] * self.grid.bricks()[0] + at[0]) {
            let (face, role) = self.solid.triangles[n as usize];
            let triangle = self.solid.mesh.triangle(face);
            match role {
                Role::Sided => self.cross_triangle(at, &triangle, |crossing| found.push(crossing)),
                Role::ByTurns { shell, inward } => self.cross_triangle(at, &triangle, |crossing| {
                    let sign = if inward { -1 } else { 1 };
                    by_turns.push((shell, Crossing { sign, ..crossing }));
                }),
            }
        }
        by_turns.sort_unstable();
        let same =
            |a: &(u32, Crossing), b: &(u32, Crossing)| (a.0, a.1.column) == (b.0, b.1.column);
        for of_column in by_turns.chunk_by(same) {
            for (turn, (_, crossing)) in of_column.iter().enumerate() {
                let sign = if turn % 2 == 0 { crossing.sign } else { -crossing.sign };
                found.push(Crossing { sign, ..*crossing });
            }
        }
    }
}

impl Rays<'_> {
    fn cross_triangle(&self, at: [u32; 2], triangle: &Triangle, mut found: impl FnMut(Crossing)) {
        let grid = self.grid;
        let [y0, y1] = span(grid, 1, triangle);
        let columns = 8 * at[0]..(8 * at[0] + 8).min(grid.counts()[0]);
        let plane = Plane::new(grid, triangle);
        for y in y0.max(8 * at[1])..y1.min(8 * at[1] + 8) {
            let middle = grid.middle(1, y);
            let Some((row, counterclockwise)) = row_within(grid, columns.clone(), middle, triangle)
            else {
                continue;
            };
            for x in row {
                let column = (8 * (y % 8) + x % 8) as u8;
                let place = [grid.middle(0, x), middle];
                let voxel = plane.first_above(grid, place, counterclockwise);
                // Faces that look up are left, on the way up.
                let sign = if counterclockwise { -1 } else { 1 };
                found(Crossing { column, voxel, sign });
            }
        }
    }
}

/// The columns of a row that pass within the triangle, and whether its corners run counterclockwise
/// around them, seen from above.
///
/// Rows are thought moved by a little along y, so that exactly two edges lead over a row or none does,
/// and columns by a little more along x, so that each is on one side of an edge.
fn row_within(
    grid: &Grid,
    columns: Range<u32>,
    y: f64,
    triangle: &Triangle,
) -> Option<(Range<u32>, bool)> {
    let mut ends = [(0, false); 2];
    let mut count = 0;
    for i in 0..3 {
        let (from, to) = (&triangle[i], &triangle[(i + 1) % 3]);
        // A corner in the row is before the moved row.
        let rises = from[1] <= y;
        if rises != (to[1] <= y) {
            let (low, high) = if rises { (from, to) } else { (to, from) };
            ends[count] = (left_of(grid, columns.clone(), y, [low, high]), rises);
            count += 1;
        }
    }
    let [left, right] = if ends[0].0 <= ends[1].0 { ends } else { [ends[1], ends[0]] };
    // Counterclockwise triangles rise on their right sides.
    (left.0 < right.0).then_some((left.0..right.0, right.1))
}

/// The first of the columns whose ray is not to the left of an edge that leads over the row.
fn left_of(grid: &Grid, columns: Range<u32>, y: f64, [low, high]: [&Point; 2]) -> u32 {
    let coord = |p: &Point| Coord { x: p[0], y: p[1] };
    let (from, to) = (coord(low), coord(high));
    let likely = low[0] + (y - low[1]) * ((high[0] - low[0]) / (high[1] - low[1]));
    let middles = Middles { grid, axis: 0 };
    middles.first(columns, likely, |x| orient2d(from, to, Coord { x, y }) <= 0.0)
}

/// The plane of a triangle over a grid.
struct Plane<'a> {
    triangle: &'a Triangle,
    /// Voxels whose middles are neither below all of the triangle nor above all of it.
    within: [u32; 2],
    /// How it rises along x and y, rounded: a guess.
    slope: [f64; 2],
}

impl<'a> Plane<'a> {
    fn new(grid: &Grid, triangle: &'a Triangle) -> Self {
        let [a, b, c] = triangle.map(DVec3::from);
        let normal = (b - a).cross(c - a);
        let slope = [-normal.x / normal.z, -normal.y / normal.z];
        Self { triangle, within: span(grid, 2, triangle), slope }
    }

    /// The first voxel of the column whose middle is above the plane.
    fn first_above(&self, grid: &Grid, [x, y]: [f64; 2], counterclockwise: bool) -> u32 {
        let [first, end] = self.within;
        let [a, b, c] = self.triangle;
        let above = |z: f64| match orient3d(a, b, c, &[x, y, z]) {
            0 => false,
            side => (side < 0) == counterclockwise,
        };
        let likely = a[2] + self.slope[0] * (x - a[0]) + self.slope[1] * (y - a[1]);
        Middles { grid, axis: 2 }.first(first..end, likely, above)
    }
}
