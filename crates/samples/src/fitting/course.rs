//! Ways with known places: legs of steady motion, cut at random into pieces of either kind.

use crate::random::Random;
use crate::turn::sine;
use glam::DVec3;
use impinge_geom::motion::path::Path;
use impinge_geom::motion::{Motion, Screw};
use impinge_geom::pose::Pose;
use std::f64::consts::FRAC_PI_2;

/// A path has at most so many pieces.
const PIECES_MAX: i32 = 40;

/// Where a body is: turned about the z axis, then shifted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Station {
    pub(super) shift: DVec3,
    pub(super) turn: f64,
}

/// A steady motion by so much. One that turns has the body's origin on the z axis, where turning
/// about that origin and turning about the axis are the same.
pub(super) type Leg = Station;

/// A place on the way: which leg, and how much of it is past.
pub(super) type Place = (usize, f64);

/// A way.
pub(super) struct Course {
    pub(super) start: Station,
    pub(super) legs: Vec<Leg>,
}

/// How the way is laid into the world.
pub(super) struct Frame {
    /// From the frame of the way, in units of the size, to the world.
    pub(super) world: Pose,
    pub(super) size: f64,
    /// From the body's own axes to those of the way.
    pub(super) axes: Pose,
    /// When the way begins and ends.
    pub(super) span: [f64; 2],
}

/// When each leg is how far.
pub(super) struct Clock {
    /// For each piece: its leg, the part of the leg at its end, and the time then.
    pieces: Vec<(usize, f64, f64)>,
    begin: f64,
}

/// A leg that shifts.
pub(super) fn shifted(shift: [f64; 3]) -> Leg {
    Leg { shift: DVec3::from_array(shift), turn: 0.0 }
}

/// A leg that turns about the z axis and moves along it.
pub(super) fn turned(turn: f64, along: f64) -> Leg {
    Leg { shift: DVec3::Z * along, turn }
}

/// Cosine and sine.
pub(super) fn direction(angle: f64) -> [f64; 2] {
    [sine(FRAC_PI_2 - angle), sine(angle)]
}

impl Frame {
    /// The pose of a body at a place of the way.
    pub(super) fn pose(&self, at: &Station) -> Pose {
        let [c, s] = direction(0.5 * at.turn);
        let shift = (at.shift * self.size).to_array();
        let placed = Pose::new([c, 0.0, 0.0, s], shift).expect("a place near the scene");
        self.world.after(&placed).after(&self.axes)
    }

    /// A leg as a screw about the axis of the way, or along the leg if it does not turn.
    fn screw(&self, leg: &Leg, part: f64) -> Screw {
        let length = leg.shift.length();
        let turns = leg.turn != 0.0;
        let along = if turns || length == 0.0 { DVec3::Z } else { leg.shift / length };
        Screw {
            point: self.world.translation(),
            direction: self.world.rotate(&along.to_array()),
            angle: leg.turn * part,
            advance: leg.shift.dot(along) * self.size * part,
        }
    }
}

impl Course {
    /// A path along all legs, and when it is where.
    pub(super) fn path(&self, frame: &Frame, random: &mut Random) -> (Path, Clock) {
        let [begin, end_time] = frame.span;
        let counts = self.piece_counts(random);
        let weights: Vec<f64> = (0..counts.iter().sum()).map(|_| 0.1 + random.unit()).collect();
        let whole: f64 = weights.iter().sum();
        let mut clock = Clock { pieces: Vec::new(), begin };
        let (mut times, mut motions) = (vec![begin], Vec::<Motion>::new());
        let (mut from, mut spent) = (self.start, 0.0);
        for (index, (leg, count)) in self.legs.iter().zip(counts).enumerate() {
            let screws = random.between(0, 1) == 1;
            for piece in 0..count {
                let pose0 = motions.last().map_or_else(|| frame.pose(&from), |m| *m.pose1());
                let part = |n: usize| n as f64 / count as f64;
                let end = part(piece + 1);
                let to = Station {
                    shift: from.shift + leg.shift * end,
                    turn: from.turn + leg.turn * end,
                };
                motions.push(if screws {
                    let screw = frame.screw(leg, end - part(piece));
                    Motion::screw(pose0, screw).expect("a screw near the scene")
                } else {
                    Motion::lerp_slerp(pose0, frame.pose(&to))
                });
                spent += weights[times.len() - 1];
                let past = spent / whole;
                // At the very end exactly that time.
                let time = begin * (1.0 - past) + end_time * past;
                times.push(time);
                clock.pieces.push((index, end, time));
            }
            from = Station { shift: from.shift + leg.shift, turn: from.turn + leg.turn };
        }
        (Path::new(times, motions).expect("pieces that follow each other"), clock)
    }

    /// How many pieces each leg has: at least one.
    fn piece_counts(&self, random: &mut Random) -> Vec<usize> {
        let legs = self.legs.len() as i32;
        let each = [1, 1, random.between(1, 4), random.between(1, PIECES_MAX / legs)];
        (0..legs).map(|_| each[random.between(0, 3) as usize] as usize).collect()
    }
}

impl Clock {
    /// The time at a place; what is beyond an end of the leg counts as that end.
    pub(super) fn time(&self, (leg, part): Place) -> f64 {
        let last = self.pieces.len() - 1;
        let after = |&(of, end, _): &(usize, f64, f64)| of > leg || (of == leg && end >= part);
        let piece = self.pieces.iter().position(after).unwrap_or(last);
        let (of, end, time) = self.pieces[piece];
        let (start, begin) = match piece.checked_sub(1).map(|before| self.pieces[before]) {
            None => (0.0, self.begin),
            Some((before, start, begin)) => (if before == of { start } else { 0.0 }, begin),
        };
        let part = if of == leg { part } else { 0.0 };
        begin + (time - begin) * ((part - start) / (end - start)).clamp(0.0, 1.0)
    }
}
