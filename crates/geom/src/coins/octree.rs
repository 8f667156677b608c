//! The parts of an octree over a surface [H93]: every cell that is occupied gets a ball around it.
//!
//! Departs from the paper: a triangle belongs to the cell that has its middle, and where it sticks out the ball is
//! grown, so that what is below a ball is all within it and every triangle is in the tree once. Cells are halved
//! while there is more than one triangle in them, or they are larger than the one.

use super::build::{Item, Part};
use glam::{DVec3, Vec3};

/// A cube.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// Its middle.
    pub(super) centre: DVec3,
    /// Half an edge.
    pub(super) half: f64,
}

/// Cells with several triangles are not halved once they are so much smaller than each of these: balls would not get
/// smaller.
const SMALL: f64 = 0.125;
/// One with a single triangle is halved while its edge is longer than the triangle.
const LONE: f64 = 0.5;
/// No cell is halved below this, where triangles that are points may be at one place.
const SMALLEST: f64 = 1.0 / (1 << 18) as f64;

impl Cell {
    /// The radius of the ball around it.
    pub(super) fn reach(&self) -> f64 {
        3f64.sqrt() * self.half
    }

    /// A cube around the middles of triangles.
    pub(super) fn around(items: &[Item]) -> Self {
        let ends = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (low, high) = items
            .iter()
            .map(Item::middle)
            .fold(ends, |(low, high), at| (low.min(at), high.max(at)));
        let (low, high) = (low.as_dvec3(), high.as_dvec3());
        Self { centre: 0.5 * (low + high), half: 0.5 * (high - low).max_element() }
    }

    /// Whether it is too small to be halved for these triangles.
    pub(super) fn is_small(&self, items: &[Item]) -> bool {
        let least = items.iter().map(Item::extent).fold(f32::INFINITY, f32::min);
        self.half < SMALLEST.max(SMALL * f64::from(least))
    }

    /// Whether this triangle, alone in it, may have a ball of its own.
    pub(super) fn suits(&self, item: &Item) -> bool {
        self.half <= SMALLEST.max(LONE * f64::from(item.extent()))
    }

    /// Which of its eight halves has a point; what is outside is given to the nearest.
    fn octant(&self, at: Vec3) -> usize {
        let at = at.as_dvec3();
        (0..3).map(|k| usize::from(at[k] >= self.centre[k]) << k).sum()
    }

    fn child(&self, octant: usize) -> Self {
        let half = 0.5 * self.half;
        let side = |k: usize| if octant >> k & 1 == 1 { half } else { -half };
        Self { centre: self.centre + DVec3::new(side(0), side(1), side(2)), half }
    }
}

/// The occupied halves of a cell; or, where it is too small to be halved, as many triangles to each of eight parts.
pub(super) fn parts(items: &mut [Item], cell: Cell) -> Vec<Part<'_>> {
    if items.len() > 1 && cell.is_small(items) {
        let share = items.len().div_ceil(8);
        return items.chunks_mut(share).map(|items| Part { items, cell }).collect();
    }
    items.sort_by_cached_key(|item| cell.octant(item.middle()));
    items
        .chunk_by_mut(|one, two| cell.octant(one.middle()) == cell.octant(two.middle()))
        .map(|items| {
            let cell = cell.child(cell.octant(items[0].middle()));
            Part { items, cell }
        })
        .collect()
}
