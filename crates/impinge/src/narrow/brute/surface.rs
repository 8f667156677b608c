//! All intersecting pairs of triangles of two posed shapes, or of one with itself.

use super::model::Posed;
use crate::contract::query::Want;
use crate::narrow::budget::{Deadline, Limit};
use crate::narrow::found::{Found, contact};
use crate::narrow::parts::Solid;
use impinge_geom::Triangle;
use impinge_geom::aabb::Aabb;
use impinge_geom::neighbours::intersect_beyond_shared;
use impinge_geom::tri_batch::{BatchScratch, TriangleBatch};
use rayon::prelude::*;

/// How many triangles of A one task takes. Fixed, so that results do not depend on the threads.
const CHUNK: usize = 64;

/// The triangles of `a` that meet triangles of `b`.
pub(super) fn against([a, b]: [&Posed<'_>; 2], want: Want, limit: &Limit<'_>) -> Found {
    let common = a.bounds.intersection(&b.bounds);
    let near = |of: &Posed<'_>| -> Vec<u32> {
        let is_near = |&i: &u32| Aabb::around(&of.triangle(i)).overlaps(&common);
        let count = if common.is_empty() { 0 } else { of.triangles().len() as u32 };
        (0..count).filter(is_near).collect()
    };
    let (rows, columns) = (near(a), near(b));
    let mut batch = TriangleBatch::default();
    batch.refill(columns.iter().map(|&i| b.triangle(i)));
    let search = Search { a, b, batch: &batch, want, deadline: limit.deadline };
    search.run(&rows, limit, |_, _, j| Some(columns[j as usize]))
}

/// The triangles of `a` that meet others of `a` beyond what they share.
pub(super) fn against_itself(a: &Posed<'_>, want: Want, limit: &Limit<'_>) -> Found {
    let rows: Vec<u32> = (0..a.triangles().len() as u32).collect();
    let batch = TriangleBatch::of(&a.vertices, a.triangles());
    let search = Search { a, b: a, batch: &batch, want, deadline: limit.deadline };
    search.run(&rows, limit, |i, triangle, j| {
        let other = j > i && intersect_beyond_shared(triangle, &a.triangle(j));
        other.then_some(j)
    })
}

/// Rows of triangles of `a`, each held against one batch of triangles of `b`.
struct Search<'a> {
    a: &'a Posed<'a>,
    b: &'a Posed<'a>,
    batch: &'a TriangleBatch,
    want: Want,
    deadline: &'a Deadline,
}

impl Search<'_> {
    /// Searches chunk by chunk, in parallel where all pairs are wanted, and merges in order.
    /// `accept` gets a row, its triangle and a column that meets it, and names the triangle to report.
    fn run(
        &self,
        rows: &[u32],
        limit: &Limit<'_>,
        accept: impl Fn(u32, &Triangle, u32) -> Option<u32> + Sync,
    ) -> Found {
        let paid = limit.rows(rows.len(), self.batch.len());
        let mut found = Found { cut_short: paid < rows.len(), ..Found::default() };
        let rows = &rows[..paid];
        if self.want == Want::Touching {
            // One after the other: which contact is the first one must not depend on the threads.
            let mut scratch = BatchScratch::default();
            for chunk in rows.chunks(CHUNK) {
                found.merge(self.chunk(chunk, &mut scratch, &accept));
                if !found.triangle_pairs.is_empty() {
                    found.triangle_pairs.truncate(1);
                    // One contact is all that was asked for.
                    found.cut_short = false;
                    break;
                }
            }
            return found;
        }
        let parts: Vec<Found> = rows
            .par_chunks(CHUNK)
            .map_init(BatchScratch::default, |scratch, chunk| self.chunk(chunk, scratch, &accept))
            .collect();
        parts.into_iter().for_each(|part| found.merge(part));
        found
    }

    fn chunk(
        &self,
        rows: &[u32],
        scratch: &mut BatchScratch,
        accept: &impl Fn(u32, &Triangle, u32) -> Option<u32>,
    ) -> Found {
        let mut part = Found::default();
        for &i in rows {
            if self.deadline.is_over() {
                part.cut_short = true;
                break;
            }
            let triangle = self.a.triangle(i);
            let (columns, counts) = self.batch.intersect(&triangle, scratch);
            part.counters.triangle_pairs += self.batch.len() as u64;
            part.counters.triangle_tests += counts.tested;
            part.counters.exact_tests += counts.exact;
            for j in columns.iter().filter_map(|&column| accept(i, &triangle, column)) {
                if self.want == Want::Contacts {
                    if self.deadline.is_over() {
                        part.cut_short = true;
                        break;
                    }
                    let other = self.b.triangle(j);
                    part.contacts.extend(contact([i, j], [&triangle, &other]));
                }
                part.triangle_pairs.push([i, j]);
                if self.want == Want::Touching {
                    return part;
                }
            }
        }
        part
    }
}
