//! A dynamic tree of f32 boxes, eight children to a node, for boxes that come, go and move.
//!
//! Built in bulk from an order along a space-filling curve (`build.rs`, O(n log n), parallel);
//! changed one leaf at a time like an R-tree: a leaf goes down where the nodes grow least, a full
//! node is split, so that depth grows at the root only and stays logarithmic however many boxes
//! are the same. Queries (`query.rs`) and the search for all overlapping leaves (`pairs.rs`) use
//! explicit stacks and one vector test per node. Moving leaves wears a tree out; the number of nodes
//! that a query looks at, which each query returns, is how that is measured.
//!
//! Boxes may reach to infinity, but hold no NaN and are not empty. Leaves are named by numbers below
//! 2³¹, best small ones: there is a table of them.

mod build;
mod nearest;
mod pairs;
mod query;
#[cfg(test)]
mod tests;

use crate::aabb::Aabb32;
use impinge_simd::wide_tree::{Boxes8, NODE, WideTree};
pub use pairs::{Descent, PairTasks};
pub use query::Ray;

/// No place, no node.
const NONE: u32 = u32::MAX;
const VACANT: Boxes8 = [[f32::NAN; 8]; 6];
/// A leaf stays in its node if that keeps the node's area below this many times the area of the rest
/// of the node. Larger wears the tree out sooner, smaller makes moves cost as much as insertions.
const STAY_AREA: f64 = 2.0;

/// The tree.
#[derive(Clone, Debug)]
pub struct BoxTree {
    /// By node: the boxes of its children.
    boxes: Vec<Boxes8>,
    /// By node: its children, leaves by name and nodes marked by `NODE`.
    children: Vec<[u32; 8]>,
    /// By node: its place in its parent, `8 · node + lane`; `NONE` for the root.
    parents: Vec<u32>,
    /// By node: a bit for each lane that is not vacant.
    used: Vec<u8>,
    /// Nodes that are not part of the tree at present.
    vacant: Vec<u32>,
    root: u32,
    /// By name of a leaf: its place, or `NONE`.
    places: Vec<u32>,
    len: usize,
    keys: build::Keys,
}

impl Default for BoxTree {
    fn default() -> Self {
        Self {
            boxes: Vec::new(),
            children: Vec::new(),
            parents: Vec::new(),
            used: Vec::new(),
            vacant: Vec::new(),
            root: NONE,
            places: Vec::new(),
            len: 0,
            keys: build::Keys::default(),
        }
    }
}

impl BoxTree {
    /// How many leaves there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether there is a leaf of that name.
    #[inline]
    pub fn contains(&self, leaf: u32) -> bool {
        self.places.get(leaf as usize).is_some_and(|&place| place != NONE)
    }

    /// A number that rises along the tree, for one who has many leaves to look at: those of close
    /// numbers are close in memory. The same for all that are not in the tree.
    #[inline]
    pub fn place(&self, leaf: u32) -> u32 {
        self.places.get(leaf as usize).map_or(NONE, |&place| place)
    }

    /// The memory it holds.
    pub fn bytes(&self) -> usize {
        let node = size_of::<Boxes8>() + size_of::<[u32; 8]>();
        self.boxes.capacity() * node
            + 4 * (self.parents.capacity() + self.vacant.capacity() + self.places.capacity())
            + self.used.capacity()
            + self.keys.bytes()
    }

    /// The box around all leaves, if there are any.
    pub fn whole(&self) -> Option<Aabb32> {
        (self.root != NONE).then(|| union(&self.boxes[self.root as usize]))
    }

    /// Forgets all leaves.
    pub fn clear(&mut self) {
        self.boxes.clear();
        self.children.clear();
        self.parents.clear();
        self.used.clear();
        self.vacant.clear();
        self.places.clear();
        self.root = NONE;
        self.len = 0;
    }

    /// A leaf of a name that is not in the tree yet, or its new box if it is.
    ///
    /// A leaf that was there stays in its node if it still fits in with the others there, else it is
    /// taken out and put in anew.
    pub fn set(&mut self, leaf: u32, aabb: &Aabb32) {
        assert!(leaf & NODE == 0, "names of leaves are below 2^31");
        if leaf as usize >= self.places.len() {
            self.places.resize(leaf as usize + 1, NONE);
        }
        let place = self.places[leaf as usize];
        if place != NONE {
            if self.stays(place, aabb) {
                return;
            }
            self.vacate(place);
            self.len -= 1;
        }
        self.insert(leaf, aabb);
        self.len += 1;
    }

    /// Takes a leaf out; false if it was not there.
    pub fn remove(&mut self, leaf: u32) -> bool {
        if !self.contains(leaf) {
            return false;
        }
        let place = std::mem::replace(&mut self.places[leaf as usize], NONE);
        self.vacate(place);
        self.len -= 1;
        true
    }

    /// Gives every leaf a new box without changing the tree.
    pub fn refit(&mut self, box_of: impl Fn(u32) -> Aabb32) {
        if self.root == NONE {
            return;
        }
        // Parents come before their children in this list, so its reverse is a way up.
        let mut order = vec![self.root];
        let mut done = 0;
        while done < order.len() {
            for child in lanes(self.used[order[done] as usize]) {
                let child = self.children[order[done] as usize][child];
                if child & NODE != 0 {
                    order.push(child & !NODE);
                }
            }
            done += 1;
        }
        for &node in order.iter().rev() {
            for lane in lanes(self.used[node as usize]) {
                let child = self.children[node as usize][lane];
                let aabb = if child & NODE == 0 {
                    box_of(child)
                } else {
                    union(&self.boxes[(child & !NODE) as usize])
                };
                self.put_box(8 * node + lane as u32, &aabb);
            }
        }
    }

    fn view(&self) -> WideTree<'_> {
        WideTree { boxes: &self.boxes, children: &self.children, parents: &self.parents }
    }

    fn put_box(&mut self, place: u32, aabb: &Aabb32) {
        let boxes = &mut self.boxes[place as usize / 8];
        for k in 0..6 {
            boxes[k][place as usize % 8] = aabb[k];
        }
    }

    /// Gives a leaf a new box where it is; false if its node would not stay compact.
    fn stays(&mut self, place: u32, aabb: &Aabb32) -> bool {
        let node = place / 8;
        let above = self.parents[node as usize];
        if above != NONE {
            let mut others = self.boxes[node as usize];
            for column in &mut others {
                column[place as usize % 8] = f32::NAN;
            }
            let others = union(&others);
            let whole = joined(&others, aabb);
            if area(&whole) > STAY_AREA * area(&others) {
                return false;
            }
            if whole != lane_box(&self.boxes[above as usize / 8], above as usize % 8) {
                self.put_box(above, &whole);
                self.refit_above(above / 8);
            }
        }
        self.put_box(place, aabb);
        true
    }

    /// Makes the boxes of all ancestors of a node what they should be.
    fn refit_above(&mut self, mut node: u32) {
        while self.parents[node as usize] != NONE {
            let place = self.parents[node as usize];
            let aabb = union(&self.boxes[node as usize]);
            if aabb == lane_box(&self.boxes[place as usize / 8], place as usize % 8) {
                return;
            }
            self.put_box(place, &aabb);
            node = place / 8;
        }
    }

    /// Empties a lane, and takes out the nodes that have nothing left.
    fn vacate(&mut self, place: u32) {
        let (mut node, mut lane) = (place / 8, place % 8);
        loop {
            self.put_box(8 * node + lane, &[f32::NAN; 6]);
            self.used[node as usize] &= !(1 << lane);
            let parent = self.parents[node as usize];
            if self.used[node as usize] != 0 {
                return self.refit_above(node);
            }
            self.vacant.push(node);
            if parent == NONE {
                self.root = NONE;
                return;
            }
            (node, lane) = (parent / 8, parent % 8);
        }
    }

    fn new_node(&mut self) -> u32 {
        if let Some(node) = self.vacant.pop() {
            self.boxes[node as usize] = VACANT;
            self.used[node as usize] = 0;
            self.parents[node as usize] = NONE;
            return node;
        }
        self.boxes.push(VACANT);
        self.children.push([0; 8]);
        self.parents.push(NONE);
        self.used.push(0);
        self.boxes.len() as u32 - 1
    }

    /// Puts a child into a lane, whatever was there before.
    fn put(&mut self, place: u32, child: u32, aabb: &Aabb32) {
        let (node, lane) = (place as usize / 8, place as usize % 8);
        self.put_box(place, aabb);
        self.children[node][lane] = child;
        self.used[node] |= 1 << lane;
        if child & NODE == 0 {
            self.places[child as usize] = place;
        } else {
            self.parents[(child & !NODE) as usize] = place;
        }
    }

    /// Goes down to where the nodes grow least and puts the leaf there.
    fn insert(&mut self, leaf: u32, aabb: &Aabb32) {
        if self.root == NONE {
            self.root = self.new_node();
        }
        let mut node = self.root;
        while let Some(child) = self.descend(node, aabb) {
            node = child;
        }
        self.add(node, leaf, aabb);
    }

    /// The child to which a leaf should go; none if it should be a child of this node itself.
    fn descend(&self, node: u32, aabb: &Aabb32) -> Option<u32> {
        let boxes = &self.boxes[node as usize];
        let (mut best, mut least) = (None, [f64::INFINITY; 2]);
        for lane in lanes(self.used[node as usize]) {
            let child = self.children[node as usize][lane];
            if child & NODE != 0 {
                let old = lane_box(boxes, lane);
                let now = area(&joined(&old, aabb));
                // The smaller one if both grow alike, as for boxes within both.
                let cost = [now - area(&old), now];
                if best.is_none() || cost < least {
                    (best, least) = (Some(child & !NODE), cost);
                }
            }
        }
        let room = self.used[node as usize] != u8::MAX;
        if room && least[0] > area(aabb) { None } else { best }
    }

    /// Adds a child to a node; a full one is split, and its parent then gets one more child.
    fn add(&mut self, mut node: u32, mut child: u32, aabb: &Aabb32) {
        let mut aabb = *aabb;
        while self.used[node as usize] == u8::MAX {
            let fresh = self.split(node, child, &aabb);
            if self.parents[node as usize] == NONE {
                let root = self.new_node();
                let whole = union(&self.boxes[node as usize]);
                self.put(8 * root, NODE | node, &whole);
                self.root = root;
            }
            // The box of the old half first: the new one may go anywhere above.
            self.refit_above(node);
            aabb = union(&self.boxes[fresh as usize]);
            child = NODE | fresh;
            node = self.parents[node as usize] / 8;
        }
        let lane = self.used[node as usize].trailing_ones();
        self.put(8 * node + lane, child, &aabb);
        self.refit_above(node);
    }

    /// Shares the children of a full node and one more out among it and a new node.
    fn split(&mut self, node: u32, child: u32, aabb: &Aabb32) -> u32 {
        let mut all = [(child, *aabb); 9];
        for (lane, entry) in all[..8].iter_mut().enumerate() {
            let boxes = &self.boxes[node as usize];
            *entry = (self.children[node as usize][lane], lane_box(boxes, lane));
        }
        let first = halve(&mut all);
        self.boxes[node as usize] = VACANT;
        self.used[node as usize] = 0;
        let fresh = self.new_node();
        for (i, (child, aabb)) in all.iter().enumerate() {
            let place =
                if i < first { 8 * node + i as u32 } else { 8 * fresh + (i - first) as u32 };
            self.put(place, *child, aabb);
        }
        fresh
    }
}

/// Sorts nine boxes along an axis and says how many of them make the first of two groups, such that
/// the sum of the areas is smallest. Groups have three at least.
fn halve(all: &mut [(u32, Aabb32); 9]) -> usize {
    let (mut best, mut least, mut order) = (0, f64::INFINITY, *all);
    for k in 0..3 {
        all.sort_by(|(_, a), (_, b)| middle(a, k).total_cmp(&middle(b, k)));
        for first in 3..7 {
            let whole = |part: &[(u32, Aabb32)]| {
                area(&part[1..].iter().fold(part[0].1, |whole, (_, aabb)| joined(&whole, aabb)))
            };
            let sum = whole(&all[..first]) + whole(&all[first..]);
            if best == 0 || sum < least {
                (best, least, order) = (first, sum, *all);
            }
        }
    }
    *all = order;
    best
}

/// Twice the middle on an axis. Infinite ends count as very far, so that this is never NaN.
fn middle(aabb: &Aabb32, k: usize) -> f64 {
    [aabb[k], aabb[k + 3]].iter().map(|x| f64::from(x.clamp(f32::MIN, f32::MAX))).sum()
}

/// Half the surface, and a little for length, so that flat and thin boxes are told apart. Infinite
/// ends count as very far, so that differences of areas are never NaN.
fn area(aabb: &Aabb32) -> f64 {
    let size = |k: usize| f64::from(aabb[k + 3].min(f32::MAX)) - f64::from(aabb[k].max(f32::MIN));
    let (x, y, z) = (size(0).max(0.0), size(1).max(0.0), size(2).max(0.0));
    let length = x + y + z;
    x * y + y * z + z * x + 1e-3 * length * length
}

#[inline]
fn joined(a: &Aabb32, b: &Aabb32) -> Aabb32 {
    let mut whole = *a;
    for k in 0..3 {
        whole[k] = less(a[k], b[k]);
        whole[k + 3] = more(a[k + 3], b[k + 3]);
    }
    whole
}

#[inline]
fn lane_box(boxes: &Boxes8, lane: usize) -> Aabb32 {
    [boxes[0][lane], boxes[1][lane], boxes[2][lane], boxes[3][lane], boxes[4][lane], boxes[5][lane]]
}

/// Around all children of a node; vacant lanes do not count.
#[inline]
fn union(boxes: &Boxes8) -> Aabb32 {
    // The first comparison takes vacant lanes out, so that all others are single instructions. Plain
    // loops: this is where moving a leaf spends its time.
    let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
    let mut whole = [low, low, low, high, high, high];
    for k in 0..3 {
        let (mut c, mut d) = (boxes[k], boxes[k + 3]);
        for i in 0..8 {
            c[i] = less(c[i], low);
            d[i] = more(d[i], high);
        }
        for half in [4, 2, 1] {
            for i in 0..half {
                c[i] = less(c[i], c[i + half]);
                d[i] = more(d[i], d[i + half]);
            }
        }
        (whole[k], whole[k + 3]) = (c[0], d[0]);
    }
    whole
}

/// The second one if the first is NaN.
#[inline(always)]
fn less(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The second one if the first is NaN.
#[inline(always)]
fn more(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The lanes of a set, rising.
fn lanes(mut set: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (set != 0).then_some(set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(lane)
    })
}
