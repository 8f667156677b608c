//! Triangles at an instant of a deformation, given by their vertices in the world: the exact test on
//! nothing else. O((n + m) log n) and the pairs that are near; nothing is prepared.

use super::budget::Limit;
use super::found::{Found, contact};
use super::parts::{Parts, Solid, look_inside};
use crate::contract::answer::{Clearance, Draft, Verdict};
use crate::contract::query::Want;
use impinge_geom::aabb::{Aabb, outward};
use impinge_geom::box_tree::BoxTree;
use impinge_geom::mesh::Mesh;
use impinge_geom::neighbours::intersect_beyond_shared;
use impinge_geom::obb_tree::ObbTree;
use impinge_geom::obb_tree::couple::{Couple, Placed};
use impinge_geom::obb_tree::cross::{Ended, Work};
use impinge_geom::obb_tree::gap::{GapScratch, GapSearch, Wanted};
use impinge_geom::pose::Pose;
use impinge_geom::tri_tri::intersect;
use impinge_geom::{Point, Triangle};
use rayon::prelude::*;

/// How many triangles of A one task takes. Fixed, so that results do not depend on the threads.
const CHUNK: usize = 256;
/// How many steps of a descent pass between two looks at the clock.
const STEPS_PER_LOOK: u64 = 64;

/// A mesh whose vertices are where they are at an instant.
pub(super) struct Vertices<'a> {
    mesh: &'a Mesh,
    vertices: Vec<Point>,
    bounds: Aabb,
}

impl<'a> Vertices<'a> {
    /// The triangles of a mesh with as many vertices as it has, in the world.
    pub(super) fn new(mesh: &'a Mesh, vertices: Vec<Point>) -> Self {
        let used = mesh.triangles().iter().flatten().map(|&v| &vertices[v as usize]);
        let bounds = Aabb::around(used);
        Self { mesh, vertices, bounds }
    }

    fn triangle(&self, i: u32) -> Triangle {
        self.mesh.triangles()[i as usize].map(|v| self.vertices[v as usize])
    }

    fn len(&self) -> usize {
        self.mesh.triangles().len()
    }

    /// The triangles that come near a box.
    fn near(&self, region: &Aabb) -> Vec<u32> {
        let count = if region.is_empty() { 0 } else { self.len() as u32 };
        (0..count).filter(|&i| Aabb::around(&self.triangle(i)).overlaps(region)).collect()
    }

    /// As a mesh of its own; none if a coordinate is beyond what meshes may have.
    fn to_mesh(&self) -> Option<Mesh> {
        self.mesh.with_vertices(self.vertices.clone()).ok()
    }
}

/// The triangles of `a` that meet triangles of `b`.
pub(super) fn against([a, b]: [&Vertices<'_>; 2], want: Want, limit: &Limit<'_>) -> Found {
    let common = a.bounds.intersection(&b.bounds);
    let accept = |_: [u32; 2], [x, y]: [&Triangle; 2]| intersect(x, y);
    Search { bodies: [a, b], want, limit, accept }.run(&a.near(&common), &b.near(&common))
}

/// The triangles of `a` that meet others of `a` beyond what they share.
pub(super) fn against_itself(a: &Vertices<'_>, want: Want, limit: &Limit<'_>) -> Found {
    let all = a.near(&a.bounds);
    let accept = |[i, j]: [u32; 2], [x, y]: [&Triangle; 2]| i < j && intersect_beyond_shared(x, y);
    Search { bodies: [a, a], want, limit, accept }.run(&all, &all)
}

struct Search<'a, F> {
    bodies: [&'a Vertices<'a>; 2],
    want: Want,
    limit: &'a Limit<'a>,
    /// Whether two triangles whose boxes overlap count.
    accept: F,
}

impl<F: Fn([u32; 2], [&Triangle; 2]) -> bool + Sync> Search<'_, F> {
    fn run(&self, rows: &[u32], columns: &[u32]) -> Found {
        // The work is known beforehand but for the pairs, which are few for each triangle.
        if !self.limit.take((rows.len() + columns.len()) as u64) {
            return Found { cut_short: true, ..Found::default() };
        }
        let [a, b] = self.bodies;
        let mut tree = BoxTree::default();
        tree.build(columns, &|j| outward(&Aabb::around(&b.triangle(j))));
        let Self { want, ref accept, .. } = *self;
        let deadline = self.limit.deadline;
        let chunk = |rows: &[u32]| {
            let mut part = Found::default();
            let (mut stack, mut near) = (Vec::new(), Vec::new());
            for &i in rows {
                if deadline.is_over() {
                    part.cut_short = true;
                    break;
                }
                let one = a.triangle(i);
                near.clear();
                part.counters.node_tests +=
                    tree.overlapping(&outward(&Aabb::around(&one)), &mut stack, &mut near);
                part.counters.triangle_pairs += near.len() as u64;
                near.sort_unstable();
                for &j in &near {
                    let other = b.triangle(j);
                    part.counters.triangle_tests += 1;
                    if accept([i, j], [&one, &other]) {
                        part.triangle_pairs.push([i, j]);
                        if want == Want::Contacts {
                            part.contacts.extend(contact([i, j], [&one, &other]));
                        }
                    }
                }
            }
            part
        };
        let mut found = Found::default();
        if want == Want::Touching {
            // One after the other: which contact is the first one must not depend on the threads.
            for rows in rows.chunks(CHUNK) {
                found.merge(chunk(rows));
                if !found.triangle_pairs.is_empty() {
                    found.triangle_pairs.truncate(1);
                    found.cut_short = false;
                    break;
                }
            }
            return found;
        }
        let parts: Vec<Found> = rows.par_chunks(CHUNK).map(chunk).collect();
        parts.into_iter().for_each(|part| found.merge(part));
        found
    }
}

/// Turns a free draft into a hit if a part of one is inside the other.
pub(super) fn inside([a, b]: [&Vertices<'_>; 2], limit: &Limit<'_>, draft: &mut Draft) {
    // Who is inside another is within its box.
    if draft.verdict != Verdict::Free || a.bounds.intersection(&b.bounds).is_empty() {
        return;
    }
    let (Some(first), Some(second)) = (Whole::of(a), Whole::of(b)) else {
        *draft = Draft { counters: draft.counters, ..Draft::of(Verdict::Unknown) };
        return;
    };
    look_inside([&first, &second], limit, draft);
}

struct Whole<'a> {
    of: &'a Vertices<'a>,
    parts: Parts,
}

impl<'a> Whole<'a> {
    fn of(of: &'a Vertices<'a>) -> Option<Self> {
        Some(Self { of, parts: Parts::of(&of.to_mesh()?) })
    }
}

impl Solid for Whole<'_> {
    fn parts(&self) -> &Parts {
        &self.parts
    }

    fn may_hold(&self, point: &Point) -> bool {
        self.of.bounds.contains(point)
    }

    fn vertex(&self, v: u32) -> Point {
        self.of.vertices[v as usize]
    }

    fn triangle(&self, i: u32) -> Triangle {
        self.of.triangle(i)
    }
}

/// The distance of two that do not meet, if it is not above `below`, and whether it is the whole
/// truth.
pub(super) fn gap(
    [a, b]: [&Vertices<'_>; 2],
    below: f64,
    (limit, draft): (&Limit<'_>, &mut Draft),
) -> (Option<Clearance>, bool) {
    let (Some(first), Some(second)) = (a.to_mesh(), b.to_mesh()) else { return (None, false) };
    let trees = [&first, &second].map(ObbTree::of);
    let pose = Pose::IDENTITY;
    let placed = |mesh, tree| Placed { mesh, tree, pose: &pose };
    let couple = Couple::new(placed(&first, &trees[0]), placed(&second, &trees[1]));
    let scratch = &mut GapScratch::default();
    let mut search = GapSearch { couple: &couple, scratch, work: Work::default() };
    let left = limit.left();
    let spent = |work: &Work| 8 * work.nodes + 64 * work.leaves;
    let (found, ended) = search.run(&Wanted { below, hint: None }, |work| {
        let steps = left.saturating_sub(spent(work)) / 64;
        if limit.deadline.is_over() { 0 } else { steps.min(STEPS_PER_LOOK) }
    });
    limit.spend(spent(&search.work));
    draft.counters.node_tests += 8 * search.work.nodes;
    draft.counters.distance_tests += search.work.distances;
    let clearance = found.map(|gap| Clearance {
        at_least: gap.at_least,
        at_most: gap.closest.hi,
        points: gap.closest.points,
        triangles: gap.triangles,
    });
    (clearance, ended != Ended::CutShort)
}
