//! The distance of two posed shapes that do not touch.

use super::deadline::Deadline;
use super::model::Posed;
use crate::contract::answer::{Clearance, Draft, Verdict};
use crate::contract::query::Gap;
use impinge_geom::aabb::Aabb;
use impinge_geom::distance::{aabb_gap, triangle_triangle_below};
use rayon::prelude::*;

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
pub(super) fn measure([a, b]: [&Posed<'_>; 2], gap: Gap, deadline: &Deadline, draft: &mut Draft) {
    let limit = match gap {
        Gap::Ignore => return,
        Gap::Below(limit) => limit,
        Gap::Measure => f64::INFINITY,
    };
    if aabb_gap(&a.bounds, &b.bounds) > limit {
        return;
    }
    let boxes: Vec<Aabb> = (0..b.triangles().len()).map(|j| Aabb::around(&b.triangle(j))).collect();
    let rows: Vec<u32> = (0..a.triangles().len() as u32).collect();
    let parts: Vec<Nearest> = rows
        .par_chunks(CHUNK)
        .map(|chunk| nearest_of_chunk(a, (b, &boxes), chunk, (limit, deadline)))
        .collect();
    let all = parts.iter().copied().reduce(Nearest::join);
    let Some(all) = all else { return };
    draft.counters.distance_tests += all.tests;
    if all.cut_short {
        draft.verdict = Verdict::Unknown;
    }
    draft.clearance = all.best.map(|best| Clearance { at_least: all.at_least, ..best });
}

fn nearest_of_chunk(
    a: &Posed<'_>,
    (b, boxes): (&Posed<'_>, &[Aabb]),
    chunk: &[u32],
    (limit, deadline): (f64, &Deadline),
) -> Nearest {
    let mut nearest = Nearest { at_least: f64::INFINITY, best: None, tests: 0, cut_short: false };
    for &i in chunk {
        if deadline.is_over() {
            nearest.cut_short = true;
            nearest.at_least = 0.0;
            break;
        }
        let triangle = a.triangle(i as usize);
        let around = Aabb::around(&triangle);
        for (j, other) in boxes.iter().enumerate() {
            let bound = nearest.best.map_or(limit, |best| best.at_most);
            if aabb_gap(&around, other) > bound {
                continue;
            }
            nearest.tests += 1;
            let Some(found) = triangle_triangle_below(&triangle, &b.triangle(j), bound) else {
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
