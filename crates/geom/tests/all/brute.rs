//! All intersecting pairs of two triangle lists: every pair whose boxes overlap goes to the exact test.

use impinge_geom::aabb::Aabb;
use impinge_geom::tri_batch::{BatchScratch, TriangleBatch};
use impinge_geom::{Triangle, tri_tri};
use rayon::prelude::*;

/// Index pairs of triangles that share a point, sorted. Panics if the batched form disagrees.
pub(crate) fn pairs(a: &[Triangle], b: &[Triangle]) -> Vec<[u32; 2]> {
    let boxes: Vec<Aabb> = b.iter().map(Aabb::around).collect();
    let mut batch = TriangleBatch::default();
    batch.refill(b.iter().copied());
    let rows =
        a.par_iter().enumerate().map_init(BatchScratch::default, |scratch, (i, triangle)| {
            let own = Aabb::around(triangle);
            let meets =
                |j: &usize| own.overlaps(&boxes[*j]) && tri_tri::intersect(triangle, &b[*j]);
            let row: Vec<_> = (0..b.len()).filter(meets).map(|j| [i as u32, j as u32]).collect();
            let (found, _) = batch.intersect(triangle, scratch);
            let batched: Vec<_> = found.iter().map(|&j| [i as u32, j]).collect();
            assert_eq!(batched, row, "the batched form for {triangle:?}");
            row
        });
    rows.collect::<Vec<_>>().concat()
}
