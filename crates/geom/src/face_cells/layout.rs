//! Runs of faces that lie together, and the vertices that each run uses. It depends on the triangles
//! and, for the order alone, on how the mesh was when it was made: it stays true however vertices move.

use crate::Point;
use crate::aabb::Aabb;
use crate::mesh::Mesh;
use impinge_simd::faces::points::{Ends, ends_of};
use impinge_simd::faces::ranges::Run;

/// How many faces are looked at together.
pub const RUN: usize = 64;
/// So many of them are looked at by one instruction.
const GROUP: usize = 8;

/// The faces of a mesh in runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Of each run the first of its vertices; and the end of the last.
    starts: Vec<u32>,
    vertices: Vec<u32>,
    /// Run by run.
    faces: Vec<u32>,
    /// For eight faces at a time, their corners as places among the vertices of the run.
    corners: Vec<[[u8; 8]; 3]>,
}

impl Layout {
    /// Of a mesh.
    pub fn of(mesh: &Mesh) -> Self {
        let mut layout = Self { starts: vec![0], faces: halved(mesh), ..Self::default() };
        // For each vertex the run that it was last listed for, and its place in that run.
        let mut listed = vec![(u32::MAX, 0u8); mesh.vertices().len()];
        for (number, run) in (0..).zip(layout.faces.chunks(RUN)) {
            let first = layout.vertices.len();
            layout.corners.resize(layout.corners.len() + run.len().div_ceil(8), [[0; 8]; 3]);
            let eights = layout.corners.len() - run.len().div_ceil(8);
            for (i, &face) in run.iter().enumerate() {
                for (k, &v) in mesh.triangles()[face as usize].iter().enumerate() {
                    let at = &mut listed[v as usize];
                    if at.0 != number {
                        // At most three times sixty-four of them.
                        *at = (number, (layout.vertices.len() - first) as u8);
                        layout.vertices.push(v);
                    }
                    layout.corners[eights + i / 8][k][i % 8] = at.1;
                }
            }
            layout.starts.push(layout.vertices.len() as u32);
        }
        layout
    }

    /// How many runs of faces there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A run of faces.
    #[inline]
    pub(crate) fn run(&self, run: u32) -> Run<'_> {
        let run = run as usize;
        let last = self.faces.len().min((run + 1) * RUN);
        let faces = &self.faces[run * RUN..last];
        Run {
            vertices: self.vertices_of(run),
            corners: &self.corners[run * (RUN / 8)..][..faces.len().div_ceil(8)],
            faces,
        }
    }

    #[inline]
    fn vertices_of(&self, run: usize) -> &[u32] {
        &self.vertices[self.starts[run] as usize..self.starts[run + 1] as usize]
    }

    /// The boxes around all runs, given where vertices are now.
    pub fn boxes(&self, points: &[Point], out: &mut Vec<Ends>) {
        out.clear();
        out.extend((0..self.len()).map(|run| ends_of(points, self.vertices_of(run))));
    }

    /// The memory it holds.
    pub fn bytes(&self) -> usize {
        size_of::<u32>()
            * (self.starts.capacity() + self.vertices.capacity() + self.faces.capacity())
            + size_of::<[[u8; 8]; 3]>() * self.corners.capacity()
    }
}

/// All faces in an order in which each eight, each sixty-four and so on lie together: cut in two across
/// where they are longest, again and again.
fn halved(mesh: &Mesh) -> Vec<u32> {
    let middle = |corners: crate::Triangle, k: usize| corners[0][k] + corners[1][k] + corners[2][k];
    let mut order: Vec<(Point, u32)> = (0..mesh.triangles().len() as u32)
        .map(|face| (std::array::from_fn(|k| middle(mesh.triangle(face), k)), face))
        .collect();
    let mut parts = vec![(0, order.len())];
    while let Some((start, end)) = parts.pop() {
        let faces = &mut order[start..end];
        if faces.len() <= GROUP {
            continue;
        }
        let around = Aabb::around(faces.iter().map(|(middle, _)| middle));
        let width = |k: usize| around.max[k] - around.min[k];
        let axis = (0..3).fold(0, |most, k| if width(k) > width(most) { k } else { most });
        // The lower part is as large as a node of the tree, or half or a quarter of it, so that all
        // nodes begin where a part begins.
        let mut lower = GROUP;
        while 2 * lower < faces.len() {
            lower *= 2;
        }
        let along = |one: &(Point, u32), other: &(Point, u32)| {
            one.0[axis].total_cmp(&other.0[axis]).then(one.1.cmp(&other.1))
        };
        faces.select_nth_unstable_by(lower, along);
        parts.extend([(start + lower, end), (start, start + lower)]);
    }
    order.into_iter().map(|(_, face)| face).collect()
}
