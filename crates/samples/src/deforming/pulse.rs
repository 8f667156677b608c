//! A sphere that swells, shrinks and grows bulges: each vertex keeps its direction from the middle, so
//! the surface cannot meet itself.

use super::{Deforming, PHASE, Shape, there_and_back};
use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::sphere::unit_sphere;
use crate::surface::FACES_MAX;
use crate::turn::sine;
use impinge_geom::Point;
use std::f64::consts::TAU;

pub(crate) static PARAMETERS: [Parameter; 3] = [
    Parameter::count(
        "faces",
        "faces; if the count cannot be met, the next that can",
        [960, 8, FACES_MAX as u32],
    ),
    Parameter::length("radius", "radius on average", 1.0),
    PHASE,
];

/// How a sphere pulsates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pulse {
    radius: f64,
}

impl Pulse {
    pub(crate) fn deforming(values: &Values) -> Result<Deforming, SampleError> {
        let radius = values.real("radius");
        let rest = unit_sphere(values.whole("faces"));
        Deforming::new(values, rest, (Shape::Pulse(Self { radius }), [2.0 * radius; 3]))
    }

    pub(super) fn at(self, phase: f64) -> impl Fn(Point) -> Point {
        let (size, bulge) = (0.25 * sine(TAU * phase), 0.25 * there_and_back(phase));
        move |[x, y, z]| {
            // Four of the eight octants bulge, by at most 27^½ · |xyz| = 1.
            let height = self.radius * (1.0 + size + bulge * 27f64.sqrt() * x * y * z);
            [x * height, y * height, z * height]
        }
    }
}
