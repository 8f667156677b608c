//! Faces as ranges of cells: which of them reach into a lattice, eight at a time.

use super::Lattice;
#[cfg(target_arch = "x86_64")]
use crate::lanes32::Avx2;

/// Faces with the cells they reach, a byte per axis, within the lattice.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    /// Whose they are.
    pub ids: Vec<u32>,
    /// The lowest cells.
    pub low: Vec<u32>,
    /// The highest cells.
    pub high: Vec<u32>,
}

impl Ranges {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.set_len(0);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    fn set_len(&mut self, len: usize) {
        for column in [&mut self.ids, &mut self.low, &mut self.high] {
            column.resize(len, 0);
        }
    }

    /// Keeps those of which `keep` says so, given the lowest and the highest cells.
    pub fn retain(&mut self, mut keep: impl FnMut(u32, u32) -> bool) {
        let mut kept = 0;
        for i in 0..self.ids.len().min(self.low.len()).min(self.high.len()) {
            let (id, low, high) = (self.ids[i], self.low[i], self.high[i]);
            (self.ids[kept], self.low[kept], self.high[kept]) = (id, low, high);
            kept += usize::from(keep(low, high));
        }
        self.set_len(kept);
    }

    /// Adds the faces of some runs of `run` faces that reach into the lattice, given the cells of all
    /// vertices.
    ///
    /// # Panics
    /// If a face names a vertex whose cells are not given, or a run is not there.
    pub fn add(&mut self, lattice: &Lattice, faces: &Faces<'_>, (runs, run): (&[u32], usize)) {
        let before = self.len();
        // Eight are written at a time, whether or not all of them stay.
        self.set_len(before + runs.len() * run.next_multiple_of(8) + 8);
        let mut at = before;
        for &number in runs {
            let first = number as usize * run;
            let end = faces.triangles.len().min(first + run);
            at = self.add_run(lattice, faces, (first..end, at));
        }
        self.set_len(at);
    }

    fn add_run(
        &mut self,
        lattice: &Lattice,
        faces: &Faces<'_>,
        (run, at): (std::ops::Range<usize>, usize),
    ) -> usize {
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            // SAFETY: AVX2 was just detected.
            #[expect(unsafe_code, reason = "a call that needs AVX2")]
            return unsafe { x86::add_run(self, (lattice, faces), run, at) };
        }
        self.add_run_scalar((lattice, faces), run, at)
    }

    fn add_run_scalar(
        &mut self,
        (lattice, faces): (&Lattice, &Faces<'_>),
        run: std::ops::Range<usize>,
        mut at: usize,
    ) -> usize {
        let above = lattice.last.map(|last| last + 1);
        for id in run {
            let corners = faces.triangles[id].map(|v| faces.cells[v as usize].to_le_bytes());
            let (mut low, mut high, mut reaches) = (0, 0, true);
            for k in 0..3 {
                let [a, b, c] = corners.map(|corner| corner[k]);
                let (least, most) = (a.min(b).min(c), a.max(b).max(c));
                reaches &= most > 0 && least < above[k];
                low |= u32::from(least.max(1)) << (8 * k);
                high |= u32::from(most.min(lattice.last[k])) << (8 * k);
            }
            (self.ids[at], self.low[at], self.high[at]) = (id as u32, low, high);
            at += usize::from(reaches);
        }
        at
    }
}

/// Faces, and the cells of their corners.
#[derive(Clone, Copy, Debug)]
pub struct Faces<'a> {
    /// The corners of each.
    pub triangles: &'a [[u32; 3]],
    /// The cells of all vertices.
    pub cells: &'a [u32],
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "intrinsics that the detected CPU is known to have")]

    use super::{Faces, Lattice, Ranges};
    use std::arch::x86_64::*;
    use std::ops::Range;

    /// For each set of lanes their numbers, moved to the front.
    static FRONT: [[u8; 8]; 256] = {
        let mut table = [[0; 8]; 256];
        let mut set = 0;
        while set < 256 {
            let (mut lane, mut at) = (0, 0);
            while lane < 8 {
                if set >> lane & 1 == 1 {
                    table[set][at] = lane as u8;
                    at += 1;
                }
                lane += 1;
            }
            set += 1;
        }
        table
    };

    #[target_feature(enable = "avx2")]
    fn bytes(of: [u8; 3]) -> __m256i {
        _mm256_set1_epi32(i32::from_le_bytes([of[0], of[1], of[2], 0]))
    }

    /// The first, second and third corners of eight faces.
    ///
    /// Corner `k` of face `i` is number `3i + k` of 24. In three registers those of one `k` are in
    /// different lanes, so two blends bring them together and one permutation in order.
    #[target_feature(enable = "avx2")]
    fn corners(faces: &[[u32; 3]; 8]) -> [__m256i; 3] {
        const AT_0: i32 = 0b0100_1001;
        const AT_1: i32 = 0b1001_0010;
        const AT_2: i32 = 0b0010_0100;
        let start = faces.as_ptr().cast::<__m256i>();
        // SAFETY: eight faces are three times 32 readable bytes.
        let (a, b, c) = unsafe {
            (
                _mm256_loadu_si256(start),
                _mm256_loadu_si256(start.add(1)),
                _mm256_loadu_si256(start.add(2)),
            )
        };
        let first = _mm256_blend_epi32::<AT_2>(_mm256_blend_epi32::<AT_1>(a, b), c);
        let second = _mm256_blend_epi32::<AT_0>(_mm256_blend_epi32::<AT_2>(a, b), c);
        let third = _mm256_blend_epi32::<AT_1>(_mm256_blend_epi32::<AT_0>(a, b), c);
        [
            _mm256_permutevar8x32_epi32(first, _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5)),
            _mm256_permutevar8x32_epi32(second, _mm256_setr_epi32(1, 4, 7, 2, 5, 0, 3, 6)),
            _mm256_permutevar8x32_epi32(third, _mm256_setr_epi32(2, 5, 0, 3, 6, 1, 4, 7)),
        ]
    }

    /// The cells of eight vertices; none if one of them is not there.
    #[target_feature(enable = "avx2")]
    fn gathered(cells: &[u32], [p, q, r]: [__m256i; 3]) -> Option<[__m256i; 3]> {
        let most = _mm256_max_epu32(_mm256_max_epu32(p, q), r);
        let last = _mm256_set1_epi32(cells.len().min(1 << 31) as i32 - 1);
        let there = _mm256_cmpeq_epi32(_mm256_min_epu32(most, last), most);
        if _mm256_movemask_epi8(there) != -1 || cells.is_empty() {
            return None;
        }
        let table = cells.as_ptr().cast::<i32>();
        // SAFETY: no index is above that of the last element, nor above 2³¹ − 1, so that none of them
        // is negative.
        unsafe {
            Some([
                _mm256_i32gather_epi32::<4>(table, p),
                _mm256_i32gather_epi32::<4>(table, q),
                _mm256_i32gather_epi32::<4>(table, r),
            ])
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn add_run(
        ranges: &mut Ranges,
        (lattice, faces): (&Lattice, &Faces<'_>),
        run: Range<usize>,
        mut at: usize,
    ) -> usize {
        let above = _mm256_or_si256(
            bytes(lattice.last.map(|last| last + 1)),
            _mm256_set1_epi32(0xff00_0000u32 as i32),
        );
        let (last, one) = (bytes(lattice.last), bytes([1; 3]));
        // The fourth byte is no axis: it must never look like being below.
        let fourth = _mm256_set1_epi32(0xff00_0000u32 as i32);
        let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        let (eights, rest) = faces.triangles[run.clone()].as_chunks::<8>();
        let mut id = run.start;
        for eight in eights {
            let Some([p, q, r]) = gathered(faces.cells, corners(eight)) else {
                return ranges.add_run_scalar((lattice, faces), id..run.end, at);
            };
            let least = _mm256_min_epu8(_mm256_min_epu8(p, q), r);
            let most = _mm256_max_epu8(_mm256_max_epu8(p, q), r);
            let below = _mm256_cmpeq_epi8(_mm256_or_si256(most, fourth), _mm256_setzero_si256());
            let outside = _mm256_or_si256(below, _mm256_cmpeq_epi8(least, above));
            let reaches = _mm256_cmpeq_epi32(outside, _mm256_setzero_si256());
            let set = _mm256_movemask_ps(_mm256_castsi256_ps(reaches)) as u8;
            if set != 0 {
                // SAFETY: eight readable bytes.
                let front = unsafe { _mm_loadl_epi64(FRONT[set as usize].as_ptr().cast()) };
                let front = _mm256_cvtepu8_epi32(front);
                let ids = _mm256_add_epi32(_mm256_set1_epi32(id as i32), lanes);
                let low = _mm256_max_epu8(least, one);
                let high = _mm256_min_epu8(most, last);
                store(&mut ranges.ids[at..at + 8], _mm256_permutevar8x32_epi32(ids, front));
                store(&mut ranges.low[at..at + 8], _mm256_permutevar8x32_epi32(low, front));
                store(&mut ranges.high[at..at + 8], _mm256_permutevar8x32_epi32(high, front));
                at += set.count_ones() as usize;
            }
            id += 8;
        }
        ranges.add_run_scalar((lattice, faces), run.end - rest.len()..run.end, at)
    }

    #[target_feature(enable = "avx2")]
    fn store(to: &mut [u32], eight: __m256i) {
        assert!(to.len() >= 8);
        // SAFETY: 32 writable bytes.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), eight) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_forms_find_the_faces_that_reach_in(
            cells in prop::collection::vec(prop::array::uniform3(0u8..8), 1..50),
            corners in prop::collection::vec(any::<[prop::sample::Index; 3]>(), 1..70),
            last in prop::array::uniform3(1u8..=7),
            runs in prop::collection::vec(0u32..3, 0..4),
        ) {
            let lattice = Lattice { origin: [0.0; 3], scale: [1.0; 3], last };
            let pack = |c: &[u8; 3]| {
                let cell = |k: usize| u32::from(c[k].min(last[k] + 1)) << (8 * k);
                cell(0) | cell(1) | cell(2)
            };
            let cells: Vec<u32> = cells.iter().map(pack).collect();
            let corner = |i: &prop::sample::Index| i.index(cells.len()) as u32;
            let triangles: Vec<[u32; 3]> =
                corners.iter().map(|c| [corner(&c[0]), corner(&c[1]), corner(&c[2])]).collect();
            let faces = Faces { triangles: &triangles, cells: &cells };
            let run = 26;
            let runs: Vec<u32> =
                runs.into_iter().filter(|&r| (r as usize) * run < triangles.len()).collect();
            let mut wide = Ranges::default();
            wide.add(&lattice, &faces, (&runs, run));
            let mut twin = Ranges::default();
            twin.set_len(runs.len() * run + 8);
            let mut at = 0;
            for &number in &runs {
                let first = number as usize * run;
                let end = triangles.len().min(first + run);
                at = twin.add_run_scalar((&lattice, &faces), first..end, at);
            }
            twin.set_len(at);
            prop_assert_eq!((&wide.ids, &wide.low, &wide.high), (&twin.ids, &twin.low, &twin.high));
            for i in 0..wide.len() {
                for k in 0..3 {
                    let (low, high) = (wide.low[i].to_le_bytes()[k], wide.high[i].to_le_bytes()[k]);
                    prop_assert!(1 <= low && low <= high && high <= last[k]);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_vertex_that_is_not_there_is_no_gather() {
        let faces = Faces { triangles: &[[0, 1, 2]; 8], cells: &[1, 1] };
        let lattice = Lattice { origin: [0.0; 3], scale: [1.0; 3], last: [4; 3] };
        Ranges::default().add(&lattice, &faces, (&[0], 8));
    }
}
