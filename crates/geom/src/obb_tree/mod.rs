//! A tree of oriented boxes around the triangles of a rigid mesh, eight children per node, made once.
//!
//! Each box stands in its own frame, since tightness decides how much of two trees must be looked at.
//! Boxes and triangles are f32: boxes are rounded outward, and triangles are kept relative to the
//! middle of their leaf, so that their error is small against the leaf and not against the mesh.
//! Coordinates are in the tree's own frame: the mesh's, moved so that the middle of its bounds is the
//! origin, in a power of two as unit. About 50 bytes per triangle; O(n log n) to build, in parallel.

mod build;
mod children;
pub mod couple;
pub mod cross;
mod fit;
pub mod front;
pub mod gap;
mod locate;
mod order;
pub mod point;
pub mod ray;
pub mod travel;
mod unlike;
mod weight;

use crate::Point;
use crate::mesh::Mesh;
use impinge_simd::descent::Tree;
pub use impinge_simd::descent::{LEAF, NONE};
pub use impinge_simd::leaf::Leaf;
use impinge_simd::obb::{Box1, Boxes8, Source};

/// The tree.
#[derive(Clone, Debug)]
pub struct ObbTree {
    nodes: Vec<Boxes8>,
    leaves: Vec<Leaf>,
    origin: Point,
    unit: f64,
    radius: f64,
}

/// A box of the tree: `8 · node + lane`.
pub type Place = u32;

impl ObbTree {
    /// The tree of a mesh.
    pub fn of(mesh: &Mesh) -> Self {
        build::build(mesh)
    }

    /// The place of the box around everything.
    pub const ROOT: Place = 0;

    /// A bound of a body's coordinates relative to its place.
    fn farthest(&self) -> f64 {
        let far = self.origin.iter().fold(0.0f64, |far, x| far.max(x.abs()));
        2.0 * far + 8.0 * self.unit
    }

    /// A node: the boxes of its children.
    #[inline]
    pub fn node(&self, index: u32) -> &Boxes8 {
        &self.nodes[index as usize]
    }

    /// The box at a place.
    #[inline]
    pub fn boxed(&self, place: Place) -> Box1 {
        self.nodes[place as usize / 8].get(place as usize % 8)
    }

    /// The box at a place, where it stands.
    #[inline]
    pub(crate) fn source(&self, place: Place) -> Source<'_> {
        Source { boxes: &self.nodes[place as usize / 8], lane: place as usize % 8 }
    }

    /// What is in the box at a place: a node, a leaf (see [`LEAF`]) or [`NONE`].
    #[inline]
    pub fn child(&self, place: Place) -> u32 {
        self.nodes[place as usize / 8].child[place as usize % 8]
    }

    /// The longest half edge of the box at a place, in tree units.
    #[inline]
    pub fn reach(&self, place: Place) -> f32 {
        self.nodes[place as usize / 8].half[0][place as usize % 8]
    }

    /// How many leaves there are.
    fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    /// The leaf a child names.
    #[inline]
    pub fn leaf(&self, child: u32) -> &Leaf {
        &self.leaves[(child & !LEAF) as usize]
    }

    /// The point of the mesh's frame where the tree's frame has its origin.
    pub fn origin(&self) -> Point {
        self.origin
    }

    /// The length, in the mesh's frame, of the tree's unit: a power of two.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// No triangle reaches farther from the middle of the box around everything, in the mesh's frame.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The memory it takes.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Boxes8>() + self.leaves.len() * size_of::<Leaf>()
    }

    /// As arrays.
    pub(crate) fn arrays(&self) -> Tree<'_> {
        Tree { nodes: &self.nodes, leaves: &self.leaves }
    }
}
