//! Tables of bounds that are hard on pruners, and how to run one; for tests only.

use crate::contract::answer::Progress;
use crate::contract::bounds::{Bounds, Reach};
use crate::contract::ids::{Pair, Slot};
use crate::contract::pruner::Pruner;
use crate::contract::sink::Sink;
use impinge_geom::aabb::Aabb32;
use proptest::prelude::*;

/// All bodies alive, in the first step, with balls that hold their boxes.
pub(super) fn table(boxes: Vec<Aabb32>) -> Bounds {
    let live: Vec<Slot> = (0..boxes.len() as u32).map(Slot).collect();
    let reach = boxes.iter().map(ball_around).collect();
    Bounds { changed: live.clone(), live, aabb: boxes, reach, step: 1, ..Bounds::default() }
}

fn ball_around(aabb: &Aabb32) -> Reach {
    let center: [f32; 3] = std::array::from_fn(|k| 0.5 * aabb[k] + 0.5 * aabb[k + 3]);
    let far = (0..6).map(|k| (f64::from(aabb[k]) - f64::from(center[k % 3])).abs());
    let radius = (2.0 * far.fold(0.0, f64::max)) as f32;
    if center.iter().all(|x| x.is_finite()) {
        Reach { center, radius, ..Reach::NONE }
    } else {
        Reach { radius: f32::INFINITY, ..Reach::NONE }
    }
}

/// What a pruner finds, in order. Each pair must come once.
pub(super) fn found(pruner: &mut dyn Pruner, bounds: &Bounds) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let progress = pruner.prune(bounds, &mut Sink::over(&mut pairs, usize::MAX));
    assert_eq!(progress, Progress::Complete);
    pairs.sort_unstable();
    assert!(pairs.windows(2).all(|two| two[0] != two[1]), "a pair came twice");
    pairs
}

/// Runs something with a given number of threads.
pub(super) fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

/// How the boxes of a scene lie.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// On whole numbers, so that many touch and tie.
    Lattice,
    /// Anywhere, of sizes from 1e-3 to 1e3.
    Mixed,
    /// All in one place.
    Heap,
    /// All the same.
    Same,
    /// Without thickness on some axes.
    Flat,
    /// A million away.
    Far,
}

/// One box: a place and a size on each axis, and something to make it odd by.
type Seed = ([i8; 3], [f32; 3], [u8; 3], u8);

/// A box of that kind.
fn shaped(kind: Kind, (place, fraction, size, odd): Seed) -> Aabb32 {
    let side = |k: usize| f32::from(size[k] % 4);
    let (low, high): ([f32; 3], [f32; 3]) = match kind {
        Kind::Lattice => {
            let low = place.map(|x| f32::from(x / 8));
            (low, std::array::from_fn(|k| low[k] + side(k)))
        }
        Kind::Mixed => {
            let scale = 10f32.powf(6.0 * f32::from(odd) / 255.0 - 3.0);
            let low: [f32; 3] = std::array::from_fn(|k| f32::from(place[k]) + fraction[k]);
            (low, std::array::from_fn(|k| low[k] + fraction[k] * scale))
        }
        Kind::Heap => (fraction.map(|x| -x), fraction),
        Kind::Same => ([1.0; 3], [2.0; 3]),
        Kind::Flat => {
            let low: [f32; 3] = std::array::from_fn(|k| f32::from(place[k]) * [1.0, 0.5, 0.0][k]);
            (low, std::array::from_fn(|k| low[k] + side(k) * [1.0, 1.0, 0.0][k]))
        }
        Kind::Far => {
            let low: [f32; 3] = std::array::from_fn(|k| 1e6 + f32::from(place[k]) / 16.0);
            (low, std::array::from_fn(|k| low[k] + fraction[k]))
        }
    };
    [low[0], low[1], low[2], high[0], high[1], high[2]]
}

/// Up to `most` boxes of one kind, some of which may be infinite and some of the zeros negative.
pub(super) fn boxes(most: usize) -> impl Strategy<Value = Vec<Aabb32>> {
    let kinds = [Kind::Lattice, Kind::Mixed, Kind::Heap, Kind::Same, Kind::Flat, Kind::Far];
    let kind = prop::sample::select(kinds.to_vec());
    let seed: (_, _, _, _) = (
        prop::array::uniform3(any::<i8>()),
        prop::array::uniform3(0.0..1.0f32),
        prop::array::uniform3(any::<u8>()),
        any::<u8>(),
    );
    let endless = prop_oneof![6 => Just(0u8), 2 => Just(10), 1 => Just(255)];
    (kind, prop::collection::vec(seed, 0..most), endless).prop_map(|(kind, seeds, endless)| {
        let make = |seed: Seed| {
            let mut aabb = shaped(kind, seed);
            if seed.3 < endless {
                let k = usize::from(seed.2[0] % 6);
                aabb[k] = if k < 3 { f32::NEG_INFINITY } else { f32::INFINITY };
                if seed.2[1].is_multiple_of(2) {
                    aabb[(k + 3) % 6] = -aabb[k];
                }
            }
            aabb.map(|x| if x == 0.0 && seed.3.is_multiple_of(2) { -0.0 } else { x })
        };
        seeds.into_iter().map(make).collect()
    })
}
