//! The tree against lists of boxes.

use super::*;
use crate::aabb::overlap;
use proptest::prelude::*;
use std::collections::BTreeMap;

type Leaves = BTreeMap<u32, Aabb32>;

/// One change of a tree.
#[derive(Clone, Debug)]
enum Change {
    Set(u32, Aabb32),
    Remove(u32),
    Build,
    Refit,
}

/// Boxes of all sorts: on a small lattice (so that many touch and many are the same), of sizes from
/// 10⁻³ to 10³, far away, flat, infinite.
fn boxes() -> impl Strategy<Value = Aabb32> {
    let lattice = prop::array::uniform6(-3i8..4).prop_map(|x| x.map(f32::from));
    let sized = (prop::array::uniform3(-30.0..30.0f32), prop::array::uniform3(-3.0..3.0f32))
        .prop_map(|(at, size)| of(at, size.map(|s| 10f32.powf(s))));
    let far = (prop::array::uniform3(0u8..8), 0.0..2.0f32)
        .prop_map(|(at, size)| of(at.map(|x| 1e6 + f32::from(x)), [size; 3]));
    let flat =
        prop::array::uniform2(-9.0..9.0f32).prop_map(|[x, y]| of([x, y, 0.0], [1.0, 1.0, 0.0]));
    let open = (lattice.clone(), 0usize..6).prop_map(|(mut aabb, k)| {
        aabb[k] = f32::INFINITY;
        aabb[(k + 1) % 6] = f32::NEG_INFINITY;
        aabb
    });
    let tiny = prop::array::uniform6(0u32..99).prop_map(|x| x.map(f32::from_bits));
    prop_oneof![4 => lattice, 4 => sized, 2 => far, 2 => flat, 1 => open, 1 => tiny]
        .prop_map(ordered)
}

fn of(at: [f32; 3], size: [f32; 3]) -> Aabb32 {
    std::array::from_fn(|k| if k < 3 { at[k] } else { at[k - 3] + size[k - 3] })
}

fn ordered(mut aabb: Aabb32) -> Aabb32 {
    (0..3).for_each(|k| {
        if aabb[k] > aabb[k + 3] {
            aabb.swap(k, k + 3);
        }
    });
    aabb
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        30 => (0u32..200, boxes()).prop_map(|(leaf, aabb)| Change::Set(leaf, aabb)),
        12 => (0u32..200).prop_map(Change::Remove),
        1 => Just(Change::Build),
        1 => Just(Change::Refit),
    ];
    prop::collection::vec(change, 1..400)
}

fn apply(tree: &mut BoxTree, leaves: &mut Leaves, change: &Change) {
    match *change {
        Change::Set(leaf, aabb) => {
            leaves.insert(leaf, aabb);
            tree.set(leaf, &aabb);
        }
        Change::Remove(leaf) => assert_eq!(tree.remove(leaf), leaves.remove(&leaf).is_some()),
        Change::Build => {
            let names: Vec<u32> = leaves.keys().copied().collect();
            tree.build(&names, &|leaf| leaves[&leaf]);
        }
        Change::Refit => {
            leaves.values_mut().for_each(|aabb| aabb.rotate_left(1));
            leaves.values_mut().for_each(|aabb| *aabb = ordered(*aabb));
            tree.refit(|leaf| leaves[&leaf]);
        }
    }
}

/// Every box of a node is exactly around what is below it, every link has its counterpart, nothing is
/// lost and depth stays small.
fn validate(tree: &BoxTree, leaves: &Leaves) {
    let mut found = 0;
    let mut stack = vec![(tree.root, 1)];
    while let Some((node, depth)) = stack.pop() {
        if node == NONE {
            continue;
        }
        assert!(depth <= 12 && tree.used[node as usize] != 0);
        for lane in 0..8 {
            let aabb = lane_box(&tree.boxes[node as usize], lane);
            let (place, child) = (8 * node + lane as u32, tree.children[node as usize][lane]);
            if tree.used[node as usize] >> lane & 1 == 0 {
                assert!(aabb.iter().all(|x| x.is_nan()));
            } else if child & NODE == 0 {
                found += 1;
                assert_eq!((aabb, tree.places[child as usize]), (leaves[&child], place));
            } else {
                let child = child & !NODE;
                assert_eq!(tree.parents[child as usize], place);
                assert_eq!(aabb, union(&tree.boxes[child as usize]));
                stack.push((child, depth + 1));
            }
        }
    }
    assert_eq!((found, tree.len()), (leaves.len(), leaves.len()));
}

fn all_pairs(tree: &BoxTree) -> Vec<[u32; 2]> {
    let (mut tasks, mut descent, mut pairs) =
        (PairTasks::default(), Descent::default(), Vec::new());
    tree.pair_tasks(&mut tasks);
    for task in 0..tasks.len() {
        descent.start(&tasks, task);
        while descent.go_on(tree, &mut pairs) {}
    }
    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    pairs.sort_unstable();
    pairs
}

fn expected_pairs(leaves: &Leaves) -> Vec<[u32; 2]> {
    let above = |a: u32| leaves.range(a + 1..);
    let pairs = leaves.iter().flat_map(|(&a, x)| above(a).map(move |(&b, y)| (a, x, b, y)));
    pairs.filter(|(_, x, _, y)| overlap(x, y)).map(|(a, _, b, _)| [a, b]).collect()
}

fn overlapping(tree: &BoxTree, aabb: &Aabb32) -> Vec<u32> {
    let mut found = Vec::new();
    tree.overlapping(aabb, &mut Vec::new(), &mut found);
    found.sort_unstable();
    found
}

/// The distance of a point from a box, with very little error.
fn gap(aabb: &Aabb32, point: &[f64; 3]) -> f64 {
    let axis =
        |k: usize| (f64::from(aabb[k]) - point[k]).max(point[k] - f64::from(aabb[k + 3])).max(0.0);
    axis(0).hypot(axis(1)).hypot(axis(2))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn changes_and_queries_agree_with_a_list(
        changes in changes(),
        asked in prop::collection::vec(boxes(), 8),
    ) {
        let (mut tree, mut leaves) = (BoxTree::default(), Leaves::new());
        for (i, change) in changes.iter().enumerate() {
            apply(&mut tree, &mut leaves, change);
            if i % 16 == 0 {
                validate(&tree, &leaves);
            }
        }
        validate(&tree, &leaves);
        prop_assert_eq!(all_pairs(&tree), expected_pairs(&leaves));
        for aabb in &asked {
            let expected: Vec<u32> = leaves.iter()
                .filter(|(_, leaf)| overlap(leaf, aabb)).map(|(&leaf, _)| leaf).collect();
            prop_assert_eq!(overlapping(&tree, aabb), expected);
        }
    }

    #[test]
    fn what_is_near_a_point_is_found_and_little_else(
        leaves in prop::collection::vec(boxes(), 1..200),
        point in prop::array::uniform3(prop_oneof![-40.0..40.0f64, Just(0.0), Just(1e6)]),
        reach in prop_oneof![0.0..10.0f64, Just(0.0), Just(1.0), Just(1e7)],
    ) {
        let mut tree = BoxTree::default();
        let names: Vec<u32> = (0..leaves.len() as u32).collect();
        tree.build(&names, &|leaf| leaves[leaf as usize]);
        let mut found = Vec::new();
        tree.near(&point, reach, &mut found);
        for leaf in names {
            let gap = gap(&leaves[leaf as usize], &point);
            let is_found = found.contains(&leaf);
            prop_assert!(is_found || gap > reach, "{leaf} at {gap} is missing");
            prop_assert!(!is_found || gap <= reach * (1.0 + 1e-14), "{leaf} at {gap} is too far");
        }
    }

    /// Rays are aimed at a point of a box, whose parameter is known up to rounding.
    #[test]
    fn what_a_ray_meets_is_found_before_it_is_met(
        leaves in prop::collection::vec(boxes(), 1..200),
        aims in prop::collection::vec((prop::array::uniform3(-40.0..40.0f64),
            prop::array::uniform3(0.0..=1.0f64), any::<prop::sample::Index>(), 0.25..4.0f64), 16),
    ) {
        let mut tree = BoxTree::default();
        let names: Vec<u32> = (0..leaves.len() as u32).collect();
        tree.build(&names, &|leaf| leaves[leaf as usize]);
        for (origin, share, target, speed) in aims {
            let target = target.index(leaves.len()) as u32;
            let aabb = leaves[target as usize].map(|x| f64::from(x.clamp(-1e9, 1e9)));
            let aim = |k: usize| aabb[k] + share[k] * (aabb[k + 3] - aabb[k]);
            let inside = (0..3).all(|k| aabb[k + 3] - aabb[k] > 1e-6 * aabb[k].abs());
            let direction = std::array::from_fn(|k| (aim(k) - origin[k]) * speed);
            let ray = Ray { origin, direction, range: [0.0, 1.0 / speed * (1.0 + 1e-14)] };
            let mut found = Vec::new();
            tree.along(&ray, &mut found);
            let met = found.iter().find(|(_, leaf)| *leaf == target);
            // A flat box may be missed by the rounding of the direction alone.
            prop_assert!(met.is_some() || !inside, "{target} is missing");
            prop_assert!(met.is_none_or(|(t, _)| *t <= ray.range[1]));
            for (t, leaf) in found {
                // Where it enters it is in the box, as nearly as can be expected.
                let at: [f64; 3] = std::array::from_fn(|k| origin[k] + t * direction[k]);
                let scale = at.iter().chain(&origin).fold(0.0f64, |m, x| m.max(x.abs()));
                prop_assert!(gap(&leaves[leaf as usize], &at) <= 1e-12 * scale, "{leaf}");
            }
        }
    }
}

#[test]
fn rays_along_faces_and_without_length_are_found() {
    let mut tree = BoxTree::default();
    tree.set(3, &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let met = |origin: [f64; 3], direction: [f64; 3], range: [f64; 2]| {
        let mut found = Vec::new();
        tree.along(&Ray { origin, direction, range }, &mut found);
        found.first().map(|(t, _)| *t)
    };
    let all = [0.0, f64::INFINITY];
    let enter = met([-2.0, 1.0, 1.0], [2.0, 0.0, 0.0], all).expect("it runs along an edge");
    assert!(enter <= 1.0 && enter > 1.0 - 1e-12);
    assert_eq!(met([-2.0, 1.0, 1.0 + 1e-15], [2.0, 0.0, 0.0], all), None);
    assert_eq!(met([0.5; 3], [0.0; 3], all), Some(0.0));
    assert_eq!(met([1.5; 3], [0.0; 3], all), None);
    assert_eq!(met([1.5; 3], [1.0; 3], all), None);
    assert!(met([-1e-300; 3], [5e-324; 3], all).is_some());
    assert!(met([-1e300; 3], [1e300; 3], all).is_some());
    assert!(met([2.0; 3], [-1.0; 3], [0.0, 1.0]).is_some());
    assert_eq!(met([2.0; 3], [-1.0; 3], [0.0, 0.9]), None);
}

#[test]
fn equal_boxes_do_not_make_a_deep_tree() {
    let (mut tree, mut leaves) = (BoxTree::default(), Leaves::new());
    for leaf in 0..5000 {
        apply(&mut tree, &mut leaves, &Change::Set(leaf, [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]));
    }
    validate(&tree, &leaves);
    assert_eq!(overlapping(&tree, &[2.0; 6]).len(), 5000);
    apply(&mut tree, &mut leaves, &Change::Build);
    validate(&tree, &leaves);
    assert_eq!(all_pairs(&tree).len(), 5000 * 4999 / 2);
    for leaf in 0..5000 {
        apply(&mut tree, &mut leaves, &Change::Remove(leaf));
    }
    validate(&tree, &leaves);
}

/// One box far away, and positions on a line at distances that halve: both put nearly all boxes into
/// one cell of a grid around all.
#[test]
fn outliers_do_not_spoil_the_order() {
    let mut leaves = Vec::new();
    for i in 0..20_000u32 {
        let at = [i % 27, i / 27 % 27, i / 729].map(|x| 2.0 * x as f32);
        leaves.push(of(at, [1.0; 3]));
    }
    for i in 0..120 {
        let x = 1e30 * 0.5f32.powi(i);
        leaves.push(of([-x, 0.0, 0.0], [1.0; 3]));
    }
    let names: Vec<u32> = (0..leaves.len() as u32).collect();
    let mut tree = BoxTree::default();
    tree.build(&names, &|leaf| leaves[leaf as usize]);
    let (mut looks, mut stack, mut found) = (0, Vec::new(), Vec::new());
    for aabb in &leaves[..20_000] {
        looks += tree.overlapping(aabb, &mut stack, &mut found);
    }
    assert!(found.len() >= 20_000 && looks < 20 * 20_000, "{looks} looks");
}

#[test]
fn the_same_tree_and_tasks_for_any_number_of_threads() {
    let mut seed = 1u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / (1 << 24) as f32
    };
    let leaves: Vec<Aabb32> = (0..30_000)
        .map(|_| of([random(), random(), random()], [0.02 * random().powi(8) + 1e-4; 3]))
        .collect();
    let names: Vec<u32> = (0..leaves.len() as u32).collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut tree = BoxTree::default();
        pool.install(|| tree.build(&names, &|leaf| leaves[leaf as usize]));
        let mut tasks = PairTasks::default();
        tree.pair_tasks(&mut tasks);
        (tree.children, tree.places, format!("{tasks:?}"))
    };
    let one = run(1);
    assert!(one.2.len() > 4096 && run(2) == one && run(7) == one);
}
