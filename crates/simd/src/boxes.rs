//! One box against many, four f64 boxes at a time: the cheap look before a triangle test.

use crate::lanes::{Lanes4, Scalar4};

/// Four boxes, column by column: min x y z, then max x y z.
pub type Boxes4 = [[f64; 4]; 6];

/// For each block of boxes, which of its four share a point with the closed box `a` (same layout).
///
/// `out` is cleared and gets one byte per block, lane `k` as bit `k`.
pub fn overlaps(a: &[f64; 6], blocks: &[Boxes4], out: &mut Vec<u8>) {
    out.clear();
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        unsafe {
            overlaps_avx2(a, blocks, out);
        }
        return;
    }
    run::<Scalar4>(a, blocks, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn overlaps_avx2(a: &[f64; 6], blocks: &[Boxes4], out: &mut Vec<u8>) {
    run::<crate::lanes::avx::Avx4>(a, blocks, out);
}

// A plain loop: what goes through an iterator adaptor would be compiled without AVX2.
#[inline(always)]
fn run<L: Lanes4>(a: &[f64; 6], blocks: &[Boxes4], out: &mut Vec<u8>) {
    out.resize(blocks.len(), 0);
    for (bits, block) in out.iter_mut().zip(blocks) {
        *bits = kernel::<L>(a, block);
    }
}

#[inline(always)]
fn kernel<L: Lanes4>(a: &[f64; 6], block: &Boxes4) -> u8 {
    let mut all = L::splat(a[0]).le(L::load(&block[3]));
    for k in 0..3 {
        all = L::and(all, L::load(&block[k]).le(L::splat(a[k + 3])));
        if k > 0 {
            all = L::and(all, L::splat(a[k]).le(L::load(&block[k + 3])));
        }
    }
    L::bits(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_forms_agree_with_the_definition(
            a in prop::array::uniform6(-2i8..3),
            b in prop::collection::vec(prop::array::uniform6(prop::array::uniform4(-2i8..3)), 0..4),
        ) {
            let a = a.map(f64::from);
            let real = |block: &[[i8; 4]; 6]| block.map(|lane| lane.map(f64::from));
            let blocks: Vec<Boxes4> = b.iter().map(real).collect();
            let expected: Vec<u8> = blocks.iter().map(|block| (0..4).fold(0, |bits, k| {
                let overlap = (0..3).all(|d| a[d] <= block[d + 3][k] && block[d][k] <= a[d + 3]);
                bits | (u8::from(overlap) << k)
            })).collect();
            let mut out = vec![7];
            overlaps(&a, &blocks, &mut out);
            prop_assert_eq!(&out, &expected);
            out.clear();
            run::<Scalar4>(&a, &blocks, &mut out);
            prop_assert_eq!(&out, &expected);
        }
    }
}
