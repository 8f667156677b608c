//! The order of the points of a shell.
//!
//! [V00 §5] has none; that of Morton's numbers is what comes to mind. But a run of points in it may jump to
//! the other side of a cube, so that a third of the clusters do not fit into the window that they are looked
//! up in (`impinge_simd::shell`). Halving along the longest side gives compact and full ones.

use super::shell::{CLUSTER, STEPS, ends};

/// A point in steps.
type Steps = [i32; 3];

/// Clusters that are not wider than this in any direction, in steps, lie within eight voxels of a map that is
/// √2 coarser, but for few of those that lie along a diagonal of it.
const WIDTH_MAX: i64 = STEPS as i64 * 23 / 2;

/// Fewer points than this are put in order by one thread.
const ALONE: usize = 1 << 14;

/// Puts points in order, and tells where clusters end.
pub(super) fn clusters(points: &mut [Steps]) -> Vec<usize> {
    put_in_order(points);
    let mut ends = Vec::with_capacity(points.len() / CLUSTER + 1);
    let mut start = 0;
    for cluster in points.chunks_mut(CLUSTER) {
        let mut parts = vec![cluster];
        while let Some(part) = parts.pop() {
            if is_wide(part) {
                let (low, high) = halve(part, part.len() / 2);
                parts.extend([high, low]);
            } else {
                start += part.len();
                ends.push(start);
            }
        }
    }
    ends
}

/// Halves of halves, down to clusters. Each half but the last is of 64 times a power of two, so that the
/// clusters of a ball, and the balls of a ball, are halves too. No deeper than the logarithm of the number.
fn put_in_order(points: &mut [Steps]) {
    if points.len() <= CLUSTER {
        return;
    }
    let clusters = points.len().div_ceil(CLUSTER);
    let alone = points.len() < ALONE;
    let (low, high) = halve(points, clusters.next_power_of_two() / 2 * CLUSTER);
    if alone {
        put_in_order(low);
        put_in_order(high);
    } else {
        rayon::join(|| put_in_order(low), || put_in_order(high));
    }
}

/// The `count` lowest points along the longest side, and the others.
fn halve(points: &mut [Steps], count: usize) -> (&mut [Steps], &mut [Steps]) {
    let [low, high] = ends(points);
    let axis = (0..3).max_by_key(|&k| high[k] - low[k]).unwrap_or(0);
    let key = |point: &Steps| (point[axis], *point);
    points.select_nth_unstable_by_key(count, key);
    points.split_at_mut(count)
}

/// Whether two points may be farther apart than a window is wide.
fn is_wide(points: &[Steps]) -> bool {
    let [low, high] = ends(points);
    let middle: Steps = std::array::from_fn(|k| low[k] + (high[k] - low[k]) / 2);
    let square = |p: &Steps| (0..3).map(|k| i64::from(p[k] - middle[k]).pow(2)).sum::<i64>();
    4 * points.iter().map(square).max().unwrap_or(0) > WIDTH_MAX * WIDTH_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_full_and_compact() {
        // A plane that is dense, and a few points far from each other.
        let mut points: Vec<Steps> = (0..128 * 128).map(|i| [i % 128, i / 128, 0]).collect();
        points.iter_mut().flatten().for_each(|x| *x *= STEPS);
        points.extend((0..50).map(|i| [i * 1000, 7 * i * i, -5000]));
        let mut known = points.clone();
        let ends = clusters(&mut points);
        let start = |i: usize| if i == 0 { 0 } else { ends[i - 1] };
        let full = (0..ends.len()).filter(|&i| ends[i] - start(i) == CLUSTER).count();
        assert!(full > 100, "{full}");
        for (i, &end) in ends.iter().enumerate() {
            assert!(end > start(i) && end - start(i) <= CLUSTER);
            assert!(!is_wide(&points[start(i)..end]));
        }
        assert_eq!(ends.last(), Some(&points.len()));
        points.sort_unstable();
        known.sort_unstable();
        assert_eq!(points, known);
    }
}
