//! Walks through a tree of boxes whose nodes have eight children: one test looks at eight boxes.
//!
//! Two walks: which leaves overlap a box, and which leaves overlap each other. The tree is given as
//! arrays; who builds and changes it is of no concern here. Only comparisons are made, so the AVX2
//! form and its twin agree by definition.

use crate::lanes32::{Lanes8, Scalar8};

/// Eight boxes, column by column: min x y z, then max x y z. Lanes of NaN are vacant.
pub type Boxes8 = [[f32; 8]; 6];

/// Marks a child, or an item of a walk, that is a node: the rest of the number is its index.
/// Without the mark a child is a leaf (its name), and an item is a leaf (its place).
pub const NODE: u32 = 1 << 31;

/// A tree, as arrays over its nodes. A place is `8 · node + lane`.
#[derive(Clone, Copy, Debug)]
pub struct WideTree<'a> {
    /// The boxes of the children.
    pub boxes: &'a [Boxes8],
    /// The children: see [`NODE`].
    pub children: &'a [[u32; 8]],
    /// The place of each node in its parent; only that of the root is never looked at.
    pub parents: &'a [u32],
}

/// Where a walk for pairs stands; it can be stopped and taken up again.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// What is still to be done: two items of which one at least is a node. The last comes first.
    pub stack: Vec<[u32; 2]>,
    /// The leaves found so far to overlap, by name.
    pub pairs: Vec<[u32; 2]>,
    /// How many items have been done.
    pub looks: u64,
}

impl WideTree<'_> {
    /// Appends the names of all leaves below the items of `stack` (nodes only) whose closed boxes
    /// share a point with `aabb`. Returns the number of nodes it looked at.
    pub fn overlapping(&self, aabb: &[f32; 6], stack: &mut Vec<u32>, found: &mut Vec<u32>) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = crate::lanes32::Avx2::detect() {
            return x86::overlapping(proof, *self, aabb, (stack, found));
        }
        overlapping::<Scalar8>(*self, aabb, stack, found)
    }

    /// Goes on with a walk until nothing is left to do or it holds `enough` pairs (and up to 63
    /// more).
    pub fn pairs(&self, walk: &mut Walk, enough: usize) {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = crate::lanes32::Avx2::detect() {
            return x86::pairs(proof, *self, walk, enough);
        }
        pairs::<Scalar8>(*self, walk, enough);
    }

    /// Does only the last item of a walk.
    pub fn pairs_of_one(&self, walk: &mut Walk) {
        if let Some(item) = walk.stack.pop() {
            one::<Scalar8>(*self, walk, item);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    type Buffers<'a> = (&'a mut Vec<u32>, &'a mut Vec<u32>);

    #[inline]
    pub(super) fn overlapping(_: Avx2, tree: WideTree<'_>, aabb: &[f32; 6], b: Buffers<'_>) -> u64 {
        #[target_feature(enable = "avx2")]
        fn compiled(tree: WideTree<'_>, aabb: &[f32; 6], (stack, found): Buffers<'_>) -> u64 {
            super::overlapping::<Avx8>(tree, aabb, stack, found)
        }
        // SAFETY: `Avx2` proves that the CPU has AVX2.
        unsafe { compiled(tree, aabb, b) }
    }

    #[inline]
    pub(super) fn pairs(_: Avx2, tree: WideTree<'_>, walk: &mut Walk, enough: usize) {
        #[target_feature(enable = "avx2")]
        fn compiled(tree: WideTree<'_>, walk: &mut Walk, enough: usize) {
            super::pairs::<Avx8>(tree, walk, enough);
        }
        // SAFETY: `Avx2` proves that the CPU has AVX2.
        unsafe { compiled(tree, walk, enough) }
    }
}

// From here on plain loops and no closures, which would be compiled without AVX2.

/// Which of eight boxes share a point with one; never a vacant lane, never for a box of NaN.
#[inline(always)]
fn test<L: Lanes8>(aabb: &[f32; 6], boxes: &Boxes8) -> u8 {
    let x = L::and(
        L::load(&boxes[0]).le_mask(L::splat(aabb[3])),
        L::splat(aabb[0]).le_mask(L::load(&boxes[3])),
    );
    let y = L::and(
        L::load(&boxes[1]).le_mask(L::splat(aabb[4])),
        L::splat(aabb[1]).le_mask(L::load(&boxes[4])),
    );
    let z = L::and(
        L::load(&boxes[2]).le_mask(L::splat(aabb[5])),
        L::splat(aabb[2]).le_mask(L::load(&boxes[5])),
    );
    L::bits(L::and(x, L::and(y, z)))
}

#[inline(always)]
fn lane(boxes: &Boxes8, i: usize) -> [f32; 6] {
    [boxes[0][i], boxes[1][i], boxes[2][i], boxes[3][i], boxes[4][i], boxes[5][i]]
}

#[inline(always)]
fn overlapping<L: Lanes8>(
    tree: WideTree<'_>,
    aabb: &[f32; 6],
    stack: &mut Vec<u32>,
    found: &mut Vec<u32>,
) -> u64 {
    let mut looks = 0;
    while let Some(item) = stack.pop() {
        looks += 1;
        let node = (item & !NODE) as usize;
        let children = &tree.children[node];
        let mut hits = test::<L>(aabb, &tree.boxes[node]);
        while hits != 0 {
            let child = children[hits.trailing_zeros() as usize];
            hits &= hits - 1;
            if child & NODE != 0 {
                stack.push(child);
            } else {
                found.push(child);
            }
        }
    }
    looks
}

#[inline(always)]
fn pairs<L: Lanes8>(tree: WideTree<'_>, walk: &mut Walk, enough: usize) {
    while walk.pairs.len() < enough {
        let Some(item) = walk.stack.pop() else { return };
        one::<L>(tree, walk, item);
    }
}

#[inline(always)]
fn one<L: Lanes8>(tree: WideTree<'_>, walk: &mut Walk, [x, y]: [u32; 2]) {
    walk.looks += 1;
    if x == y {
        within::<L>(tree, walk, x & !NODE);
    } else if x & y & NODE != 0 {
        between::<L>(tree, walk, [x & !NODE, y & !NODE]);
    } else {
        let (leaf, node) = if x & NODE == 0 { (x, y & !NODE) } else { (y, x & !NODE) };
        let aabb = lane(&tree.boxes[leaf as usize / 8], leaf as usize % 8);
        let hits = test::<L>(&aabb, &tree.boxes[node as usize]);
        emit(tree, walk, leaf, (node, hits));
    }
}

/// The children of a node among themselves.
#[inline(always)]
fn within<L: Lanes8>(tree: WideTree<'_>, walk: &mut Walk, node: u32) {
    let boxes = &tree.boxes[node as usize];
    for i in 0..8 {
        let hits = test::<L>(&lane(boxes, i), boxes);
        let child = tree.children[node as usize][i];
        // A box overlaps itself, unless its lane is vacant.
        if hits >> i & 1 != 0 && child & NODE != 0 {
            walk.stack.push([child, child]);
        }
        emit(tree, walk, 8 * node + i as u32, (node, hits & (254 << i)));
    }
}

/// The children of one node against those of another.
#[inline(always)]
fn between<L: Lanes8>(tree: WideTree<'_>, walk: &mut Walk, [x, y]: [u32; 2]) {
    let (places, nodes) = (
        [tree.parents[x as usize] as usize, tree.parents[y as usize] as usize],
        [&tree.boxes[x as usize], &tree.boxes[y as usize]],
    );
    // Only what reaches into the other node as a whole needs a look of its own.
    let whole_x = lane(&tree.boxes[places[0] / 8], places[0] % 8);
    let near_y = test::<L>(&whole_x, nodes[1]);
    if near_y == 0 {
        return;
    }
    let whole_y = lane(&tree.boxes[places[1] / 8], places[1] % 8);
    let mut near_x = test::<L>(&whole_y, nodes[0]);
    while near_x != 0 {
        let i = near_x.trailing_zeros();
        near_x &= near_x - 1;
        let hits = test::<L>(&lane(nodes[0], i as usize), nodes[1]) & near_y;
        emit(tree, walk, 8 * x + i, (y, hits));
    }
}

/// The child at `place` overlaps some children of a node: these are pairs, or work to be done.
#[inline(always)]
fn emit(tree: WideTree<'_>, walk: &mut Walk, place: u32, (node, mut hits): (u32, u8)) {
    if hits == 0 {
        return;
    }
    let a = tree.children[place as usize / 8][place as usize % 8];
    while hits != 0 {
        let i = hits.trailing_zeros();
        hits &= hits - 1;
        let b = tree.children[node as usize][i as usize];
        if (a | b) & NODE == 0 {
            walk.pairs.push([a, b]);
        } else {
            let a = if a & NODE != 0 { a } else { place };
            let b = if b & NODE != 0 { b } else { 8 * node + i };
            walk.stack.push([a, b]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A root, some nodes of leaves and one leaf beside them; lanes of `None` are vacant.
    struct Small {
        boxes: Vec<Boxes8>,
        children: Vec<[u32; 8]>,
        parents: Vec<u32>,
        leaves: Vec<[f32; 6]>,
    }

    impl Small {
        fn new(nodes: &[Vec<[i8; 6]>]) -> Self {
            let mut small = Self {
                boxes: vec![[[f32::NAN; 8]; 6]],
                children: vec![[0; 8]],
                parents: vec![u32::MAX],
                leaves: Vec::new(),
            };
            for (i, node) in nodes.iter().enumerate() {
                let (mut boxes, mut children) = ([[f32::NAN; 8]; 6], [0; 8]);
                let mut whole = [f32::INFINITY; 6];
                whole[3..].fill(f32::NEG_INFINITY);
                for (lane, aabb) in node.iter().enumerate() {
                    let aabb = aabb.map(f32::from);
                    for k in 0..3 {
                        let ends = [aabb[k].min(aabb[k + 3]), aabb[k].max(aabb[k + 3])];
                        [boxes[k][lane], boxes[k + 3][lane]] = ends;
                        whole[k] = whole[k].min(ends[0]);
                        whole[k + 3] = whole[k + 3].max(ends[1]);
                    }
                    children[lane] = small.leaves.len() as u32;
                    small.leaves.push(super::lane(&boxes, lane));
                }
                (0..6).for_each(|k| small.boxes[0][k][i] = whole[k]);
                small.children[0][i] = NODE | (i as u32 + 1);
                small.boxes.push(boxes);
                small.children.push(children);
                small.parents.push(i as u32);
            }
            (0..6).for_each(|k| small.boxes[0][k][7] = [-1.0, 1.0][k / 3]);
            small.children[0][7] = small.leaves.len() as u32;
            small.leaves.push([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]);
            small
        }

        fn tree(&self) -> WideTree<'_> {
            WideTree { boxes: &self.boxes, children: &self.children, parents: &self.parents }
        }
    }

    fn overlap(a: &[f32; 6], b: &[f32; 6]) -> bool {
        (0..3).all(|k| a[k] <= b[k + 3] && b[k] <= a[k + 3])
    }

    fn walk(work: impl FnOnce(&mut Walk)) -> (Vec<[u32; 2]>, u64) {
        let mut walk = Walk { stack: vec![[NODE, NODE]], ..Walk::default() };
        work(&mut walk);
        assert!(walk.stack.is_empty());
        (walk.pairs, walk.looks)
    }

    proptest! {
        #[test]
        fn both_forms_agree_with_the_definition(
            nodes in prop::collection::vec(
                prop::collection::vec(prop::array::uniform6(-6i8..7), 1..9), 1..8),
            asked in prop::array::uniform6(-6i8..7),
        ) {
            let small = Small::new(&nodes);
            let tree = small.tree();
            let scalar = walk(|walk| pairs::<Scalar8>(tree, walk, usize::MAX));
            prop_assert_eq!(&walk(|walk| tree.pairs(walk, usize::MAX)), &scalar);
            let piecemeal = walk(|walk| while !walk.stack.is_empty() {
                tree.pairs(walk, walk.pairs.len() + 1);
                tree.pairs_of_one(walk);
            });
            prop_assert_eq!(&piecemeal, &scalar);
            let mut got: Vec<_> = scalar.0.iter().map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
            got.sort_unstable();
            let all = 0..small.leaves.len();
            let expected: Vec<_> = all.clone().flat_map(|i| (i + 1..all.end).map(move |j| [i, j]))
                .filter(|&[i, j]| overlap(&small.leaves[i], &small.leaves[j]))
                .map(|pair| pair.map(|i| i as u32)).collect();
            prop_assert_eq!(got, expected);

            let mut aabb = asked.map(f32::from);
            (0..3).for_each(|k| if aabb[k] > aabb[k + 3] { aabb.swap(k, k + 3) });
            let (mut fast, mut plain) = (Vec::new(), Vec::new());
            let looks = tree.overlapping(&aabb, &mut vec![NODE], &mut fast);
            let same = overlapping::<Scalar8>(tree, &aabb, &mut vec![NODE], &mut plain);
            prop_assert_eq!((looks, &fast), (same, &plain));
            fast.sort_unstable();
            let expected: Vec<_> = all.filter(|&i| overlap(&small.leaves[i], &aabb))
                .map(|i| i as u32).collect();
            prop_assert_eq!(fast, expected);
        }
    }
}
