//! The distance of two surfaces that do not touch, triangle by triangle: for engines that keep nothing
//! to find near triangles with.

use super::budget::{Deadline, Limit};
use crate::contract::answer::{Clearance, Draft};
use crate::contract::query::Gap;
use impinge_geom::aabb::Aabb;
use impinge_geom::distance::{aabb_gap, triangle_triangle_below};
use impinge_geom::{Point, Triangle};
use rayon::prelude::*;

/// The triangles of a shape at its place.
#[derive(Clone, Copy)]
pub(super) struct Surface<'a> {
    /// In the world.
    pub(super) vertices: &'a [Point],
    pub(super) triangles: &'a [[u32; 3]],
    /// Around all triangles.
    pub(super) bounds: &'a Aabb,
}

impl Surface<'_> {
    fn triangle(&self, i: u32) -> Triangle {
        self.triangles[i as usize].map(|v| self.vertices[v as usize])
    }
}

/// The nearest pair of triangles so far, and how far it is from being all that matters.
#[derive(Clone, Copy)]
struct Nearest {
    /// No pair seen so far is certainly closer.
    at_least: f64,
    best: Option<Clearance>,
    tests: u64,
    cut_short: bool,
}

/// How many triangles of A one task takes. Fixed, so that results do not depend on the threads.
const CHUNK: usize = 64;

/// Adds the clearance to a free draft, if it is not above what `gap` asks about.
pub(super) fn measure([a, b]: [Surface<'_>; 2], gap: Gap, limit: &Limit<'_>, draft: &mut Draft) {
    let reach = match gap {
        Gap::Ignore => return,
        Gap::Below(distance) => distance.max(0.0),
        Gap::Measure => f64::INFINITY,
    };
    let apart = aabb_gap(a.bounds, b.bounds);
    if apart > reach {
        return;
    }
    let boxes: Vec<Aabb> =
        (0..b.triangles.len() as u32).map(|j| Aabb::around(&b.triangle(j))).collect();
    let rows: Vec<u32> = (0..a.triangles.len() as u32).collect();
    let paid = limit.rows(rows.len(), boxes.len());
    let parts: Vec<Nearest> = rows[..paid]
        .par_chunks(CHUNK)
        .map(|chunk| nearest_of_chunk(a, (b, &boxes), chunk, (reach, limit.deadline)))
        .collect();
    let Some(all) = parts.into_iter().reduce(Nearest::join) else {
        draft.complete = false;
        return;
    };
    draft.counters.distance_tests += all.tests;
    draft.complete &= !all.cut_short && paid == rows.len();
    // Rows that were not looked at may be nearer, but not nearer than the boxes are.
    let at_least = if draft.complete { all.at_least } else { apart };
    draft.clearance = all.best.map(|best| Clearance { at_least, ..best });
}

fn nearest_of_chunk(
    a: Surface<'_>,
    (b, boxes): (Surface<'_>, &[Aabb]),
    chunk: &[u32],
    (reach, deadline): (f64, &Deadline),
) -> Nearest {
    let mut nearest = Nearest { at_least: f64::INFINITY, best: None, tests: 0, cut_short: false };
    for &i in chunk {
        if deadline.is_over() {
            nearest.cut_short = true;
            break;
        }
        let triangle = a.triangle(i);
        let around = Aabb::around(&triangle);
        for (j, other) in boxes.iter().enumerate() {
            let bound = nearest.best.map_or(reach, |best| best.at_most);
            if aabb_gap(&around, other) > bound {
                continue;
            }
            nearest.tests += 1;
            let Some(found) = triangle_triangle_below(&triangle, &b.triangle(j as u32), bound)
            else {
                continue;
            };
            nearest.at_least = nearest.at_least.min(found.lo);
            if nearest.best.is_none_or(|best| found.hi < best.at_most) {
                nearest.best = Some(Clearance {
                    at_least: found.lo,
                    at_most: found.hi,
                    points: found.points,
                    triangles: [i, j as u32],
                });
            }
        }
    }
    nearest
}

impl Nearest {
    /// The nearer of two; the first where they are equal, so that merging keeps the order of faces.
    fn join(self, other: Self) -> Self {
        let distance = |n: &Self| n.best.map_or(f64::INFINITY, |best| best.at_most);
        let best = if distance(&other) < distance(&self) { other.best } else { self.best };
        Self {
            at_least: self.at_least.min(other.at_least),
            best,
            tests: self.tests + other.tests,
            cut_short: self.cut_short || other.cut_short,
        }
    }
}
