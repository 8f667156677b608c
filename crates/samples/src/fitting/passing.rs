//! What passes by, or hits for a short while only: a thin fin and a thin blade, a corner that turns
//! past a wall, a narrow rotor over a narrow post. Poses that are sampled tell little about them.

use super::course::{Course, Station, direction, shifted, turned};
use super::grid::{Grid, Second, cuboid};
use super::peg::{Polygon, passing};
use super::{Case, Dice, Known};
use glam::DVec3;
use std::f64::consts::PI;

/// A thin fin moves across the upper edge of a thin blade, `c` above it. Contact lasts as long as it
/// takes to pass both thicknesses.
pub(super) fn fin(dice: &mut Dice, c: f64) -> Case {
    let [fin, blade] = [(); 2].map(|()| dice.real(1.0, 9.0) * dice.power(-5, -3));
    let [high, half, before] = [0.5, 0.2, 0.2].map(|least| dice.real(least, 2.0 * least));
    let way = before + fin + blade + dice.real(0.2, 1.0);
    let aside = dice.real(-0.1, 0.1);
    Case {
        names: ["blade", "fin"],
        rest: cuboid([[0.0, blade], [-0.5, 0.5], [-1.0, 0.0]], dice.cuts(8)),
        moving: cuboid([[-fin, 0.0], [-half, half], [0.0, high]], dice.cuts(8)),
        course: Course {
            start: Station { shift: DVec3::new(-before, 0.0, c), turn: 0.0 },
            legs: vec![shifted([way, aside, 0.0]), shifted([0.0, 0.0, 0.5])],
        },
        truth: if c > 0.0 {
            Known::Free { clearance: c, at: (0, (before + 0.5 * (fin + blade)) / way) }
        } else {
            Known::Contact { at: (0, before / way), speed: way }
        },
    }
}

/// A prism turns beside a wall; its corners pass at a gap of `c`, or hit the wall at the angle φ
/// before, where R · cos φ is the distance of the wall.
pub(super) fn cam(dice: &mut Dice, c: f64) -> Case {
    let polygon = Polygon(dice.whole(3, 6));
    let step = PI / f64::from(polygon.0);
    let c = c.clamp(-0.04, 0.1);
    let (wall, corner) = (1.0, 1.0 - c);
    // The first corner is that in the direction 0, the wall is at x = 1.
    let from = step * dice.real(0.8, 1.0);
    let angle = from + step * dice.real(0.3, 0.8);
    let sign = dice.sign();
    let along = if dice.coin() { 0.0 } else { dice.real(-0.2, 0.2) };
    Case {
        names: ["wall", "cam"],
        rest: cuboid([[wall, wall + 0.3], [-1.0, 1.0], [-0.6, 0.6]], dice.cuts(8)),
        moving: polygon.prism(corner, [-0.3, 0.3], dice.cuts(6)),
        course: Course {
            start: Station { shift: DVec3::ZERO, turn: -sign * from },
            legs: vec![turned(sign * angle, along)],
        },
        truth: passing(0, [wall, corner, from, angle]),
    }
}

/// A narrow blade of a rotor turns over a narrow post, `c` above it. Both have sides in planes
/// through the axis, so that contact begins where these planes are one.
pub(super) fn rotor(dice: &mut Dice, c: f64) -> Case {
    let [blade, post] = [(); 2].map(|()| dice.real(1.0, 9.0) * dice.power(-5, -3));
    let before = dice.real(0.5, 1.2);
    let angle = before + dice.real(0.3, 1.2);
    let sign = dice.sign();
    // From the axis: the blade begins, the post begins, the blade ends, the post ends.
    let [inner, near, far, outer] = [0.5, 0.7, 1.0, 1.4];
    let mut sector = |half: f64, first: [f64; 2], z: [f64; 2]| {
        let second = Second::Sector([-half, half].map(direction).to_vec());
        let grid = Grid { first: first.to_vec(), second, z: z.to_vec(), cuts: dice.cuts(8) };
        grid.mesh(|_| true)
    };
    Case {
        names: ["post", "rotor"],
        rest: sector(post, [near, outer], [-0.5, 0.0]),
        moving: sector(blade, [inner, far], [0.0, 0.3]),
        course: Course {
            start: Station { shift: DVec3::Z * c, turn: -sign * before },
            legs: vec![turned(sign * angle, 0.0)],
        },
        truth: if c > 0.0 {
            Known::Free { clearance: c, at: (0, before / angle) }
        } else {
            let at = (0, (before - blade - post) / angle);
            Known::Contact { at, speed: near * angle }
        },
    }
}
