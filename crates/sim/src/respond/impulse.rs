//! Impulses between rigid bodies at the points where they touch: restitution, and Coulomb's friction.
//!
//! Sequential impulses: each point in turn gets what brings its velocity to what is wanted, for several
//! rounds, and what was given may be taken back but never below zero. What is wanted is the closing
//! speed times the restitution, or none where bodies only rest on each other; bodies that part are left
//! alone. Overlap is taken back by shifting bodies, without any speed from that, and what a shift lifts
//! against gravity is taken from the speed.

use super::manifold::{Hit, Spot};
use crate::columns::{Columns, point};
use crate::frame::{Collision, Other};
use crate::room::Bounce;
use glam::DVec3;
use std::ops::Range;

/// Rounds over all points.
const ROUNDS: usize = 12;
/// The part of an overlap that a frame takes back.
const TAKEN_BACK: f64 = 0.2;
/// Overlap that may stay, as a part of the smaller body's size, so that contacts do not flicker.
const SLOP: f64 = 1e-3;

/// A point at which a body touches another one, or a wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joint {
    a: usize,
    /// None for a wall.
    b: Option<usize>,
    /// From the first to the second.
    normal: DVec3,
    point: DVec3,
    /// The speed of parting that is wanted; below zero where they may come nearer.
    target: f64,
    /// Per unit of speed along the normal.
    mass: f64,
    pushed: f64,
    rubbed: DVec3,
}

/// What decides an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) restitution: f64,
    pub(crate) friction: f64,
    /// Slower than this is resting.
    pub(crate) resting: f64,
    pub(crate) dt: f64,
}

/// A body at a wall.
#[derive(Clone, Debug)]
pub(crate) struct AtWall {
    pub(crate) body: usize,
    /// Out of the room.
    pub(crate) normal: DVec3,
    /// The vertices there, in the list of all; their depths are how far they are beyond the wall,
    /// below zero for those that are near.
    pub(crate) spots: Range<usize>,
    /// What happens to speed along the outward normal, and how far the body was shifted inward.
    pub(crate) bounce: Bounce,
    pub(crate) shift: f64,
}

impl Joint {
    fn new(columns: &Columns, bodies: [Option<usize>; 2], at: (DVec3, DVec3)) -> Self {
        let (normal, point) = at;
        let give = |i: usize| columns.give(i, point, normal);
        let sum: f64 = bodies.into_iter().flatten().map(give).sum();
        let mass = if sum > 0.0 { sum.recip() } else { 0.0 };
        let [a, b] = bodies;
        let a = a.unwrap_or_default();
        Self { a, b, normal, point, target: 0.0, mass, pushed: 0.0, rubbed: DVec3::ZERO }
    }

    /// The velocity of the second relative to the first at the point.
    fn parting(&self, columns: &Columns) -> DVec3 {
        let other = self.b.map_or(DVec3::ZERO, |b| columns.velocity_at(b, self.point));
        other - columns.velocity_at(self.a, self.point)
    }

    fn apply(&self, columns: &mut Columns, impulse: DVec3) {
        columns.push_at(self.a, self.point, -impulse);
        if let Some(b) = self.b {
            columns.push_at(b, self.point, impulse);
        }
    }

    fn solve(&mut self, columns: &mut Columns, friction: f64) {
        let speed = self.parting(columns).dot(self.normal);
        let pushed = (self.pushed + (self.target - speed) * self.mass).max(0.0);
        let gain = pushed - self.pushed;
        self.pushed = pushed;
        if gain != 0.0 {
            self.apply(columns, self.normal * gain);
        }
        if friction <= 0.0 || self.pushed <= 0.0 {
            return;
        }
        let parting = self.parting(columns);
        let across = parting - self.normal * parting.dot(self.normal);
        let Some(direction) = across.try_normalize() else { return };
        let give = columns.give(self.a, self.point, direction)
            + self.b.map_or(0.0, |b| columns.give(b, self.point, direction));
        if give <= 0.0 {
            return;
        }
        let wanted = self.rubbed - across / give;
        let rubbed = wanted.clamp_length_max(friction * self.pushed);
        let gain = rubbed - self.rubbed;
        self.rubbed = rubbed;
        self.apply(columns, gain);
    }
}

/// Whether the two of a hit approach each other somewhere.
pub(crate) fn closes(columns: &Columns, hit: &Hit, spots: &[Spot]) -> bool {
    let [a, b] = hit.pair;
    spots.iter().any(|spot| {
        let parting = columns.velocity_at(b, spot.point) - columns.velocity_at(a, spot.point);
        parting.dot(hit.normal) < 0.0
    })
}

/// Adds the joints of a hit; the collision, if it is more than resting.
pub(crate) fn join(
    columns: &Columns,
    (hit, spots): (&Hit, &[Spot]),
    rules: &Rules,
    joints: &mut Vec<Joint>,
) -> Option<Collision> {
    let [a, b] = hit.pair;
    if columns.inverse_mass[a] + columns.inverse_mass[b] == 0.0 {
        return None;
    }
    let joint = |at: DVec3| Joint::new(columns, [Some(a), Some(b)], (hit.normal, at));
    let closing = |joint: &Joint| -joint.parting(columns).dot(hit.normal);
    // A blow goes through one point, for which the answer is exact: where the two touch on average, or
    // where they approach each other fastest if they do not there.
    let middle = spots.iter().map(|spot| spot.point).sum::<DVec3>() / spots.len() as f64;
    let mut struck = joint(middle);
    if closing(&struck) <= rules.resting {
        let fastest = spots.iter().map(|spot| joint(spot.point));
        let faster = |one: &Joint, two: &Joint| closing(one).total_cmp(&closing(two));
        struck = fastest.max_by(faster).unwrap_or(struck);
    }
    let speed = closing(&struck);
    if speed > rules.resting {
        struck.target = rules.restitution * speed;
        joints.push(struck);
        return Some(Collision {
            body: a,
            with: Other::Body(b),
            speed,
            point: point(struck.point),
        });
    }
    // What rests does so on all points.
    joints.extend(spots.iter().map(|spot| joint(spot.point)));
    None
}

/// Adds the joints of a body at a wall; the collision, if it is more than resting.
pub(crate) fn lean(
    columns: &Columns,
    (wall, spots): (&AtWall, &[Spot]),
    rules: &Rules,
    joints: &mut Vec<Joint>,
) -> Option<Collision> {
    let joint = |at: DVec3| Joint::new(columns, [Some(wall.body), None], (wall.normal, at));
    // As between bodies; only vertices that have reached the wall take part in a blow.
    let reached = || spots.iter().filter(|spot| spot.depth >= 0.0);
    let middle = reached().map(|spot| spot.point).sum::<DVec3>() / reached().count() as f64;
    let mut struck = joint(middle);
    let speed = -struck.parting(columns).dot(wall.normal);
    if speed > rules.resting && wall.shift > 0.0 {
        struck.target = wall.bounce.speed_after(speed, -wall.bounce.pull, wall.shift);
        joints.push(struck);
        let k = wall.normal.abs().max_position();
        let with = if wall.normal[k] > 0.0 { Other::Upper(k) } else { Other::Lower(k) };
        return Some(Collision { body: wall.body, with, speed, point: point(middle) });
    }
    for spot in spots {
        let leaning = joint(spot.point);
        // What comes faster is struck when it is there.
        if -leaning.parting(columns).dot(wall.normal) <= rules.resting {
            // It may come as near as it is.
            let target = if rules.dt > 0.0 { spot.depth.min(0.0) / rules.dt } else { 0.0 };
            joints.push(Joint { target, ..leaning });
        }
    }
    None
}

/// Gives all joints what they want, as far as they can have it together.
pub(crate) fn solve(columns: &mut Columns, joints: &mut [Joint], friction: f64) {
    for _ in 0..ROUNDS {
        for joint in &mut *joints {
            joint.solve(columns, friction);
        }
    }
}

/// How far the two of a hit are to be shifted apart.
pub(crate) fn overlap(spots: &[Spot], size: f64) -> f64 {
    let depth = spots.iter().map(|spot| spot.depth).fold(0.0, f64::max);
    TAKEN_BACK * (depth - SLOP * size).max(0.0)
}

/// Shifts a body; what that lifts is taken from its speed, as far as there is any.
pub(crate) fn shift(columns: &mut Columns, i: usize, way: DVec3, pull: DVec3) {
    columns.place[i] += way;
    let lifted = -2.0 * pull.dot(way);
    let square = columns.velocity[i].length_squared();
    if lifted > 0.0 && square > 0.0 {
        columns.velocity[i] *= ((square - lifted).max(0.0) / square).sqrt();
    }
}
