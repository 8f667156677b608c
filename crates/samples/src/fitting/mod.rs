//! Generated fitting checks whose answer is known in closed form.
//!
//! Pegs in holes, hooks in slots, boxes under ledges, bayonets, and things that pass each other:
//! all made of planes, so that gaps and times of contact are short formulas of their sizes. Any seed
//! makes a scene: of any size from 1e-3 to 1e3, anywhere and in any direction, in 1 to 40 pieces of
//! either kind of motion, with a gap on either side of the limit, down to a millionth of the size.
//! ```
//! use impinge_samples::fitting::{Truth, generated};
//! let made = generated(7);
//! match made.truth {
//!     Truth::Free { clearance, .. } => assert!(clearance > 0.0),
//!     Truth::Contact { time: [from, to] } => assert!(from < to),
//! }
//! ```

mod bayonet;
mod course;
mod grid;
mod passing;
mod peg;
mod slot;

use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::random::Random;
use crate::{Part, SampleScene};
use bayonet::Variant;
use course::{Course, Frame, Place};
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_scene::scene::fit::Fit;
use impinge_scene::units::Unit;
use std::collections::BTreeMap;

/// The kinds of scenes, in the order of the seeds: that of a seed is the remainder.
pub const FAMILIES: [&str; 12] = [
    "peg",
    "peg-offset",
    "peg-turn",
    "hook",
    "drawer",
    "glide",
    "bayonet-pull",
    "bayonet-depth",
    "bayonet-push",
    "fin",
    "cam",
    "rotor",
];

/// A fitting check and its answer.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Its family and seed.
    pub name: String,
    /// The bodies and the path: the first body rests, the second moves.
    pub scene: SampleScene,
    /// The answer.
    pub truth: Truth,
    /// How exact coordinates and thus gaps are: what rounding may change of a closed form.
    pub rounding: f64,
}

/// The answer of a fitting check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Truth {
    /// Nothing touches.
    Free {
        /// The least distance on the way.
        clearance: f64,
        /// A time of the path at which the distance is that.
        at: f64,
    },
    /// The bodies touch.
    Contact {
        /// They are apart before the first and touch at the second of these times of the path. What
        /// lies between is due to rounding.
        time: [f64; 2],
    },
}

/// A scene in units of its size, at the origin.
struct Case {
    /// Of the body at rest and of the moving one.
    names: [&'static str; 2],
    rest: Mesh,
    moving: Mesh,
    course: Course,
    truth: Known,
}

/// The answer by places of the way.
enum Known {
    Free {
        clearance: f64,
        at: Place,
    },
    /// How fast the bodies near each other then, as a distance per leg.
    Contact {
        at: Place,
        speed: f64,
    },
}

/// Random choices.
struct Dice(Random);

impl Dice {
    fn real(&mut self, min: f64, max: f64) -> f64 {
        min + (max - min) * self.0.unit()
    }

    fn whole(&mut self, min: u32, max: u32) -> u32 {
        self.0.between(min as i32, max as i32) as u32
    }

    fn coin(&mut self) -> bool {
        self.whole(0, 1) == 1
    }

    fn sign(&mut self) -> f64 {
        if self.coin() { 1.0 } else { -1.0 }
    }

    /// A power of ten.
    fn power(&mut self, min: i32, max: i32) -> f64 {
        let exponent = self.0.between(min, max);
        let power: f64 = (0..exponent.abs()).map(|_| 10.0).product();
        if exponent < 0 { 1.0 / power } else { power }
    }

    /// How fine a mesh is: coarse ones are as likely as all finer ones together.
    fn cuts(&mut self, max: u32) -> usize {
        if self.coin() { 1 } else { self.whole(1, max) as usize }
    }

    /// A gap of either sign, from a millionth to a tenth: every power of ten is as likely.
    fn gap(&mut self) -> f64 {
        let gap = match self.whole(0, 7) {
            0 => 1e-6,
            1 | 2 => self.real(0.02, 0.1),
            _ => self.real(1.0, 10.0) * self.power(-6, -2),
        };
        self.sign() * gap
    }

    /// Any direction of the axes; often that of the world.
    fn axes(&mut self) -> [f64; 4] {
        if self.coin() {
            return [1.0, 0.0, 0.0, 0.0];
        }
        let [x, y, z] = self.0.direction().to_array();
        [self.0.symmetric(), x, y, z]
    }
}

/// The scene of a seed; any number is one.
pub fn generated(seed: u64) -> Generated {
    let family = (seed % FAMILIES.len() as u64) as usize;
    let mut dice = Dice(Random(seed));
    let c = dice.gap();
    let case = case(family, &mut dice, c);
    let size = dice.real(1.0, 9.0) * dice.power(-3, 2);
    let far = [0.0, 1.0, 10.0, 30.0][dice.whole(0, 3) as usize] * size;
    let place = (dice.0.direction() * far).to_array();
    let world = Pose::new(dice.axes(), place).expect("a place near the origin");
    let axes = Pose::new(dice.axes(), [0.0; 3]).expect("a rotation");
    let begin = if dice.coin() { 0.0 } else { dice.real(-10.0, 10.0) };
    let span = [begin, begin + [1.0, 1.0, 0.01, 60.0][dice.whole(0, 3) as usize]];
    let name = format!("{}-{seed}", FAMILIES[family]);
    laid(&case, &Frame { world, size, axes, span }, &mut dice, name)
}

fn case(family: usize, dice: &mut Dice, c: f64) -> Case {
    match family {
        0 => peg::straight(dice, c),
        1 => peg::offset(dice, c),
        2 => peg::turning(dice, c),
        3 => slot::hook(dice, c),
        4 => slot::drawer(dice, c),
        5 => slot::glide(dice, c),
        6 => bayonet::bayonet(dice, c, Variant::Pull),
        7 => bayonet::bayonet(dice, c, Variant::Depth),
        8 => bayonet::bayonet(dice, c, Variant::Push),
        9 => passing::fin(dice, c),
        10 => passing::cam(dice, c),
        _ => passing::rotor(dice, c),
    }
}

/// The scene in the world.
fn laid(case: &Case, frame: &Frame, dice: &mut Dice, name: String) -> Generated {
    let (path, clock) = case.course.path(frame, &mut dice.0);
    let size = frame.size;
    let place: f64 = frame.world.translation().iter().map(|x| x.abs()).sum();
    // Some ten roundings on the way from sizes to placed corners; scenes are below 8 sizes wide.
    let rounding = 64.0 * f64::EPSILON * (place + 8.0 * size);
    let truth = match case.truth {
        Known::Free { clearance, at } => {
            Truth::Free { clearance: clearance * size, at: clock.time(at) }
        }
        Known::Contact { at: (leg, part), speed } => {
            let slack = rounding / (speed * size);
            let tick = 4.0 * f64::EPSILON * (frame.span[0].abs() + frame.span[1].abs());
            let [from, to] = [-slack, slack].map(|off| clock.time((leg, part + off)));
            Truth::Contact { time: [from - tick, to + tick] }
        }
    };
    let back = frame.axes.inverse();
    let own = |mesh: &Mesh, turn: &Pose| {
        let vertices = mesh.vertices().iter().map(|v| turn.rotate(&v.map(|x| x * size)));
        mesh.with_vertices(vertices.collect()).expect("as many finite vertices")
    };
    let [rest, moving] = case.names.map(str::to_owned);
    let start = *path.motions()[0].pose0();
    let parts = vec![
        Part { name: rest, mesh: own(&case.rest, &Pose::IDENTITY), pose: frame.world },
        Part { name: moving, mesh: own(&case.moving, &back), pose: start },
    ];
    let fit = Some(Fit { moving: vec![1], path, allowed: Vec::new() });
    Generated {
        name,
        scene: SampleScene { unit: Unit::Mm, parts, fit, frames: BTreeMap::new(), sim: None },
        truth,
        rounding,
    }
}

/// What can be set of the samples.
pub(crate) static PARAMETERS: [Parameter; 2] = [
    Parameter::real("clearance", "gap in mm; below 0: it does not fit", [0.1, -1.0, 1.0]),
    Parameter::count("seed", "another one of the same kind", [1, 0, 1_000_000]),
];

/// A sample of a family, about 10 mm large, along the axes of the world, in the time 0 to 1.
pub(crate) fn sample(values: &Values, family: &str) -> Result<SampleScene, SampleError> {
    let clearance = values.real("clearance");
    if clearance == 0.0 {
        return Err(values.conflict("a clearance other than 0 is needed".to_owned()));
    }
    let family = FAMILIES.iter().position(|name| *name == family).expect("a known family");
    let mut dice = Dice(Random(u64::from(values.whole("seed"))));
    let case = case(family, &mut dice, 0.1 * clearance);
    let [world, axes] = [Pose::IDENTITY; 2];
    let frame = Frame { world, size: 10.0, axes, span: [0.0, 1.0] };
    Ok(laid(&case, &frame, &mut dice, String::new()).scene)
}

#[cfg(test)]
mod tests;
