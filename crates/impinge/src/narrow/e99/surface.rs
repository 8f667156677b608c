//! Intersecting triangles by simultaneous descent of two hierarchies, or of one with itself.
//!
//! A pair of nodes whose volumes are not apart is opened at the larger one; pairs of leaves go to the
//! exact triangle test on posed vertices. The stack is explicit and the order fixed.

use super::model::Posed;
use crate::contract::query::Want;
use crate::narrow::budget::Limit;
use crate::narrow::found::{Found, contact};
use crate::narrow::parts::Solid;
use impinge_geom::hierarchy::{Bound, Node, View};
use impinge_geom::neighbours::intersect_beyond_shared;
use impinge_geom::tri_batch::{BatchScratch, TriangleBatch};

/// The clock is looked at once in so many node tests.
pub(super) const TESTS_PER_LOOK: u64 = 64;

/// The triangles of `a` that meet triangles of `b`.
pub(super) fn against<B: Bound>(
    [a, b]: [&Posed<'_, B>; 2],
    want: Want,
    limit: &Limit<'_>,
) -> Found {
    let mut descent = Descent::new([a, b], want, limit);
    if descent.may_touch([0, 0]) {
        descent.stack.push([0, 0]);
    }
    descent.run(|descent, [i, j]| {
        let (faces_a, faces_b) = (a.faces(a.node(i)), b.faces(b.node(j)));
        descent.leaves([faces_a, faces_b], |_, _| true);
    });
    descent.finish()
}

/// The triangles of `a` that meet others of `a` beyond what they share.
pub(super) fn against_itself<B: Bound>(a: &Posed<'_, B>, want: Want, limit: &Limit<'_>) -> Found {
    let mut descent = Descent::new([a, a], want, limit);
    descent.stack.push([0, 0]);
    descent.run(|descent, [i, j]| {
        let (faces_i, faces_j) = (a.faces(a.node(i)), a.faces(a.node(j)));
        // Within one leaf each pair is met twice, so it counts in one sense only.
        descent.leaves([faces_i, faces_j], |face, other| {
            (i != j || face < other)
                && intersect_beyond_shared(&a.triangle(face), &a.triangle(other))
        });
    });
    descent.found.triangle_pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    descent.finish()
}

struct Descent<'a, 'l, B> {
    bodies: [&'a Posed<'a, B>; 2],
    view: View,
    want: Want,
    limit: &'a Limit<'l>,
    /// Pairs of nodes that are not apart.
    stack: Vec<[u32; 2]>,
    found: Found,
    batch: TriangleBatch,
    scratch: BatchScratch,
}

impl<'a, 'l, B: Bound> Descent<'a, 'l, B> {
    fn new([a, b]: [&'a Posed<'a, B>; 2], want: Want, limit: &'a Limit<'l>) -> Self {
        Self {
            bodies: [a, b],
            view: View::new([&a.pose, &b.pose], [a.model.reach, b.model.reach]),
            want,
            limit,
            stack: Vec::new(),
            found: Found::default(),
            batch: TriangleBatch::default(),
            scratch: BatchScratch::default(),
        }
    }

    /// Whether to stop: the budget is spent, or one contact was all that was asked for.
    fn is_over(&self) -> bool {
        self.found.cut_short
            || (self.want == Want::Touching && !self.found.triangle_pairs.is_empty())
    }

    /// Opens pairs of nodes until there are none; pairs of leaves go to `leaves`.
    fn run(&mut self, mut leaves: impl FnMut(&mut Self, [u32; 2])) {
        let [a, b] = self.bodies;
        let itself = std::ptr::eq(a, b);
        while let Some([i, j]) = self.stack.pop() {
            if self.is_over() {
                break;
            }
            let (node_a, node_b) = (a.node(i), b.node(j));
            if itself && i == j && !node_a.is_leaf() {
                self.open_against_itself(node_a);
            } else if node_a.is_leaf() && node_b.is_leaf() {
                leaves(self, [i, j]);
            } else if opens_first(node_a, node_b) {
                self.push_if_near(node_a.children().map(|child| [child, j]));
            } else {
                self.push_if_near(node_b.children().map(|child| [i, child]));
            }
        }
    }

    fn open_against_itself(&mut self, node: &Node<B>) {
        self.stack.extend(node.children().map(|child| [child, child]));
        for child in node.children() {
            self.push_if_near((child + 1..node.children().end).map(|other| [child, other]));
        }
    }

    fn push_if_near(&mut self, pairs: impl Iterator<Item = [u32; 2]>) {
        for pair in pairs {
            if self.may_touch(pair) {
                self.stack.push(pair);
            }
        }
    }

    /// Whether the volumes of two nodes are not apart.
    fn may_touch(&mut self, [i, j]: [u32; 2]) -> bool {
        let tests = &mut self.found.counters.node_tests;
        *tests += 1;
        let late = tests.is_multiple_of(TESTS_PER_LOOK) && self.limit.deadline.is_over();
        if late || !self.limit.take(1) {
            self.found.cut_short = true;
        }
        let [a, b] = self.bodies;
        !a.node(i).bound.is_apart(&b.node(j).bound, &self.view)
    }

    /// The triangles of two leaves against each other; `counts` has the last word on a pair.
    fn leaves(&mut self, faces: [&[u32]; 2], counts: impl Fn(u32, u32) -> bool) {
        let [a, b] = self.bodies;
        let pairs = faces[0].len() as u64 * faces[1].len() as u64;
        if !self.limit.take(pairs) {
            self.found.cut_short = true;
            return;
        }
        self.batch.refill(faces[1].iter().map(|&face| b.triangle(face)));
        let counters = &mut self.found.counters;
        counters.triangle_pairs += pairs;
        for &face in faces[0] {
            let (columns, work) = self.batch.intersect(&a.triangle(face), &mut self.scratch);
            counters.triangle_tests += work.tested;
            counters.exact_tests += work.exact;
            let others = columns.iter().map(|&column| faces[1][column as usize]);
            let meeting = others.filter(|&other| counts(face, other));
            self.found.triangle_pairs.extend(meeting.map(|other| [face, other]));
        }
    }

    /// Sorts what was found, and looks closer at it if that was asked for.
    fn finish(mut self) -> Found {
        let found = &mut self.found;
        if self.want == Want::Touching && !found.triangle_pairs.is_empty() {
            found.triangle_pairs.truncate(1);
            // One contact is all that was asked for.
            found.cut_short = false;
        }
        found.triangle_pairs.sort_unstable();
        if self.want == Want::Contacts {
            let [a, b] = self.bodies;
            for (done, &[i, j]) in found.triangle_pairs.iter().enumerate() {
                if self.limit.deadline.is_over() {
                    found.cut_short = true;
                    found.triangle_pairs.truncate(done);
                    break;
                }
                found.contacts.extend(contact([i, j], [&a.triangle(i), &b.triangle(j)]));
            }
        }
        self.found
    }
}

/// Which of two nodes is opened: the larger one, or the one that can be.
pub(super) fn opens_first<B: Bound>(a: &Node<B>, b: &Node<B>) -> bool {
    !a.is_leaf() && (b.is_leaf() || a.bound.reach() >= b.bound.reach())
}
