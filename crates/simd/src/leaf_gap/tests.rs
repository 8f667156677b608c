//! Both forms agree bit for bit on any numbers. Whether they are right is tested where proven
//! distances are at hand, in the crate above.

use super::*;
use crate::leaf::tests::{alike, any_leaves, numbers};
use proptest::prelude::*;

/// All numbers of an answer.
fn flat(of: &Gaps) -> Vec<f32> {
    let bounds = [of.lower, of.upper];
    let bounds = bounds.as_flattened().as_flattened().iter().copied();
    bounds.chain(of.way).chain([of.least]).collect()
}

#[cfg(target_arch = "x86_64")]
proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn both_forms_agree_bit_for_bit(
        leaves in any_leaves(),
        most in prop_oneof![Just(f32::INFINITY), 0.0..2.0f32, numbers()],
        along in prop::array::uniform3(numbers()),
    ) {
        let Some(proof) = crate::lanes32::Avx2::detect() else { return Ok(()) };
        let limits = Limits { most, along };
        let leaves = leaves.leaves();
        let (scalar, avx) =
            (measure::<Scalar8>(&leaves, &limits), x86::gaps(proof, &leaves, &limits));
        prop_assert_eq!(
            (scalar.rows, scalar.lanes, scalar.tested),
            (avx.rows, avx.lanes, avx.tested)
        );
        prop_assert!(flat(&scalar).iter().zip(flat(&avx)).all(|(&s, x)| alike(s, x)));
        let parts = [part::<Scalar8>(&leaves, along), x86::gap_along(proof, &leaves, along)];
        prop_assert!(alike(parts[0], parts[1]));
    }

    /// The least upper bound is one of those told, and rows and lanes tell the same.
    #[test]
    fn what_is_told_of_a_leaf_fits_together(
        leaves in any_leaves(),
        most in prop_oneof![Just(f32::INFINITY), 0.0..2.0f32],
    ) {
        let found = gaps(&leaves.leaves(), &Limits { most, along: [0.0; 3] });
        let mut least = f32::INFINITY;
        for row in 0..8 {
            prop_assert_eq!(found.rows >> row & 1 == 1, found.lanes[row] != 0);
            for lane in (0..8).filter(|lane| found.lanes[row] >> lane & 1 == 1) {
                prop_assert!(found.lower[row][lane] <= most);
                least = least.min(found.upper[row][lane]);
            }
        }
        prop_assert_eq!(found.least.to_bits(), least.to_bits());
    }
}
