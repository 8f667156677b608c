//! The same by registers of AVX2.

#![expect(unsafe_code, reason = "intrinsics that the detected CPU is known to have")]

use super::window::{self, Around, Window};
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

#[target_feature(enable = "avx2,fma")]
fn compiled(bits: &Bits, turn: &Turn, octets: &[Octet]) -> u64 {
    let octets = &octets[..octets.len().min(OCTETS_MAX)];
    match window::around(bits, turn) {
        Around::Nothing => 0,
        Around::Window(window) => near(cut(bits, &window), (turn, &window.corner), octets),
        Around::More => wide(bits, turn, octets),
    }
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

/// The layers of a window, the lower four and the upper four.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn cut(bits: &Bits, window: &Window) -> [__m256i; 2] {
    [quarter(bits, window, 0), quarter(bits, window, 4)]
}

/// Four layers of a window from this one on.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn quarter(bits: &Bits, window: &Window, from: u32) -> __m256i {
    let [x, y, z] = window.first;
    let from = z + from;
    let (down, up) = (_mm_cvtsi32_si128(8 * y as i32), _mm_cvtsi32_si128(64 - 8 * y as i32));
    // Rows of this brick and of the next one along y, then the same of the next along x.
    let this = _mm256_srl_epi64(stacked(bits, window, (0, from)), down);
    let this = _mm256_or_si256(this, _mm256_sll_epi64(stacked(bits, window, (2, from)), up));
    let next = _mm256_srl_epi64(stacked(bits, window, (1, from)), down);
    let next = _mm256_or_si256(next, _mm256_sll_epi64(stacked(bits, window, (3, from)), up));
    let own = _mm256_set1_epi64x(window::own(x) as i64);
    let this = _mm256_and_si256(own, _mm256_srl_epi64(this, _mm_cvtsi32_si128(x as i32)));
    let next = _mm256_sll_epi64(next, _mm_cvtsi32_si128(8 - x as i32));
    _mm256_or_si256(this, _mm256_andnot_si256(own, next))
}

/// Four layers from this one on, of a brick and the one above it.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn stacked(bits: &Bits, window: &Window, (k, from): (usize, u32)) -> __m256i {
    let low = bits.bricks[window.bricks[k] as usize].as_ptr().wrapping_add(from as usize);
    let high = bits.bricks[window.bricks[k + 4] as usize].as_ptr().wrapping_add(from as usize);
    let four = _mm256_setr_epi64x(0, 1, 2, 3);
    let is_low = _mm256_cmpgt_epi64(_mm256_set1_epi64x(8 - i64::from(from)), four);
    let is_high = _mm256_xor_si256(is_low, _mm256_set1_epi64x(-1));
    // SAFETY: what is not within the brick is masked, and then is not loaded.
    unsafe {
        let low = _mm256_maskload_epi64(low.cast(), is_low);
        _mm256_or_si256(low, _mm256_maskload_epi64(high.wrapping_sub(8).cast(), is_high))
    }
}

/// All points are in the window, whose layers are told, with the corner of the cluster there.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn near([low, high]: [__m256i; 2], (turn, corner): (&Turn, &[f32; 3]), octets: &[Octet]) -> u64 {
    let any = _mm256_or_si256(low, high);
    if _mm256_testz_si256(any, any) == 1 {
        return 0;
    }
    let rows = [row(turn, 0, corner[0]), row(turn, 1, corner[1]), row(turn, 2, corner[2])];
    let mut found = 0;
    for (k, octet) in octets.iter().enumerate() {
        let steps = [lanes(&octet[0]), lanes(&octet[1]), lanes(&octet[2])];
        let x = _mm256_cvttps_epi32(along(&rows[0], &steps));
        let y = _mm256_cvttps_epi32(along(&rows[1], &steps));
        let z = _mm256_cvttps_epi32(along(&rows[2], &steps));
        // Three bits each: the last five tell the bit, the first four which 32 of the 512.
        let yz = _mm256_or_si256(_mm256_slli_epi32::<3>(y), _mm256_slli_epi32::<6>(z));
        let packed = _mm256_or_si256(x, yz);
        let place = _mm256_srli_epi32::<5>(packed);
        // Places are taken modulo eight, and the ninth bit chooses by its sign.
        let from_low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, place));
        let from_high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, place));
        let is_high = _mm256_castsi256_ps(_mm256_slli_epi32::<23>(packed));
        let bits = _mm256_castps_si256(_mm256_blendv_ps(from_low, from_high, is_high));
        found |= u64::from(signs(bits, packed)) << (8 * k);
    }
    found
}

/// Of each 32 bits the one that the last five bits of `bit` tell.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn signs(bits: __m256i, bit: __m256i) -> u8 {
    // The bit is moved to the top, where it is the sign.
    let up = _mm256_andnot_si256(bit, _mm256_set1_epi32(31));
    _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(bits, up))) as u8
}

/// Eight bits, given which half of which layer of the bricks they are in, and where in that.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn bits_of(bits: &Bits, place: __m256i, bit: __m256i) -> u8 {
    let halves: *const i32 = bits.bricks.as_ptr().cast();
    // SAFETY: places are 16 times those of stored bricks, of 16 halves each, and what is added is below
    // 16; `Bits` holds no other places, and fewer bricks than would overflow.
    signs(unsafe { _mm256_i32gather_epi32::<4>(halves, place) }, bit)
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
