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

/// What is granted to rounding when bricks are chosen by the reach of a cluster, in voxels.
const SPARE: f32 = 0.01;

#[target_feature(enable = "avx2,fma")]
fn compiled(bits: &Bits, turn: &Turn, octets: &[Octet]) -> u64 {
    let octets = &octets[..octets.len().min(OCTETS_MAX)];
    let reach = turn.reach + SPARE;
    let mut first = [0u32; 3];
    let mut is_near = true;
    for (k, first) in first.iter_mut().enumerate() {
        let (low, high) = (turn.corner[k] - reach, turn.corner[k] + reach);
        let count = bits.counts[k] as f32;
        if high < 0.0 || low > count {
            return 0;
        }
        let (brick, last) = ((low * 0.125) as u32, (high * 0.125) as u32);
        // Also false for what is no number.
        is_near &= low >= 0.0 && high < count && last - brick <= 1;
        *first = brick;
    }
    if is_near { near(bits, turn, (first, octets)) } else { wide(bits, turn, octets) }
}

/// How an axis is found: the row of the matrix and the corner.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn row(turn: &Turn, k: usize, corner: f32) -> [__m256; 4] {
    let [x, y, z] = turn.rows[k];
    [_mm256_set1_ps(x), _mm256_set1_ps(y), _mm256_set1_ps(z), _mm256_set1_ps(corner)]
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn along([m0, m1, m2, corner]: &[__m256; 4], steps: &[__m256; 3]) -> __m256 {
    let at = _mm256_fmadd_ps(steps[0], *m0, *corner);
    _mm256_fmadd_ps(steps[2], *m2, _mm256_fmadd_ps(steps[1], *m1, at))
}

/// Eight steps as numbers.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn lanes(steps: &[i16; 8]) -> __m256 {
    // SAFETY: eight numbers of 16 bits are what is loaded, and need not be aligned.
    let eight = unsafe { _mm_loadu_si128(steps.as_ptr().cast()) };
    _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(eight))
}

/// All points are in two bricks along each axis, the first of which is told, and these are within the
/// map.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn near(bits: &Bits, turn: &Turn, (first, octets): ([u32; 3], &[Octet])) -> u64 {
    let [across, deep] = bits.across();
    let high = bits.counts[2].div_ceil(8);
    // The second may not exist; then no point is in it.
    let x = u32::from(first[0] + 1 < across);
    let y = u32::from(first[1] + 1 < deep) * across;
    let z = u32::from(first[2] + 1 < high) * across * deep;
    let origin = (first[2] * deep + first[1]) * across + first[0];
    let brick = |at: u32| (bits.index[at as usize] << 4) as i32;
    let low = [brick(origin), brick(origin + x), brick(origin + y), brick(origin + y + x)];
    let origin = origin + z;
    let high = [brick(origin), brick(origin + x), brick(origin + y), brick(origin + y + x)];
    if low == [0; 4] && high == [0; 4] {
        // The first stored brick need not be empty, but all voxels of eight that are it are alike.
        if bits.bricks[0] == [0; 8] {
            return 0;
        }
    }
    let table =
        _mm256_setr_epi32(low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]);
    let corner = |k: usize| turn.corner[k] - (8 * first[k]) as f32;
    let rows = [row(turn, 0, corner(0)), row(turn, 1, corner(1)), row(turn, 2, corner(2))];
    let mut found = 0;
    for (k, octet) in octets.iter().enumerate() {
        let steps = [lanes(&octet[0]), lanes(&octet[1]), lanes(&octet[2])];
        let x = _mm256_cvttps_epi32(along(&rows[0], &steps));
        let y = _mm256_cvttps_epi32(along(&rows[1], &steps));
        let z = _mm256_cvttps_epi32(along(&rows[2], &steps));
        // Four bits each, from 0 to 15 within the two bricks.
        let packed = _mm256_or_si256(
            _mm256_or_si256(x, _mm256_slli_epi32::<4>(y)),
            _mm256_slli_epi32::<8>(z),
        );
        // The third bit of each tells the brick; the product brings them side by side.
        let bricks = _mm256_and_si256(packed, _mm256_set1_epi32(0x888));
        let bricks = _mm256_madd_epi16(bricks, _mm256_set1_epi32(0x124));
        let start = _mm256_permutevar8x32_epi32(table, _mm256_srli_epi32::<11>(bricks));
        let layer = _mm256_and_si256(_mm256_srli_epi32::<7>(packed), _mm256_set1_epi32(14));
        let half = _mm256_and_si256(_mm256_srli_epi32::<6>(packed), _mm256_set1_epi32(1));
        let place = _mm256_add_epi32(start, _mm256_or_si256(layer, half));
        let across = _mm256_and_si256(packed, _mm256_set1_epi32(7));
        let rows = _mm256_and_si256(_mm256_srli_epi32::<1>(packed), _mm256_set1_epi32(24));
        let bit = _mm256_or_si256(across, rows);
        found |= u64::from(bits_of(bits, place, bit)) << (8 * k);
    }
    found
}

/// Eight bits, given which half of which layer of the bricks they are in, and where in that.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn bits_of(bits: &Bits, place: __m256i, bit: __m256i) -> u8 {
    let halves: *const i32 = bits.bricks.as_ptr().cast();
    // SAFETY: places are 16 times those of stored bricks, of 16 halves each, and what is added is below
    // 16; `Bits` holds no other places, and fewer bricks than would overflow.
    let halves = unsafe { _mm256_i32gather_epi32::<4>(halves, place) };
    // The bit is moved to the top, where it is the sign.
    let signs = _mm256_sllv_epi32(halves, _mm256_xor_si256(_mm256_set1_epi32(31), bit));
    _mm256_movemask_ps(_mm256_castsi256_ps(signs)) as u8
}

/// The points may be anywhere.
#[target_feature(enable = "avx2,fma")]
fn wide(bits: &Bits, turn: &Turn, octets: &[Octet]) -> u64 {
    let [across, deep] = bits.across().map(|n| _mm256_set1_epi32(n as i32));
    let zero = _mm256_setzero_ps();
    let rows =
        [row(turn, 0, turn.corner[0]), row(turn, 1, turn.corner[1]), row(turn, 2, turn.corner[2])];
    let mut found = 0;
    for (k, octet) in octets.iter().enumerate() {
        let steps = [lanes(&octet[0]), lanes(&octet[1]), lanes(&octet[2])];
        let mut voxels: Voxels = [_mm256_setzero_si256(); 3];
        for axis in 0..3 {
            let at = along(&rows[axis], &steps);
            let rim = _mm256_set1_ps(bits.counts[axis] as f32 - 0.5);
            // A place that is no number becomes zero, on the rim.
            voxels[axis] = _mm256_cvttps_epi32(_mm256_min_ps(_mm256_max_ps(at, zero), rim));
        }
        let [x, y, z] = voxels;
        let [bx, by, bz] =
            [_mm256_srli_epi32::<3>(x), _mm256_srli_epi32::<3>(y), _mm256_srli_epi32::<3>(z)];
        let line = _mm256_add_epi32(_mm256_mullo_epi32(bz, deep), by);
        let at = _mm256_add_epi32(_mm256_mullo_epi32(line, across), bx);
        // SAFETY: voxels are within the counts, so these are places of the index.
        let brick = unsafe { _mm256_i32gather_epi32::<4>(bits.index.as_ptr().cast(), at) };
        let seven = _mm256_set1_epi32(7);
        let layer = _mm256_slli_epi32::<1>(_mm256_and_si256(z, seven));
        let half = _mm256_and_si256(_mm256_srli_epi32::<2>(y), _mm256_set1_epi32(1));
        let within = _mm256_or_si256(layer, half);
        let place = _mm256_add_epi32(_mm256_slli_epi32::<4>(brick), within);
        let line = _mm256_slli_epi32::<3>(_mm256_and_si256(y, _mm256_set1_epi32(3)));
        let bit = _mm256_or_si256(line, _mm256_and_si256(x, seven));
        found |= u64::from(bits_of(bits, place, bit)) << (8 * k);
    }
    found
}
