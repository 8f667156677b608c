//! Builds a whole tree at once: boxes are put in order along a space-filling curve (Morton codes of
//! their middles), blocks of that order are put in a better one by halving them again and again
//! across where they are longest, and each eight in a row become a node, level by level. The curve
//! alone is quicker, but it jumps, and eight in a row then do not lie together.
//!
//! Boxes of very different size do not share nodes: one large box would make a node of small ones as
//! large as itself. They are sorted into classes, each with a tree of its own below the root.

use super::{BoxTree, NONE, VACANT, union};
use crate::aabb::Aabb32;
use impinge_simd::wide_tree::{Boxes8, NODE};
use rayon::prelude::*;
use std::ops::Range;

/// Sizes are told apart in steps of a quarter of a factor of two: exponent and two bits of an f32.
const BINS: usize = 1 << 10;
/// The sizes within a class differ by no more than a factor of eight.
const CLASS_BINS: usize = 12;
/// As many as the root has lanes. The last one takes all that is smaller still.
const CLASSES: usize = 8;
/// A key is a class, then ten bits for each of three coordinates, then the name of the leaf.
const NAME_BITS: u32 = 31;
const CLASS_SHIFT: u32 = 61;
const CELL_MAX: f32 = 1023.0;
/// The highest bits of a key, by which keys are shared out before they are sorted.
const BUCKET_SHIFT: u32 = 50;
/// So many boxes in a row are put in order by halving: the three lowest levels of the tree.
const BLOCK: usize = 1 << 12;
/// Below this many boxes neither sharing out nor a second thread pays.
const LARGE_FROM: usize = 1 << 13;

/// What the order is made with; kept for the next time.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    keys: Vec<u64>,
    spare: Vec<u64>,
}

impl Keys {
    pub(super) fn bytes(&self) -> usize {
        8 * (self.keys.capacity() + self.spare.capacity())
    }
}

/// Where the middles are, and how sizes are spread.
#[derive(Clone)]
struct Survey {
    low: [f32; 3],
    high: [f32; 3],
    sizes: Vec<u32>,
}

impl BoxTree {
    /// Forgets all leaves and takes those of the list instead, no name twice.
    pub fn build(&mut self, leaves: &[u32], box_of: &(impl Fn(u32) -> Aabb32 + Sync)) {
        self.clear();
        self.len = leaves.len();
        if leaves.is_empty() {
            return;
        }
        let names = leaves.iter().max().map_or(0, |&most| most as usize + 1);
        assert!(names <= NODE as usize, "names of leaves are below 2^31");
        self.places.resize(names, NONE);
        let mut keys = std::mem::take(&mut self.keys);
        let ends = keys.order(leaves, box_of);
        let mut tops = Vec::with_capacity(CLASSES);
        let mut from = 0;
        for end in ends {
            if from < end {
                tops.push(self.build_class(&keys.keys[from..end], box_of));
            }
            from = end;
        }
        self.keys = keys;
        self.root = match tops[..] {
            [only] if only & NODE != 0 => only & !NODE,
            _ => self.join(&tops, box_of),
        };
    }

    /// A tree of its own for leaves in this order: a node, or the only leaf.
    fn build_class(&mut self, keys: &[u64], box_of: &(impl Fn(u32) -> Aabb32 + Sync)) -> u32 {
        if let [only] = keys {
            return name(*only);
        }
        let mut level = self.add_level(keys.len(), |i| {
            let leaf = name(keys[i]);
            (leaf, box_of(leaf))
        });
        for (i, key) in keys.iter().enumerate() {
            self.places[name(*key) as usize] = (8 * level.start + i) as u32;
        }
        while level.len() > 1 {
            let wholes: Vec<Aabb32> = self.boxes[level.clone()].iter().map(union).collect();
            let next =
                self.add_level(level.len(), |i| (NODE | (level.start + i) as u32, wholes[i]));
            for i in 0..level.len() {
                self.parents[level.start + i] = (8 * next.start + i) as u32;
            }
            level = next;
        }
        NODE | level.start as u32
    }

    /// Appends nodes for so many children, eight each.
    fn add_level(
        &mut self,
        count: usize,
        child: impl Fn(usize) -> (u32, Aabb32) + Sync,
    ) -> Range<usize> {
        let nodes = self.boxes.len()..self.boxes.len() + count.div_ceil(8);
        self.boxes.resize(nodes.end, VACANT);
        self.children.resize(nodes.end, [0; 8]);
        self.parents.resize(nodes.end, NONE);
        self.used.resize(nodes.end, 0);
        let fill = |(node, ((boxes, children), used)): (usize, ((&mut Boxes8, _), &mut u8))| {
            let children: &mut [u32; 8] = children;
            for lane in 0..8.min(count - 8 * node) {
                let (child, aabb) = child(8 * node + lane);
                children[lane] = child;
                *used |= 1 << lane;
                for k in 0..6 {
                    boxes[k][lane] = aabb[k];
                }
            }
        };
        let (boxes, children) = (&mut self.boxes[nodes.start..], &mut self.children[nodes.start..]);
        let used = &mut self.used[nodes.start..];
        if is_large(count) {
            boxes.par_iter_mut().zip(children).zip(used).enumerate().for_each(fill);
        } else {
            boxes.iter_mut().zip(children).zip(used).enumerate().for_each(fill);
        }
        nodes
    }

    /// A root over the trees of the classes.
    fn join(&mut self, tops: &[u32], box_of: &impl Fn(u32) -> Aabb32) -> u32 {
        let root = self.new_node();
        for (lane, &top) in tops.iter().enumerate() {
            let aabb = match top & NODE {
                0 => box_of(top),
                _ => union(&self.boxes[(top & !NODE) as usize]),
            };
            self.put(8 * root + lane as u32, top, &aabb);
        }
        root
    }
}

impl Keys {
    /// Fills `keys` with the leaves in order and returns where each class ends.
    fn order(&mut self, leaves: &[u32], box_of: &(impl Fn(u32) -> Aabb32 + Sync)) -> [usize; 8] {
        let survey = Survey::of(leaves, box_of);
        let grid = Grid::around(survey.low, survey.high);
        let classes = survey.classes();
        let key = |&leaf: &u32| {
            let aabb = box_of(leaf);
            let class = u64::from(classes[size_bin(&aabb)]);
            class << CLASS_SHIFT | grid.code(&middle(&aabb)) << NAME_BITS | u64::from(leaf)
        };
        if is_large(leaves.len()) {
            leaves.par_iter().map(key).collect_into_vec(&mut self.keys);
        } else {
            self.keys.clear();
            self.keys.extend(leaves.iter().map(key));
        }
        self.sort();
        self.refine(box_of);
        let mut ends = [0; CLASSES];
        for (bin, &count) in survey.sizes.iter().enumerate() {
            ends[usize::from(classes[bin])] += count as usize;
        }
        (1..CLASSES).for_each(|class| ends[class] += ends[class - 1]);
        let mut rest = &mut self.keys[..];
        let mut blocks = Vec::new();
        for class in 0..CLASSES {
            let from = if class > 0 { ends[class - 1] } else { 0 };
            let part;
            (part, rest) = rest.split_at_mut(ends[class] - from);
            blocks.extend(part.chunks_mut(BLOCK));
        }
        if is_large(leaves.len()) {
            blocks.into_par_iter().for_each(|block| halve_block(block, box_of));
        } else {
            blocks.into_iter().for_each(|block| halve_block(block, box_of));
        }
        ends
    }

    /// Shares the keys out by their highest bits, then sorts each share.
    fn sort(&mut self) {
        let Self { keys, spare } = self;
        if keys.len() < LARGE_FROM {
            return keys.sort_unstable();
        }
        let mut counts = vec![0; 1 << (64 - BUCKET_SHIFT)];
        keys.iter().for_each(|key| counts[(key >> BUCKET_SHIFT) as usize] += 1);
        let mut starts = counts.clone();
        let mut sum = 0;
        starts.iter_mut().for_each(|start| sum += std::mem::replace(start, sum));
        spare.resize(keys.len(), 0);
        for &key in &*keys {
            let next = &mut starts[(key >> BUCKET_SHIFT) as usize];
            spare[*next] = key;
            *next += 1;
        }
        std::mem::swap(keys, spare);
        let mut rest = &mut keys[..];
        let mut shares = Vec::new();
        for count in counts.into_iter().filter(|&count| count > 0) {
            let share;
            (share, rest) = rest.split_at_mut(count);
            shares.push(share);
        }
        if rayon::current_num_threads() > 1 {
            shares.into_par_iter().for_each(|share| share.sort_unstable());
        } else {
            shares.into_iter().for_each(|share| share.sort_unstable());
        }
    }

    /// Leaves that share a cell of the grid are put in order by a finer grid of their own, and so on:
    /// one body far away must not make a single cell of all others. Each round tells apart what
    /// differs by a thousandth of what the last one could, so there are few.
    fn refine(&mut self, box_of: &impl Fn(u32) -> Aabb32) {
        let cell = |key: &u64| key >> NAME_BITS;
        let mut open = vec![[0, self.keys.len()]];
        while let Some([mut from, end]) = open.pop() {
            while from < end {
                let run = self.keys[from..end].iter();
                let run = run.take_while(|key| cell(key) == cell(&self.keys[from])).count();
                let keys = &mut self.keys[from..from + run];
                from += run;
                if run <= 8 {
                    continue;
                }
                let survey = Survey::middles(keys.iter().map(|&key| box_of(name(key))));
                let grid = Grid::around(survey.low, survey.high);
                if grid.is_flat() {
                    continue;
                }
                for key in &mut *keys {
                    let leaf = name(*key);
                    *key = grid.code(&middle(&box_of(leaf))) << NAME_BITS | u64::from(leaf);
                }
                keys.sort_unstable();
                open.push([from - run, from]);
            }
        }
    }
}

/// Puts leaves in the order of a tree of halves: each range is cut in two across where it is longest,
/// with eight times a power of two in the first half, down to eight.
fn halve_block(keys: &mut [u64], box_of: &impl Fn(u32) -> Aabb32) {
    let mut items: Vec<([f32; 3], u64)> =
        keys.iter().map(|&key| (middle(&box_of(name(key))), key)).collect();
    let mut open = vec![[0, items.len()]];
    while let Some([from, end]) = open.pop() {
        if end - from <= 8 {
            continue;
        }
        let range = &mut items[from..end];
        let mut survey = Survey::none();
        range.iter().for_each(|(point, _)| survey.add(point));
        let length = |k: &usize| 0.5 * survey.high[*k] - 0.5 * survey.low[*k];
        let axis = (1..3).fold(0, |best, k| if length(&k) > length(&best) { k } else { best });
        let half = (end - from).next_power_of_two() / 2;
        range.select_nth_unstable_by(half, |a, b| {
            a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1))
        });
        open.push([from, from + half]);
        open.push([from + half, end]);
    }
    keys.iter_mut().zip(&items).for_each(|(key, item)| *key = item.1);
}

impl Survey {
    fn none() -> Self {
        let (low, high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        Self { low, high, sizes: Vec::new() }
    }

    fn of(leaves: &[u32], box_of: &(impl Fn(u32) -> Aabb32 + Sync)) -> Self {
        let chunk = |leaves: &[u32]| {
            let mut survey = Self { sizes: vec![0; BINS], ..Self::none() };
            for &leaf in leaves {
                let aabb = box_of(leaf);
                let bin = size_bin(&aabb);
                survey.sizes[bin] += 1;
                // What is infinite says nothing of where the others are.
                if bin < INFINITE_BIN {
                    survey.add(&middle(&aabb));
                }
            }
            survey
        };
        if !is_large(leaves.len()) {
            return chunk(leaves);
        }
        let parts: Vec<Self> = leaves.par_chunks(LARGE_FROM).map(chunk).collect();
        parts.into_iter().fold(Self { sizes: vec![0; BINS], ..Self::none() }, |mut all, part| {
            all.sizes.iter_mut().zip(&part.sizes).for_each(|(sum, more)| *sum += more);
            all.add(&part.low);
            all.add(&part.high);
            all
        })
    }

    fn middles(boxes: impl Iterator<Item = Aabb32>) -> Self {
        boxes.fold(Self::none(), |mut survey, aabb| {
            survey.add(&middle(&aabb));
            survey
        })
    }

    fn add(&mut self, point: &[f32; 3]) {
        self.low = std::array::from_fn(|k| self.low[k].min(point[k]));
        self.high = std::array::from_fn(|k| self.high[k].max(point[k]));
    }

    /// By bin of size: its class, the largest first. Of all ways to cut the range of sizes into
    /// classes of a factor eight, takes the one that has the fewest boxes right below and above
    /// its cuts: sizes that are nearly the same belong together.
    fn classes(&self) -> Vec<u8> {
        let finite = &self.sizes[..INFINITE_BIN];
        let top = finite.iter().rposition(|&count| count > 0).map_or(0, |bin| bin + 1);
        let bottom = finite.iter().position(|&count| count > 0).unwrap_or(0);
        let mut first = CLASS_BINS;
        if top - bottom > CLASS_BINS {
            let near =
                |cut: usize| finite[cut.saturating_sub(2)..top.min(cut + 2)].iter().sum::<u32>();
            let cost = |&first: &usize| -> u32 {
                (1..CLASSES).map(|i| near(top.saturating_sub(first + (i - 1) * CLASS_BINS))).sum()
            };
            first = (1..=CLASS_BINS).min_by_key(cost).unwrap_or(CLASS_BINS);
        }
        let infinite = usize::from(self.sizes[INFINITE_BIN..].iter().any(|&count| count > 0));
        let class = |bin: usize| {
            let below = (top + CLASS_BINS - first).saturating_sub(bin + 1) / CLASS_BINS;
            (infinite + below).min(CLASSES - 1) as u8
        };
        (0..BINS).map(|bin| if bin >= INFINITE_BIN { 0 } else { class(bin) }).collect()
    }
}

/// Cells of equal edges on all axes, so that a flat world is not cut where it is thin.
struct Grid {
    low: [f32; 3],
    scale: f32,
}

impl Grid {
    fn around(low: [f32; 3], high: [f32; 3]) -> Self {
        // Halves, so that the difference is finite.
        let half = (0..3).map(|k| 0.5 * high[k] - 0.5 * low[k]).fold(0.0, f32::max);
        Self { low, scale: (CELL_MAX + 0.5) / half }
    }

    /// Whether all is in one point, or as good as.
    fn is_flat(&self) -> bool {
        self.scale == f32::INFINITY
    }

    fn code(&self, point: &[f32; 3]) -> u64 {
        let cell = |k: usize| {
            let x = (0.5 * point[k] - 0.5 * self.low[k]) * self.scale;
            // A cast takes NaN to zero and what is too large to the end.
            spread(x.clamp(0.0, CELL_MAX) as u32)
        };
        cell(0) << 2 | cell(1) << 1 | cell(2)
    }
}

/// Two zero bits before each of the ten bits of `x`.
fn spread(x: u32) -> u64 {
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    u64::from((x | x << 2) & 0x0924_9249)
}

const INFINITE_BIN: usize = (f32::INFINITY.to_bits() >> 21) as usize;

/// The largest edge, coarsely.
fn size_bin(aabb: &Aabb32) -> usize {
    let size = (0..3).map(|k| aabb[k + 3] - aabb[k]).fold(0.0, f32::max);
    (size.to_bits() >> 21) as usize
}

fn middle(aabb: &Aabb32) -> [f32; 3] {
    // Infinite ends count as very far, so that this is a number.
    let half = |x: f32| 0.5 * x.clamp(f32::MIN, f32::MAX);
    std::array::from_fn(|k| half(aabb[k]) + half(aabb[k + 3]))
}

fn name(key: u64) -> u32 {
    (key & ((1 << NAME_BITS) - 1)) as u32
}

fn is_large(count: usize) -> bool {
    count >= LARGE_FROM && rayon::current_num_threads() > 1
}
