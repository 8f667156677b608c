//! Jobs with motions, and motions by chance.

use crate::random::Random;
use impinge::contract::job::{Job, Placed, Placement};
use impinge::prelude::*;
use std::f64::consts::TAU;
use std::sync::Arc;

/// A and B on their ways.
pub(crate) fn travel(ways: [Placement; 2]) -> Job {
    let [a, b] = ways;
    Job {
        a: Placed { shape: ShapeId(0), placement: a },
        b: Placed { shape: ShapeId(1), placement: b },
        itself: false,
        memory: None,
        priority: 1.0,
    }
}

pub(crate) fn moving(motion: Motion) -> Placement {
    Placement::Moving(Arc::new(motion))
}

pub(crate) fn still() -> Placement {
    Placement::Fixed(Pose::IDENTITY)
}

pub(crate) fn random_pose(random: &mut Random, reach: f64) -> Pose {
    let q: [f64; 4] = std::array::from_fn(|_| random.symmetric());
    let place: Point = std::array::from_fn(|_| reach * random.symmetric());
    Pose::new(q, place).unwrap_or(Pose::IDENTITY)
}

pub(crate) fn random_motion(random: &mut Random, reach: f64, turns: f64) -> Motion {
    let start = random_pose(random, reach);
    if random.unit() < 0.5 {
        return Motion::lerp_slerp(start, random_pose(random, reach));
    }
    let screw = Screw {
        point: std::array::from_fn(|_| reach * random.symmetric()),
        direction: std::array::from_fn(|k| random.symmetric() + if k == 2 { 1.1 } else { 0.0 }),
        angle: turns * TAU * random.symmetric(),
        advance: reach * random.symmetric(),
    };
    Motion::screw(start, screw).expect("finite numbers")
}
