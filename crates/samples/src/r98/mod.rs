//! The scenes of [R98 §5]: bodies in random motion, combs of cones, and two hands that grasp a ball.
//!
//! The three convex shapes of [R98 §5.1] are here: flat ellipsoids, truncated cones with spherical caps,
//! and cones. Each comes with as many triangles as asked for if that number is even and has two factors
//! of about the right ratio, else with the next number that does; all counts of the paper's range from
//! 36 to 11 520 that are 36 times a power of four, and 11 520 itself, are met.

pub mod comb;
pub mod grasp;
pub mod random;

use crate::error::SampleError;
use crate::parameter::{Parameter, Values};
use crate::sphere::unit_sphere;
use crate::surface::{FACES_MAX, Surface};
use crate::turn::sine;
use crate::{Make, Sample};
use impinge_geom::mesh::Mesh;
use std::f64::consts::FRAC_PI_2;

pub(crate) const BODY: Sample = Sample {
    name: "r98-body",
    about: "flat ellipsoid, truncated cone with spherical caps, or cone, as in [R98 §5.1]",
    parameters: &BODY_PARAMETERS,
    make: Make::Mesh(|values| Shape::of(values).mesh(values.whole("triangles"))),
};

static BODY_PARAMETERS: [Parameter; 2] = [SHAPE, TRIANGLES];

const SHAPE: Parameter = Parameter::word("shape", "what bodies are", &Shape::NAMES);
const TRIANGLES: Parameter = Parameter::count(
    "triangles",
    "triangles of a body; if the count cannot be met, the next that can",
    [36, 12, FACES_MAX as u32],
);

/// The shapes of [R98 §5.1], all within a ball of radius 1 about the origin, their axis along z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A quarter as high as wide.
    Ellipsoids,
    /// Truncated, with spherical caps.
    CappedCones,
    /// Pointed.
    Cones,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ellipsoids, Self::CappedCones, Self::Cones];
    const NAMES: [&'static str; 3] = ["ellipsoids", "capped-cones", "cones"];

    fn of(values: &Values) -> Self {
        Self::ALL[values.whole("shape") as usize]
    }

    /// How it is asked for.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// A body of so many triangles, or a few more.
    pub fn mesh(self, triangles: u32) -> Result<Mesh, SampleError> {
        let (surface, size) = match self {
            Self::Ellipsoids => {
                let mut surface = unit_sphere(triangles);
                surface.vertices.iter_mut().for_each(|v| v[2] *= 0.25);
                (surface, [1.0, 1.0, 0.25])
            }
            Self::CappedCones => (capped(Division::of(triangles)), [0.5, 0.5, 1.0]),
            Self::Cones => (pointed(Division::of(triangles)), [0.5, 0.5, 1.0]),
        };
        surface.finish("r98-body", size)
    }
}

/// A solid of revolution whose profile has so many points off the axis: `2 · segments · rings` triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Division {
    segments: u32,
    rings: u32,
}

impl Division {
    /// The one with the fewest triangles that are enough and one to four times as many segments as
    /// rings; among equals the one nearest to twice as many.
    fn of(triangles: u32) -> Self {
        let mut half = triangles.div_ceil(2);
        // Ends soon: every number of the form 2n² has such a division.
        loop {
            let exact = (1..=half.isqrt())
                .filter(|rings| half.is_multiple_of(*rings))
                .map(|rings| Self { segments: half / rings, rings })
                .filter(|d| d.segments >= 3 && d.segments <= 4 * d.rings)
                .min_by_key(|d| {
                    u64::from(d.segments.abs_diff(2 * d.rings)) * 1_000_000 / u64::from(d.rings)
                });
            if let Some(found) = exact {
                return found;
            }
            half += 1;
        }
    }
}

/// A cone with its point at z = 1 and its base, of radius 1/2, at z = −3/4: that is within the ball.
fn pointed(division: Division) -> Surface {
    let rings = f64::from(division.rings);
    let mut profile = vec![[0.0, -0.75]];
    profile.extend((0..division.rings).map(|i| {
        let part = f64::from(i) / rings;
        [0.5 * (1.0 - part), -0.75 + 1.75 * part]
    }));
    profile.push([0.0, 1.0]);
    Surface::revolved(&profile, division.segments)
}

/// Radii and heights of the balls that make up a capped cone, which is their convex hull.
const BALLS: [[f64; 2]; 2] = [[0.5, -0.5], [0.25, 0.75]];

/// The hull of two balls: two spherical caps and the cone that touches both.
fn capped(division: Division) -> Surface {
    let [[low, z_low], [high, z_high]] = BALLS;
    let length = z_high - z_low;
    // How far normals of the cone point up: its sine, and the angle, by its series (it is 0.2).
    let up = (low - high) / length;
    let tilt = up + up.powi(3) / 6.0 + 3.0 * up.powi(5) / 40.0 + 15.0 * up.powi(7) / 336.0;
    let arcs = [low * (FRAC_PI_2 + tilt), high * (FRAC_PI_2 - tilt)];
    let mantle = (length * length - (low - high) * (low - high)).sqrt();
    // As many points on each part as it is long.
    let all = f64::from(division.rings);
    let share = |part: f64| ((all * part / (arcs[0] + arcs[1] + mantle)).round() as u32).max(1);
    let [a, b] = if division.rings < 2 { [1, 0] } else { arcs.map(share) };
    let c = division.rings - (a + b).min(division.rings);
    let on = |[radius, z]: [f64; 2], angle: f64| {
        [radius * sine(angle + FRAC_PI_2), z + radius * sine(angle)]
    };
    let mut profile = vec![[0.0, z_low - low]];
    let step = |i: u32, n: u32| f64::from(i) / f64::from(n.max(1));
    profile.extend((1..=a).map(|i| on(BALLS[0], -FRAC_PI_2 + (FRAC_PI_2 + tilt) * step(i, a))));
    let [from, to] = BALLS.map(|ball| on(ball, tilt));
    profile.extend((1..=c).map(|i| {
        let part = step(i, c + 1);
        [0, 1].map(|k| from[k] + (to[k] - from[k]) * part)
    }));
    profile.extend((0..b).map(|i| on(BALLS[1], tilt + (FRAC_PI_2 - tilt) * step(i, b))));
    profile.push([0.0, z_high + high]);
    Surface::revolved(&profile, division.segments)
}

#[cfg(test)]
mod tests;
