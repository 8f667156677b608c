//! A motion at one instant, to the first order: where the body is and how it moves on.
//!
//! A point at `x` moves with `spin × (x − pivot) + drift`. Its acceleration is `|spin|²` times its
//! distance from the axis, which is the same at all times, so that by Taylor it is never farther than
//! half of that times τ² from where its velocity takes it in the time τ.

use super::{Motion, norm1};
use crate::Point;
use crate::pose::Pose;
use glam::DVec3;

/// How a rigid body gets through a step.
#[derive(Clone, Copy, Debug)]
pub enum Travel<'a> {
    /// It stays where it is.
    Still(&'a Pose),
    /// It moves.
    Moving(&'a Motion),
}

/// A body at one instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) pose: Pose,
    /// The direction of the axis, times the angle per unit of time.
    pub(crate) spin: DVec3,
    /// A point of the axis.
    pub(crate) pivot: DVec3,
    /// How the axis moves.
    pub(crate) drift: DVec3,
}

impl Moment {
    /// The velocity of what is at a place of the world.
    #[inline]
    pub(crate) fn velocity(&self, place: DVec3) -> DVec3 {
        self.spin.cross(place - self.pivot) + self.drift
    }
}

impl Travel<'_> {
    /// The pose at a time.
    pub fn pose_at(&self, time: f64) -> Pose {
        match self {
            Self::Still(pose) => **pose,
            Self::Moving(motion) => motion.pose_at(time),
        }
    }

    pub(crate) fn moment(&self, time: f64) -> Moment {
        let pose = self.pose_at(time);
        match self {
            Self::Still(_) => {
                Moment { pose, spin: DVec3::ZERO, pivot: DVec3::ZERO, drift: DVec3::ZERO }
            }
            Self::Moving(motion) => {
                let drift = DVec3::from(motion.drift);
                let spin = DVec3::from(motion.axis) * motion.angle;
                Moment { pose, spin, pivot: DVec3::from(motion.base) + drift * time, drift }
            }
        }
    }

    /// The angle of the whole motion.
    pub(crate) fn angle(&self) -> f64 {
        match self {
            Self::Still(_) => 0.0,
            Self::Moving(motion) => motion.angle.abs(),
        }
    }

    /// No less than the distance of the body's point from the axis; zero for what does not turn.
    pub(crate) fn radius_of(&self, point: &Point) -> f64 {
        match self {
            Self::Still(_) => 0.0,
            Self::Moving(motion) => motion.radius_of(point),
        }
    }

    /// What rounding may do to each coordinate of a point at distance `local` from the body's origin,
    /// by the way of real numbers or by poses.
    pub(crate) fn slack(&self, local: f64) -> f64 {
        match self {
            // Three products, three sums.
            Self::Still(pose) => {
                4.0 * f64::EPSILON * (local + norm1(&pose.translation()))
                    + 2.0 * crate::COORDINATE_MIN
            }
            Self::Moving(motion) => motion.slack(local),
        }
    }

    /// What rounding may do to a velocity, in all, of a point at distance `local` from the body's
    /// origin: to the axis, the angle, the difference, two products and two sums; and what comes of
    /// the rounding of its place.
    pub(crate) fn velocity_slack(&self, local: f64) -> f64 {
        match self {
            Self::Still(_) => 0.0,
            Self::Moving(motion) => {
                let (angle, drift) = (motion.angle.abs(), norm1(&motion.drift));
                let far = local + norm1(&motion.arm) + norm1(&motion.base) + drift;
                32.0 * f64::EPSILON * (angle * far + drift) + 2.0 * angle * motion.slack(local)
            }
        }
    }
}
