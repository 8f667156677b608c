//! The order of the triangles in the leaves: halved along the longest side, in full subtrees.

use impinge_simd::halve::{COUNT_MAX, halve};

/// A triangle on its way into the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// The middle of its corners' box, in tree units and moved by two, so that nothing is negative:
    /// then the bits of a coordinate sort as it does.
    pub(super) center: [f32; 3],
    /// Its number in the mesh.
    pub(super) id: u32,
}

/// So many items are worth a task of their own.
const TASK: usize = 8192;

/// The largest power of eight below `count`, which is at least 2: what the children of a node hold,
/// but for the last. With it all nodes are full but those along one edge of the tree.
pub(super) fn share(count: usize) -> usize {
    let mut share = 1;
    while share * 8 < count {
        share *= 8;
    }
    share
}

/// Sorts items so that every aligned run that [`share`] leads to is compact. The depth of the
/// recursion is the logarithm of their number.
pub(super) fn arrange(items: &mut [Item]) {
    if items.len() <= 8 {
        return;
    }
    let share = share(items.len());
    let middle = items.len().div_ceil(share) / 2 * share;
    if items.len() <= COUNT_MAX {
        halve_few(items, middle);
    } else {
        halve_many(items, middle);
    }
    let (left, right) = items.split_at_mut(middle);
    if left.len() + right.len() >= TASK {
        rayon::join(|| arrange(left), || arrange(right));
    } else {
        arrange(left);
        arrange(right);
    }
}

/// Brings the items with the lesser centres to the front, along the axis on which that leaves the
/// least surface around the halves. For more items the choice makes no difference.
fn halve_few(items: &mut [Item], middle: usize) {
    let count = items.len();
    let mut old = [Item { center: [0.0; 3], id: 0 }; COUNT_MAX];
    let mut columns = [[0.0; COUNT_MAX]; 3];
    for (i, item) in items.iter().enumerate() {
        old[i] = *item;
        for (column, x) in columns.iter_mut().zip(item.center) {
            column[i] = x;
        }
    }
    let first = halve(&columns, count, middle);
    // Where the next one goes that comes first, and the next of the others.
    let mut next = [0, middle];
    for (i, item) in old[..count].iter().enumerate() {
        let half = usize::from(first >> i & 1 == 0);
        items[next[half]] = *item;
        next[half] += 1;
    }
}

/// The same along the longest side.
fn halve_many(items: &mut [Item], middle: usize) {
    let axis = longest_side(items);
    items.select_nth_unstable_by_key(middle, |item| {
        u64::from(item.center[axis].to_bits()) << 32 | u64::from(item.id)
    });
}

/// Of the box around the centres.
fn longest_side(items: &[Item]) -> usize {
    let (mut low, mut high) = (items[0].center, items[0].center);
    for item in items {
        for k in 0..3 {
            // Not `f32::min`, which takes more instructions to care for NaN.
            let x = item.center[k];
            low[k] = if x < low[k] { x } else { low[k] };
            high[k] = if x > high[k] { x } else { high[k] };
        }
    }
    let sides = [high[0] - low[0], high[1] - low[1], high[2] - low[2]];
    let longer = |a: usize, b: usize| if sides[b] > sides[a] { b } else { a };
    longer(longer(0, 1), 2)
}
