//! One vertex for all corners at the same position, for formats that repeat positions (STL, RAW).

use impinge_geom::{Point, flush};

const EMPTY: u32 = u32::MAX;

/// Gathers points and numbers the different ones by first occurrence.
///
/// An open-addressing table of vertex numbers; at most half of it is in use, so that probing is
/// short.
pub(crate) struct Merger {
    vertices: Vec<Point>,
    slots: Vec<u32>,
}

impl Merger {
    /// Room for about that many corners, of which a closed mesh repeats each about six times.
    pub(crate) fn with_corners(corners: usize) -> Self {
        let slots = (corners / 3).next_power_of_two().max(64);
        Self { vertices: Vec::with_capacity(corners / 6), slots: vec![EMPTY; slots] }
    }

    /// The number of the vertex at `point`; −0 equals 0, and what meshes take for 0 is 0.
    #[inline]
    pub(crate) fn vertex(&mut self, point: Point) -> u32 {
        // Adding zero turns −0 into 0 and changes nothing else.
        let point = point.map(|x| flush(x) + 0.0);
        let mut slot = self.home(&point);
        loop {
            let vertex = self.slots[slot];
            if vertex == EMPTY {
                return self.insert(slot, point);
            }
            if self.vertices[vertex as usize] == point {
                return vertex;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// All different points.
    pub(crate) fn into_vertices(self) -> Vec<Point> {
        self.vertices
    }

    fn insert(&mut self, slot: usize, point: Point) -> u32 {
        let vertex = self.vertices.len() as u32;
        self.vertices.push(point);
        self.slots[slot] = vertex;
        if 2 * self.vertices.len() > self.slots.len() {
            self.grow();
        }
        vertex
    }

    #[cold]
    fn grow(&mut self) {
        let size = 2 * self.slots.len();
        self.slots.clear();
        self.slots.resize(size, EMPTY);
        for vertex in 0..self.vertices.len() {
            let mut slot = self.home(&self.vertices[vertex]);
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = vertex as u32;
        }
    }

    /// Each coordinate goes through a 128-bit product, so that all its bits reach the slot number.
    #[inline]
    fn home(&self, point: &Point) -> usize {
        let mut hash = 0x9E37_79B9_7F4A_7C15_u64;
        for x in point {
            let product = u128::from(hash ^ x.to_bits()) * 0xD6E8_FEB8_6659_FD93;
            hash = (product as u64) ^ ((product >> 64) as u64);
        }
        hash as usize & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_follow_first_occurrence(
            points in prop::collection::vec(prop::array::uniform3(
                prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, 1e-320, 0.1, 5e80])), 0..400),
        ) {
            let mut merger = Merger::with_corners(0);
            let mut truth: Vec<Point> = Vec::new();
            for &point in &points {
                let flat = point.map(flush);
                let expected = truth.iter().position(|p| *p == flat).unwrap_or_else(|| {
                    truth.push(flat);
                    truth.len() - 1
                });
                prop_assert_eq!(merger.vertex(point) as usize, expected);
            }
            prop_assert_eq!(merger.into_vertices(), truth);
        }
    }
}
