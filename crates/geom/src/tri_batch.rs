//! The batched triangle–triangle test: one triangle against many, with the same answers as [`tri_tri::intersect`].
//!
//! A vector filter decides the bulk (`impinge_simd::tri_tri`); what it leaves open goes to the exact test.

use crate::aabb::Aabb;
use crate::{Point, Triangle, tri_tri};
use impinge_simd::boxes::{self, Boxes4};
use impinge_simd::tri_tri::{Decided, Triangles4, filter};

/// Many triangles, packed for the filter: blocks of four with their boxes.
#[derive(Clone, Debug, Default)]
pub struct TriangleBatch {
    triangles: Vec<Triangles4>,
    boxes: Vec<Boxes4>,
    len: usize,
}

/// Buffers that a caller keeps between queries.
#[derive(Clone, Debug, Default)]
pub struct BatchScratch {
    wanted: Vec<u8>,
    decided: Vec<Decided>,
}

/// How much work a query took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchCounts {
    /// Pairs whose boxes overlap, so that the triangles had to be looked at.
    pub tested: u64,
    /// Those of them that the filter left to exact arithmetic.
    pub exact: u64,
}

impl std::ops::AddAssign for BatchCounts {
    fn add_assign(&mut self, other: Self) {
        self.tested += other.tested;
        self.exact += other.exact;
    }
}

impl TriangleBatch {
    /// Packs the triangles given by corner indices.
    pub fn of(vertices: &[Point], triangles: &[[u32; 3]]) -> Self {
        let mut batch = Self::default();
        batch.refill(triangles.iter().map(|corners| corners.map(|v| vertices[v as usize])));
        batch
    }

    /// Replaces the content; keeps the memory.
    pub fn refill(&mut self, triangles: impl Iterator<Item = Triangle>) {
        self.triangles.clear();
        self.boxes.clear();
        self.len = 0;
        for triangle in triangles {
            let lane = self.len % 4;
            if lane == 0 {
                self.triangles.push([[0.0; 4]; 9]);
                // Lanes without a triangle keep an empty box, which overlaps nothing.
                let empty = |k: usize| if k < 3 { f64::INFINITY } else { f64::NEG_INFINITY };
                self.boxes.push(std::array::from_fn(|k| [empty(k); 4]));
            }
            let block = self.len / 4;
            let bounds = Aabb::around(&triangle);
            for k in 0..9 {
                self.triangles[block][k][lane] = triangle[k / 3][k % 3];
            }
            for k in 0..3 {
                self.boxes[block][k][lane] = bounds.min[k];
                self.boxes[block][k + 3][lane] = bounds.max[k];
            }
            self.len += 1;
        }
    }

    /// How many triangles there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The corners of triangle `i`.
    pub fn triangle(&self, i: usize) -> Triangle {
        let (block, lane) = (&self.triangles[i / 4], i % 4);
        std::array::from_fn(|corner| std::array::from_fn(|k| block[3 * corner + k][lane]))
    }

    /// Calls `found` with the index of each triangle that shares a point with `a`, in rising order.
    pub fn intersect(
        &self,
        a: &Triangle,
        scratch: &mut BatchScratch,
        mut found: impl FnMut(u32),
    ) -> BatchCounts {
        let bounds = Aabb::around(a);
        let [low, high] = [bounds.min, bounds.max];
        let corners = std::array::from_fn(|k| a[k / 3][k % 3]);
        let mut counts = BatchCounts::default();
        boxes::overlaps(
            &[low[0], low[1], low[2], high[0], high[1], high[2]],
            &self.boxes,
            &mut scratch.wanted,
        );
        filter(&corners, &self.triangles, &scratch.wanted, &mut scratch.decided);
        for (block, (&wanted, decided)) in scratch.wanted.iter().zip(&scratch.decided).enumerate() {
            if wanted == 0 {
                continue;
            }
            counts.tested += u64::from(wanted.count_ones());
            let mut hits = decided.hit;
            let mut open = wanted & !(decided.hit | decided.miss);
            while open != 0 {
                let lane = open.trailing_zeros() as usize;
                open &= open - 1;
                counts.exact += 1;
                hits |= u8::from(tri_tri::intersect(a, &self.triangle(4 * block + lane))) << lane;
            }
            while hits != 0 {
                found(4 * block as u32 + hits.trailing_zeros());
                hits &= hits - 1;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn triangles() -> impl Strategy<Value = Triangle> {
        // A coarse grid makes touching and degenerate cases common; the rest is in general position.
        let number = prop_oneof![(0i8..4).prop_map(f64::from), 0.0..3.0f64];
        prop::array::uniform3(prop::array::uniform3(number))
    }

    proptest! {
        #[test]
        fn the_batch_answers_as_the_single_test(
            a in triangles(),
            many in prop::collection::vec(triangles(), 0..11),
        ) {
            let mut batch = TriangleBatch::default();
            batch.refill(many.iter().copied());
            prop_assert_eq!(batch.len(), many.len());
            let mut found = Vec::new();
            batch.intersect(&a, &mut BatchScratch::default(), |i| found.push(i));
            let meets = |i: &u32| tri_tri::intersect(&a, &many[*i as usize]);
            let expected: Vec<u32> = (0..many.len() as u32).filter(meets).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
