//! A hand whose fingers bend, as worn by the users of [K98 §4.3]: a palm, four fingers of three joints
//! and a thumb of two, one closed surface.
//!
//! It is made of boxes, cut fine, and rounded. A finger bends along arcs in one plane whose radius is
//! larger than half its thickness, so that it is nowhere folded over.

use super::{Deforming, PHASE, Shape, cosine, smooth, there_and_back};
use crate::blocks::{Block, union};
use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::turn::sine;
use glam::DVec2;
use impinge_geom::Point;

/// The palm reaches from the wrist at y = 0 to here, and so far to either side.
const PALM: f64 = 8.0;
const SIDE: f64 = 3.75;
/// Half of what everything is thick.
const THICK: f64 = 0.75;
/// Half of what fingers are wide, and how far they taper.
const WIDE: f64 = 0.75;
const TAPER: f64 = 0.25;

/// The middle of a finger across its length, and its length.
struct Finger {
    middle: f64,
    length: f64,
    /// When it bends, in parts of a period after the first.
    lag: f64,
}

const FINGERS: [Finger; 4] = [
    Finger { middle: -3.0, length: 6.5, lag: 0.09 },
    Finger { middle: -1.0, length: 7.5, lag: 0.06 },
    Finger { middle: 1.0, length: 7.0, lag: 0.03 },
    Finger { middle: 3.0, length: 5.5, lag: 0.0 },
];
/// It goes along −x from the side of the palm.
const THUMB: Finger = Finger { middle: 3.0, length: 5.5, lag: 0.12 };

/// Where a finger bends, in parts of its length, and by how many radians.
struct Joint {
    from: f64,
    to: f64,
    angle: f64,
}

const JOINTS: [Joint; 3] = [
    Joint { from: 0.0625, to: 0.375, angle: 1.2 },
    Joint { from: 0.4375, to: 0.71875, angle: 1.5 },
    Joint { from: 0.75, to: 0.9375, angle: 0.8 },
];
const THUMB_JOINTS: [Joint; 2] =
    [Joint { from: 0.125, to: 0.4375, angle: 0.6 }, Joint { from: 0.5625, to: 0.875, angle: 0.8 }];

pub(crate) static PARAMETERS: [Parameter; 2] =
    [Parameter::count("faces", "faces; an odd number is rounded up", [960, 400, 40_000]), PHASE];

/// A hand: all there is to know of it is above.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hand;

impl Hand {
    /// The wrist at y = 0, fingers along y, the thumb to −x; fingers bend towards +z.
    pub(crate) fn deforming(values: &Values) -> Result<Deforming, SampleError> {
        let mut blocks: Vec<Block> = vec![[[-SIDE, 0.0, -THICK], [SIDE, PALM, THICK]]];
        blocks.extend(FINGERS.map(|Finger { middle, length, .. }| {
            [[middle - WIDE, PALM, -THICK], [middle + WIDE, PALM + length, THICK]]
        }));
        let thumb = [-SIDE - THUMB.length, THUMB.middle - WIDE, -THICK];
        blocks.push([thumb, [-SIDE, THUMB.middle + WIDE, THICK]]);
        let rest = union(&blocks).refined(values.whole("faces"));
        Deforming::new(values, rest, (Shape::Hand(Self), [16.0; 3]))
    }

    pub(super) fn at(self, phase: f64) -> impl Fn(Point) -> Point {
        let bent = |finger: &Finger| there_and_back(phase - finger.lag);
        let (fingers, thumb) = (FINGERS.map(|finger| bent(&finger)), bent(&THUMB));
        move |[x, y, z]| {
            if y > PALM {
                let nearest = (0..3).filter(|&k| x > FINGERS[k].middle + 1.0).count();
                let finger = &FINGERS[nearest];
                let [across, along, z] = finger.round([x - finger.middle, y - PALM, z]);
                let DVec2 { x: along, y: z } = finger.bend(&JOINTS, fingers[nearest], [along, z]);
                return [finger.middle + across, PALM + along, z];
            }
            if x < -SIDE {
                let [across, along, z] = THUMB.round([y - THUMB.middle, -SIDE - x, z]);
                let DVec2 { x: along, y: z } = THUMB.bend(&THUMB_JOINTS, thumb, [along, z]);
                return [-SIDE - along, THUMB.middle + across, z];
            }
            // The palm is thicker in its middle.
            let (u, v) = (x / SIDE, 2.0 * y / PALM - 1.0);
            [x, y, z * (1.0 + 0.375 * (1.0 - u * u) * (1.0 - v * v))]
        }
    }
}

impl Finger {
    /// From a square section to a round one with a round end, gradually from where it begins.
    fn round(&self, [across, along, z]: Point) -> Point {
        let tip = self.length - THICK;
        let taper = 1.0 - TAPER * along / self.length;
        let [u, v] = [across / WIDE, z / THICK];
        let t = ((along - tip) / THICK).max(0.0);
        let [u2, v2, t2] = [u * u, v * v, t * t];
        // A cube mapped onto a ball, of which this is one half; a square onto a disc where t is 0.
        let onto = |a: f64, b: f64| (1.0 - 0.5 * (a + b) + a * b / 3.0).sqrt();
        let share = smooth(along);
        let mixed = |flat: f64, factor: f64| flat * (1.0 + share * (factor - 1.0));
        let end = if t > 0.0 { tip + THICK * t * onto(u2, v2) } else { along };
        [mixed(across, onto(v2, t2) * taper), end, mixed(z, onto(u2, t2) * taper)]
    }

    /// Where a point is, that is so far along the finger and above its middle line, when all joints are
    /// bent by a part of their angles.
    fn bend(&self, joints: &[Joint], part: f64, [along, above]: [f64; 2]) -> DVec2 {
        let (mut at, mut heading, mut reached) = (DVec2::ZERO, 0.0, 0.0);
        let way = |angle: f64| DVec2::new(cosine(angle), sine(angle));
        for joint in joints {
            let [from, to] = [joint.from, joint.to].map(|x| x * self.length);
            at += way(heading) * (along.min(from) - reached);
            reached = along.min(from);
            let arc = along.min(to) - reached;
            let turned = part * joint.angle * arc / (to - from);
            // The chord of the arc.
            at += way(heading + 0.5 * turned) * (arc * sine_over(0.5 * turned));
            (heading, reached) = (heading + turned, reached + arc);
        }
        at + way(heading) * (along - reached) + way(heading).perp() * above
    }
}

/// sin x / x.
fn sine_over(x: f64) -> f64 {
    if x.abs() < 1e-4 { 1.0 - x * x / 6.0 } else { sine(x) / x }
}
