//! Bounding spheres, all pairs, eight at a time: the simplest pruning of [V00 §6].
//!
//! Finds the pairs whose spheres *and* boxes overlap: a part of what box pruners find, with every
//! pair that touches during the step. A body's sphere is that of the whole step. The paper says that
//! spheres overlap if the distance of their centres is greater than or equal to the sum of their
//! radii; that is a slip, less than or equal is meant and done. Nor are the radii the paper's, half
//! the distance of the farthest two vertices, which do not bound a body in general.
//!
//! Cost: O(n²) tests, eight at a time, and 16 bytes per body.

use super::gather::{self, Part, gather_bodies};
use crate::contract::answer::Progress;
use crate::contract::bounds::{Bounds, Reach};
use crate::contract::ids::Pair;
use crate::contract::pruner::Pruner;
use crate::contract::sink::Sink;
use impinge_geom::aabb::overlap;
use impinge_simd::spheres::{Spheres8, inflated, pairs};

/// Its name.
pub const NAME: &str = "spheres";

/// The pairs of spheres after which a part looks at their boxes.
const PAIRS_BETWEEN_LOOKS: usize = 1 << 12;

/// Tests every sphere against every other.
#[derive(Debug, Default)]
pub struct Spheres {
    blocks: Vec<Spheres8>,
    parts: Vec<Part<()>>,
}

impl Pruner for Spheres {
    fn name(&self) -> &'static str {
        NAME
    }

    fn prune(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        self.arrange(bounds);
        let blocks = &self.blocks;
        gather_bodies(bounds.live.len(), &mut self.parts, out, |rows, part, quota| {
            let (mut row, found) = (rows.start, &mut part.pairs);
            while row < rows.end && !quota.full(found.len()) {
                let kept = found.len();
                row = pairs(blocks, row..rows.end, kept + PAIRS_BETWEEN_LOOKS, found);
                keep_overlapping(bounds, found, kept);
            }
        })
    }

    fn bytes(&self) -> usize {
        size_of::<Spheres8>() * self.blocks.capacity() + gather::bytes(&self.parts)
    }
}

impl Spheres {
    fn arrange(&mut self, bounds: &Bounds) {
        self.blocks.clear();
        self.blocks.resize(bounds.live.len().div_ceil(8), Spheres8::NONE);
        for (block, slots) in self.blocks.iter_mut().zip(bounds.live.chunks(8)) {
            for (lane, slot) in slots.iter().enumerate() {
                let (center, radius) = of_step(&bounds.reach[slot.index()]);
                for (lanes, x) in block.center.iter_mut().zip(center) {
                    lanes[lane] = x;
                }
                block.radius[lane] = radius;
            }
        }
    }
}

/// The sphere that holds the body during the whole step, for the test of [`impinge_simd::spheres`].
///
/// It is around the place at half time, from where the straight way reaches half the velocity to
/// either side. A sphere of which nothing is known is infinite, around anything.
fn of_step(reach: &Reach) -> ([f32; 3], f32) {
    let velocity = reach.velocity.map(f64::from);
    let middle: [f64; 3] = std::array::from_fn(|k| f64::from(reach.center[k]) + 0.5 * velocity[k]);
    let center = middle.map(|x| x as f32);
    if !center.iter().all(|x| x.is_finite()) {
        return ([0.0; 3], f32::INFINITY);
    }
    // What rounding the centre moves it by, to f64 in the sum and then to f32.
    let moved: f64 = (0..3)
        .map(|k| (middle[k] - f64::from(center[k])).abs() + f64::EPSILON * middle[k].abs())
        .sum();
    let speed = velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
    let far = 0.5 * (speed + f64::from(reach.acceleration));
    (center, inflated(f64::from(reach.radius) + far + moved))
}

/// Of the candidates from `first` on, which are places in the list of live slots, leaves those whose
/// boxes overlap, as slots.
fn keep_overlapping(bounds: &Bounds, found: &mut Vec<[u32; 2]>, first: usize) {
    let mut kept = first;
    for candidate in first..found.len() {
        let [a, b] = found[candidate].map(|place| bounds.live[place as usize]);
        if overlap(&bounds.aabb[a.index()], &bounds.aabb[b.index()]) {
            found[kept] = [a.0, b.0];
            kept += 1;
        }
    }
    found.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::super::brute::Brute;
    use super::super::scenes::{boxes, found, on_threads, table};
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f32> {
        prop_oneof![(-8i8..9).prop_map(f32::from), -8.0..8.0f32]
    }

    fn reach() -> impl Strategy<Value = Reach> {
        let three = || prop::array::uniform3(number());
        let far = prop_oneof![3 => Just(0.0f32), 1 => Just(1e6), 1 => Just(f32::INFINITY)];
        let still = any::<bool>();
        (three(), three(), number(), number(), (far, still)).prop_map(
            |(center, velocity, radius, acceleration, (far, still))| Reach {
                center: center.map(|x| x + far),
                velocity: if still { [0.0; 3] } else { velocity },
                radius: if radius == 8.0 { f32::INFINITY } else { radius.abs() / 4.0 },
                acceleration: if still { 0.0 } else { acceleration.abs() / 4.0 },
            },
        )
    }

    /// Whether the balls may meet at time `t`, if the accelerations do their best for it.
    fn meet_at(a: &Reach, b: &Reach, t: f64) -> bool {
        let at =
            |reach: &Reach, k: usize| f64::from(reach.center[k]) + t * f64::from(reach.velocity[k]);
        let square: f64 = (0..3).map(|k| (at(a, k) - at(b, k)).powi(2)).sum();
        let bend = 0.5 * t * t * (f64::from(a.acceleration) + f64::from(b.acceleration));
        // Centres at infinity are everywhere.
        square.is_nan() || square.sqrt() <= f64::from(a.radius) + f64::from(b.radius) + bend
    }

    proptest! {
        #[test]
        fn overlapping_boxes_only_and_no_touching_pair_missed(
            (boxes, reaches) in (boxes(60), prop::collection::vec(reach(), 60)),
            everywhere in any::<bool>(),
        ) {
            let mut bounds = table(boxes);
            bounds.reach = reaches[..bounds.live.len()].to_vec();
            if everywhere {
                bounds.aabb.fill([-1e9, -1e9, -1e9, 1e9, 1e9, 1e9]);
            }
            let pairs = found(&mut Spheres::default(), &bounds);
            for pair in found(&mut Brute, &bounds) {
                let (a, b) = (&bounds.reach[pair.a().index()], &bounds.reach[pair.b().index()]);
                let touch = (0..=20).any(|i| meet_at(a, b, f64::from(i) / 20.0));
                prop_assert!(!touch || pairs.contains(&pair), "missed {a:?} {b:?}");
            }
            let brute = found(&mut Brute, &bounds);
            prop_assert!(pairs.iter().all(|pair| brute.binary_search(pair).is_ok()));
        }

        #[test]
        fn the_same_list_whatever_the_number_of_threads(
            boxes in boxes(300), limit in prop_oneof![Just(usize::MAX), 0usize..2000],
        ) {
            let bounds = table(boxes);
            let run = |threads| on_threads(threads, || {
                let mut pairs = Vec::new();
                let mut out = Sink::over(&mut pairs, limit);
                let progress = Spheres::default().prune(&bounds, &mut out);
                (pairs, progress)
            });
            let one = run(1);
            prop_assert_eq!(&run(2), &one);
            prop_assert_eq!(&run(7), &one);
        }
    }

    #[test]
    fn balls_apart_in_boxes_that_overlap_are_no_pair() {
        let mut bounds = table(vec![[0.0, 0.0, 0.0, 9.0, 9.0, 9.0]; 2]);
        let ball = |x| Reach { center: [x; 3], radius: 1.0, ..Reach::NONE };
        bounds.reach.copy_from_slice(&[ball(1.0), ball(8.0)]);
        assert!(found(&mut Spheres::default(), &bounds).is_empty());
        // One comes over during the step: 7·√3 away, less the radii.
        bounds.reach[0].velocity = [6.0; 3];
        assert_eq!(found(&mut Spheres::default(), &bounds).len(), 1);
        bounds.reach[0].velocity = [0.0; 3];
        bounds.reach[0].acceleration = 20.3;
        assert_eq!(found(&mut Spheres::default(), &bounds).len(), 1);
        bounds.reach[0].acceleration = 20.2;
        assert!(found(&mut Spheres::default(), &bounds).is_empty());
    }

    #[test]
    fn identical_bodies_end_at_the_limit() {
        let bounds = table(vec![[1.0; 6]; 100_000]);
        let (mut pairs, mut spheres) = (Vec::new(), Spheres::default());
        let progress = spheres.prune(&bounds, &mut Sink::over(&mut pairs, 1_000_000));
        assert_eq!((progress, pairs.len()), (Progress::Limit, 1_000_000));
        assert!(spheres.bytes() < 100_000_000);
    }
}
