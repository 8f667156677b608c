//! Pegs and holes: prisms over regular polygons.
//!
//! A peg whose sides are `a` from its axis in a hole whose sides are `a + c` from the same axis has
//! the gap c, at its sides; shifted by o towards a side, the gap is c − o.

use super::course::{Course, Station, shifted, turned};
use super::grid::{Grid, Second};
use super::{Case, Dice, Known};
use crate::turn::turn;
use glam::DVec3;
use impinge_geom::mesh::Mesh;
use std::f64::consts::PI;

/// A regular polygon, by its number of sides.
#[derive(Clone, Copy)]
pub(super) struct Polygon(pub(super) u32);

impl Polygon {
    pub(super) fn corners(self) -> Vec<[f64; 2]> {
        (0..self.0).map(|j| turn(j, self.0)).collect()
    }

    /// How much closer sides are than corners.
    pub(super) fn ratio(self) -> f64 {
        turn(1, 2 * self.0)[0]
    }

    /// The direction of a side.
    fn side(self, i: u32) -> DVec3 {
        let [c, s] = turn(2 * i + 1, 2 * self.0);
        DVec3::new(c, s, 0.0)
    }

    /// A prism whose corners are so far from the axis.
    pub(super) fn prism(self, corner: f64, z: [f64; 2], cuts: usize) -> Mesh {
        let second = Second::Turn(self.corners());
        Grid { first: vec![0.0, corner], second, z: z.to_vec(), cuts }.mesh(|_| true)
    }

    /// A plate from −`thick` to 0 with a hole whose sides are `side` from the axis.
    fn plate(self, side: f64, thick: f64, cuts: usize) -> Mesh {
        let (second, hole) = (Second::Turn(self.corners()), side / self.ratio());
        let grid = Grid { first: vec![hole, hole + 1.0], second, z: vec![-thick, 0.0], cuts };
        grid.mesh(|_| true)
    }
}

/// Straight through a hole that is larger by `c`, or to the plate that it does not get through.
pub(super) fn straight(dice: &mut Dice, c: f64) -> Case {
    let polygon = Polygon(dice.whole(3, 12));
    let [side, thick, long, above] =
        [0.5, 0.2, 0.4, 0.3].map(|least| dice.real(least, 2.0 * least));
    let way = above + thick + if dice.coin() { long + 0.2 } else { 0.0 };
    let pulled = c > 0.0 && dice.coin();
    let half = 0.5 * thick;
    let (start, leg, inside) =
        if pulled { (-half, half + above, 0.0) } else { (above, -way, (above + half) / way) };
    Case {
        names: ["plate", "peg"],
        rest: polygon.plate(side + c, thick, dice.cuts(6)),
        moving: polygon.prism(side / polygon.ratio(), [0.0, long], dice.cuts(6)),
        course: Course { start: at(0.0, start), legs: vec![shifted([0.0, 0.0, leg])] },
        truth: if c > 0.0 {
            Known::Free { clearance: c, at: (0, inside) }
        } else {
            Known::Contact { at: (0, above / way), speed: way }
        },
    }
}

/// Into a hole with room, but beside its axis or moved to the side within it: `c` is left there.
pub(super) fn offset(dice: &mut Dice, c: f64) -> Case {
    let polygon = Polygon(dice.whole(3, 12));
    let [side, thick, long, above] =
        [0.5, 0.2, 0.6, 0.3].map(|least| dice.real(least, 2.0 * least));
    let room = dice.real(0.11, 0.2);
    let by = polygon.side(dice.whole(0, polygon.0 - 1)) * (room - c);
    let down = above + thick + 0.1;
    let within = dice.coin();
    let push = shifted([0.0, 0.0, -down]);
    let out = shifted([0.0, 0.0, down]);
    let [to, back] = [by, -by].map(|shift| shifted(shift.to_array()));
    let start =
        Station { shift: DVec3::Z * above + if within { DVec3::ZERO } else { by }, turn: 0.0 };
    let contact = if within {
        Known::Contact { at: (1, room / (room - c)), speed: room - c }
    } else {
        Known::Contact { at: (0, above / down), speed: down }
    };
    Case {
        names: ["plate", "peg"],
        rest: polygon.plate(side + room, thick, dice.cuts(6)),
        moving: polygon.prism(side / polygon.ratio(), [0.0, long], dice.cuts(6)),
        course: Course {
            start,
            legs: if within { vec![push, to, back, out] } else { vec![push, out] },
        },
        truth: match c > 0.0 {
            true => Known::Free { clearance: c, at: (usize::from(within), 1.0) },
            false => contact,
        },
    }
}

/// Turned within a hole of as many sides, corners in corners at first: the corners pass the middles
/// of the sides at a gap of `c`, or hit them at the angle φ before, where R · cos φ is the distance
/// of the side.
pub(super) fn turning(dice: &mut Dice, c: f64) -> Case {
    let polygon = Polygon(dice.whole(3, 8));
    let step = PI / f64::from(polygon.0);
    // A peg that is too large for the sides must still be smaller than the corners.
    let most = 0.3 * (1.0 / polygon.ratio() - 1.0);
    let c = c.clamp(-most, most);
    let (side, corner) = (1.0, 1.0 - c);
    let [thick, above] = [dice.real(0.2, 0.5), dice.real(0.3, 0.6)];
    // Long enough to stay in the hole whatever it moves along meanwhile.
    let (down, long) = (above + thick + 0.4, thick + 0.8);
    let angle = step * dice.real(1.2, 1.9);
    let sign = dice.sign();
    let along = if dice.coin() { 0.0 } else { dice.real(-0.3, 0.3) };
    Case {
        names: ["plate", "peg"],
        rest: polygon.plate(side, thick, dice.cuts(6)),
        moving: polygon.prism(corner, [0.0, long], dice.cuts(6)),
        course: Course {
            start: at(0.0, above),
            legs: vec![shifted([0.0, 0.0, -down]), turned(sign * angle, along)],
        },
        truth: passing(1, [side, corner, step, angle]),
    }
}

/// What corners do that turn past a plane: which leg, how far the plane and the corners are from the
/// axis, from which angle to the plane's direction, by which angle.
pub(super) fn passing(leg: usize, [side, corner, from, angle]: [f64; 4]) -> Known {
    if side > corner {
        return Known::Free { clearance: side - corner, at: (leg, from / angle) };
    }
    let early = 2.0 * (0.5 * (corner - side) / corner).sqrt().asin();
    let speed = corner * early.sin() * angle;
    Known::Contact { at: (leg, (from - early) / angle), speed }
}

fn at(x: f64, z: f64) -> Station {
    Station { shift: DVec3::new(x, 0.0, z), turn: 0.0 }
}
