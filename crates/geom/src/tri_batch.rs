//! The batched triangle–triangle test: one triangle against many, with the same answers as [`tri_tri::intersect`].
//!
//! A vector filter decides the bulk (`impinge_simd::tri_tri`); what it leaves open goes to the exact test.

use crate::aabb::Aabb;
use crate::{Point, Triangle, tri_tri};
use impinge_simd::boxes::{self, Boxes4};
use impinge_simd::lanes::append;
use impinge_simd::tri_tri::{Decided, Triangles4, extent, filter};

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
    found: Vec<u32>,
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
                self.triangles.push([[0.0; 4]; 10]);
                // Lanes without a triangle keep an empty box, which overlaps nothing.
                let empty = |k: usize| if k < 3 { f64::INFINITY } else { f64::NEG_INFINITY };
                self.boxes.push(std::array::from_fn(|k| [empty(k); 4]));
            }
            let block = self.len / 4;
            let bounds = Aabb::around(&triangle);
            let corners = flat(&triangle);
            for (column, x) in self.triangles[block].iter_mut().zip(corners) {
                column[lane] = x;
            }
            self.triangles[block][9][lane] = extent(&corners);
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

    /// The indices of all triangles that share a point with `a`, rising, and the work it took.
    pub fn intersect<'s>(
        &self,
        a: &Triangle,
        scratch: &'s mut BatchScratch,
    ) -> (&'s [u32], BatchCounts) {
        let BatchScratch { wanted, decided, found } = scratch;
        let bounds = Aabb::around(a);
        let [low, high] = [bounds.min, bounds.max];
        boxes::overlaps(&[low[0], low[1], low[2], high[0], high[1], high[2]], &self.boxes, wanted);
        filter(&flat(a), &self.triangles, wanted, decided);
        found.resize(4 * wanted.len() + 4, 0);
        let mut len = 0;
        let mut counts = BatchCounts::default();
        for (block, (&wanted, decided)) in wanted.iter().zip(&*decided).enumerate() {
            if wanted == 0 {
                continue;
            }
            counts.tested += u64::from(wanted.count_ones());
            let open = wanted & !(decided.hit | decided.miss);
            let mut hits = decided.hit;
            if open != 0 {
                counts.exact += u64::from(open.count_ones());
                hits |= self.exact_hits(a, block, open);
            }
            len = append(found, len, 4 * block as u32, hits);
        }
        (&found[..len], counts)
    }

    /// Which of the `open` lanes of a block share a point with `a`, by exact arithmetic.
    #[cold]
    fn exact_hits(&self, a: &Triangle, block: usize, open: u8) -> u8 {
        let hit = |lane: usize| {
            open >> lane & 1 == 1 && tri_tri::intersect(a, &self.triangle(4 * block + lane))
        };
        (0..4).fold(0, |hits, lane| hits | (u8::from(hit(lane)) << lane))
    }
}

fn flat(triangle: &Triangle) -> [f64; 9] {
    std::array::from_fn(|k| triangle[k / 3][k % 3])
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
            let mut scratch = BatchScratch::default();
            let (found, _) = batch.intersect(&a, &mut scratch);
            let meets = |i: &u32| tri_tri::intersect(&a, &many[*i as usize]);
            let expected: Vec<u32> = (0..many.len() as u32).filter(meets).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
