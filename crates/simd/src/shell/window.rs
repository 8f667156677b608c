//! The 8³ voxels around a cluster, cut out of the bricks that they are in.

use super::{Bits, Turn};

/// What is around a cluster.
pub(super) enum Around {
    /// Nothing that is filled.
    Nothing,
    /// All points are among these voxels.
    Window(Window),
    /// Points may be farther apart than a window is wide.
    More,
}

/// Bits as in a brick, but from any voxel on.
pub(super) struct Window {
    /// Where the bricks that it lies in are stored, x fastest and z slowest.
    pub(super) bricks: [u32; 8],
    /// Its first voxel within the first of them.
    pub(super) first: [u32; 3],
    /// Where the corner of the cluster is in it.
    pub(super) corner: [f32; 3],
}

/// What is granted to rounding along an axis, in voxels.
const SPARE: f32 = 0.01;

/// The bits around a cluster. Always inlined, as all here: compiled for the CPU of whoever looks up.
#[inline(always)]
pub(super) fn around(bits: &Bits, turn: &Turn) -> Around {
    for k in 0..3 {
        let far = turn.reach[k] + SPARE;
        if turn.corner[k] + far < 0.0 || turn.corner[k] - far > bits.counts[k] as f32 {
            return Around::Nothing;
        }
    }
    let Some(first) = place(bits, turn) else { return Around::More };
    let bricks = eight(bits, first);
    if bricks == [0; 8] {
        return Around::Nothing;
    }
    let mut corner = turn.corner;
    for k in 0..3 {
        corner[k] -= first[k] as f32;
    }
    let first = [first[0] as u32 & 7, first[1] as u32 & 7, first[2] as u32 & 7];
    Around::Window(Window { bricks, first, corner })
}

/// The lowest voxel of the window, which may lie outside of the map; none if one window is not enough.
#[inline(always)]
pub(super) fn place(bits: &Bits, turn: &Turn) -> Option<[i32; 3]> {
    let mut first = [0; 3];
    for (k, first) in first.iter_mut().enumerate() {
        let far = turn.reach[k] + SPARE;
        let (low, high) = ((turn.corner[k] - far).floor(), turn.corner[k] + far);
        // Also false for what is no number, or far away.
        let fits = high < low + 8.0 && low > -4096.0 && low < 2.0 * bits.counts[k] as f32;
        if !fits {
            return None;
        }
        *first = low as i32;
    }
    Some(first)
}

impl Window {
    /// Its layers, cut out of the bricks.
    pub(super) fn layers(&self, bits: &Bits) -> [u64; 8] {
        let stored = self.bricks.map(|place| &bits.bricks[place as usize]);
        let [x, y, z] = self.first;
        std::array::from_fn(|i| {
            let layer = z as usize + i;
            let four = if layer < 8 { &stored[..4] } else { &stored[4..] };
            let row = |k: usize| {
                let (this, next) = (four[k][layer & 7], four[k + 2][layer & 7]);
                this >> (8 * y) | next << 1 << (63 - 8 * y)
            };
            row(0) >> x & own(x) | row(1) << (8 - x) & !own(x)
        })
    }
}

/// The bits of every row that are of the brick at hand; the others are of the next one along x.
#[inline(always)]
pub(super) fn own(x: u32) -> u64 {
    0x0101_0101_0101_0101 * (0xff >> x)
}

/// The bricks that a window from this voxel on may lie in. Those beyond the map are empty, as the first
/// that is stored is.
#[inline(always)]
fn eight(bits: &Bits, first: [i32; 3]) -> [u32; 8] {
    let [across, deep] = bits.across();
    let counts = [across, deep, bits.counts[2].div_ceil(8)];
    // Numbers below zero are beyond the map as well once they are taken for large ones.
    let [x, y, z] = [(first[0] >> 3) as u32, (first[1] >> 3) as u32, (first[2] >> 3) as u32];
    let inner = |at: u32, k: usize| at < counts[k].wrapping_sub(1);
    let mut places = [0; 8];
    if inner(x, 0) && inner(y, 1) && inner(z, 2) {
        for (half, four) in places.chunks_exact_mut(4).enumerate() {
            let start = (((z + half as u32) * deep + y) * across + x) as usize;
            let rows = &bits.index[start..start + across as usize + 2];
            let ends = [rows[0], rows[1], rows[across as usize], rows[across as usize + 1]];
            four.copy_from_slice(&ends);
        }
        return places;
    }
    for (i, place) in places.iter_mut().enumerate() {
        let i = i as u32;
        let [x, y, z] = [x.wrapping_add(i & 1), y.wrapping_add(i >> 1 & 1), z.wrapping_add(i >> 2)];
        if x < counts[0] && y < counts[1] && z < counts[2] {
            *place = bits.index[((z * deep + y) * across + x) as usize];
        }
    }
    places
}
