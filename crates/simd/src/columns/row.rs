//! Eight lanes that hold an entry: one trait, a portable form and an AVX2 form that agree bit for bit.

use super::grid::GridLanes;
use super::{Entry, step};

/// An entry in a register.
pub trait Row: Copy {
    /// From a box and its number.
    fn of_box(aabb: &[f32; 6], id: u32) -> Self;
    /// From memory.
    fn load(entry: &Entry) -> Self;
    /// To memory.
    fn store(self, entry: &mut Entry);
    /// The cells of both corners; what the lanes without a coordinate hold is undefined.
    fn cells(self, grid: &GridLanes) -> [u32; 8];
    /// The columns of the lower and of the upper corner.
    fn columns(self, grid: &GridLanes) -> [u32; 2];
    /// Lane by lane the lesser number, as far as lanes are numbers.
    fn least(self, other: Self) -> Self;
    /// Lane by lane the greater number, as far as lanes are numbers.
    fn greatest(self, other: Self) -> Self;
    /// Writes `[first, other]` for each of the `others` whose lane is set, in order, and returns how
    /// many. Always writes eight, so that no branch depends on the lanes.
    fn pairs(first: u32, others: &[u32; 8], lanes: u32, out: &mut [[u32; 2]; 8]) -> usize;
    /// Eight of the entries lane by lane: all first lanes, all second lanes and so on.
    fn gather(entries: &[Entry], which: &[u32; 8]) -> [[u32; 8]; 8];
}

/// For each set of eight lanes: which they are, in order; zeros after them.
static LANES: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// The portable form.
#[derive(Clone, Copy)]
pub(super) struct Plain(Entry);

impl Row for Plain {
    #[inline(always)]
    fn of_box(aabb: &[f32; 6], id: u32) -> Self {
        let [a, b, c, d, e, f] = aabb.map(f32::to_bits);
        Self([a, b, c, id, d, e, f, c])
    }
    #[inline(always)]
    fn load(entry: &Entry) -> Self {
        Self(*entry)
    }
    #[inline(always)]
    fn store(self, entry: &mut Entry) {
        *entry = self.0;
    }
    #[inline(always)]
    fn cells(self, grid: &GridLanes) -> [u32; 8] {
        std::array::from_fn(|k| {
            let x = (f32::from_bits(self.0[k]) - grid.origin[k]) * grid.scale[k];
            step(x, grid.last[k])
        })
    }
    #[inline(always)]
    fn columns(self, grid: &GridLanes) -> [u32; 2] {
        let cells = self.cells(grid);
        [0, 4].map(|at| (0..3).map(|k| cells[at + k] * grid.stride[k]).sum())
    }
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| {
            let less = f32::from_bits(self.0[k]) < f32::from_bits(other.0[k]);
            if less { self.0[k] } else { other.0[k] }
        }))
    }
    #[inline(always)]
    fn greatest(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| {
            let more = f32::from_bits(self.0[k]) > f32::from_bits(other.0[k]);
            if more { self.0[k] } else { other.0[k] }
        }))
    }
    #[inline(always)]
    fn pairs(first: u32, others: &[u32; 8], lanes: u32, out: &mut [[u32; 2]; 8]) -> usize {
        let which = &LANES[(lanes & 0xFF) as usize];
        *out = which.map(|lane| [first, others[usize::from(lane)]]);
        (lanes & 0xFF).count_ones() as usize
    }
    #[inline(always)]
    fn gather(entries: &[Entry], which: &[u32; 8]) -> [[u32; 8]; 8] {
        std::array::from_fn(|lane| which.map(|i| entries[i as usize][lane]))
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::Avx;

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "intrinsics that the detected CPU is known to have")]

    use super::*;
    use std::arch::x86_64::*;

    /// The AVX2 form. Only functions that run after AVX2 was detected may make or use one.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx(__m256i);

    // SAFETY, for all blocks below: the intrinsics need AVX2, which whoever uses these lanes has
    // detected (see `Avx`); loads and stores are unaligned and within the arrays they are given.
    macro_rules! avx {
        ($operation:expr) => {
            // SAFETY: see above the macro.
            unsafe { $operation }
        };
    }

    impl Avx {
        #[inline(always)]
        fn floats(self) -> __m256 {
            avx!(_mm256_castsi256_ps(self.0))
        }

        #[inline(always)]
        fn locate(self, grid: &GridLanes) -> __m256i {
            avx!({
                let origin = _mm256_loadu_ps(grid.origin.as_ptr());
                let scale = _mm256_loadu_ps(grid.scale.as_ptr());
                let last = _mm256_loadu_ps(grid.last.as_ptr());
                // Small whole numbers are denormal as floats, and arithmetic on those is slow.
                let clean = _mm256_blend_ps::<0b1000_1000>(self.floats(), _mm256_setzero_ps());
                let x = _mm256_mul_ps(_mm256_sub_ps(clean, origin), scale);
                let x = _mm256_min_ps(_mm256_max_ps(x, _mm256_setzero_ps()), last);
                let bits = _mm256_castps_si256(_mm256_add_ps(x, _mm256_set1_ps(8_388_608.0)));
                _mm256_and_si256(bits, _mm256_set1_epi32(0x7F_FFFF))
            })
        }
    }

    impl Row for Avx {
        #[inline(always)]
        fn of_box(aabb: &[f32; 6], id: u32) -> Self {
            Self(avx!({
                // Lower corner and one more; then the upper corner, which ends with the box.
                let low = _mm_castps_si128(_mm_loadu_ps(aabb.as_ptr()));
                let high = _mm_castps_si128(_mm_loadu_ps(aabb.as_ptr().add(2)));
                let low = _mm_insert_epi32::<3>(low, id as i32);
                let high = _mm_shuffle_epi32::<0b00_11_10_01>(high);
                _mm256_set_m128i(high, low)
            }))
        }
        #[inline(always)]
        fn load(entry: &Entry) -> Self {
            Self(avx!(_mm256_loadu_si256(entry.as_ptr().cast())))
        }
        #[inline(always)]
        fn store(self, entry: &mut Entry) {
            avx!(_mm256_storeu_si256(entry.as_mut_ptr().cast(), self.0));
        }
        #[inline(always)]
        fn cells(self, grid: &GridLanes) -> [u32; 8] {
            let mut cells = [0; 8];
            Self(self.locate(grid)).store(&mut cells);
            cells
        }
        #[inline(always)]
        fn columns(self, grid: &GridLanes) -> [u32; 2] {
            avx!({
                let stride = _mm256_loadu_si256(grid.stride.as_ptr().cast());
                let parts = _mm256_mullo_epi32(self.locate(grid), stride);
                let sum = _mm256_add_epi32(parts, _mm256_shuffle_epi32::<0b11_11_10_01>(parts));
                let sum = _mm256_add_epi32(sum, _mm256_shuffle_epi32::<0b11_11_11_10>(parts));
                let low = _mm256_castsi256_si128(sum);
                let high = _mm256_extracti128_si256::<1>(sum);
                [_mm_cvtsi128_si32(low) as u32, _mm_cvtsi128_si32(high) as u32]
            })
        }
        #[inline(always)]
        fn least(self, other: Self) -> Self {
            Self(avx!(_mm256_castps_si256(_mm256_min_ps(self.floats(), other.floats()))))
        }
        #[inline(always)]
        fn greatest(self, other: Self) -> Self {
            Self(avx!(_mm256_castps_si256(_mm256_max_ps(self.floats(), other.floats()))))
        }
        #[inline(always)]
        fn pairs(first: u32, others: &[u32; 8], lanes: u32, out: &mut [[u32; 2]; 8]) -> usize {
            let lanes = lanes & 0xFF;
            let (low, high) = out.as_flattened_mut().split_at_mut(8);
            avx!({
                let which = _mm_loadl_epi64(LANES[lanes as usize].as_ptr().cast());
                let others = Self::load(others).0;
                let others = _mm256_permutevar8x32_epi32(others, _mm256_cvtepu8_epi32(which));
                let first = _mm256_set1_epi32(first as i32);
                let a = _mm256_unpacklo_epi32(first, others);
                let b = _mm256_unpackhi_epi32(first, others);
                let four = _mm256_permute2x128_si256::<0x20>(a, b);
                _mm256_storeu_si256(low.as_mut_ptr().cast(), four);
                let four = _mm256_permute2x128_si256::<0x31>(a, b);
                _mm256_storeu_si256(high.as_mut_ptr().cast(), four);
            });
            lanes.count_ones() as usize
        }
        #[inline(always)]
        fn gather(entries: &[Entry], which: &[u32; 8]) -> [[u32; 8]; 8] {
            let mut out = [[0; 8]; 8];
            avx!({
                let at = |k: usize| Self::load(&entries[which[k] as usize]).0;
                // Pairs of rows, then of pairs, then of halves.
                let mut two = [_mm256_setzero_si256(); 8];
                let mut four = two;
                let mut k = 0;
                while k < 4 {
                    two[2 * k] = _mm256_unpacklo_epi32(at(2 * k), at(2 * k + 1));
                    two[2 * k + 1] = _mm256_unpackhi_epi32(at(2 * k), at(2 * k + 1));
                    k += 1;
                }
                let mut k = 0;
                while k < 2 {
                    let [a, b, c, d] = [two[4 * k], two[4 * k + 1], two[4 * k + 2], two[4 * k + 3]];
                    four[4 * k] = _mm256_unpacklo_epi64(a, c);
                    four[4 * k + 1] = _mm256_unpackhi_epi64(a, c);
                    four[4 * k + 2] = _mm256_unpacklo_epi64(b, d);
                    four[4 * k + 3] = _mm256_unpackhi_epi64(b, d);
                    k += 1;
                }
                let mut k = 0;
                while k < 4 {
                    let low = _mm256_permute2x128_si256::<0x20>(four[k], four[k + 4]);
                    let high = _mm256_permute2x128_si256::<0x31>(four[k], four[k + 4]);
                    Self(low).store(&mut out[k]);
                    Self(high).store(&mut out[k + 4]);
                    k += 1;
                }
            });
            out
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::super::grid::Grid;
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f32> {
        prop_oneof![-20.0..20.0f32, Just(f32::INFINITY), Just(f32::NEG_INFINITY), Just(-0.0)]
    }

    /// All that a row can do, as far as it is defined.
    fn all<R: Row>(a: &[f32; 6], b: &[f32; 6], (grid, lanes): (&Grid, u32)) -> Vec<u32> {
        let grid = grid.lanes();
        let (a, b) = (R::of_box(a, 7), R::of_box(b, 9));
        let mut rows = Vec::new();
        let mut entry = [0; 8];
        for row in [a, b] {
            row.store(&mut entry);
            rows.extend(entry);
            let cells = R::load(&entry).cells(&grid);
            rows.extend([0, 1, 2, 4, 5, 6].map(|k| cells[k]));
            rows.extend(row.columns(&grid));
        }
        for row in [a.least(b), b.least(a), a.greatest(b), b.greatest(a)] {
            row.store(&mut entry);
            rows.extend([0, 1, 2, 4, 5, 6].map(|k| entry[k]));
        }
        let eight: [Entry; 8] =
            std::array::from_fn(|k| std::array::from_fn(|l| (8 * k + l) as u32));
        let which = [7, 0, 3, 3, 1, 6, 2, 5];
        rows.extend(R::gather(&eight, &which).as_flattened());
        let mut pairs = [[0; 2]; 8];
        for lanes in [0, 1, 0b1010_0110, 0xFF, lanes] {
            rows.push(R::pairs(3, &eight[1], lanes, &mut pairs) as u32);
            rows.extend(pairs.as_flattened());
        }
        rows
    }

    #[test]
    fn pairs_come_in_the_order_of_their_lanes() {
        let mut pairs = [[0; 2]; 8];
        let others = [10, 11, 12, 13, 14, 15, 16, 17];
        assert_eq!(Plain::pairs(5, &others, 0b1010_0110, &mut pairs), 4);
        assert_eq!(pairs[..4], [[5, 11], [5, 12], [5, 15], [5, 17]]);
    }

    proptest! {
        #[test]
        fn both_forms_agree_bit_for_bit(
            a in prop::array::uniform6(number()),
            b in prop::array::uniform6(number()),
            origin in prop::array::uniform3(-20.0..20.0f32),
            scale in prop::array::uniform3(prop_oneof![Just(0.0), 0.0..5.0f32]),
            count in prop::array::uniform3(1u32..50),
            lanes in 0u32..256,
        ) {
            if crate::lanes32::Avx2::detect().is_none() {
                return Ok(());
            }
            let grid = Grid { origin, scale, count };
            let others = (&grid, lanes);
            prop_assert_eq!(all::<Plain>(&a, &b, others), all::<Avx>(&a, &b, others));
        }
    }
}
