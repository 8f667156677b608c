//! The grid against brute force, in worlds that are unkind to grids.

use super::*;
use crate::broad::brute::Brute;
use crate::contract::ids::Slot;
use proptest::prelude::*;

fn table(aabb: Vec<Aabb32>) -> Bounds {
    let live = (0..aabb.len() as u32).map(Slot).collect();
    Bounds { live, aabb, ..Bounds::default() }
}

fn pruned(pruner: &mut dyn Pruner, bounds: &Bounds, limit: usize) -> (Vec<Pair>, Progress) {
    let mut pairs = Vec::new();
    let progress = pruner.prune(bounds, &mut Sink::over(&mut pairs, limit));
    (pairs, progress)
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// A generator of numbers that needs no crate: SplitMix64.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z >> 11) as f64 / (1u64 << 53) as f64
    }

    fn power(&mut self, from: f64, to: f64) -> f64 {
        10f64.powf(from + (to - from) * self.unit())
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Lattice,
    Sizes,
    Same,
    Flat,
    Far,
    Infinite,
    AllInfinite,
    Huge,
    Clusters,
    Outliers,
    Plates,
    Needles,
    Steps,
    Points,
    Sparse,
}

const KINDS: [Kind; 15] = [
    Kind::Lattice,
    Kind::Sizes,
    Kind::Same,
    Kind::Flat,
    Kind::Far,
    Kind::Infinite,
    Kind::AllInfinite,
    Kind::Huge,
    Kind::Clusters,
    Kind::Outliers,
    Kind::Plates,
    Kind::Needles,
    Kind::Steps,
    Kind::Points,
    Kind::Sparse,
];

impl Kind {
    /// One box out of `n`.
    fn aabb(self, n: usize, i: usize, random: &mut Random) -> Aabb32 {
        let side = 3.4 * (n as f64).cbrt();
        let mut low = [0; 3].map(|_| side * random.unit());
        let mut size = [1.0; 3];
        match self {
            Kind::Lattice => {
                low = low.map(|x| (0.3 * x).floor());
                size = size.map(|_| (3.0 * random.unit()).floor());
            }
            Kind::Sizes => size = [random.power(-3.0, 3.0); 3],
            Kind::Same => low = [0.3; 3],
            Kind::Flat => low[n % 3] = 7.0,
            Kind::Far => {
                low = low.map(|x| 1e6 + 0.3 * x);
                size = [1e-3; 3];
            }
            Kind::Infinite if i.is_multiple_of(10) => {
                low[i / 10 % 3] = f64::NEG_INFINITY;
                size = size.map(|x| if random.unit() < 0.5 { x } else { f64::INFINITY });
            }
            Kind::AllInfinite => {
                return [[f32::NEG_INFINITY; 3], [f32::INFINITY; 3]].concat().try_into().unwrap();
            }
            Kind::Huge if i == n / 2 => {
                low = [-5e5; 3];
                size = [1e6; 3];
            }
            Kind::Clusters if !i.is_multiple_of(10) => {
                low = low.map(|x| 0.2 * x + 10.0 * (i % 2) as f64);
            }
            Kind::Outliers => {
                let reach = 30.0 * random.unit() * random.unit();
                low = low.map(|x| x * random.power(0.0, reach));
            }
            Kind::Plates => size = [[side, side, 0.1], [1.0; 3], [1.0; 3], [1.0; 3]][i % 4],
            Kind::Needles => size[i % 3] = side * random.unit(),
            Kind::Steps => {
                low = low.map(|_| f64::from(2f32.powi(-((40.0 * random.unit()) as i32))));
                size = low.map(|x| 0.4 * x);
            }
            Kind::Points => size = [0.0; 3],
            Kind::Infinite | Kind::Huge | Kind::Clusters | Kind::Sparse => {}
        }
        let end = |k: usize| if low[k] == f64::NEG_INFINITY { size[k] } else { low[k] + size[k] };
        std::array::from_fn(|k| if k < 3 { low[k] as f32 } else { end(k - 3) as f32 })
    }

    fn world(self, n: usize, seed: u64) -> Bounds {
        let mut random = Random(seed);
        table((0..n).map(|i| self.aabb(n, i, &mut random)).collect())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn unkind_worlds_give_what_brute_force_gives(
        kinds in prop::array::uniform2(prop::sample::select(&KINDS[..])),
        n in prop_oneof![0usize..40, 100usize..3000],
        seed in any::<u64>(),
    ) {
        let mut grid = Grid::default();
        for kind in kinds {
            let n = if matches!(kind, Kind::Same | Kind::AllInfinite) { n / 6 } else { n };
            let mut bounds = kind.world(n, seed);
            // Slots without a body hold an empty box, which would overlap infinite ones.
            for slot in (0..n).step_by(7) {
                bounds.aabb[slot] = [1.0, 1.0, 1.0, -1.0, -1.0, -1.0].map(|x| x * f32::INFINITY);
            }
            bounds.live.retain(|slot| slot.0 % 7 > 0);
            let (mut expected, _) = pruned(&mut Brute, &bounds, usize::MAX);
            let (mut found, progress) = pruned(&mut grid, &bounds, usize::MAX);
            expected.sort_unstable();
            found.sort_unstable();
            prop_assert!(found == expected, "{kind:?}: {} of {}", found.len(), expected.len());
            prop_assert_eq!(progress, Progress::Complete);
        }
    }

    /// Small coordinates, so that boxes touch and coincide everywhere.
    #[test]
    fn any_boxes_give_what_brute_force_gives(
        boxes in prop::collection::vec(prop::array::uniform6(-4i8..5), 0..400),
        far in prop::sample::select(vec![0.0f32, 1e6, 1e30]),
    ) {
        let ends = |x: i8| match x {
            -4 => f32::NEG_INFINITY,
            4 => f32::INFINITY,
            _ => far + f32::from(x),
        };
        let order = |one: &[i8; 6]| std::array::from_fn(|k| {
            let (a, b) = (one[k % 3], one[k % 3 + 3]);
            ends(if k < 3 { a.min(b) } else { a.max(b) })
        });
        let bounds = table(boxes.iter().map(order).collect());
        let (mut expected, _) = pruned(&mut Brute, &bounds, usize::MAX);
        let (mut found, _) = pruned(&mut Grid::default(), &bounds, usize::MAX);
        expected.sort_unstable();
        found.sort_unstable();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn the_list_is_the_same_for_any_number_of_threads() {
    for kind in KINDS {
        let n = if matches!(kind, Kind::Same | Kind::AllInfinite) { 1000 } else { 30_000 };
        let limit = if kind == Kind::Sizes { 100_000 } else { 2_000_000 };
        let bounds = kind.world(n, 1);
        let run = |threads| on_threads(threads, || pruned(&mut Grid::default(), &bounds, limit));
        let one = run(1);
        assert!(one == run(2) && one == run(7), "{kind:?}");
    }
}

#[test]
fn large_worlds_give_what_brute_force_gives() {
    for kind in [Kind::Sparse, Kind::Clusters, Kind::Plates, Kind::Needles] {
        let bounds = kind.world(20_000, 5);
        let (mut expected, _) = pruned(&mut Brute, &bounds, usize::MAX);
        let (mut found, _) = on_threads(3, || pruned(&mut Grid::default(), &bounds, usize::MAX));
        expected.sort_unstable();
        found.sort_unstable();
        assert!(found == expected, "{kind:?}: {} of {}", found.len(), expected.len());
    }
}

#[test]
fn memory_stays_small() {
    let n = 100_000;
    for kind in KINDS {
        let bounds = kind.world(n, 2);
        for threads in [1, 2] {
            let mut grid = Grid::default();
            let (pairs, _) = on_threads(threads, || pruned(&mut grid, &bounds, n));
            let bytes = grid.bytes();
            assert!(bytes <= 200 * n, "{kind:?}: {bytes} bytes, {} pairs", pairs.len());
        }
    }
}

#[test]
fn bodies_in_one_place_end_at_the_limit() {
    for kind in [Kind::Same, Kind::AllInfinite] {
        let bounds = kind.world(100_000, 3);
        for threads in [1, 2, 7] {
            let mut grid = Grid::default();
            let (pairs, progress) = on_threads(threads, || pruned(&mut grid, &bounds, 1 << 20));
            assert_eq!((pairs.len(), progress), (1 << 20, Progress::Limit), "{kind:?}");
        }
    }
}
