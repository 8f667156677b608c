//! One box against many that stand in the order of their lower ends along an axis: the inner loop of a
//! sweep over two lists.

use crate::lanes32::{Lanes8, Scalar8};

/// So many places behind the last box are read; what stands there overlaps nothing.
pub const PAD: usize = 8;

/// Boxes in the order of their lower ends along the first axis, coordinate by coordinate. Behind the
/// last stand [`PAD`] more whose numbers are NaN.
#[derive(Clone, Debug, Default)]
pub struct Ordered {
    /// Lower ends along the three axes, the first being that of the order.
    pub low: [Vec<f32>; 3],
    /// Upper ends along the second and third axis.
    pub high: [Vec<f32>; 2],
}

impl Ordered {
    /// How many boxes there are.
    pub fn len(&self) -> usize {
        self.low[0].len().saturating_sub(PAD)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What is looked for in a list.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Lower ends.
    pub low: [f32; 3],
    /// Upper ends.
    pub high: [f32; 3],
    /// Only boxes that begin there or later along the second and third axis count.
    pub begin: [f32; 2],
}

/// The boxes from place `from` on that begin along the first axis before the probe ends there, and
/// overlap it along the others: their places, in order, to the front of `hits`, and how many they are.
/// Also tells how many were looked at.
#[inline]
pub fn scan(ordered: &Ordered, from: usize, probe: &Probe, hits: &mut Vec<u32>) -> [usize; 2] {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::scan(proof, ordered, from, (probe, hits));
    }
    run::<Scalar8>(ordered, from, (probe, hits))
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn scan(
        _: Avx2,
        ordered: &Ordered,
        from: usize,
        rest: (&Probe, &mut Vec<u32>),
    ) -> [usize; 2] {
        #[target_feature(enable = "avx2,fma,popcnt")]
        fn compiled(ordered: &Ordered, from: usize, rest: (&Probe, &mut Vec<u32>)) -> [usize; 2] {
            super::run::<Avx8>(ordered, from, rest)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(ordered, from, rest) }
    }
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

#[inline(always)]
fn eight<L: Lanes8>(all: &[f32], at: usize) -> L {
    L::load(all[at..at + 8].first_chunk().expect("eight"))
}

#[inline(always)]
fn run<L: Lanes8>(
    ordered: &Ordered,
    from: usize,
    (probe, hits): (&Probe, &mut Vec<u32>),
) -> [usize; 2] {
    let end = ordered.len();
    let padded = end + PAD;
    if end == 0 {
        return [0, 0];
    }
    let [low_x, low_y, low_z] =
        [&ordered.low[0][..padded], &ordered.low[1][..padded], &ordered.low[2][..padded]];
    let [high_y, high_z] = [&ordered.high[0][..padded], &ordered.high[1][..padded]];
    let until = L::splat(probe.high[0]);
    let (y, z) = (L::splat(probe.low[1]), L::splat(probe.low[2]));
    let (to_y, to_z) = (L::splat(probe.high[1]), L::splat(probe.high[2]));
    let (from_y, from_z) = (L::splat(probe.begin[0]), L::splat(probe.begin[1]));
    let (mut at, mut count) = (from, 0);
    while at < end {
        if hits.len() < count + 8 {
            hits.resize(2 * count + 512, 0);
        }
        let begun = eight::<L>(low_x, at).le_mask(until);
        let (other_y, other_z) = (eight::<L>(low_y, at), eight::<L>(low_z, at));
        let over_y = L::and(other_y.le_mask(to_y), y.le_mask(eight(high_y, at)));
        let over_z = L::and(other_z.le_mask(to_z), z.le_mask(eight(high_z, at)));
        let owned = L::and(from_y.le_mask(other_y), from_z.le_mask(other_z));
        let all = L::and(L::and(begun, owned), L::and(over_y, over_z));
        let bits = L::bits(all);
        let lanes = &LANES[bits as usize];
        let out = &mut hits[count..count + 8];
        for k in 0..8 {
            out[k] = at as u32 + u32::from(lanes[k]);
        }
        count += bits.count_ones() as usize;
        at += 8;
        // In order: after one that begins too late all do.
        if L::bits(begun) != 0xff {
            break;
        }
    }
    [count, at.min(end).saturating_sub(from)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Ends = ([i8; 3], [i8; 3]);

    fn ordered(boxes: &mut [Ends]) -> Ordered {
        boxes.sort_by_key(|(low, _)| low[0]);
        let column = |f: &dyn Fn(&Ends) -> i8| -> Vec<f32> {
            boxes.iter().map(|ends| f32::from(f(ends))).chain([f32::NAN; PAD]).collect()
        };
        Ordered {
            low: [0, 1, 2].map(|k| column(&|(low, _)| low[k])),
            high: [1, 2].map(|k| column(&|(low, size)| low[k] + size[k])),
        }
    }

    proptest! {
        #[test]
        fn both_forms_agree_with_the_definition(
            mut boxes in prop::collection::vec(
                (prop::array::uniform3(-9i8..9), prop::array::uniform3(0i8..5)), 0..40,
            ),
            low in prop::array::uniform3(-9i8..9), size in prop::array::uniform3(0i8..9),
            begin in prop::array::uniform2(-9i8..9), from in 0usize..40,
        ) {
            let list = ordered(&mut boxes);
            let real = |x: [i8; 3]| x.map(f32::from);
            let high = [0, 1, 2].map(|k| low[k] + size[k]);
            let probe = Probe { low: real(low), high: real(high), begin: begin.map(f32::from) };
            let expected: Vec<u32> = (0..boxes.len()).skip(from).filter(|&i| {
                let (l, s) = boxes[i];
                l[0] <= high[0]
                    && (1..3).all(|k| l[k] <= high[k] && low[k] <= l[k] + s[k])
                    && (1..3).all(|k| l[k] >= begin[k - 1])
            }).map(|i| i as u32).collect();
            let (mut hits, mut plain) = (vec![], vec![]);
            let [count, looks] = scan(&list, from, &probe, &mut hits);
            prop_assert_eq!(&hits[..count], &expected[..]);
            prop_assert!(looks <= boxes.len());
            let again = run::<Scalar8>(&list, from, (&probe, &mut plain));
            prop_assert_eq!(again, [count, looks]);
            prop_assert_eq!(&plain[..count], &expected[..]);
        }
    }
}
