//! Bayonets: a plug with lugs, and a ring whose lip has slots for them.
//!
//! The sides of lugs and slots lie in planes through the axis, so that a plug that is turned meets a
//! slot at the difference of two angles, and at an angle δ before that the gap is r · sin δ, where r
//! is the inner radius of the lip: its corners are the nearest. All other gaps are wider.

use super::course::{Course, Station, direction, shifted, turned};
use super::grid::{Grid, Second};
use super::{Case, Dice, Known};
use crate::turn::sine;
use glam::DVec3;
use impinge_geom::mesh::Mesh;
use std::f64::consts::PI;

/// The lip and the groove below it; the core of the plug and its lugs.
const LIP: f64 = 1.0;
const GROOVE: f64 = 1.5;
const OUTER: f64 = 1.8;
const CORE: f64 = 0.6;
const LUG: f64 = 1.25;
/// No step around is wider, so that the facets are nowhere much nearer than the corners.
const STEP_MAX: f64 = 0.5;

/// What is wrong or right by `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    /// The angle at which a plug is pulled out that was turned back: the gap is near `c`.
    Pull,
    /// The depth to which a plug is pushed before it is turned: the gap is `c`.
    Depth,
    /// The angle at which a plug is pushed in: the gap is near `c`.
    Push,
}

/// Sizes along the axis and around it.
struct Fit {
    lugs: u32,
    /// Halves of the angles that a slot and a lug take.
    slot: f64,
    lug: f64,
    /// Heights of lip and lug.
    lip_high: f64,
    lug_high: f64,
}

impl Fit {
    fn draw(dice: &mut Dice) -> Self {
        let lugs = dice.whole(2, 6);
        let slot = PI / f64::from(lugs) * dice.real(0.35, 0.5);
        let [lip_high, lug_high] = [0.2; 2].map(|least| dice.real(least, 2.0 * least));
        Self { lugs, slot, lug: slot * dice.real(0.55, 0.7), lip_high, lug_high }
    }

    /// What a plug can be turned by in a slot, from its middle.
    fn play(&self) -> f64 {
        self.slot - self.lug
    }

    /// Half of the angle from one slot to the next.
    fn held(&self) -> f64 {
        PI / f64::from(self.lugs)
    }

    /// Directions around, with corners at both ends of what takes ± `half` in each pitch; and
    /// whether an interval is within that.
    fn around(&self, half: f64) -> (Vec<[f64; 2]>, impl Fn(usize) -> bool) {
        let pitch = 2.0 * self.held();
        let steps = |angle: f64| (angle / STEP_MAX).ceil().max(1.0) as usize;
        let (within, between) = (steps(2.0 * half), steps(pitch - 2.0 * half));
        let mut ways = Vec::new();
        for lug in 0..self.lugs {
            let middle = f64::from(lug) * pitch;
            let mut run = |from: f64, wide: f64, count: usize| {
                let angle = |i: usize| middle + from + wide * (i as f64 / count as f64);
                ways.extend((0..count).map(|i| direction(angle(i))));
            };
            run(-half, 2.0 * half, within);
            run(half, pitch - 2.0 * half, between);
        }
        (ways, move |i| i % (within + between) < within)
    }

    /// The lip is from −`lip_high` to 0, the groove open below.
    fn ring(&self, depth: f64, cuts: usize) -> Mesh {
        let (ways, slot) = self.around(self.slot);
        let grid = Grid {
            first: vec![LIP, GROOVE, OUTER],
            second: Second::Turn(ways),
            z: vec![-depth, -self.lip_high, 0.0],
            cuts,
        };
        grid.mesh(|[i, j, k]| i == 1 || (k == 1 && !slot(j)))
    }

    /// The lugs are from 0 to `lug_high`.
    fn plug(&self, cuts: usize) -> Mesh {
        let (ways, lug) = self.around(self.lug);
        let grid = Grid {
            first: vec![0.0, CORE, LUG],
            second: Second::Turn(ways),
            z: vec![0.0, self.lug_high, self.lug_high + self.lip_high + 0.5],
            cuts,
        };
        grid.mesh(|[i, j, k]| i == 0 || (k == 0 && lug(j)))
    }
}

/// A plug pushed in, turned, or pulled out.
pub(super) fn bayonet(dice: &mut Dice, c: f64, variant: Variant) -> Case {
    let fit = Fit::draw(dice);
    let (play, sign) = (fit.play(), dice.sign());
    // Left between lug and slot, as an angle; as wide as can be where that is not the question.
    let left = if variant == Variant::Depth { play } else { c.clamp(-0.5 * play, 0.8 * play) };
    let under = if variant == Variant::Depth { c } else { dice.real(0.11, 0.18) };
    let (above, off) = (dice.real(0.2, 0.4), sign * (play - left));
    let down = above + fit.lip_high + fit.lug_high + under;
    let [push, pull] = [-down, down].map(|z| shifted([0.0, 0.0, z]));
    let side_gap = LIP * sine(left);
    let clearance = side_gap.min(under);
    // In the middle of the lip; and held below it.
    let middle = (above + 0.5 * (fit.lip_high + fit.lug_high)) / down;
    let held = sign * fit.held();
    let (start, legs, at, contact) = match variant {
        Variant::Pull => (
            Station { shift: DVec3::Z * (above - down), turn: held },
            vec![turned(off - held, 0.0), pull],
            if side_gap < under { (1, 1.0 - middle) } else { (0, 0.0) },
            Known::Contact { at: (1, under / down), speed: down },
        ),
        Variant::Depth => (
            Station { shift: DVec3::Z * above, turn: 0.0 },
            vec![push, turned(held, 0.0)],
            if side_gap < under { (0, middle) } else { (1, 1.0) },
            Known::Contact { at: (1, play / fit.held()), speed: LIP * fit.held() },
        ),
        Variant::Push => (
            Station { shift: DVec3::Z * above, turn: off },
            vec![push, turned(held - off, 0.0)],
            if side_gap < under { (0, middle) } else { (1, 1.0) },
            Known::Contact { at: (0, above / down), speed: down },
        ),
    };
    let free = left > 0.0 && under > 0.0;
    Case {
        names: ["ring", "plug"],
        rest: fit.ring(down + 0.3, dice.cuts(2)),
        moving: fit.plug(dice.cuts(2)),
        course: Course { start, legs },
        truth: if free { Known::Free { clearance, at } } else { contact },
    }
}
