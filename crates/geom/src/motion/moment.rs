//! A rigid body at many instants of its motion: where its points are and how fast they move.
//!
//! With `K` for the vector product with the axis, the rotation by an angle is `1 + sin·K + (1 − cos)·K²`,
//! so that the place of a point is a sum of three vectors that are always the same. Its acceleration
//! is the angle squared times its distance from the axis, which is the same at all times, so that by
//! Taylor it is never farther than half of that times τ² from where its velocity takes it in the
//! time τ.

use super::{Motion, norm1};
use crate::Point;
use crate::pose::Pose;
use glam::{DMat3, DVec3};

/// How a rigid body gets through a step.
#[derive(Clone, Copy, Debug)]
pub enum Travel<'a> {
    /// It stays where it is.
    Still(&'a Pose),
    /// It moves.
    Moving(&'a Motion),
}

/// How a body moves, apart from where its points are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    angle: f64,
    /// Where the axis is at the start, and how it moves.
    base: DVec3,
    drift: DVec3,
}

/// How far a body has got.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phase {
    pub(crate) time: f64,
    sine: f64,
    cosine: f64,
    /// One less the cosine.
    rest: f64,
    /// Where the axis is.
    pub(crate) pivot: DVec3,
}

impl Clock {
    /// At a time.
    pub(crate) fn at(&self, time: f64) -> Phase {
        let pivot = self.base + self.drift * time;
        if self.angle == 0.0 {
            return Phase { time, sine: 0.0, cosine: 1.0, rest: 0.0, pivot };
        }
        let (s, c) = (0.5 * self.angle * time).sin_cos();
        let rest = 2.0 * s * s;
        Phase { time, sine: 2.0 * s * c, cosine: 1.0 - rest, rest, pivot }
    }

    /// The velocity of a point.
    #[inline]
    pub(crate) fn velocity(&self, spoke: &Spoke, phase: &Phase) -> DVec3 {
        let [_, ku, kku] = spoke.0;
        (ku * phase.cosine + kku * phase.sine) * self.angle + self.drift
    }
}

/// A vector that turns with a body: as it is at the start, and after one and two times `K`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spoke([DVec3; 3]);

impl Spoke {
    fn new(start: DVec3, axis: DVec3) -> Self {
        let once = axis.cross(start);
        Self([start, once, axis.cross(once)])
    }

    /// The vector then; off by no more than a pose is.
    #[inline]
    fn at(&self, phase: &Phase) -> DVec3 {
        let [u, ku, kku] = self.0;
        u + ku * phase.sine + kku * phase.rest
    }

    /// A point then, that is this vector away from the axis.
    #[inline]
    pub(crate) fn place(&self, phase: &Phase) -> DVec3 {
        self.at(phase) + phase.pivot
    }

    /// No less than the distance from the axis: as [`Motion::radius_of`].
    pub(crate) fn radius(&self) -> f64 {
        self.0[1].length() + 8.0 * f64::EPSILON * self.0[0].abs().element_sum()
    }
}

/// A body and one of its points on their way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wheel {
    columns: [Spoke; 3],
    point: Spoke,
}

impl Wheel {
    /// The body's matrix and its point.
    pub(crate) fn at(&self, phase: &Phase) -> (DMat3, DVec3) {
        let [x, y, z] = &self.columns;
        (DMat3::from_cols(x.at(phase), y.at(phase), z.at(phase)), self.point.place(phase))
    }
}

impl Travel<'_> {
    pub(crate) fn clock(&self) -> Clock {
        match self {
            Self::Still(pose) => {
                Clock { angle: 0.0, base: DVec3::from(pose.translation()), drift: DVec3::ZERO }
            }
            Self::Moving(motion) => Clock {
                angle: motion.angle,
                base: DVec3::from(motion.base),
                drift: DVec3::from(motion.drift),
            },
        }
    }

    /// The direction of the axis, of unit length up to rounding; zero for what does not turn.
    pub(crate) fn axis(&self) -> DVec3 {
        match self {
            Self::Still(_) => DVec3::ZERO,
            Self::Moving(motion) => DVec3::from(motion.axis),
        }
    }

    /// The direction of the axis, times the angle; zero for what does not turn.
    pub(crate) fn spin(&self) -> DVec3 {
        match self {
            Self::Still(_) => DVec3::ZERO,
            Self::Moving(motion) => DVec3::from(motion.axis) * motion.angle,
        }
    }

    /// A point of the body, seen from the axis.
    pub(crate) fn spoke(&self, point: &Point) -> Spoke {
        match self {
            Self::Still(pose) => Spoke([DVec3::from(pose.rotate(point)), DVec3::ZERO, DVec3::ZERO]),
            Self::Moving(motion) => Spoke::new(motion.arm_of(point), DVec3::from(motion.axis)),
        }
    }

    /// The way of the body and one of its points.
    pub(crate) fn wheel(&self, point: &Point) -> Wheel {
        let (pose, axis) = match self {
            Self::Still(pose) => (*pose, DVec3::ZERO),
            Self::Moving(motion) => (motion.pose0(), DVec3::from(motion.axis)),
        };
        let rows = pose.matrix();
        let column = |k: usize| Spoke::new(DVec3::new(rows[0][k], rows[1][k], rows[2][k]), axis);
        Wheel { columns: [column(0), column(1), column(2)], point: self.spoke(point) }
    }

    /// How far the axis moves.
    pub(crate) fn drift_length(&self) -> f64 {
        match self {
            Self::Still(_) => 0.0,
            Self::Moving(motion) => DVec3::from(motion.drift).length(),
        }
    }

    /// No coordinate of the body's frame on its way is larger.
    pub(crate) fn farthest(&self) -> f64 {
        match self {
            Self::Still(pose) => DVec3::from(pose.translation()).abs().max_element(),
            Self::Moving(motion) => norm1(&motion.base) + norm1(&motion.drift) + norm1(&motion.arm),
        }
    }

    /// The pose at a time.
    pub fn pose_at(&self, time: f64) -> Pose {
        match self {
            Self::Still(pose) => **pose,
            Self::Moving(motion) => motion.pose_at(time),
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
