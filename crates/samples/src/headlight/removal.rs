//! How a cover is taken off its neck, and a bulb out of its reflector, pose by pose.
//!
//! A cover is turned until its lugs are at the slots, pulled out, swung down below the loom and
//! taken away. Poses are spaced evenly between a few places; they do not follow from a search.

use super::AXIS;
use crate::turn::sine;
use impinge_geom::Point;
use impinge_geom::pose::Pose;
use std::f64::consts::{FRAC_PI_2, PI};

/// Which cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The large one, at x < 0.
    Left,
    /// The small one, at x > 0.
    Right,
}

/// How a cover is taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Without touching anything.
    Free,
    /// Turned too little, so that the lugs are torn through the lip; and pulled straight against
    /// the loom. Before, between and after it is free.
    Forced,
}

impl Side {
    pub(super) fn of<T>(self, [left, right]: [T; 2]) -> T {
        match self {
            Self::Left => left,
            Self::Right => right,
        }
    }

    pub(super) fn axis(self) -> f64 {
        self.of([-AXIS, AXIS])
    }

    /// The name of its cover.
    pub fn cover(self) -> &'static str {
        self.of(["cover-left", "cover-right"])
    }
}

/// A place on the way.
pub(super) struct Place {
    /// Steps from the place before.
    pub(super) steps: u32,
    /// About the axis of the part, in degrees; 0 where the lugs of a cover are at the slots.
    pub(super) turn: f64,
    /// About the x axis, in degrees; the upper edge goes to the back.
    pub(super) tilt: f64,
    /// From where it is put on.
    pub(super) shift: Point,
}

/// All poses of a way, from the cover in its place.
pub(super) fn poses(side: Side, way: Way, lugs: u32) -> Vec<Pose> {
    let held = held(lugs);
    let at = |steps, turn, tilt, shift| Place { steps, turn, tilt, shift };
    let places = match way {
        Way::Free => [
            at(0, held, 0.0, [0.0, 0.0, 0.0]),
            at(90, 0.0, 0.0, [0.0, 0.0, 0.0]),
            at(70, 0.0, 0.0, [0.0, 0.0, -14.0]),
            at(90, 0.0, 8.0, [0.0, -60.0, -20.0]),
            at(70, 0.0, 35.0, [0.0, -125.0, -60.0]),
        ],
        Way::Forced => [
            at(0, held, 0.0, [0.0, 0.0, 0.0]),
            at(90, held / 3.0, 0.0, [0.0, 0.0, 0.0]),
            at(70, held / 3.0, 0.0, [0.0, 0.0, -14.0]),
            at(70, held / 3.0, 0.0, [0.0, 0.0, -50.0]),
            at(90, held / 3.0, 35.0, [0.0, -125.0, -90.0]),
        ],
    };
    along(side, &places)
}

/// The turn of a cover in its place: in the middle between two slots.
pub(super) fn held(lugs: u32) -> f64 {
    180.0 / f64::from(lugs)
}

/// Even steps from place to place.
pub(super) fn along(side: Side, places: &[Place]) -> Vec<Pose> {
    let mut poses = vec![pose(side, &places[0])];
    for two in places.windows(2) {
        let [from, to] = [&two[0], &two[1]];
        poses.extend((1..=to.steps).map(|i| {
            let part = f64::from(i) / f64::from(to.steps);
            let between = |from: f64, to: f64| from + (to - from) * part;
            let place = Place {
                steps: 0,
                turn: between(from.turn, to.turn),
                tilt: between(from.tilt, to.tilt),
                shift: [0, 1, 2].map(|k| between(from.shift[k], to.shift[k])),
            };
            pose(side, &place)
        }));
    }
    poses
}

fn pose(side: Side, place: &Place) -> Pose {
    let half = |degrees: f64| {
        let angle = degrees * PI / 360.0;
        [sine(FRAC_PI_2 - angle), sine(angle)]
    };
    // First the turn about z, then the tilt: the product of the two quaternions.
    // The right neck is a mirror image of the left one, which is half a turn more for its slots.
    let turn = place.turn + side.of([0.0, 180.0]);
    let ([tc, ts], [xc, xs]) = (half(turn), half(-place.tilt));
    let [x, y, z] = place.shift;
    let shift: Point = [side.axis() + x, y, z];
    Pose::new([xc * tc, xs * tc, -xs * ts, xc * ts], shift).expect("a place near the headlight")
}
