//! The order of the triangles in the leaves: halved along the longest side, in full subtrees.

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
    let axis = best_axis(items, middle);
    halve(items, middle, axis);
    let (left, right) = items.split_at_mut(middle);
    if left.len() + right.len() >= TASK {
        rayon::join(|| arrange(left), || arrange(right));
    } else {
        arrange(left);
        arrange(right);
    }
}

/// Up to so many items the axis is chosen by what comes of it; above, that makes no difference.
const TRIED_MAX: usize = 64;

/// The axis along which the items are halved best: that of the least surface around the halves.
fn best_axis(items: &mut [Item], middle: usize) -> usize {
    if items.len() > TRIED_MAX {
        return longest_side(items);
    }
    let cost = |items: &mut [Item], axis: usize| {
        halve(items, middle, axis);
        let (left, right) = items.split_at(middle);
        surface(left) * left.len() as f32 + surface(right) * right.len() as f32
    };
    let costs: [f32; 3] = std::array::from_fn(|axis| cost(items, axis));
    let cheaper = |a: usize, b: usize| if costs[b] < costs[a] { b } else { a };
    cheaper(cheaper(0, 1), 2)
}

/// Brings the items with the lesser centres to the front.
fn halve(items: &mut [Item], middle: usize, axis: usize) {
    items.select_nth_unstable_by_key(middle, |item| {
        u64::from(item.center[axis].to_bits()) << 32 | u64::from(item.id)
    });
}

/// Of the box around the centres.
fn surface(items: &[Item]) -> f32 {
    let [x, y, z] = sides(items);
    x * y + y * z + z * x
}

fn sides(items: &[Item]) -> [f32; 3] {
    let (mut low, mut high) = (items[0].center, items[0].center);
    for item in items {
        for k in 0..3 {
            low[k] = low[k].min(item.center[k]);
            high[k] = high[k].max(item.center[k]);
        }
    }
    [high[0] - low[0], high[1] - low[1], high[2] - low[2]]
}

fn longest_side(items: &[Item]) -> usize {
    let sides = sides(items);
    let longer = |a: usize, b: usize| if sides[b] > sides[a] { b } else { a };
    longer(longer(0, 1), 2)
}
