//! Sorting by an f32 in three passes over eleven bits each, from the lowest: O(n), stable.
//!
//! What is sorted are u64 items, the number in the upper half and whatever belongs to it in the
//! lower one. Not parallel: in the pruners that use it, sorting is the smaller part.

const BITS: u32 = 11;
const BINS: usize = 1 << BITS;
const PASSES: usize = 3;

/// Below this many items clearing the counters takes longer than comparing.
const RADIX_FROM: usize = 512;

/// Unsigned numbers in the order of the f32 numbers they stand for; both zeros are the same.
#[inline]
pub(super) fn key(x: f32) -> u32 {
    // Adding zero turns -0 into +0 and changes nothing else.
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

/// An item: sorted by `x`, then by `name`.
#[inline]
pub(super) fn item(x: f32, name: u32) -> u64 {
    u64::from(key(x)) << 32 | u64::from(name)
}

/// Sorts `items` by value, of which those with equal upper halves must already be in order.
/// `spare` is room to work in.
pub(super) fn sort(items: &mut Vec<u64>, spare: &mut Vec<u64>) {
    if items.len() < RADIX_FROM {
        items.sort_unstable();
        return;
    }
    let mut counts = [[0u32; BINS]; PASSES];
    for item in &*items {
        for (pass, counts) in counts.iter_mut().enumerate() {
            counts[digit(*item, pass)] += 1;
        }
    }
    spare.resize(items.len(), 0);
    for (pass, counts) in counts.iter_mut().enumerate() {
        let all_alike = counts[digit(items[0], pass)] as usize == items.len();
        if all_alike {
            continue;
        }
        let mut start = 0;
        for count in counts.iter_mut() {
            start += std::mem::replace(count, start);
        }
        for item in &*items {
            let next = &mut counts[digit(*item, pass)];
            spare[*next as usize] = *item;
            *next += 1;
        }
        std::mem::swap(items, spare);
    }
}

#[inline]
fn digit(item: u64, pass: usize) -> usize {
    (item >> (32 + BITS * pass as u32)) as usize % BINS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f32> {
        prop_oneof![
            proptest::num::f32::ANY.prop_filter("no number", |x| !x.is_nan()),
            (-3i8..4).prop_map(f32::from),
            Just(-0.0),
            Just(f32::INFINITY),
            Just(f32::NEG_INFINITY),
        ]
    }

    proptest! {
        #[test]
        fn keys_are_in_the_order_of_the_numbers(a in number(), b in number()) {
            prop_assert_eq!(a.partial_cmp(&b), Some(key(a).cmp(&key(b))));
        }

        #[test]
        fn items_are_sorted_whatever_their_number(
            numbers in prop::collection::vec(number(), 0..3 * RADIX_FROM), alike in any::<bool>(),
        ) {
            let value = |x: f32| if alike { 7.0 } else { x };
            let named = numbers.iter().zip(0..);
            let mut items: Vec<u64> = named.map(|(&x, name)| item(value(x), name)).collect();
            let mut expected = items.clone();
            expected.sort();
            sort(&mut items, &mut vec![3; 5]);
            prop_assert_eq!(items, expected);
        }
    }
}
