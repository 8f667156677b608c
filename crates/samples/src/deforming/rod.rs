//! A square rod along z that is twisted one way and the other: its sections turn in their planes.

use super::{Deforming, PHASE, Shape, cosine};
use crate::blocks::union;
use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::turn::sine;
use impinge_geom::Point;
use std::f64::consts::TAU;

/// Half its length; it is 1 thick.
const HALF: f64 = 4.0;

pub(crate) static PARAMETERS: [Parameter; 3] = [
    Parameter::count("faces", "faces; an odd number is rounded up", [2000, 400, 1_000_000]),
    Parameter::real("turns", "turns of one end against the other", [1.0, 0.0, 2.0]),
    PHASE,
];

/// How far a rod is twisted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rod {
    turns: f64,
}

impl Rod {
    pub(crate) fn deforming(values: &Values) -> Result<Deforming, SampleError> {
        let rest = union(&[[[-0.5, -0.5, -HALF], [0.5, 0.5, HALF]]]).refined(values.whole("faces"));
        let shape = Shape::Rod(Self { turns: values.real("turns") });
        Deforming::new(values, rest, (shape, [1.0, 1.0, 2.0 * HALF]))
    }

    pub(super) fn at(self, phase: f64) -> impl Fn(Point) -> Point {
        let angle = TAU * self.turns * sine(TAU * phase) / (2.0 * HALF);
        move |[x, y, z]| {
            let (c, s) = (cosine(angle * z), sine(angle * z));
            [x * c - y * s, x * s + y * c, z]
        }
    }
}
