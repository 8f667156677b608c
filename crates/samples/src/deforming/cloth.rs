//! A square sheet that falls on a ball and drapes over it, then is lifted off again.
//!
//! Lines from the middle of the sheet lie on the ball up to an angle that grows with time, and go on
//! straight along the ball's tangent. Further out there is more cloth around than room, so it is laid
//! into folds, outward only, as high as the length of the cloth asks for. Every point stays in the
//! half plane that it lies in from the start, and along each line it only ever goes outward or down,
//! so the sheet does not meet itself.

use super::{Deforming, PHASE, Shape, cosine, smooth, there_and_back};
use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::surface::Surface;
use crate::turn::sine;
use impinge_geom::Point;

/// Half the side of the sheet; the ball has a radius of 1.
const HALF: f64 = 2.5;
/// How high above the ball it begins to fall.
const HEIGHT: f64 = 0.75;
/// Which part of the way down is the fall.
const FALL: f64 = 0.2;
/// How far around the ball it lies at last, in radians.
const ANGLE_MAX: f64 = 1.45;
/// Ripples around; a power of two.
const FOLDS: f64 = 8.0;

pub(crate) static PARAMETERS: [Parameter; 2] = [
    Parameter::count(
        "faces",
        "faces; if the count cannot be met, the next that can",
        [20_000, 400, 1_000_000],
    ),
    PHASE,
];

/// A sheet of cloth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cloth;

impl Cloth {
    pub(crate) fn deforming(values: &Values) -> Result<Deforming, SampleError> {
        Deforming::new(values, sheet(values.whole("faces")), (Shape::Cloth(Self), [4.0; 3]))
    }

    pub(super) fn at(self, phase: f64) -> impl Fn(Point) -> Point {
        let way = there_and_back(phase);
        let above = 1.0 - smooth(way / FALL);
        let angle = ANGLE_MAX * smooth((way - FALL) / (1.0 - FALL));
        let (c, s) = (cosine(angle), sine(angle));
        move |[x, y, _]| {
            let rho = (x * x + y * y).sqrt();
            let free = rho - angle;
            let (radius, z) = if free <= 0.0 {
                (sine(rho), cosine(rho))
            } else {
                let radius = s + free * c;
                (radius + fold(rho, radius, x / rho) * smooth(free), c - free * s)
            };
            let scale = if rho > 0.0 { radius / rho } else { 1.0 };
            [x * scale, y * scale, z + HEIGHT * above]
        }
    }
}

/// How far out the cloth is at a place that is `rho` from its middle and `radius` from the axis, so
/// that a wave all around is about as long as the cloth there: with a height `a` of the wave, the mean
/// radius `m = radius + a`, and the length of a flat wave, `m² + (FOLDS·a/2)² = rho·m`.
fn fold(rho: f64, radius: f64, cosine: f64) -> f64 {
    let square = 1.0 + 0.25 * FOLDS * FOLDS;
    let half = radius - 0.5 * rho;
    let more = (radius * (rho - radius)).max(0.0);
    let height = ((half * half + square * more).sqrt() - half) / square;
    let double = |c: f64| 2.0 * c * c - 1.0;
    height.max(0.0) * (1.0 + double(double(double(cosine))))
}

/// A flat sheet of at least so many faces, cut along diagonals that go to and fro.
fn sheet(faces: u32) -> Surface {
    let cells = faces.div_ceil(2);
    let root = f64::from(cells).sqrt() as u32;
    // The fewest faces with cells that are at most a third longer than wide.
    let columns = (3 * root / 4..=root).rev().min_by_key(|n| n * cells.div_ceil(*n));
    let columns = columns.unwrap_or(root);
    let rows = cells.div_ceil(columns);
    let place = |i: u32, n: u32| HALF * (2.0 * f64::from(i) / f64::from(n) - 1.0);
    let mut surface = Surface::default();
    for j in 0..=rows {
        surface.vertices.extend((0..=columns).map(|i| [place(i, columns), place(j, rows), 0.0]));
    }
    for j in 0..rows {
        for i in 0..columns {
            let a = j * (columns + 1) + i;
            let [b, c, d] = [a + 1, a + columns + 2, a + columns + 1];
            let cut =
                if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            surface.triangles.extend(cut);
        }
    }
    surface
}
