//! Poses and motions near contact, the hard ones for an engine: just touching or just apart, and on
//! ways that lead to a contact or closely past one.
//!
//! Mesh B gets a random rotation and comes from a random direction. Conservative advancement finds
//! the first contact: B can always come nearer by the clearance without touching. All poses advance
//! together, so that each round is one batch of the engine. Then B is pushed on or taken back by a
//! small offset; a motion begins somewhat before the contact, and leads roughly there. Costs some ten
//! to forty clearances per pose or motion.

use anyhow::{Result, ensure};
use impinge::contract::answer::Verdict;
use impinge::prelude::{Mesh, Motion, Point, Pose, PosedPair, Query};

/// Closer than this, times the size, is contact.
const CONTACT: f64 = 1e-7;
/// A way is given up after so many rounds, as if it led to a contact: a grazing one never ends.
const ROUNDS: usize = 500;
/// How often a way that misses is replaced by another.
const TRIES: u64 = 100;
/// Offsets are powers of ten with exponents in this range, times the size.
const OFFSETS: [f64; 2] = [-4.0, -1.3];
/// How far before the contact a motion begins, times the size.
const RUN_UP: [f64; 2] = [0.05, 0.3];
/// How far it goes on in that direction, times the size.
const ADVANCE: [f64; 2] = [0.0, 0.5];
/// How far it goes in any other, times the size.
const ASIDE: [f64; 2] = [0.0, 0.4];
/// Angles are between this part of the largest and all of it.
const ANGLE_PART: f64 = 0.125;

/// Where poses come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// At this distance of the origins nothing can touch.
    pub start: f64,
    /// What lengths are relative to.
    pub size: f64,
    /// The same gives the same poses.
    pub seed: u64,
}

impl Approach {
    /// For two meshes: from outside the balls about their origins. The size is half the longest side
    /// of the smaller mesh's box, down to a power of two: meshes of nearly the same size are treated
    /// alike.
    pub fn of([a, b]: [&Mesh; 2], seed: u64) -> Self {
        let half_side = |mesh: &Mesh| {
            let bounds = mesh.bounds();
            (0..3).map(|k| 0.5 * (bounds.max[k] - bounds.min[k])).fold(0.0, f64::max)
        };
        let reach = |mesh: &Mesh| {
            let square = |v: &Point| v.iter().map(|x| x * x).sum::<f64>();
            mesh.vertices().iter().map(square).fold(0.0, f64::max).sqrt()
        };
        let half = half_side(a).min(half_side(b));
        // Two points have no size of their own.
        let size = if half > 0.0 { 2f64.powi(half.log2().floor() as i32) } else { 1.0 };
        Self { start: reach(a) + reach(b) + size, size, seed }
    }
}

/// A body on its way.
#[derive(Clone, Copy)]
struct Way {
    rotation: [f64; 4],
    direction: Point,
    /// How far its origin is from A's.
    distance: f64,
    /// An exponent of ten.
    offset: f64,
}

impl Way {
    /// The `attempt`-th way of pose `index`; independent of all others.
    fn draw(approach: &Approach, index: usize, attempt: u64) -> Self {
        let mut random = Random::of([approach.seed, index as u64, attempt]);
        let rotation = random.on_sphere();
        let direction = random.on_sphere();
        let offset = random.between(OFFSETS);
        Self { rotation, direction, distance: approach.start, offset }
    }

    fn pose(&self) -> Result<Pose> {
        Ok(Pose::new(self.rotation, self.direction.map(|x| x * self.distance))?)
    }
}

/// So many poses of B in the frame of A: those with even numbers touch, the others are free. An
/// error if B misses A on every way, or the pair's engine cannot measure.
pub fn poses(pair: &mut PosedPair, approach: &Approach, count: usize) -> Result<Vec<Pose>> {
    let ways = contacts(pair, approach, count)?;
    let moved = ways.iter().enumerate().map(|(k, way)| {
        let side = if k % 2 == 0 { -1.0 } else { 1.0 };
        let distance = way.distance + side * approach.size * 10f64.powf(way.offset);
        Way { distance, ..*way }.pose()
    });
    moved.collect()
}

/// So many motions of B in the frame of A, which begin free and turn by at most `angle_max`; somewhat
/// more than half of them touch. Errors as in [`poses`].
pub fn motions(
    pair: &mut PosedPair,
    approach: &Approach,
    count: usize,
    angle_max: f64,
) -> Result<Vec<Motion>> {
    let ways = contacts(pair, approach, count)?;
    let moving = ways.iter().enumerate().map(|(k, way)| {
        // No way is drawn after so many tries, so these numbers are new.
        let mut random = Random::of([approach.seed, k as u64, TRIES]);
        let start = Way { distance: way.distance + approach.size * random.between(RUN_UP), ..*way };
        let start = start.pose()?;
        let (axis, aside) = (random.on_sphere::<3>(), random.on_sphere::<3>());
        let half = 0.5 * angle_max * random.between([ANGLE_PART, 1.0]);
        let [x, y, z] = axis.map(|u| u * half.sin());
        let turn = Pose::new([half.cos(), x, y, z], [0.0; 3])?.after(&start);
        let [advance, aside_by] =
            [ADVANCE, ASIDE].map(|range| approach.size * random.between(range));
        let end: Point = std::array::from_fn(|i| {
            start.translation()[i] - advance * way.direction[i] + aside_by * aside[i]
        });
        Ok(Motion::lerp_slerp(start, Pose::new(turn.rotation(), end)?))
    });
    moving.collect()
}

/// So many ways of B, each at its first contact.
fn contacts(pair: &mut PosedPair, approach: &Approach, count: usize) -> Result<Vec<Way>> {
    let mut ways: Vec<Way> = (0..count).map(|k| Way::draw(approach, k, 0)).collect();
    let mut attempts = vec![0; count];
    let mut active: Vec<usize> = (0..count).collect();
    let mut rounds = vec![0; count];
    while !active.is_empty() {
        let poses: Vec<Pose> = active.iter().map(|&k| ways[k].pose()).collect::<Result<_>>()?;
        let found = pair.check(&poses, &Query::CLEARANCE);
        let gaps: Vec<f64> = found
            .all()
            .iter()
            .map(|answer| match answer.verdict {
                Verdict::Free => answer.clearance.map_or(f64::NAN, |gap| gap.at_least),
                Verdict::Hit(_) => 0.0,
                Verdict::Unknown => f64::NAN,
            })
            .collect();
        let mut left = Vec::with_capacity(active.len());
        for (k, gap) in active.into_iter().zip(gaps) {
            ensure!(!gap.is_nan(), "pose {k}: the engine does not measure distances");
            ways[k].distance -= gap;
            rounds[k] += 1;
            if gap <= CONTACT * approach.size || rounds[k] >= ROUNDS {
                continue;
            }
            if ways[k].distance < -approach.start {
                attempts[k] += 1;
                ensure!(attempts[k] < TRIES, "pose {k}: B misses A on {TRIES} ways");
                (ways[k], rounds[k]) = (Way::draw(approach, k, attempts[k]), 0);
            }
            left.push(k);
        }
        active = left;
    }
    Ok(ways)
}

/// SplitMix64, started from several numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn of(seeds: [u64; 3]) -> Self {
        seeds.iter().fold(Self(0), |random, seed| Self(Self(random.0 ^ seed).next()))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1, 1 itself left out.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Evenly from the one to the other.
    pub(crate) fn between(&mut self, [low, high]: [f64; 2]) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A unit vector: all directions are equally likely.
    pub(crate) fn on_sphere<const N: usize>(&mut self) -> [f64; N] {
        // A draw from the cube falls into this shell with a chance of about one third or more.
        loop {
            let drawn: [f64; N] = std::array::from_fn(|_| 2.0 * self.unit() - 1.0);
            let length = drawn.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (0.1..=1.0).contains(&length) {
                return drawn.map(|x| x / length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::prelude::Mode;
    use impinge_samples::build_mesh;
    use std::sync::Arc;

    fn made(a: &str, b: &str, seed: u64) -> (PosedPair, Vec<Pose>, Approach) {
        let [a, b] = [a, b].map(|name| Arc::new(build_mesh(name).unwrap()));
        let approach = Approach::of([&a, &b], seed);
        let mut pair = PosedPair::new(a, b).unwrap();
        let poses = poses(&mut pair, &approach, 40).unwrap();
        (pair, poses, approach)
    }

    #[test]
    fn even_poses_touch_and_odd_ones_are_near() {
        for [a, b] in [
            ["sphere?faces=60", "sphere?faces=60"],
            ["torus?segments=12&sides=5", "box?x=0.1&y=20&z=0.3"],
            ["sphere?faces=60&radius=100", "torus-knot?segments=32&sides=5"],
        ] {
            let (mut pair, poses, approach) = made(a, b, 3);
            let found = pair.check(&poses, &Query::CLEARANCE).all();
            for (k, answer) in found.iter().enumerate() {
                let touches = answer.verdict != Verdict::Free;
                assert_eq!(touches, k % 2 == 0, "{a} {b} {k}: {answer:?}");
                // Taken back along its way, B is no farther than the offset, plus the tolerance.
                let most = approach.size * (10f64.powf(OFFSETS[1]) + 2.0 * CONTACT);
                assert!(answer.clearance.is_none_or(|gap| gap.at_least <= most));
            }
        }
    }

    #[test]
    fn motions_begin_free_and_more_than_half_of_them_touch() {
        let names = ["torus-knot?segments=48&sides=6", "sphere?faces=120"];
        let [a, b] = names.map(|name| Arc::new(build_mesh(name).unwrap()));
        for [a, b] in [[&a, &a], [&b, &b]] {
            let approach = Approach::of([a, b], 3);
            let mut pair = PosedPair::new(Arc::clone(a), Arc::clone(b)).unwrap();
            // What turns farther sweeps more, and touches more often.
            for (angle_max, most) in [(0.8, 60), (std::f64::consts::PI, 72)] {
                let made = motions(&mut pair, &approach, 80, angle_max).unwrap();
                let angles: Vec<f64> = made.iter().map(|motion| motion.turn().1).collect();
                let allowed = ANGLE_PART * angle_max - 1e-9..=angle_max + 1e-9;
                assert!(angles.iter().all(|angle| allowed.contains(angle)), "{angles:?}");
                let starts: Vec<Pose> = made.iter().map(|motion| *motion.pose0()).collect();
                let found = pair.check(&starts, &Query::TOUCHING).all();
                assert!(found.iter().all(|answer| answer.verdict == Verdict::Free));
                let sampled = Query { mode: Mode::PseudoDynamic(60), ..Query::TOUCHING };
                let found = pair.check(&made, &sampled).all();
                let hits = found.iter().filter(|answer| answer.verdict != Verdict::Free).count();
                assert!((40..=most).contains(&hits), "{hits} of 80 at {angle_max}");
                assert_eq!(motions(&mut pair, &approach, 7, angle_max).unwrap(), made[..7]);
            }
        }
    }

    #[test]
    fn the_seed_decides() {
        let sphere = "sphere?faces=24";
        let (_, first, approach) = made(sphere, sphere, 1);
        assert_eq!(made(sphere, sphere, 1).1, first);
        let (_, second, _) = made(sphere, sphere, 2);
        assert!(first.iter().zip(&second).all(|(a, b)| a != b));
        assert!((approach.size - 1.0).abs() < f64::EPSILON, "{approach:?}");
        // The first poses do not depend on how many there are.
        let mesh = Arc::new(build_mesh(sphere).unwrap());
        let mut pair = PosedPair::new(Arc::clone(&mesh), mesh).unwrap();
        assert_eq!(poses(&mut pair, &approach, 7).unwrap(), first[..7]);
    }

    #[test]
    fn what_passes_through_comes_another_way() {
        // A small box flies through the hole of a large ring on many ways.
        let (mut pair, poses, _) = made("torus?thickness=0.02", "box?x=0.2&y=0.2&z=0.2", 5);
        let touching = pair.check(&poses, &Query::TOUCHING);
        let hits = touching.all().iter().filter(|answer| answer.verdict != Verdict::Free).count();
        // A thin wall may be pushed through, but hardly by every second pose.
        assert!((10..=20).contains(&hits), "{hits}");
    }
}
