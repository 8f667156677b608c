//! Which cells a box touches: one monotone function of a coordinate, and how it is chosen.
//!
//! Correctness asks only that the number of the cell never falls as the coordinate rises, which
//! holds for a chain of rounded operations each of which is monotone. If two boxes overlap then the
//! lowest corner of what they share lies in both, so both are in its cell, however it was rounded.
//! Everything else here is about speed, and may therefore rest on a sample.

use super::sort::Ids;
use impinge_geom::aabb::Aabb32;
use impinge_simd::raster::Raster;

/// Most cells along an axis: their numbers are kept in a byte each.
const ALONG_MAX: f64 = 256.0;
/// Boxes per cell that are aimed at. Larger cells hold more pairs to test, smaller ones cut more
/// boxes in two. At a density of 2.5 % a cell is then twelve boxes wide, and a box lies in 1.26 of
/// them. From 32 to 96 the time is the same within a tenth.
const PER_CELL: f64 = 48.0;
/// The least width of a cell, in mean boxes: where boxes lie close, smaller cells would hold
/// few of them whole.
const WIDTH_MIN: f64 = 2.0;
/// The fewest and the most boxes that are looked at; in between, one in sixteen.
const SAMPLE: [usize; 2] = [64, 512];
/// The share of the sample on either side that does not matter for the room: what is far out goes
/// to the outermost cells.
const TAIL: f64 = 0.05;

/// A room divided into cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cells {
    pub(super) raster: Raster,
    pub(super) along: [usize; 3],
}

impl Cells {
    /// Cells that suit boxes of a table, of which `hosts` are to be held against each other and
    /// against `guests`.
    pub(super) fn fit(table: &[Aabb32], hosts: Ids<'_>, guests: Ids<'_>) -> Self {
        let count = (hosts.len() / 16).clamp(SAMPLE[0], SAMPLE[1]);
        let [sample, others] = [hosts, guests].map(|ids| sample(table, ids, count));
        let room: [[f64; 2]; 3] = std::array::from_fn(|k| room(&sample, k));
        let mean = |boxes: &[Aabb32], k: usize| mean(boxes, k, room[k]);
        let size = std::array::from_fn(|k| mean(&sample, k).max(mean(&others, k)));
        let width = room.map(|[low, high]| high - low);
        let wanted = divide(width, size, hosts.len() as f64 / PER_CELL);
        let (mut origin, mut scale, mut along) = ([0.0; 3], [0.0; 3], [1; 3]);
        for k in 0..3 {
            let per_length = wanted[k] / width[k];
            // Not in a room so thin that its cells could not be told apart.
            if wanted[k] > 1.0 && per_length < 1e30 {
                // Half a cell on: numbers are rounded to the nearest.
                origin[k] = (room[k][0] + 0.5 / per_length) as f32;
                scale[k] = per_length as f32;
                along[k] = wanted[k] as usize;
            }
        }
        Self::new(origin, scale, along)
    }

    fn new(origin: [f32; 3], scale: [f32; 3], along: [usize; 3]) -> Self {
        let last = along.map(|along| (along - 1) as u8);
        let stride = [1, along[0], along[0] * along[1]].map(|stride| stride as u32);
        Self { raster: Raster { origin, scale, last, stride }, along }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.along.iter().product()
    }

    /// The same room in larger cells.
    pub(super) fn coarser(&self) -> Self {
        let Raster { origin, scale, .. } = self.raster;
        Self::new(origin, scale.map(|scale| 0.5 * scale), self.along.map(|n| n.div_ceil(2)))
    }

    /// The lowest coordinate in the cells of that number along an axis; for the first cell, minus
    /// infinity.
    pub(super) fn start(&self, axis: usize, number: usize) -> f32 {
        if number == 0 {
            return f32::NEG_INFINITY;
        }
        // A binary search over all f32 in order: no formula would round as the raster does.
        let (mut below, mut above) = (rank(f32::NEG_INFINITY), rank(f32::INFINITY));
        while above - below > 1 {
            let middle = below + (above - below) / 2;
            let reached = self.raster.number(axis, unrank(middle)) as usize;
            if reached >= number {
                above = middle;
            } else {
                below = middle;
            }
        }
        unrank(above)
    }
}

/// The place of a number in the order of all f32.
fn rank(x: f32) -> i64 {
    let bits = i64::from(x.to_bits() & 0x7fff_ffff);
    if x.is_sign_negative() { -bits } else { bits }
}

fn unrank(rank: i64) -> f32 {
    let magnitude = f32::from_bits(rank.unsigned_abs() as u32);
    if rank < 0 { -magnitude } else { magnitude }
}

/// Boxes from all over the list, at places that keep no step with any pattern in it.
fn sample(table: &[Aabb32], ids: Ids<'_>, count: usize) -> Vec<Aabb32> {
    if ids.len() <= count {
        return (0..ids.len()).map(|i| table[ids.get(i)]).collect();
    }
    let place = |i: usize| {
        let random = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        ((random * ids.len() as u64) >> 32) as usize
    };
    (0..count).map(|i| table[ids.get(place(i))]).collect()
}

/// The range of the lower ends along an axis, but for what lies far out.
fn room(boxes: &[Aabb32], axis: usize) -> [f64; 2] {
    let mut low: Vec<f32> = boxes.iter().map(|aabb| aabb[axis]).filter(|x| x.is_finite()).collect();
    if low.is_empty() {
        return [0.0; 2];
    }
    let tail = (low.len() as f64 * TAIL) as usize;
    let end = low.len() - 1 - tail;
    let [first, last] =
        [tail, end].map(|place| f64::from(*low.select_nth_unstable_by(place, f32::total_cmp).1));
    let beyond = (last - first) * TAIL / (1.0 - 2.0 * TAIL);
    [first - beyond, last + beyond]
}

/// The mean size within the room.
fn mean(boxes: &[Aabb32], axis: usize, [low, high]: [f64; 2]) -> f64 {
    let within = |x: f32| f64::from(x).clamp(low, high);
    let sum: f64 = boxes.iter().map(|aabb| within(aabb[axis + 3]) - within(aabb[axis])).sum();
    sum / boxes.len().max(1) as f64
}

/// How many cells along each axis, of the shape of a mean box as far as the room allows it, so
/// that few boxes are cut.
fn divide(width: [f64; 3], size: [f64; 3], count: f64) -> [f64; 3] {
    let most: [f64; 3] = std::array::from_fn(|k| {
        if width[k] > 0.0 { (width[k] / (WIDTH_MIN * size[k])).clamp(1.0, ALONG_MAX) } else { 1.0 }
    });
    let shape: [f64; 3] = std::array::from_fn(|k| width[k] / size[k].max(1e-3 * width[k]));
    let along = |fineness: f64| -> [f64; 3] {
        std::array::from_fn(|k| {
            let along: f64 = shape[k] * fineness;
            along.max(1.0).min(most[k])
        })
    };
    let (mut coarse, mut fine) = (1e-3, ALONG_MAX);
    for _ in 0..20 {
        let middle = f64::sqrt(coarse * fine);
        let enough = along(middle).iter().product::<f64>() >= count;
        *(if enough { &mut fine } else { &mut coarse }) = middle;
    }
    along(coarse).map(f64::round)
}
