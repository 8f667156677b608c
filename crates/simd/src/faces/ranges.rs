//! Faces as ranges of cells: which of them reach into a lattice, eight at a time.

use super::Lattice;
#[cfg(target_arch = "x86_64")]
use crate::lanes32::Avx2;

/// Faces that are looked at together.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The vertices that they use, at most [`VERTICES_MAX`].
    pub vertices: &'a [u32],
    /// Their corners as places in the list of vertices: first, second and third corners of eight faces
    /// at a time; any place where there are no more faces.
    pub corners: &'a [[[u8; 8]; 3]],
    /// Their names.
    pub faces: &'a [u32],
}

/// So many vertices can be told apart by a byte.
pub const VERTICES_MAX: usize = 256;

/// Up to eight faces with the cells they reach within a lattice, a byte per axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Eight {
    /// The lowest and the highest cells of all of them.
    pub hull: [u32; 2],
    /// Those that reach into the lattice, lane `k` as bit `k`. The others mean nothing.
    pub set: u8,
    /// The lowest cells of each.
    pub low: [u32; 8],
    /// The highest cells of each.
    pub high: [u32; 8],
    /// Their names.
    pub names: [u32; 8],
}

/// Adds the faces of a run that reach into the lattice.
///
/// # Panics
/// If a face names a vertex that is not there.
#[inline]
pub fn reach(lattice: &Lattice, points: &[[f64; 3]], run: &Run<'_>, out: &mut Vec<Eight>) {
    #[cfg(target_arch = "x86_64")]
    if Avx2::detect().is_some() {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        unsafe {
            x86::reach(lattice, points, run, out);
        }
        return;
    }
    reach_scalar(lattice, points, run, out);
}

fn reach_scalar(lattice: &Lattice, points: &[[f64; 3]], run: &Run<'_>, out: &mut Vec<Eight>) {
    let cells: Vec<[u8; 4]> =
        run.vertices.iter().map(|&v| lattice.cells(&points[v as usize]).to_le_bytes()).collect();
    for (faces, places) in run.faces.chunks(8).zip(run.corners) {
        let mut eight = Eight::default();
        let mut hull = [[u8::MAX, u8::MAX, u8::MAX, 0], [0; 4]];
        for (lane, &name) in faces.iter().enumerate() {
            let corners = [0, 1, 2].map(|corner| cells[usize::from(places[corner][lane])]);
            let (mut low, mut high, mut reaches) = ([0; 4], [0; 4], true);
            for k in 0..3 {
                let [a, b, c] = corners.map(|corner| corner[k]);
                let (least, most) = (a.min(b).min(c), a.max(b).max(c));
                reaches &= most > 0 && least <= lattice.last[k];
                (low[k], high[k]) = (least.max(1), most.min(lattice.last[k]));
            }
            if reaches {
                eight.set |= 1 << lane;
                for k in 0..3 {
                    hull[0][k] = hull[0][k].min(low[k]);
                    hull[1][k] = hull[1][k].max(high[k]);
                }
            }
            (eight.low[lane], eight.high[lane]) =
                (u32::from_le_bytes(low), u32::from_le_bytes(high));
            eight.names[lane] = name;
        }
        if eight.set != 0 {
            eight.hull = hull.map(u32::from_le_bytes);
            out.push(eight);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "intrinsics that the detected CPU is known to have")]

    use super::{Eight, Lattice, Run, VERTICES_MAX};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2")]
    fn bytes(of: [u8; 3]) -> __m256i {
        _mm256_set1_epi32(i32::from_le_bytes([of[0], of[1], of[2], 0]))
    }

    /// The cells of eight corners, given by their places.
    #[target_feature(enable = "avx2")]
    fn gathered(cells: &[u32; VERTICES_MAX], places: &[u8; 8]) -> __m256i {
        // SAFETY: eight readable bytes, and a byte is never more than the last place in the table.
        unsafe {
            let places = _mm256_cvtepu8_epi32(_mm_loadl_epi64(places.as_ptr().cast()));
            _mm256_i32gather_epi32::<4>(cells.as_ptr().cast(), places)
        }
    }

    /// The cells of the vertices of a run.
    #[target_feature(enable = "avx2")]
    fn cells_of(
        lattice: &Lattice,
        points: &[[f64; 3]],
        ids: &[u32],
        cells: &mut [u32; VERTICES_MAX],
    ) {
        let [x, y, z] = lattice.origin;
        let origin = _mm256_setr_pd(x, y, z, 0.0);
        let [x, y, z] = lattice.scale;
        let scale = _mm256_setr_pd(x, y, z, 0.0);
        let [x, y, z] = lattice.last.map(|last| f64::from(last) + 1.0);
        let above = _mm256_setr_pd(x, y, z, 0.0);
        let (zero, one) = (_mm256_setzero_pd(), _mm256_setr_pd(1.0, 1.0, 1.0, 0.0));
        let three = _mm256_setr_epi64x(-1, -1, -1, 0);
        let bytes = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
        for (&id, cells) in ids.iter().zip(cells) {
            // SAFETY: only the three lanes that are a point are read.
            let x = unsafe { _mm256_maskload_pd(points[id as usize].as_ptr(), three) };
            let t = _mm256_mul_pd(_mm256_sub_pd(x, origin), scale);
            let t = _mm256_max_pd(_mm256_add_pd(t, one), zero);
            let four = _mm256_cvttpd_epi32(_mm256_min_pd(t, above));
            *cells = _mm_cvtsi128_si32(_mm_shuffle_epi8(four, bytes)) as u32;
        }
    }

    /// The least of eight, byte by byte; the greatest is that of the complements.
    #[target_feature(enable = "avx2")]
    fn least(eight: __m256i) -> u32 {
        let four =
            _mm_min_epu8(_mm256_castsi256_si128(eight), _mm256_extracti128_si256::<1>(eight));
        let two = _mm_min_epu8(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
        let one = _mm_min_epu8(two, _mm_shuffle_epi32::<0b10_11_00_01>(two));
        _mm_cvtsi128_si32(one) as u32
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn reach(
        lattice: &Lattice,
        points: &[[f64; 3]],
        run: &Run<'_>,
        out: &mut Vec<Eight>,
    ) {
        let mut cells = [0; VERTICES_MAX];
        cells_of(lattice, points, run.vertices, &mut cells);
        // The fourth byte is no axis: it must never look like being below or above.
        let fourth = _mm256_set1_epi32(0xff00_0000u32 as i32);
        let above = _mm256_or_si256(bytes(lattice.last.map(|last| last + 1)), fourth);
        let (last, first) = (bytes(lattice.last), bytes([1; 3]));
        let ones = _mm256_set1_epi32(-1);
        for (faces, places) in run.faces.chunks(8).zip(run.corners) {
            let p = gathered(&cells, &places[0]);
            let q = gathered(&cells, &places[1]);
            let r = gathered(&cells, &places[2]);
            let lowest = _mm256_min_epu8(_mm256_min_epu8(p, q), r);
            let most = _mm256_max_epu8(_mm256_max_epu8(p, q), r);
            let below = _mm256_cmpeq_epi8(_mm256_or_si256(most, fourth), _mm256_setzero_si256());
            let outside = _mm256_or_si256(below, _mm256_cmpeq_epi8(lowest, above));
            let mut reaches = _mm256_cmpeq_epi32(outside, _mm256_setzero_si256());
            let names = match faces.first_chunk::<8>() {
                Some(names) => *names,
                None => {
                    let mut names = [0; 8];
                    names[..faces.len()].copy_from_slice(faces);
                    names
                }
            };
            if faces.len() < 8 {
                let there: [i32; 8] = std::array::from_fn(|lane| -i32::from(lane < faces.len()));
                // SAFETY: eight readable numbers.
                let there = unsafe { _mm256_loadu_si256(there.as_ptr().cast()) };
                reaches = _mm256_and_si256(reaches, there);
            }
            let set = _mm256_movemask_ps(_mm256_castsi256_ps(reaches)) as u8;
            if set == 0 {
                continue;
            }
            let low = _mm256_max_epu8(lowest, first);
            let high = _mm256_min_epu8(most, last);
            let outer = _mm256_xor_si256(reaches, ones);
            let greatest = _mm256_xor_si256(_mm256_and_si256(high, reaches), ones);
            let hull =
                [least(_mm256_or_si256(low, outer)) & 0x00ff_ffff, !least(greatest) & 0x00ff_ffff];
            // SAFETY: a register is eight u32.
            let (low, high) = unsafe {
                (
                    std::mem::transmute::<__m256i, [u32; 8]>(low),
                    std::mem::transmute::<__m256i, [u32; 8]>(high),
                )
            };
            out.push(Eight { hull, set, low, high, names });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_forms_find_the_faces_that_reach_in(
            points in prop::collection::vec(prop::array::uniform3(-1.0..8.0f64), 1..50),
            corners in prop::collection::vec(any::<[prop::sample::Index; 3]>(), 1..65),
            last in prop::array::uniform3(1u8..=7),
        ) {
            let lattice = Lattice { origin: [0.0; 3], scale: [1.0; 3], last };
            let vertices: Vec<u32> = (0..points.len() as u32).rev().collect();
            let mut places = vec![[[0; 8]; 3]; corners.len().div_ceil(8)];
            for (i, three) in corners.iter().enumerate() {
                for k in 0..3 {
                    places[i / 8][k][i % 8] = three[k].index(points.len()) as u8;
                }
            }
            let faces: Vec<u32> = (0..corners.len() as u32).map(|i| 7 * i).collect();
            let run = Run { vertices: &vertices, corners: &places, faces: &faces };
            let (mut wide, mut twin) = (Vec::new(), Vec::new());
            reach(&lattice, &points, &run, &mut wide);
            reach_scalar(&lattice, &points, &run, &mut twin);
            prop_assert_eq!(wide.len(), twin.len());
            for (wide, twin) in wide.iter().zip(&twin) {
                prop_assert_eq!((wide.hull, wide.set), (twin.hull, twin.set));
                for lane in (0..8).filter(|lane| wide.set >> lane & 1 == 1) {
                    let all =
                        |eight: &Eight| (eight.low[lane], eight.high[lane], eight.names[lane]);
                    prop_assert_eq!(all(wide), all(twin));
                    let ends = [wide.low[lane], wide.high[lane]].map(u32::to_le_bytes);
                    let hull = wide.hull.map(u32::to_le_bytes);
                    for k in 0..3 {
                        prop_assert!(1 <= ends[0][k] && ends[0][k] <= ends[1][k]);
                        prop_assert!(ends[1][k] <= last[k]);
                        prop_assert!(hull[0][k] <= ends[0][k] && ends[1][k] <= hull[1][k]);
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_vertex_that_is_not_there_is_not_read() {
        let lattice = Lattice { origin: [0.0; 3], scale: [1.0; 3], last: [4; 3] };
        let run = Run { vertices: &[0, 1, 2], corners: &[[[0; 8]; 3]], faces: &[0] };
        reach(&lattice, &[[0.0; 3]; 2], &run, &mut Vec::new());
    }
}
