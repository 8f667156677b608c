//! The way of a sphere under a motion, to the second order in time: where it is, where it heads, and
//! how much it can turn off. This is what predictions of the first contact need [V00 §6].
//!
//! With the centre `u` relative to a point of the axis, the path is `R(axis, θ·t)·u + base + t·drift`:
//! its velocity at the start is `θ·axis × u + drift`, and its acceleration is at all times `θ²` times
//! the distance from the axis. By Taylor the path is off the straight line by at most half of that
//! times t². Constant cost. It does not cut the motion into pieces, so many turns are bounded badly;
//! [`Motion::sphere_bounds`] serves those.

use super::{Motion, norm1, up};
use crate::Point;
use crate::sphere::Sphere;
use glam::DVec3;

/// A ball on its way: at each time `t` in 0…1 the body lies within `radius` of a point that is at
/// most `acceleration · t² / 2` away from `center + velocity · t`. Rounding is in the radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// The middle at time 0.
    pub center: Point,
    /// The velocity at time 0.
    pub velocity: Point,
    /// The most by which the velocity changes per unit of time.
    pub acceleration: f64,
    /// How far the body reaches from the middle; negative for an empty sphere.
    pub radius: f64,
}

impl Motion {
    /// The way of the body's sphere over the whole motion.
    pub fn course(&self, local: &Sphere) -> Course {
        let arm = self.arm_of(&local.center);
        let (axis, drift) = (DVec3::from(self.axis), DVec3::from(self.drift));
        let center = arm + DVec3::from(self.base);
        let velocity = axis.cross(arm) * self.angle + drift;
        let acceleration = up(self.angle * self.angle * self.radius_of(&local.center));
        // As in `sphere_bounds`: a point of the rim, per coordinate, and √3 < 2. Its spare half is
        // far above what rounds the centre here.
        let rim = 2.0 * self.slack(norm1(&local.center) + 2.0 * local.radius.max(0.0));
        // The cross product is off by 2 ε per coordinate, its factor by ½, the axis by 2: 8 ε with
        // the sum, for the three coordinates 24.
        let turned = self.angle.abs() * (norm1(&local.center) + norm1(&self.arm));
        let heading = 24.0 * f64::EPSILON * (turned + norm1(&self.drift));
        Course {
            center: center.into(),
            velocity: velocity.into(),
            acceleration,
            radius: up(local.radius + rim + rim + heading),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{distance, motions, places, samples};
    use super::*;
    use proptest::prelude::*;

    /// How far the ball of a course reaches at a time, from where.
    fn ball(course: &Course, t: f64) -> (Point, f64) {
        let center = std::array::from_fn(|k| course.center[k] + course.velocity[k] * t);
        (center, course.radius + 0.5 * course.acceleration * t * t)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]
        #[test]
        fn every_sample_is_within_the_course(
            motion in motions(), center in places(), rims in prop::array::uniform4(places()),
        ) {
            let vertices = rims.map(|rim| std::array::from_fn(|k| center[k] + rim[k]));
            let sphere = Sphere::around(&vertices);
            let course = motion.course(&sphere);
            for t in samples(0.0, 1.0) {
                let (middle, radius) = ball(&course, t);
                for vertex in &vertices {
                    let now = motion.pose_at(t).apply(vertex);
                    let off = distance(&now, &middle);
                    prop_assert!(off <= radius, "{t}: {now:?} is {off} off, {course:?}");
                }
            }
        }

        #[test]
        fn small_turns_are_followed_closely(
            motion in motions(), center in prop::array::uniform3(-1.0..1.0f64),
        ) {
            let sphere = Sphere { center, radius: 0.5 };
            let course = motion.course(&sphere);
            let (middle, radius) = ball(&course, 1.0);
            let end = motion.pose1().apply(&center);
            // What the second order leaves open is of the third: θ³/6 times the arm.
            let (_, angle) = motion.turn();
            if angle.abs() > 0.5 {
                return Ok(());
            }
            let arm = motion.radius_of(&center);
            let off = distance(&end, &middle);
            let rest = angle.abs().powi(3) * arm / 6.0 + 8.0 * motion.slack(4.0);
            prop_assert!((off - 0.5 * angle * angle * arm).abs() <= rest, "{off}");
            prop_assert!(radius - 0.5 - off <= 2.0 * rest, "{radius} {off}");
        }
    }

    #[test]
    fn nothing_stays_nothing() {
        let motion = Motion::lerp_slerp(crate::pose::Pose::IDENTITY, crate::pose::Pose::IDENTITY);
        assert!(motion.course(&Sphere::EMPTY).radius < 0.0);
        let still = motion.course(&Sphere { center: [1.0, 2.0, 3.0], radius: 1.0 });
        assert_eq!((still.velocity, still.acceleration), ([0.0; 3], 0.0));
    }
}
