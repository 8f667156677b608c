//! The same by registers of AVX2.

#![expect(unsafe_code, reason = "intrinsics that the detected CPU is known to have")]

use super::{Bits, OCTETS_MAX, Octet, Turn};
use crate::lanes32::Avx2;
use std::arch::x86_64::*;

/// Which points are in filled voxels.
#[inline]
pub(super) fn look_up(_: Avx2, bits: &Bits, turn: &Turn, octets: &[Octet]) -> u64 {
    // SAFETY: the caller holds the proof that this CPU has AVX2 and FMA.
    unsafe { compiled(bits, turn, octets) }
}

/// Eight voxels.
type Voxels = [__m256i; 3];

/// Eight voxels after the other, and the first and last brick among them along each axis.
struct Placed {
    voxels: [Voxels; OCTETS_MAX],
    first: [u32; 3],
    last: [u32; 3],
}

#[target_feature(enable = "avx2,fma")]
fn compiled(bits: &Bits, turn: &Turn, octets: &[Octet]) -> u64 {
    let octets = &octets[..octets.len().min(OCTETS_MAX)];
    let placed = place(bits, turn, octets);
    let voxels = &placed.voxels[..octets.len()];
    let span = |k: usize| placed.last[k] - placed.first[k];
    if span(0).max(span(1)).max(span(2)) <= 1 {
        near(bits, &placed.first, voxels)
    } else {
        wide(bits, voxels)
    }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn place(bits: &Bits, turn: &Turn, octets: &[Octet]) -> Placed {
    let zero = _mm256_setzero_ps();
    let mut voxels = [[_mm256_setzero_si256(); 3]; OCTETS_MAX];
    let mut low = [_mm256_set1_epi32(i32::MAX); 3];
    let mut high = [_mm256_setzero_si256(); 3];
    let row = |k: usize| {
        let [x, y, z] = turn.rows[k];
        let rim = bits.counts[k] as f32 - 0.5;
        [x, y, z, turn.corner[k], rim].map(|number| _mm256_set1_ps(number))
    };
    let rows = [row(0), row(1), row(2)];
    for (octet, to) in octets.iter().zip(&mut voxels) {
        let steps = [lanes(&octet[0]), lanes(&octet[1]), lanes(&octet[2])];
        for k in 0..3 {
            let [m0, m1, m2, corner, rim] = rows[k];
            let at = _mm256_fmadd_ps(steps[0], m0, corner);
            let at = _mm256_fmadd_ps(steps[2], m2, _mm256_fmadd_ps(steps[1], m1, at));
            // A place that is no number becomes zero, on the rim.
            let at = _mm256_min_ps(_mm256_max_ps(at, zero), rim);
            to[k] = _mm256_cvttps_epi32(at);
            low[k] = _mm256_min_epi32(low[k], to[k]);
            high[k] = _mm256_max_epi32(high[k], to[k]);
        }
    }
    if octets.is_empty() {
        low = high;
    }
    let first = [least(low[0]), least(low[1]), least(low[2])];
    let last = [most(high[0]), most(high[1]), most(high[2])];
    Placed { voxels, first: first.map(|i| i >> 3), last: last.map(|i| i >> 3) }
}

/// Eight steps as numbers.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn lanes(steps: &[i16; 8]) -> __m256 {
    // SAFETY: eight numbers of 16 bits are what is loaded, and need not be aligned.
    let eight = unsafe { _mm_loadu_si128(steps.as_ptr().cast()) };
    _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(eight))
}

/// The least of eight numbers that are not negative.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn least(x: __m256i) -> u32 {
    let four = _mm_min_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
    let two = _mm_min_epi32(four, _mm_shuffle_epi32::<0b_01_00_11_10>(four));
    _mm_cvtsi128_si32(_mm_min_epi32(two, _mm_shuffle_epi32::<0b_10_11_00_01>(two))) as u32
}

/// The greatest of eight numbers that are not negative.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn most(x: __m256i) -> u32 {
    let four = _mm_max_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
    let two = _mm_max_epi32(four, _mm_shuffle_epi32::<0b_01_00_11_10>(four));
    _mm_cvtsi128_si32(_mm_max_epi32(two, _mm_shuffle_epi32::<0b_10_11_00_01>(two))) as u32
}

/// All voxels are in two bricks along each axis, the first of which is told.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn near(bits: &Bits, first: &[u32; 3], voxels: &[Voxels]) -> u64 {
    let [across, deep] = bits.across();
    let high = bits.counts[2].div_ceil(8);
    // The second may not exist; then no voxel is in it.
    let next = [first[0] + 1 < across, first[1] + 1 < deep, first[2] + 1 < high];
    let mut table = [0i32; 8];
    let origin = (first[2] * deep + first[1]) * across + first[0];
    let strides =
        [u32::from(next[0]), u32::from(next[1]) * across, u32::from(next[2]) * across * deep];
    for (k, entry) in table.iter_mut().enumerate() {
        let k = k as u32;
        let at = origin + (k & 1) * strides[0] + (k >> 1 & 1) * strides[1] + (k >> 2) * strides[2];
        *entry = (16 * bits.index[at as usize]) as i32;
    }
    // SAFETY: the table has eight numbers.
    let table = unsafe { _mm256_loadu_si256(table.as_ptr().cast()) };
    let ones = |x: u32| _mm256_set1_epi32(x as i32);
    let first = [ones(first[0]), ones(first[1]), ones(first[2])];
    let mut found = 0;
    for (k, [x, y, z]) in voxels.iter().enumerate() {
        let brick = [
            _mm256_sub_epi32(_mm256_srli_epi32::<3>(*x), first[0]),
            _mm256_sub_epi32(_mm256_srli_epi32::<3>(*y), first[1]),
            _mm256_sub_epi32(_mm256_srli_epi32::<3>(*z), first[2]),
        ];
        let upper =
            _mm256_slli_epi32::<1>(_mm256_add_epi32(_mm256_slli_epi32::<1>(brick[2]), brick[1]));
        let start = _mm256_permutevar8x32_epi32(table, _mm256_add_epi32(upper, brick[0]));
        found |= u64::from(bits_of(bits, start, &[*x, *y, *z])) << (8 * k);
    }
    found
}

/// The bits of eight voxels, given where the halves of the layers of their bricks start.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn bits_of(bits: &Bits, start: __m256i, [x, y, z]: &Voxels) -> u8 {
    let seven = _mm256_set1_epi32(7);
    let [x, y, z] = [_mm256_and_si256(*x, seven), *y, _mm256_and_si256(*z, seven)];
    let half = _mm256_and_si256(_mm256_srli_epi32::<2>(y), _mm256_set1_epi32(1));
    let within = _mm256_add_epi32(_mm256_slli_epi32::<1>(z), half);
    let place = _mm256_add_epi32(start, within);
    // The bit within 32: 8·(y mod 4) + x; it is moved to the top, where it is the sign.
    let y = _mm256_and_si256(y, _mm256_set1_epi32(3));
    let bit = _mm256_add_epi32(_mm256_slli_epi32::<3>(y), x);
    let words: *const i32 = bits.bricks.as_ptr().cast();
    let mut at = [0u32; 8];
    // SAFETY: eight numbers are stored. Starts are 16 times places of stored bricks, of 16 halves each,
    // and what is added is below 16; `Bits` holds no other places, and fewer bricks than would overflow.
    let halves = unsafe {
        _mm256_storeu_si256(at.as_mut_ptr().cast(), place);
        let half = |i: usize| *words.add(at[i] as usize);
        _mm256_setr_epi32(half(0), half(1), half(2), half(3), half(4), half(5), half(6), half(7))
    };
    let signs = _mm256_sllv_epi32(halves, _mm256_sub_epi32(_mm256_set1_epi32(31), bit));
    _mm256_movemask_ps(_mm256_castsi256_ps(signs)) as u8
}

/// The voxels may be anywhere.
#[target_feature(enable = "avx2,fma")]
fn wide(bits: &Bits, voxels: &[Voxels]) -> u64 {
    let [across, deep] = bits.across().map(|n| _mm256_set1_epi32(n as i32));
    let mut found = 0;
    for (k, [x, y, z]) in voxels.iter().enumerate() {
        let [bx, by, bz] =
            [_mm256_srli_epi32::<3>(*x), _mm256_srli_epi32::<3>(*y), _mm256_srli_epi32::<3>(*z)];
        let row = _mm256_add_epi32(_mm256_mullo_epi32(bz, deep), by);
        let at = _mm256_add_epi32(_mm256_mullo_epi32(row, across), bx);
        // SAFETY: voxels are within the counts, so these are places of the index.
        let brick = unsafe { _mm256_i32gather_epi32::<4>(bits.index.as_ptr().cast(), at) };
        let start = _mm256_slli_epi32::<4>(brick);
        found |= u64::from(bits_of(bits, start, &[*x, *y, *z])) << (8 * k);
    }
    found
}
