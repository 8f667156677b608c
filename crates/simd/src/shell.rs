//! Points of one body in the voxels of another [V00 §5]: up to 64 points at a time, eight in a register.
//!
//! Voxels are bits in bricks of 8³; see [`Bits`]. Points are steps of 16 bits from the corner of their
//! cluster, and go into units of voxels by one matrix. Points outside the map are moved to its rim,
//! where nothing is filled, so that no test is needed whether they are inside. Products and sums are
//! fused, in both forms alike; what rounding does to a place is bounded by whoever asks.
//!
//! The points of a cluster mostly lie within eight voxels along each axis. Those 8³ bits are cut out of the
//! map first (`window`): they are two registers, and finding the bit of a point is a shuffle instead of a
//! load. Often there is nothing in them, and no point has to be looked up at all. Points that are
//! farther from the corner than they are said to be are found somewhere in the map.

pub mod balls;
pub mod tell;
mod window;
#[cfg(target_arch = "x86_64")]
mod x86;

use window::Around;

/// Eight points: x of all, y of all, z of all.
pub type Octet = [[i16; 8]; 3];

/// The most octets that are looked up together.
pub const OCTETS_MAX: usize = 8;

/// Bits in bricks of 8³: a word is a layer of equal z, its bit `8·(y mod 8) + (x mod 8)` is a voxel.
#[derive(Clone, Debug, PartialEq)]
pub struct Bits {
    index: Vec<u32>,
    bricks: Vec<[u64; 8]>,
    counts: [u32; 3],
}

impl Bits {
    /// For each brick, x fastest and z slowest, its place among those that are stored, the first of which
    /// is empty; nothing on the rim of the map or beyond it may be filled. None if a place is not among
    /// them, the first is not empty, there are not as many bricks as `counts` voxels along the axes take,
    /// or the map is larger than 2048 along an axis or 2²⁴ stored bricks.
    pub fn new(index: Vec<u32>, bricks: Vec<[u64; 8]>, counts: [u32; 3]) -> Option<Self> {
        let across = counts.map(|count| count.div_ceil(8) as usize);
        let fits = counts.iter().all(|count| (1..=2048).contains(count))
            && index.len() == across.iter().product::<usize>()
            && bricks.len() <= 1 << 24
            && bricks.first() == Some(&[0; 8])
            && index.iter().all(|&brick| (brick as usize) < bricks.len());
        fits.then_some(Self { index, bricks, counts })
    }

    /// The places of the bricks.
    pub fn index(&self) -> &[u32] {
        &self.index
    }

    /// What is stored.
    pub fn bricks(&self) -> &[[u64; 8]] {
        &self.bricks
    }

    /// How many voxels there are along each axis.
    pub fn counts(&self) -> [u32; 3] {
        self.counts
    }

    /// How many bricks there are along x and y.
    #[inline]
    fn across(&self) -> [u32; 2] {
        [self.counts[0].div_ceil(8), self.counts[1].div_ceil(8)]
    }

    /// Whether a voxel that is there is filled.
    #[inline]
    fn is_set(&self, [x, y, z]: [u32; 3]) -> bool {
        let [across, deep] = self.across();
        let brick = self.index[(((z >> 3) * deep + (y >> 3)) * across + (x >> 3)) as usize];
        let layer = self.bricks[brick as usize][(z & 7) as usize];
        layer >> (8 * (y & 7) + (x & 7)) & 1 == 1
    }
}

/// Where points are: the corner of their cluster, and the matrix, row by row, that takes steps to voxels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Steps to voxels.
    pub rows: [[f32; 3]; 3],
    /// The corner, in voxels.
    pub corner: [f32; 3],
    /// No point is farther from the corner than this, in voxels, along each axis.
    pub reach: [f32; 3],
}

impl Turn {
    /// Where a point is along an axis, if the corner is at `corner` there.
    #[inline(always)]
    fn along(&self, k: usize, corner: f32, [x, y, z]: [f32; 3]) -> f32 {
        let [m0, m1, m2] = self.rows[k];
        z.mul_add(m2, y.mul_add(m1, x.mul_add(m0, corner)))
    }
}

/// Which points are in filled voxels: bit `8·k + i` is point `i` of octet `k`. At most
/// [`OCTETS_MAX`] octets are looked at.
#[inline]
pub fn look_up(bits: &Bits, turn: &Turn, octets: &[Octet]) -> u64 {
    let octets = &octets[..octets.len().min(OCTETS_MAX)];
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::look_up(proof, bits, turn, octets);
    }
    plain(bits, turn, octets)
}

/// The voxel of a point that may be anywhere, or the one on the rim that is nearest to it.
#[inline(always)]
fn anywhere(bits: &Bits, turn: &Turn, steps: [f32; 3]) -> [u32; 3] {
    std::array::from_fn(|k| {
        let at = turn.along(k, turn.corner[k], steps);
        at.max(0.0).min(bits.counts[k] as f32 - 0.5) as u32
    })
}

/// The same without registers.
fn plain(bits: &Bits, turn: &Turn, octets: &[Octet]) -> u64 {
    match window::around(bits, turn) {
        Around::Nothing => 0,
        Around::Window(window) => {
            let layers = window.layers(bits);
            each(octets, |steps| {
                let at = |k: usize| turn.along(k, window.corner[k], steps) as u32 & 7;
                layers[at(2) as usize] >> (8 * at(1) + at(0)) & 1 == 1
            })
        }
        Around::More => each(octets, |steps| bits.is_set(anywhere(bits, turn, steps))),
    }
}

/// A bit for each point, whether it is filled.
fn each(octets: &[Octet], is_filled: impl Fn([f32; 3]) -> bool) -> u64 {
    let mut found = 0;
    for (k, [x, y, z]) in octets.iter().enumerate() {
        for i in 0..8 {
            let steps = [x[i], y[i], z[i]].map(f32::from);
            found |= u64::from(is_filled(steps)) << (8 * k + i);
        }
    }
    found
}

#[cfg(test)]
mod tests;
