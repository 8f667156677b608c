//! One vertex for all corners at the same position, for formats that repeat positions (STL, RAW).

use impinge_geom::{Point, flush};
use std::collections::BTreeMap;

const EMPTY: u32 = u32::MAX;

/// Probes after which the table gives way to a sorted map: chance does not lead that far, but points
/// chosen to collide do, and would make the work quadratic.
const PROBES_MAX: usize = 256;

/// Gathers points and numbers the different ones by first occurrence.
///
/// An open-addressing table of vertex numbers; at most half of it is in use, so that probing is
/// short.
pub(crate) struct Merger {
    vertices: Vec<Point>,
    slots: Vec<u32>,
    probes_max: usize,
    /// Takes the place of the table once that fails; keys are the bits of the coordinates.
    sorted: Option<BTreeMap<[u64; 3], u32>>,
}

impl Merger {
    /// Room for about that many corners, of which a closed mesh repeats each about six times.
    pub(crate) fn with_corners(corners: usize) -> Self {
        let slots = (corners / 3).next_power_of_two().max(64);
        Self {
            vertices: Vec::with_capacity(corners / 6),
            slots: vec![EMPTY; slots],
            probes_max: PROBES_MAX,
            sorted: None,
        }
    }

    /// The number of the vertex at `point`; −0 equals 0, and what meshes take for 0 is 0.
    #[inline]
    pub(crate) fn vertex(&mut self, point: Point) -> u32 {
        // Adding zero turns −0 into 0 and changes nothing else.
        let point = point.map(|x| flush(x) + 0.0);
        if self.sorted.is_some() {
            return self.sorted_vertex(point);
        }
        let mut slot = self.home(&point);
        for _ in 0..self.probes_max {
            let vertex = self.slots[slot];
            if vertex == EMPTY {
                return self.insert(slot, point);
            }
            if self.vertices[vertex as usize] == point {
                return vertex;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.sort();
        self.sorted_vertex(point)
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
            let home = self.home(&self.vertices[vertex]);
            let mut probes = (home..home + self.probes_max).map(|slot| slot & (size - 1));
            let Some(slot) = probes.find(|&slot| self.slots[slot] == EMPTY) else {
                return self.sort();
            };
            self.slots[slot] = vertex as u32;
        }
    }

    #[cold]
    fn sort(&mut self) {
        self.slots = Vec::new();
        let keys = self.vertices.iter().map(|point| point.map(f64::to_bits));
        self.sorted = Some(keys.zip(0..).collect());
    }

    #[cold]
    fn sorted_vertex(&mut self, point: Point) -> u32 {
        let next = self.vertices.len() as u32;
        let sorted = self.sorted.get_or_insert_default();
        let vertex = *sorted.entry(point.map(f64::to_bits)).or_insert(next);
        if vertex == next {
            self.vertices.push(point);
        }
        vertex
    }

    #[inline]
    fn home(&self, point: &Point) -> usize {
        let hash = point.iter().fold(SEED, |hash, x| mix(hash ^ x.to_bits()));
        hash as usize & (self.slots.len() - 1)
    }
}

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// A 128-bit product folded, so that all bits of a coordinate reach the slot number.
#[inline]
fn mix(word: u64) -> u64 {
    let product = u128::from(word) * 0xD6E8_FEB8_6659_FD93;
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Points of one and the same hash: the last coordinate makes up for the first.
    fn colliding(count: usize) -> Vec<Point> {
        let point = |i: u32| {
            let x = 1.0 + f64::from(i);
            let hash = mix(mix(SEED ^ x.to_bits()) ^ 0.0f64.to_bits());
            [x, 0.0, f64::from_bits(hash ^ 0x0123_4567_89AB_CDEF)]
        };
        let plain = |p: &Point| (1e-60..1e60).contains(&p[2].abs());
        (0..).map(point).filter(plain).take(count).collect()
    }

    #[test]
    fn points_that_collide_take_no_quadratic_time() {
        let points = colliding(200_000);
        let start = std::time::Instant::now();
        let mut merger = Merger::with_corners(0);
        for turn in 0..2 {
            for (i, &point) in points.iter().enumerate() {
                assert_eq!(merger.vertex(point) as usize, i, "{turn}");
            }
        }
        assert!(merger.sorted.is_some());
        assert_eq!(merger.into_vertices(), points);
        // Takes a fraction of a second; without the sorted map, most of a minute.
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn numbers_follow_first_occurrence(
            points in prop::collection::vec(prop::array::uniform3(
                prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, 1e-320, 0.1, 5e80])), 0..400),
            probes_max in prop::sample::select(vec![0, 1, 2, 4, PROBES_MAX]),
        ) {
            let mut merger = Merger { probes_max, ..Merger::with_corners(0) };
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
