//! Convex blocks that cover a body [R98 §4 asks for them], in a hierarchy of boxes.
//!
//! A closed shell that is convex is its own block. Others are cut by planes along the axes; the block of a
//! part is the convex hull of what of the solid is in the part's box. Blocks cover the solid, unless its vertices
//! have moved since it was cut ([`Blocks::covers`]); by how much they reach beyond it is [`Block::excess`]. What
//! is not closed has no inside that could be cut: each connected piece of it is covered by one hull.

mod cut;
mod depth;
mod tree;

use crate::Point;
use crate::aabb::Aabb;
use crate::hull::Hull;
use crate::mesh::Mesh;
use crate::pose::Pose;
use crate::shells::{Shell, shells};
use crate::topology::{components, join, merge, root};
use cut::Cutter;
use rayon::prelude::*;
use std::collections::BTreeMap;
use tree::Tree;

/// A shell whose surface is nowhere deeper than the first part of its size below its hull is convex. Up to the second
/// its hull stands for it: corners of convex bodies are often rounded, to f32 or to as many digits as a file has.
const CONVEX: [f64; 2] = [1e-9, 1e-5];

/// A convex block, in the frame of its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The corners.
    pub points: Vec<Point>,
    /// The faces: a closed surface, or a polygon with two sides. None for what lies on a line.
    pub triangles: Vec<[u32; 3]>,
    /// Around it.
    pub bounds: Aabb,
    /// No point of the block is farther from the body than this.
    pub excess: f64,
    /// How many times as large as a ball in it the block is: its diameter over the radius of the ball. Infinite
    /// for what has no volume.
    pub slenderness: f64,
    /// The triangles of the mesh that reach its part of the body. Of parts that the user made: as if their
    /// triangles came one after the other.
    pub faces: Vec<u32>,
    /// What they are.
    part: Part,
}

/// What the faces of a block are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// All of a solid of one shell, which was convex at first.
    Shell,
    /// All of something else: their hull covers it.
    Whole,
    /// Those that reach a part of a solid that was cut. There is more of the solid in the part than they tell.
    Cut,
}

/// How bodies become blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// Whether shells are cut that are not convex; else each is covered by one hull.
    pub cut: bool,
    /// The most blocks that cutting makes of a body. Bodies of more shells have more.
    pub count_max: usize,
    /// A part is not cut further if its surface is nowhere deeper below its hull than this part of the diagonal of
    /// the body's box.
    pub concavity: f64,
}

impl Default for Recipe {
    fn default() -> Self {
        Self { cut: true, count_max: 16, concavity: 0.02 }
    }
}

/// Why there are no blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a body of no parts; one part at least is needed")]
pub struct NoParts;

/// The blocks of a body.
#[derive(Clone, Debug)]
pub struct Blocks {
    blocks: Vec<Block>,
    tree: Tree,
    covers: bool,
}

impl Blocks {
    /// Those of a mesh.
    pub fn of(mesh: &Mesh, recipe: &Recipe) -> Self {
        let closed = shells(mesh);
        let mut taken = vec![false; mesh.triangles().len()];
        closed.iter().flat_map(|shell| &shell.triangles).for_each(|&i| taken[i as usize] = true);
        let mut blocks = of_solids(mesh, &closed, recipe);
        let rest: Vec<u32> = (0..taken.len() as u32).filter(|&i| !taken[i as usize]).collect();
        let cover = |piece: Vec<u32>| Block::over(mesh, piece, Part::Whole);
        blocks.extend(pieces(mesh, &rest).into_par_iter().map(cover).collect::<Vec<_>>());
        Self::assemble(blocks, true)
    }

    /// The same parts after the vertices of the mesh have moved: each is covered by the hull of its faces, or is a
    /// block itself if it is all of a shell that is convex. Nothing is cut, so that it costs little; what
    /// is deep in a body and near none of its faces may be in no block.
    #[must_use]
    pub fn follow(&self, mesh: &Mesh) -> Self {
        let follow = |block: &Block| {
            if block.part == Part::Shell
                && let cut::Whole::Convex(block) = cut::Whole::of(mesh, &block.faces, CONVEX)
            {
                return block;
            }
            Block::over(mesh, block.faces.clone(), block.part)
        };
        let covers = self.blocks.iter().all(|block| block.part != Part::Cut);
        Self::assemble(self.blocks.par_iter().map(follow).collect(), covers)
    }

    /// Whether every point of the body is in a block.
    pub fn covers(&self) -> bool {
        self.covers
    }

    /// Parts that the user made: each is covered by its hull, or is a block itself if it is convex.
    pub fn from_parts(parts: &[Mesh]) -> Result<Self, NoParts> {
        let whole = Recipe { cut: false, ..Recipe::default() };
        let (mut blocks, mut before) = (Vec::new(), 0);
        for part in parts {
            let mut of_part = Self::of(part, &whole).blocks;
            of_part.iter_mut().flat_map(|block| &mut block.faces).for_each(|face| *face += before);
            blocks.append(&mut of_part);
            before += part.triangles().len() as u32;
        }
        if blocks.is_empty() { Err(NoParts) } else { Ok(Self::assemble(blocks, true)) }
    }

    fn assemble(blocks: Vec<Block>, covers: bool) -> Self {
        let tree = Tree::over(&blocks.iter().map(|block| block.bounds).collect::<Vec<_>>());
        Self { blocks, tree, covers }
    }

    /// All of them.
    pub fn all(&self) -> &[Block] {
        &self.blocks
    }

    /// The pairs of blocks of two bodies whose boxes overlap, at their places, sorted; and how many pairs of boxes it
    /// took.
    pub fn near(bodies: [(&Self, &Pose); 2]) -> (Vec<[u32; 2]>, u64) {
        Tree::near(bodies.map(|(blocks, pose)| (&blocks.tree, pose)))
    }

    /// What it holds on the heap.
    pub fn bytes(&self) -> usize {
        let of = |block: &Block| {
            block.points.capacity() * size_of::<Point>()
                + block.triangles.capacity() * size_of::<[u32; 3]>()
                + block.faces.capacity() * size_of::<u32>()
        };
        self.blocks.capacity() * size_of::<Block>()
            + self.blocks.iter().map(of).sum::<usize>()
            + self.tree.bytes()
    }
}

impl Block {
    /// The hull of some triangles of a mesh.
    fn over(mesh: &Mesh, faces: Vec<u32>, part: Part) -> Self {
        let corners = faces.iter().flat_map(|&i| mesh.triangles()[i as usize]);
        let mut corners: Vec<u32> = corners.collect();
        corners.sort_unstable();
        corners.dedup();
        let points: Vec<Point> = corners.iter().map(|&v| mesh.vertices()[v as usize]).collect();
        let hull = Hull::around(&points);
        // Of one triangle the hull is the triangle. No point of another hull is farther than this from a corner
        // of it, which is one of a triangle.
        let excess = if faces.len() == 1 { 0.0 } else { Aabb::around(&points).diagonal() };
        let ball = depth::Planes::of(&hull).ball(&hull.points);
        Self::new(hull, (excess, ball.radius), (faces, part))
    }

    fn new(hull: Hull, (excess, ball): (f64, f64), (faces, part): (Vec<u32>, Part)) -> Self {
        let bounds = Aabb::around(&hull.points);
        let slenderness = bounds.diagonal() / ball.max(0.0);
        let slenderness = if slenderness.is_nan() { f64::INFINITY } else { slenderness };
        let Hull { points, triangles } = hull;
        Self { points, triangles, bounds, excess, slenderness, faces, part }
    }
}

/// Each connected piece of some triangles of a mesh.
fn pieces(mesh: &Mesh, of: &[u32]) -> Vec<Vec<u32>> {
    let merged = merge(mesh.vertices());
    let corners: Vec<[u32; 3]> =
        of.iter().map(|&i| mesh.triangles()[i as usize].map(|v| merged[v as usize])).collect();
    let (piece_of, count) = components(&corners, merged.len());
    let mut pieces = vec![Vec::new(); count];
    for (&i, &piece) in of.iter().zip(&piece_of) {
        pieces[piece as usize].push(i);
    }
    pieces
}

/// The blocks of what is closed. Shells that are near none that is turned the other way are solids of their own;
/// without cuts all of them are covered one by one.
fn of_solids(mesh: &Mesh, closed: &[Shell], recipe: &Recipe) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (mut alone, mut concave) = (Vec::new(), Vec::new());
    for solid in solids(mesh, closed) {
        match solid[..] {
            [one] => alone.push(&one.triangles[..]),
            _ if recipe.cut => concave.push(cut::Solid::of(mesh, &solid)),
            _ => blocks.extend(
                solid.iter().map(|one| Block::over(mesh, one.triangles.clone(), Part::Whole)),
            ),
        }
    }
    let size = mesh.bounds().diagonal();
    let whole: Vec<cut::Whole> =
        alone.par_iter().map(|faces| cut::Whole::of(mesh, faces, CONVEX)).collect();
    for whole in whole {
        match whole {
            cut::Whole::Convex(block) => blocks.push(block),
            cut::Whole::Concave(solid) => concave.push(solid),
        }
    }
    let tolerance = recipe.concavity * size;
    let count_max = if recipe.cut { recipe.count_max.saturating_sub(blocks.len()) } else { 0 };
    blocks.extend(Cutter { solids: &concave, tolerance, count_max }.cut());
    blocks
}

/// Shells that make up a solid together: one that is turned inward takes away from those that it overlaps, or adds
/// to nothing. In the order of their first shells.
fn solids<'a>(mesh: &Mesh, closed: &'a [Shell]) -> Vec<Vec<&'a Shell>> {
    let of = |shell: &Shell| {
        let corners = shell.triangles.iter().flat_map(|&i| mesh.triangles()[i as usize]);
        corners.fold(Aabb::EMPTY, |all, v| all.with(&mesh.vertices()[v as usize]))
    };
    let boxes: Vec<Aabb> = closed.par_iter().map(of).collect();
    // Boxes that only touch have no space in common.
    let overlap = |i: usize, j: usize| {
        (0..3).all(|k| boxes[i].min[k] < boxes[j].max[k] && boxes[j].min[k] < boxes[i].max[k])
    };
    let mut parents: Vec<u32> = (0..closed.len() as u32).collect();
    if closed.iter().any(|shell| shell.inward) {
        let mut order: Vec<usize> = (0..closed.len()).collect();
        order.sort_by(|&i, &j| boxes[i].min[0].total_cmp(&boxes[j].min[0]).then(i.cmp(&j)));
        let mut open: Vec<usize> = Vec::new();
        for &i in &order {
            open.retain(|&j| boxes[j].max[0] > boxes[i].min[0]);
            for &j in &open {
                if closed[i].inward != closed[j].inward && overlap(i, j) {
                    join(&mut parents, i as u32, j as u32);
                }
            }
            open.push(i);
        }
    }
    let mut groups: BTreeMap<u32, Vec<&Shell>> = BTreeMap::new();
    for (i, shell) in (0..).zip(closed) {
        groups.entry(root(&mut parents, i)).or_default().push(shell);
    }
    let mut groups: Vec<Vec<&Shell>> = groups.into_values().collect();
    groups.sort_by_key(|group| group[0].triangles[0]);
    groups
}

#[cfg(test)]
mod tests;
