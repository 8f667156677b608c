//! Balls against a lattice of distances: which of eight may reach a filled voxel, and which lie among
//! filled ones altogether.
//!
//! The lattice has a value for every 4³ voxels: how far the middle of the cell is from the nearest
//! filled voxel, or, negative, from the nearest that is not. A distance changes by no more than the way,
//! so the value at the middle bounds that at the centre of a ball in the cell. A centre outside the map
//! is at least as far as its nearest place on the map and what that place is away from filled voxels,
//! at a right angle.

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
        let mut values = values;
        // Three more: values are loaded four at a time.
        values.extend([0; 3]);
        fits.then(|| Self { values, cells, counts: counts.map(|count| count as f32) })
    }

    /// The values.
    pub fn values(&self) -> &[i8] {
        &self.values[..self.values.len() - 3]
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
    #![expect(
        unsafe_code,
        reason = "calls functions compiled for the detected CPU, and intrinsics"
    )]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};
    use std::arch::x86_64::*;

    #[inline]
    pub(super) fn reach(_: Avx2, lattice: &Lattice, view: &View, balls: &Balls8) -> Reach {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(lattice: &Lattice, view: &View, balls: &Balls8) -> Reach {
            super::measure::<Avx8>(lattice, view, balls)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2 and FMA.
        unsafe { compiled(lattice, view, balls) }
    }

    impl Cells for Avx8 {
        #[inline(always)]
        fn cells(lattice: &Lattice, places: &[Self; 3]) -> (Self, [Self; 3]) {
            // SAFETY: whoever has these lanes holds the proof that this CPU has AVX2.
            unsafe { cells(lattice, places) }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn cells(lattice: &Lattice, places: &[Avx8; 3]) -> (Avx8, [Avx8; 3]) {
        let part = _mm256_set1_ps(1.0 / CELL as f32);
        let mut middles = *places;
        let mut at = [_mm256_setzero_si256(); 3];
        for k in 0..3 {
            let last = _mm256_set1_epi32(lattice.cells[k] as i32 - 1);
            let cell = _mm256_cvttps_epi32(_mm256_mul_ps(places[k].raw(), part));
            // No place is negative; a place that is no number would be, and must not be looked up.
            let cell = _mm256_max_epi32(_mm256_min_epi32(cell, last), _mm256_setzero_si256());
            at[k] = cell;
            let low = _mm256_slli_epi32::<2>(cell);
            let middle = _mm256_or_si256(low, _mm256_set1_epi32(CELL as i32 / 2));
            middles[k] = Avx8::of(_mm256_cvtepi32_ps(middle));
        }
        let [across, deep] = [0, 1].map(|k| _mm256_set1_epi32(lattice.cells[k] as i32));
        let line = _mm256_add_epi32(_mm256_mullo_epi32(at[2], deep), at[1]);
        let place = _mm256_add_epi32(_mm256_mullo_epi32(line, across), at[0]);
        // SAFETY: cells are within the lattice, and three more values follow the last.
        let four = unsafe { _mm256_i32gather_epi32::<1>(lattice.values.as_ptr().cast(), place) };
        let value = _mm256_srai_epi32::<24>(_mm256_slli_epi32::<24>(four));
        (Avx8::of(_mm256_cvtepi32_ps(value)), middles)
    }
}

/// Lanes that can look up the cells of places on the map: their values, and their middles.
trait Cells: Lanes8 {
    fn cells(lattice: &Lattice, places: &[Self; 3]) -> (Self, [Self; 3]);
}

impl Cells for Scalar8 {
    fn cells(lattice: &Lattice, places: &[Self; 3]) -> (Self, [Self; 3]) {
        let places = [places[0].store(), places[1].store(), places[2].store()];
        let mut value = [0.0f32; 8];
        let mut middle = [[0.0f32; 8]; 3];
        let [across, deep, _] = lattice.cells;
        for i in 0..8 {
            let mut at = [0u32; 3];
            for k in 0..3 {
                at[k] = ((places[k][i] / CELL as f32) as u32).min(lattice.cells[k] - 1);
                middle[k][i] = (CELL * at[k] + CELL / 2) as f32;
            }
            let place = (at[2] * deep + at[1]) * across + at[0];
            value[i] = f32::from(lattice.values[place as usize]);
        }
        (Self::load(&value), [0, 1, 2].map(|k| Self::load(&middle[k])))
    }
}

#[inline(always)]
fn measure<L: Cells>(lattice: &Lattice, view: &View, balls: &Balls8) -> Reach {
    let zero = L::splat(0.0);
    let centre = [L::load(&balls.centre[0]), L::load(&balls.centre[1]), L::load(&balls.centre[2])];
    let mut beyond = zero;
    let mut on_map = [zero; 3];
    for (k, place) in on_map.iter_mut().enumerate() {
        let [m0, m1, m2] = view.rows[k];
        let at = centre[0].mul_add(L::splat(m0), L::splat(view.corner[k]));
        let at = centre[2].mul_add(L::splat(m2), centre[1].mul_add(L::splat(m1), at));
        *place = at.max(zero).min(L::splat(lattice.counts[k]));
        let way = at.sub(*place);
        beyond = way.mul_add(way, beyond);
    }
    let (value, middle) = L::cells(lattice, &on_map);
    let mut away = zero;
    for (place, middle) in on_map.iter().zip(&middle) {
        let way = place.sub(*middle);
        away = way.mul_add(way, away);
    }
    let away = away.sqrt();
    let value = value.mul(L::splat(UNIT));
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
