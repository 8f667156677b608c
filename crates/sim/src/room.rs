//! The room: a box with walls that throw bodies back [V00 §7].

use crate::error::SimError;
use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::pose::Pose;

/// A box along the axes of the world.
///
/// Invariant: finite, and every side has a length above zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    min: Point,
    max: Point,
}

/// When a body has reached a wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WallTest {
    /// When its outermost vertex has.
    #[default]
    Extent,
    /// When the sphere about its centre of mass has, as [V00 §7] tests bounding volumes.
    Sphere,
}

/// Put back bodies stand off by this part of the room's size, so that rounding leaves them inside.
pub(crate) const STANDOFF: f64 = 1e-12;

/// How far a body reaches along an axis, and which way it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) velocity: f64,
}

/// What a wall does to a body along its normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rebound {
    pub(crate) shift: f64,
    pub(crate) velocity: f64,
    pub(crate) upper: bool,
}

/// What happens to speed at a wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounce {
    pub(crate) restitution: f64,
    /// The acceleration along the axis.
    pub(crate) pull: f64,
    /// What the integrator keeps is the energy plus this times `pull · velocity`.
    pub(crate) lag: f64,
}

impl Room {
    /// From one corner to the other.
    pub fn new(min: impl Into<Point>, max: impl Into<Point>) -> Result<Self, SimError> {
        let (min, max) = (min.into(), max.into());
        let sound = (0..3).all(|k| min[k] < max[k] && (max[k] - min[k]).is_finite());
        if sound { Ok(Self { min, max }) } else { Err(SimError::Room { min, max }) }
    }

    /// The lower corner.
    pub fn min(&self) -> Point {
        self.min
    }

    /// The upper corner.
    pub fn max(&self) -> Point {
        self.max
    }

    /// Whether a sphere is certainly inside.
    #[inline]
    pub(crate) fn holds(&self, center: DVec3, radius: f64) -> bool {
        let (min, max) = (DVec3::from(self.min), DVec3::from(self.max));
        (center - radius).cmpge(min).all() && (center + radius).cmple(max).all()
    }

    /// What happens along an axis to a body that reaches beyond a wall, or nothing. It goes back as far
    /// as it is beyond, for that is where it would be had it turned in between; one that is moving
    /// inward already, or only turned into the wall, is put at the wall.
    pub(crate) fn rebound(&self, k: usize, at: Crossing, bounce: Bounce) -> Option<Rebound> {
        let standoff = STANDOFF * (self.max[k] - self.min[k]);
        let (below, above) = (self.min[k] - at.from, at.to - self.max[k]);
        let upper = above > 0.0;
        let beyond = if upper { above } else { below };
        if beyond <= 0.0 {
            return None;
        }
        let sign = if upper { -1.0 } else { 1.0 };
        // From here on as if it were the lower wall.
        let outward = -sign * at.velocity;
        let spare = (self.max[k] - self.min[k]) - (at.to - at.from);
        let mirrored = beyond * (1.0 + bounce.restitution);
        let shift = if outward > 0.0 { mirrored } else { beyond } + standoff;
        let shift = shift.min((beyond + spare - standoff).max(beyond + 0.5 * spare));
        let velocity = if outward > 0.0 {
            bounce.speed_after(outward, sign * bounce.pull, shift)
        } else {
            -outward
        };
        Some(Rebound { shift: sign * shift, velocity: sign * velocity, upper })
    }
}

impl Bounce {
    /// The inward speed of a body that came with `outward` and was shifted inward; `pull` is the
    /// acceleration inward. What the integrator
    /// keeps of the energy is the same before and after, or `restitution`² of the speed's part.
    pub(crate) fn speed_after(&self, outward: f64, pull: f64, shift: f64) -> f64 {
        let Self { restitution, lag, .. } = *self;
        if pull == 0.0 {
            return restitution * outward;
        }
        let kept = outward * outward * (restitution * restitution);
        // v² + 2·lag·pull·v is to be what it was, less what the shift took.
        let before = kept - 2.0 * lag * pull * outward * restitution + 2.0 * pull * shift;
        let half = lag * pull;
        let root = (half * half + before).max(0.0).sqrt();
        (root - half).max(0.0)
    }
}

/// The least and largest coordinate of posed points along an axis.
pub(crate) fn extent(pose: &Pose, points: &[Point], k: usize) -> (f64, f64) {
    let ([m0, m1, m2], shift) = (pose.matrix()[k], pose.translation()[k]);
    let along = |&[x, y, z]: &Point| ((m0 * x + m1 * y) + m2 * z) + shift;
    points
        .iter()
        .map(along)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(from, to), x| (from.min(x), to.max(x)))
}
