//! The distance of two posed shapes that do not touch, by branch and bound.
//!
//! Pairs of nodes are opened nearest first; those that are certainly farther apart than the nearest
//! triangles so far are dropped. The interval comes from the certified triangle distance alone.

use super::model::Posed;
use super::surface::opens_first;
use crate::contract::answer::{Clearance, Draft};
use crate::contract::query::Gap;
use crate::narrow::budget::Limit;
use crate::narrow::parts::Solid;
use impinge_geom::Triangle;
use impinge_geom::distance::triangle_triangle_below;
use impinge_geom::hierarchy::{Bound, View};

/// Adds the clearance to a free draft, if it is not above what `gap` asks about.
pub(super) fn measure<B: Bound>(
    bodies: [&Posed<'_, B>; 2],
    gap: Gap,
    limit: &Limit<'_>,
    draft: &mut Draft,
) {
    let reach = match gap {
        Gap::Ignore => return,
        Gap::Below(distance) => distance.max(0.0),
        Gap::Measure => f64::INFINITY,
    };
    let [a, b] = bodies;
    let view = View::new([&a.pose, &b.pose], [a.model.reach, b.model.reach]);
    let apart = a.node(0).bound.gap(&b.node(0).bound, &view);
    let mut search = Search {
        bodies,
        view,
        reach,
        stack: vec![(apart, [0, 0])],
        at_least: f64::INFINITY,
        best: None,
        faces: [Vec::new(), Vec::new()],
    };
    draft.counters.node_tests += 1;
    draft.complete &= search.run(limit, draft);
    // What was not looked at may be nearer, but not nearer than the roots are.
    let at_least = if draft.complete { search.at_least } else { apart };
    draft.clearance = search.best.map(|best| Clearance { at_least, ..best });
}

struct Search<'a, B> {
    bodies: [&'a Posed<'a, B>; 2],
    view: View,
    /// Larger distances are not asked about.
    reach: f64,
    /// Pairs of nodes with lower bounds of their distances.
    stack: Vec<(f64, [u32; 2])>,
    /// No pair of triangles that was looked at is certainly closer.
    at_least: f64,
    best: Option<Clearance>,
    faces: [Vec<Triangle>; 2],
}

impl<B: Bound> Search<'_, B> {
    fn bound(&self) -> f64 {
        self.best.map_or(self.reach, |best| best.at_most)
    }

    /// Whether it saw all that matters.
    fn run(&mut self, limit: &Limit<'_>, draft: &mut Draft) -> bool {
        let [a, b] = self.bodies;
        while let Some((distance, [i, j])) = self.stack.pop() {
            if distance > self.bound() {
                continue;
            }
            if limit.deadline.is_over() {
                return false;
            }
            let (node_a, node_b) = (a.node(i), b.node(j));
            if node_a.is_leaf() && node_b.is_leaf() {
                let faces = [a.faces(node_a), b.faces(node_b)];
                if !limit.take(faces[0].len() as u64 * faces[1].len() as u64) {
                    return false;
                }
                draft.counters.distance_tests += self.leaves(faces);
                continue;
            }
            let tests = if opens_first(node_a, node_b) {
                self.push(node_a.children().map(|child| [child, j]))
            } else {
                self.push(node_b.children().map(|child| [i, child]))
            };
            draft.counters.node_tests += tests;
            if !limit.take(tests) {
                return false;
            }
        }
        true
    }

    /// Puts the pairs that are near enough on the stack, the nearest on top; how many were tested.
    fn push(&mut self, pairs: impl Iterator<Item = [u32; 2]>) -> u64 {
        let [a, b] = self.bodies;
        let (base, bound) = (self.stack.len(), self.bound());
        let mut tests = 0;
        for [i, j] in pairs {
            tests += 1;
            let distance = a.node(i).bound.gap(&b.node(j).bound, &self.view);
            if distance <= bound {
                self.stack.push((distance, [i, j]));
            }
        }
        self.stack[base..].sort_by(|x, y| y.0.total_cmp(&x.0));
        tests
    }

    /// All triangles of two leaves; how many distances that took.
    fn leaves(&mut self, faces: [&[u32]; 2]) -> u64 {
        for ((triangles, body), faces) in self.faces.iter_mut().zip(self.bodies).zip(faces) {
            triangles.clear();
            triangles.extend(faces.iter().map(|&face| body.triangle(face)));
        }
        let mut tests = 0;
        for (i, triangle) in self.faces[0].iter().enumerate() {
            for (j, other) in self.faces[1].iter().enumerate() {
                tests += 1;
                let bound = self.best.map_or(self.reach, |best| best.at_most);
                let Some(found) = triangle_triangle_below(triangle, other, bound) else {
                    continue;
                };
                self.at_least = self.at_least.min(found.lo);
                if self.best.is_none_or(|best| found.hi < best.at_most) {
                    self.best = Some(Clearance {
                        at_least: found.lo,
                        at_most: found.hi,
                        points: found.points,
                        triangles: [faces[0][i], faces[1][j]],
                    });
                }
            }
        }
        tests
    }
}
