//! All intersecting pairs of triangles of two posed shapes, or of one with itself.

use super::deadline::Deadline;
use super::job::stops_at_first;
use super::model::Posed;
use crate::contract::answer::Contact;
use crate::contract::counters::Counters;
use crate::contract::query::Want;
use impinge_geom::Triangle;
use impinge_geom::aabb::Aabb;
use impinge_geom::contact::{escape, touch};
use impinge_geom::neighbours::intersect_beyond_shared;
use impinge_geom::tri_batch::{BatchScratch, TriangleBatch};
use rayon::prelude::*;

/// What a search came to.
#[derive(Default)]
pub(super) struct Found {
    pub(super) triangle_pairs: Vec<[u32; 2]>,
    pub(super) contacts: Vec<Contact>,
    pub(super) counters: Counters,
    /// The deadline passed before all was seen.
    pub(super) cut_short: bool,
}

/// How many triangles of A one task takes. Fixed, so that results do not depend on the threads.
const CHUNK: usize = 64;

/// The triangles of `a` that meet triangles of `b`.
pub(super) fn against(a: &Posed<'_>, b: &Posed<'_>, want: Want, deadline: &Deadline) -> Found {
    let common = a.bounds.intersection(&b.bounds);
    let near = |of: &Posed<'_>| -> Vec<u32> {
        let is_near = |&i: &u32| Aabb::around(&of.triangle(i as usize)).overlaps(&common);
        let count = if common.is_empty() { 0 } else { of.triangles().len() as u32 };
        (0..count).filter(is_near).collect()
    };
    let (rows, columns) = (near(a), near(b));
    let mut batch = TriangleBatch::default();
    batch.refill(columns.iter().map(|&i| b.triangle(i as usize)));
    let search = Search { a, rows: &rows, batch: &batch, want, deadline };
    let mut found = search.run(|_, _, j| Some(columns[j as usize]));
    found.counters.triangle_pairs = (a.triangles().len() * b.triangles().len()) as u64;
    add_contacts(&mut found, want, |[i, j]| [a.triangle(i as usize), b.triangle(j as usize)]);
    found
}

/// The triangles of `a` that meet others of `a` beyond what they share.
pub(super) fn against_itself(a: &Posed<'_>, want: Want, deadline: &Deadline) -> Found {
    let count = a.triangles().len();
    let rows: Vec<u32> = (0..count as u32).collect();
    let batch = TriangleBatch::of(&a.vertices, a.triangles());
    let search = Search { a, rows: &rows, batch: &batch, want, deadline };
    let mut found = search.run(|i, triangle, j| {
        let other = j > i && intersect_beyond_shared(triangle, &a.triangle(j as usize));
        other.then_some(j)
    });
    found.counters.triangle_pairs = (count * (count - 1) / 2) as u64;
    add_contacts(&mut found, want, |pair| pair.map(|i| a.triangle(i as usize)));
    found
}

/// Rows of triangles of `a`, each held against one batch.
struct Search<'a> {
    a: &'a Posed<'a>,
    rows: &'a [u32],
    batch: &'a TriangleBatch,
    want: Want,
    deadline: &'a Deadline,
}

impl Search<'_> {
    /// Searches chunk by chunk, in parallel where all pairs are wanted, and merges in order.
    /// `accept` gets a row, its triangle and a column that meets it, and names the triangle to report.
    fn run(&self, accept: impl Fn(u32, &Triangle, u32) -> Option<u32> + Sync) -> Found {
        let mut found = Found::default();
        if stops_at_first(self.want) {
            // One after the other: which contact is the first one must not depend on the threads.
            let mut scratch = BatchScratch::default();
            for chunk in self.rows.chunks(CHUNK) {
                found.merge(self.chunk(chunk, &mut scratch, &accept));
                if !found.triangle_pairs.is_empty() {
                    break;
                }
            }
            found.triangle_pairs.truncate(1);
            return found;
        }
        let parts: Vec<Found> = self
            .rows
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
            let triangle = self.a.triangle(i as usize);
            let (columns, counts) = self.batch.intersect(&triangle, scratch);
            let accepted = columns.iter().filter_map(|&column| accept(i, &triangle, column));
            part.triangle_pairs.extend(accepted.map(|j| [i, j]));
            part.counters.triangle_tests += counts.tested;
            part.counters.exact_tests += counts.exact;
            if stops_at_first(self.want) && !part.triangle_pairs.is_empty() {
                break;
            }
        }
        part
    }
}

impl Found {
    fn merge(&mut self, part: Self) {
        self.triangle_pairs.extend(part.triangle_pairs);
        self.counters += part.counters;
        self.cut_short |= part.cut_short;
    }
}

fn add_contacts(
    found: &mut Found,
    want: Want,
    triangles: impl Fn([u32; 2]) -> [Triangle; 2] + Sync,
) {
    if want != Want::Contacts {
        return;
    }
    let contact = |&pair: &[u32; 2]| {
        let [a, b] = triangles(pair);
        let touch = touch(&a, &b)?;
        let escape = escape(&a, &b);
        Some(Contact {
            triangles: pair,
            point: touch.center,
            ends: touch.ends,
            normal: escape.normal,
            depth: escape.depth,
        })
    };
    found.contacts = found.triangle_pairs.par_iter().filter_map(contact).collect();
}
