//! What is made of boxes and shifted along the axes: hooks in slots, a drawer under a ledge, a slide
//! just above a plate. All gaps are differences of coordinates.

use super::course::{Course, Station, shifted};
use super::grid::{Grid, Second, cuboid};
use super::{Case, Dice, Known};
use glam::DVec3;

/// An L or a T whose foot goes down through a slot, then to the side below the plate, then up by
/// some of what is left. `c` is the gap between foot and plate, measured along z: the foot is lowered
/// by so much more than needed; or, if it is lowered enough, so much is left after it is raised.
pub(super) fn hook(dice: &mut Dice, c: f64) -> Case {
    let [foot, thick, low, above, half] =
        [0.6, 0.2, 0.15, 0.3, 0.2].map(|least| dice.real(least, 2.0 * least));
    let stem = 0.25 * foot;
    let before = foot * [0.0, 0.2, 0.3][dice.whole(0, 2) as usize];
    let room = dice.real(0.03, 0.1);
    let aside = room + foot * dice.real(0.15, 0.25);
    // Between the stem and the slot at last.
    let stem_room = foot + room - aside - before - stem;
    let raised = dice.coin();
    let under = if raised { dice.real(0.11, 0.2) } else { c };
    let down = above + thick + low + under;
    let mut legs = vec![shifted([0.0, 0.0, -down]), shifted([aside, 0.0, 0.0])];
    if raised {
        legs.push(shifted([0.0, 0.0, under - c]));
        // The same way back, so that a path does not end at its nearest point.
        legs.push(shifted([0.0, 0.0, c - under]));
    }
    let contact = if raised {
        Known::Contact { at: (2, under / (under - c)), speed: under - c }
    } else {
        Known::Contact { at: (1, room / aside), speed: aside }
    };
    let clearance = c.min(room).min(stem_room);
    let at = if clearance < c && clearance == room {
        (0, (above + 0.5 * thick) / down)
    } else {
        (if raised { 2 } else { 1 }, 1.0)
    };
    let mut x = vec![0.0, before, before + stem, foot];
    x.dedup();
    let first_stem = x.len() - 3;
    let piece = Grid {
        first: x,
        second: Second::Planes(vec![-half, half]),
        z: vec![0.0, low, low + thick + 0.5],
        cuts: dice.cuts(5),
    };
    let wide = half + 0.3;
    let plate = Grid {
        first: vec![-room - 0.5, -room, foot + room, foot + room + 0.5],
        second: Second::Planes(vec![-wide - 0.5, -wide, wide, wide + 0.5]),
        z: vec![-thick, 0.0],
        cuts: dice.cuts(4),
    };
    Case {
        names: ["plate", "hook"],
        rest: plate.mesh(|[i, j, _]| [i, j] != [1, 1]),
        moving: piece.mesh(|[i, _, k]| k == 0 || i == first_stem),
        course: Course { start: at_height(above), legs },
        truth: if c > 0.0 { Known::Free { clearance, at } } else { contact },
    }
}

/// A box pushed into a shelf below the ledge of its roof, then lifted behind the ledge. `c` is the
/// gap below the ledge, or what the box is further in than the ledge when it is lifted.
pub(super) fn drawer(dice: &mut Dice, c: f64) -> Case {
    let [ledge, long, before, hang, high] =
        [0.1, 0.5, 0.2, 0.45, 1.2].map(|least| dice.real(least, 1.5 * least));
    let [floor_gap, back_gap, roof_gap] = [0.12; 3].map(|least| dice.real(least, 2.0 * least));
    let lifted_early = dice.coin();
    let (under, past) = match lifted_early {
        true => (dice.real(0.05, 0.1), c),
        false => (c, dice.real(0.12, 0.2)),
    };
    let top = high - hang - under;
    let way = before + long + ledge + past;
    let lift = hang + under - roof_gap;
    let wall = ledge + long + past.max(0.0) + back_gap;
    let half = dice.real(0.2, 0.6);
    let contact = if lifted_early {
        Known::Contact { at: (1, under / lift), speed: lift }
    } else {
        Known::Contact { at: (0, before / way), speed: way }
    };
    let at = if under < past { (0, (before + 0.5 * ledge) / way) } else { (1, 1.0) };
    let shelf = Grid {
        first: vec![0.0, ledge, wall, wall + 0.2],
        second: Second::Planes(vec![-0.4, 0.4]),
        z: vec![-0.2, 0.0, high - hang, high, high + 0.2],
        cuts: dice.cuts(4),
    };
    let solid = |[i, _, k]: [usize; 3]| k == 0 || k == 3 || i == 2 || (i == 0 && k == 2);
    Case {
        names: ["shelf", "box"],
        rest: shelf.mesh(solid),
        moving: cuboid([[-long, 0.0], [-half, half], [0.0, top - floor_gap]], dice.cuts(8)),
        course: Course {
            start: Station { shift: DVec3::new(-before, 0.0, floor_gap), turn: 0.0 },
            legs: vec![shifted([way, 0.0, 0.0]), shifted([0.0, 0.0, lift])],
        },
        truth: if c > 0.0 { Known::Free { clearance: under.min(past), at } } else { contact },
    }
}

/// A box that glides over a plate and comes down to a gap of `c`, or for a moment into the plate.
pub(super) fn glide(dice: &mut Dice, c: f64) -> Case {
    let [long, half, high] = [0.3, 0.2, 0.1].map(|least| dice.real(least, 4.0 * least));
    let gap = dice.real(0.11, 0.3);
    let (way, aside) = (dice.real(1.0, 3.0), dice.real(-0.3, 0.3));
    // Back at that height; or up again, so that what is hit is left at once.
    let back = if c > 0.0 { 0.0 } else { gap - c };
    let legs = vec![shifted([way, aside, c - gap]), shifted([-way, 0.0, back])];
    let edge = 4.0 * dice.real(1.0, 2.0);
    Case {
        names: ["plate", "slide"],
        rest: cuboid([[-edge, edge], [-edge, edge], [-0.5, 0.0]], dice.cuts(10)),
        moving: cuboid([[0.0, long], [-half, half], [0.0, high]], dice.cuts(8)),
        course: Course { start: at_height(gap), legs },
        truth: if c > 0.0 {
            Known::Free { clearance: c, at: (0, 1.0) }
        } else {
            Known::Contact { at: (0, gap / (gap - c)), speed: gap - c }
        },
    }
}

pub(super) fn at_height(z: f64) -> Station {
    Station { shift: DVec3::Z * z, turn: 0.0 }
}
