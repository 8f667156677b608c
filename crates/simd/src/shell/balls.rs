//! Balls against a lattice of distances: which of eight may reach a filled voxel, and which lie among
//! filled ones altogether.
//!
//! The lattice has a value for every 4³ voxels: how far the middle of the cell is from the nearest
//! filled voxel, or, negative, from the nearest that is not. A distance changes by no more than the way,
//! so the value at the middle bounds that at the centre of a ball in the cell. A centre outside the map
//! is at least as far as its nearest place on the map and what that place is away from filled voxels,
//! at a right angle.

#[cfg(target_arch = "x86_64")]
use crate::lanes32::Avx8;
use crate::lanes32::{Lanes8, Scalar8};

/// Voxels along the edge of a cell.
pub const CELL: u32 = 4;
/// Values are in this part of a voxel.
pub const UNIT: f32 = 0.5;

/// Distances at the middles of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    values: Vec<i8>,
    cells: [u32; 3],
    counts: [f32; 3],
}

impl Lattice {
    /// Values of the cells, x fastest, over so many voxels along each axis; none if there are more or
    /// fewer.
    pub fn new(values: Vec<i8>, counts: [u32; 3]) -> Option<Self> {
        let cells = counts.map(|count| count.div_ceil(CELL));
        let fits = counts.iter().all(|count| (1..=2048).contains(count))
            && values.len() == cells.iter().map(|&n| n as usize).product::<usize>();
        fits.then(|| Self { values, cells, counts: counts.map(|count| count as f32) })
    }

    /// The values.
    pub fn values(&self) -> &[i8] {
        &self.values
    }

    /// How many cells there are along each axis.
    pub fn cells(&self) -> [u32; 3] {
        self.cells
    }
}

/// Eight balls, in steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balls8 {
    /// x, y and z of the centres.
    pub centre: [[f32; 8]; 3],
    /// Radii; negative where there is no ball.
    pub radius: [f32; 8],
}

/// How balls get into the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Steps to voxels, row by row.
    pub rows: [[f32; 3]; 3],
    /// Where the origin of the steps is, in voxels.
    pub corner: [f32; 3],
    /// Voxels per step.
    pub scale: f32,
    /// What is added to each radius, in voxels; bounds the rounding.
    pub slack: f32,
}

/// What was found about eight balls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Those that may reach a filled voxel and are not inside.
    pub near: u8,
    /// Those in which all voxels are filled.
    pub inside: u8,
    /// How far each reaches beyond what is known to be free, in voxels; negative if it does not.
    pub excess: [f32; 8],
}

/// Holds eight balls against the lattice.
#[inline]
pub fn reach(lattice: &Lattice, view: &View, balls: &Balls8) -> Reach {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::reach(proof, lattice, view, balls);
    }
    measure::<Scalar8>(lattice, view, balls)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::Avx2;

    #[inline]
    pub(super) fn reach(_: Avx2, lattice: &Lattice, view: &View, balls: &Balls8) -> Reach {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(lattice: &Lattice, view: &View, balls: &Balls8) -> Reach {
            super::measure::<Avx8>(lattice, view, balls)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2 and FMA.
        unsafe { compiled(lattice, view, balls) }
    }
}

#[inline(always)]
fn measure<L: Lanes8>(lattice: &Lattice, view: &View, balls: &Balls8) -> Reach {
    let zero = L::splat(0.0);
    let centre = [L::load(&balls.centre[0]), L::load(&balls.centre[1]), L::load(&balls.centre[2])];
    let mut beyond = zero;
    let mut on_map = [zero; 3];
    let mut cell = [[0.0f32; 8]; 3];
    for k in 0..3 {
        let [m0, m1, m2] = view.rows[k];
        let at = centre[0].mul_add(L::splat(m0), L::splat(view.corner[k]));
        let at = centre[2].mul_add(L::splat(m2), centre[1].mul_add(L::splat(m1), at));
        let near = at.max(zero).min(L::splat(lattice.counts[k]));
        let way = at.sub(near);
        beyond = way.mul_add(way, beyond);
        on_map[k] = near;
        cell[k] = near.mul(L::splat(1.0 / CELL as f32)).store();
    }
    let mut value = [0.0f32; 8];
    let mut middle = [[0.0f32; 8]; 3];
    let [across, deep, high] = lattice.cells;
    for i in 0..8 {
        let x = (cell[0][i] as u32).min(across - 1);
        let y = (cell[1][i] as u32).min(deep - 1);
        let z = (cell[2][i] as u32).min(high - 1);
        value[i] = f32::from(lattice.values[((z * deep + y) * across + x) as usize]);
        middle[0][i] = (CELL * x + CELL / 2) as f32;
        middle[1][i] = (CELL * y + CELL / 2) as f32;
        middle[2][i] = (CELL * z + CELL / 2) as f32;
    }
    let mut away = zero;
    for k in 0..3 {
        let way = on_map[k].sub(L::load(&middle[k]));
        away = way.mul_add(way, away);
    }
    let away = away.sqrt();
    let value = L::load(&value).mul(L::splat(UNIT));
    let radius = L::load(&balls.radius);
    let there = zero.le_mask(radius);
    let radius = radius.mul_add(L::splat(view.scale), L::splat(view.slack));
    let lower = value.sub(away).max(zero);
    let distance = lower.mul_add(lower, beyond).sqrt();
    let excess = radius.sub(distance);
    let touched = L::and(there, zero.le_mask(excess));
    let deep = value.add(away).add(radius);
    let inside = L::and(L::and(there, zero.gt_mask(deep)), beyond.le_mask(zero));
    let inside = L::bits(inside);
    Reach { near: L::bits(touched) & !inside, inside, excess: excess.store() }
}
