//! Trees of coins: balls cut by slabs, eight to a node, down to single triangles (H93).
//!
//! Every coin holds all of the surface below it, for certain, and tells a point of it; so every pair of coins
//! bounds the distance of what they hold from both sides, and a search may be stopped at any time
//! with an honest interval. The design is in docs/notes/anytime.md.

mod anneal;
mod build;
mod couple;
pub mod cover;
mod fit;
pub mod levels;
mod octree;
pub mod search;

pub use couple::{Couple, Placed};

use crate::Point;
use crate::mesh::Mesh;
use impinge_simd::coins::{Coin, Coins8};

/// How a tree is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Builder {
    /// Balls cut by slabs, around parts that are split where area times number is least.
    #[default]
    Coins,
    /// Balls around the cells of an octree, as (H93) prints it.
    Octree,
    /// The same, improved by simulated annealing.
    Annealed,
}

/// A tree of a mesh, in a frame of its own: a point `p` of the mesh is at `(p − origin) / unit`.
#[derive(Clone, Debug, PartialEq)]
pub struct CoinTree {
    /// The first has one coin, around everything.
    nodes: Vec<Node>,
    /// The same coins one by one: whoever wants a single one finds all of it in one place.
    singles: Vec<Single>,
    origin: Point,
    unit: f64,
}

/// A coin, and what is below it; a line of the cache.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
struct Single {
    coin: Coin,
    below: u32,
    witness: u32,
}

/// Up to eight coins, and what is below them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    coins: Coins8,
    /// A node, a triangle ([`TRIANGLE`]), or [`NOTHING`].
    below: [u32; 8],
    /// Whose corner the point is that each tells: four times the triangle, and the corner.
    witness: [u32; 8],
}

/// What is below a coin is this triangle.
const TRIANGLE: u32 = 1 << 31;
/// No coin is there.
const NOTHING: u32 = u32::MAX;

/// A coin of a tree: eight times its node, and the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(u32);

/// What a coin holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Below {
    /// Coins of the node with this number.
    Node(u32),
    /// One triangle.
    Triangle(u32),
}

impl CoinTree {
    /// Around everything.
    pub const ROOT: Place = Place(0);

    /// The tree of a mesh.
    pub fn of(mesh: &Mesh) -> Self {
        Self::build(mesh, Builder::default())
    }

    /// The tree of a mesh, built in a certain way. The same each time, whatever the number of threads.
    pub fn build(mesh: &Mesh, builder: Builder) -> Self {
        build::build(mesh, builder)
    }

    /// Of nodes in their order.
    fn of_nodes(nodes: Vec<Node>, origin: Point, unit: f64) -> Self {
        let single = |i: usize| {
            let (node, lane) = (&nodes[i / 8], i % 8);
            let (below, witness) = (node.below[lane], node.witness[lane]);
            Single { coin: node.coins.coin(lane), below, witness }
        };
        let singles = (0..8 * nodes.len()).map(single).collect();
        Self { nodes, singles, origin, unit }
    }

    /// One over this is what coordinates are multiplied by: a power of two.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Where the tree's frame has its origin, in the mesh's.
    pub fn origin(&self) -> Point {
        self.origin
    }

    /// A coin, in the tree's frame.
    #[inline]
    pub fn coin(&self, place: Place) -> Coin {
        self.singles[place.0 as usize].coin
    }

    /// What a coin holds.
    #[inline]
    pub fn below(&self, place: Place) -> Below {
        let below = self.singles[place.0 as usize].below;
        if below & TRIANGLE == 0 { Below::Node(below) } else { Below::Triangle(below ^ TRIANGLE) }
    }

    /// The triangle that has the coin's point as a corner, and which corner it is.
    #[inline]
    fn witness(&self, place: Place) -> (u32, usize) {
        let code = self.singles[place.0 as usize].witness;
        (code >> 2, (code & 3) as usize)
    }

    #[inline]
    fn node(&self, number: u32) -> &Node {
        &self.nodes[number as usize]
    }

    /// The coins of a node.
    pub fn places(&self, node: u32) -> impl Iterator<Item = Place> + '_ {
        let below = self.nodes[node as usize].below;
        (0..8)
            .filter(move |&lane| below[lane as usize] != NOTHING)
            .map(move |lane| Place(8 * node + lane))
    }

    /// What it holds on the heap.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.singles)
    }
}
