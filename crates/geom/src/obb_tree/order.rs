//! The order of the triangles in the leaves: halved along the longest side, in full subtrees.

/// A triangle on its way into the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// The middle of its corners' box, in tree units.
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
    let shares = items.len().div_ceil(share);
    let middle = shares / 2 * share;
    let axis = longest_side(items);
    let key = |item: &Item| item.center[axis];
    items.select_nth_unstable_by(middle, |a, b| {
        key(a).total_cmp(&key(b)).then_with(|| a.id.cmp(&b.id))
    });
    let (left, right) = items.split_at_mut(middle);
    if left.len() + right.len() >= TASK {
        rayon::join(|| arrange(left), || arrange(right));
    } else {
        arrange(left);
        arrange(right);
    }
}

fn longest_side(items: &[Item]) -> usize {
    let (mut low, mut high) = (items[0].center, items[0].center);
    for item in items {
        for k in 0..3 {
            low[k] = low[k].min(item.center[k]);
            high[k] = high[k].max(item.center[k]);
        }
    }
    let side = |k: usize| high[k] - low[k];
    let longer = |a: usize, b: usize| if side(b) > side(a) { b } else { a };
    longer(longer(0, 1), 2)
}
