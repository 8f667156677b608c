//! Hierarchies of bounding volumes, built from the top down as in [E99 §3].
//!
//! A set of faces is split into as few subsets as make the worst of their volumes α times better than
//! the volume of the whole, 2 … 6 of them; if even 6 do not, it is split into 6. Sets of no more than
//! `leaf_max` faces are leaves. Volumes are spheres, axis-aligned boxes or oriented boxes ([`Bound`]);
//! how sets are split is in `split/`, what "better" means in `quality.rs`.
//!
//! Every volume holds its faces for certain, rounding included; `place.rs` holds volumes of two
//! placed bodies against each other. Building takes O(n log n) with a large factor, on one thread;
//! this is the method as printed, not the fastest one.
//!
//! What the paper leaves open, and what is done here:
//! - Sets whose faces all have the same centre, or which some other splitter leaves in one piece, are
//!   cut into equal parts of a list. So are sets below a depth of 2·log₂(n) + 16: splits that peel off
//!   a face or two at a time must not make the tree as deep as the mesh is large.
//! - Subsets that end up empty are left out, so a node may have fewer children than its degree.

mod bound;
mod boxes;
mod build;
mod place;
mod quality;
mod sphere;
mod split;
mod sweep;
#[cfg(test)]
mod tests;

pub use bound::Bound;
pub use place::{Line, View, reach};
pub use sweep::Sweep;

use crate::mesh::Mesh;
use std::ops::Range;

/// The kinds of bounding volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Smallest enclosing spheres.
    Spheres,
    /// Boxes along the axes of the body.
    Aabbs,
    /// Boxes of any orientation.
    Obbs,
}

/// How a set of faces is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Splitter {
    /// The heuristic without optimisation [E99 §3.1]: each face goes to the nearest centre, centres
    /// move to the middle of their faces, until nothing changes.
    Plain,
    /// The heuristic [E99 §3.2]: faces are inserted one by one where the worst volume stays best.
    Heuristic,
    /// The modified Gottschalk method [E99 §3.3]: each face goes to the nearest region of a box.
    Gottschalk,
}

/// What makes a volume good: smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// Its volume.
    Volume,
    /// Its surface.
    Surface,
    /// How far a point of it can be from the faces: the directed Hausdorff distance, estimated at
    /// fifteen points of the volume.
    Hausdorff,
}

/// How a hierarchy is built.
///
/// Any value is legal: degrees are brought into 2 … 6, and leaves hold at least one face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The kind of volumes.
    pub kind: Kind,
    /// How sets are split.
    pub splitter: Splitter,
    /// What makes a volume good.
    pub quality: Quality,
    /// The improvement factor: a split is good enough when its worst volume has at most this share of
    /// the quality of the whole.
    pub alpha: f64,
    /// The lowest and the highest degree; equal for a fixed degree.
    pub degrees: [u8; 2],
    /// Sets of no more faces are leaves.
    pub leaf_max: u32,
}

impl Default for Params {
    /// Degrees, α and leaves as the paper found them best; oriented boxes and the splitter as the
    /// experiment `e99-hierarchies` did. Surface rather than volume, which flat faces do not have.
    fn default() -> Self {
        Self {
            kind: Kind::Obbs,
            splitter: Splitter::Plain,
            quality: Quality::Surface,
            alpha: 0.75,
            degrees: [2, 6],
            leaf_max: 4,
        }
    }
}

/// A tree of volumes over the faces of a mesh, in the mesh's own frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Hierarchy<B> {
    /// The root first; the children of a node stand side by side behind it.
    nodes: Vec<Node<B>>,
    /// All faces, those of a leaf side by side.
    faces: Vec<u32>,
}

/// A volume and what is in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node<B> {
    /// Holds all faces below.
    pub bound: B,
    /// The first child, or the place of the first face.
    first: u32,
    len: u32,
    leaf: bool,
}

impl<B: Bound> Hierarchy<B> {
    /// Builds the tree. `params.kind` is not looked at: the type says it.
    pub fn of(mesh: &Mesh, params: &Params) -> Self {
        build::build(mesh, params)
    }
}

impl<B> Hierarchy<B> {
    /// All nodes, the root first.
    pub fn nodes(&self) -> &[Node<B>] {
        &self.nodes
    }

    /// The faces of a leaf; none of an inner node.
    pub fn faces(&self, node: &Node<B>) -> &[u32] {
        if !node.leaf {
            return &[];
        }
        &self.faces[node.first as usize..(node.first + node.len) as usize]
    }

    /// What it holds on the heap.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<B>>() + self.faces.capacity() * size_of::<u32>()
    }

    /// How many edges the longest way down has.
    pub fn depth(&self) -> u32 {
        let mut depths = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            for child in node.children() {
                depths[child as usize] = depths[i] + 1;
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }
}

impl<B> Node<B> {
    /// Whether it holds faces and no other nodes.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.leaf
    }

    /// The children of an inner node; none of a leaf.
    #[inline]
    pub fn children(&self) -> Range<u32> {
        if self.leaf { 0..0 } else { self.first..self.first + self.len }
    }
}
