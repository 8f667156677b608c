//! What the queue assumes of a body beyond the step: that it stays within a tube.
//!
//! Nothing is promised across steps, so the tube is a guess from what was observed: straight on,
//! with some play that grows with time. Each step asks whether the whole of the body's way still
//! lies within; while it does, all that was concluded from the tube holds, whatever moves the body.

use super::meeting::{BAND, Ball, length, minus, norm1};
use crate::contract::bounds::Reach;
use impinge_geom::aabb::{Aabb, Aabb32, outward, round_up};

/// The share of all numbers involved by which [`Tube::holds`] errs towards no; see `meeting.rs`.
const SLACK: f64 = 1e-12;
/// Play of a body that keeps to its course: a share of its radius.
const PLAY: f64 = 1.0 / 64.0;
/// The same as a share of its coordinates: a few times what f32 rounds.
const PLAY_FAR: f64 = 1.0 / (1 << 22) as f64;
/// A body that leaves its tube younger than this many steps gets more play.
const YOUNG: u32 = 8;
/// The least and the largest extra play, as shares of the radius.
const LOOSE: [f32; 2] = [0.05, 0.5];

/// A ball on a straight way: `k` steps after `born` the body lies within
/// `radius + acceleration·k²/2` of `center + velocity·k`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tube {
    center: [f32; 3],
    velocity: [f32; 3],
    radius: f32,
    acceleration: f32,
    /// The low bits of a step's number.
    born: u32,
}

impl Tube {
    /// Holds everything, always.
    pub(super) const EVERYWHERE: Self = Self {
        center: [0.0; 3],
        velocity: [0.0; 3],
        radius: f32::INFINITY,
        acceleration: 0.0,
        born: 0,
    };

    /// Around a body that is expected to go on with `heading`, with `loose` play.
    fn new(reach: &Reach, heading: [f32; 3], loose: f32, step: u64) -> Self {
        // Grows to twice the play within the time in which a body counts as young.
        let acceleration = 2.0 * loose / (YOUNG * YOUNG) as f32;
        let off: [f64; 3] =
            std::array::from_fn(|k| f64::from(reach.velocity[k]) - f64::from(heading[k]));
        let turn = f64::from(reach.acceleration);
        let spare = 0.5 * (turn - f64::from(acceleration)).max(0.0) + BAND * turn;
        let far = PLAY_FAR * (norm1(&reach.center) + norm1(&reach.velocity) + norm1(&heading));
        let play = f64::from(loose) + PLAY * f64::from(reach.radius) + far;
        let radius = f64::from(reach.radius) + 0.5 * length(&off) + spare + play;
        let tube = Self {
            // In the middle of where the body is relative to its heading during the step.
            center: std::array::from_fn(|k| (f64::from(reach.center[k]) + 0.5 * off[k]) as f32),
            velocity: heading,
            radius: round_up(radius),
            acceleration,
            born: step as u32,
        };
        if tube.holds(reach, step) { tube } else { Self::EVERYWHERE }
    }

    /// How many steps old.
    pub(super) fn age(&self, step: u64) -> u32 {
        (step as u32).wrapping_sub(self.born)
    }

    /// Whether all of the body's way in this step lies within the tube.
    ///
    /// With `e` the offset from the tube's middle at the start and `w` the difference in velocity,
    /// `|e + w·t| + r + a·t²/2 ≤ radius + A·(k + t)²/2` is to hold for t in 0…1. The left norm is
    /// convex in t, so its chord is above it; what remains is linear in t, plus `(A − a)·t²/2`,
    /// which is left out if positive and makes the difference concave if negative. Either way the
    /// two ends decide.
    pub(super) fn holds(&self, reach: &Reach, step: u64) -> bool {
        let age = f64::from(self.age(step));
        let (own, other) = (f64::from(self.acceleration), f64::from(reach.acceleration));
        let from = self.center_at(age);
        let start = minus(&reach.center.map(f64::from), &from);
        let end: [f64; 3] = std::array::from_fn(|k| {
            start[k] + (f64::from(reach.velocity[k]) - f64::from(self.velocity[k]))
        });
        let size = norm1(&self.center) + norm1(&self.velocity) * (age + 1.0) + norm1(&reach.center);
        let size = size + norm1(&reach.velocity) + other;
        let radius = f64::from(self.radius);
        let need = f64::from(reach.radius) * (1.0 + SLACK) + BAND * other + SLACK * size;
        let have = (radius + 0.5 * own * age * age) * (1.0 - SLACK);
        let at_end = have + own * age * (1.0 - SLACK) + 0.5 * (own - other).min(0.0);
        radius == f64::INFINITY || (length(&start) + need <= have && length(&end) + need <= at_end)
    }

    fn center_at(&self, age: f64) -> [f64; 3] {
        let at = |k: usize| f64::from(self.center[k]) + f64::from(self.velocity[k]) * age;
        std::array::from_fn(at)
    }

    /// The tube from the start of a step on.
    pub(super) fn ball(&self, step: u64) -> Ball {
        let age = f64::from(self.age(step));
        let acceleration = f64::from(self.acceleration);
        Ball {
            center: self.center_at(age),
            velocity: self.velocity.map(f64::from),
            radius: f64::from(self.radius) + 0.5 * acceleration * age * age,
            growth: acceleration * age,
            acceleration,
        }
    }

    /// A box around the tube from the start of step `from` to the start of step `to`.
    pub(super) fn aabb(&self, from: u64, to: u64) -> Aabb32 {
        if self.radius == f32::INFINITY {
            let most = f32::INFINITY;
            return [-most, -most, -most, most, most, most];
        }
        let (age, time) = (f64::from(self.age(from)), (to - from) as f64);
        let (start, end) = (self.center_at(age), self.center_at(age + time));
        let radius = self.ball(from).radius_at(time);
        let size = norm1(&self.center) + norm1(&self.velocity) * (age + time) + radius;
        // Twice the slack of `first_meeting`, so that boxes apart means balls apart there too.
        outward(&Aabb::around(&[start, end]).grown(radius + 4.0 * SLACK * size))
    }
}

/// What was seen of a body, from which its next tube is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Its middle in the last step; NaN if it was not there.
    last: [f32; 3],
    /// By how much that had moved within a step; NaN likewise.
    moved: [f32; 3],
    /// Whether it moves on as it did.
    steady: bool,
    /// Extra play, learnt from broken tubes.
    loose: f32,
}

impl Seen {
    /// Of a body that is new.
    pub(super) const NOTHING: Self =
        Self { last: [f32::NAN; 3], moved: [f32::NAN; 3], steady: false, loose: 0.0 };

    /// Takes note of where the body is in this step.
    pub(super) fn look(&mut self, reach: &Reach) {
        let moved: [f32; 3] = std::array::from_fn(|k| reach.center[k] - self.last[k]);
        let turned: [f32; 3] = std::array::from_fn(|k| moved[k] - self.moved[k]);
        self.steady = 2.0 * norm1(&turned) <= norm1(&moved);
        self.last = reach.center;
        self.moved = moved;
    }

    /// The velocity that the body will probably keep.
    fn heading(&self, reach: &Reach) -> [f32; 3] {
        let still = [0.0; 3];
        if self.moved == still {
            // A motion that starts again where it started leads nowhere.
            return still;
        }
        if reach.velocity != still || self.moved.iter().any(|x| x.is_nan()) {
            return reach.velocity;
        }
        // Without a velocity, positions jump from step to step. A long jump out of nothing is no
        // way of moving, but one like the last is.
        let short = norm1(&self.moved) <= f64::from(reach.radius);
        if self.steady || short { self.moved } else { still }
    }

    /// A new tube for a body whose old one is no longer used.
    pub(super) fn tube(&mut self, reach: &Reach, fate: Fate, step: u64) -> Tube {
        let radius = reach.radius;
        let (least, most) = (LOOSE[0] * radius, LOOSE[1] * radius);
        match fate {
            Fate::Left { age } if age < YOUNG => self.loose = (2.0 * self.loose).max(least),
            Fate::Served { age } if age >= YOUNG => {
                self.loose = if self.loose > least { 0.5 * self.loose } else { 0.0 };
            }
            _ => {}
        }
        // The radius may have shrunk, or be infinite.
        self.loose = if radius.is_finite() { self.loose.min(most) } else { 0.0 };
        Tube::new(reach, self.heading(reach), self.loose, step)
    }
}

/// What became of a tube that is replaced, and at which age.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fate {
    /// The body left it.
    Left { age: u32 },
    /// The body stayed within.
    Served { age: u32 },
}
