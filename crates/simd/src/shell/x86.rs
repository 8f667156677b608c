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
    let [x, y, z] = window.first;
    // Of the four quarters of a brick and the one above it, three hold the layers; each is turned until its
    // layers are where they belong, and the later ones of two neighbours follow the earlier ones.
    let (quarter, turn) = (z as usize >> 2, z as i32 & 3);
    let eight = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let order = _mm256_add_epi32(eight, _mm256_set1_epi32(2 * turn));
    let is_later = _mm256_cmpgt_epi32(order, _mm256_set1_epi32(7));
    let mut layers = [[_mm256_setzero_si256(); 2]; 4];
    for (k, layers) in layers.iter_mut().enumerate() {
        let bricks = [window.bricks[k], window.bricks[k + 4]];
        let mut turned = [_mm256_setzero_si256(); 3];
        for (i, turned) in turned.iter_mut().enumerate() {
            let quarter = quarter + i;
            let brick = &bits.bricks[bricks[quarter >> 1] as usize];
            let four: &[u64; 4] = if quarter & 1 == 0 {
                brick.first_chunk().expect("a brick has eight layers")
            } else {
                brick.last_chunk().expect("a brick has eight layers")
            };
            // SAFETY: four layers of 64 bits are a register, which need not be aligned.
            let four = unsafe { _mm256_loadu_si256(four.as_ptr().cast()) };
            // Places are taken modulo eight.
            *turned = _mm256_permutevar8x32_epi32(four, order);
        }
        let [first, second, third] = turned;
        *layers = [
            _mm256_blendv_epi8(first, second, is_later),
            _mm256_blendv_epi8(second, third, is_later),
        ];
    }
    let (down, up) = (_mm_cvtsi32_si128(8 * y as i32), _mm_cvtsi32_si128(64 - 8 * y as i32));
    let own = _mm256_set1_epi64x(window::own(x) as i64);
    let mut window = [_mm256_setzero_si256(); 2];
    for (half, window) in window.iter_mut().enumerate() {
        // Rows of this brick and of the next one along y, then the same of the next along x.
        let (upper, lower) = (_mm256_sll_epi64(layers[2][half], up), layers[0][half]);
        let this = _mm256_or_si256(_mm256_srl_epi64(lower, down), upper);
        let (upper, lower) = (_mm256_sll_epi64(layers[3][half], up), layers[1][half]);
        let next = _mm256_or_si256(_mm256_srl_epi64(lower, down), upper);
        let this = _mm256_and_si256(own, _mm256_srl_epi64(this, _mm_cvtsi32_si128(x as i32)));
        let next = _mm256_sll_epi64(next, _mm_cvtsi32_si128(8 - x as i32));
        *window = _mm256_or_si256(this, _mm256_andnot_si256(own, next));
    }
    window
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
